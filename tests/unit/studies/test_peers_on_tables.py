"""The peers on tables with categories and gaps: they serve people, or refuse with a sentence."""

from dataclasses import replace

import pytest
from samples.tenants import SCHEMA, forest, people, percentiles

from standfast import Feature, GrowingSpheres, InputError, Schema, recommend
from standfast.studies.peers import BetaRce, Roar


def test_beta_rce_moves_categories_only_to_where_the_person_may_go():
    models = tuple(forest(seed, most=0.55) for seed in range(2, 8))
    base = GrowingSpheres(SCHEMA, percentiles(), candidates=200)
    method = BetaRce(base, models, delta=0.4, candidates=200)
    recs = recommend(method, forest(0), people(60, 7))
    assert not (recs.outcome == "unsound").any()
    assert recs.found.sum() > 20
    X, Y = (m[recs.found.to_numpy()] for m in recs.matrices())
    assert base.domain.admits(X, Y).all()
    votes = sum(model.accepts(Y).astype(int) for model in models)
    assert (votes >= method.needed).all()
    assert (X != Y)[:, 2].any()


def test_roar_refuses_what_it_cannot_descend_along():
    with pytest.raises(InputError, match="ROAR descends along numbers, and 'income', 'home'"):
        Roar(SCHEMA, percentiles())
    fixed = Schema(
        (
            *(
                replace(f, mutable=False, when_missing="refuse", missing=())
                for f in SCHEMA
                if f.name == "school"
            ),
            Feature("age", "count"),
        )
    )
    assert Roar(fixed, percentiles()).name == "ROAR"
