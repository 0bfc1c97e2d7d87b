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
def forest(desk: Any) -> Path:
    train = pd.read_csv(desk.path("train.csv"))
    model = RandomForestClassifier(10, max_depth=4, random_state=0)
    sf.save_model(model.fit(train[INPUTS], train["label"]), desk.path("forest.skops"))
    return Path(desk.path("forest.skops"))


@pytest.fixture
def advice(desk: Any) -> Path:
    result = desk.recommend(method="minimal-cost")
    assert result.exit_code == 0, result.output
    return Path(desk.path("advice.csv"))


def test_rivals_from_files_are_judged_as_the_library_does(
    desk: Any, advice: Path, forest: Path
) -> None:
    out, long = desk.path("rivals.csv"), desk.path("long.parquet")
    models = ["--model", forest, "--model", desk.path("model.skops"), "--favourable", 1]
    result = desk.run("transfer", advice, *models, "--out", out, "--people-out", long)
    assert result.exit_code == 0, result.output
    recs = sf.Recommendations.read(advice)
    rivals = {
        path.stem: sf.as_score(sf.load_model(path), recs.schema, favourable=1)
        for path in (forest, desk.path("model.skops"))
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


def test_a_level_set_s_folder_is_read(desk: Any, advice: Path) -> None:
    built = desk.run(
        *("level-set", "build", desk.path("train.csv"), "--schema", desk.path("schema.toml")),
        *("--label", "label", "--favourable", 1, "--reference", desk.path("model.skops")),
        *("--grid", "boosting", "--epsilon", 0.2, "--risk-on", "training"),
        *("--out", desk.path("set")),
    )
    assert built.exit_code == 0, built.output
    result = desk.run("transfer", advice, "--level-set", desk.path("set"))
    assert result.exit_code == 0, result.output
    found = sf.transfer(sf.Recommendations.read(advice), sf.LevelSet.load(desk.path("set")))
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
    desk: Any, advice: Path, arguments: list[str], words: str
) -> None:
    named = ("model.skops", "gone.skops", "gone", "x.txt")
    given = [str(desk.path(a)) if a in named else a for a in arguments]
    assert words in desk.sentence(desk.run("transfer", advice, *given))


def test_a_rival_of_other_inputs_is_refused_by_its_file(desk: Any, advice: Path) -> None:
    odd = LogisticRegression().fit(np.eye(2), [0, 1])
    sf.save_model(odd, desk.path("odd.skops"))
    told = desk.run("transfer", advice, "--model", desk.path("odd.skops"), "--favourable", 1)
    assert "odd.skops'" in desk.sentence(told)


def test_advice_that_nobody_got_is_told_by_its_file(desk: Any) -> None:
    accepted = pd.read_csv(desk.path("people.csv")).assign(income=50_000, debt=0.0)
    accepted.to_csv(desk.path("rich.csv"), index=False)
    assert desk.recommend(people=desk.path("rich.csv")).exit_code == 0
    told = desk.sentence(
        desk.run(
            *("transfer", desk.path("advice.csv"), "--model", desk.path("model.skops")),
            *("--favourable", 1),
        )
    )
    assert "advice.csv'" in told
    assert "n_E = 0" in told


# bounds


def bounds(desk: Any, *more: object, models: tuple[str, ...] = ("model.skops",)) -> Any:
    named = [word for name in models for word in ("--model", desk.path(name))]
    return desk.run(
        *("bounds", desk.path("train.csv"), "--schema", desk.path("schema.toml")),
        *("--favourable", 1, *named, *more),
    )


def test_given_constants_give_the_library_s_bounds(desk: Any, forest: Path) -> None:
    out = desk.path("bounds.csv")
    result = bounds(
        desk,
        *("--label", "label", "--alpha", 2, "--gamma", 0.5, "--out", out),
        models=("model.skops", "forest.skops"),
    )
    assert result.exit_code == 0, result.output
    train = pd.read_csv(desk.path("train.csv"))
    schema = sf.Schema.read(desk.path("schema.toml"))
    X = schema.matrix(train[INPUTS])
    f, g = (
        sf.as_score(sf.load_model(desk.path(name)), schema, favourable=1).score(X)
        for name in ("model.skops", "forest.skops")
    )
    written = pd.read_csv(out)
    totals = written[written["term"] == "total"].set_index("bound")["value"]
    assert totals["proposition 2′"] == pytest.approx(sf.bounds.residual([f, g], 2.0, 0.5).total)
    expected = sf.bounds.published(f, g, train["label"], 2.0, 0.5).total
    assert totals["proposition 2, as published"] == pytest.approx(expected)
    assert "proposition 2, as published: " in result.stdout
    assert "alpha = 2, gamma = 0.5: given" in result.stdout


def test_a_linear_model_has_its_constant_in_closed_form(desk: Any) -> None:
    result = bounds(desk, "--label", "label")
    assert result.exit_code == 0, result.output
    assert "closed form (Hoffman)" in result.stdout
    assert "lemma 1 (Ustun et al.): " in result.stdout
    assert "raw values instead of probabilities" in result.stderr


def test_forests_are_calibrated_by_exact_searches(desk: Any, forest: Path) -> None:
    options = ["--drop", "label", "--calibrate", 60, "--out", desk.path("bounds.parquet")]
    result = bounds(desk, *options, models=("model.skops", "forest.skops"))
    assert result.exit_code == 0, result.output
    assert "calibrated (conformal)" in result.stdout
    assert "with confidence 95%" in result.stdout
    assert "violation rate" in result.stdout
    table = pd.read_parquet(desk.path("bounds.parquet"))
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
    desk: Any, forest: Path, more: list[str], words: str
) -> None:
    assert words in desk.sentence(bounds(desk, *more, models=("model.skops", "forest.skops")))


def test_bounds_that_cannot_be_had_say_which_options_help(desk: Any) -> None:
    train = pd.read_csv(desk.path("train.csv"))
    sf.save_model(SVC().fit(train[INPUTS], train["label"]), desk.path("bent.skops"))
    given = ("--drop", "label", "--calibrate", 30)
    told = desk.sentence(bounds(desk, *given, models=("model.skops", "bent.skops")))
    assert "bent.skops' holds none of them (" in told
    assert "'rbf'); give --alpha and --gamma instead" in told
    ages = LogisticRegression().fit(train[INPUTS] * [0, 0, 1], train["label"])
    ages.coef_[0] = 0.0, 0.0, 0.1  # age may not move
    ages.intercept_[0] = -5.0
    sf.save_model(ages, desk.path("ages.skops"))
    told = desk.sentence(bounds(desk, "--drop", "label", models=("ages.skops",)))
    assert "no closed form" in told
    assert "add --calibrate 300" in told


@pytest.mark.parametrize("command", ["transfer", "bounds"])
def test_both_commands_explain_themselves(desk: Any, command: str) -> None:
    result = desk.run(command, "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.stdout
