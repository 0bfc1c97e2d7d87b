"""PMML and ONNX files on the command line: advice from the first word to the written file."""

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from samples.every import every

import standfast as sf

CARD = Path(__file__).parents[1] / "samples" / "pmml" / "scorecard.pmml"
SCHEMA = """
[features.age]
kind = "count"
mutable = false

[features.income]
kind = "positive"
step = 500
direction = "up"
when_missing = "fill"

[features.housing]
kind = "nominal"
categories = ["own", "rent", "family"]

[features.employment]
kind = "nominal"
categories = ["permanent", "temporary", "self-employed", "none"]
missing = ["n/a"]
when_missing = "keep"

[features.enquiries]
kind = "count"
direction = "down"
"""


@pytest.fixture
def lender(sandbox: Any) -> Any:
    draw = np.random.default_rng(0)
    n = 120
    people = pd.DataFrame(
        {
            "age": draw.integers(18, 80, n),
            "income": np.where(draw.random(n) < 0.1, np.nan, draw.integers(10, 120, n) * 500.0),
            "housing": draw.choice(["own", "rent", "family"], n),
            "employment": draw.choice(["permanent", "temporary", "none", "n/a"], n),
            "enquiries": draw.integers(0, 9, n),
        }
    )
    people.to_csv(sandbox.path("table.csv"), index=False)
    people[:30].to_csv(sandbox.path("applicants.csv"), index=False)
    sandbox.path("lender.toml").write_text(SCHEMA)
    return sandbox


def advise(sandbox: Any, model: Path, **changes: Any) -> Any:
    given = {
        "schema": sandbox.path("lender.toml"),
        "table": sandbox.path("table.csv"),
        "model": model,
        "people": sandbox.path("applicants.csv"),
        "favourable": "above",
        "threshold": 320,
        "method": "minimal-cost",
        "out": sandbox.path("advice.csv"),
    } | changes
    words = [w for k, v in given.items() if v is not None for w in (f"--{k}", v)]
    return sandbox.run("recommend", *words)


def test_a_scorecard_in_pmml_gives_advice_that_passes_its_cut_off(lender: Any) -> None:
    result = advise(lender, CARD)
    assert result.exit_code == 0, result.output
    schema = sf.Schema.read(lender.path("lender.toml"))
    card = sf.as_score(sf.load_model(CARD), schema, favourable="above", threshold=320)
    written = sf.Recommendations.read(lender.path("advice.csv"))
    X, Y = written.matrices()
    found = written.found.to_numpy()
    assert found.sum() > 5
    assert card.accepts(Y[found]).all()
    assert set(written.outcome) <= {"minimal", "infeasible", "already_favourable"}
    assert written.provenance["model"] == card.digest
    assert set(written.outcome[found]) == {"minimal"}
    reference = pd.read_csv(lender.path("table.csv"))
    q, complete = sf.Percentiles.fit(reference).of(schema), schema.complete(reference)
    for i in np.flatnonzero(found)[:5]:  # by trying everything
        values = [[], np.arange(0, 60001, 500.0), range(3), range(4), range(9)]
        own = [[x, *others] for x, others in zip(X[i], values, strict=True)]
        ways = every(own)
        ways = ways[complete.admits(X[i], ways) & card.accepts(ways)]
        shifts = q.cost("total", np.broadcast_to(X[i], ways.shape), ways)
        cheapest = (shifts + 0.01 * (ways != X[i]).sum(axis=1)).min()
        assert abs(cheapest - written.cost.iloc[i]) <= 1e-9


def test_a_missing_cut_off_is_asked_for(lender: Any) -> None:
    result = advise(lender, CARD, threshold=None)
    assert result.exit_code == 2
    said = " ".join(re.sub(r"[│╭╮╰╯─]", " ", result.output).split())
    assert "needs a cut-off" in said
    assert "--threshold 600" in said


def test_the_help_names_the_formats(sandbox: Any) -> None:
    said = " ".join(sandbox.run("recommend", "--help").output.split())
    assert ".pmml" in said
    assert ".onnx" in said


def test_a_forest_in_onnx_gives_the_advice_of_the_forest_itself(sandbox: Any) -> None:
    pytest.importorskip("onnxruntime")
    skl2onnx = pytest.importorskip("skl2onnx")
    from sklearn.ensemble import RandomForestClassifier

    names = ["income", "debt", "age"]
    train = pd.read_csv(sandbox.path("train.csv"))
    forest = RandomForestClassifier(8, max_depth=4, random_state=0)
    forest.fit(train[names].to_numpy(dtype=np.float32), train["label"])
    sf.save_model(forest, sandbox.path("forest.skops"))
    proto = skl2onnx.to_onnx(forest, np.zeros((1, 3), np.float32))
    sandbox.path("forest.onnx").write_bytes(proto.SerializeToString())
    costs = []
    for name in ("forest.skops", "forest.onnx"):
        result = sandbox.recommend(method="minimal-cost", model=sandbox.path(name))
        assert result.exit_code == 0, result.output
        costs.append(sf.Recommendations.read(sandbox.path("advice.csv")).cost.to_numpy())
    np.testing.assert_allclose(costs[0], costs[1], atol=1e-9)


def test_a_boosting_machine_with_a_table_for_a_pair_is_searched(sandbox: Any) -> None:
    from interpret.glassbox import ExplainableBoostingClassifier

    train = pd.read_csv(sandbox.path("train.csv"))
    inputs, labels = train.drop(columns="label") / 1.0, train["label"]
    few = {"max_rounds": 60, "outer_bags": 1, "n_jobs": 1, "random_state": 0}
    machine = ExplainableBoostingClassifier(interactions=1, **few).fit(inputs, labels)
    file = sandbox.path("machine.pkl")
    file.write_bytes(pickle.dumps(machine))
    read = sf.as_score(machine, sf.Schema.read(sandbox.path("schema.toml")), favourable=1)
    assert isinstance(read, sf.scores.Paired)

    result = sandbox.recommend(model=file, trust="pickle", method="minimal-cost")
    assert result.exit_code == 0, result.output
    advice = sf.Recommendations.read(sandbox.path("advice.csv"))
    assert advice.found.any()
    assert set(machine.predict(advice.counterfactual[advice.found])) == {1}

    options = ("--schema", sandbox.path("schema.toml"), "--favourable", 1, "--trust", "pickle")
    of_pairs = (*options, "--model", file, "--drop", "label")
    found = sandbox.run("bounds", sandbox.path("train.csv"), *of_pairs, "--calibrate", 12)
    assert found.exit_code == 0, found.output
    reasons = ("--table", sandbox.path("train.csv"), "--people", sandbox.path("people.csv"))
    found = sandbox.run("reasons", *of_pairs, *reasons, "--out", sandbox.path("reasons.csv"))
    assert found.exit_code == 0, found.output


def test_what_is_fitted_again_must_be_an_estimator(sandbox: Any) -> None:
    train = sandbox.path("train.csv")
    result = sandbox.run(
        *("level-set", "build", train, "--schema", sandbox.path("schema.toml"), "--label", "label"),
        *("--favourable", "1", "--reference", CARD, "--out", sandbox.path("rivals")),
        *("--grid", "linear"),
    )
    assert result.exit_code == 2
    assert "describes a model's structure" in " ".join(result.output.split())
