"""Several models as one: the advice must satisfy them all."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from standfast.digests import digest
from standfast.errors import InputError
from standfast.scores.score import Bools, Matrix, Score, Vector


@dataclass(frozen=True)
class Unanimous:
    """The least of its members' scores: above zero only where every member accepts.

    Joint advice c*(f, g) of eq. (3) is advice under `Unanimous([f, g])`.

    Parameters
    ----------
    scores : sequence of Score
        The members.
    margin : float or tuple of float
        Asks every member for that much more than its threshold: one number, or one per member. A
        common positive margin needs members whose scores are probabilities, for decision values
        share no unit.
    names : tuple of str
        What sentences call the members; without it they are model 0, model 1, ….

    Examples
    --------
    >>> from standfast import Linear
    >>> both = Unanimous([Linear([1.0], -2.5), Linear([1.0], -3.5)], names=("now", "next"))
    >>> both.score(np.array([[3.0], [4.0]])), both.accepts(np.array([[3.0], [4.0]]))
    (array([-0.5,  0.5]), array([False,  True]))
    """

    scores: tuple[Score, ...]
    margin: float | tuple[float, ...] = 0.0
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        scores = tuple(self.scores)
        if not scores:
            raise InputError("Unanimous needs at least one score; make some with as_score(...)")
        for member in scores:
            if not isinstance(member, Score):
                raise InputError(
                    f"{type(member).__name__} is not a score; turn it into one with as_score(...)"
                )
        widths = sorted({member.width for member in scores})
        if len(widths) > 1:
            raise InputError(f"the members read {widths} inputs; build them with one schema")
        margin = self.margin
        if isinstance(margin, Iterable):
            margin = tuple(float(m) for m in margin)
            if len(margin) != len(scores):
                raise InputError(f"{len(margin)} margins for {len(scores)} members; give one each")
        else:
            margin = float(margin)
            without = [i for i, member in enumerate(scores) if not member.probability]
            if margin > 0 and without and len(scores) > 1:
                raise InputError(
                    f"members {without} have no probability, so a common margin of {margin:g} "
                    "means something else for each; give one margin per member"
                )
        if not np.isfinite(margin).all():
            raise InputError("a margin must be a finite number")
        names = tuple(str(name) for name in self.names)
        if names and (len(names) != len(scores) or len(set(names)) < len(names)):
            raise InputError(
                f"{len(set(names))} different names for {len(scores)} members; give each its own"
            )
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "margin", margin)

    @property
    def margins(self) -> tuple[float, ...]:
        """The margin of each member."""
        return self.margin if isinstance(self.margin, tuple) else (self.margin,) * len(self.scores)

    @property
    def width(self) -> int:
        """How many inputs the members read."""
        return self.scores[0].width

    @property
    def probability(self) -> bool:
        """Whether every member's score is a probability minus a threshold."""
        return all(member.probability for member in self.scores)

    @property
    def digest(self) -> str:
        """The fingerprint of all members and margins."""
        return digest([[member.digest for member in self.scores], self.margins])

    def score(self, X: Matrix) -> Vector:
        """min over the members of f(x) − margin."""
        pairs = zip(self.scores, self.margins, strict=True)
        least: Vector = np.min([member.score(X) - m for member, m in pairs], axis=0)
        return least

    def accepts(self, X: Matrix, margin: float = 0.0) -> Bools:
        """Whether every member accepts each row beyond its margin, by its own prediction."""
        agreed = np.ones(len(X), dtype=bool)
        for member, m in zip(self.scores, self.margins, strict=True):
            agreed[agreed] &= member.accepts(X[agreed], m + margin)
        return agreed
