"""Candidates of an MLflow registry: a real one, in a SQLite file."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from standfast.cli import app

mlflow = pytest.importorskip("mlflow", reason="mlflow-skinny is not installed")

pytestmark = pytest.mark.filterwarnings("ignore")  # of MLflow's own making


@pytest.fixture(scope="module")
def registry(filled, tmp_path_factory):
    """Advice, and its model in a registry under an alias; making the database takes long."""
    folder = Path(shutil.copytree(filled, tmp_path_factory.mktemp("registry") / "sandbox"))
    invoke = CliRunner().invoke
    words = ["recommend", "--method", "minimal-cost", "--favourable", "1", "--drop", "label"]
    for option, name in (
        ("schema", "schema.toml"),
        ("table", "train.csv"),
        ("model", "model.skops"),
        ("people", "people.csv"),
        ("out", "advice.csv"),
    ):
        words += [f"--{option}", str(folder / name)]
    assert invoke(app, words).exit_code == 0
    (folder / "kept").mkdir()
    shutil.copy(folder / "model.skops", folder / "kept" / "model.skops")
    uri = f"sqlite:///{folder / 'mlflow.db'}"
    client = mlflow.MlflowClient(tracking_uri=uri, registry_uri=uri)
    client.create_experiment("standfast gate", artifact_location=f"file://{folder / 'artifacts'}")
    client.create_registered_model("credit")
    client.create_model_version("credit", source=f"file://{folder / 'kept'}")
    client.set_registered_model_alias("credit", "challenger", "1")
    return folder, client, uri


def run(folder, address, uri, *more):
    source = ("--recommendations", folder / "advice.csv", "--tracking-uri", uri)
    words = ("gate", *source, "--model", address, "--favourable", 1, *more)
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_version_is_loaded_by_alias_tagged_and_gets_the_report(registry):
    folder, client, uri = registry
    result = run(folder, "models:/credit@challenger", uri, "--require", "kept >= 0.98")
    assert result.exit_code == 0, result.output
    version = client.get_model_version("credit", "1")
    assert version.tags["standfast.gate"] == "passed"
    logged = client.list_artifacts(version.tags["standfast.gate.run"])
    assert {one.path for one in logged} == {"gate.html", "gate.json", "gate.junit.xml"}
    metrics = client.get_run(version.tags["standfast.gate.run"]).data.metrics
    assert metrics["kept"] == 1.0


def test_a_version_that_is_held_back_says_so_in_its_tag(registry):
    folder, client, uri = registry
    out = folder / "gate"
    result = run(folder, "models:/credit/1", uri, "--require", "promises >= 1e6", "--out", out)
    assert result.exit_code == 1, result.output
    assert client.get_model_version("credit", "1").tags["standfast.gate"] == "held back"
    assert json.loads((out / "gate.json").read_text())["provenance"]["address"] == (
        "models:/credit/1, version 1"
    )


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("models:/credit", "is not the address of a registered model"),
        ("models:/credit@nobody", "gives no 'models:/credit@nobody'"),
        ("models:/nothing/3", "gives no 'models:/nothing/3'"),
    ],
)
def test_what_the_registry_does_not_hold_is_said(registry, address, sentence):
    folder, _, uri = registry
    result = run(folder, address, uri)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
