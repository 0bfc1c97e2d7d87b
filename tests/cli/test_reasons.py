"""standfast reasons on the command line."""

from typing import Any

import numpy as np
import pandas as pd

import standfast as sf


def ask(sandbox: Any, *more: Any) -> Any:
    return sandbox.run(
        *("reasons", "--schema", sandbox.path("schema.toml"), "--table", sandbox.path("train.csv")),
        *("--people", sandbox.path("people.csv"), "--model", sandbox.path("model.skops")),
        *("--favourable", 1, "--drop", "label", "--out", sandbox.path("reasons.csv"), *more),
    )


def test_reasons_are_written_as_the_library_finds_them(sandbox: Any) -> None:
    result = ask(sandbox)
    assert result.exit_code == 0, result.output
    written = pd.read_csv(sandbox.path("reasons.csv"))
    schema = sf.Schema.read(sandbox.path("schema.toml"))
    train, people = (pd.read_csv(sandbox.path(f"{name}.csv")) for name in ("train", "people"))
    model = sf.as_score(sf.load_model(sandbox.path("model.skops")), schema, favourable=1)
    method = sf.MinimalCost(schema, sf.Percentiles.fit(train[list(schema.names)]))
    expected = sf.reasons(method, model, people[list(schema.names)])
    assert written["person"].tolist() == expected.to_frame().index.tolist()
    assert written["feature"].tolist() == expected.to_frame()["feature"].tolist()
    np.testing.assert_allclose(written["necessity"], expected.to_frame()["necessity"])
    proven = expected.people()["ending"].value_counts()["proven"]
    assert f"{proven} proven" in result.stdout
    assert expected.sentences()[expected.people()["ending"] == "proven"].iloc[0] in result.stdout


def test_fewer_reasons_can_be_asked_for(sandbox: Any) -> None:
    assert ask(sandbox, "--most", 1).exit_code == 0
    assert (pd.read_csv(sandbox.path("reasons.csv"))["rank"] == 1).all()


def test_reasons_do_not_overwrite_what_they_read(sandbox: Any) -> None:
    result = ask(sandbox, "--out", sandbox.path("people.csv"))
    assert result.exit_code == 2
    assert "people.csv" in result.output
