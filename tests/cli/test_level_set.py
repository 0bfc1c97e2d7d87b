import re
from typing import Any

import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from typer.testing import Result

import standfast as sf
from standfast.readers.files import load_model, save_model

INPUTS = ["income", "debt", "age"]


def build(sandbox: Any, **changes: Any) -> Result:
    given: dict[str, Any] = {
        "schema": sandbox.path("schema.toml"),
        "label": "label",
        "favourable": 1,
        "reference": sandbox.path("model.skops"),
        "grid": ["boosting"],
        "risk_on": "training",
        "out": sandbox.path("set"),
    }
    table = changes.pop("table", sandbox.path("train.csv"))
    words = []
    for option, values in (given | changes).items():
        for value in values if isinstance(values, list) else [values]:
            if value is not None:
                words += [f"--{option.replace('_', '-')}"] + [str(value)] * (value is not True)
    return sandbox.run("level-set", "build", table, *words)


def trained(sandbox: Any) -> sf.datasets.Dataset:
    table = pd.read_csv(sandbox.path("train.csv"))
    schema = sf.Schema.read(sandbox.path("schema.toml"))
    return sf.datasets.Dataset(table[INPUTS], table["label"], schema, "train")


def test_the_command_line_gives_the_library_s_level_set(sandbox: Any) -> None:
    result = build(sandbox, grid=["boosting", "linear"], epsilon=0.1, seed=3)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    found = sf.LevelSet.load(sandbox.path("set"))
    ours = sf.level_set(
        sf.grids.boosting(seed=3) | sf.grids.linear(seed=3),
        trained(sandbox),
        reference=load_model(sandbox.path("model.skops")),
        epsilon=sf.Tolerance(0.1, on="training"),
        seed=3,
    )
    assert found.digest == ours.digest
    pd.testing.assert_frame_equal(found.candidates, ours.candidates)
    for name in ("candidates.csv", "candidates.parquet"):
        table = sf.files.read_table(sandbox.path("set") / name)
        assert table["why"].tolist() == ours.candidates["why"].tolist()


def test_the_terminal_shows_everybody_and_the_folder(sandbox: Any) -> None:
    result = build(sandbox, epsilon=0.02)
    found = sf.LevelSet.load(sandbox.path("set"))
    for row in found.candidates.itertuples():
        inside = "yes" if row.inside else "no"
        assert re.search(rf"{re.escape(row.name)} .* {row.risk:.4f} .* {inside}\b", result.stdout)
    assert found.summary in result.stdout
    assert not re.search(r"LevelSet|Classifier|LogisticRegression", result.stdout)
    assert "gradient boosting" in result.stdout
    assert "training people: train, from train.csv" in result.stdout
    assert f"written to {sandbox.path('set')}: {len(found) + 1} models" in result.stdout


def test_mistakes_are_counted_where_and_as_asked(sandbox: Any) -> None:
    held = pd.read_csv(sandbox.path("train.csv")).iloc[::3]
    held.to_csv(sandbox.path("held.csv"), index=False)
    ways = {"cross-validation": "by cross-validation", "training": "on the training people"}
    for way, shown in ways.items():
        result = build(sandbox, grid=["linear"], risk_on=way, out=sandbox.path(way), balanced=True)
        assert f"(balanced error {shown})" in result.stdout, result.output
    for risk, shown in (("auc", "1 − AUC"), ("log-loss", "log-loss"), ("error", "error")):
        result = build(sandbox, grid=["linear"], risk=risk, out=sandbox.path(risk), epsilon=1)
        assert f"({shown} on the training people)" in result.stdout, result.output
        assert sf.LevelSet.load(sandbox.path(risk)).provenance["risk"] == shown
    result = build(sandbox, held_out=sandbox.path("held.csv"))
    assert "(error on held, from held.csv" in result.stdout


