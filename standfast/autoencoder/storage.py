"""Autoencoders as files: arrays and a header, read without running anything, written whole."""

import json
import zipfile
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from standfast.autoencoder.layout import Layout, arranged
from standfast.autoencoder.likelihoods import CUMULATIVE
from standfast.autoencoder.weights import Weights
from standfast.errors import InputError
from standfast.files import check_writable, write_whole
from standfast.schema import Schema

if TYPE_CHECKING:
    from standfast.autoencoder.autoencoder import Autoencoder

FORMAT = 1
# what a file must tell of where the autoencoder comes from
ABOUT = ("epochs", "seed", "rows", "data", "bound", "deviation")
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
    if not path.is_file():
        raise InputError(f"there is no file '{path}'; check the path")
    header, arrays = _contents(path)
    if header.get("format") != FORMAT:
        raise InputError(
            f"'{path}' holds format {header.get('format')!r} and this standfast reads {FORMAT}; "
            f"it was written by standfast {header.get('standfast')}: {REMEDY}"
        )
    try:
        schema = Schema.from_toml(header["schema"])
        layout = Layout(**{f.name: arrays[f"layout.{f.name}"] for f in fields(Layout)})
        weights = Weights(**{f.name: arrays[f"weights.{f.name}"] for f in fields(Weights)})
        about = {name: header["about"][name] for name in ABOUT}
        found = Autoencoder(schema, layout, weights, arrays["bounds"], about)
        digest = header["digest"]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"'{path}' lacks a part of an autoencoder ({error}); {REMEDY}") from error
    wrong = unsound(found)
    if wrong or found.digest != digest:
        why = wrong or "its content does not match its digest"
        raise InputError(f"'{path}' was damaged or altered ({why}); {REMEDY}")
    return found


def _contents(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(str(arrays.pop("header")))
        if not isinstance(header, dict):
            raise ValueError("the header is no table")
    except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise InputError(
            f"cannot read '{path}' as an autoencoder ({type(error).__name__}); expected the .npz "
            "file that 'standfast autoencoder fit' writes"
        ) from error
    return header, arrays


def unsound(found: "Autoencoder") -> str:
    """What is impossible about an autoencoder's arrays; '' if nothing.

    The kernels follow these numbers unchecked: a file that was tampered with must not reach them.
    """
    a, w = found.layout, found.weights
    for name, array in {"bounds": found.bounds, **a.arrays(), **w.arrays()}.items():
        if array.dtype not in (np.float64, np.int64) or not np.isfinite(array).all():
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
