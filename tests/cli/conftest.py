import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer.testing
from sklearn.linear_model import LogisticRegression
from typer.testing import CliRunner, Result

from standfast.cli import app
from standfast.readers.files import save_model

# typer's runner builds all commands anew for every call, which takes longer than most of the calls
typer.testing._get_command = cache(typer.testing._get_command)

SCHEMA = """
[features.income]
kind = "positive"
step = 10

[features.debt]
kind = "positive"
direction = "down"
step = 0.01

[features.age]
kind = "count"
mutable = false
"""


@dataclass(frozen=True)
class Sandbox:
    """A folder with everything a run needs, and the command line at hand."""

    folder: Path

    def path(self, name: str) -> Path:
        return self.folder / name

    def run(self, *arguments: object) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    def apart(self, *arguments: object, **streams: Any) -> subprocess.CompletedProcess[str]:
        """Run the command line in a process of its own."""
        command = [sys.executable, "-c", "from standfast.cli import app; app()"]
        return subprocess.run(
            [*command, *map(str, arguments)], stderr=subprocess.PIPE, text=True, **streams
        )

    def options(self, **changes: Any) -> list[str]:
        """The options of recommend; a change of None leaves one out, a list repeats it."""
        given: dict[str, Any] = {
            "schema": self.path("schema.toml"),
            "table": self.path("train.csv"),
            "model": self.path("model.skops"),
            "people": self.path("people.csv"),
            "method": "growing-spheres",
            "favourable": 1,
            "out": self.path("advice.csv"),
            "drop": ["label"],
        }
        given |= changes
        words = []
        for option, values in given.items():
            for value in values if isinstance(values, list) else [values]:
                if value is not None:
                    words += [f"--{option.replace('_', '-')}", str(value)]
        return words

    def recommend(self, **changes: Any) -> Result:
        return self.run("recommend", *self.options(**changes))

    def sentence(self, result: Result) -> str:
        """The one sentence of a command that refused what it was given."""
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        lines = result.stderr.splitlines()
        assert len(lines) == 1, result.stderr
        assert lines[0].startswith("error: ")
        return str(lines[0])

    def listing(self) -> dict[str, bytes]:
        return {
            str(file.relative_to(self.folder)): file.read_bytes()
            for file in sorted(self.folder.rglob("*"))
            if file.is_file()
        }


def drawn(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "income": rng.integers(100, 600, n) * 10,
            "debt": rng.uniform(0, 1, n).round(2),
            "age": rng.integers(20, 80, n),
        }
    )
    table["label"] = np.where(table["income"] / 6000 > table["debt"], 1, -1)
    return table


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled")
    (folder / "schema.toml").write_text(SCHEMA)
    train = drawn(400, seed=0)
    train.to_csv(folder / "train.csv", index=False)
    drawn(60, seed=1).drop(columns="label").to_csv(folder / "people.csv", index=False)
    inputs = train.drop(columns="label")
    model = LogisticRegression(max_iter=2000).fit(inputs / 1.0, train["label"])
    save_model(model, folder / "model.skops")
    return folder


@pytest.fixture
def sandbox(filled: Path, tmp_path: Path) -> Sandbox:
    return Sandbox(Path(shutil.copytree(filled, tmp_path / "sandbox")))
