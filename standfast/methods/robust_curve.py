"""What robustness costs: the price of advice as the level set grows, and how far it can grow."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from standfast.errors import InputError, check_positive
from standfast.methods.advisor import recommend
from standfast.methods.minimal_cost import MinimalCost
from standfast.recommendations import Outcome, Recommendations
from standfast.scores.linear_level_set import LinearLevelSet

COLUMNS = ("person", "epsilon", "outcome", "cost", "lower_bound")


def cost_curve(
    method: MinimalCost,
    level_set: LinearLevelSet,
    people: pd.DataFrame,
    epsilons: Sequence[float],
    *,
    jobs: int = 1,
    time_limit: float | None = None,
) -> pd.DataFrame:
    """cost(ε): each person's cheapest advice as the level set grows; one row per person and ε.

    Larger sets ask for more, so cost never falls, advice that still stands stays the cheapest, and
    who was beyond help stays so: only the others are searched again.
    """
    _check(method, level_set)
    grid = sorted({level_set.at(epsilon).epsilon for epsilon in epsilons})
    if not grid:
        raise InputError("no epsilon was given; give some, such as [0.001, 0.002, 0.005]")
    known: dict[int, tuple[str, float, float, float]] = {}  # outcome, cost, bound, stands up to
    rows = []
    for epsilon in grid:
        wider = level_set.at(epsilon)
        open_ = [i for i in range(len(people)) if i not in known or not epsilon < known[i][3]]
        found = recommend(method, wider, people.iloc[open_], jobs=jobs, time_limit=time_limit)
        stands = _stands(found, wider, method)
        told = found.results[["outcome", "cost", "lower_bound"]].itertuples(index=False)
        known |= {i: (*row, up) for i, row, up in zip(open_, told, stands, strict=True)}
        rows += [(people.index[i], epsilon, *known[i][:3]) for i in range(len(people))]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def epsilon_max(
    method: MinimalCost,
    level_set: LinearLevelSet,
    people: pd.DataFrame,
    *,
    tolerance: float = 0.01,
    time_limit: float | None = None,
) -> pd.DataFrame:
    """Each person's ε_max: how much worse models may be while all of them still accept some advice.

    `lower` is an ε at which advice was found, `upper` one at which there is provably none; the
    bisection ends when they differ by `tolerance` of the upper one. `settled` is False where a
    limit ended it sooner. `lower` is 0 where not even the best model accepts any.
    """
    _check(method, level_set)
    check_positive(tolerance=tolerance)
    rows = [
        _bisected(method, level_set, people.iloc[i : i + 1], tolerance, time_limit)
        for i in range(len(people))
    ]
    return pd.DataFrame(rows, columns=["lower", "upper", "settled"], index=people.index)


def _bisected(
    method: MinimalCost,
    level_set: LinearLevelSet,
    person: pd.DataFrame,
    tolerance: float,
    time_limit: float | None,
) -> tuple[float, float, bool]:
    # from `void` on a constant model refuses everybody; at 0 there is the best model alone
    lower, upper, epsilon = 0.0, level_set.void, 0.0
    while upper - lower > tolerance * upper:
        wider = level_set.at(epsilon)
        found = recommend(method, wider, person, time_limit=time_limit)
        outcome = Outcome(found.outcome.iloc[0])
        if outcome is Outcome.INFEASIBLE:
            upper = epsilon
        elif outcome.advises or outcome is Outcome.ALREADY_FAVOURABLE:
            lower = min(max(epsilon, _stands(found, wider, method)[0]), upper)
        else:
            return lower, upper, False
        epsilon = 0.5 * (lower + upper)
    return lower, upper, True


def _stands(found: Recommendations, wider: LinearLevelSet, method: MinimalCost) -> list[float]:
    """Up to which ε each row stays as it is: proven answers while all members accept them."""
    favourable = (found.outcome == Outcome.ALREADY_FAVOURABLE).to_numpy()
    minimal = (found.found & (found.outcome == Outcome.MINIMAL)).to_numpy()
    X = found.factual.to_numpy(dtype=np.float64)
    Y = found.counterfactual.to_numpy(dtype=np.float64, na_value=np.nan)
    points = np.where(favourable[:, None], X, Y)
    stands = np.zeros(len(found))
    margin = method.margin
    for k in np.flatnonzero(favourable | minimal):
        stands[k] = wider.epsilon_max(points[k : k + 1], 0.0 if favourable[k] else margin)[0]
    beyond = found.outcome.isin([Outcome.INFEASIBLE, Outcome.OUTSIDE_SCHEMA]).to_numpy()
    stands[beyond] = np.inf
    # a hair less: at its own ε_max an answer is on the border
    return list(stands * (1.0 - 1e-9))


def _check(method: object, level_set: object) -> None:
    if not isinstance(method, MinimalCost):
        raise InputError(f"the method is a {type(method).__name__}; give a MinimalCost(...)")
    if not isinstance(level_set, LinearLevelSet):
        raise InputError(
            f"the level set is a {type(level_set).__name__}; give a LinearLevelSet.fit(train)"
        )
