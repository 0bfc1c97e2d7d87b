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


def build(desk: Any, **changes: Any) -> Result:
    given: dict[str, Any] = {
        "schema": desk.path("schema.toml"),
        "label": "label",
        "favourable": 1,
        "reference": desk.path("model.skops"),
        "grid": ["boosting"],
        "risk_on": "training",
        "out": desk.path("set"),
    }
    table = changes.pop("table", desk.path("train.csv"))
    words = []
    for option, values in (given | changes).items():
        for value in values if isinstance(values, list) else [values]:
            if value is not None:
                words += [f"--{option.replace('_', '-')}"] + [str(value)] * (value is not True)
    return desk.run("level-set", "build", table, *words)


def trained(desk: Any) -> sf.datasets.Dataset:
    table = pd.read_csv(desk.path("train.csv"))
    schema = sf.Schema.read(desk.path("schema.toml"))
    return sf.datasets.Dataset(table[INPUTS], table["label"], schema, "train")


def test_the_command_line_gives_the_library_s_level_set(desk: Any) -> None:
    result = build(desk, grid=["boosting", "linear"], epsilon=0.1, seed=3)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    found = sf.LevelSet.load(desk.path("set"))
    ours = sf.level_set(
        sf.grids.boosting(seed=3) | sf.grids.linear(seed=3),
        trained(desk),
        reference=load_model(desk.path("model.skops")),
        epsilon=sf.Tolerance(0.1, on="training"),
        seed=3,
    )
    assert found.digest == ours.digest
    pd.testing.assert_frame_equal(found.candidates, ours.candidates)
    for name in ("candidates.csv", "candidates.parquet"):
        table = sf.files.read_table(desk.path("set") / name)
        assert table["why"].tolist() == ours.candidates["why"].tolist()


def test_the_terminal_shows_everybody_and_the_folder(desk: Any) -> None:
    result = build(desk, epsilon=0.02)
    found = sf.LevelSet.load(desk.path("set"))
    for row in found.candidates.itertuples():
        inside = "yes" if row.inside else "no"
        assert re.search(rf"{re.escape(row.name)} .* {row.risk:.4f} .* {inside}\b", result.stdout)
    assert found.summary in result.stdout
    assert not re.search(r"LevelSet|Classifier|LogisticRegression", result.stdout)
    assert "gradient boosting" in result.stdout
    assert "training people: train, from train.csv" in result.stdout
    assert f"written to {desk.path('set')}: {len(found) + 1} models" in result.stdout


def test_mistakes_are_counted_where_and_as_asked(desk: Any) -> None:
    held = pd.read_csv(desk.path("train.csv")).iloc[::3]
    held.to_csv(desk.path("held.csv"), index=False)
    ways = {"cross-validation": "by cross-validation", "training": "on the training people"}
    for way, told in ways.items():
        result = build(desk, grid=["linear"], risk_on=way, out=desk.path(way), balanced=True)
        assert f"(balanced error {told})" in result.stdout, result.output
    for risk, told in (("auc", "1 − AUC"), ("log-loss", "log-loss"), ("error", "error")):
        result = build(desk, grid=["linear"], risk=risk, out=desk.path(risk), epsilon=1)
        assert f"({told} on the training people)" in result.stdout, result.output
        assert sf.LevelSet.load(desk.path(risk)).provenance["risk"] == told
    result = build(desk, held_out=desk.path("held.csv"))
    assert "(error on held, from held.csv" in result.stdout


def test_candidates_that_are_the_same_are_counted_unless_all_are_kept(desk: Any) -> None:
    table = pd.read_csv(desk.path("train.csv"))
    table.loc[::7, "label"] *= -1  # people whom no line separates
    table.to_csv(desk.path("noisy.csv"), index=False)
    given = {"table": desk.path("noisy.csv"), "grid": ["linear"], "epsilon": 0.1}
    result = build(desk, **given)
    found = sf.LevelSet.load(desk.path("set"))
    assert found.merged > 10
    told = f"{len(found)} rivals, for {found.merged} of them are practically the same as another"
    assert told in result.stdout
    assert f"{len(found) + 1} models" in result.stdout
    for row in found.candidates.itertuples():
        assert re.search(rf"{re.escape(row.name)} .* {row.stands_for}\n", result.stdout)
    whole = build(desk, **given, keep_all=True, out=desk.path("all"))
    assert "practically" not in whole.stdout
    assert len(sf.LevelSet.load(desk.path("all"))) == len(found) + found.merged
    finer = build(desk, **given, merge=0.0001, out=desk.path("finer"))
    assert finer.exit_code == 0
    assert len(sf.LevelSet.load(desk.path("finer"))) > len(found)


def test_labels_may_be_words_and_the_reference_may_share_them_or_not(desk: Any) -> None:
    table = pd.read_csv(desk.path("train.csv"))
    table["label"] = table["label"].map({1: "good", -1: "bad"})
    table.to_csv(desk.path("words.csv"), index=False)
    words = make_pipeline(StandardScaler(), LogisticRegression())
    save_model(words.fit(table[INPUTS] * 1.0, table["label"]), desk.path("words.skops"))
    for k, reference in enumerate(("words.skops", "model.skops")):
        result = build(
            desk,
            table=desk.path("words.csv"),
            favourable="good",
            reference=desk.path(reference),
            out=desk.path(f"set {k}"),
        )
        assert result.exit_code == 0, result.output
        members = sf.LevelSet.load(desk.path(f"set {k}")).candidates
        assert members["auc"].iloc[0] > 0.8


def test_classes_that_the_table_does_not_know_are_named(desk: Any) -> None:
    table = pd.read_csv(desk.path("train.csv"))
    names = table["label"].map({1: "good", -1: "bad"})
    words = LogisticRegression(max_iter=2000).fit(table[INPUTS] * 1.0, names)
    save_model(words, desk.path("words.skops"))
    told = desk.sentence(build(desk, reference=desk.path("words.skops")))
    assert re.search(r"--favourable 1: the classes of '.*words.skops' are 'bad', 'good'", told)


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
    desk: Any, changes: dict[str, Any], sentence: str
) -> None:
    before = desk.listing()
    if changes.get("favourable") == -1:  # the labels turned, the reference not
        table = pd.read_csv(desk.path("train.csv")).assign(label=lambda t: -t["label"])
        table.to_csv(desk.path("turned.csv"), index=False)
        before = desk.listing()
        changes = {"table": desk.path("turned.csv"), "favourable": 1}
    assert re.search(sentence, desk.sentence(build(desk, **changes)))
    assert desk.listing() == before


def test_labels_are_two_and_complete(desk: Any) -> None:
    table = pd.read_csv(desk.path("train.csv"))
    table.assign(label=range(len(table))).to_csv(desk.path("many.csv"), index=False)
    assert "holds 400 different values" in desk.sentence(build(desk, table=desk.path("many.csv")))
    table.loc[3, "label"] = None
    table.to_csv(desk.path("gap.csv"), index=False)
    assert "is empty in 1 rows" in desk.sentence(build(desk, table=desk.path("gap.csv")))


def test_a_folder_in_use_is_refused_before_any_work(desk: Any) -> None:
    desk.path("set").mkdir()
    (desk.path("set") / "note.txt").write_text("mine")
    assert "there is something already" in desk.sentence(build(desk))
    assert build(desk, grid=["trees"]).exit_code == 2
