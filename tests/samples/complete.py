"""Complete level sets of an invented study."""

import numpy as np


def add_complete(rows, scene) -> None:
    """One row per ε, and one for both sets."""
    for k, epsilon in enumerate((0.0, 0.01, 0.05)):
        rows["complete"].append(scene | _row("trees", epsilon, 10 - 5 * k, 2 + 5 * k))
    rows["complete"].append(scene | _row("trees and linear", 0.01, 3, 5) | {"compared": 2})


def _row(which, epsilon, advised, infeasible):
    return {
        "set": which,
        "epsilon": epsilon,
        "trees": 10.0**3,
        "people": 14,
        "accepted": 2,
        "advised": advised,
        "infeasible": infeasible,
        "decided": infeasible - 1,
        "cost": 0.4 if advised else np.nan,
        "compared": advised,
        "own_cost": 0.4 if advised else np.nan,
        "grid_cost": 0.7 if advised else np.nan,
        "n": 12,
        "transfer": 0.25,
        "lower": 0.1,
        "upper": 0.5,
    }
