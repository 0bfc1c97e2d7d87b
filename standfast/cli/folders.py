"""Folders of models as the commands read them: what is wrong with one names the option."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.rivals import FreshModels, LevelSet
    from standfast.schema import Schema

Models = TypeVar("Models", "FreshModels", "LevelSet")


def fresh_models(path: Path, schema: "Schema", trust: Sequence[str]) -> "FreshModels":
    """The fresh models in a folder, which must read the schema's inputs."""
    from standfast.rivals import FreshModels

    return _loaded(FreshModels.load, path, schema, trust, "--fresh", "fresh draw")


def level_set(path: Path, schema: "Schema", trust: Sequence[str]) -> "LevelSet":
    """The level set in a folder, which must read the schema's inputs."""
    from standfast.rivals import LevelSet

    return _loaded(LevelSet.load, path, schema, trust, "--level-set", "level-set build")


def _loaded(
    load: Callable[..., Models],
    path: Path,
    schema: "Schema",
    trust: Sequence[str],
    option: str,
    maker: str,
) -> Models:
    """What a folder of the option holds; an error says which command makes the one wanted."""
    from standfast.rivals.header import HEADER

    what = ""
    if not path.exists():
        what = "there is no such folder"
    elif not path.is_dir():
        what = "this is a file, not a folder"
    elif not (path / HEADER).exists():
        what = f"this folder holds no models (there is no {HEADER} in it)"
    if what:
        raise InputError(f"{option} '{path}': {what}; name a folder that 'standfast {maker}' wrote")
    try:
        found = load(path, trust=trust)
    except InputError as error:
        raise InputError(f"{option}: {error}") from error
    if found.schema is not None and found.schema.names != schema.names:
        raise InputError(
            f"{option} '{path}': its models read other inputs than these people have; "
            f"{maker.split()[-1]} it again with the same schema"
        )
    return found
