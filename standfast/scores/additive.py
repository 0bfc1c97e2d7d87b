"""A sum of one function per input as a score: the lenders' scorecards, in table units."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property

import numpy as np

from standfast.digests import digest
from standfast.errors import InputError
from standfast.scores.linear import checked_number, checked_threshold
from standfast.scores.prediction import fingerprint
from standfast.scores.score import IDENTITY, Link, Matrix, Structured, Vector, checked


@dataclass(frozen=True, eq=False)
class Additive(Structured):
    """A score that adds up one function of each input: a scorecard.

    raw(x) = offset + Σ_j f_j(x_j), and the score is link(raw(x)) − threshold.

    Parameters
    ----------
    functions : sequence of callables
        One per input: takes a vector of its values and gives as many contributions. Minus infinity
        stands for a value that the model refuses, which is never accepted.
    offset, link, threshold : float, Link, float
        What is added, how raw becomes the score's scale, and what must be exceeded there.
    prediction : callable, optional
        Where the model came from an estimator, that estimator's own word: it decides what is
        accepted.

    Examples
    --------
    >>> model = Additive([np.log1p, np.zeros_like], offset=-1.0)
    >>> model.raw(np.array([[0.0, 7.0]]))
    array([-1.])
    >>> model.accepts(np.array([[1.0, 7.0], [2.0, 7.0]]))
    array([False,  True])
    """

    functions: Sequence[Callable[[Vector], Vector]]
    offset: float
    link: Link = IDENTITY
    threshold: float = 0.0
    prediction: Callable[[Matrix], Vector] | None = None

    def __post_init__(self) -> None:
        functions = tuple(self.functions)
        if not functions:
            raise InputError("Additive needs at least one function; give one per input")
        for j, function in enumerate(functions):
            if not callable(function):
                raise InputError(
                    f"function {j} is {function!r}; give one function per input of the schema "
                    "(np.zeros_like for an input that adds nothing)"
                )
        object.__setattr__(self, "functions", functions)
        object.__setattr__(self, "offset", checked_number(self.offset, "the offset"))
        object.__setattr__(self, "threshold", checked_threshold(self.threshold, self.link))

    @property
    def width(self) -> int:
        """How many inputs a row has."""
        return len(self.functions)

    @cached_property
    def digest(self) -> str:
        """The fingerprint of all functions, offset, link and threshold."""
        parts = [part for function in self.functions for part in _parts(function)]
        return digest(["additive", *parts, self.offset, self.link, self.threshold])

    def raw(self, X: Matrix) -> Vector:
        """offset + Σ_j f_j(x_j) of each row."""
        X = checked(X, self.width)
        total = np.full(len(X), self.offset)
        for function, column in zip(self.functions, X.T, strict=True):
            total += function(column)
        return total


def _parts(thing: object) -> list[object]:
    """What a function is made of, as far as it can be taken apart, for its fingerprint."""
    if is_dataclass(thing) and not isinstance(thing, type):
        inner = [part for f in fields(thing) for part in _parts(getattr(thing, f.name))]
        return [type(thing).__name__, *inner]
    if isinstance(thing, tuple):
        return [len(thing), *(part for item in thing for part in _parts(item))]
    if thing is None or isinstance(thing, np.ndarray | bool | int | float | str):
        return [thing]
    return [fingerprint(thing)]
