"""Where people may go, as the projection kernels read it, and the way back there."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import Struct
from standfast.schema.bounds import Bounds
from standfast.schema.grid import Reach, Rules
from standfast.schema.options import options_of
from standfast.schema.projection import project_rows

if TYPE_CHECKING:
    from standfast.schema.schema import Schema

Matrix = NDArray[np.float64]


def reach_of(
    schema: "Schema", own: Matrix, bounds: Bounds | None = None, home: Matrix | None = None
) -> Any:
    """Where people may go from `own`, within their bounds (see `Schema.reach`)."""
    limits = schema.bounds(own) if bounds is None else bounds
    home = own if home is None else home
    own, home, b = (np.ascontiguousarray(part) for part in (own, home, schema.law_bounds(home)))
    low, high, below, above = map(np.ascontiguousarray, limits)
    return Struct(Reach(own, low, high, below, above, b, home, schema.kernel_rules))


def kernel_rules(schema: "Schema") -> Rules:
    """What the projection kernels need besides a person's bounds: grid, laws, options."""
    parts = (*schema.grid, schema.columns.unit, schema.law_rows)
    step, power, unit, A = (np.ascontiguousarray(part) for part in parts)
    return Rules(step, power, unit, A, options_of(schema.features))


def project(schema: "Schema", x: Matrix, points: Matrix, bounds: Bounds | None) -> Matrix:
    """For each point the nearest one the schema admits (see `Schema.project`)."""
    own = np.ascontiguousarray(np.atleast_2d(x))
    rows = np.ascontiguousarray(np.atleast_2d(points))
    moved = project_rows(rows, reach_of(schema, own, bounds))
    if schema.rules:  # no walk leads back into a rule
        kept = schema.keeps_rules(moved).all(axis=1, keepdims=True)
        moved = np.where(kept, moved, own)
    return moved.reshape(points.shape)
