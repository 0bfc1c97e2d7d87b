import _thread
import signal
import threading
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from standfast import (
    Advisor,
    Answers,
    Feature,
    GrowingSpheres,
    InputError,
    Linear,
    Outcome,
    Percentiles,
    Schema,
    prepare,
    recommend,
)
from standfast.methods import Alternative
from standfast.methods.rows import Rows
from standfast.recommendations import Provenance
from standfast.recommendations.causes import FailedCheck, LimitReached

SCHEMA = Schema((Feature("a", step=0.1), Feature("b", "count")))
TABLE = pd.DataFrame(
    {
        "a": np.random.default_rng(0).normal(size=400).round(3),
        "b": np.random.default_rng(1).poisson(3, 400),
    }
)
MODEL = Linear([1.0, -0.5], 0.0)
METHOD = GrowingSpheres(SCHEMA, Percentiles.fit(TABLE), candidates=50)


class Fixed:
    """A method that always sends people to one point, right or wrong."""

    name = "fixed"
    schema = SCHEMA
    domain = SCHEMA.complete(TABLE)
    percentiles = Percentiles.fit(TABLE)

    def __init__(self, point, free=None):
        """After `free` blocks it waits for a limit or a stop before it answers."""
        self.point, self.free, self.blocks = point, free, 0

    def settings(self):
        return {"point": self.point}

    def price(self, X, Y):
        return self.percentiles.total(X, Y)

    def prepare(self, model):
        return self

    def advise(self, X, streams, budget):
        n = len(X)
        self.blocks += 1
        while self.free is not None and self.blocks > self.free and not budget.expired():
            budget.stop.wait(0.01)
        return Answers(
            np.tile(np.array(self.point, dtype=float), (n, 1)),
            (Outcome.FOUND,) * n,
            (None,) * n,
            np.full(n, np.nan),
        )


def test_an_answer_the_model_refuses_is_withheld_as_unsound():
    recs = recommend(Fixed([-1.0, 3]), MODEL, TABLE)
    refused = ~MODEL.accepts(SCHEMA.matrix(TABLE))
    assert (recs.outcome[refused] == Outcome.UNSOUND).all()
    assert recs.counterfactual[refused].isna().all(axis=None)
    assert (recs.results["cause"][refused] == FailedCheck()).all()


def test_an_answer_the_schema_does_not_admit_is_withheld_as_unsound():
    recs = recommend(Fixed([2.05, 0.5]), MODEL, TABLE)
    refused = ~MODEL.accepts(SCHEMA.matrix(TABLE))
    assert (recs.outcome[refused] == Outcome.UNSOUND).all()
    assert recs.explanations()[refused].str.contains("no multiple of its step").all()


def test_an_estimator_with_signs_as_classes_is_taken_as_it_is():
    labels = np.where(TABLE["a"] > 0.5 * TABLE["b"] - 1, 1, -1)
    recs = recommend(METHOD, LogisticRegression().fit(TABLE, labels), TABLE)
    assert recs.found.any()


def test_an_estimator_with_other_classes_asks_which_one_is_favourable():
    model = LogisticRegression().fit(TABLE, TABLE["a"] > 0)
    with pytest.raises(InputError, match="not clear which one is favourable"):
        recommend(METHOD, model, TABLE)


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"seed": -1}, "seed is -1"),
        ({"seed": 0.5}, "seed is 0.5"),
        ({"jobs": 0}, "jobs is 0"),
        ({"time_limit": 0}, "time_limit is 0"),
        ({"total_time": float("nan")}, "total_time is nan"),
    ],
)
def test_an_impossible_option_is_refused_before_any_work(options, shown):
    with pytest.raises(InputError, match=shown):
        recommend(METHOD, MODEL, TABLE, **options)


def test_a_block_of_nobody_is_refused():
    with pytest.raises(InputError, match="block is 0"):
        Advisor(METHOD, MODEL, block=0)


def test_a_method_and_a_model_in_each_others_place_are_told_apart():
    for ask in (lambda: recommend(MODEL, METHOD, TABLE), lambda: prepare(MODEL, METHOD)):
        with pytest.raises(InputError, match="the method is a Linear; the method comes first"):
            ask()
    with pytest.raises(InputError, match="the method comes first"):
        recommend(GrowingSpheres, MODEL, TABLE)


def test_people_are_a_table():
    for ask in (partial(recommend, METHOD, MODEL), prepare(METHOD, MODEL).recommend):
        with pytest.raises(InputError, match="the people are a ndarray; give a table"):
            ask(TABLE.to_numpy())


def test_a_model_over_other_inputs_is_refused():
    with pytest.raises(InputError, match="reads 3 inputs and the method's schema has 2"):
        recommend(METHOD, Linear([1.0, 2.0, 3.0], 0.0), TABLE)


def test_progress_counts_up_to_everybody():
    seen = []
    advisor = Advisor(METHOD, MODEL, block=40)
    advisor.recommend(TABLE, progress=lambda done, total: seen.append((done, total)))
    done = [d for d, _ in seen]
    assert done == sorted(done)
    assert seen[-1] == (400, 400)
    assert len(seen) > 3


