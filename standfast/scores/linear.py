"""A weighted sum of the inputs as a score: logistic regression and its kin, in table units."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from standfast.digests import digest
from standfast.errors import InputError
from standfast.scores.score import IDENTITY, Bools, Link, Matrix, Structured, Vector, checked


@dataclass(frozen=True, eq=False)
class Linear(Structured):
    """A score that adds up its inputs, each times its weight.

    raw(x) = w·x + offset, and the score is link(raw(x)) − threshold.

    Parameters
    ----------
    weights, offset : array of float, float
        In table units: one more unit of input j adds w_j to raw.
    link, threshold : Link, float
        How raw becomes the score's scale, and what must be exceeded there.
    prediction : callable, optional
        Where the model came from an estimator, that estimator's own word: it decides what is
        accepted.

    Examples
    --------
    >>> from standfast.scores.score import LOGISTIC
    >>> model = Linear([2.0, -1.0], 0.5, LOGISTIC, threshold=0.5)
    >>> model.raw(np.array([[1.0, 2.5]])), model.score(np.array([[1.0, 2.5]]))
    (array([0.]), array([0.]))
    >>> model.accepts(np.array([[1.0, 2.0], [1.0, 3.0]]))
    array([ True, False])
    """

    weights: Vector
    offset: float
    link: Link = IDENTITY
    threshold: float = 0.0
    prediction: Callable[[Matrix], Vector] | None = None

    def __post_init__(self) -> None:
        try:
            weights = np.array(self.weights, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"weights must be numbers, one per input: {error}") from error
        if weights.ndim != 1 or not len(weights):
            raise InputError(
                f"weights have the shape {weights.shape}; give one number per input of the schema"
            )
        bad = np.flatnonzero(~np.isfinite(weights))
        if len(bad):
            raise InputError(f"weight {bad[0]} is {weights[bad[0]]}; weights must be finite")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "offset", checked_number(self.offset, "the offset"))
        object.__setattr__(self, "threshold", checked_threshold(self.threshold, self.link))

    @property
    def width(self) -> int:
        """How many inputs a row has."""
        return len(self.weights)

    @cached_property
    def digest(self) -> str:
        """The fingerprint of weights, offset, link and threshold."""
        return digest(["linear", self.weights, self.offset, self.link, self.threshold])

    def raw(self, X: Matrix) -> Vector:
        """w·x + offset of each row: the log-odds of a logistic regression."""
        from standfast.scores.linear_kernel import weighted_sums

        # read-only views: a writable array, or one that pickling made so, is compiled for anew
        rows, weights = np.ascontiguousarray(checked(X, self.width)).view(), self.weights.view()
        rows.flags.writeable = weights.flags.writeable = False
        return weighted_sums(rows, weights, self.offset)

    def accepts(self, X: Matrix, margin: float = 0.0) -> Bools:
        """Whether each row's score exceeds the margin, by the estimator's own prediction."""
        if self.prediction is None:
            return self.score(X) > margin
        return self.prediction(checked(X, self.width)) - self.threshold > margin


def checked_number(value: object, what: str) -> float:
    """The value as a finite number, or a sentence that names it."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise InputError(f"{what} is {value!r}; it must be a finite number")
    return number


def checked_threshold(value: object, link: Link) -> float:
    """The threshold, if the link's values lie on both sides of it."""
    threshold = checked_number(value, "the threshold")
    if link.probability and not 0.0 < threshold < 1.0:
        raise InputError(
            f"the threshold is {threshold:g}, but a probability is compared with it; give a number "
            "between 0 and 1, such as 0.5"
        )
    return threshold
