"""Issuing: everybody's decision is recorded, promises once, batches whole."""

import numpy as np
import pandas as pd
import pytest
from samples import promised
from samples.promised import KEY, START

import standfast as sf
from standfast.promises import Promises
from standfast.promises.ledger import Evidence, Ledger, Terms, issuing


@pytest.fixture(scope="module")
def recs() -> sf.Recommendations:
    return promised.advice()


@pytest.fixture(scope="module")
def regions(recs: sf.Recommendations) -> object:
    return promised.regions(recs)


def test_what_was_issued_comes_back_to_the_last_bit(recs, regions) -> None:
    ledger = promised.ledger()
    done = ledger.issue(recs, regions=regions, terms=Terms(at=START))
    wanted, found = Promises.of(recs, regions), ledger.open_promises(START)
    np.testing.assert_array_equal(found.factual, wanted.factual)
    np.testing.assert_array_equal(found.point, wanted.point)
    np.testing.assert_array_equal(found.boxes.lower, wanted.boxes.lower)
    np.testing.assert_array_equal(found.boxes.upper, wanted.boxes.upper)
    for j, members in wanted.boxes.inside.items():
        np.testing.assert_array_equal(found.boxes.inside[j], members)
    facts = found.facts
    assert list(facts.columns) == list(wanted.facts.columns)
    for same in ("model", "method", "outcome", "cost"):
        assert facts[same].tolist() == wanted.facts[same].tolist()
    assert facts["subject"].tolist() == [ledger.pseudonym(s) for s in wanted.facts["subject"]]
    assert (facts["valid_until"] == pd.Timestamp("2027-01-01", tz="UTC")).all()
    assert found.schema.digest == recs.schema.digest
    assert done.new == len(wanted)
    assert done.decisions == len(recs)
    assert done.promises.dropna().tolist() == facts.index.tolist()
    assert done.promises.notna().tolist() == recs.found.tolist()


def test_issuing_twice_is_said_and_kept_once(recs) -> None:
    ledger = promised.ledger()
    first, second = (ledger.issue(recs, terms=Terms(at=START)) for _ in range(2))
    assert (second.new, second.decisions) == (0, 0)
    assert second.already == first.new
    assert "in the ledger already" in second.sentence
    assert second.promises.equals(first.promises)
    assert len(ledger.open_promises(START)) == first.new


def test_one_person_twice_in_one_batch_has_one_promise_per_advice(recs) -> None:
    ledger = promised.ledger()
    found = recs.found.to_numpy()
    chosen = np.flatnonzero(found)[:1].repeat(3)
    same = promised.many(_rows(recs, chosen[:1]), 3)
    done = ledger.issue(same, subjects=["ann"] * 3, terms=Terms(at=START))
    assert done.new == 1
    assert len(set(done.promises)) == 1


def _rows(recs: sf.Recommendations, rows: np.ndarray) -> sf.Recommendations:
    return sf.Recommendations(
        recs.schema,
        recs.factual.iloc[rows],
        recs.counterfactual.iloc[rows],
        recs.results.iloc[rows],
        recs.provenance,
    )


def test_the_same_call_again_continues(recs, monkeypatch) -> None:
    monkeypatch.setattr(issuing, "SIZE", 5)
    ledger = promised.ledger()
    part = _rows(recs, np.arange(7))
    ledger.issue(part, terms=Terms(at=START))
    done = ledger.issue(recs, terms=Terms(at="2026-01-02"))
    assert done.already == int(part.found.sum())
    assert done.decisions == len(recs) - 7
    assert len(ledger.open_promises("2026-01-03")) == int(recs.found.sum())


def test_a_promise_that_ended_can_be_issued_again(recs) -> None:
    ledger = promised.ledger()
    first = ledger.issue(recs, valid_for="30 days", terms=Terms(at=START))
    again = ledger.issue(recs, valid_for="30 days", terms=Terms(at="2026-03-01"))
    assert again.new == first.new
    assert again.already == 0
    # people without advice keep the decision they have
    assert again.decisions == again.new


def test_dates_bound_what_is_open(recs) -> None:
    ledger = promised.ledger(at="2025-12-01")
    ledger.issue(recs, valid_for="1 month", terms=Terms(at=START))
    n = int(recs.found.sum())
    counts = {
        day: len(ledger.open_promises(day))
        for day in ("2025-12-31", "2026-01-01", "2026-02-01", "2026-02-02")
    }
    assert counts == {"2025-12-31": 0, "2026-01-01": n, "2026-02-01": n, "2026-02-02": 0}


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_blocks_hold_every_open_promise_once(size, monkeypatch) -> None:
    monkeypatch.setattr(issuing, "SIZE", 5)
    ledger = promised.issued(n=23)
    whole = ledger.open_promises(START)
    parts = list(ledger.blocks(START, size=size))
    assert [len(part) for part in parts[:-1]] == [size] * (len(parts) - 1)
    assert pd.concat([part.facts for part in parts]).equals(whole.facts)
    np.testing.assert_array_equal(np.vstack([p.point for p in parts]), whole.point)


