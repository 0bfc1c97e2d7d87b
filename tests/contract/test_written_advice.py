"""Advice that was written and read back holds: each model's own prediction judges it.

A few tasks of scripts/hunt_unsound_answers.py, which asks for as many answers as one has time for.
"""

import pandas as pd
import pytest
from samples.bank import bank, german
from samples.written_advice import Task, read
from samples.zoo import histograms, policies
from samples.zoo_estimators import estimators, keep
from samples.zoo_files import points

import standfast as sf

WORLDS = {"bank": bank(400), "german": german(400)}
SOME = ("logistic, one-hot", "logistic, ordinal codes", "forest, ordinal codes")


def kept_models(world, folder):
    """A few of the zoo's models, and policies made of them."""
    chosen = {name: estimators(world)[name] for name in SOME}
    some = {
        name: keep(name, model.fit(world.table, world.labels), world, "yes", threshold)
        for name, (model, threshold) in chosen.items()
    }
    boosting = next(histograms(world))
    some[boosting.name] = boosting
    yield from some.values()
    yield points(world, folder)
    yield from policies(world, some)


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_what_is_read_back_is_accepted_and_allowed(world, tmp_path):
    q = sf.Percentiles.fit(world.table)
    methods = {
        "csv": sf.MinimalCost(world.schema, q, alternatives=1 + (world.name == "bank"), boxes=500),
        "parquet": sf.GrowingSpheres(world.schema, q, candidates=200),
    }
    answers = 0
    for kept in kept_models(world, tmp_path):
        for kind, method in methods.items():
            task = Task(world, kept, kind, method)
            task.run(world.people(8, 1), tmp_path / f"advice.{kind}")
            assert not +task.faults, f"{task.name}: {dict(task.faults)}"
            answers += task.answers
    assert answers > 30


def test_a_category_that_looks_like_a_number_is_read_back_as_text(tmp_path):
    path = tmp_path / "advice.csv"
    pd.DataFrame({"credits": ["1", None], "factual credits": ["1", "1"]}).to_csv(path, index=False)
    frame = read(path, pd.DataFrame({"credits": ["1", "2 or 3"]}))
    assert frame["credits"].iloc[0] == frame["factual credits"].iloc[0] == "1"
