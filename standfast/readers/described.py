"""Sums of one function per input in plain words and numbers, to be written and read again."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from standfast.readers.columns.code import (
    Binned,
    Celled,
    Coded,
    Exceeding,
    Filled,
    Marked,
    Named,
    Tabled,
)
from standfast.readers.columns.contribution import Contribution
from standfast.readers.columns.splined import Basis, Splined
from standfast.readers.columns.step import (
    Applied,
    Clipped,
    Powered,
    Raised,
    Ranked,
    Scaled,
    Stretched,
)
from standfast.scores.score import Vector

KINDS: dict[str, Callable[..., Any]] = {
    kind.__name__: kind
    for kind in (
        *(Contribution, Scaled, Stretched, Clipped, Powered, Ranked, Raised, Applied),
        *(Binned, Coded, Tabled, Named, Exceeding, Filled, Marked, Splined, Basis, Celled),
    )
}


class IndescribableError(Exception):
    """A part that plain words and numbers cannot give, such as a function of the user's."""


@dataclass
class Pool:
    """The numbers of all arrays, one after the other."""

    parts: list[Vector] = field(default_factory=list)
    size: int = 0

    def add(self, array: Any) -> list[Any]:
        """Keep an array; where it begins, and its shape."""
        if array.dtype != np.float64:
            raise IndescribableError
        begin = self.size
        self.parts.append(np.ascontiguousarray(array).ravel())
        self.size += array.size
        return [begin, list(array.shape)]

    def whole(self) -> Vector:
        """All of them."""
        return np.concatenate([np.empty(0), *self.parts])


def described(thing: Any, pool: Pool) -> Any:
    """A function's parts as what JSON can hold; its arrays go into the pool."""
    name = type(thing).__name__
    if KINDS.get(name) is type(thing):
        parts = {f.name: described(getattr(thing, f.name), pool) for f in fields(thing)}
        return {"kind": name, "parts": parts}
    if isinstance(thing, np.ndarray):
        return {"array": pool.add(thing)}
    if isinstance(thing, np.generic):
        return {"scalar": [thing.dtype.str, described(thing.item(), pool)]}
    if isinstance(thing, tuple):
        return {"tuple": [described(part, pool) for part in thing]}
    if isinstance(thing, np.ufunc) and _ufunc(thing.__name__) is thing:
        return {"ufunc": thing.__name__}
    if isinstance(thing, Mapping) and not thing:
        return {"empty": True}
    if isinstance(thing, float) and not math.isfinite(thing):
        return {"number": repr(thing)}
    if thing is None or isinstance(thing, bool | int | float | str):
        return thing
    raise IndescribableError


def restored(found: Any, pool: Vector) -> Any:
    """What was described; anything else is a KeyError, a TypeError or a ValueError."""
    if not isinstance(found, dict):
        return found
    if "kind" in found:
        parts = {name: restored(part, pool) for name, part in found["parts"].items()}
        return KINDS[found["kind"]](**parts)
    if "array" in found:
        begin, shape = found["array"]
        return pool[begin : begin + math.prod(shape)].reshape(shape)
    if "scalar" in found:
        dtype, value = found["scalar"]
        return np.dtype(dtype).type(restored(value, pool))
    if "tuple" in found:
        return tuple(restored(part, pool) for part in _sequence(found["tuple"]))
    if "ufunc" in found:
        return _ufunc(found["ufunc"])
    if "number" in found:
        return float(found["number"])
    if "empty" in found:
        return {}
    raise KeyError(str(found))


def _sequence(found: Any) -> Sequence[Any]:
    if not isinstance(found, list):
        raise TypeError("not a list")
    return found


def _ufunc(name: str) -> np.ufunc:
    """A ufunc of numpy or scipy by its name."""
    import scipy.special

    for place in (np, scipy.special):
        found = getattr(place, name, None)
        if isinstance(found, np.ufunc):
            return found
    raise KeyError(name)
