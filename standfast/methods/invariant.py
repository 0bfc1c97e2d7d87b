"""Invariant: the cheapest advice found that a wanted share of models nobody has seen accepts."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from standfast.errors import InputError, check_whole
from standfast.methods import exact
from standfast.methods.method import Answers, Limits, Matrix, Streams, Vector
from standfast.percentiles import Cost, Percentiles
from standfast.recommendations import Outcome
from standfast.recommendations.target import Target, accepting
from standfast.rivals.fresh_models import Part
from standfast.schema import Schema
from standfast.scores import Score
from standfast.search.exact.solve import Limit, Solver
from standfast.search.problem.lattice import Actions
from standfast.search.problem.price import Price
from standfast.search.problem.program import Program
from standfast.search.problem.trees import Readable

if TYPE_CHECKING:  # importing standfast must not load the kernels
    from standfast.methods.choice import Choice, Jurors

# by how much the reference's threshold is raised: the baseline's margins
MARGINS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.125, 0.15, 0.175, 0.2, 0.25, 0.3, 0.4)
# boxes opened for each of them: by then hardly an answer gets cheaper, only proven
RAISED_BOXES = 5_000


@dataclass(frozen=True)
class Invariant:
    """Advice that the model accepts and that a share `validity` of models like it would accept.

    Minimal cost for one model hugs that model's boundary, and the next model moves the boundary.
    This method holds fresh models of the same kind (`fresh_models`) in two parts. With `searching`
    it searches: the cheapest point that the reference accepts and where the mean of their scores
    exceeds so many of their standard deviations, the caution. By `choosing`, models that no search
    has seen, it sets the caution for each person: as low as enough of them accept, one standard
    error more than `validity` to pay for the choice. The reference's own raised threshold competes,
    so that it is never the cheaper way. Made by `Invariant.fit(...)`.

    Everybody gets the same validity that way, at very different costs. Where a broken promise has
    a price, give it as `surprise`: then each person's cost plus the surprise's share that models
    refuse is made least, and `validity` is not asked for. It buys validity where it is cheap.

    Caution is searched by moves on the lattice, which prove nothing: the outcome is found, and the
    lower bound the reference's own minimal cost. Where that answer passes, it is minimal. Each
    remark says how many choosing models accept. Where the target is not reached, it also says how
    many could accept any advice, by the models proven to accept nothing that the reference accepts.
    `Recommendations.shortfall` estimates how many people's advice is accepted by less than the
    target's share of models that nobody has seen.
    """

    schema: Schema
    percentiles: Percentiles
    searching: Part
    choosing: Part
    validity: float = 0.9
    cost: Cost = "total"
    surprise: float | None = None
    actions: int = 100
    boxes: int = 100_000
    name: str = "invariant"

    def __post_init__(self) -> None:
        object.__setattr__(self, "percentiles", self.percentiles.of(self.schema))
        check_whole(actions=self.actions, boxes=self.boxes)
        v = self.validity
        if not isinstance(v, Real) or isinstance(v, bool) or not 0.0 < v < 1.0:
            raise InputError(f"validity is {v!r}; it must be a share between 0 and 1, e.g. 0.9")
        price = self.surprise
        if price is not None and not (
            isinstance(price, Real) and not isinstance(price, bool) and 0.0 <= price < np.inf
        ):
            raise InputError(
                f"surprise is {price!r}; it is what a broken promise costs, 0 or a positive number "
                "in the units of the cost, or None to ask for the same validity for everybody"
            )
        if self.cost not in ("total", "max", "log"):
            raise InputError(f"unknown cost {self.cost!r}; allowed: total, max, log")
        for part in (self.searching, self.choosing):
            _check_part(part, len(self.schema))
        for i, score in enumerate(self.searching):
            if not isinstance(score, Readable):
                raise InputError(
                    f"model {i} of '{self.searching.name}' can only be asked, for its structure "
                    "cannot be read; search with linear, additive and tree models, and leave this "
                    "one to choose by"
                )
        shared = set(self.searching.digests) & set(self.choosing.digests)
        if shared:
            raise InputError(
                f"{len(shared)} of the models are in '{self.searching.name}' and in "
                f"'{self.choosing.name}'; what was searched with cannot judge: draw two parts that "
                "share no model"
            )
        self.domain.grid  # noqa: B018 a schema that contradicts the table is refused here

    @classmethod
    def fit(
        cls,
        schema: Schema,
        percentiles: Percentiles,
        *,
        search: Iterable[Score],
        choose: Iterable[Score],
        validity: float = 0.9,
        cost: Cost = "total",
        surprise: float | None = None,
    ) -> "Invariant":
        """The method, from two parts of `fresh_models`: one to search with, one to choose by.

        A hundred models each serve well. The models to search with must be readable (linear,
        additive or trees); those to choose by are only asked.

        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from standfast import datasets, fresh_models, recommend
        >>> data = datasets.twin("heloc", n=400, seed=0)
        >>> fresh = fresh_models(
        ...     DecisionTreeClassifier(max_depth=3),
        ...     data,
        ...     draws={"min_samples_leaf": [10, 20]},
        ...     sizes={"search": 20, "choose": 20, "certify": 0},
        ...     epsilon=0.2,
        ... )
        >>> q = Percentiles.fit(data.table)
        >>> method = Invariant.fit(
        ...     data.schema, q, search=fresh.search, choose=fresh.choose, validity=0.8
        ... )
        >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(data.table, data.labels)
        >>> recommend(method, tree, data.table.head(20))
        <Recommendations: 20 people on twin of heloc, n=400, seed=0: ... found...>
        """
        searching = search if isinstance(search, Part) else Part("search", search)
        choosing = choose if isinstance(choose, Part) else Part("choose", choose)
        return cls(schema, percentiles, searching, choosing, validity, cost, surprise)

    @cached_property
    def domain(self) -> Schema:
        """The schema completed by the reference table."""
        return self.schema.complete(self.percentiles.values)

    def settings(self) -> dict[str, object]:
        """The settings, for the provenance."""
        asked = "validity" if self.surprise is None else "surprise"
        chosen = {name: getattr(self, name) for name in (asked, "cost", "actions", "boxes")}
        parts = {"search": self.searching, "choose": self.choosing}
        return chosen | {
            name: {"part": part.name, "models": list(part.digests)}  # none of them may certify
            for name, part in parts.items()
        }

    def price(self, X: Matrix, Y: Matrix) -> Vector:
        """The chosen percentile shift."""
        return self.percentiles.cost(self.cost, X, Y)

    def search(self, model: Score, X: Matrix, streams: Streams, limits: Limits) -> Answers:
        """Advice for each person in turn, with the reference's minimal cost as a lower bound."""
        asked = exact.members(model, 0.0)
        seen = set(self.choosing.digests) & {score.digest for score, _ in asked}
        if seen:
            raise InputError(
                f"the model is itself in '{self.choosing.name}', which is to judge advice made for "
                "it; leave it out of the part to choose by"
            )
        shared = limits.once(partial(self._prepare, asked))
        wishes = exact.Wishes(1, True, self.boxes)
        plain = exact.answers(shared.program, exact.names_of(model), X, limits, wishes)
        points, outcomes, reasons = plain.points.copy(), list(plain.outcomes), list(plain.reasons)
        seconds = np.zeros(len(X)) if plain.seconds is None else plain.seconds.copy()
        accepted_by = np.full(len(X), np.nan)
        desk = _Desk(self, shared, X, limits)
        for i in np.flatnonzero([outcome.advises for outcome in outcomes]):
            began = time.monotonic()
            until = min(limits.deadline, began + limits.seconds - seconds[i])
            limit = Limit(RAISED_BOXES, until, limits.stop.is_set)
            choice = desk.choose(int(i), points[i], limit)
            best, ended = choice.best, limit.expired()
            if best is not choice.candidates[0] or ended or not desk.content(choice):
                points[i], outcomes[i], reasons[i] = best.point, Outcome.FOUND, ""
            reasons[i] = f"{reasons[i]} {desk.remark(int(i), choice, limit)}".strip()
            accepted_by[i] = best.yes
            seconds[i] += time.monotonic() - began
        return Answers(
            points,
            tuple(outcomes),
            tuple(reasons),
            plain.lower_bounds,
            seconds,
            accepted_by=accepted_by,
        )

    def _prepare(self, asked: list[tuple[Score, float]]) -> "_Shared":
        from standfast.methods.choice import Jurors

        actions, price = Actions(self.actions), Price(self.cost)
        models, margins = zip(*asked, strict=True)
        known = self.domain, self.percentiles, price
        counted = Program.build(
            (*models, *self.searching), (*margins, *(0.0 for _ in self.searching)), *known, actions
        )
        program = Program.build(models, margins, *known)
        raised: list[Program] = []
        if all(score.probability for score, _ in asked):
            raised = [program.with_margins([m + more for m in margins]) for more in MARGINS]

        @cache
        def beside(juror: Score) -> Program:
            return Program.build((*models, juror), (*margins, 0.0), *known)

        jurors = Jurors(tuple(self.choosing), self.validity)
        return _Shared(program, tuple(raised), counted, jurors, beside)


