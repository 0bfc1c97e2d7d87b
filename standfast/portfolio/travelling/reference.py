"""The reference table's percentiles as a file of plain numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from standfast.digests import digest_of_file
from standfast.errors import InputError
from standfast.percentiles import Percentiles
from standfast.schema import Schema

FILE = "percentiles.npz"


def write(percentiles: Percentiles, folder: Path) -> dict[str, Any]:
    """Write the values and shares of every column; what the header is to know of them."""
    arrays = {}
    for j, name in enumerate(percentiles.names):
        arrays[f"values{j}"] = percentiles.values[name]
        arrays[f"shares{j}"] = percentiles.shares[name]
    np.savez_compressed(folder / FILE, **arrays)  # type: ignore[arg-type]
    return {
        "sha256": digest_of_file(folder / FILE),
        "rows": percentiles.rows,
        "origin": percentiles.origin,
        "deviations": [float(one) for one in percentiles.deviations.values()],
        "known": [int(one) for one in percentiles.known.values()],
        "digest": percentiles.digest,
    }


def read(folder: Path, about: Mapping[str, Any], schema: Schema) -> Percentiles:
    """The percentiles as they were, of the schema's columns in its order."""
    file = folder / FILE
    damaged = InputError(f"'{file}' is missing or was changed; save the advisor again")
    try:
        if digest_of_file(file) != about["sha256"]:
            raise damaged
        with np.load(file, allow_pickle=False) as arrays:
            values, shares = (
                {name: arrays[f"{what}{j}"] for j, name in enumerate(schema.names)}
                for what in ("values", "shares")
            )
    except InputError:
        raise
    except Exception as error:  # whatever numpy makes of it
        raise damaged from error
    found = Percentiles(
        values,
        shares,
        dict(zip(schema.names, about["deviations"], strict=True)),
        about["rows"],
        dict(zip(schema.names, about["known"], strict=True)),
        about["origin"],
        tuple(schema.features),
    )
    if found.digest != about["digest"]:
        raise damaged
    return found