def test_a_later_schema_with_the_same_meanings_is_welcome_and_others_are_not(recs) -> None:
    ledger = promised.ledger()
    ledger.issue(recs, terms=Terms(at=START))
    later = sf.Schema((*promised.SCHEMA.features[:3], sf.Feature("age", "count", mutable=False)))
    table = promised.people(8, seed=5)
    new = sf.recommend(sf.MinimalCost(later, promised.percentiles()), promised.MODEL, table)
    assert new.schema.digest != recs.schema.digest
    ledger.issue(new, terms=Terms(at=START))
    assert len({part.schema.digest for part in ledger.blocks(START)}) == 2
    assert len(ledger.open_promises(START)) == int(recs.found.sum() + new.found.sum())
    other = sf.Schema((sf.Feature("late", "count"),))
    table = pd.DataFrame({"late": [0, 5]})
    q = sf.Percentiles.fit(table)
    strange = sf.recommend(sf.MinimalCost(other, q), sf.Linear([-1.0], 1.5), table)
    with pytest.raises(sf.InputError, match=r"made for another schema.*'income'"):
        ledger.issue(strange, terms=Terms(at=START))


def test_reasons_and_certificates_go_with_promises(recs) -> None:
    rng = np.random.default_rng(0)
    drawn = [
        sf.Rule(f"late <= {int(rng.integers(1, 3))} and income >= {-i}", promised.SCHEMA)
        for i in range(59)
    ]
    certificate = sf.certify(recs, drawn, validity=0.1)
    method = sf.MinimalCost(promised.SCHEMA, promised.percentiles())
    why = sf.reasons(method, promised.MODEL, promised.people(12))
    for evidence in (
        Evidence(certificate, why),
        Evidence(certificate.to_frame(), why.to_frame()),
    ):
        _check_evidence(recs, evidence, certificate)


def _check_evidence(recs, evidence, certificate) -> None:
    ledger = promised.ledger()
    ledger.issue(recs, evidence=evidence, terms=Terms(at=START))
    label = recs.index[recs.found.to_numpy()][0]
    assert "Reasons: " in ledger.history(label)["note"].item()
    facts = ledger.open_promises(START).facts
    lower = certificate.people["lower"].dropna().to_numpy()
    np.testing.assert_array_equal(facts["certified"].to_numpy(), lower)
    assert (facts["confidence"] == 0.95).all()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"valid_for": "soon"}, "write a number and a unit"),
        ({"valid_for": "0 days"}, "valid for some time"),
        ({"valid_for": "9999 years"}, "beyond|out of the calendar"),
        ({"valid_for": None}, "period"),
        ({"subjects": ["a"]}, "1 names for 12 people"),
        ({"subjects": "abcdefghijkl"}, "one name per person"),
        ({"subjects": [None] * 12}, "named by texts or whole numbers"),
        ({"subjects": [1.5] * 12}, "named by texts or whole numbers"),
        ({"subjects": [" "] * 12}, "a subject is empty"),
        ({"subjects": ["\ud800"] * 12}, "half a character"),
        ({"terms": Terms(at="2025-01-01")}, "events are written in their order"),
        ({"terms": Terms(at="2026-01-01T12:00")}, "without a time zone"),
        ({"terms": Terms(at="soon")}, "is not a date"),
        ({"terms": Terms(language="")}, "language is ''"),
        ({"terms": Terms(retain_for="ever")}, "retain_for is 'ever'"),
        ({"terms": Terms(repairs=True)}, "repairs goes with replaces"),
        ({"terms": Terms(replaces={"nobody": 1})}, "'nobody', who got no recommendation"),
        ({"terms": Terms(wording=pd.Series({"x": "y"}))}, "wording lacks some people"),
        ({"terms": 7}, "terms is an int"),
        ({"evidence": 7}, "evidence is an int"),
        ({"evidence": Evidence(certificate=7)}, "the certificate is an int"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_issued_is_refused_and_nothing_is_written(recs, given, sentence) -> None:
    ledger = promised.ledger()
    with pytest.raises(sf.InputError, match=sentence):
        ledger.issue(recs, **given)
    with pytest.raises(sf.InputError, match="no promises yet"):
        ledger.open_promises()


def test_what_is_no_advice_is_refused() -> None:
    ledger = promised.ledger()
    with pytest.raises(sf.InputError, match="expected Recommendations"):
        ledger.issue(promised.people(3))  # type: ignore[arg-type]


def test_a_clock_that_goes_backwards_is_said(recs) -> None:
    ledger = promised.ledger(at="2190-01-01")
    with pytest.raises(sf.InputError, match="the clock goes backwards"):
        ledger.issue(recs)


def test_the_key_opens_and_another_does_not(tmp_path, recs) -> None:
    path = tmp_path / "promises.db"
    promised.issued(path).close()
    assert len(Ledger.open(path, bytes.fromhex(KEY)).open_promises(START)) == recs.found.sum()
    with pytest.raises(sf.InputError, match="not the one that the ledger was made with"):
        Ledger.open(str(path), "00" * 32)
