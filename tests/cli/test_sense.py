"""standfast sense on the command line."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import standfast as sf


@pytest.fixture
def advice(sandbox: Any) -> Path:
    result = sandbox.recommend(method="minimal-cost")
    assert result.exit_code == 0, result.output
    return Path(sandbox.path("advice.csv"))


def asked(sandbox: Any, advice: Path, *more: object, **changes: object) -> Any:
    given = {"table": sandbox.path("train.csv"), "label": "label", "favourable": 1} | changes
    words = [word for name, value in given.items() for word in (f"--{name}", value)]
    return sandbox.run("sense", advice, *words, *more)


def test_the_command_counts_as_the_library_does(sandbox: Any, advice: Path) -> None:
    out, moves = sandbox.path("sense.csv"), sandbox.path("moves.parquet")
    result = asked(sandbox, advice, "--out", out, "--moves-out", moves)
    assert result.exit_code == 0, result.output
    train = pd.read_csv(sandbox.path("train.csv"))
    recs = sf.Recommendations.read(advice)
    expected = sf.sense(recs, train, labels=train["label"], favourable=1)
    assert expected.sentence in result.stdout
    written = pd.read_csv(out)
    assert written["person"].astype(str).tolist() == list(map(str, recs.index))
    assert written["remark"].fillna("").tolist() == expected.remarks.tolist()
    for count in ("changed", "against", "broken", "small", "unseen"):
        assert written[count].sum() == expected.people[count].sum()
    assert pd.read_parquet(moves)["kinds"].tolist() == expected.moves["kinds"].tolist()
    assert f"written to {out}" in result.stdout


def test_another_schema_s_directions_are_used(sandbox: Any, advice: Path) -> None:
    text = sandbox.path("schema.toml").read_text()
    turned = text.replace('kind = "positive"\nstep = 10', 'kind = "positive"\ndirection = "down"')
    sandbox.path("turned.toml").write_text(turned)
    out = sandbox.path("moves.csv")
    result = asked(sandbox, advice, "--schema", sandbox.path("turned.toml"), "--moves-out", out)
    assert result.exit_code == 0, result.output
    moves = pd.read_csv(out, keep_default_na=False)
    rises = moves[(moves["input"] == "income") & (moves["to"] > moves["from"])]
    assert len(rises)
    assert rises["kinds"].str.contains("against").all()


@pytest.mark.parametrize(
    ("changes", "more", "words"),
    [
        ({"label": "gone"}, [], "--label gone: "),
        ({"favourable": "7"}, [], "--favourable 7: the column 'label'"),
        ({}, ["--out", "x.txt"], ".parquet or .csv"),
        ({"table": "gone.csv"}, [], "gone.csv"),
    ],
)
def test_bad_input_gets_one_sentence(
    sandbox: Any, advice: Path, changes: dict[str, Any], more: list[str], words: str
) -> None:
    assert words in sandbox.sentence(asked(sandbox, advice, *more, **changes))


def test_nothing_that_is_read_is_overwritten(sandbox: Any, advice: Path) -> None:
    shown = sandbox.sentence(asked(sandbox, advice, "--out", sandbox.path("train.csv")))
    assert "--out would overwrite" in shown
