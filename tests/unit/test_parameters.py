"""No function asks for more than eight things."""

import ast
from pathlib import Path

import pytest

import standfast

PACKAGE = Path(standfast.__file__).parent
MOST = 8
ROOMS = sorted({file.relative_to(PACKAGE).parts[0] for file in PACKAGE.rglob("*.py")})


@pytest.mark.parametrize("room", ROOMS)
def test_functions_have_at_most_eight_parameters(room: str) -> None:
    crowded = []
    place = PACKAGE / room
    for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                every = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
                count = len([one for one in every if one.arg not in ("self", "cls")])
                if count > MOST:
                    crowded.append(f"{file.name}: {node.name} has {count}")
    assert crowded == []
