import re
import shutil
import subprocess
import sys
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from samples.tenants import SCHEMA as TENANTS
from samples.tenants import people as tenants
from typer.testing import CliRunner

import standfast as sf
from standfast.autoencoder import fit
from standfast.autoencoder.layout import Layout
from standfast.autoencoder.network import Network
from standfast.cli import app
from standfast.cli import autoencoder as command_line
from standfast.readers.files import load_model

INPUTS = ["income", "debt", "age"]
SIZES = ("--components", 2, "--latent", 2, "--epochs", 40)


@pytest.fixture(scope="session")
def fitted(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("fitted") / "people.npz"
    given = ("fit", filled / "train.csv", "--schema", filled / "schema.toml", "--out", out)
    words = [str(w) for w in ("autoencoder", *given, "--drop", "label", *SIZES, "--seed", 1)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert re.search(r"s = 2, z = 2, 40 epochs over 400 people; loss [\d.]+ after", result.stderr)
    return out


def command(sandbox: Any, *changes: object) -> Any:
    given = ("fit", sandbox.path("train.csv"), "--schema", sandbox.path("schema.toml"))
    out = () if "--out" in changes else ("--out", sandbox.path("a.npz"))
    drop = () if "--drop" in changes else ("--drop", "label")
    return sandbox.run("autoencoder", *given, *out, *drop, *SIZES, *changes)


def test_the_defaults_are_those_of_the_library() -> None:
    defaults = {name: one.default for name, one in signature(fit).parameters.items()}
    ours = (command_line.COMPONENTS, command_line.LATENT, command_line.EPOCHS)
    assert ours == (defaults["s"], defaults["z"], defaults["epochs"])


def test_the_command_line_fits_what_the_library_fits(sandbox: Any, fitted: Path) -> None:
    schema = sf.Schema.read(sandbox.path("schema.toml"))
    table = pd.read_csv(sandbox.path("train.csv"))[INPUTS]
    ours = fit(schema, table, s=2, z=2, epochs=40, seed=1)
    assert sf.Autoencoder.read(fitted).digest == ours.digest


def test_fit_warns_of_money_declared_as_a_count(sandbox: Any) -> None:
    train = pd.read_csv(sandbox.path("train.csv"))
    train.assign(income=train["income"].round()).to_csv(sandbox.path("train.csv"), index=False)
    text = sandbox.path("schema.toml").read_text()
    text = text.replace('[features.income]\nkind = "positive"', '[features.income]\nkind = "count"')
    sandbox.path("schema.toml").write_text(text)
    result = command(sandbox)
    assert result.exit_code == 0, result.output
    assert "column 'income' is declared as a count, but its variance is" in result.stderr
    assert 'declare kind = "positive" in the schema' in result.stderr


def test_recommend_searches_the_fitted_file(sandbox: Any, fitted: Path) -> None:
    out = sandbox.path("advice.parquet")
    result = sandbox.recommend(method="c-chvae", autoencoder=fitted, out=out, seed=3)
    assert result.exit_code == 0, result.output
    schema = sf.Schema.read(sandbox.path("schema.toml"))
    train, people = (
        pd.read_csv(sandbox.path(f"{name}.csv"))[INPUTS] for name in ("train", "people")
    )
    method = sf.CCHVAE(schema, sf.Percentiles.fit(train), sf.Autoencoder.read(fitted))
    model = sf.as_score(load_model(sandbox.path("model.skops")), schema, favourable=1)
    ours = sf.recommend(method, model, people, seed=3)
    read = sf.Recommendations.read(out)
    pd.testing.assert_frame_equal(
        read.to_frame().drop(columns="seconds"), ours.to_frame().drop(columns="seconds")
    )
    assert read.provenance["settings"]["autoencoder"] == method.autoencoder.digest
    assert "proven" not in result.stdout


def test_the_published_search_has_a_name_of_its_own(sandbox: Any, fitted: Path) -> None:
    result = sandbox.recommend(method="c-chvae-as-published", autoencoder=fitted, cost="max")
    assert result.exit_code == 0, result.output
    assert "c-chvae, as published" in result.stdout
    settings = sf.Recommendations.read(sandbox.path("advice.csv")).provenance["settings"]
    assert (settings["sampled"], settings["cost"]) == (True, "max")


def test_check_tells_bound_reconstruction_and_marginals(sandbox: Any, fitted: Path) -> None:
    result = sandbox.run("autoencoder", "check", fitted, "--table", sandbox.path("people.csv"))
    assert result.exit_code == 0, result.output
    assert "autoencoder: s = 2, z = 2, 40 epochs over 400 people, seed 1" in result.stdout
    bound = sf.Autoencoder.read(fitted).about["bound"]
    assert re.search(rf"training +400 +{bound:.2f} ", result.stdout)
    for word in ("nats per person", "rank_correlation", "decoded_distance", "income", "debt"):
        assert word in result.stdout
    assert "refused people" not in result.stdout
    assert "e+0" not in result.stdout  # incomes of thousands


def test_check_with_a_model_tells_what_is_mere_reconstruction(sandbox: Any, fitted: Path) -> None:
    given = ("--table", sandbox.path("people.csv"), "--reference", sandbox.path("train.csv"))
    asked = ("--model", sandbox.path("model.skops"), "--favourable", 1, "--drop", "label")
    result = sandbox.run("autoencoder", "check", fitted, *given, *asked)
    assert result.exit_code == 0, result.output
    assert re.search(r"of \d+ refused people [\d.]+% are accepted as their mere", result.stdout)


def test_people_who_are_left_out_of_a_check_are_counted_with_the_reason(
    sandbox: Any, fitted: Path
) -> None:
    people = pd.read_csv(sandbox.path("people.csv"))
    people.loc[[3, 9], "debt"] = [-0.5, -0.25]
    people.to_csv(sandbox.path("people.csv"), index=False)
    given = ("--table", sandbox.path("people.csv"), "--reference", sandbox.path("train.csv"))
    asked = ("--model", sandbox.path("model.skops"), "--favourable", 1, "--drop", "label")
    result = sandbox.run("autoencoder", "check", fitted, *given, *asked)
    assert result.exit_code == 0, result.output
    shown = (
        "2 of 60 people are left out because their own values break the schema; the first is 3: "
    )
    assert f"{shown}Debt is -0.5, " in result.stdout


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (("--out", "a.pkl"), ["must end in .npz"]),
        (("--out", "gone/a.npz"), ["does not exist"]),
        (("--drop", "income"), ["lacks the column 'income'"]),
    ],
    ids=str,
)
def test_one_sentence_and_no_file_when_fit_is(sandbox: Any, changes: Any, words: list[str]) -> None:
    given = tuple(sandbox.path(w) if w.startswith(("a.", "gone")) else w for w in changes)
    if "--drop" in given:
        given = (*given, "--drop", "label")
    before = sandbox.listing()
    sentence = sandbox.sentence(command(sandbox, *given))
    assert all(word in sentence for word in words)
    assert sandbox.listing() == before


