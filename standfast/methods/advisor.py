"""An advisor: a method prepared for a model, who can be asked often."""

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.digests import digest_of_table
from standfast.errors import InputError, check_whole
from standfast.methods import segments
from standfast.methods.checks import check_answers, check_options, check_people, check_verdicts
from standfast.methods.interruption import stopped_by_ctrl_c
from standfast.methods.keep import Bools, Inputs, kept_inputs
from standfast.methods.method import Answers, Budget, Matrix, Method, Search, Streams
from standfast.methods.origin import origin_of
from standfast.methods.rows import Rows
from standfast.recommendations import Outcome, Provenance, Recommendations
from standfast.recommendations.causes import Contradiction
from standfast.scores import Score

# people searched together, at most, unless a search takes more in one go
BLOCK = 256

Progress = Callable[[int, int], object]
Part = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Advisor:
    """A method prepared for a model, ready to be asked; made by `prepare(method, model)`.

    Several threads may ask it at a time.

    Parameters
    ----------
    method, model : Method, Score
        What searches, and what must accept.
    block : int, optional
        How many people are searched together, chosen by their number unless given; answers do not
        depend on it.

    Examples
    --------
    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema, prepare
    >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3]})
    >>> method = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(table))
    >>> advisor = prepare(method, Linear([-1.0], 1.5))
    >>> advisor.recommend(table.tail(1))
    <Recommendations: 1 people: 1 minimal>
    >>> advisor.recommend(table.tail(1)).sentences().item()
    'Lower late from 3 to 1.'
    """

    method: Method
    model: Score
    block: int | None = None
    search: Search = field(init=False, repr=False)
    origin: Provenance = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.block is not None:
            check_whole(block=self.block)
        width = len(self.method.schema)
        if self.model.width != width:
            raise InputError(
                f"the model reads {self.model.width} inputs and the method's schema has {width}; "
                "build both with one schema"
            )
        object.__setattr__(self, "search", segments.prepare(self.method, self.model))
        object.__setattr__(self, "origin", origin_of(self.method, self.model))

    def __reduce__(self) -> tuple[type["Advisor"], tuple[Any, ...]]:
        """Pickled without its search, which is prepared anew."""
        return Advisor, (self.method, self.model, self.block)

    def recommend(
        self,
        people: pd.DataFrame,
        *,
        seed: int = 0,
        jobs: int = 1,
        time_limit: float | None = None,
        total_time: float | None = None,
        progress: Progress | None = None,
        keep: Inputs | None = None,
        only: Inputs | None = None,
    ) -> Recommendations:
        """Advice for everyone in a table, as `recommend` gives it, without preparing again.

        Parameters
        ----------
        people : DataFrame
            One row per person, with the schema's columns; its index labels them.
        seed, jobs, time_limit, total_time, progress, keep, only
            As in `recommend`.

        Returns
        -------
        Recommendations
            One row per person, found or not.
        """
        check_options(seed, jobs, time_limit, total_time)
        check_people(people)
        kept = kept_inputs(self.method.schema, people.index, keep, only)
        ends = np.inf if total_time is None else time.monotonic() + total_time
        X, doubts = self.method.schema.judged(people)
        rows = Rows(self.method, X, kept)
        doubtful = [i for i, doubt in enumerate(doubts) if doubt]
        rows.mark(doubtful, Outcome.OUTSIDE_SCHEMA, [_contradiction(doubts[i]) for i in doubtful])
        waiting = np.flatnonzero(rows.open)
        if len(waiting):
            accepted = self.model.accepts(X[waiting])
            check_verdicts(self.model, accepted, len(waiting))
            rows.mark(waiting[accepted], Outcome.ALREADY_FAVOURABLE)
        waiting = np.flatnonzero(rows.open)
        waiting = waiting[np.lexsort(X[waiting].T)]  # equal people are searched together, once
        most = getattr(self.search, "block", BLOCK)
        size = self.block or min(max(-(-len(waiting) // (8 * jobs)), 8), most)
        parts = [
            (search, who[i : i + size])
            for search, who in self._searches(waiting, kept)
            for i in range(0, len(who), size)
        ]
        streams, stop = _streams(X, seed), threading.Event()

        def serve(search: Search, part: Part) -> tuple[Part, Answers, float]:
            began = time.monotonic()
            allowed = np.inf if time_limit is None else began + time_limit * len(part)
            budget = Budget(min(ends, allowed), time_limit or np.inf, stop)
            if budget.expired():
                return part, _unanswered(len(part), X.shape[1], budget), 0.0
            answers = search.advise(X[part], streams[part], budget)
            check_answers(self.method.name, answers, len(part), X.shape[1])
            return part, answers, time.monotonic() - began

        def report() -> None:
            if progress:
                try:
                    progress(len(X) - rows.left, len(X))
                except KeyboardInterrupt:  # who watches may stop it, too
                    stop.set()

        def record(part: Part, answers: Answers, took: float) -> None:
            rows.record(part, answers, took)
            report()

        with stopped_by_ctrl_c(stop):
            report()
            if jobs == 1 or len(parts) <= 1:
                for part in parts:
                    record(*serve(*part))
            else:
                _in_threads(jobs, serve, parts, record, stop)
            rows.recheck(self.model)
        origin = replace(
            self.origin,
            seed=int(seed),
            data=str(people.attrs.get("origin", "")),
            people=digest_of_table(people),
            interrupted=stop.is_set(),
        )
        return rows.table(people, origin)

    def explore(self, people: pd.DataFrame) -> Any:
        """A widget for notebooks: one person after another, with their advice, live.

        Values are tried by hand with every model's verdict; "can't do that" and "only this much"
        bring other advice. It needs anywidget: pip install 'standfast[notebook]'.

        Parameters
        ----------
        people : DataFrame
            One row per person, with the schema's columns; its index labels them.

        Returns
        -------
        anywidget.AnyWidget
            To be shown as the last line of a cell.

        Examples
        --------
        >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema, prepare
        >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3]})
        >>> method = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(table))
        >>> widget = prepare(method, Linear([-1.0], 1.5)).explore(table.tail(2))
        >>> widget.first["advice"]["sentence"]
        'Lower late from 2 to 1.'
        """
        from standfast.workbench.notebook import explore_advisor

        return explore_advisor(self, people)

    def _searches(self, waiting: Part, kept: Bools | None) -> list[tuple[Search, Part]]:
        """The people who wait by what they keep, each group with its search."""
        if kept is None:
            return [(self.search, waiting)]
        patterns, whose = np.unique(kept[waiting], axis=0, return_inverse=True)
        groups = {
            frozenset(np.flatnonzero(pattern).tolist()): waiting[whose.ravel() == k]
            for k, pattern in enumerate(patterns)
        }
        if any(groups) and not hasattr(self.search, "keeping"):
            raise InputError(
                f"the method '{self.method.name}' cannot leave inputs as they are on request; give "
                "its search a method keeping(inputs)"
            )
        return [
            (self.search.keeping(inputs) if inputs else self.search, who)
            for inputs, who in groups.items()
        ]


def _in_threads(
    jobs: int,
    serve: Callable[[Search, Part], tuple[Part, Answers, float]],
    parts: Sequence[tuple[Search, Part]],
    record: Callable[[Part, Answers, float], None],
    stop: threading.Event,
) -> None:
    """Serve parts side by side, and record each as soon as it is served."""
    with ThreadPoolExecutor(jobs, thread_name_prefix="standfast") as pool:
        try:
            for future in as_completed([pool.submit(serve, *part) for part in parts]):
                record(*future.result())
        except BaseException:
            stop.set()  # searches under way return with what they have
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _contradiction(doubt: str) -> Contradiction:
    return Contradiction(f"{doubt[0].upper()}{doubt[1:]}.")


def _streams(X: Matrix, seed: int) -> Streams:
    """One number per person from the seed and their own row, so that company does not matter."""
    key = int(seed).to_bytes(16, "little")
    rows = np.ascontiguousarray(X + 0.0)  # −0.0 and 0.0 are the same person
    digests = [hashlib.blake2b(row.tobytes(), digest_size=8, key=key).digest() for row in rows]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _unanswered(n: int, d: int, budget: Budget) -> Answers:
    """Answers for people whom a limit kept from being searched at all."""
    nothing = np.full((n, d), np.nan)
    return Answers(nothing, (Outcome.EXHAUSTED,) * n, (budget.why,) * n, np.full(n, np.nan))
