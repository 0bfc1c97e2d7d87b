"""prepare() and recommend(): a method and a model become an advisor, who can be asked often."""

import hashlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, TypedDict, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.digests import digest_of_table
from standfast.errors import InputError, check_whole, listing
from standfast.methods import exact, segments
from standfast.methods.checks import (
    check_answers,
    check_method,
    check_options,
    check_people,
    check_verdicts,
)
from standfast.methods.interruption import stopped_by_ctrl_c
from standfast.methods.keep import Bools, Inputs, kept_inputs
from standfast.methods.method import Answers, Budget, Matrix, Method, Search, Streams
from standfast.methods.rows import Rows
from standfast.readers import as_score
from standfast.recommendations import Model, Outcome, Provenance, Recommendations
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
    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema
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
        object.__setattr__(self, "origin", _origin(self.method, self.model))

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
        >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema
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


def prepare(method: Method, model: Any) -> Advisor:
    """An advisor: the method prepared for a model, to be asked about one person after another.

    What does not depend on people is done here, once; a model that the method cannot read is
    refused here.

    Parameters
    ----------
    method : Method
        What searches, such as `MinimalCost(schema, percentiles)`.
    model : Score or estimator
        A score, or an estimator whose classes are −1 and +1.

    Returns
    -------
    Advisor
        Its `recommend(people)` answers.

    Examples
    --------
    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema
    >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3]})
    >>> method = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(table))
    >>> advisor = prepare(method, Linear([-1.0], 1.5))
    >>> [advisor.recommend(table.loc[[i]]).sentences().item() for i in (2, 4)]
    ['Nothing to change: the model accepts already.', 'Lower late from 3 to 1.']
    """
    check_method(method)
    return Advisor(method, model if isinstance(model, Score) else _with_signs(model, method))


class Options(TypedDict, total=False):
    """What `recommend` and `Advisor.recommend` can be asked for besides the people."""

    seed: int
    jobs: int
    time_limit: float | None
    total_time: float | None
    progress: Progress | None
    keep: Inputs | None
    only: Inputs | None


def recommend(
    method: Method, model: Any, people: pd.DataFrame, **options: Unpack[Options]
) -> Recommendations:
    """Advice for everyone in a table: one row per person, every answer re-checked.

    Answers do not depend on company, order, blocks or workers unless a clock strikes. Ctrl-C
    returns what is finished, marked as interrupted. Who asks often about one model calls
    `prepare(method, model)` once.

    Parameters
    ----------
    method : Method
        What searches, such as `MinimalCost(schema, percentiles)`.
    model : Score or estimator
        A score, or an estimator whose classes are −1 and +1.
    people : DataFrame
        One row per person, with the schema's columns; its index labels them.
    seed, jobs : int, optional
        The seed of methods that draw, 0 unless given, and how many threads search.
    time_limit, total_time : float, optional
        Seconds per person (a block searched in lockstep gets that times its people), and for the
        call; people not reached are `exhausted`.
    progress : callable, optional
        `progress(done, total)` is called as people are finished.
    keep, only : names, or a Series or mapping from people's labels to names, optional
        The inputs that stay as they are, {"income"}, and those that alone may change; for everybody
        or for each.

    Returns
    -------
    Recommendations
        One row per person, found or not.

    Examples
    --------
    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema
    >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3]}, index=["ann", "bob", "cem", "dua", "eve"])
    >>> method = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(table))
    >>> recs = recommend(method, Linear([-1.0], 1.5), table)
    >>> recs
    <Recommendations: 5 people: 2 minimal, 3 already_favourable>
    >>> recs.sentences()["eve"]
    'Lower late from 3 to 1.'
    """
    limits = options.get("time_limit"), options.get("total_time")
    check_options(options.get("seed", 0), options.get("jobs", 1), *limits)
    check_method(method)
    check_people(people)
    kept_inputs(method.schema, people.index, options.get("keep"), options.get("only"))
    began = time.monotonic()
    advisor = prepare(method, model)
    if limits[1] is not None:
        options["total_time"] = max(limits[1] - (time.monotonic() - began), 1e-9)
    return advisor.recommend(people, **options)


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


def _with_signs(model: Any, method: Method) -> Score:
    classes = getattr(getattr(model, "best_estimator_", model), "classes_", None)
    if classes is not None and sorted(map(str, classes)) != ["-1", "1"]:
        known = listing(np.asarray(classes).tolist())
        raise InputError(
            f"the model's classes are {known}, so it is not clear which one is favourable; "
            "use as_score(model, schema, favourable=...)"
        )
    return as_score(model, method.schema, favourable=1)


def _contradiction(doubt: str) -> Contradiction:
    return Contradiction(f"{doubt[0].upper()}{doubt[1:]}.")


def _origin(method: Method, model: Score) -> Provenance:
    """What does not depend on the people."""
    names = exact.names_of(model)
    asked = [
        Model(score.digest, name=name)
        for (score, _), name in zip(exact.members(model, 0.0), names, strict=True)
    ]
    settings, further = _split(method.settings())
    return Provenance(
        standfast=version("standfast"),
        method=method.name,
        settings=settings,
        reference=method.percentiles.digest,
        reference_data=method.percentiles.origin,
        schema=method.domain.digest,
        model=model.digest,
        models=(*asked, *further),
    )


def _split(settings: Mapping[str, Any]) -> tuple[dict[str, Any], list[Model]]:
    """The settings in plain values, and the models among them with the setting as their role."""
    plain, models = dict(settings), list[Model]()
    for role, value in settings.items():
        if isinstance(value, Mapping):
            plain[role], inner = _split(value)
            models += inner
        elif isinstance(value, Score):
            plain[role] = value.digest
            models.append(Model(value.digest, role))
        elif _are_scores(value):
            plain[role] = getattr(value, "name", len(value))
            models += [Model(score.digest, role) for score in value]
    return plain, models


def _are_scores(value: Any) -> bool:
    several = isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 0
    return several and all(isinstance(one, Score) for one in value)


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
