"""Whether a structure that was read repeats what the estimator says, where it matters most."""

import warnings

import numpy as np

from standfast.scores.prediction import Prediction
from standfast.scores.score import Matrix, Structured

# what sums added in another order may differ by
TOLERANCE = 1e-9


def repeats(read: Structured, X: Matrix, prediction: Prediction) -> bool:
    """Whether the link of the raw value is the estimator's own number for every row.

    A library that changes its arithmetic is caught here; its model is asked instead of read.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # these are not the user's rows
        try:
            own = prediction(X)
        except Exception:  # whatever an estimator does about rows that we made up
            return False
        found = read.link.apply(read.raw(X))
        return bool(np.allclose(found, own, rtol=TOLERANCE, atol=TOLERANCE))
