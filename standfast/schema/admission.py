"""Where a person may be sent: bounds, steps, directions and transitions, and why not elsewhere."""

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from standfast.errors import with_article
from standfast.schema import laws
from standfast.schema.bounds import ROUNDING
from standfast.schema.categories import UNKNOWN
from standfast.schema.grid import multiple
from standfast.schema.kinds import WHOLE

if TYPE_CHECKING:
    from standfast.schema.schema import Schema

Matrix = NDArray[np.float64]


def admits(
    schema: "Schema", own: Matrix, points: Matrix, months: float | None = None
) -> NDArray[np.bool_]:
    """Whether a person may be sent to each point: bounds, steps, directions, laws and rules."""
    limits = schema.bounds(np.atleast_2d(own), months=months)
    low, high, below, above = (part.reshape(own.shape) for part in limits)
    moved = (points >= low) & (points <= high) & _on_grid(schema, points)
    moved &= (points <= below) | (points >= above)
    moved &= ~schema.lacking(points) & (schema.columns.fills | ~schema.lacking(own))
    fits = (points == own) | (moved & schema.mutable & _allowed(schema, own, points))
    admitted: NDArray[np.bool_] = fits.all(axis=-1) & laws.hold(schema, own, points)
    return admitted


def objections(schema: "Schema", own: Matrix, point: Matrix) -> tuple[str, ...]:
    """Why a person may not be sent to a point, one sentence each; empty if they may."""
    _, lower, upper = schema.columns.limits
    on_grid = _on_grid(schema, point)
    found = []
    for j, f in enumerate(schema.features):
        a, b = own[j], point[j]
        if a == b:
            continue
        move = f"goes from {f.shown(a)} to {f.shown(b)}"
        missing = bool(f.is_missing(a))
        if not f.mutable or (missing and not schema.columns.fills[j]):
            found.append(f"{f.name} may not change, but {move}")
        elif f.is_missing(b):
            found.append(f"{f.name} may not become missing, but {move}")
        elif f.direction == "up" and b < a and not missing:
            found.append(f"{f.name} may only rise, but {move}")
        elif f.direction == "down" and b > a and not missing:
            found.append(f"{f.name} may only fall, but {move}")
        elif f.transitions is not None and np.isinf(f.flat_price(a, b)):
            found.append(f"{f.name} may not change so, but {move}")
        elif not lower[j] <= b <= upper[j]:
            ends = f"{f.shown(lower[j])} to {f.shown(upper[j])}"
            found.append(f"{f.name} is {f.shown(b)}, outside {ends}")
        elif not on_grid[j]:
            found.append(f"{f.name} is {f.shown(b)}, no multiple of its step {f.step:g}")
        elif f.least and abs(b - a) < f.least * (1.0 - ROUNDING) and not missing:
            found.append(f"{f.name} moves by at least {f.least:g} or not at all, but {move}")
    return (*found, *laws.objections(schema, own, point))


def doubts(schema: "Schema", X: Matrix) -> list[str]:
    """What is impossible about each person's own values by the schema's word; '' if nothing."""
    doubts: defaultdict[int, list[str]] = defaultdict(list)
    least, greatest, whole = schema.columns.possible
    with np.errstate(invalid="ignore"):
        usual = (least <= X) & (greatest >= X) & ~(whole & (X % 1 != 0)) & ~schema.lacking(X)
    for j in np.flatnonzero(~usual.all(axis=0)):
        f = schema.features[j]
        low, high = f.possible
        column = X[:, j].copy()
        missing = f.is_missing(column)
        if missing.any() and f.when_missing == "refuse":
            for i in np.flatnonzero(missing).tolist():
                doubts[i].append(f"{f.name} is missing, which the schema does not provide for")
        column[missing | (column == UNKNOWN)] = low if np.isfinite(low) else 0.0
        if f.coder is not None:
            continue
        tests: list[tuple[NDArray[np.bool_], str]] = [
            (column < low, f"below {f.shown(low)}, the least value that is valid"),
            (column > high, f"above {f.shown(high)}, the greatest value that is valid"),
        ]
        if f.kind in WHOLE:
            tests.append((column % 1 != 0, f"not a whole number, though {with_article(f.kind)}"))
        for wrong, why in tests:
            for i in np.flatnonzero(wrong).tolist():
                doubts[i].append(f"{f.name} is {f.shown(column[i])}, {why}")
    known = np.where(X == UNKNOWN, 0.0, X)
    for i in np.flatnonzero((laws.excess(schema, known) > 0).any(axis=1)).tolist():
        doubts[i] += laws.broken(schema, known[i])
    found = [""] * len(X)
    for i, several in doubts.items():
        found[i] = "; ".join(several)
    return found


def _allowed(schema: "Schema", own: Matrix, points: Matrix) -> NDArray[np.bool_] | bool:
    """Whether each category may become the other."""
    if not schema.columns.with_transitions:
        return True
    own, points = np.broadcast_arrays(own, points)
    allowed = np.ones(points.shape, dtype=bool)
    for j in schema.columns.with_transitions:
        price = schema.features[j].flat_price(own[..., j], points[..., j])
        allowed[..., j] = np.isfinite(price)
    return allowed


def _on_grid(schema: "Schema", points: Matrix) -> NDArray[np.bool_]:
    step, power = schema.grid
    gridded = np.where(step > 0, step, 1.0)
    with np.errstate(invalid="ignore", over="ignore"):
        on_grid = multiple(np.rint(points / gridded), gridded, power) == points
    fits: NDArray[np.bool_] = on_grid | (step == 0)
    return fits
