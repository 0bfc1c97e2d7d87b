import numpy as np
import pandas as pd
import pytest

from standfast import Feature, GrowingSpheres, InputError, Linear, Percentiles, Schema, recommend
from standfast.compilation import Struct
from standfast.search.sampling.shells import Shells, draw_shells
from standfast.search.sampling.sparsify import sparsify

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(RNG.normal(size=(1000, 4)).round(4), columns=list("abcd"))
SCHEMA = Schema(tuple(Feature(name, step=0.0001) for name in "abcd"))
Q = Percentiles.fit(TABLE)
WEIGHTS = np.array([1.0, 0.6, -0.8, 0.3])
MODEL = Linear(WEIGHTS, -1.0)


def test_the_distance_found_is_near_the_closed_form_optimum():
    recs = recommend(GrowingSpheres(SCHEMA, Q, sparse=False), MODEL, TABLE.iloc[:200])
    X, Y = (t.to_numpy(dtype=float)[recs.found] for t in (recs.factual, recs.counterfactual))
    distance = np.sqrt((((X - Y) / Q.scale) ** 2).sum(axis=1))
    optimum = -MODEL.score(X) / np.linalg.norm(WEIGHTS * Q.scale)
    ratio = distance / optimum
    far = optimum > 0.1  # nearer people are within the grid's rounding
    assert ratio[far].min() > 0.999
    assert np.median(ratio[far]) < 1.1


def test_sparsification_only_takes_changes_back():
    dense = recommend(GrowingSpheres(SCHEMA, Q, sparse=False), MODEL, TABLE.iloc[:100])
    sparse = recommend(GrowingSpheres(SCHEMA, Q), MODEL, TABLE.iloc[:100])
    found = dense.found
    changed = [(r.factual != r.counterfactual)[found].sum(axis=1) for r in (dense, sparse)]
    assert (changed[1] <= changed[0]).all()
    assert changed[1].mean() < changed[0].mean()
    kept = sparse.counterfactual[found].to_numpy(dtype=float)
    before = dense.counterfactual[found].to_numpy(dtype=float)
    own = sparse.factual[found].to_numpy(dtype=float)
    assert ((kept == before) | (kept == own)).all()


def test_sparsification_undoes_the_smallest_change_first_and_keeps_acceptance():
    X = np.array([[0.0, 0.0, 0.0, 0.0]])
    point = np.array([[1.2, 0.01, 0.3, 0.02]])
    domain = SCHEMA.complete(TABLE)
    kept = sparsify(Linear([1.0, 1.0, 0.0, 0.0], -1.0), domain, X, point, np.ones(4))
    assert kept.tolist() == [[1.2, 0.0, 0.0, 0.0]]


def test_draws_fill_the_shell_evenly_in_every_direction():
    domain = SCHEMA.loosened()
    X = np.zeros((1, 4))
    points, owner, distance = draw_shells(
        np.array([7], dtype=np.uint64),
        0,
        20_000,
        Struct(Shells(np.arange(4), np.ones(4), *map(np.array, ([1.0], [2.0], [np.inf])))),
        domain.reach(X),
    )
    assert len(points) == 20_000
    assert set(owner) == {0}
    assert distance.min() >= 1.0
    assert distance.max() <= 2.0
    assert np.allclose(np.linalg.norm(points, axis=1), distance)
    direction = points / distance[:, None]
    assert np.abs(direction.mean(axis=0)).max() < 0.02
    assert np.abs(direction.T @ direction / len(direction) - np.eye(4) / 4).max() < 0.01
    assert distance.mean() == pytest.approx(1.5, abs=0.01)


def test_as_published_leaves_ambiguous_values_and_says_nothing_is_projected():
    schema = Schema(
        (Feature("late", "count"), Feature("x", "positive"), Feature("age", mutable=False))
    )
    table = pd.DataFrame({"late": RNG.poisson(3, 300), "x": RNG.gamma(1, 1, 300), "age": 40})
    model = Linear([-1.0, -0.5, 0.0], 2.6)
    q = Percentiles.fit(table)
    raw = recommend(GrowingSpheres.as_published(schema, q), model, table)
    ours = recommend(GrowingSpheres(schema, q), model, table)
    assert raw.found.any()
    fractional = raw.counterfactual.loc[raw.found, "late"] % 1 != 0
    assert fractional.mean() > 0.5
    said = raw.remarks()[raw.found]
    assert said.str.startswith("Searched as published, without the schema's bounds, steps,").all()
    assert raw.to_frame()["remark"][raw.found].equals(said)
    assert raw.provenance["settings"]["rules_left_aside"] is True
    assert (ours.remarks() == "").all()
    assert (ours.counterfactual.loc[ours.found, "late"].astype(float) % 1 == 0).all()


def test_a_nearby_enemy_is_found_by_zooming_in_as_published():
    near = pd.DataFrame([[0.999, 0.0, 0.0, 0.0]], columns=list("abcd"))
    model = Linear([1.0, 0.0, 0.0, 0.0], -1.0)
    recs = recommend(GrowingSpheres.as_published(SCHEMA, Q), model, near)
    assert recs.found.all()
    assert 1.0 < recs.counterfactual["a"].iloc[0] < 1.01


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"candidates": 0}, "candidates is 0"),
        ({"shells": 0}, "shells is 0"),
        ({"radius": -1.0}, "radius is -1.0"),
        ({"step": 0.0}, "step is 0.0"),
        ({"precision": float("nan")}, "precision is nan"),
        ({"cost": "l2"}, "unknown cost 'l2'"),
    ],
)
def test_impossible_settings_are_refused(options, shown):
    with pytest.raises(InputError, match=shown):
        GrowingSpheres(SCHEMA, Q, **options)


def test_percentiles_of_another_table_are_refused():
    with pytest.raises(InputError, match="fitted without 'd'"):
        GrowingSpheres(SCHEMA, Percentiles.fit(TABLE[list("abc")]))


def test_relations_hold_in_every_answer():
    schema = Schema(
        (Feature("late", "count"), Feature("very", "count"), Feature("x", step=0.1)),
        ("very <= late",),
    )
    late = RNG.poisson(4, 400)
    table = pd.DataFrame(
        {"late": late, "very": RNG.binomial(late, 0.5), "x": RNG.normal(size=400).round(1)}
    )
    # this model wants few late and many very late payments: the relation binds
    model = Linear([-1.0, 0.9, 0.2], 0.3)
    recs = recommend(GrowingSpheres(schema, Percentiles.fit(table)), model, table)
    advised = recs.counterfactual[recs.found].astype(float)
    assert len(advised) > 100
    assert (advised["very"] <= advised["late"]).all()
