"""The life of promises in both databases: what follows, what does not, and what is told of it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from samples import promised
from samples.promised import KEY, START

import standfast as sf
from standfast.promises.ledger import Evidence, Ledger, State, Terms
from standfast.promises.verdict import GateRecord, Verdict


@pytest.fixture
def ledger(place: str) -> Ledger:
    return promised.issued(place)


def numbers(ledger: Ledger, on: str = START) -> list[int]:
    return ledger.open_promises(on).facts.index.tolist()


def who(ledger: Ledger) -> dict[int, str]:
    """The people by the numbers of their promises."""
    recs = promised.advice()
    names = {ledger.pseudonym(label): label for label in recs.index}
    facts = ledger.open_promises(START).facts
    return {number: names[subject] for number, subject in facts["subject"].items()}


def test_promises_end_in_every_way_and_the_chain_stays_sound(ledger: Ledger) -> None:
    a, b, c, d, *rest = numbers(ledger)
    ledger.fulfil(a, at="2026-02-01")
    ledger.withdraw([b], "Ada", "the advice was wrong", at="2026-02-02")
    ledger.waive(c, by="Ada", why="a trifle", at="2026-02-03")
    ledger.honour([d], "Ada", "our word counts", "2026-12-31", at="2026-02-04")
    assert numbers(ledger, "2026-03-01") == [d, *rest]
    assert numbers(ledger, "2026-02-02") == [c, d, *rest]
    assert ledger.open_promises("2026-03-01").facts.loc[d, "state"] == State.HONOURED
    listed = ledger.exceptions("2026-03-01")
    assert listed.index.tolist() == [ledger.pseudonym(_label(d))]
    assert listed["why"].tolist() == ["our word counts"]
    assert ledger.exceptions("2027-01-01").empty
    assert ledger.expire("2027-03-01") == len(rest) + 1
    assert ledger.expire("2027-03-02") == 0
    assert numbers_or_none(ledger, "2027-03-01") == []
    found = ledger.verify()
    assert found, found.sentence
    assert Ledger.open(ledger_url(ledger), KEY).verify()


def ledger_url(ledger: Ledger) -> str:
    return ledger.where


def numbers_or_none(ledger: Ledger, on: str) -> list[int]:
    return ledger.open_promises(on).facts.index.tolist()


def _label(number: int) -> str:
    return str(promised.advice().index[number - 1])


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda ledger, n: ledger.fulfil(n), "is withdrawn, so it cannot be fulfilled"),
        (lambda ledger, n: ledger.withdraw(n, "Ada", "again"), "is withdrawn"),
        (lambda ledger, n: ledger.release(n), "is withdrawn, so it cannot be issued"),
        (lambda ledger, n: ledger.fulfil(10_000), "there is no promise 10000"),
        (lambda ledger, n: ledger.fulfil(-1), "there is no promise -1"),
        (lambda ledger, n: ledger.fulfil([]), "no promise is named"),
        (lambda ledger, n: ledger.fulfil("7"), "promises have whole numbers"),
        (lambda ledger, n: ledger.waive(n, "", "why"), "by is empty; a waiver needs the name"),
        (lambda ledger, n: ledger.waive(n, "Ada", " "), "why is empty; a waiver needs the reason"),
        (lambda ledger, n: ledger.waive(n, None, "why"), "by is a NoneType"),
        (lambda ledger, n: ledger.honour(n, "Ada", "so", "2025-01-01"), "which is over"),
        (lambda ledger, n: ledger.honour(n, "Ada", "so", None), "the date it ends"),
        (lambda ledger, n: ledger.fulfil(n, at="2025-01-01"), "in their order"),
        (lambda ledger, n: ledger.erase("nobody"), "not in the ledger; there is nothing to erase"),
        (lambda ledger, n: ledger.history("nobody"), "no decision about this person"),
        (lambda ledger, n: ledger.register("", "champion"), "fingerprint of a model is empty"),
        (lambda ledger, n: ledger.expire("2199-01-01", at="2198-01-01"), "is yet to come"),
    ],
)
def test_what_does_not_follow_is_refused(wrong, sentence) -> None:
    ledger = promised.issued()
    number = numbers(ledger)[0]
    ledger.withdraw(number, "Ada", "the advice was wrong", at="2026-02-02")
    before = ledger.verify().events
    with pytest.raises(sf.InputError, match=sentence):
        wrong(ledger, number)
    assert ledger.verify().events == before


def test_drafts_are_not_open_until_they_are_issued(place: str) -> None:
    ledger, recs = promised.ledger(place), promised.advice()
    done = ledger.issue(recs, terms=Terms(at=START, draft=True))
    assert "Drafted" in done.sentence
    assert numbers(ledger) == []
    ledger.release(done.promises.dropna().tolist(), at=START, by="Ada")
    assert numbers(ledger) == done.promises.dropna().tolist()
    assert ledger.verify()


def test_a_new_promise_takes_the_place_of_an_old_one(ledger: Ledger) -> None:
    old = who(ledger)
    recs = promised.advice()
    places = {label: number for number, label in list(old.items())[:3]}
    wording = pd.Series("Something else entirely.", index=recs.index)
    terms = Terms(at="2026-02-01", replaces=places, repairs=True, wording=wording, language="en-GB")
    done = ledger.issue(recs, terms=terms)
    still = set(numbers(ledger, "2026-02-02"))
    assert still.isdisjoint(places.values())
    assert set(done.promises.dropna()) <= still
    label = next(iter(places))
    shown = ledger.history(label)
    assert shown["event"].tolist() == ["issued", "issued", "repaired"]
    assert "Something else entirely." in shown["note"].tolist()
    assert ledger.verify()


def test_gates_are_recorded_with_a_root_that_pins_everything_before(ledger: Ledger) -> None:
    judged = numbers(ledger)
    found = np.array([k % 3 for k in range(len(judged))], dtype=np.uint8)
    record = GateRecord(
        *("ff" * 32, "challenger", "models:/credit@challenger", pd.Timestamp("2026-02-01")),
        *(False, np.array(judged), found, {"kept": 0.5, "conditions": ["kept >= 0.98"]}),
    )
    root = ledger.record_gate(record, at="2026-02-01", by="Ada")
    assert ledger.verify(root)
    assert not ledger.verify("00" * 32)
    label = _label(judged[2])
    shown = ledger.history(label)
    assert shown["note"].iloc[-1] == f"{Verdict.BROKEN.words} by challenger"
    models = ledger.models()
    assert models.loc[models["role"] == "candidate", "address"].item() == record.address


def test_models_have_roles_and_periods(place: str) -> None:
    ledger = promised.ledger(place)
    ledger.register("aa", "champion", name="first", at="2026-01-02")
    ledger.register("bb", "champion", address="models:/credit/2", at="2026-02-02")
    models = ledger.models().set_index("fingerprint")
    assert models.loc["aa", "until"] == pd.Timestamp("2026-02-02", tz="UTC")
    assert pd.isna(models.loc["bb", "until"])


def test_an_erased_person_cannot_be_read_again_and_the_chain_stays_sound(ledger: Ledger) -> None:
    number, label = next(iter(who(ledger).items()))
    assert ledger.erase(label, at="2026-02-01") == 1
    assert ledger.verify()
    assert number not in numbers(ledger, "2026-02-02")
    shown = ledger.history(label)
    assert shown["event"].tolist() == ["issued", "erased"]
    assert shown["note"].iloc[0] == "erased"
    row = promised.people(12).loc[label]
    assert ledger.check(label, row, on="2026-02-02").state is State.ERASED
    with pytest.raises(sf.InputError, match="erased from the ledger already"):
        ledger.erase(label)
    # who comes back is somebody new
    ledger.issue(promised.advice(), terms=Terms(at="2026-03-01"))
    assert ledger.check(label, row, on="2026-03-01").state is State.ISSUED
    assert ledger.verify()


def test_erasing_leaves_no_byte_of_the_key(tmp_path) -> None:
    path = tmp_path / "promises.db"
    ledger = promised.issued(path)
    label = next(iter(who(ledger).values()))
    with ledger._store.reading() as connection:
        from standfast.promises.ledger import people

        _, wrapped = people.latest(connection, ledger._keyring.pseudonym(label))
    assert wrapped in path.read_bytes()
    ledger.erase(label, at="2026-02-01")
    assert wrapped not in path.read_bytes()
    assert wrapped[12:28] not in path.read_bytes()


def test_everybody_is_erased_when_nothing_needs_to_be_kept(place: str) -> None:
    ledger, recs = promised.ledger(place), promised.advice()
    ledger.issue(recs, valid_for="1 month", terms=Terms(at=START, retain_for="25 months"))
    assert ledger.erase_due("2028-02-01") == 0
    assert ledger.erase_due("2028-03-02") == len(recs)
    assert ledger.verify()


def test_nothing_personal_is_in_the_file(tmp_path) -> None:
    path = tmp_path / "promises.db"
    promised.issued(path).close()
    content = path.read_bytes()
    recs = promised.advice()
    for label in recs.index:
        assert str(label).encode() not in content
    for text in recs.sentences():
        assert text.encode() not in content
    assert np.float64(recs.factual["income"].dropna().iloc[0]).tobytes() not in content
    assert bytes.fromhex(KEY) not in content
    assert KEY.encode() not in content


def test_reasons_are_in_the_history() -> None:
    ledger, recs = promised.ledger(), promised.advice()
    method = sf.MinimalCost(promised.SCHEMA, promised.percentiles())
    why = sf.reasons(method, promised.MODEL, promised.people(12))
    ledger.issue(recs, evidence=Evidence(reasons=why), terms=Terms(at=START))
    label = recs.index[recs.found.to_numpy()][0]
    note = ledger.history(label)["note"].item()
    assert note.startswith(recs.sentences()[label])
    assert "Reasons: " in note


def test_top_ups_go_to_the_people_of_the_promises_that_they_repair(ledger: Ledger) -> None:
    from standfast.promises.repair import top_up

    old = ledger.open_promises(START)
    strict = sf.Rule("late <= 0 and job in (clerk, nurse)", promised.SCHEMA)
    method = sf.MinimalCost(promised.SCHEMA, promised.percentiles())
    found = top_up(old, strict, method).recommendations
    done = ledger.repair(found, terms=Terms(at="2026-02-01", by="Ada"))
    assert done.new == len(found) > 0
    now = ledger.open_promises("2026-02-02")
    pairs = done.promises.to_dict()
    for before, after in pairs.items():
        assert before not in now.facts.index
        assert now.facts.loc[after, "subject"] == old.facts.loc[before, "subject"]
    events = ledger.verify().events
    again = ledger.repair(found, terms=Terms(at="2026-02-03"))
    assert (again.new, again.already) == (0, len(found))
    assert ledger.verify().events == events
    with pytest.raises(sf.InputError, match="there is no promise 900"):
        ledger.repair(found_as(found, 900), terms=Terms(at="2026-02-03"))
    with pytest.raises(sf.InputError, match="leave replaces out"):
        ledger.repair(found, terms=Terms(replaces="open"))
    assert ledger.verify()


def found_as(recs: sf.Recommendations, first: int) -> sf.Recommendations:
    """The same advice under other labels."""
    index = pd.RangeIndex(first, first + len(recs))
    frames = [t.set_axis(index) for t in (recs.factual, recs.counterfactual, recs.results)]
    return sf.Recommendations(recs.schema, *frames, recs.provenance)


def test_nobody_s_promise_takes_the_place_of_another_person_s(ledger: Ledger) -> None:
    a, b, *_ = who(ledger).items()
    terms = Terms(at="2026-02-01", replaces={a[1]: b[0]}, language="de")
    wording = pd.Series("Etwas anderes.", index=promised.advice().index)
    before = ledger.verify().events
    with pytest.raises(sf.InputError, match=f"promise {b[0]} is another person's"):
        ledger.issue(promised.advice(), terms=replace(terms, wording=wording))
    assert ledger.verify().events == before


def test_exceptions_end_with_the_promises_they_are_for(ledger: Ledger) -> None:
    open_ = ledger.open_promises(START).facts
    ends = open_["valid_until"].copy()
    ends.iloc[0] = pd.Timestamp("2026-06-01", tz="UTC")
    assert ledger.honour(ends.index, "Ada", "our word", ends, at="2026-02-01") == len(ends)
    listed = ledger.exceptions("2026-03-01").set_index("promise")["until"]
    assert listed.to_dict() == ends.to_dict()
    assert len(ledger.exceptions("2026-07-01")) == len(ends) - 1
    with pytest.raises(sf.InputError, match="until is missing for promise"):
        ledger.honour(ends.index, "Ada", "our word", ends.iloc[:1], at="2026-02-02")
    assert ledger.verify()
