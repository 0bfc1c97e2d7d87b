"""standfast reasons on the command line."""

from typing import Any

import numpy as np
import pandas as pd

import standfast as sf


def ask(desk: Any, *more: Any) -> Any:
    return desk.run(
        *("reasons", "--schema", desk.path("schema.toml"), "--table", desk.path("train.csv")),
        *("--people", desk.path("people.csv"), "--model", desk.path("model.skops")),
        *("--favourable", 1, "--drop", "label", "--out", desk.path("reasons.csv"), *more),
    )


def test_reasons_are_written_as_the_library_finds_them(desk: Any) -> None:
    result = ask(desk)
    assert result.exit_code == 0, result.output
    written = pd.read_csv(desk.path("reasons.csv"))
    schema = sf.Schema.read(desk.path("schema.toml"))
    train, people = (pd.read_csv(desk.path(f"{name}.csv")) for name in ("train", "people"))
    model = sf.as_score(sf.load_model(desk.path("model.skops")), schema, favourable=1)
    method = sf.MinimalCost(schema, sf.Percentiles.fit(train[list(schema.names)]))
    expected = sf.reasons(method, model, people[list(schema.names)])
    assert written["person"].tolist() == expected.to_frame().index.tolist()
    assert written["feature"].tolist() == expected.to_frame()["feature"].tolist()
    np.testing.assert_allclose(written["necessity"], expected.to_frame()["necessity"])
    proven = expected.people()["ending"].value_counts()["proven"]
    assert f"{proven} proven" in result.stdout
    assert expected.sentences()[expected.people()["ending"] == "proven"].iloc[0] in result.stdout


def test_fewer_reasons_can_be_asked_for(desk: Any) -> None:
    assert ask(desk, "--most", 1).exit_code == 0
    assert (pd.read_csv(desk.path("reasons.csv"))["rank"] == 1).all()


def test_reasons_do_not_overwrite_what_they_read(desk: Any) -> None:
    result = ask(desk, "--out", desk.path("people.csv"))
    assert result.exit_code == 2
    assert "people.csv" in result.output
