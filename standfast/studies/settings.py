"""What a study is asked: how large, which references, and which of the paper's choices."""

from dataclasses import dataclass
from typing import Literal

from standfast.errors import InputError, check_whole, listing

REFERENCES = ("linear", "forest")
EPSILON = 0.05  # as in the paper
DRIFT = 0.5  # how far the data drift in a simulated year
MOST_DRIFT = 5.0  # beyond it a few people would make up the whole window


@dataclass(frozen=True)
class Sizes:
    """How much of everything: the same study, quick or at the paper's sizes.

    `rows` people of a data set at most (None: all), `people` refused ones to advise, `joint` of
    them for the surprise and `frontier` for the frontier, which has `fresh` models in each part; so
    many models of each grid; `boxes` at most in each exact search, which unlike seconds give the
    same answer everywhere; `rows_seen` by the autoencoder in training; for the simulated year,
    `promised` people advised in each quarter of each of `histories` histories.
    """

    rows: int | None
    people: int
    joint: int
    linear: int
    forests: int
    boxes: int
    rows_seen: int
    frontier: int
    fresh: int
    promised: int = 16
    histories: int = 4


SIZES = {
    "quick": Sizes(1_500, 12, 12, 5, 3, 1_000, 60_000, 6, 12, 6, 2),
    "usual": Sizes(6_000, 60, 60, 50, 12, 10_000, 600_000, 30, 40, 16, 4),
    "full": Sizes(None, 500, 200, 50, 12, 20_000, 600_000, 100, 100, 40, 10),
}


@dataclass(frozen=True)
class Settings:
    """The settings of a study; without references of ours it needs a model of one's own.

    `as_published` takes the paper's choices where ours differ: methods as published, no class
    weights, and the plain share of mistakes on the training people as the risk. `frontier` asks for
    the frontier of cost against validity under fresh models too, which takes longer than the rest.
    `promises` asks for the simulated year, in which the data drift by `drift`, and `complete` for
    advice that complete level sets accept.

    >>> Settings(references=("linear",)).sizes == SIZES["usual"]
    True
    """

    references: tuple[str, ...] = REFERENCES
    sizes: Sizes = SIZES["usual"]
    as_published: bool = False
    frontier: bool = False
    epsilon: float = EPSILON
    seed: int = 0
    jobs: int = 1
    promises: bool = False
    drift: float = DRIFT
    complete: bool = False

    def __post_init__(self) -> None:
        unknown = [name for name in self.references if name not in REFERENCES]
        if unknown:
            raise InputError(
                f"the references are {listing(self.references)}; allowed are {listing(REFERENCES)}"
            )
        check_whole(people=self.sizes.people, joint=self.sizes.joint, jobs=self.jobs)
        check_whole(0, seed=self.seed)
        if self.promises and self.as_published:
            raise InputError("a simulated year is not in the paper; leave out as_published")
        if not 0.0 <= self.drift <= MOST_DRIFT:  # written so that NaN is refused too
            raise InputError(
                f"the drift is {self.drift!r}; it must be a number from 0 (none) to {MOST_DRIFT:g}"
            )

    @property
    def balanced(self) -> bool:
        """Whether both classes weigh the same, in fitting and in the risk."""
        return not self.as_published

    @property
    def risk(self) -> Literal["error", "balanced_error"]:
        """How mistakes are counted."""
        return "balanced_error" if self.balanced else "error"
