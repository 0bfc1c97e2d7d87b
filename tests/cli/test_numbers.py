"""Every number that an option takes: what is absurd is refused by the option's name and limit."""

import re
from collections.abc import Iterator
from inspect import signature
from typing import Any, get_args

import pytest
from typer.testing import CliRunner

from standfast.cli import app

LIMIT = r"(?:less than or equal to |<=)(\d{3,})"  # as typer's versions say it
WORDS = {"--method": "minimal-cost", "--grid": "linear"}


def commands() -> Iterator[tuple[str, Any]]:
    yield from ((one.name, one.callback) for one in app.registered_commands)
    for group in app.registered_groups:
        for one in group.typer_instance.registered_commands:
            yield f"{group.name} {one.name or one.callback.__name__}", one.callback


def options(function: Any) -> Iterator[tuple[str, Any, bool]]:
    """Each parameter's option ('' if it has none), type, and whether it must be given."""
    for param in signature(function).parameters.values():
        kind, info = get_args(param.annotation)
        said = [info.default, *(info.param_decls or ())]  # typer sorts them out later
        names = [one for one in said if str(one).startswith("--")]
        yield names[0] if names else "", kind, param.default is param.empty


def required(function: Any) -> list[str]:
    """What must be given, so that only the number can be wrong."""
    words = []
    for option, _, needed in options(function):
        value = WORDS.get(option, "heloc")
        words += ([option, value] if option else [value]) * needed
    return words


NUMBERS = [
    pytest.param(name, function, option, int in (kind, *get_args(kind)), id=f"{name} {option}")
    for name, function in commands()
    for option, kind, _ in options(function)
    if {int, float} & {kind, *get_args(kind), *(x for k in get_args(kind) for x in get_args(k))}
]


def refused(name: str, function: Any, option: str, value: str) -> str:
    given = [*name.split(), *required(function), f"{option}={value}"]
    result = CliRunner().invoke(app, given, env={"COLUMNS": "400", "NO_COLOR": "1"})
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert "raised this" not in result.stderr
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", result.stderr).split())


@pytest.mark.parametrize(("name", "function", "option", "whole"), NUMBERS)
def test_an_absurd_number_is_refused_by_its_option_and_limit(
    name: str, function: Any, option: str, whole: bool
) -> None:
    for value in ["nan", "inf", "-inf", "1e400", "", "many"] + ["9" * 40, "-1", "0.5"] * whole:
        said = refused(name, function, option, value)
        assert f"Invalid value for '{option}'" in said or f"error: {option} is " in said
        if value == "9" * 40:
            assert re.search(LIMIT, said), said
        elif value in ("nan", "inf", "1e400") and not whole:
            assert re.search("; it must (be|lie) ", said), said


def test_there_are_numbers_to_try() -> None:
    assert len(NUMBERS) > 35
    found = {str(one.id) for one in NUMBERS}
    assert found >= {"recommend --margin", "bounds --alpha", "study --people", "data twin --rows"}


@pytest.mark.parametrize(
    ("command", "limit"),
    [
        ("data twin heloc --out t.csv --rows 99999999999", "10000000"),
        (f"data twin heloc --out t.csv --seed {'7' * 40}", "4294967295"),
    ],
)
def test_the_limit_is_said(command: str, limit: str) -> None:
    result = CliRunner().invoke(app, command.split(), env={"COLUMNS": "400"})
    assert result.exit_code == 2
    found = re.search(LIMIT, result.stderr)
    assert found is not None, result.stderr
    assert found[1] == limit
