"""Damage to files: what editors, disks and strangers do to them, the same for every seed."""

import copy
import csv
import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

# what may stand where something else is meant; "@deep@" becomes a hundred thousand brackets
WRONG = (
    *(None, True, -1, 0, 7, 1.5, 2**70, -(2**70), float("nan"), float("inf"), 1e300),
    *("", "abc", "../../x", "/etc/hosts", "a\x00b", "\ud800", "x" * 20_000, "3", "@deep@"),
    *([], [[]], [1, "a", None], {}, {"a": {"b": 1}}, ["abc"] * 3),
)
DEEP = 100_000


def edited(content: Any) -> Iterator[tuple[str, Any]]:
    """Every field of a JSON value dropped, renamed, and given each of the wrong values."""
    for path in _paths(content):
        name = "/".join(map(str, path))
        if path:
            yield f"{name} dropped", _changed(content, path, _drop)
            yield f"{name} doubled or renamed", _changed(content, path, _rename)
        for k, wrong in enumerate(WRONG):
            yield f"{name} = wrong value {k}", _changed(content, path, _put(wrong))
    if isinstance(content, dict):
        yield "a field more", {**content, "later": [1, {"a": None}]}


def _paths(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(content, dict):
        for key in content:
            yield from _paths(content[key], (*path, key))
    elif isinstance(content, list):
        for k in sorted({0, len(content) - 1} - {-1}):
            yield from _paths(content[k], (*path, k))


def _changed(content: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    holder = [copy.deepcopy(content)]
    place: Any = holder
    for key in (0, *path)[:-1]:
        place = place[key]
    change(place, (0, *path)[-1])
    return holder[0]


def _put(value: Any) -> Callable[[Any, Any], None]:
    def put(place: Any, key: Any) -> None:
        place[key] = value

    return put


def _drop(place: Any, key: Any) -> None:
    del place[key]


def _rename(place: Any, key: Any) -> None:
    if isinstance(place, list):
        place.append(place[key])
    else:
        place[f"{key}_"] = place.pop(key)


def as_text(content: Any) -> str:
    """JSON text; what asks for it is nested deeper than any parser likes."""
    return json.dumps(content).replace('"@deep@"', "[" * DEEP + "]" * DEEP)


def spoilt(whole: bytes, seed: int, flips: int = 40) -> Iterator[tuple[str, bytes]]:
    """The bytes cut off, altered here and there, or replaced."""
    rng = np.random.default_rng(seed)
    for share in (0.0, 0.01, 0.1, 0.3, 0.5, 0.8, 0.95, 0.999):
        yield f"cut to {share:.1%}", whole[: int(share * len(whole))]
    for k in range(flips):
        altered = bytearray(whole)
        for at in rng.integers(0, len(whole), 1 + k % 4):
            altered[at] ^= int(rng.integers(1, 256))
        yield f"altered {k}", bytes(altered)
    for k in range(8):
        at = int(rng.integers(0, len(whole)))
        yield f"without some bytes {k}", whole[:at] + whole[at + 1 + k :]
    yield "zeros", bytes(len(whole))
    yield "noise", rng.bytes(len(whole))
    yield "twice", whole + whole
    yield "with a byte order mark", b"\xef\xbb\xbf" + whole
    yield "in another encoding", whole.decode("latin-1").encode("utf-16")


def misplaced(path: Path) -> Iterator[str]:
    """In the place of a file: nothing, a folder, a pipe, an endless device, a link to itself."""
    kept = path.read_bytes()
    makers: dict[str, Callable[[], object]] = {
        "nothing": lambda: None,
        "a folder": path.mkdir,
        "a pipe": lambda: os.mkfifo(path),
        "a device without end": lambda: path.symlink_to("/dev/zero"),
        "a device without content": lambda: path.symlink_to("/dev/null"),
        "a link to itself": lambda: path.symlink_to(path),
        "a broken link": lambda: path.symlink_to(path.with_name("nowhere")),
    }
    for name, make in makers.items():
        path.unlink()
        make()
        yield name
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)
        path.write_bytes(kept)


def edited_cells(text: str, seed: int, cells: int = 120) -> Iterator[tuple[str, str]]:
    """A CSV file with columns dropped, doubled, renamed or swapped, and cells overwritten."""
    rng = np.random.default_rng(seed)
    rows = list(csv.reader(io.StringIO(text)))
    names = rows[0]
    for j, name in enumerate(names):
        yield f"{name} dropped", _csv([[*row[:j], *row[j + 1 :]] for row in rows])
        yield f"{name} doubled", _csv([[*row, row[j]] for row in rows])
        yield f"{name} renamed", _csv([[*names[:j], "x", *names[j + 1 :]], *rows[1:]])
        k = (j + 1) % len(names)
        swapped = [list(row) for row in rows[1:]]
        for row in swapped:
            row[j], row[k] = row[k], row[j]
        yield f"{name} swapped with {names[k]}", _csv([names, *swapped])
    wrong = ["", "abc", "nan", "inf", "-1", "1e400", str(2**70), "1e300", "0x10", "'", "1,5", "é"]
    wrong += ["found", "infeasible", "Lost", "x" * 50_000, "1\x002", "1.5"]
    for _ in range(cells):
        i, j = int(rng.integers(1, len(rows))), int(rng.integers(len(names)))
        value = wrong[int(rng.integers(len(wrong)))]
        altered = [list(row) for row in rows]
        altered[i][j] = value
        yield f"row {i}, {names[j]} = {value[:20]!r}", _csv(altered)
    yield "no rows", _csv(rows[:1])
    yield "no header", _csv(rows[1:])
    yield "a row twice", _csv([*rows, rows[1]])
    yield "a row less", _csv(rows[:-1])
    yield "the rows turned round", _csv([rows[0], *rows[:0:-1]])
    yield "a comma more", text[:-1] + ",1\n"
    yield "an open quote", text.replace("\n", '\n"', 2)
    yield "semicolons", text.replace(",", ";")


def _csv(rows: list[list[str]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()
