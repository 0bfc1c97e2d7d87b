"""A model that can only be asked: nothing is known of how it comes to its number."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from standfast.digests import digest
from standfast.scores.prediction import Prediction, fingerprint
from standfast.scores.score import Bools, Matrix, Vector, checked


@dataclass(frozen=True)
class BlackBox:
    """A score that only answers: prediction(x) − threshold.

    Rows are asked in the batches they come in.

    Parameters
    ----------
    prediction : callable
        Takes a matrix in schema order and gives a number per row, the larger the better.
    threshold : float
        What the prediction must exceed.
    width : int
        How many inputs a row has.
    probability : bool
        Whether the prediction is one, so that margins mean the same as for other models with a
        probability.
    why : str
        Where it was tried, why nothing more could be read of the model, as the part of a sentence.

    Examples
    --------
    >>> import numpy as np
    >>> model = BlackBox(lambda X: X.prod(axis=1), threshold=1.0, width=2)
    >>> model.score(np.array([[2.0, 3.0]])), model.accepts(np.array([[0.5, 0.5]]))
    (array([5.]), array([False]))
    """

    prediction: Callable[[Matrix], Vector]
    threshold: float
    width: int
    probability: bool = False
    why: str = ""

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the estimator, how it is asked, and the threshold."""
        p = self.prediction
        asked = p.digest if isinstance(p, Prediction) else fingerprint(p)
        return digest(["black box", asked, float(self.threshold), self.width])

    def score(self, X: Matrix) -> Vector:
        """prediction − threshold of each row; above zero is favourable."""
        return self.prediction(checked(X, self.width)) - self.threshold

    def accepts(self, X: Matrix, margin: float = 0.0) -> Bools:
        """Whether each row's score exceeds the margin."""
        return self.score(X) > margin
