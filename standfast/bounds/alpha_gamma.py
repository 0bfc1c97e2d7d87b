"""The constants of the error bound: in closed form for linear models, calibrated for others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from standfast.bounds import vectors
from standfast.bounds.hoffman import Hoffman, hoffman
from standfast.bounds.vectors import Vector
from standfast.errors import InputError
from standfast.scores import Linear

GAMMAS = tuple(round(0.05 * k, 2) for k in range(1, 21))


@dataclass(frozen=True)
class AlphaGamma:
    """α and γ of c* ≤ α r^γ, how they were found, and what they guarantee.

    Calibrated ones come with `averaged` and `confident`, two bounds of the mean cost of people with
    a feasible answer; `terms` has violation rate and tightness on people never used to find them,
    and `note` whatever must be said.
    """

    alpha: float
    gamma: float
    how: str
    terms: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    averaged: float = float("nan")
    confident: float = float("nan")
    note: str = ""

    def to_frame(self) -> pd.DataFrame:
        """Everything, one row each."""
        rows: list[tuple[str, float]] = [("alpha", self.alpha), ("gamma", self.gamma)]
        rows += list(self.terms.items())
        rows += [(f"n: {what}", float(n)) for what, n in self.counts.items()]
        rows += [("averaged", self.averaged), ("confident", self.confident)]
        return pd.DataFrame([(self.how, *row) for row in rows], columns=["bound", "term", "value"])


def alpha_gamma(
    models: Sequence[Any] | Hoffman,
    costs: ArrayLike | None = None,
    *,
    box: float | None = None,
    beta: float = 0.05,
    gammas: Sequence[float] = GAMMAS,
    seed: int = 0,
) -> AlphaGamma:
    """α and γ with c* ≤ α r^γ: for `Linear` models by formula, else from exact costs of people.

    Linear models (or what `hoffman` gave, for another norm, scale or who may move): γ = 1, α is
    Hoffman's constant, for raw values and free real moves. Otherwise `models` are score vectors and
    `costs` the exact c* of the same people: the upper bound where a search left a gap, missing
    where it found nothing (`box`, the largest cost the lattice allows, is taken), ∞ where proven
    impossible. Refused people with an answer are split by the seed in three: γ is chosen on the
    first third, α = max d / r^γ on the second, both judged on the last.

    A fresh person exceeds the calibration maximum with probability at most 1/(n+1), so
    averaged over calibrations E c* ≤ α E[r^γ] + box/(n+1); for the calibration at hand, with
    confidence 1 − β, E c* ≤ α E[r^γ] + box (1 − β^(1/n)). Both are over people with an answer.
    A person with r = 0 but a positive cost makes α infinite; the note says so.
    """
    if isinstance(models, Hoffman) or (
        len(models) and all(isinstance(model, Linear) for model in models)
    ):
        found = models if isinstance(models, Hoffman) else hoffman(models)
        return AlphaGamma(
            found.total, 1.0, "closed form (Hoffman)", found.terms, found.counts, note=found.note
        )
    if costs is None or box is None:
        raise InputError(
            "score vectors need costs=, the exact cost of each person, and box=, the largest cost "
            "the lattice allows (for the total shift: how many inputs may move)"
        )
    gammas = _checked_gammas(gammas)
    if not 0.0 < beta < 1.0:
        raise InputError(f"beta is {beta!r}; it must lie between 0 and 1, e.g. 0.05")
    r, d, counts = _pairs(models, costs, box)
    parts = np.array_split(np.random.default_rng(seed).permutation(len(r)), 3)
    choose, calibrate, _ = parts
    # people on the boundary would make every gamma infinitely bad: the others choose
    inner = choose[r[choose] > 0]
    gamma = 1.0 if 1.0 in gammas else gammas[-1]
    if len(inner):
        means = {g: _alpha(r[inner], d[inner], g) * (r[inner] ** g).mean() for g in gammas}
        gamma = min(gammas, key=lambda g: (means[g], -g))
    alpha = _alpha(r[calibrate], d[calibrate], gamma)
    names = ("to choose gamma", "to calibrate alpha", "to check")
    counts |= {name: len(part) for name, part in zip(names, parts, strict=True)}
    return _judged(alpha, gamma, r, d, parts, box, beta, counts)


def _checked_gammas(gammas: Sequence[float]) -> tuple[float, ...]:
    if not len(gammas):
        raise InputError("no gamma to choose from; give some between 0 and 1")
    return tuple(vectors.constants(1.0, gamma)[1] for gamma in gammas)


def _pairs(
    models: Sequence[Any], costs: ArrayLike, box: float
) -> tuple[Vector, Vector, dict[str, int]]:
    """Residual and cost of the refused people with an answer, and how many there are of whom."""
    G = vectors.stacked(models)
    d = np.asarray(costs, dtype=np.float64)
    if d.shape != G.shape[1:]:
        raise InputError(f"there are {d.size} costs for {G.shape[1]} people; give one each")
    if not 0.0 < box < np.inf:
        raise InputError(f"box is {box!r}; it must be positive: the largest cost there can be")
    worst = d[np.isfinite(d)].max(initial=0.0)
    if worst > box * (1 + 1e-9) or (d < 0).any():
        raise InputError(
            f"the costs lie between {np.nanmin(d):g} and {worst:g}, and box, the largest cost "
            f"there can be, is {box:g}; costs must lie between 0 and box"
        )
    refused, r = vectors.residuals(G)
    d = d[refused]
    counts = {
        "refused": int(refused.sum()),
        "infeasible": int(np.isinf(d).sum()),
        "without an incumbent": int(np.isnan(d).sum()),
    }
    d = np.where(np.isnan(d), box, d)
    feasible = np.isfinite(d)
    if feasible.sum() < 3:
        raise InputError(
            f"{int(feasible.sum())} refused people have an answer; calibration needs at least 3, "
            "and a few hundred to be tight: give more people"
        )
    return r[feasible], d[feasible], counts


def _alpha(r: Vector, d: Vector, gamma: float) -> float:
    """max d / r^γ; 0/0 asks for nothing, and r = 0 < d for everything."""
    power = r**gamma
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(d > 0, d / power, 0.0)
    return float(ratio.max())


def _judged(
    alpha: float,
    gamma: float,
    r: Vector,
    d: Vector,
    parts: Sequence[Any],
    box: float,
    beta: float,
    counts: dict[str, int],
) -> AlphaGamma:
    _, calibrate, check = parts
    n = len(calibrate)
    on_boundary = int(((r == 0) & (d > 0)).sum())
    notes = []
    if on_boundary:
        notes.append(
            f"{on_boundary} people have residual 0 but a positive cost: no alpha covers them"
            + ("" if np.isfinite(alpha) else ", and alpha is infinite")
        )
    if counts["infeasible"]:
        notes.append(
            f"{counts['infeasible']} of {counts['refused']} refused people have no answer at all "
            "and are outside the guarantee"
        )
    if counts["without an incumbent"]:
        more = " more" * bool(counts["infeasible"])
        notes.append(
            f"for {counts['without an incumbent']}{more} the search found no answer, and the "
            f"largest possible cost, {box:g}, stands in for theirs"
        )
    power = r**gamma
    with np.errstate(invalid="ignore"):
        limit = np.where(power > 0, alpha * power, 0.0)
    mean_power = float(power.mean())
    slack, confident_slack = box / (n + 1), box * (1.0 - beta ** (1.0 / n))
    terms = {
        "mean residual": float(r.mean()),
        "mean residual^gamma": mean_power,
        "mean cost": float(d.mean()),
        "Jensen": alpha * float(r.mean()) ** gamma if np.isfinite(alpha) else np.inf,
        "box": float(box),
        "beta": beta,
        "averaged slack": slack,
        "confident slack": confident_slack,
        "violation rate": float((d[check] > limit[check] * (1 + 1e-12)).mean()),
        "violation level": 1.0 / (n + 1),
        "tightness": float(d[check].mean() / limit[check].mean()) if limit[check].any() else np.nan,
        "share infeasible": counts["infeasible"] / counts["refused"],
    }
    main = alpha * mean_power if np.isfinite(alpha) else np.inf
    if np.isfinite(alpha) and main + confident_slack >= box:
        notes.append(
            f"no cost exceeds {box:g} anyway, so the bound with confidence says nothing: calibrate "
            "with more people"
        )
    return AlphaGamma(
        alpha,
        gamma,
        "calibrated (conformal)",
        terms,
        counts,
        main + slack,
        main + confident_slack,
        "; ".join(notes),
    )
