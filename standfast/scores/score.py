"""A model seen as a number: above zero is favourable."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError, type_of

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

    A protocol: any class with these attributes is a score; `docs/extending.md` shows one. `score`
    may use a fast kernel; `accepts` is the last word, asked before an answer is given out.

    Examples
    --------
    >>> from standfast import Linear
    >>> model = Linear([1.0], -2.5)
    >>> isinstance(model, Score), model.width, model.probability
    (True, 1, False)
    >>> model.score(np.array([[2.0], [3.0]])), model.accepts(np.array([[2.0], [3.0]]))
    (array([-0.5,  0.5]), array([False,  True]))
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
    probability, 1 / (1 + e^−(scale·raw + shift)); isotonic: straight lines between `knots`, flat
    beyond them and perhaps in between; isolation: mean path length to an isolation forest's score
    −2^(−raw/scale). A calibrator works on what another link gives, the one `after` which it comes.

    >>> LOGISTIC.apply(np.array([0.0])), LOGISTIC.invert(0.5)
    (array([0.5]), 0.0)
    """

    name: Literal["identity", "logistic", "isolation", "isotonic"]
    scale: float = 1.0
    shift: float = 0.0
    knots: tuple[tuple[float, float], ...] = ()
    after: "Link | None" = None

    def __post_init__(self) -> None:
        x, y = self._ends
        if self.name == "logistic" and not self.scale > 0.0:
            raise InputError(f"the link's scale is {self.scale:g}; it must be above 0")
        if self.name == "isotonic" and not (len(x) and (np.diff(x) > 0).all()):
            raise InputError("an isotonic link needs knots at rising values")
        if (np.diff(y) < 0).any():
            raise InputError("an isotonic link must not fall; sort its knots")

    def __repr__(self) -> str:
        # fingerprints are made of this text: without what came later it is that of version 0.1.0
        later = [
            f"{name}={getattr(self, name)!r}"
            for name in ("shift", "knots", "after")
            if getattr(self, name)
        ]
        return f"Link({', '.join([f'name={self.name!r}', f'scale={self.scale!r}', *later])})"

    @property
    def probability(self) -> bool:
        """Whether what it gives is a probability."""
        return self.name in ("logistic", "isotonic")

    @cached_property
    def steepest(self) -> float:
        """How much it may enlarge an error of the raw value, at most; 1 if not at all."""
        x, y = self._ends
        own = {"logistic": self.scale / 4.0, "isotonic": 1.0}.get(self.name, 1.0)
        if len(x) > 1:
            own = float((np.diff(y) / np.diff(x)).max())
        return max(1.0, own) * (1.0 if self.after is None else self.after.steepest)

    @cached_property
    def _ends(self) -> tuple[Vector, Vector]:
        x, y = np.array(self.knots, dtype=np.float64).reshape(-1, 2).T
        return x, y

    def apply(self, raw: Vector) -> Vector:
        """What the threshold is compared with, from the raw value."""
        if self.after is not None:
            raw = self.after.apply(raw)
        if self.name == "logistic":
            if (self.scale, self.shift) != (1.0, 0.0):
                raw = self.scale * raw + self.shift
            # the stable form: no overflow on either side
            tail = np.exp(-np.abs(raw))
            return np.where(raw >= 0, 1.0 / (1.0 + tail), tail / (1.0 + tail))
        if self.name == "isolation":
            return -np.exp2(-raw / self.scale)
        if self.name == "isotonic":
            return np.asarray(np.interp(raw, *self._ends))
        return raw

    def invert(self, value: float) -> float:
        """The greatest raw value at which the link does not exceed `value`; ±inf without one."""
        found = self._inverted(value)
        if self.after is None or math.isinf(found):
            return found
        return self.after.invert(found)

    def _inverted(self, value: float) -> float:
        if self.name == "logistic":
            if value <= 0.0:
                return -math.inf
            odds = math.inf if value >= 1.0 else math.log(value) - math.log1p(-value)
            return (odds - self.shift) / self.scale
        if self.name == "isolation":
            if value <= -1.0:
                return -math.inf
            return math.inf if value >= 0.0 else -self.scale * math.log2(-value)
        if self.name == "isotonic":
            return self._last_knot(value)[0]
        return value

    def _last_knot(self, value: float) -> tuple[float, float]:
        """Where an isotonic link begins to exceed a value, and its slope from there on.

        A flat part at the very value does not exceed it: its right end is meant.
        """
        x, y = self._ends
        k = int(np.searchsorted(y, value, side="right")) - 1
        if k < 0:
            return -math.inf, 1.0
        if k == len(y) - 1:
            return math.inf, 1.0
        slope = (y[k + 1] - y[k]) / (x[k + 1] - x[k])
        return float(x[k] + (value - y[k]) / slope), float(slope)

    def clearance(self, value: float, rounding: float = ROUNDING) -> float:
        """How far the raw value must be above `invert(value)` for the link to show it.

        A probability is rounded as a number below 1, a few times on the way; near 0 and 1, where
        the link is flat (its slope is p(1 − p)), that hides more of the raw value.
        """
        start = self._inverted(value)
        if not self.probability or not 0.0 < value < 1.0 or math.isinf(start):
            return 0.0
        if self.name == "isotonic":
            hidden = 4.0 * rounding / self._last_knot(value)[1] + 4.0 * rounding * abs(start)
        else:
            hidden = 4.0 * rounding / (value * (1.0 - value)) / self.scale
            if (self.scale, self.shift) != (1.0, 0.0):
                hidden += 4.0 * rounding * (abs(start) + abs(self.shift) / self.scale)
        if self.after is None:
            return hidden
        shown = start + hidden
        raw = self.after.invert(shown) + self.after.clearance(shown, rounding)
        return raw - self.after.invert(start) if math.isfinite(raw) else raw


IDENTITY = Link("identity")
LOGISTIC = Link("logistic")


class Structured(ABC):
    """What scores with a raw value share: score(x) = link(raw(x)) − threshold.

    `prediction`, where the model came from an estimator, is that estimator's own word.
    """

    link: Link
    threshold: float
    prediction: Callable[[Matrix], Vector] | None

    @property
    def probability(self) -> bool:
        """Whether the score is a probability minus a threshold."""
        return self.link.probability

    @abstractmethod
    def raw(self, X: Matrix) -> Vector:
        """The raw value of each row."""

    def score(self, X: Matrix) -> Vector:
        """link(raw) − threshold of each row; above zero is favourable."""
        return self.link.apply(self.raw(X)) - self.threshold

    def accepts(self, X: Matrix, margin: float = 0.0) -> Bools:
        """Whether each row's score exceeds the margin, by the estimator's own prediction.

        An estimator that is asked about a row it refuses would refuse them all.
        """
        if self.prediction is None:
            return self.score(X) > margin
        known = np.isfinite(self.raw(X))
        accepted = np.zeros(len(X), dtype=bool)
        accepted[known] = self.prediction(X[known]) - self.threshold > margin
        return accepted

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
    if own is not None:  # a verdict may take less than the score itself
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


def check_score(score: object, what: str, width: int) -> None:
    """Refuse what is not a score, or a score of other inputs."""
    if not isinstance(score, Score):
        raise InputError(
            f"{what} is {type_of(score)}, not a score; turn it into one with as_score(...)"
        )
    if score.width != width:
        raise InputError(
            f"{what} reads {score.width} inputs and the people have {width}; build it with the "
            "people's schema: as_score(estimator, schema, favourable=...)"
        )
