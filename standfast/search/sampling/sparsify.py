"""Take back what is not needed: fewer changes, still accepted."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from standfast.schema import Schema
from standfast.scores import Score
from standfast.scores.score import surely_accepts
from standfast.search.sampling.distance import lengths

Matrix = NDArray[np.float64]


def sparsify(
    model: Score,
    domain: Schema,
    X: Matrix,
    points: Matrix,
    scale: Matrix,
    supported: Callable[[NDArray[np.intp], Matrix], NDArray[np.bool_]] | None = None,
) -> Matrix:
    """The points with every change undone that acceptance does not need, smallest change first.

    Laugel et al.'s last step, in lockstep over people: in each round everyone sets back their next
    input, a number, a category or a gap, and the model judges all of them in one call. `supported`,
    asked about people by row and their trial points, may object to a change being undone.
    """
    kept = points.copy()
    size = lengths(domain, scale, X, points)
    order = np.argsort(size, axis=1, kind="stable")
    for turn in range(X.shape[1]):
        j = order[:, turn]
        who = np.flatnonzero(size[np.arange(len(X)), j] > 0)
        if not len(who):
            continue
        trial = kept[who].copy()
        trial[np.arange(len(who)), j[who]] = X[who, j[who]]
        changed = (trial != X[who]).any(axis=1)
        lawful = changed & domain.lawful(X[who], trial)
        who, trial = who[lawful], trial[lawful]
        if len(who):
            accepted = surely_accepts(model, trial)
            if supported is not None:
                accepted &= supported(who, trial)
            kept[who[accepted]] = trial[accepted]
    return kept
