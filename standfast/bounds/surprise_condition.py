"""Proposition 3's condition, as a diagnostic only."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from standfast.errors import InputError

LABEL = "diagnostic only: proposition 3 does not follow; compare the exact surprise of both camps"


@dataclass(frozen=True)
class SurpriseCondition:
    """The two ratios that proposition 3 compares, and whether its stated condition holds.

    `label` says what it is worth: the proof uses an upper bound as a lower bound (f = g refutes
    it), and a smaller support ratio speaks for data support rather than against it.
    """

    ratio_support: float
    ratio_sparse: float
    holds: bool
    counts: dict[str, int]
    label: str = LABEL


def surprise_condition(
    *,
    f_sparse: ArrayLike,
    g_sparse: ArrayLike,
    f_support: ArrayLike,
    g_support: ArrayLike,
) -> SurpriseCondition:
    """Whether E[c*(g)]_D / E[c*(f)]_D < E[c*(g)]_S / E[c*(f)]_S, from exact costs.

    Costs of f are over the people f refuses, costs of g over those g refuses; people without an
    answer (∞ or missing) are left out of the mean and counted.
    """
    means, counts = {}, {}
    for name, given in (
        ("f_sparse", f_sparse),
        ("g_sparse", g_sparse),
        ("f_support", f_support),
        ("g_support", g_support),
    ):
        costs = np.asarray(given, dtype=np.float64)
        finite = costs[np.isfinite(costs)]
        if costs.ndim != 1 or not len(finite):
            raise InputError(f"{name} holds no finite cost; give the costs of refused people")
        means[name], counts[name] = float(finite.mean()), len(finite)
        counts[f"{name} left out"] = len(costs) - len(finite)
    if means["f_sparse"] == 0 or means["f_support"] == 0:
        raise InputError("the mean cost under f is 0, so the ratios are not defined")
    ratio_support = means["g_support"] / means["f_support"]
    ratio_sparse = means["g_sparse"] / means["f_sparse"]
    return SurpriseCondition(ratio_support, ratio_sparse, ratio_support < ratio_sparse, counts)
