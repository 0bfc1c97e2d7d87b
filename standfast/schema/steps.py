"""The steps of a draft: what a column's values have in common, and round numbers."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standfast.errors import listing
from standfast.schema.decimals import MOST_STEPS, decimals_of
from standfast.schema.relation import Relation

Vector = NDArray[np.float64]

# rounded steps are recognised although one person in twenty gave an exact number
MOST_EXCEPTIONS = 0.05
# k different values that happen to be multiples of g: odds of 1 to g^k, here at least a million
LEAST_EVIDENCE = 6.0
MANY_ROWS = 50


@dataclass(frozen=True)
class Step:
    """A step and the sentence that says why."""

    size: float
    why: str


def common_step(column: Vector, distinct: Vector) -> Step | None:
    """The step greater than the last decimal's that (nearly) all values are multiples of, if any.

    >>> rows = np.array([20_000, 50_000, 90_000, 0, 120_000])
    >>> common_step(rows, np.unique(rows)).size
    10000.0
    """
    for decimals in range(5):
        unit = 10.0**decimals
        if np.abs(distinct).max() * unit >= MOST_STEPS:
            return None
        if np.array_equal(np.round(distinct, decimals), distinct):
            break
    else:
        return None
    rows = np.rint(np.abs(column[column != 0]) * unit).astype(np.int64)
    values = np.rint(np.abs(distinct[distinct != 0]) * unit).astype(np.int64)
    if len(values) < 2:
        return None
    exact = int(np.gcd.reduce(values))
    for size in _rounded(exact, int(values.max())):
        exceptions = int((rows % size != 0).sum())
        regular = values[values % size == 0]
        few = exceptions <= MOST_EXCEPTIONS * len(rows)
        if few and len(regular) > 2 and _evident(size, rows, regular):
            why = f"step: all but {exceptions:,} of {len(rows):,} values are multiples of"
            return Step(size / unit, f"{why} {size / unit:,.10g}")
    if exact > 1 and _evident(exact, rows, values):
        return Step(exact / unit, f"step: every value is a multiple of {exact / unit:,.10g}")
    return None


def _rounded(least: int, largest: int) -> list[int]:
    """Those of 10, 20, 50, 100, … above `least` and up to half of `largest`, the greatest first."""
    sizes = [m * 10**k for k in range(1, 16) for m in (1, 2, 5)]
    return [size for size in reversed(sizes) if least < size <= largest / 2]


def _evident(size: int, rows: NDArray[np.int64], values: NDArray[np.int64]) -> bool:
    return len(rows) >= MANY_ROWS or len(values) * np.log10(size) >= LEAST_EVIDENCE


def round_step(column: Vector, unit: float) -> Step | None:
    """The least of 1, 2, 5, 10, … units from one per cent of the inter-quartile range on, if any.

    Where the quartiles are equal, as in a column of mostly zeros, those of the other values count.
    No tail of the column makes the step coarser.

    >>> round_step(np.linspace(0, 9000, 91), 1).size, round_step(np.linspace(0, 1, 91), 1e-6).size
    (50.0, 0.005)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        low, middle, high = np.quantile(column, [0.25, 0.5, 0.75])
        others = column[column != middle]
        if low == high and len(others):
            low, high = np.quantile(others, [0.25, 0.75])
        wanted = float(high - low) / 100
    if not 0 < wanted < math.inf:
        return None
    units = max(wanted / unit, 1.0)
    if not math.isfinite(units):
        return None
    power = 10.0 ** math.floor(math.log10(units))
    times = next(m for m in (1, 2, 5, 10) if m * power >= units * (1 - 1e-9))
    size = float(f"{times * power * unit:.12g}")
    if float(np.abs(column).max()) / size > MOST_STEPS:
        return None
    return Step(
        size,
        f"step: {size:,.10g}, near one per cent of the inter-quartile range {100 * wanted:,.4g}",
    )


def tied_steps(columns: Mapping[str, Vector], relations: Iterable[Relation]) -> dict[str, Step]:
    """One step for the inputs that equalities tie together: what all their values are multiples of.

    With rounder steps of their own, a change of one could hardly ever be made up by the others.

    >>> rows = {"net": np.array([1.25, 2.5]), "tax": np.array([1.0, 2.0])}
    >>> tied_steps(rows, [Relation((("net", 1.0), ("tax", -1.0)), 0.0, equal=True)])["tax"].size
    0.25
    """
    groups: list[set[str]] = []
    for relation in relations:
        if relation.equal:
            tied = {name for name, _ in relation.terms}
            joined = [group for group in groups if group & tied]
            groups = [group for group in groups if not group & tied] + [tied.union(*joined)]
    found: dict[str, Step] = {}
    for group in groups:
        values = np.concatenate([columns[name] for name in group])
        size = _divisor(values[np.isfinite(values)])
        if size:
            names = listing(sorted(group), 9)
            divided = f"which all values of {names} are multiples of: they must add up"
            found |= dict.fromkeys(group, Step(size, f"step: {size:.10g}, {divided}"))
    return found


def _divisor(values: Vector) -> float:
    """The largest number that all values are multiples of, by their decimals; 0 if too fine."""
    scale = 10 ** decimals_of(values)
    if not len(values) or float(np.abs(values).max()) * scale > MOST_STEPS:
        return 0.0
    return float(np.gcd.reduce(np.rint(values * scale).astype(np.int64)) / scale)