def test_candidates_that_are_the_same_are_counted_unless_all_are_kept(sandbox: Any) -> None:
    table = pd.read_csv(sandbox.path("train.csv"))
    table.loc[::7, "label"] *= -1  # people whom no line separates
    table.to_csv(sandbox.path("noisy.csv"), index=False)
    given = {"table": sandbox.path("noisy.csv"), "grid": ["linear"], "epsilon": 0.1}
    result = build(sandbox, **given)
    found = sf.LevelSet.load(sandbox.path("set"))
    assert found.merged > 10
    shown = f"{len(found)} rivals, for {found.merged} of them are practically the same as another"
    assert shown in result.stdout
    assert f"{len(found) + 1} models" in result.stdout
    for row in found.candidates.itertuples():
        assert re.search(rf"{re.escape(row.name)} .* {row.stands_for}\n", result.stdout)
    whole = build(sandbox, **given, keep_all=True, out=sandbox.path("all"))
    assert "practically" not in whole.stdout
    assert len(sf.LevelSet.load(sandbox.path("all"))) == len(found) + found.merged
    finer = build(sandbox, **given, merge=0.0001, out=sandbox.path("finer"))
    assert finer.exit_code == 0
    assert len(sf.LevelSet.load(sandbox.path("finer"))) > len(found)


def test_labels_may_be_words_and_the_reference_may_share_them_or_not(sandbox: Any) -> None:
    table = pd.read_csv(sandbox.path("train.csv"))
    table["label"] = table["label"].map({1: "good", -1: "bad"})
    table.to_csv(sandbox.path("words.csv"), index=False)
    words = make_pipeline(StandardScaler(), LogisticRegression())
    save_model(words.fit(table[INPUTS] * 1.0, table["label"]), sandbox.path("words.skops"))
    for k, reference in enumerate(("words.skops", "model.skops")):
        result = build(
            sandbox,
            table=sandbox.path("words.csv"),
            favourable="good",
            reference=sandbox.path(reference),
            out=sandbox.path(f"set {k}"),
        )
        assert result.exit_code == 0, result.output
        members = sf.LevelSet.load(sandbox.path(f"set {k}")).candidates
        assert members["auc"].iloc[0] > 0.8


def test_classes_that_the_table_does_not_know_are_named(sandbox: Any) -> None:
    table = pd.read_csv(sandbox.path("train.csv"))
    names = table["label"].map({1: "good", -1: "bad"})
    words = LogisticRegression(max_iter=2000).fit(table[INPUTS] * 1.0, names)
    save_model(words, sandbox.path("words.skops"))
    shown = sandbox.sentence(build(sandbox, reference=sandbox.path("words.skops")))
    assert re.search(r"--favourable 1: the classes of '.*words.skops' are 'bad', 'good'", shown)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"label": "outcome"}, "--label outcome: .* has no such column"),
        ({"label": "income"}, "--label income: this is an input of the schema"),
        ({"favourable": "yes"}, "--favourable yes: the column 'label' .* holds"),
        ({"epsilon": -1}, "epsilon is -1.0"),
        ({"merge": 2}, "merge is 2.0"),
        ({"favourable": -1}, "the wrong way round"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(
    sandbox: Any, changes: dict[str, Any], sentence: str
) -> None:
    before = sandbox.listing()
    if changes.get("favourable") == -1:  # the labels turned, the reference not
        table = pd.read_csv(sandbox.path("train.csv")).assign(label=lambda t: -t["label"])
        table.to_csv(sandbox.path("turned.csv"), index=False)
        before = sandbox.listing()
        changes = {"table": sandbox.path("turned.csv"), "favourable": 1}
    assert re.search(sentence, sandbox.sentence(build(sandbox, **changes)))
    assert sandbox.listing() == before


def test_labels_are_two_and_complete(sandbox: Any) -> None:
    table = pd.read_csv(sandbox.path("train.csv"))
    table.assign(label=range(len(table))).to_csv(sandbox.path("many.csv"), index=False)
    assert "holds 400 different values" in sandbox.sentence(
        build(sandbox, table=sandbox.path("many.csv"))
    )
    table.loc[3, "label"] = None
    table.to_csv(sandbox.path("gap.csv"), index=False)
    assert "is empty in 1 rows" in sandbox.sentence(build(sandbox, table=sandbox.path("gap.csv")))


def test_a_folder_in_use_is_refused_before_any_work(sandbox: Any) -> None:
    sandbox.path("set").mkdir()
    (sandbox.path("set") / "note.txt").write_text("mine")
    assert "there is something already" in sandbox.sentence(build(sandbox))
    assert build(sandbox, grid=["trees"]).exit_code == 2