def test_an_interrupt_keeps_what_is_finished():
    people = TABLE[~MODEL.accepts(SCHEMA.matrix(TABLE))].iloc[:40]

    def interrupt(done, total):
        if done == 20:
            _thread.interrupt_main()

    advisor = Advisor(Fixed([2.0, 0], free=2), MODEL, block=10)
    recs = advisor.recommend(people, progress=interrupt)
    assert recs.interrupted
    assert recs.provenance["interrupted"]
    assert len(recs) == 40
    assert recs.found.sum() >= 20
    left = recs.outcome == Outcome.EXHAUSTED
    assert left.any()
    assert (recs.results["cause"][left] == LimitReached("interruption")).all()


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_a_search_under_way_with_what_it_has(jobs):
    people = TABLE[~MODEL.accepts(SCHEMA.matrix(TABLE))].iloc[:20]
    method = Fixed([2.0, 0], free=0)  # answers once it is stopped
    usual = signal.getsignal(signal.SIGINT)
    main = threading.get_ident()
    threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
    recs = Advisor(method, MODEL, block=10).recommend(people, jobs=jobs)
    assert recs.interrupted
    assert recs.found.sum() == 10 * jobs
    assert (recs.outcome == Outcome.EXHAUSTED).sum() == 20 - 10 * jobs
    assert signal.getsignal(signal.SIGINT) is usual


def test_a_second_ctrl_c_gives_the_search_up():
    class Deaf(Fixed):
        def advise(self, X, streams, budget):
            signal.raise_signal(signal.SIGINT)
            assert budget.stop.is_set()
            signal.raise_signal(signal.SIGINT)

    usual = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        Advisor(Deaf([2.0, 0]), MODEL).recommend(TABLE)
    assert signal.getsignal(signal.SIGINT) is usual


def test_ctrl_c_that_its_owner_handles_otherwise_does_not_end_a_search():
    heard = []

    class Interrupted(Fixed):
        def advise(self, X, streams, budget):
            signal.raise_signal(signal.SIGINT)
            return super().advise(X, streams, budget)

    usual = signal.signal(signal.SIGINT, lambda *about: heard.append(about))
    try:
        recs = Advisor(Interrupted([2.0, 0]), MODEL).recommend(TABLE.iloc[:5])
    finally:
        signal.signal(signal.SIGINT, usual)
    assert len(heard) == 1
    assert not recs.interrupted


def test_a_progress_that_raises_keyboard_interrupt_keeps_what_is_finished():
    people = TABLE[~MODEL.accepts(SCHEMA.matrix(TABLE))].iloc[:30]

    def stop(done, total):
        if done == 10:
            raise KeyboardInterrupt

    recs = Advisor(Fixed([2.0, 0]), MODEL, block=10).recommend(people, progress=stop)
    assert recs.interrupted
    assert recs.found.sum() == 10


def test_advisors_are_asked_outside_the_main_thread_as_well():
    found = []
    asked = threading.Thread(target=lambda: found.append(recommend(METHOD, MODEL, TABLE)))
    asked.start()
    asked.join()
    pd.testing.assert_frame_equal(
        found[0].counterfactual, recommend(METHOD, MODEL, TABLE).counterfactual
    )


def test_a_block_that_is_recorded_again_after_an_interrupt_gives_its_alternatives_once():
    x, goal = SCHEMA.matrix(TABLE.iloc[:1]), np.array([2.0, 0.0])
    ways = (Alternative(0, 1, goal, Outcome.FOUND, np.nan),)
    answers = Answers(goal[None], (Outcome.FOUND,), (None,), np.full(1, np.nan), alternatives=ways)
    rows = Rows(METHOD, x)
    for _ in range(2):
        rows.record(np.array([0]), answers, 0.1)
    assert len(rows.table(TABLE.iloc[:1], Provenance()).alternatives) == 1


def test_a_total_time_ends_the_run_with_every_row_in_place():
    people = TABLE[~MODEL.accepts(SCHEMA.matrix(TABLE))].iloc[:100]
    method = Fixed([2.0, 0], free=1)
    recs = Advisor(method, MODEL, block=10).recommend(people, total_time=0.2)
    assert len(recs) == 100
    assert method.blocks <= 2  # the second waits until the time is up
    assert recs.found.sum() == 10 * method.blocks
    assert (recs.outcome == "exhausted").sum() == 100 - 10 * method.blocks


def test_an_error_of_the_model_comes_through_and_ends_the_run():
    calls = threading.Event()

    class Broken(Linear):
        def score(self, X):
            calls.set()
            raise ZeroDivisionError("the model fell over")

    with pytest.raises(ZeroDivisionError, match="fell over"):
        recommend(METHOD, Broken([1.0, -0.5], 0.0), TABLE, jobs=2)
    assert calls.is_set()


def test_provenance_names_everything_the_answer_depends_on():
    recs = recommend(METHOD, MODEL, TABLE, seed=7)
    assert recs.provenance["seed"] == 7
    assert recs.provenance["method"] == "growing spheres"
    assert recs.provenance["settings"]["candidates"] == 50
    assert recs.provenance["model"] == MODEL.digest
    assert recs.provenance["schema"] == METHOD.domain.digest
    assert recs.provenance["reference"] == METHOD.percentiles.digest
    assert len(recs.provenance["people"]) == 64


def test_rows_that_differ_only_by_the_sign_of_zero_get_the_same_advice():
    people = pd.DataFrame({"a": [-0.0, 0.0], "b": [5, 5]})
    recs = recommend(METHOD, MODEL, people)
    assert recs.counterfactual.iloc[0].tolist() == recs.counterfactual.iloc[1].tolist()
