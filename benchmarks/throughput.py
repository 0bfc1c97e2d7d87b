"""Batches: people per second of the fast methods on two cores, and what a batch costs besides.

Refused people drawn from the twin of Give Me Some Credit, two threads. Rates are those of two idle
cores, by CPU time: what the calling thread does alone, and half of what the searching threads do;
what the clock said stands beside, and is less wherever the machine has other work to do. Of three
runs the fastest counts.
"""

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf
from standfast.methods import Answers, Budget

JOBS = 2
SPHERES_SHARE = 0.02


def run(size: int = 100_000) -> list[dict[str, Any]]:
    """Rows for batches of so many people; growing spheres takes a fiftieth of them."""
    train = sf.datasets.twin("give_me_some_credit", n=20_000, seed=0)
    q = sf.Percentiles.fit(train.table)
    linear = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    forest = RandomForestClassifier(50, max_depth=8, class_weight="balanced", random_state=0)
    lines, votes = (
        sf.as_score(model.fit(train.table, train.labels), train.schema, favourable=1)
        for model in (linear, forest)
    )
    rows = []
    people = refused(lines, size)
    for cost in ("total", "max", "log"):
        method = sf.ActionableRecourse(train.schema, q, cost=cost)
        rows.append(rated(f"AR, {cost} shift, linear model", method, lines, people, 40_000))
    some = refused(votes, max(int(SPHERES_SHARE * size), 64))
    method = sf.GrowingSpheres(train.schema, q)
    rows.append(rated("growing spheres, forest 50 × 8", method, votes, some, 1_500))
    rows.append(besides(sf.ActionableRecourse(train.schema, q), lines, people))
    return rows


def refused(model: Any, size: int) -> pd.DataFrame:
    """So many people of the twin whom the model refuses, under labels of their own."""
    found, drawn, seed = [], 0, 1
    while drawn < size:
        table = sf.datasets.twin("give_me_some_credit", n=max(2 * size, 1000), seed=seed).table
        found.append(table[~model.accepts(table.to_numpy(dtype=np.float64))])
        drawn, seed = drawn + len(found[-1]), seed + 1
    return pd.concat(found, ignore_index=True).iloc[:size]


def rated(title: str, method: Any, model: Any, people: pd.DataFrame, bar: int) -> dict[str, Any]:
    """How many people per second a method serves."""
    advisor = sf.prepare(method, model)
    advisor.recommend(people.iloc[:64], jobs=JOBS)  # compile first
    seconds, cpu, clock = min(timed(lambda: advisor.recommend(people, jobs=JOBS)) for _ in range(3))
    rate = len(people) / seconds
    found = advisor.recommend(people, jobs=JOBS)
    return {
        "benchmark": f"{title}, {len(people):,} refused people of the twin of GMSC, {JOBS} cores",
        "measured": f"{rate:,.0f} people per second, {1e6 * cpu / len(people):.1f} µs CPU each",
        "peer": f"{len(people) / clock:,.0f} per second by the clock; "
        f"{found.found.mean():.1%} advised",
        "bar": f"≥ {bar:,}",
        "met": bool(rate >= bar),
    }


def timed(work: Callable[[], Any]) -> tuple[float, float, float]:
    """Seconds on idle cores, CPU seconds and seconds of the clock that something takes."""
    cpu, alone, clock = time.process_time(), time.thread_time(), time.perf_counter()
    work()
    cpu, alone = time.process_time() - cpu, time.thread_time() - alone
    return alone + (cpu - alone) / JOBS, cpu, time.perf_counter() - clock


class Known:
    """A search that has all answers beforehand: what it leaves is what every method pays."""

    block = 4096

    def __init__(self, X: Any, points: Any) -> None:
        self.points = {x.tobytes(): point for x, point in zip(X, points, strict=True)}
        self.seconds = 0.0

    def advise(self, X: Any, streams: Any, budget: Budget) -> Answers:
        """The answers, and the time that looking them up takes."""
        began, n = time.process_time(), len(X)
        points = np.array([self.points[x.tobytes()] for x in X])
        answers = Answers(points, (sf.Outcome.FOUND,) * n, (None,) * n, np.full(n, np.nan))
        self.seconds += time.process_time() - began
        return answers


def besides(method: Any, model: Any, people: pd.DataFrame) -> dict[str, Any]:
    """What a batch costs besides the search and the model's own predictions, and its memory."""
    advisor = sf.prepare(method, model)
    X, points = advisor.recommend(people, jobs=JOBS).matrices()
    known = Known(X, points)
    object.__setattr__(advisor, "search", known)
    model.accepts(X[:10])
    own = time.process_time()
    model.accepts(X)
    model.accepts(points)
    own = time.process_time() - own
    cpu = time.process_time()
    advisor.recommend(people)
    cpu = time.process_time() - cpu - own - known.seconds
    held = []
    for part in (people.iloc[: len(people) // 4], people):
        tracemalloc.start()
        kept = advisor.recommend(part)
        held.append(tracemalloc.get_traced_memory()[1] / len(kept))
        tracemalloc.stop()
    each = 1e6 * cpu / len(people)
    return {
        "benchmark": f"besides search and predictions, {len(people):,} people",
        "measured": f"{each:.1f} µs CPU per person",
        "peer": f"at most {held[1]:,.0f} bytes per person; {held[0]:,.0f} with a quarter of them",
        "bar": "≤ 10 µs",
        "met": bool(each <= 10.0),
    }
