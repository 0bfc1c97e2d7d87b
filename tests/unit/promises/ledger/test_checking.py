"""A person comes back: the box decides, time that passed is not held against anybody."""

import numpy as np
import pandas as pd
import pytest
from samples import promised
from samples.promised import START

import standfast as sf
from standfast.promises import Promises
from standfast.promises.ledger import Ledger, State, Terms


@pytest.fixture(scope="module")
def recs() -> sf.Recommendations:
    return promised.advice(40)


@pytest.fixture(scope="module")
def ledger(recs: sf.Recommendations) -> Ledger:
    made = promised.ledger()
    made.issue(recs, regions=promised.regions(recs), terms=Terms(at=START))
    return made


def test_the_box_decides_about_every_row(recs, ledger) -> None:
    wanted = Promises.of(recs, promised.regions(recs))
    still = np.array([f.drift is None for f in recs.schema])
    rng = np.random.default_rng(0)
    yes = 0
    for i, label in enumerate(wanted.facts["subject"]):
        for _ in range(6):
            row = promised.people(1, int(rng.integers(1e6))).assign(
                age=recs.factual.loc[label, "age"]
            )
            out = wanted.boxes[[i]].outside(recs.schema.matrix(row))[0] & still
            found = ledger.check(label, row.iloc[0], on="2026-06-01")
            assert bool(found) == (not out.any())
            assert set(found.outside) == set(np.array(recs.schema.names)[out])
            yes += bool(found)
    assert yes > 5


def test_what_passes_by_itself_is_not_held_against_anybody(recs, ledger) -> None:
    label = recs.index[recs.found.to_numpy()][0]
    goal = recs.counterfactual.loc[label].to_dict()
    age = goal["age"]
    held = {
        (day, years): ledger.check(label, {**goal, "age": age + years}, on=day).outside
        for day in ("2026-01-02", "2026-12-31")
        for years in (-1, 0, 1, 2)
    }
    for day in ("2026-01-02", "2026-12-31"):
        assert held[day, -1] == ("age",)
        assert held[day, 0] == held[day, 1] == ()
        assert held[day, 2] == ("age",)


def test_time_counts_from_when_the_advice_is_to_be_followed() -> None:
    recs = promised.advice(40)
    months = pd.Series(0.0, index=recs.index).where(~recs.found, 12.0)
    later = sf.Recommendations(
        recs.schema,
        recs.factual,
        recs.counterfactual.assign(age=recs.factual["age"] + 1).where(recs.found),
        recs.results.assign(after_months=months),
        recs.provenance,
    )
    ledger = promised.ledger()
    ledger.issue(later, valid_for="3 years", terms=Terms(at=START))
    label = recs.index[recs.found.to_numpy()][0]
    goal = later.counterfactual.loc[label].to_dict()
    age = recs.factual.loc[label, "age"]
    assert ledger.check(label, {**goal, "age": age}, on="2026-03-01").outside == ("age",)
    assert ledger.check(label, {**goal, "age": age + 1}, on="2027-02-01").fulfilled
    assert ledger.check(label, {**goal, "age": age + 4}, on="2027-02-01").outside == ("age",)


def test_the_best_of_several_promises_counts(recs) -> None:
    ledger = promised.ledger()
    ledger.issue(recs, terms=Terms(at=START))
    done = ledger.issue(recs, regions=promised.regions(recs), terms=Terms(at="2026-01-02"))
    label = recs.index[recs.found.to_numpy()][0]
    goal = recs.counterfactual.loc[label]
    assert ledger.check(label, goal, on="2026-02-01").promise == done.promises[label]
    ledger.fulfil(int(done.promises[label]), at="2026-02-02")
    found = ledger.check(label, goal, on="2026-02-03")
    assert found.fulfilled


@pytest.mark.parametrize(
    ("on", "state", "sentence"),
    [
        ("2025-12-01", None, "no promise by then"),
        ("2026-02-01", State.ISSUED, "is fulfilled: every input lies in its box"),
        ("2027-02-01", State.EXPIRED, "is expired since 2027-01-01"),
    ],
)
def test_the_date_counts(recs, ledger, on, state, sentence) -> None:
    label = recs.index[recs.found.to_numpy()][0]
    found = ledger.check(label, recs.counterfactual.loc[label], on=on)
    assert found.state is state
    assert sentence in found.sentence
    assert found.fulfilled == (state is State.ISSUED)


def test_people_without_a_promise_get_a_sentence(recs, ledger) -> None:
    unknown = ledger.check("nobody", {}, on=START)
    assert not unknown
    assert unknown.sentence == "No decision about this person is in the ledger."
    label = recs.index[~recs.found.to_numpy()][0]
    assert "no promise" in ledger.check(label, recs.factual.loc[label], on=START).sentence


@pytest.mark.parametrize(
    "row",
    [
        7, None, "late", [1, 2, 3], {}, {"late": 1}, pd.DataFrame(), promised.people(2),
        {"late": "x", "income": 1, "job": "clerk", "age": 3},
        {"late": object(), "income": [1], "job": {}, "age": ()},
        {"late": np.nan, "income": np.inf, "job": "pilot", "age": -1},
        {"late": 10**400, "income": True, "job": None, "age": pd.NaT},
    ],
    ids=lambda row: type(row).__name__,
)  # fmt: skip
def test_odd_rows_end_in_a_sentence(recs, ledger, row) -> None:
    label = recs.index[recs.found.to_numpy()][0]
    try:
        found = ledger.check(label, row, on=START)
    except sf.InputError:
        return  # one sentence
    assert not found
    assert found.outside