@dataclass(frozen=True, eq=False)
class _Shared:
    """What all blocks of a call share: the reference's program, its raised ones, the jurors.

    `counted` is the reference's models together with those searched with; `beside` makes the
    program of the reference and one more model.
    """

    program: Program
    raised: tuple[Program, ...]
    counted: Program
    jurors: "Jurors"
    beside: Callable[..., Program]


class _Desk:
    """Where the people of a block are served, one after another."""

    def __init__(self, method: Invariant, shared: _Shared, X: Matrix, limits: Limits) -> None:
        from standfast.methods.attainable import Attainable
        from standfast.search.local.surroundings import Surroundings

        self.method, self.shared, self.X, self.limits = method, shared, X, limits
        self.jurors = shared.jurors
        self.attainable = Attainable(self.jurors.models, shared.beside, X)
        self.around = Surroundings(shared.counted, len(shared.program.models))
        self.solvers: dict[int, Solver] = {}

    def choose(self, i: int, first: Vector, limit: Limit) -> "Choice":
        """Person i's candidates, the reference's optimum first."""
        from standfast.methods.choice import Choice

        x = self.X[i]

        def price(point: Vector) -> float:
            return float(self.method.price(x[None], point[None])[0])

        choice = Choice(self.jurors, price, self.method.surprise)
        choice.judge(first)
        if self.method.surprise is None:
            self._reach(i, choice, limit)
        else:
            self._weigh(i, choice, limit)
        return choice

    def _reach(self, i: int, choice: "Choice", limit: Limit) -> None:
        """Candidates for the target validity."""
        from standfast.methods.choice import raise_crowd, raise_reference, reach_farthest

        if choice.passes(choice.best):
            return
        raise_reference(choice, partial(self._raised, i, limit), len(self.shared.raised))
        if limit.expired():
            return
        # whatever is cheaper than the baseline makes no larger move
        self.around.of(self.X[i], choice.best.cost if choice.passes(choice.best) else np.inf)
        raise_crowd(choice, self.around, limit.expired)
        if not choice.passes(choice.best) and not limit.expired():
            reach_farthest(choice, self.around, limit.expired)

    def _weigh(self, i: int, choice: "Choice", limit: Limit) -> None:
        """Candidates for the least expected cost."""
        from standfast.methods.choice import weigh_crowd, weigh_reference

        weigh_reference(choice, partial(self._raised, i, limit), len(self.shared.raised))
        if not limit.expired():
            self.around.of(self.X[i], choice.expected(choice.best))
            weigh_crowd(choice, self.around, limit.expired)

    def content(self, choice: "Choice") -> bool:
        """Whether nothing more was asked for than what the best candidate gives."""
        return self.method.surprise is not None or choice.passes(choice.best)

    def _raised(self, i: int, limit: Limit, k: int) -> Vector | None:
        if limit.expired():
            return None
        if k not in self.solvers:
            self.solvers[k] = Solver(self.shared.raised[k], self.X)
        return self.solvers[k].solve(i, limit).point

    def remark(self, i: int, choice: "Choice", limit: Limit) -> str:
        """How many models accept, whether that is enough, and if not, how many ever could."""
        yes, m = choice.best.yes, len(self.jurors.models)
        ended = limit.expired()
        why = f"{self.limits.why} " * ended
        if self.method.surprise is not None:
            return f"{why}{accepting(yes, m)}."
        target = Target(self.method.validity, m)
        if self.content(choice):
            return target.met(yes)
        most = self.attainable.most(i, choice.accepting, limit)
        return f"{why}{target.missed(yes, most, ended=ended)}"


def _check_part(part: Part, width: int) -> None:
    if not len(part):
        raise InputError(
            f"the part '{part.name}' has no models; draw some with fresh_models(...), a hundred say"
        )
    for i, score in enumerate(part):
        if not isinstance(score, Score):
            raise InputError(
                f"model {i} of '{part.name}' is a {type(score).__name__}, not a score; turn it "
                "into one with as_score(...)"
            )
        if score.width != width:
            raise InputError(
                f"model {i} of '{part.name}' reads {score.width} inputs, the schema has {width}"
            )
