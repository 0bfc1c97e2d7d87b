"""No function asks for more than eight things."""

import ast
from pathlib import Path

import pytest

import standfast

PACKAGE = Path(standfast.__file__).parent
MOST = 8
ROOMS = ("cli", "rivals", "readers", "scores", "schema", "datasets", "bounds", "autoencoder")
# called by the sampling kernels with their own arrays
EXCEPT = {"middle_of", "repair"}


@pytest.mark.parametrize("room", ROOMS)
def test_functions_have_at_most_eight_parameters(room: str) -> None:
    crowded = []
    for file in sorted((PACKAGE / room).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                every = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
                count = len([one for one in every if one.arg not in ("self", "cls")])
                if count > MOST and node.name not in EXCEPT:
                    crowded.append(f"{file.name}: {node.name} has {count}")
    assert crowded == []
