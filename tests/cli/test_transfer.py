"""standfast transfer and standfast bounds on the command line."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import standfast as sf

INPUTS = ["income", "debt", "age"]


@pytest.fixture
def forest(sandbox: Any) -> Path:
    train = pd.read_csv(sandbox.path("train.csv"))
    model = RandomForestClassifier(10, max_depth=4, random_state=0)
    sf.save_model(model.fit(train[INPUTS], train["label"]), sandbox.path("forest.skops"))
    return Path(sandbox.path("forest.skops"))


@pytest.fixture
def advice(sandbox: Any) -> Path:
    result = sandbox.recommend(method="minimal-cost")
    assert result.exit_code == 0, result.output
    return Path(sandbox.path("advice.csv"))


def test_rivals_from_files_are_judged_as_the_library_does(
    sandbox: Any, advice: Path, forest: Path
) -> None:
    out, long = sandbox.path("rivals.csv"), sandbox.path("long.parquet")
    models = ["--model", forest, "--model", sandbox.path("model.skops"), "--favourable", 1]
    result = sandbox.run("transfer", advice, *models, "--out", out, "--people-out", long)
    assert result.exit_code == 0, result.output
    recs = sf.Recommendations.read(advice)
    rivals = {
        path.stem: sf.as_score(sf.load_model(path), recs.schema, favourable=1)
        for path in (forest, sandbox.path("model.skops"))
    }
    expected = sf.transfer(recs, rivals)
    written = pd.read_csv(out)
    assert written["rival"].tolist() == ["forest", "model"]
    np.testing.assert_allclose(written["transfer"], expected.rivals["transfer"])
    assert written["n_E"].tolist() == [expected.n] * 2
    pd.testing.assert_frame_equal(pd.read_parquet(long), expected.to_frame(), check_dtype=False)
    assert f"n_E = {expected.n} got a recommendation, judged by 2 rivals" in result.stdout
    assert f"written to {out}" in result.stdout
    assert expected.rivals.loc["model", "transfer"] == 1.0


def test_a_level_set_s_folder_is_read(sandbox: Any, advice: Path) -> None:
    built = sandbox.run(
        *("level-set", "build", sandbox.path("train.csv"), "--schema", sandbox.path("schema.toml")),
        *("--label", "label", "--favourable", 1, "--reference", sandbox.path("model.skops")),
        *("--grid", "boosting", "--epsilon", 0.2, "--risk-on", "training"),
        *("--out", sandbox.path("set")),
    )
    assert built.exit_code == 0, built.output
    result = sandbox.run("transfer", advice, "--level-set", sandbox.path("set"))
    assert result.exit_code == 0, result.output
    found = sf.transfer(sf.Recommendations.read(advice), sf.LevelSet.load(sandbox.path("set")))
    assert f"judged by {len(found.rivals)} rivals" in result.stdout
    assert f"mean transfer {found.rivals['transfer'].mean():.3f}" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "there is no rival; name a folder with --level-set"),
        (["--model", "model.skops"], "--model needs --favourable"),
        (["--model", "gone.skops", "--favourable", "1"], "there is no file"),
        (["--level-set", "gone"], "gone"),
        (["--level-set", "gone", "--threshold", "0.37"], "--threshold holds for --model files"),
        (["--model", "model.skops", "--favourable", "1", "--out", "x.txt"], ".parquet or .csv"),
        (
            ["--model", "model.skops", "--favourable", "1", "--confidence", "2"],
            "confidence is 2.0; it must lie between 0 and 1",
        ),
    ],
)
def test_transfer_refuses_with_a_sentence(
    sandbox: Any, advice: Path, arguments: list[str], words: str
) -> None:
    named = ("model.skops", "gone.skops", "gone", "x.txt")
    given = [str(sandbox.path(a)) if a in named else a for a in arguments]
    assert words in sandbox.sentence(sandbox.run("transfer", advice, *given))


def test_a_rival_of_other_inputs_is_refused_by_its_file(sandbox: Any, advice: Path) -> None:
    odd = LogisticRegression().fit(np.eye(2), [0, 1])
    sf.save_model(odd, sandbox.path("odd.skops"))
    shown = sandbox.run("transfer", advice, "--model", sandbox.path("odd.skops"), "--favourable", 1)
    assert "odd.skops'" in sandbox.sentence(shown)


def test_advice_that_nobody_got_is_told_by_its_file(sandbox: Any) -> None:
    accepted = pd.read_csv(sandbox.path("people.csv")).assign(income=50_000, debt=0.0)
    accepted.to_csv(sandbox.path("rich.csv"), index=False)
    assert sandbox.recommend(people=sandbox.path("rich.csv")).exit_code == 0
    shown = sandbox.sentence(
        sandbox.run(
            *("transfer", sandbox.path("advice.csv"), "--model", sandbox.path("model.skops")),
            *("--favourable", 1),
        )
    )
    assert "advice.csv'" in shown
    assert "n_E = 0" in shown


# bounds


def bounds(sandbox: Any, *more: object, models: tuple[str, ...] = ("model.skops",)) -> Any:
    named = [word for name in models for word in ("--model", sandbox.path(name))]
    return sandbox.run(
        *("bounds", sandbox.path("train.csv"), "--schema", sandbox.path("schema.toml")),
        *("--favourable", 1, *named, *more),
    )


def test_given_constants_give_the_library_s_bounds(sandbox: Any, forest: Path) -> None:
    out = sandbox.path("bounds.csv")
    result = bounds(
        sandbox,
        *("--label", "label", "--alpha", 2, "--gamma", 0.5, "--out", out),
        models=("model.skops", "forest.skops"),
    )
    assert result.exit_code == 0, result.output
    train = pd.read_csv(sandbox.path("train.csv"))
    schema = sf.Schema.read(sandbox.path("schema.toml"))
    X = schema.matrix(train[INPUTS])
    f, g = (
        sf.as_score(sf.load_model(sandbox.path(name)), schema, favourable=1).score(X)
        for name in ("model.skops", "forest.skops")
    )
    written = pd.read_csv(out)
    totals = written[written["term"] == "total"].set_index("bound")["value"]
    assert totals["proposition 2′"] == pytest.approx(sf.bounds.residual([f, g], 2.0, 0.5).total)
    expected = sf.bounds.published(f, g, train["label"], 2.0, 0.5).total
    assert totals["proposition 2, as published"] == pytest.approx(expected)
    assert "proposition 2, as published: " in result.stdout
    assert "alpha = 2, gamma = 0.5: given" in result.stdout


def test_a_linear_model_has_its_constant_in_closed_form(sandbox: Any) -> None:
    result = bounds(sandbox, "--label", "label")
    assert result.exit_code == 0, result.output
    assert "closed form (Hoffman)" in result.stdout
    assert "lemma 1 (Ustun et al.): " in result.stdout
    assert "raw values instead of probabilities" in result.stderr


def test_forests_are_calibrated_by_exact_searches(sandbox: Any, forest: Path) -> None:
    options = ["--drop", "label", "--calibrate", 60, "--out", sandbox.path("bounds.parquet")]
    result = bounds(sandbox, *options, models=("model.skops", "forest.skops"))
    assert result.exit_code == 0, result.output
    assert "calibrated (conformal)" in result.stdout
    assert "with confidence 95%" in result.stdout
    assert "violation rate" in result.stdout
    table = pd.read_parquet(sandbox.path("bounds.parquet"))
    assert {"averaged", "confident", "tightness"} <= set(table["term"])


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--drop", "label", "--alpha", "0"], "alpha is 0.0; it must be positive"),
        (["--drop", "label", "--alpha", "1", "--gamma", "2"], "gamma is 2.0"),
        (["--drop", "label", "--gamma", "0.5"], "--gamma goes with --alpha"),
        (["--drop", "label", "--alpha", "1", "--calibrate", "9"], "exclude each other"),
        (["--label", "gone", "--alpha", "1"], "has no such column"),
        (["--drop", "label"], "not all models are linear"),
        (["--label", "age", "--drop", "label", "--alpha", "1"], "is an input of the schema"),
        (["--alpha", "1"], "which the schema does not know"),
    ],
)
def test_bounds_refuse_with_a_sentence(
    sandbox: Any, forest: Path, more: list[str], words: str
) -> None:
    assert words in sandbox.sentence(bounds(sandbox, *more, models=("model.skops", "forest.skops")))


def test_bounds_that_cannot_be_had_say_which_options_help(sandbox: Any) -> None:
    train = pd.read_csv(sandbox.path("train.csv"))
    sf.save_model(SVC().fit(train[INPUTS], train["label"]), sandbox.path("bent.skops"))
    given = ("--drop", "label", "--calibrate", 30)
    shown = sandbox.sentence(bounds(sandbox, *given, models=("model.skops", "bent.skops")))
    assert "bent.skops' holds none of them (" in shown
    assert "'rbf'); give --alpha and --gamma instead" in shown
    ages = LogisticRegression().fit(train[INPUTS] * [0, 0, 1], train["label"])
    ages.coef_[0] = 0.0, 0.0, 0.1  # age may not move
    ages.intercept_[0] = -5.0
    sf.save_model(ages, sandbox.path("ages.skops"))
    shown = sandbox.sentence(bounds(sandbox, "--drop", "label", models=("ages.skops",)))
    assert "no closed form" in shown
    assert "add --calibrate 300" in shown


@pytest.mark.parametrize("command", ["transfer", "bounds"])
def test_both_commands_explain_themselves(sandbox: Any, command: str) -> None:
    result = sandbox.run(command, "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.stdout
