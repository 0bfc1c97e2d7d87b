"""The frontier of an invented study: settings, what Invariant costs beside them, and levels."""

import numpy as np

LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
ALONE = 0.5  # mean cost of the cheapest advice for the reference alone
# method: its settings, each with cost and validity under fresh models of the reference's class
CURVES = {
    "GS": {"": (1.1, 0.58)},
    "AR": {"": (0.55, 0.37)},
    "C-CHVAE": {"": (2.6, 0.74)},
    "ROAR": {
        f"δ = {d:g}": at
        for d, at in zip((0.05, 0.1, 0.2), ((0.9, 0.52), (1.2, 0.66), (1.9, 0.81)), strict=True)
    },
    "BetaRCE": {
        f"δ = {d:g}": at
        for d, at in zip((0.7, 0.8, 0.9), ((1.3, 0.71), (1.6, 0.79), None), strict=True)
    },
    "raised threshold": {
        f"by {t:g}": (0.5 + 4 * t, 0.99 - 0.63 * np.exp(-14 * t))
        for t in (0.0, 0.02, 0.04, 0.06, 0.1, 0.15, 0.2)
    },
    "unanimous over fresh models": {
        f"{k} models": at for k, at in ((3, (0.72, 0.69)), (10, (0.95, 0.85)), (20, (1.12, 0.91)))
    },
    "do nothing": {"": (0.0, 0.08)},
    "invariant, same target for all": {
        f"target {v:g}": (0.55 + 0.16 * v - 0.12 * np.log(1 - v), v + 0.01)
        for v in (0.5, 0.7, 0.8, 0.9, 0.95)
    },
    "invariant": {
        f"breach cost {price:g}": (0.5 + 0.12 * v - 0.11 * np.log(1 - v), v + 0.01)
        for price, v in ((0.25, 0.5), (0.5, 0.7), (1, 0.8), (2, 0.9), (4, 0.95))
    },
}
# over both classes: dearer before the reference's own, and hardly worse before the other
BOTH = "invariant, both classes"
CURVES[BOTH] = {
    dial: (1.15 * cost, validity - 0.02) for dial, (cost, validity) in CURVES["invariant"].items()
}
OWN = {"same class": "invariant", "other class": BOTH, "later data": "invariant"}
APART = {"do nothing", "invariant", "invariant, same target for all", BOTH}
WORSE = {"same class": 0.0, "other class": 0.25, "later data": 0.12}


def add_frontier(rows, scene) -> None:
    """The three tables of one scene; only the linear one's data set has later people."""
    linear = scene["reference"] == "linear"
    for judges, worse in WORSE.items():
        if judges == "later data" and not linear:
            continue
        about = scene | {"judges": judges, "models": 40}
        curves = {
            method: {
                dial: _seen(at, worse * (0.2 if method == BOTH else 1.0))
                for dial, at in settings.items()
            }
            for method, settings in CURVES.items()
            if linear or method not in ("AR", "ROAR")
        }
        if not linear:
            curves["C-CHVAE"] = {"": None}  # it answered nobody
        for method, settings in curves.items():
            for dial, at in settings.items():
                _setting(rows, about, method, dial, at)
                if method not in APART:
                    own = OWN[judges]
                    _gap(rows, about | {"own": own}, method, dial, at, curves[own])
            if "" not in settings:
                _levels(rows, about, method, settings)


def _seen(at, worse):
    return None if at is None else (at[0], at[1] * (1 - worse))


def _setting(rows, about, method, dial, at) -> None:
    cost, validity = at or (np.nan, np.nan)
    rows["frontier"].append(
        about
        | {
            "method": method,
            "dial": dial,
            "n": 9,
            "answered": 12 if at else 0 if dial == "" else 2,
            "cost": cost,
            "cost_lower": 0.9 * cost,
            "cost_upper": 1.1 * cost,
            "validity": validity,
            "lower": validity - 0.05,
            "upper": min(validity + 0.04, 1.0) if at else np.nan,
        }
    )


def _gap(rows, about, method, dial, at, own) -> None:
    cost, validity = at or (np.nan, np.nan)
    costs, reached = np.array(list(own.values())).T
    beyond = not validity <= reached.max()
    difference = np.nan if beyond else float(np.interp(validity, reached, costs)) - cost
    rows["frontier_gaps"].append(
        about
        | {
            "method": method,
            "dial": dial,
            "n": 10 if at else 0,
            "validity": validity,
            "cost": cost,
            "difference": difference,
            "lower": difference - 0.06,
            "upper": difference + 0.06,
        }
    )


def _levels(rows, about, method, settings) -> None:
    costs, reached = np.array([at for at in settings.values() if at]).T
    for level in LEVELS:
        cost = float(np.interp(level, reached, costs)) if level <= reached.max() else np.nan
        rows["frontier_levels"].append(
            about
            | {
                "n": 9,
                "level": level,
                "method": method,
                "cost": cost,
                "ratio": cost / ALONE,
                "lower": 0.93 * cost / ALONE,
                "upper": 1.08 * cost / ALONE,
            }
        )
