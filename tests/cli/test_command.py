"""Commands as functions of one dataclass: its fields become the options."""

from pathlib import Path
from typing import Any, Literal

import typer
from typer.testing import CliRunner

from standfast.cli import app as standfast
from standfast.cli import options
from standfast.cli.command import argument, command, flag, option, options_class


@options_class
class Shared:
    trust: list[str] = options.trust()
    seed: int = options.seed("answer")


@options_class
class Asked(Shared):
    table: Path = argument("A table.", "TABLE")
    per_change: float | None = option("A price.", also="--price")
    force: bool = flag("Overwrite.")
    out: Path = option("Where to write.")
    ways: list[Literal["walk", "fly"]] = option("How to go.", default=())


def given(*words: str) -> tuple[Any, str]:
    """What the command was given, and what it printed."""
    received: list[Asked] = []

    def run(asked: Asked) -> None:
        """Do it."""
        received.append(asked)

    app = typer.Typer()
    app.command()(command(run))
    result = CliRunner().invoke(app, list(words), env={"COLUMNS": "100"})
    return (received or [None])[0], result.output


def test_fields_are_options_inherited_ones_too() -> None:
    words = ("t.csv", "--out", "x", "--trust", "a", "--trust", "b", "--seed", "3", "--force")
    found, _ = given(*words, "--per-change", "0.5")
    expected = {"table": Path("t.csv"), "out": Path("x"), "trust": ["a", "b"], "seed": 3}
    assert found == Asked(**expected, per_change=0.5, force=True)


def test_what_is_not_given_has_its_default_and_a_list_is_empty() -> None:
    found, _ = given("t.csv", "--out", "x")
    assert found == Asked(
        table=Path("t.csv"), out=Path("x"), trust=[], seed=0, per_change=None, force=False, ways=[]
    )


def test_words_to_choose_from_arrive_as_text_and_others_are_refused() -> None:
    found, text = given("t.csv", "--out", "x", "--ways", "fly", "--ways", "walk")
    assert repr(found.ways) == "['fly', 'walk']"
    found, text = given("t.csv", "--out", "x", "--ways", "swim")
    assert found is None
    assert "'swim' is not one of 'walk', 'fly'" in text


def test_an_option_may_go_by_a_second_name() -> None:
    found, _ = given("t.csv", "--out", "x", "--price", "2")
    assert found.per_change == 2.0


def test_the_help_has_the_docstring_and_required_options_first() -> None:
    _, text = given("--help")
    assert "Do it." in text
    assert text.index("--out") < text.index("--trust") < text.index("--per-change")
    assert "[required]" in text.partition("--trust")[0]


def test_a_required_option_that_is_missing_is_named() -> None:
    found, text = given("t.csv")
    assert found is None
    assert "Missing option '--out'" in text


def test_every_command_explains_itself_in_plain_words() -> None:
    for words in (["recommend"], ["level-set", "build"], ["fresh", "draw"], ["study"], ["bounds"]):
        result = CliRunner().invoke(standfast, [*words, "--help"], env={"COLUMNS": "300"})
        assert result.exit_code == 0
        assert not {"pleases", "tells", "told"} & set(result.output.split())
