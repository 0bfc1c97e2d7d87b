"""Where the exact search and growing spheres meet on tables with categories and gaps."""

from dataclasses import replace

import numpy as np
import pytest
from samples.tenants import SCHEMA, forest, people, percentiles, scorecard

from standfast import GrowingSpheres, MinimalCost, Schema, recommend

# any category may become any other, and no relation reads a gap
PLAIN = Schema(
    tuple(replace(f, transitions=None) if f.kind == "nominal" else f for f in SCHEMA),
)
MODELS = {
    "forest 0": lambda: forest(0),
    "forest 1": lambda: forest(1, most=0.65),
    "forest 2": lambda: forest(2, trees=8, depth=3),
    "scorecard": lambda: scorecard(0),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(PLAIN, id="free categories"),
        pytest.param(SCHEMA, id="transitions and a relation"),
    ],
)
def test_growing_spheres_never_beat_the_exact_search_nor_find_where_it_finds_nothing(schema, model):
    score, asked = MODELS[model](), people(60, 7)
    spheres = recommend(GrowingSpheres(schema, percentiles(), candidates=300), score, asked)
    exact = recommend(MinimalCost(schema, percentiles(), per_change=0.0), score, asked)
    assert spheres.found.sum() > 5
    assert exact.found[spheres.found].all(), exact.outcome[spheres.found & ~exact.found]
    assert (spheres.cost >= exact.cost - 1e-9)[spheres.found].all()
    domain = schema.complete(percentiles().of(schema).values)
    for recs in (spheres, exact):
        X, Y = (m[recs.found.to_numpy()] for m in recs.matrices())
        assert domain.admits(X, Y).all()
        assert score.accepts(Y).all()
        assert not np.isnan(Y).any()
