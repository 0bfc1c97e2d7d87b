"""One person's choice between dials: searched with some models, judged by others."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from standfast.recommendations.target import Target
from standfast.scores import Score
from standfast.scores.panel import Panel
from standfast.scores.score import CLEARANCE
from standfast.search.local.local_search import LocalSearch
from standfast.search.local.neighbourhood import LEAST, Numbers
from standfast.search.local.surroundings import Surroundings
from standfast.search.problem.price import Matrix, Vector

NORMAL = NormalDist()
# searches for one person; they end when two cautions are this close, or when the answer that passes
# costs hardly more than one that does not
ROUNDS, CLOSE, HARDLY = 5, 0.1, 0.02
# the least step of a caution that was far too low, and where more of it changes nothing
STRIDE, SUREST = 0.25, 5.0


@dataclass(frozen=True)
class ValidationModels:
    """Models that no search has seen, and how many of them have to accept.

    Their share must exceed the target by one standard error, √(v(1 − v)/m). Advice is chosen
    because these very models accept it, and if they happen to accept more than others would, they
    do so for all people alike, which no number of people averages out.
    """

    models: tuple[Score, ...]
    validity: float

    @property
    def needed(self) -> int:
        """The least number that must accept, at most all of them."""
        return Target(self.validity, len(self.models)).needed

    def scores(self, points: Matrix) -> Matrix:
        """What each says of each point: models by points."""
        return self._panel.score(points)

    @cached_property
    def _panel(self) -> Panel:
        return Panel(self.models)

    def count(self, points: Matrix) -> Numbers:
        """How many accept each point."""
        yes: Numbers = (self.scores(points) > CLEARANCE).sum(axis=0)
        return yes

    def refusal(self, scores: Vector) -> float:
        """The share of models that would refuse, from what each of these says.

        Where none refuses, the share of normal scores below zero with their mean and spread, at
        most 1/(m + 1): so advice that all of them accept can still be ranked below safer advice.
        """
        no = int((scores <= CLEARANCE).sum())
        if no:
            return no / len(scores)
        spread = max(float(scores.std()), LEAST)
        return min(NORMAL.cdf(-float(scores.mean()) / spread), 1.0 / (len(scores) + 1.0))

    def deviations(self, yes: int) -> float:
        """Φ⁻¹ of the share that accepts, kept off 0 and 1."""
        return NORMAL.inv_cdf((yes + 0.5) / (len(self.models) + 1.0))


@dataclass(frozen=True)
class Candidate:
    """Advice that the reference accepts, which models do, and the share that would refuse."""

    point: Vector
    cost: float
    accepting: NDArray[np.bool_]
    refusal: float

    @property
    def yes(self) -> int:
        """How many validation models accept."""
        return int(self.accepting.sum())


@dataclass
class Choice:
    """The candidates for one person, judged as they come.

    Without `breach_cost` the cheapest candidate that enough validation models accept is best, with
    it the one of least expected cost, if a promise that a model breaks costs so much.
    """

    models: ValidationModels
    price: Callable[[Vector], float]
    breach_cost: float | None = None
    candidates: list[Candidate] = field(default_factory=list)

    def passes(self, candidate: Candidate) -> bool:
        """Whether enough models accept."""
        return candidate.yes >= self.models.needed

    def judge(self, point: Vector) -> Candidate:
        """Take up a candidate."""
        scores = self.models.scores(point[None])[:, 0]
        refusal = self.models.refusal(scores)
        found = Candidate(point, self.price(point), scores > CLEARANCE, refusal)
        self.candidates.append(found)
        return found

    def expected(self, candidate: Candidate) -> float:
        """What it costs, and what is lost where models refuse."""
        assert self.breach_cost is not None
        return candidate.cost + self.breach_cost * candidate.refusal

    @property
    def accepting(self) -> NDArray[np.bool_]:
        """The models that accept some candidate."""
        found: NDArray[np.bool_] = np.any([one.accepting for one in self.candidates], axis=0)
        return found

    @property
    def best(self) -> Candidate:
        """Of least expected cost; or the cheapest that passes, else what most models accept."""
        if self.breach_cost is not None:
            return min(self.candidates, key=self.expected)
        passed = [one for one in self.candidates if self.passes(one)]
        if passed:
            return min(passed, key=lambda one: one.cost)
        return min(self.candidates, key=lambda one: (-one.yes, one.cost))


def raise_reference(choice: Choice, solve: Callable[[int], Vector | None], rungs: int) -> None:
    """Dial one, the baseline: the reference's own threshold raised as little as the models allow.

    `solve(k)` is the cheapest advice at the k-th of `rungs` margins, in ascending order, or None
    where there is none. The answers' cost rises with the margin, and so, nearly, does the number of
    models that accept: the first margin that passes is found by halving.
    """
    low, high = 0, rungs
    while low < high:
        middle = (low + high) // 2
        found = solve(middle)
        if found is None or choice.passes(choice.judge(found)):
            high = middle
        else:
            low = middle + 1


def raise_caution(choice: Choice, around: Surroundings, expired: Callable[[], bool]) -> None:
    """Dial two: how sure the searching models must be, raised as little as the models allow.

    Were the models' scores at a point normal, a share v of them would accept where their mean
    exceeds Φ⁻¹(v) of their standard deviations: the caution to start with. From there it is led to
    where just enough models accept, by what they say of each answer. The first candidate, the
    reference's own optimum, is where everything starts.
    """
    first, goal = choice.candidates[0], choice.models.deviations(choice.models.needed)
    p = around.levels_of(first.point)
    low, high = around.deviations(p), np.inf
    under, over, least = choice.models.deviations(first.yes), np.inf, first.cost
    caution = max(low + STRIDE, goal)
    for _ in range(ROUNDS):
        search = LocalSearch(around, caution, expired)
        below = choice.best.cost if choice.passes(choice.best) else np.inf
        found = search.ascend(p, below)
        if found is None and below == np.inf:
            found = search.ascend(search.strongest(p))
        if found is None:
            high, over = caution, np.inf
        else:
            found = search.improve(found)
            one = choice.judge(around.point(found))
            if choice.passes(one):
                high, over = caution, choice.models.deviations(one.yes)
            else:
                # the same answer would be found up to its own deviations
                low = max(caution, around.deviations(found))
                under, p, least = choice.models.deviations(one.yes), found, one.cost
        best = choice.best
        enough = choice.passes(best) and best.cost <= (1.0 + HARDLY) * least
        if expired() or enough or high - low <= CLOSE:
            return
        if high == np.inf:
            caution = low + max(STRIDE, goal - under)
        else:
            part = (goal - under) / (over - under) if over > goal else 1.0
            caution = low + min(max(part, 0.25), 0.75) * (high - low)


def weigh_reference(choice: Choice, solve: Callable[[int], Vector | None], rungs: int) -> None:
    """Dial one for a breach cost: every other margin, as long as advice costs less than the best.

    Advice that costs more than the best's expected cost is worth it under no models.
    """
    for k in range(0, rungs, 2):
        found = solve(k)
        if found is None or choice.judge(found).cost >= choice.expected(choice.best):
            return


def weigh_caution(choice: Choice, around: Surroundings, expired: Callable[[], bool]) -> None:
    """Dial two for a breach cost: ever more caution, as long as advice costs less than the best."""
    p = around.levels_of(choice.candidates[0].point)
    while (sure := around.deviations(p)) < SUREST:
        search = LocalSearch(around, sure + STRIDE, expired)
        below = choice.expected(choice.best)
        found = search.ascend(p, below)
        if found is None:
            found = search.ascend(search.strongest(p, below), below)
        if found is None or expired():
            return
        p = search.improve(found)
        choice.judge(around.point(p))


def reach_farthest(choice: Choice, around: Surroundings, expired: Callable[[], bool]) -> None:
    """Where the target is out of reach: the most that single changes gain, then made cheaper.

    Once by any changes, and once by such as the reference accepts all the way.
    """
    goal = choice.models.deviations(choice.models.needed)
    start = around.levels_of(choice.best.point)
    for legal in (False, True):
        p = LocalSearch(around, goal, expired).strongest(start, legal=legal)
        if around.look(p).legal[around.here(p)]:
            search = LocalSearch(around, around.deviations(p) - 1e-9, expired)
            choice.judge(around.point(search.improve(p, deep=False)))