def test_a_small_or_impossible_table_is_one_sentence(sandbox: Any) -> None:
    train = pd.read_csv(sandbox.path("train.csv"))
    for table, word in (
        (train.head(60), "has 60 rows, fewer than one batch"),
        (train.assign(income=5.0), "'income' is 5 in every row"),
        (train.assign(debt=-1.0 + train["debt"]), "'debt' holds"),
    ):
        table.to_csv(sandbox.path("train.csv"), index=False)
        before = sandbox.listing()
        sentence = sandbox.sentence(command(sandbox))
        assert word in sentence
        assert "train.csv'" in sentence
        assert sandbox.listing() == before


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"method": "c-chvae"}, ["--autoencoder", "standfast autoencoder fit"]),
        ({"autoencoder": "a.npz"}, ["goes with --method c-chvae", "not with growing-spheres"]),
        (
            {"method": "c-chvae", "autoencoder": "gone.npz"},
            ["error: --autoencoder '", "no such file", "that 'standfast autoencoder fit' wrote"],
        ),
        ({"method": "c-chvae", "autoencoder": "train.csv"}, ["cannot read", "train.csv'"]),
        ({"method": "c-chvae", "autoencoder": "a.npz", "boxes": 9}, ["--boxes goes with"]),
    ],
    ids=str,
)
def test_one_sentence_and_no_advice_when(
    sandbox: Any, fitted: Path, changes: dict[str, Any], words: list[str]
) -> None:
    shutil.copy(fitted, sandbox.path("a.npz"))
    if "autoencoder" in changes:
        changes = changes | {"autoencoder": sandbox.path(changes["autoencoder"])}
    before = sandbox.listing()
    sentence = sandbox.sentence(sandbox.recommend(**changes))
    assert all(word in sentence for word in words)
    assert sandbox.listing() == before


def test_an_autoencoder_of_another_schema_is_refused(sandbox: Any, fitted: Path) -> None:
    text = sandbox.path("schema.toml").read_text().replace("mutable = false", "mutable = true")
    sandbox.path("schema.toml").write_text(text)
    sentence = sandbox.sentence(sandbox.recommend(method="c-chvae", autoencoder=fitted))
    assert "mutable = False for 'age'" in sentence


def test_a_model_without_its_favourable_class_is_asked_for(sandbox: Any, fitted: Path) -> None:
    given = ("--table", sandbox.path("people.csv"), "--model", sandbox.path("model.skops"))
    assert "go together" in sandbox.sentence(sandbox.run("autoencoder", "check", fitted, *given))


def test_without_the_extra_the_command_says_what_to_install(sandbox: Any) -> None:
    start = "import sys; sys.modules['jax'] = None; from standfast.cli import app; app()"
    words = [
        "autoencoder",
        "fit",
        sandbox.path("train.csv"),
        "--schema",
        sandbox.path("schema.toml"),
    ]
    words += ["--out", sandbox.path("a.npz"), "--drop", "label"]
    ran = subprocess.run(
        [sys.executable, "-c", start, *map(str, words)], capture_output=True, text=True
    )
    assert ran.returncode == 2
    assert len(ran.stderr.splitlines()) == 1
    assert "pip install 'standfast[autoencoder]'" in ran.stderr
    assert not sandbox.path("a.npz").exists()


def test_check_understands_categories_and_gaps(tmp_path: Path) -> None:
    table = tenants(300, 1)
    layout = Layout.of(TENANTS, TENANTS.matrix(table), table.index)
    weights = Network.drawn(layout, 2, 2, np.random.default_rng(0)).weights()
    about = {"epochs": 1, "seed": 0, "rows": 300, "data": ""}
    found = sf.Autoencoder.build(TENANTS, layout, weights, TENANTS.matrix(table), about)
    found.write(tmp_path / "a.npz")
    tenants(60, 2).to_csv(tmp_path / "people.csv", index=False)
    words = ["autoencoder", "check", tmp_path / "a.npz", "--table", tmp_path / "people.csv"]
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    assert re.search(r"\nhome +categorical +0\.\d+ +0\.\d+\n", result.stdout)
    assert re.search(r"\nschool +cumulative", result.stdout)
    assert "NaN" not in result.stdout
