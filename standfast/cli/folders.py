"""Folders of models as the commands read them: what is wrong with one names the option."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.rivals import FreshModels, LevelSet
    from standfast.schema import Schema


def fresh_models(path: Path, schema: "Schema", trust: Sequence[str]) -> "FreshModels":
    """The fresh models in a folder, which must read the schema's inputs."""
    from standfast.rivals import FreshModels

    with _named("--fresh", path, "standfast fresh draw"):
        found = FreshModels.load(path, trust=trust)
    _check_inputs("--fresh", path, found.schema, schema, "draw")
    return found


def level_set(path: Path, schema: "Schema", trust: Sequence[str]) -> "LevelSet":
    """The level set in a folder, which must read the schema's inputs."""
    from standfast.rivals import LevelSet

    with _named("--level-set", path, "standfast level-set build"):
        found = LevelSet.load(path, trust=trust)
    _check_inputs("--level-set", path, found.schema, schema, "build")
    return found


@contextmanager
def _named(option: str, path: Path, maker: str) -> Iterator[None]:
    """Let an error name the option, and say which folder is wanted where this is none."""
    from standfast.rivals.header import HEADER

    what = ""
    if not path.exists():
        what = "there is no such folder"
    elif not path.is_dir():
        what = "this is a file, not a folder"
    elif not (path / HEADER).exists():
        what = f"this folder holds no models (there is no {HEADER} in it)"
    if what:
        raise InputError(f"{option} '{path}': {what}; name a folder that '{maker}' wrote")
    try:
        yield
    except InputError as error:
        raise InputError(f"{option}: {error}") from error


def _check_inputs(
    option: str, path: Path, own: "Schema | None", schema: "Schema", make: str
) -> None:
    if own is not None and own.names != schema.names:
        raise InputError(
            f"{option} '{path}': its models read other inputs than these people have; {make} it "
            "again with the same schema"
        )
