"""Autoencoders as files: arrays and a header, read without running anything, written whole."""

import io
import json
import math
import os
import zipfile
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from standfast.autoencoder.layout import NUMBER, Layout, arranged
from standfast.autoencoder.likelihoods import CUMULATIVE
from standfast.autoencoder.weights import Weights
from standfast.errors import InputError
from standfast.files import check_writable, read_bytes, write_whole
from standfast.schema import Schema
from standfast.structure import (
    FINGERPRINT,
    TEXT,
    Record,
    check,
    check_format,
    number,
    parse,
    whole,
)

if TYPE_CHECKING:
    from standfast.autoencoder.autoencoder import Autoencoder

FORMAT = 1
MOST = 2**28  # bytes, packed and unpacked; one of a hundred inputs takes a few million
# what a file must say of where the autoencoder comes from
ABOUT = {
    "epochs": whole(),
    "seed": whole(0, 2**128),
    "rows": whole(),
    "data": TEXT,
    "bound": number(),
    "deviation": number(0),
}
HEADER = Record(
    {"format": whole(1), "schema": TEXT, "about": Record(ABOUT), "digest": FINGERPRINT},
    {"standfast": TEXT},
)
# the arrays of whole numbers
COUNTED = ("free", "given", "kind", "logged", "levels", "code", "given_code")
REMEDY = "fit it again (standfast autoencoder fit) or fetch the file anew"


def check_path(path: Path | str) -> Path:
    """The path, if it ends in .npz and a file can be written there."""
    path = Path(path)
    if path.suffix != ".npz":
        raise InputError(f"'{path}' must end in .npz, the format of a fitted autoencoder")
    return check_writable(path)


def write(autoencoder: "Autoencoder", path: Path | str) -> None:
    """Write the autoencoder whole: a JSON header and the arrays, in numpy's .npz."""
    path = check_path(path)
    header = {
        "format": FORMAT,
        "standfast": version("standfast"),
        "schema": autoencoder.schema_text,
        "about": dict(autoencoder.about),
        "digest": autoencoder.digest,
    }
    arrays: dict[str, Any] = {
        "header": np.array(json.dumps(header)),
        "bounds": autoencoder.bounds,
        **{f"layout.{name}": array for name, array in autoencoder.layout.arrays().items()},
        **{f"weights.{name}": array for name, array in autoencoder.weights.arrays().items()},
    }

    def fill(part: Path) -> None:
        with part.open("wb") as stream:
            np.savez(stream, **arrays)

    write_whole(path, fill)


def read(path: Path | str) -> "Autoencoder":
    """The autoencoder in a file, if the file is whole, unaltered and sound."""
    from standfast.autoencoder.autoencoder import Autoencoder

    path = Path(path)
    if not os.path.exists(path):
        raise InputError(f"there is no file '{path}'; check the path")
    header, arrays = _contents(path)
    check_format(header, FORMAT, path)
    for name, of in (("code", "free"), ("given_code", "given")):  # not in version 0.1.0
        places = np.ravel(arrays.get(f"layout.{of}", np.zeros(0)))
        arrays.setdefault(f"layout.{name}", np.full(len(places), NUMBER, dtype=np.int64))
    try:
        check(header, HEADER)
        schema = Schema.from_toml(header["schema"])
        parts = [
            {f.name: _part(arrays, f"{room}.{f.name}") for f in fields(kind)}
            for room, kind in (("layout", Layout), ("weights", Weights))
        ]
        layout, weights, bounds = Layout(**parts[0]), Weights(**parts[1]), _part(arrays, "bounds")
    except InputError as error:
        raise InputError(f"'{path}' lacks a part of an autoencoder ({error}); {REMEDY}") from error
    about = {name: header["about"][name] for name in ABOUT}
    found = Autoencoder(schema, layout, weights, bounds, about)
    wrong = unsound(found)
    if wrong or found.digest != header["digest"]:
        why = wrong or "its content does not match its digest"
        raise InputError(f"'{path}' was damaged or altered ({why}); {REMEDY}")
    return found


def _part(arrays: dict[str, NDArray[Any]], name: str) -> NDArray[Any]:
    if name not in arrays:
        raise InputError(f"the array '{name}' is missing")
    return arrays[name]


def _contents(path: Path) -> tuple[Any, dict[str, NDArray[Any]]]:
    content = read_bytes(path, MOST, "an autoencoder")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            if sum(member.file_size for member in file.infolist()) > MOST:
                raise ValueError("it unpacks to more than any autoencoder holds")
            packed = {name.removesuffix(".npy"): file.read(name) for name in file.namelist()}
        arrays = {name: _array(one) for name, one in packed.items()}
        return parse(str(arrays.pop("header"))), arrays
    except Exception as error:  # zip files and arrays break in a dozen ways
        reason = str(error) if isinstance(error, InputError) else type(error).__name__
        raise InputError(
            f"cannot read '{path}' as an autoencoder ({reason}); expected the .npz file that "
            "'standfast autoencoder fit' writes"
        ) from error


def _array(content: bytes) -> NDArray[Any]:
    """The array in the bytes of an .npy file, which must be as long as its shape says."""
    stream = io.BytesIO(content)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("another version of .npy than standfast writes")
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    # numpy makes room for what the header claims before it looks for the numbers
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise ValueError("the array is cut off, or holds something else than numbers")
    stream.seek(0)
    array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return array


def unsound(found: "Autoencoder") -> str:
    """What is impossible about an autoencoder's arrays; '' if nothing.

    The kernels follow these numbers unchecked: a file that was tampered with must not reach them.
    """
    a, w = found.layout, found.weights
    for name, array in {"bounds": found.bounds, **a.arrays(), **w.arrays()}.items():
        kind = np.dtype(np.int64 if name in COUNTED else np.float64)
        if array.dtype != kind or not np.isfinite(array).all():
            return f"{name} holds something else than numbers"
    for name, expected in arranged(found.schema).items():
        if not np.array_equal(getattr(a, name), expected):
            return f"{name} does not fit the schema"
    d, c, width = len(a.free), len(a.given), len(found.schema)
    if w.prior.ndim != 2 or w.edges.ndim != 2 or min(w.prior.shape) < 1:
        return "the prior or the thresholds have no shape"
    (S, Z), most = w.prior.shape, w.edges.shape[1]
    shapes = {
        **dict.fromkeys(("offset", "variance"), (S, d)),
        **dict.fromkeys(("loadings", "expert_slope", "expert_offset"), (S, d, Z)),
        **dict.fromkeys(("precision_slope", "precision_offset"), (S, d, Z)),
        "conditions": (S, d, c),
        "expert_conditions": (d, Z, c),
        "edges": (d, most),
    }
    for name, shape in shapes.items():
        if getattr(w, name).shape != shape:
            return f"{name} has the shape {getattr(w, name).shape}, not {shape}"
    for name, length in {"centre": width, "scale": width, "base": d, "cap": d, "lowest": d}.items():
        if getattr(a, name).shape != (length,):
            return f"{name} has the shape {getattr(a, name).shape}, not ({length},)"
    levels = a.levels[a.kind == CUMULATIVE] if a.levels.shape == (d,) else np.array([-1])
    if (levels < 2).any() or (levels > most - 1).any():
        return "the levels of ordinals do not fit their thresholds"
    if found.bounds.ndim != 1 or len(found.bounds) < 2 or (np.diff(found.bounds) < 0).any():
        return "the training people's bounds are out of order"
    if (w.variance <= 0).any() or (a.scale <= 0).any():
        return "a variance or scale is not positive"
    return ""
