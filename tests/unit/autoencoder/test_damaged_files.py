"""Autoencoder files that were edited, damaged or replaced: read, or refused with a sentence."""

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from samples.damage import Damage, as_text, edited, hanging, raw_errors, some, spoilt

from standfast import Autoencoder, InputError

Arrays = dict[str, NDArray[Any]]

CHANGES: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "as int32": lambda a: a.astype(np.int32),
    "as float32": lambda a: a.astype(np.float32),
    "as int64": lambda a: a.astype(np.int64),
    "as float64": lambda a: a.astype(np.float64),
    "in the other byte order": lambda a: a.astype(">f8"),
    "as objects": lambda a: a.astype(object),
    "as text": lambda a: a.astype(str),
    "as complex numbers": lambda a: a.astype(complex),
    "as a table": lambda a: np.zeros(a.shape, dtype=[("a", "f8")]),
    "flat": lambda a: a.ravel(),
    "as one number": lambda a: np.array(1.0),
    "with an axis more": lambda a: a[None],
    "empty": lambda a: a[:0],
    "turned": lambda a: a.T,
    "twice": lambda a: np.concatenate([a, a]),
    "full of NaN": lambda a: np.full(a.shape, np.nan),
    "full of infinity": lambda a: np.full(a.shape, np.inf),
    "negative": lambda a: np.full(a.shape, -1).astype(a.dtype),
    "huge": lambda a: np.full(a.shape, 2**62).astype(a.dtype),
}


@pytest.fixture
def file(fitted: Autoencoder, tmp_path: Path) -> Path:
    fitted.write(tmp_path / "a.npz")
    return tmp_path / "a.npz"


def held(file: Path) -> Arrays:
    with np.load(file) as content:
        return dict(content)


def packed(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as content:
        for name, member in members.items():
            content.writestr(f"{name}.npy", member)
    return stream.getvalue()


def npy(head: str, body: bytes = bytes(80)) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + body


def edited_arrays(arrays: Arrays, found: Autoencoder) -> Iterator[Damage]:
    """Every array dropped and changed in every way, with its old fingerprint and with its own."""
    for name, array in arrays.items():
        yield f"{name} dropped", {n: a for n, a in arrays.items() if n != name}
        for words, change in CHANGES.items():
            if name == "header":
                continue
            altered = {**arrays, name: change(array)}
            yield f"{name} {words}", altered
            room, _, part = name.partition(".")
            fresh = (
                replace(found, bounds=altered[name])
                if name == "bounds"
                else replace(
                    found, **{room: replace(getattr(found, room), **{part: altered[name]})}
                )
            )
            header = json.loads(str(arrays["header"])) | {"digest": fresh.digest}
            yield f"{name} {words}, signed", {**altered, "header": np.array(json.dumps(header))}


def test_edited_arrays_are_read_or_refused_with_a_sentence(
    fitted: Autoencoder, file: Path, schema: Any, table: Any
) -> None:
    X = schema.matrix(table)[:3]

    def put(arrays: Arrays) -> None:
        np.savez(file, **arrays)  # type: ignore[arg-type]

    def use() -> None:
        with np.errstate(all="ignore"):
            found = Autoencoder.read(file)
            found.bound(X)
            found.reconstruct(X)

    damages = some(edited_arrays(held(file), fitted), 300, seed=0)
    assert raw_errors(damages, put, use) == []


def test_an_edited_header_is_read_or_refused_with_a_sentence(file: Path) -> None:
    arrays = held(file)

    def put(header: Any) -> None:
        np.savez(file, **{**arrays, "header": np.array(as_text(header))})  # type: ignore[arg-type]

    damages = some(edited(json.loads(str(arrays["header"]))), 200, seed=1)
    assert raw_errors(damages, put, lambda: Autoencoder.read(file)) == []


def test_a_damaged_file_is_read_or_refused_with_a_sentence(file: Path) -> None:
    damages = spoilt(file.read_bytes(), seed=2, flips=100)
    assert raw_errors(damages, file.write_bytes, lambda: Autoencoder.read(file)) == []


def test_what_is_no_file_is_refused_and_never_waited_for(file: Path) -> None:
    assert hanging(file, lambda: Autoencoder.read(file)) == []


@pytest.mark.parametrize(
    "content",
    [
        packed(header=npy("{'descr': '<f8', 'fortran_order': False, 'shape': (10**15,)}\n")),
        packed(header=npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}\n")),
        packed(header=npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-10,)}\n")),
        packed(header=npy("{'descr': '|O', 'fortran_order': False, 'shape': (10,)}\n")),
        packed(header=npy("{'descr': " + "[" * 5000)),
        packed(header=npy("")),
        packed(header=b"hello"),
        packed(header=bytes(2**28 + 1)),
        packed(),
    ],
    ids=[
        *("no shape", "a shape without its numbers", "a negative shape", "objects", "nested"),
        *("no head", "no array", "a large file packed small", "nothing"),
    ],
)
def test_an_archive_of_something_else_is_refused(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"cannot read .* as an autoencoder"):
        Autoencoder.read(file)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"about": 3}, r"'about' is 3 and must be a table of named fields"),
        ({"digest": "x"}, "'digest' is \"x\" and must be a fingerprint of 64 hexadecimal digits"),
        ({"schema": None}, "'schema' is null and must be a text"),
        ({"format": 2}, "holds format 2 and this standfast reads 1; it was written by a later"),
        ({"format": "1"}, "'format' is \"1\" and must be a whole number of at least 1"),
    ],
)
def test_what_is_wrong_in_the_header_is_named(
    file: Path, change: dict[str, Any], sentence: str
) -> None:
    arrays = held(file)
    header = json.loads(str(arrays["header"])) | change
    np.savez(file, **{**arrays, "header": np.array(json.dumps(header))})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=sentence):
        Autoencoder.read(file)


def test_read_written_and_read_again_nothing_changes(file: Path, tmp_path: Path) -> None:
    first = Autoencoder.read(file)
    first.write(tmp_path / "again.npz")
    second = Autoencoder.read(tmp_path / "again.npz")
    assert second.digest == first.digest
    assert second.about == first.about
    for name, array in held(file).items():
        np.testing.assert_array_equal(held(tmp_path / "again.npz")[name], array)
