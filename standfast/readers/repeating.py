"""Whether a structure that was read repeats what the estimator says, where it matters most."""

import warnings
from collections.abc import Sequence

import numpy as np

from standfast.readers.cells import Cells
from standfast.schema import Schema
from standfast.scores.prediction import Prediction
from standfast.scores.score import Matrix, Structured, Vector

# what sums added in another order may differ by, in 64 and in 32 bits
TOLERANCE, SINGLE = 1e-9, 1e-6
ROWS = 256


def repeats(read: Structured, X: Matrix, prediction: Prediction) -> bool:
    """Whether the link of the raw value is the estimator's own number for every row.

    A library that changes its arithmetic is caught here; its model is asked instead of read.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # these are not the user's rows
        X = X[np.isfinite(read.raw(X))]
        try:
            own = prediction(X)
        except Exception:  # whatever an estimator does about rows that we made up
            return False
        found = read.link.apply(read.raw(X))
        tolerance = SINGLE * read.link.steepest if getattr(read, "single", False) else TOLERANCE
        return len(X) > 0 and bool(np.allclose(found, own, rtol=tolerance, atol=tolerance))


def rows_over(known: Sequence[tuple[int, Cells]], schema: Schema) -> Matrix:
    """Rows with values in all cells, right below their edges, and missing where that may be."""
    rng = np.random.default_rng(0)
    X = np.zeros((ROWS, len(schema)))
    parts: dict[int, list[Vector]] = {}
    for j, cells in known:
        parts.setdefault(j, []).append(cells.samples[1:])
    for j, found in parts.items():
        values = np.concatenate(found)
        if schema.features[j].coder is None:
            values = np.concatenate((values, np.nextafter(values, -np.inf)))
        X[:, j] = rng.choice(values, ROWS)
        if j in schema.gapped:
            X[rng.random(ROWS) < 0.1, j] = -np.inf
    return X
