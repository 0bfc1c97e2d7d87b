"""The complete level set of sparse trees: fitting it, judging points, advice, and its size.

Times are processor time of one process, kernels compiled before.
"""

import time
from collections.abc import Callable
from typing import Any

import standfast as sf
from benchmarks.sets import real_or_twin

FIT, ORACLE, LARGE = 15.0, 1.0, 2.0  # seconds, milliseconds, milliseconds
PEOPLE, POINTS, COUNTED = 40, 2000, 10**8
# set, cuts per input, ε, milliseconds for advice
CASES = (("heloc", 4, 0.01, 50.0), ("give_me_some_credit", 6, 0.01, 20.0))
DEEP_CUTS, DEEP_EPSILON, WIDE_EPSILON = 3, 0.005, 0.04


def run() -> list[dict[str, Any]]:
    """Rows for each set at depth 3, for a set of 10⁸ trees, and for depth 4."""
    rows = [row for case in CASES for row in _at_depth_3(*case)]
    return [*rows, _of_many_trees(), _at_depth_4()]


def _at_depth_3(name: str, cuts: int, epsilon: float, bar: float) -> list[dict[str, Any]]:
    data = real_or_twin(name, "sensible")
    place = f"{data.name}{' (twin)' * data.is_twin}"
    train, test = data.split(0.8, seed=0)

    def fitted() -> sf.TreeLevelSet:
        return sf.TreeLevelSet.fit(train, depth=3, cuts=cuts, epsilon=epsilon, balanced=True)

    fitted()
    took, rivals = _timed(fitted)
    X = data.schema.matrix(test.table)[:POINTS]
    rivals.score(X[:3])
    judged, _ = _timed(lambda: rivals.score(X))
    judged *= 1e3 / len(X)
    best = sf.MinimalCost(data.schema, sf.Percentiles.fit(train.table), per_change=0.0)
    refused = test.table[~rivals.accepts(data.schema.matrix(test.table))].iloc[:PEOPLE]
    advisor = sf.prepare(best, rivals)
    advisor.recommend(refused)  # compile first
    mean, recs = _timed(lambda: advisor.recommend(refused))
    typical, mean = 1e3 * float(recs.results["seconds"].median()), 1e3 * mean / len(refused)
    ended = int(recs.outcome.isin(["minimal", "infeasible"]).sum())
    what = f"{len(train):,} rows, {len(rivals.trees.cuts)} cuts, depth 3, ε = {epsilon:g}, {place}"
    return [
        _row(f"fit a tree level set, {what}", f"{took:.2f} s", f"≤ {FIT:g} s", took <= FIT),
        _row(
            f"worst of all trees, {what}",
            f"{1e3 * judged:.1f} µs per point",
            f"≤ {ORACLE:g} ms",
            judged <= ORACLE,
        ),
        _row(
            f"advice that every tree accepts, {len(refused)} people, {what}",
            f"{typical:.2f} ms median, {mean:.2f} ms of processor time each; "
            f"{int(recs.found.sum())} minimal, {ended} of {len(refused)} ended",
            f"≤ {bar:g} ms median, all ended",
            typical <= bar and ended == len(refused),
        ),
    ]


def _of_many_trees() -> dict[str, Any]:
    """A set that nobody would list, and how long it takes to count it."""
    train, test = real_or_twin("heloc", "sensible").split(0.8, seed=0)
    rivals = sf.TreeLevelSet.fit(
        train, depth=3, cuts=4, leaf_price=0.001, epsilon=WIDE_EPSILON, balanced=True
    )
    X = train.schema.matrix(test.table)[:POINTS]
    rivals.score(X[:3])
    judged, accepted = _timed(lambda: rivals.accepts(X))
    judged *= 1e3 / len(X)
    counting, size = _timed(lambda: rivals.size)
    return _row(
        f"{size} trees judged together, HELOC, depth 3, ε = {WIDE_EPSILON:g}",
        f"{1e3 * judged:.1f} µs per point, {accepted.mean():.1%} accepted; counted in "
        f"{counting:.1f} s",
        f"≤ {LARGE:g} ms, ≥ 10⁸ trees",
        judged <= LARGE and size.lower >= COUNTED,
    )


def _at_depth_4() -> dict[str, Any]:
    train, test = real_or_twin("heloc", "sensible").split(0.8, seed=0)
    took, rivals = _timed(
        lambda: sf.TreeLevelSet.fit(
            train, depth=4, cuts=DEEP_CUTS, epsilon=DEEP_EPSILON, balanced=True
        )
    )
    X = train.schema.matrix(test.table)[:POINTS]
    judged, _ = _timed(lambda: rivals.score(X))
    return _row(
        f"fit a tree level set, {len(rivals.trees.cuts)} cuts, depth 4, HELOC",
        f"{took:.2f} s; {1e6 * judged / len(X):.1f} µs per point",
        "minutes",
        took <= 60.0,
    )


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


def _row(what: str, measured: str, bar: str, met: bool) -> dict[str, Any]:
    return {"benchmark": what, "measured": measured, "peer": "", "bar": bar, "met": bool(met)}
