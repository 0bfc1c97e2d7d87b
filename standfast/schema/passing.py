"""What passes by itself: where people will stand some months from now."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standfast.errors import InputError
from standfast.schema.bounds import ROUNDING
from standfast.schema.grid import multiple

if TYPE_CHECKING:
    from standfast.schema.schema import Schema

Matrix = NDArray[np.float64]


def moved_on(schema: "Schema", X: Matrix, months: ArrayLike) -> Matrix:
    """Each person some months later: inputs with a drift have moved by as many whole steps.

    Nobody knows how long ago somebody turned 35, so after six months they are 35 still. A missing
    value stays missing, and nothing passes beyond what is possible.
    """
    passed = np.reshape(np.asarray(months, dtype=np.float64), (-1, 1)) * schema.drift
    if not schema.drift.any():
        return X
    step, power = schema.grid
    gridded = np.where(step > 0, step, 1.0)
    k = np.trunc(passed / gridded * (1.0 + ROUNDING))
    still = (passed == 0.0) | schema.lacking(X)
    start = np.where(still, 0.0, X)  # a missing value cannot be calculated with
    moved = start + np.where(step > 0, multiple(k, gridded, power), passed)
    tidy = np.rint(moved * power) / power  # 0.1 + 0.2 is 0.3
    moved = np.where((step > 0) & (np.abs(tidy - moved) < 1e-6 * gridded), tidy, moved)
    low, high = np.array([f.possible for f in schema]).T
    return np.where(still, X, np.clip(moved, np.minimum(low, X), np.maximum(high, X)))


def check_drifts(schema: "Schema") -> None:
    """Refuse drifts that changes which go together do not allow."""
    if not schema.changes or not schema.drift.any():
        return
    couplings = schema.couplings
    apart = couplings.A @ schema.drift
    for row in np.flatnonzero(apart > ROUNDING * (np.abs(couplings.A) @ np.abs(schema.drift))):
        change = schema.changes[int(couplings.owner[row])]
        named = [name for name, _ in change.terms]
        drifts = ", ".join(f"{name} {schema[name].drift or 0:g}" for name in named)
        raise InputError(
            f"the change '{change}' does not hold for what changes by itself in a month "
            f"({drifts}); give drifts that go together, or leave the change out"
        )
