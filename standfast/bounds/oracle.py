"""Proposition 1: how much dearer advice with data support is, person by person."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from standfast.bounds.vectors import Vector
from standfast.errors import InputError

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True)
class OracleRatio:
    """The distribution of c_D / c_S, with the line at 2 that the paper draws.

    `ratio` has one value per person: infinite where support makes advice impossible, 1 for 0/0,
    missing where there is no sparse advice or a search gave no answer. `summary` counts all of
    these, and the share above 2 among people with both costs.
    """

    ratio: Vector
    summary: pd.Series

    def __repr__(self) -> str:
        told = self.summary
        return (
            f"<OracleRatio: n = {told['n']:.0f}, median {told['50%']:.4g}, "
            f"{told['share above 2']:.1%} above 2>"
        )


def oracle_ratio(c_support: ArrayLike, c_sparse: ArrayLike) -> OracleRatio:
    """c_D / c_S of each person, from exact costs with and without data support.

    Proposition 1 states c_D ≤ 2 c_S, which does not hold in general: its proof uses the nearest
    point of the data without asking for acceptance. What holds is c_S ≤ c_D and
    c_D ≤ c_S + dist(x_S, support ∩ H^+). Nothing is asserted here: the ratio is measured.
    """
    D, S = (np.asarray(c, dtype=np.float64) for c in (c_support, c_sparse))
    if D.ndim != 1 or D.shape != S.shape or not len(D):
        raise InputError(
            f"the costs have the shapes {D.shape} and {S.shape}; give one cost per person in each"
        )
    if (D < 0).any() or (S < 0).any():
        raise InputError("a cost is negative; costs are 0 or above")
    ratio = np.full(len(D), np.nan)
    known = np.isfinite(S) & ~np.isnan(D)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio[known] = np.where((S == 0) & (D == 0), 1.0, D / S)[known]
    both = ratio[known & np.isfinite(D)]
    told: dict[str, float] = {
        "people": len(D),
        "n": len(both),
        "no supported advice": int((known & np.isinf(D)).sum()),
        "unknown": int((~known).sum()),
        "mean": float(both.mean()) if len(both) else np.nan,
    }
    levels = np.quantile(both, QUANTILES) if len(both) else np.full(len(QUANTILES), np.nan)
    told |= {f"{q:.0%}": float(v) for q, v in zip(QUANTILES, levels, strict=True)}
    told["share above 2"] = float((both > 2.0).mean()) if len(both) else np.nan
    told["share below 1"] = float((both < 1.0 - 1e-9).mean()) if len(both) else np.nan
    return OracleRatio(ratio, pd.Series(told, name="c_D / c_S"))
