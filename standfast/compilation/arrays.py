"""Room for kernels to work in: named tuples of arrays, whose fields say how long each axis is."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

T = TypeVar("T")


def zeros(kind: Callable[..., T], sizes: Mapping[str, int], **fields: Any) -> T:
    """A named tuple of zeros, as long along each axis as its size; `fields` are given as they are.

    >>> from typing import NamedTuple
    >>> from numpy.typing import NDArray
    >>> class Box(NamedTuple):
    ...     low: Annotated[NDArray[np.int64], "inputs"]
    ...     spread: Annotated[NDArray[np.float64], 2, "inputs"]
    >>> zeros(Box, {"inputs": 1}, low=np.ones(1))
    Box(low=array([1.]), spread=array([[0.],
           [0.]]))
    """
    made = {
        name: np.zeros([sizes[axis] if isinstance(axis, str) else axis for axis in axes], dtype)
        for name, dtype, axes in _arrays_of(kind)
        if name not in fields
    }
    return kind(**made, **fields)


@cache
def _arrays_of(kind: Any) -> tuple[tuple[str, Any, tuple[str | int, ...]], ...]:
    """Each array's name, what it holds, and its axes: names of sizes, or lengths."""
    found = []
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if get_origin(hint) is Annotated:
            array, *axes = get_args(hint)
            dtype = get_args(get_args(array)[1])[0]
            found.append((name, dtype, tuple(axes)))
    return tuple(found)
