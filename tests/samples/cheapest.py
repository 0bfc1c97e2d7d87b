"""The cheapest advice by brute force: every point of a small lattice is tried."""

import itertools

import numpy as np

import standfast as sf
from samples.every import every


def assert_cheapest(score, schema, table, people):
    """What MinimalCost advises costs as little as anything that is admitted and accepted.

    Gives how many people were advised.
    """
    percentiles = sf.Percentiles.fit(table)
    schema = schema.complete(table)
    recs = sf.recommend(sf.MinimalCost(schema, percentiles, per_change=0.0), score, people)
    own, advised = recs.matrices()
    pricing = percentiles.of(schema)
    grids = [np.arange(f.lower, f.upper + f.step / 2, f.step).round(6) for f in schema]
    points = every(grids)
    found = 0
    for x, y in zip(own, advised, strict=True):
        kept = [np.where(np.isin(points[:, j], x[j]), x[j], points[:, j]) for j in range(len(x))]
        reach = np.vstack([np.column_stack(kept), *_with_own(x, points)])
        reach = reach[schema.admits(x, reach)]
        reach = reach[score.accepts(reach)]
        if not len(reach):
            assert np.isnan(y).all()
            continue
        least = pricing.total(np.broadcast_to(x, reach.shape), reach).min()
        assert score.accepts(y[None])[0]
        assert abs(pricing.total(x[None], y[None])[0] - least) <= 1e-9
        found += 1
    return found


def _with_own(x, points):
    """The lattice again, with the person's own value in every combination of inputs off it."""
    off = [j for j in range(len(x)) if not np.isin(x[j], points[:, j])]
    for count in range(1, len(off) + 1):
        for chosen in itertools.combinations(off, count):
            moved = points.copy()
            moved[:, list(chosen)] = x[list(chosen)]
            yield np.unique(moved, axis=0)
