"""A model seen as a number: above zero is favourable."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Bools = NDArray[np.bool_]

# H⁺ is open and sums differ in their last bits from kernel to kernel: a search asks for this much
# more of the raw value, so that what it finds is accepted by the estimator's own arithmetic too.
CLEARANCE = 1e-9
# half the distance from 1 to the next number: what one rounding may change, in 64 and in 32 bits
ROUNDING, ROUNDING_32 = 2.0**-53, 2.0**-24


@runtime_checkable
class Score(Protocol):
    """A model in table units: one number per row of a matrix in schema order.

    `score` may use a fast kernel; `accepts` is the last word, asked before an answer is given out.
    """

    @property
    def width(self) -> int:
        """How many inputs a row has: the schema's length."""
        ...

    @property
    def probability(self) -> bool:
        """Whether the score is a probability minus a threshold, so that margins are comparable."""
        ...

    @property
    def digest(self) -> str:
        """The model's fingerprint, threshold included."""
        ...

    def score(self, X: Matrix) -> Vector:
        """The score f(x) of each row; above zero is favourable."""
        ...

    def accepts(self, X: Matrix, margin: float = 0.0) -> Bools:
        """Whether each row's score exceeds the margin, by the estimator's own prediction."""
        ...


@dataclass(frozen=True)
class Link:
    """The monotone map from a model's raw value to what its threshold is compared with.

    identity: the raw value itself (decision functions, mean votes); logistic: log-odds to a
    probability; isolation: mean path length to an isolation forest's score −2^(−raw/scale).

    >>> LOGISTIC.apply(np.array([0.0])), LOGISTIC.invert(0.5)
    (array([0.5]), 0.0)
    """

    name: Literal["identity", "logistic", "isolation"]
    scale: float = 1.0

    def apply(self, raw: Vector) -> Vector:
        """What the threshold is compared with, from the raw value."""
        if self.name == "logistic":
            # the stable form: no overflow on either side
            tail = np.exp(-np.abs(raw))
            return np.where(raw >= 0, 1.0 / (1.0 + tail), tail / (1.0 + tail))
        if self.name == "isolation":
            return -np.exp2(-raw / self.scale)
        return raw

    def invert(self, value: float) -> float:
        """The raw value at which the link reaches `value`; ±inf where it never does."""
        if self.name == "logistic":
            if value <= 0.0:
                return -math.inf
            return math.inf if value >= 1.0 else math.log(value) - math.log1p(-value)
        if self.name == "isolation":
            if value <= -1.0:
                return -math.inf
            return math.inf if value >= 0.0 else -self.scale * math.log2(-value)
        return value

    def clearance(self, value: float, rounding: float = ROUNDING) -> float:
        """How far the raw value must be above `invert(value)` for the link to show it.

        A probability is rounded as a number below 1, a few times on the way; near 0 and 1, where
        the link is flat (its slope is p(1 − p)), that hides more of the raw value.
        """
        if self.name != "logistic" or not 0.0 < value < 1.0:
            return 0.0
        return 4.0 * rounding / (value * (1.0 - value))


IDENTITY = Link("identity")
LOGISTIC = Link("logistic")


class Structured(ABC):
    """What scores with a raw value share: score(x) = link(raw(x)) − threshold."""

    link: Link
    threshold: float

    @abstractmethod
    def raw(self, X: Matrix) -> Vector:
        """The raw value of each row."""

    def score(self, X: Matrix) -> Vector:
        """link(raw) − threshold of each row; above zero is favourable."""
        return self.link.apply(self.raw(X)) - self.threshold

    def cutoff(self, margin: float = 0.0) -> float:
        """The raw value to exceed: link⁻¹(threshold + margin)."""
        return self.link.invert(self.threshold + margin)

    def sure_cutoff(self, margin: float = 0.0) -> float:
        """The raw value above which the estimator's own arithmetic surely accepts."""
        return self.cutoff(margin) + CLEARANCE + self._hidden(margin)

    def _hidden(self, margin: float, rounding: float = ROUNDING) -> float:
        return self.link.clearance(self.threshold + margin, rounding)


def surely_accepts(model: Score, X: Matrix, margin: float = 0.0) -> Bools:
    """Whether the fast score of each row exceeds the margin by all that rounding may hide.

    What every search asks for: the estimator's own prediction then accepts as well, alone or in
    company. A score with a raw value knows its own clearance; any other gets a common one.
    """
    members = getattr(model, "scores", None)
    if members is not None:
        agreed = np.ones(len(X), dtype=bool)
        for member, own in zip(members, model.margins, strict=True):  # type: ignore[attr-defined]
            agreed[agreed] &= surely_accepts(member, X[agreed], own + margin)
        return agreed
    own = getattr(model, "surely_accepts", None)
    if own is not None:  # a segmented model asks the model of each row's segment
        return np.asarray(own(X, margin))
    if hasattr(model, "raw") and hasattr(model, "sure_cutoff"):
        above: Bools = model.raw(X) > model.sure_cutoff(margin)
        return above
    return np.asarray(model.score(X) > margin + CLEARANCE)


def checked(X: Matrix, width: int) -> Matrix:
    """The matrix, if it has one column per input."""
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != width:
        raise InputError(
            f"the model reads {width} inputs but was given a matrix of shape {X.shape}; "
            "build it with schema.matrix(table)"
        )
    return X
