"""Labels and the favourable class as they are written: on the command line, in files, in models."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import standfast as sf
from standfast.cli import labelled
from standfast.errors import InputError

INPUTS = ["income", "debt", "age"]
# the favourable label, the other one, how the first is written on the command line, in which file
WAYS = [
    (0, 1, "0", "csv"),
    (0.0, 1.0, "0", "parquet"),
    (0, 1, "0.0", "csv"),
    ("0", "1", "0", "parquet"),
    ("no", "yes", "no", "csv"),
    ("Good", "Bad", "Good", "csv"),
    (False, True, "false", "parquet"),
    (True, False, "True", "csv"),
    (-1, 1, "-1", "csv"),
]


def relabelled(sandbox: Any, good: object, bad: object, ending: str) -> tuple[Path, pd.DataFrame]:
    """The training people with other labels, in a file."""
    table = pd.read_csv(sandbox.path("train.csv"))
    table["label"] = pd.Series([good if y == 1 else bad for y in table["label"]])
    file = sandbox.path(f"people.{ending}")
    if ending == "csv":
        table.to_csv(file, index=False)
    else:
        table.to_parquet(file)
    return Path(file), table


@pytest.mark.parametrize(("good", "bad", "text", "ending"), WAYS)
def test_labels_are_read_as_they_are_written(
    sandbox: Any, good: object, bad: object, text: str, ending: str
) -> None:
    truth = pd.read_csv(sandbox.path("train.csv"))["label"]
    file, _ = relabelled(sandbox, good, bad, ending)
    schema = sf.Schema.read(sandbox.path("schema.toml"))
    assert labelled.people(file, schema, "label", text, []).labels.tolist() == truth.tolist()


@pytest.mark.parametrize(("good", "bad", "text", "ending"), WAYS)
def test_bounds_count_the_favourable_label_for_labels_and_models_alike(
    sandbox: Any, good: object, bad: object, text: str, ending: str
) -> None:
    truth = pd.read_csv(sandbox.path("train.csv"))["label"]
    file, table = relabelled(sandbox, good, bad, ending)
    models = {
        "f": LogisticRegression(max_iter=5000).fit(table[INPUTS] / 1.0, table["label"]),
        "g": DecisionTreeClassifier(max_depth=3).fit(table[INPUTS] / 1.0, table["label"]),
    }
    schema = sf.Schema.read(sandbox.path("schema.toml"))
    X, scores = schema.matrix(table[INPUTS]), []
    for name, model in models.items():
        sf.save_model(model, sandbox.path(f"{name}.skops"))
        column = model.classes_.tolist().index(good)
        scores.append(model.predict_proba(pd.DataFrame(X, columns=INPUTS))[:, column] - 0.5)
    result = sandbox.run(
        *("bounds", file, "--schema", sandbox.path("schema.toml"), "--label", "label"),
        *("--model", sandbox.path("f.skops"), "--model", sandbox.path("g.skops")),
        *(f"--favourable={text}", "--alpha", 2, "--out", sandbox.path("bounds.csv")),
    )
    assert result.exit_code == 0, result.output
    written = pd.read_csv(sandbox.path("bounds.csv")).set_index(["bound", "term"])["value"]
    expected = sf.bounds.published(*scores, truth.to_numpy(), 2.0, 1.0)
    found = written["proposition 2, as published"]
    assert found["total"] == pytest.approx(expected.total)
    for term, value in expected.terms.items():
        assert found[term] == pytest.approx(value)


@pytest.mark.parametrize(
    ("labels", "text", "words"),
    [
        ([0, 1], "2", r"--favourable 2: the column 'label' of .* holds 0, 1; name one of them"),
        (["Good", "Bad"], "good", "holds 'Good', 'Bad'; name one of them"),
        ([True, False], "1", "holds True, False; name one of them"),
        (["a", "b", "c"], "a", r"3 different values \('a', 'b', 'c'\); labels are two"),
        ([1, 1], "1", r"holds 1 different value \(1\); labels are two"),
        ([1, None], "1", "is empty in 1 rows"),
    ],
)
def test_labels_that_cannot_be_meant_are_one_sentence(
    labels: list[object], text: str, words: str, tmp_path: Path
) -> None:
    table = pd.DataFrame({"a": np.arange(len(labels)), "label": labels})
    table.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=words):
        labelled.people(tmp_path / "t.parquet", sf.Schema((sf.Feature("a"),)), "label", text, [])


# the wrong way round


def test_most_people_accepted_is_worth_a_warning_with_both_counts(sandbox: Any) -> None:
    model = sf.as_score(
        sf.load_model(sandbox.path("model.skops")),
        sf.Schema.read(sandbox.path("schema.toml")),
        favourable=1,
    )
    train = pd.read_csv(sandbox.path("train.csv"))
    refused = train[~model.accepts(train[INPUTS].to_numpy(dtype=float))]
    refused.to_csv(sandbox.path("people.csv"), index=False)
    right = sandbox.recommend()
    assert right.exit_code == 0, right.output
    assert right.stderr == ""
    wrong = sandbox.recommend(favourable=-1)
    assert wrong.exit_code == 0
    n = len(refused)
    assert wrong.stderr == (
        f"warning: {n} of {n} people are already accepted by the model; if you expected most to be "
        "refused, check --favourable\n"
    )


def test_bounds_and_reconstructions_warn_too(sandbox: Any) -> None:
    train = pd.read_csv(sandbox.path("train.csv")).assign(income=5000.0)
    train.loc[:3, ["income", "debt"]] = [1000.0, 0.9]
    train.to_csv(sandbox.path("rich.csv"), index=False)
    command = (
        "bounds",
        sandbox.path("rich.csv"),
        "--schema",
        sandbox.path("schema.toml"),
        "--model",
    )
    given = (sandbox.path("model.skops"), "--drop", "label", "--alpha", 1, "--favourable")
    result = sandbox.run(*command, *given, 1)
    assert result.exit_code == 0, result.output
    assert re.search(r"warning: 3\d\d of 400 people are already accepted", result.stderr)
    train.assign(income=5900.0, debt=0.0).to_csv(sandbox.path("rich.csv"), index=False)
    sentence = sandbox.sentence(sandbox.run(*command, *given, 1))
    assert "none of the 400 people is refused" in sentence
    assert "check --favourable" in sentence
