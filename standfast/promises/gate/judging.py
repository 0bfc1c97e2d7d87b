"""What a model makes of promises: the advice by its own prediction, the box by proof."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError, type_of
from standfast.methods.exact import members
from standfast.promises.promise import Promises
from standfast.promises.verdict import Verdict
from standfast.recommendations.boxes import Bools, Matrix
from standfast.schema import Schema
from standfast.scores import Additive, Linear, Paired, Score, Segmented, TreeEnsemble
from standfast.scores.acceptance import accepted
from standfast.scores.score import CLEARANCE
from standfast.search.problem.pairs import as_trees
from standfast.search.problem.program import need
from standfast.search.region.prover import (
    ACCEPTED,
    INADMISSIBLE,
    REFUTES,
    Check,
    Findings,
    TreeProver,
    all_of,
)
from standfast.search.region.summing import SumProver
from standfast.search.region.values import Admissible

# nodes of one branch and bound: boxes are rarely taken apart further, and a million must end
NODES = 400


class Prover(Protocol):
    """Whatever proves something of every admissible point of boxes."""

    def prove(self, asked: Admissible, check: Check) -> Findings:
        """What becomes of each box."""
        ...


@dataclass(frozen=True, eq=False)
class Judgement:
    """What a model makes of a block of promises, promise by promise.

    `verdicts` are values of `Verdict`. A promise at risk is `shown` to be so by a point of its box
    that the model refuses, its row of `evidence`; without one it could not be decided. A broken
    promise is `void` where all of its box is refused, proven.
    """

    verdicts: NDArray[np.uint8]
    shown: Bools
    void: Bools
    evidence: Matrix


@dataclass(frozen=True, eq=False)
class Judge:
    """A model made ready to judge promises of a schema, block after block and in any thread.

    `causes` says why the model's answers cannot be proven, if they cannot.

    >>> import pandas as pd
    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, recommend, region
    >>> people = pd.DataFrame({"late": [0, 1, 2, 3]})
    >>> q, f = Percentiles.fit(people), Linear([-1.0], 1.5)
    >>> advice = recommend(MinimalCost(Schema((Feature("late", "count"),)), q), f, people)
    >>> promised = Promises.of(advice, region(advice, f, q))
    >>> stricter = Judge.of(Linear([-1.0], 0.5), promised.schema)
    >>> stricter.judge(promised).verdicts.tolist()  # late payments: 0 or 1; advised to have 1
    [2, 2]
    """

    model: Score
    schema: Schema
    provers: tuple[tuple[Score, float, Prover], ...]
    refuters: tuple[tuple[Score, float, Prover], ...]
    causes: tuple[str, ...]

    @classmethod
    def of(cls, model: Score, schema: Schema, nodes: int = NODES) -> "Judge":
        """The judge for a model; `nodes` limits each branch and bound."""
        if not isinstance(model, Score):
            raise InputError(
                f"{type_of(model)} is not a score; turn it into one with as_score(...)"
            )
        if model.width != len(schema):
            raise InputError(
                f"the model reads {model.width} inputs and the promises have {len(schema)}; "
                "build both with one schema"
            )
        provers, refuters, causes = [], [], []
        for i, (member, margin) in enumerate(members(model, 0.0)):
            found = _prover(member, margin, schema, nodes)
            if isinstance(found, str):
                causes.append(f"model {i} is {found}")
                found = _Nothing()
            elif not isinstance(member, Segmented):
                # whether nothing at all is accepted is a detail of a broken promise: a short search
                opposite = _prover(member, margin, schema, -(-nodes // 10), sign=-1.0)
                if not isinstance(opposite, str):
                    refuters.append((member, margin, opposite))
            provers.append((member, margin, found))
        return cls(model, schema, tuple(provers), tuple(refuters), tuple(causes))

    def judge(self, promises: Promises) -> Judgement:
        """The verdict of every promise of a block."""
        n, d = promises.point.shape
        verdicts = np.full(n, Verdict.AT_RISK, dtype=np.uint8)
        good = np.ones(n, dtype=bool)
        for member, margin, _ in self.provers:
            good[good] = _accepts(member, margin, promises.point[good])
        verdicts[~good] = Verdict.BROKEN
        asked = Admissible.of(self.schema, promises.factual, promises.point, promises.boxes)
        found = self._accepted_all_over(asked, good)
        verdicts[good & found.proven] = Verdict.KEPT
        void = np.zeros(n, dtype=bool)
        void[~good] = self._refused_all_over(asked.some(np.flatnonzero(~good)))
        shown = good & found.refuted
        evidence = np.where(shown[:, None], found.points, np.full((1, d), np.nan))
        return Judgement(verdicts, shown, void, evidence)

    def _accepted_all_over(self, asked: Admissible, good: Bools) -> Findings:
        """What becomes of the boxes whose advice is accepted; a box of one point is proven."""
        found = Findings.none(*asked.lo.shape)
        found.proven[good & (asked.single | asked.empty)] = True
        for k, (member, margin, prover) in enumerate(self.provers):
            left = good & ~found.refuted & ~(asked.single | asked.empty)
            rows = np.flatnonzero(left if k == 0 else left & found.proven)
            if not len(rows):
                break
            some = asked.some(rows)
            own = prover.prove(some, _check(member, margin, some, refused=True))
            if k > 0:
                own = all_of([found.of(rows), own])
            for whole, part in zip(found, own, strict=True):
                whole[rows] = part
        return found

    def _refused_all_over(self, asked: Admissible) -> Bools:
        """Which boxes some member refuses as a whole, proven."""
        void = np.asarray(asked.single | asked.empty)
        for member, margin, prover in self.refuters:
            rows = np.flatnonzero(~void)
            some = asked.some(rows)
            void[rows] = prover.prove(some, _check(member, margin, some, refused=False)).proven
        return void


def _accepts(model: Score, margin: float, X: Matrix) -> Bools:
    """Whether a model accepts each row beyond a margin, by its own prediction."""
    return accepted(model, X) if margin == 0.0 else model.accepts(X, margin)


def _check(model: Score, margin: float, asked: Admissible, *, refused: bool) -> Check:
    """Whether points are admissible and really refused (or really accepted)."""

    def check(rows: NDArray[np.intp], points: Matrix) -> NDArray[np.uint8]:
        answer = np.full(len(rows), INADMISSIBLE, dtype=np.uint8)
        if not len(rows):
            return answer
        may = asked.schema.admits(asked.x[rows], points)
        said = _accepts(model, margin, points[may])
        answer[may] = np.where(said == refused, ACCEPTED, REFUTES)
        return answer

    return check


def _prover(
    model: Score, margin: float, schema: Schema, nodes: int, sign: float = 1.0
) -> Prover | str:
    """What proves that a model accepts (or, with sign −1, refuses) boxes, or why nothing can."""
    if isinstance(model, Segmented):
        return _Segments.of(model, margin, schema, nodes)
    if isinstance(model, Paired):
        try:
            model = as_trees(model, schema)
        except InputError as error:
            return str(error)
    if not isinstance(model, TreeEnsemble | Linear | Additive):
        why = getattr(model, "why", "")
        return f"{type_of(model)}, whose structure cannot be read{f' ({why})' if why else ''}"
    asked = need(model, margin)
    if sign < 0.0:
        # as far below the cut-off as it was above, to be sure of the estimator's own arithmetic
        hidden = model.sure_cutoff(margin) - model.cutoff(margin)
        scale = model.divisor if isinstance(model, TreeEnsemble) else 1.0
        asked = -(asked - 2.0 * max(hidden, CLEARANCE) * scale)
    if not isinstance(model, TreeEnsemble):
        return SumProver(model, schema, asked, nodes, sign)
    return TreeProver.build(model, schema, asked + _rounding(model), nodes, sign)


def _rounding(model: TreeEnsemble) -> float:
    """What adding in 32 bits may hide."""
    return model.rounding_error * model.divisor if model.single else 0.0


@dataclass(frozen=True)
class _Nothing:
    """What is known of a model that only answers."""

    def prove(self, asked: Admissible, check: Check) -> Findings:
        """Nothing."""
        return Findings.none(*asked.lo.shape)


@dataclass(frozen=True, eq=False)
class _Segments:
    """The model of every segment, over that part of a box which lies in it."""

    model: Segmented
    provers: Sequence[Prover]

    @classmethod
    def of(cls, model: Segmented, margin: float, schema: Schema, nodes: int) -> "_Segments | str":
        """The provers of all segments; in words, why there is none."""
        found = [_prover(segment.model, margin, schema, nodes) for segment in model.segments]
        for segment, prover in zip(model.segments, found, strict=True):
            if isinstance(prover, str):
                return f"segmented, and its model of {segment.names} is {prover}"
        return cls(model, [prover for prover in found if not isinstance(prover, str)])

    def prove(self, asked: Admissible, check: Check) -> Findings:
        """What becomes of each box, segment by segment."""
        parts = []
        for segment, prover in zip(self.model.segments, self.provers, strict=True):
            parts.append(prover.prove(self._within(segment, asked), check))
        found = all_of(parts)
        j = self.model.place
        # between the values that have a model there may be some that have none
        several = (asked.lo[:, j] < asked.hi[:, j]) | asked.own[:, j]
        whole = self.model.segments[-1].other or j in asked.members
        return found if whole else found._replace(proven=found.proven & ~several)

    def _within(self, segment: object, asked: Admissible) -> Admissible:
        """The boxes cut to a segment, where its column holds categories or a single value."""
        j, lo, hi = self.model.place, asked.lo.copy(), asked.hi.copy()
        single = lo[:, j] == hi[:, j]
        inside = segment.has(lo[:, j]) | ~single  # type: ignore[attr-defined]
        lo[:, j], hi[:, j] = np.where(inside, lo[:, j], np.inf), np.where(inside, hi[:, j], -np.inf)
        members = dict(asked.members)
        if j in members:
            codes = np.arange(members[j].shape[1], dtype=np.float64)
            held = members[j] & segment.has(codes)  # type: ignore[attr-defined]
            members[j], some = held, held.any(axis=1)
            last = len(codes) - 1 - held[:, ::-1].argmax(axis=1)
            known = asked.members[j].any(axis=1)
            lo[:, j] = np.where(known, np.where(some, held.argmax(axis=1), np.inf), lo[:, j])
            hi[:, j] = np.where(known, np.where(some, last, -np.inf), hi[:, j])
        return replace(asked, lo=lo, hi=hi, members=members)
