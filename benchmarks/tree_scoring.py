"""Scoring rows with a forest: the compiled trees against scikit-learn's predict_proba."""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from standfast.readers import as_score
from standfast.schema import Feature, Schema

INPUTS = 15
# rows, how many times faster at least, repeats
SIZES = ((1, 50.0, 60), (1_000, 3.0, 40), (100_000, 1.0, 5))


def run() -> list[dict[str, Any]]:
    """One row per batch size: a forest of 100 trees of depth 8, one thread, one process."""
    X, y = make_classification(20_000, INPUTS, n_informative=8, n_redundant=3, random_state=0)
    forest = RandomForestClassifier(100, max_depth=8, random_state=0, n_jobs=1).fit(X, y)
    schema = Schema([Feature(f"x{j}") for j in range(INPUTS)])
    trees = as_score(forest, schema, favourable=1)
    fresh = np.random.default_rng(1).normal(0.0, 0.3, (100_000, INPUTS)) + np.tile(X, (5, 1))
    rows = []
    for n, bar, repeats in SIZES:
        asked = np.ascontiguousarray(fresh[:n])
        ours, peer = _interleaved(trees.score, forest.predict_proba, asked, repeats)
        rows.append(
            {
                "benchmark": f"tree scoring, {n:,} row{'s' * (n > 1)}",
                "measured": f"{ours:.3g} ms, {peer / ours:.1f}× faster",
                "peer": f"scikit-learn predict_proba {peer:.3g} ms",
                "bar": f"≥ {bar:g}×",
                "met": peer / ours >= bar,
            }
        )
    return rows


def _interleaved(
    ours: Callable[..., Any], peer: Callable[..., Any], asked: Any, repeats: int
) -> tuple[float, float]:
    """Median milliseconds of both, taking turns, so that a busy machine slows both alike."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for call in (ours, peer):
        call(asked)
    for _ in range(repeats):
        for call, taken in zip((ours, peer), seconds, strict=True):
            start = time.perf_counter()
            call(asked)
            taken.append(time.perf_counter() - start)
    mine, theirs = (1e3 * statistics.median(taken) for taken in seconds)
    return mine, theirs
