"""No command writes onto something it reads, nor into a folder of it, whatever the path is called.

The files hold nothing of use: a command must refuse before it reads any of them.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from standfast.cli import app
from standfast.datasets.heloc import SOURCE

RECOMMEND = "recommend --schema s.toml --table t.csv --model m.csv --people p.csv --favourable 1"
INVARIANT = f"{RECOMMEND} --method invariant --fresh fresh --out"
PLAIN = f"{RECOMMEND} --method growing-spheres --out"
MODELS = "--schema s.toml --label label --favourable 1"
BOUNDS = "bounds p.csv --schema s.toml --model m.csv --favourable 1 --out"
TRANSFER = "transfer advice.csv --model m.csv --favourable 1 --level-set rivals"
CERTIFY = "certify advice.csv --fresh fresh --out"
GATE = "gate --recommendations advice.csv --model m.csv --favourable 1 --table t.csv --label l"
SENSE = "sense advice.csv --table t.csv --label label --favourable 1"
LETTER = "letter advice.csv --reasons t.csv --certificate p.csv --template fresh --out"
EXPORT = "ledger export --ledger t.csv --key p.csv --out"
REPAIR = "repair --recommendations advice.csv --model m.csv --table t.csv --favourable 1 --out"
BUILD = f"level-set build t.csv {MODELS} --reference m.skops --grid linear --held-out h.csv --out"
DRAW = f"fresh draw t.csv {MODELS} --model m.skops --out"

FILES = (
    *("s.toml", "t.csv", "p.csv", "m.csv", "m.skops", "h.csv", "a.npz", "s.csv", "s.npz"),
    *("advice.csv", "advice.csv.json", "advice.alternatives.csv", "new.csv.json"),
    *("new.alternatives.csv", "rivals/candidates.csv", "rivals/models.json", "fresh/draws.csv"),
    *("out/tables/mine.csv", "out/report.html", "out/figures/s.toml"),
)

# command and option, and what it reads that the option then names
CASES = [
    *((PLAIN, victim) for victim in ("t.csv", "m.csv", "p.csv")),
    (f"{RECOMMEND} --method minimal-cost --support s.csv --out", "s.csv"),
    (f"{RECOMMEND} --method c-chvae --autoencoder s.csv --out", "s.csv"),
    (INVARIANT, "fresh/draws.csv"),
    *(
        (f"{RECOMMEND.replace('recommend', 'reasons')} --out", victim)
        for victim in ("t.csv", "p.csv")
    ),
    *((BOUNDS, victim) for victim in ("p.csv", "m.csv")),
    *((f"{TRANSFER} --out", victim) for victim in ("advice.csv", "m.csv", "rivals/candidates.csv")),
    *((f"{TRANSFER} --people-out", victim) for victim in ("advice.csv", "rivals/candidates.csv")),
    (f"{TRANSFER} --out", "advice.alternatives.csv"),
    *((CERTIFY, victim) for victim in ("advice.csv", "fresh/draws.csv")),
    (CERTIFY, "advice.alternatives.csv"),
    *((f"{GATE} --out", victim) for victim in ("advice.csv", "m.csv", "t.csv")),
    *((f"{SENSE} --out", victim) for victim in ("advice.csv", "t.csv")),
    (f"{SENSE} --moves-out", "t.csv"),
    *((LETTER, victim) for victim in ("advice.csv", "t.csv", "p.csv", "fresh/draws.csv")),
    *((BUILD, victim) for victim in ("t.csv", "s.toml", "m.skops", "h.csv")),
    *((DRAW, victim) for victim in ("t.csv", "s.toml", "m.skops")),
    ("autoencoder fit a.npz --schema s.toml --out", "a.npz"),
    ("autoencoder fit t.csv --schema s.npz --out", "s.npz"),
    ("schema infer t.csv --force --out", "t.csv"),
    *((EXPORT, victim) for victim in ("t.csv", "p.csv")),
    *((REPAIR, victim) for victim in ("advice.csv", "m.csv", "t.csv")),
]


def link(victim: Path) -> Path:
    path = victim.parent.parent / f"link{victim.suffix}"
    path.symlink_to(victim)
    return path


def twice(victim: Path) -> Path:
    path = victim.parent.parent / f"twice{victim.suffix}"
    os.link(victim, path)
    return path


def through_a_linked_folder(victim: Path) -> Path:
    folder = victim.parent.parent / "linked"
    folder.symlink_to(victim.parent)
    return folder / victim.name


SPELLINGS: dict[str, Callable[[Path], object]] = {
    "as it is": lambda victim: victim,
    "relative": lambda victim: os.path.relpath(victim),
    "with a dot": lambda victim: f"./{os.path.relpath(victim)}",
    "with a detour": lambda victim: victim.parent / ".." / victim.parent.name / victim.name,
    "by a link": link,
    "by a hard link": twice,
    "through a linked folder": through_a_linked_folder,
}


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "sandbox"
    for name in FILES:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"this is {name}")
    monkeypatch.chdir(folder)
    return folder


def content(folder: Path) -> dict[str, str]:
    return {str(f): f.read_text() for f in sorted(folder.rglob("*")) if f.is_file()}


def refused(folder: Path, command: str, *more: object) -> str:
    """The sentence of a command that changed nothing."""
    before = content(folder.parent)
    result = CliRunner().invoke(app, [*command.split(), *map(str, more)])
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1, result.output
    assert content(folder.parent) == before
    return str(result.stderr)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("command", "victim"), CASES)
def test_what_is_read_is_never_written(
    sandbox: Path, command: str, victim: str, spelling: str
) -> None:
    option = command.split()[-1]
    sentence = refused(sandbox, command, SPELLINGS[spelling](sandbox / victim))
    assert f"error: {option} would " in sentence
    assert "which is read; choose" in sentence


@pytest.mark.parametrize(
    ("command", "out", "victim"),
    [
        (PLAIN.replace("s.toml", "new.csv.json"), "new.csv", "new.csv.json"),
        (PLAIN.replace("p.csv", "new.alternatives.csv"), "new.csv", "new.alternatives.csv"),
        (INVARIANT, "fresh/new.csv", "fresh"),
        (f"{TRANSFER} --out", "rivals/new.csv", "rivals"),
        (f"{TRANSFER} --people-out", "rivals/new.parquet", "rivals"),
        (CERTIFY, "fresh/new.csv", "fresh"),
    ],
)
def test_files_beside_the_output_and_folders_that_are_read_count_too(
    sandbox: Path, command: str, out: str, victim: str
) -> None:
    sentence = refused(sandbox, command, out)
    assert f"'{victim}', which is read; choose" in sentence


@pytest.mark.parametrize(
    "given",
    [
        "--data out/tables/mine.csv --schema s.toml",
        "--data t.csv --schema out/figures/s.toml",
        "--data t.csv --schema s.toml --later out/tables/mine.csv --frontier",
    ],
)
def test_a_study_writes_around_what_it_reads(sandbox: Path, given: str) -> None:
    command = f"study --quick --label label --favourable 1 {given} --out out"
    assert "--out would write into 'out/" in refused(sandbox, command)


def test_two_outputs_are_two_files(sandbox: Path) -> None:
    sentence = refused(sandbox, f"{TRANSFER} --out x.csv --people-out ./x.csv")
    assert "--out and --people-out both name 'x.csv'; choose two paths" in sentence


@pytest.mark.parametrize("command", ["data twin heloc --out", "data schema heloc --force --out"])
def test_a_real_set_is_not_overwritten_by_its_twin_or_schema(
    sandbox: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = sandbox / "real"
    real.mkdir()
    (real / SOURCE.files[0]).parent.mkdir(parents=True, exist_ok=True)
    (real / SOURCE.files[0]).write_text("real people")
    monkeypatch.setenv("STANDFAST_DATA", str(real))
    assert "would overwrite" in refused(sandbox, command, real / SOURCE.files[0])


def test_a_path_of_its_own_is_let_through(sandbox: Path) -> None:
    sentence = refused(sandbox, BOUNDS, "fresh.csv")
    assert "would" not in sentence  # it is the files that are of no use


def test_every_option_that_writes_was_tried(sandbox: Any) -> None:
    tried = {(tuple(c.split()[:2]), c.split()[-1]) for c, _ in CASES}
    names = {(command.split()[0], option) for (command, *_), option in tried}
    names |= {("study", "--out"), ("data", "--out")}  # above
    from typer.main import get_command

    found = set()
    commands = get_command(app).commands  # type: ignore[attr-defined]
    for name, group in commands.items():
        for command in getattr(group, "commands", {name: group}).values():
            found |= {(name, o) for p in command.params for o in p.opts if o.endswith("out")}
    assert found - {("level-set", "--held-out")} == names
