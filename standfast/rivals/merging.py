"""Members that are practically the same model: the first of them stands for the others."""

from collections.abc import Sequence
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.scores.score import Matrix, Score, Vector

MERGE = 0.01  # one percentage point of probability
ROWS = 10_000  # people on whom members are compared, evenly spaced in the table
FEW = 64  # enough to distinguish most models


def stand_ins(scores: Sequence[Score], X: Matrix, tolerance: float | None) -> list[int]:
    """For each member the place of the one that stands for it: its own, or an earlier one's.

    Two members are practically the same if their scores differ by at most the tolerance for every
    row: a probability by that much, a decision value by that share of its range. So a member and
    the one that stands for it disagree at most about people within the tolerance of the threshold.
    A member is compared with those that stand, never with those that others stand for: being the
    same does not add up along a chain. None merges nothing, 0 only what scores every row alike.

    >>> from standfast.scores.linear import Linear
    >>> from standfast.scores.score import LOGISTIC
    >>> members = [Linear([1.0], b, LOGISTIC, 0.5) for b in (0.0, 2.0, 0.01)]
    >>> stand_ins(members, np.linspace(-3.0, 3.0, 7)[:, None], 0.01)
    [0, 1, 0]
    """
    if tolerance is None:
        return list(range(len(scores)))
    X = X[spaced(len(X), ROWS)]
    few = spaced(len(X), FEW)
    standing: dict[int, tuple[Vector, float]] = {}
    found = []
    for k, score in enumerate(scores):
        values = np.asarray(score.score(X), dtype=np.float64)
        same = (
            j
            for j, (other, span) in standing.items()
            if scores[j].probability == score.probability
            and np.abs(values[few] - other[few]).max() <= tolerance * span
            and np.abs(values - other).max() <= tolerance * span
        )
        found.append(next(same, k))
        if found[-1] == k:
            span = 1.0 if score.probability else float(np.ptp(values))
            standing[k] = values, span
    return found


def spaced(count: int, most: int) -> NDArray[np.intp]:
    """At most so many of the rows, evenly spaced, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.intp))


def check_merge(merge: object) -> None:
    """Refuse what is no tolerance."""
    number = isinstance(merge, Real) and not isinstance(merge, bool)
    if merge is not None and not (number and 0.0 <= float(merge) < 1.0):  # type: ignore[arg-type]
        raise InputError(
            f"merge is {merge!r}; it is how far the scores of members that count as one may be "
            "apart: a number from 0 to below 1, such as 0.01, or None to keep every member"
        )
