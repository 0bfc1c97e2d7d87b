"""Where the commands write: never onto something that they read, nor into a folder of it."""

import os
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from standfast.cli.console import undisturbed
from standfast.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


def check_separate(
    outputs: Mapping[str, Iterable[Path | None]],
    inputs: Iterable[Path | None],
    folders: Iterable[Path | None] = (),
) -> None:
    """Refuse to write where something that is read lives; asked before any work.

    `outputs` holds for each option the files and folders that it makes; `inputs` are the files and
    `folders` the folders that are read. Links are followed, and a hard link counts as the file.
    """
    written = [(option, path) for option, paths in outputs.items() for path in paths if path]
    read = [(path, False) for path in inputs if path] + [(path, True) for path in folders if path]
    for given, whole in read:
        for option, path in written:
            if _same(path, given):
                raise InputError(
                    f"{option} would overwrite '{given}', which is read; choose another path"
                )
            if whole and (_inside(path, given) or _linked(path, given)):
                raise InputError(
                    f"{option} would write into '{given}', which is read; choose a path outside it"
                )
            if path.is_dir() and _inside(given, path):
                raise InputError(
                    f"{option} would write into '{path}', where '{given}' lies, which is read; "
                    "choose another path"
                )
    for (first, one), (second, other) in combinations(written, 2):
        if first != second and _same(one, other):
            raise InputError(f"{first} and {second} both name '{one}'; choose two paths")


def check_tables(
    outputs: Mapping[str, Path | None],
    inputs: Iterable[Path | None],
    folders: Iterable[Path | None] = (),
) -> None:
    """The same for options that each name a table, whose format must be known."""
    from standfast.files import check_table_path

    check_separate({option: [path] for option, path in outputs.items()}, inputs, folders)
    for path in filter(None, outputs.values()):
        check_table_path(path)


def write(*tables: "tuple[Path | None, Callable[[], pd.DataFrame]]") -> None:
    """Write those tables that have a place, as a whole: Ctrl-C waits."""
    from standfast.files import write_table

    with undisturbed():
        for path, table in tables:
            if path is not None:
                write_table(table(), path)


def say_written(*files: Path | None) -> None:
    """Say where the results are, of those that were asked for."""
    for file in files:
        if file is not None:
            typer.echo(f"written to {file}")


def _same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def _inside(path: Path, folder: Path) -> bool:
    """Whether the path, or what it links to, lies in the folder."""
    places = (Path(os.path.realpath(path.parent)) / path.name, Path(os.path.realpath(path)))
    return any(_same(parent, folder) for place in places for parent in place.parents)


def _linked(path: Path, folder: Path) -> bool:
    """Whether the path is a second name of a file in the folder."""
    if not path.is_file() or path.stat().st_nlink < 2:
        return False
    return any(file.is_file() and file.samefile(path) for file in folder.rglob("*"))
