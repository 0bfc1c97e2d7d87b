"""recommend(): the one verb, which owns what all methods share."""

import hashlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.digests import digest_of_table
from standfast.errors import InputError, check_positive, check_whole
from standfast.methods.exact import members
from standfast.methods.method import (
    Alternative,
    Answers,
    Limits,
    Matrix,
    Method,
    Once,
    Streams,
    Vector,
)
from standfast.readers import as_score
from standfast.recommendations import Outcome, Recommendations
from standfast.scores import Score

Progress = Callable[[int, int], object]


def recommend(
    method: Method,
    model: Any,
    people: pd.DataFrame,
    *,
    seed: int = 0,
    jobs: int = 1,
    time_limit: float | None = None,
    total_time: float | None = None,
    progress: Progress | None = None,
    block: int | None = None,
) -> Recommendations:
    """Advice for everyone in a table: one row per person, every answer re-checked.

    `model` is a score, or an estimator whose classes are −1 and +1. `time_limit` is seconds per
    person (a block searched in lockstep gets that times its people), `total_time` seconds for the
    call; people not reached are `exhausted`. `progress(done, total)` is called as people are
    finished. Answers do not depend on company, order, blocks or workers unless a clock strikes.
    Ctrl-C returns what is finished, marked as interrupted.
    """
    _check_options(seed, jobs, time_limit, total_time, block)
    score = model if isinstance(model, Score) else _with_signs(model, method)
    X = method.schema.matrix(people)
    if score.width != X.shape[1]:
        raise InputError(
            f"the model reads {score.width} inputs and the method's schema has {X.shape[1]}; build "
            "both with one schema"
        )
    rows = _Rows(method, X)
    rows.mark(_doubtful(method, X), Outcome.OUTSIDE_SCHEMA)
    waiting = np.flatnonzero(rows.open)
    accepted = waiting[score.accepts(X[waiting])] if len(waiting) else waiting
    rows.mark(dict.fromkeys(accepted.tolist(), ""), Outcome.ALREADY_FAVOURABLE)
    waiting = np.flatnonzero(rows.open)
    streams = _streams(X, seed)
    ends = np.inf if total_time is None else time.monotonic() + total_time
    stop, once = threading.Event(), Once()

    def serve(part: NDArray[np.intp]) -> tuple[Answers, float]:
        began = time.monotonic()
        allowed = np.inf if time_limit is None else began + time_limit * len(part)
        limits = Limits(min(ends, allowed), time_limit or np.inf, stop, once)
        if limits.expired():
            return unanswered(len(part), X.shape[1], limits), 0.0
        answers = method.search(score, X[part], streams[part], limits)
        return answers, time.monotonic() - began

    size = block or int(np.clip(-(-len(waiting) // (8 * jobs)), 8, 256))
    parts = [waiting[i : i + size] for i in range(0, len(waiting), size)]
    if progress:
        progress(len(X) - len(waiting), len(X))
    with ThreadPoolExecutor(jobs, thread_name_prefix="standfast") as pool:
        futures = {pool.submit(serve, part): part for part in parts}
        try:
            for future in as_completed(futures):
                rows.record(futures[future], *future.result())
                if progress:
                    progress(int(len(X) - rows.open.sum()), len(X))
        except KeyboardInterrupt:
            stop.set()  # searches under way return with what they have
            pool.shutdown(wait=True, cancel_futures=True)
            _collect(futures, rows)
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    left = np.flatnonzero(rows.open)
    rows.mark(dict.fromkeys(left.tolist(), "The run was interrupted."), Outcome.EXHAUSTED)
    with ThreadPoolExecutor(1) as pool:
        check = pool.submit(rows.recheck, score)
        try:
            check.result()
        except KeyboardInterrupt:
            check.result()  # nothing is returned unchecked, and nothing found is lost
    return rows.table(people, _provenance(method, score, people, seed, stop.is_set()))


def unanswered(n: int, d: int, limits: Limits) -> Answers:
    """Answers for people whom a limit kept from being searched at all."""
    return Answers(
        np.full((n, d), np.nan),
        (Outcome.EXHAUSTED,) * n,
        (limits.why,) * n,
        np.full(n, np.nan),
    )


def _check_options(
    seed: int, jobs: int, time_limit: float | None, total_time: float | None, block: int | None
) -> None:
    check_whole(least=0, seed=seed)
    check_whole(jobs=jobs)
    if block is not None:
        check_whole(block=block)
    for what, seconds in (("time_limit", time_limit), ("total_time", total_time)):
        if seconds is not None:
            check_positive(of=" of seconds", **{what: seconds})


def _with_signs(model: Any, method: Method) -> Score:
    classes = getattr(getattr(model, "best_estimator_", model), "classes_", None)
    if classes is not None and sorted(map(str, classes)) != ["-1", "1"]:
        raise InputError(
            f"the model's classes are {list(classes)}, so it is not clear which one is favourable; "
            "use as_score(model, schema, favourable=...)"
        )
    return as_score(model, method.schema, favourable=1)


def _doubtful(method: Method, X: Matrix) -> dict[int, str]:
    doubts = method.schema.doubts(X)
    return {i: f"{doubt[0].upper()}{doubt[1:]}." for i, doubt in enumerate(doubts) if doubt}


def _streams(X: Matrix, seed: int) -> Streams:
    """One number per person from the seed and their own row, so that company does not matter."""
    key = int(seed).to_bytes(16, "little")
    rows = np.ascontiguousarray(X + 0.0)  # −0.0 and 0.0 are the same person
    digests = [hashlib.blake2b(row.tobytes(), digest_size=8, key=key).digest() for row in rows]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _collect(futures: dict[Future[tuple[Answers, float]], Any], rows: "_Rows") -> None:
    for future, part in futures.items():
        try:
            rows.record(part, *future.result(timeout=0))
        except CancelledError:
            continue  # never started


def _provenance(
    method: Method, score: Score, people: pd.DataFrame, seed: int, interrupted: bool
) -> dict[str, Any]:
    return {
        "standfast": version("standfast"),
        "method": method.name,
        "settings": method.settings(),
        "seed": int(seed),
        "data": str(people.attrs.get("origin", "")),
        "people": digest_of_table(people),
        "reference": method.percentiles.digest,
        "reference_data": method.percentiles.origin,
        "schema": method.domain.digest,
        "model": score.digest,
        "models": [member.digest for member, _ in members(score, 0.0)],
        "interrupted": interrupted,
    }


@dataclass
class _Rows:
    """The result rows while they are being filled."""

    method: Method
    X: Matrix

    def __post_init__(self) -> None:
        n, d = self.X.shape
        self.points: Matrix = np.full((n, d), np.nan)
        self.outcome = np.full(n, "", dtype=object)
        self.reason = np.full(n, "", dtype=object)
        self.lower_bound: Vector = np.full(n, np.nan)
        self.seconds: Vector = np.zeros(n)
        self.binding = np.full(n, "", dtype=object)
        self.alternatives: list[tuple[int, Alternative]] = []
        self.accepted_by: Vector = np.full(n, np.nan)

    @property
    def open(self) -> Any:
        return self.outcome == ""

    def mark(self, reasons: dict[int, str], outcome: Outcome) -> None:
        for i, reason in reasons.items():
            self.outcome[i], self.reason[i] = str(outcome), reason

    def record(self, part: Any, answers: Answers, took: float) -> None:
        self.points[part] = answers.points
        self.outcome[part] = [str(outcome) for outcome in answers.outcomes]
        self.reason[part] = answers.reasons
        self.lower_bound[part] = answers.lower_bounds
        self.seconds[part] = took / len(part) if answers.seconds is None else answers.seconds
        if answers.binding is not None:
            self.binding[part] = answers.binding
        if answers.accepted_by is not None:
            self.accepted_by[part] = answers.accepted_by
        self.alternatives += [(int(part[a.person]), a) for a in answers.alternatives]

    def recheck(self, score: Score) -> None:
        """Withhold every answer that the schema does not admit or the estimator itself refuses.

        Once for everybody: what an estimator's own prediction costs is mostly the call.
        """
        says = np.array([Outcome(outcome).advises for outcome in self.outcome], dtype=bool)
        advised = np.flatnonzero(says | ~np.isnan(self.points).all(axis=1))
        whose = np.array([*advised, *(person for person, _ in self.alternatives)], dtype=np.intp)
        goals = np.array([*self.points[advised], *(a.point for _, a in self.alternatives)])
        if not len(whose):
            return
        domain = self.method.domain
        legal, welcome = domain.admits(self.X[whose], goals), score.accepts(goals)
        sound = (legal & welcome).tolist()
        for k in np.flatnonzero(~(legal & welcome)[: len(advised)]):
            i = whose[k]
            objections = domain.objections(self.X[i], goals[k])
            self.reason[i] = (
                "; ".join(objections) if not legal[k] else "the model's own prediction refuses"
            )
            self.outcome[i], self.points[i] = str(Outcome.UNSOUND), np.nan
        kept = zip(self.alternatives, sound[len(advised) :], strict=True)
        self.alternatives = [alternative for alternative, fine in kept if fine]

    def table(self, people: pd.DataFrame, provenance: dict[str, Any]) -> Recommendations:
        favourable = self.outcome == Outcome.ALREADY_FAVOURABLE
        advised = ~np.isnan(self.points).any(axis=1)
        cost = np.where(favourable, 0.0, np.nan)
        if advised.any():
            cost[advised] = self.method.price(self.X[advised], self.points[advised])
        lower_bound = np.where(favourable, 0.0, self.lower_bound)
        results = pd.DataFrame(
            {
                "outcome": self.outcome,
                "reason": self.reason,
                "cost": cost,
                "lower_bound": lower_bound,
                "seconds": self.seconds,
                "binding": self.binding,
            },
            index=people.index,
        )
        counts = pd.Series(np.where(advised, self.accepted_by, np.nan), people.index).astype(
            "Int64"
        )
        if counts.notna().any():
            results["accepted_by"] = counts
        domain = self.method.domain
        factual, goal = (domain.table(matrix, people.index) for matrix in (self.X, self.points))
        flipsets = self._flipsets(people.index)
        return Recommendations(domain, factual, goal, results, provenance, flipsets)

    def _flipsets(self, index: pd.Index) -> pd.DataFrame | None:
        """Everybody's alternatives in order of cost, or None if only one way was asked for."""
        if not self.alternatives:
            return None
        found = sorted(self.alternatives, key=lambda pair: (pair[0], pair[1].rank))
        people = np.array([person for person, _ in found])
        points = np.array([a.point for _, a in found])
        about = pd.DataFrame(
            {
                "person": index[people],
                "rank": [a.rank for _, a in found],
                "outcome": [str(a.outcome) for _, a in found],
                "cost": self.method.price(self.X[people], points),
                "lower_bound": [a.lower_bound for _, a in found],
            }
        )
        return pd.concat([about, self.method.domain.table(points)], axis=1)
