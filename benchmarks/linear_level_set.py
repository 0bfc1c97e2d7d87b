"""The level set of linear models on HELOC: its worst member, and advice that survives it whole."""

import time
from typing import Any

import numpy as np

import standfast as sf
from benchmarks.sets import real_or_twin
from standfast.scores.linear_level_set import LinearLevelSet

POINTS, ADVISED = 200, 40
WORST, ROBUST = 5.0, 50.0  # milliseconds
SMALL = 0.001


def run() -> list[dict[str, Any]]:
    """One row for the worst member, and for robust advice one row per ε."""
    whole = real_or_twin("heloc")
    place = f"{whole.name}{' (twin)' * whole.is_twin}"
    train, test = whole.split(0.8, seed=0)
    rivals = LinearLevelSet.fit(train)
    X = whole.schema.matrix(test.table)
    rivals.score(X[:3])
    began = time.perf_counter()
    exact = rivals.raw(X[:POINTS])
    worst = 1e3 * (time.perf_counter() - began) / POINTS
    off = float(np.abs(exact - rivals.ellipsoid(X[:POINTS])).max())
    rows: list[dict[str, Any]] = [
        {
            "benchmark": f"exact worst linear member, {len(train):,} rows, ε = χ²/(2n), {place}",
            "measured": f"{worst:.1f} ms per point",
            "peer": f"the ellipsoid is off by up to {off:.3f} in log-odds",
            "bar": f"≤ {WORST:g} ms",
            "met": worst <= WORST,
        }
    ]
    best = sf.MinimalCost(whole.schema, sf.Percentiles.fit(train.table), per_change=0.0)
    refused = test.table[~rivals.best.accepts(X)].iloc[:ADVISED]
    for level_set in (rivals, rivals.at(SMALL)):
        advisor = sf.prepare(best, level_set)
        advisor.recommend(refused.iloc[:1])  # compile first
        recs = advisor.recommend(refused)
        typical = 1e3 * float(recs.results["seconds"].median())
        slowest = 1e3 * float(recs.results["seconds"].max())
        rows.append(
            {
                "benchmark": f"robust linear advice, ε = {level_set.epsilon:.4f}, {len(refused)} "
                f"people, {place}",
                "measured": f"{typical:.0f} ms median, {slowest:.0f} ms at most, "
                f"{int((recs.outcome == 'minimal').sum())} proven minimal",
                "peer": f"mean cost {recs.cost.mean():.3f}",
                "bar": f"≤ {ROBUST:g} ms median",
                "met": typical <= ROBUST,
            }
        )
    return rows
