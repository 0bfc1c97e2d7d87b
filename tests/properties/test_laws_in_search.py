"""The exact search under rules, relations and coupled changes, against trying every point."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.every import every

import standfast as sf
from standfast.scores.score import surely_accepts

NEAR = 1e-7
SIZES = {"a": 6, "b": 5, "c": 4, "kind": 3}
CATEGORIES = ("card", "loan", "shop")
MOVES = {"card": {"shop": 0.07, "loan": 0.31}, "shop": {"card": 0.02}}  # a loan stays


def is_one_of(row, *names):
    return CATEGORIES[int(row["kind"])] in names


# a rule as it is written, and as anybody would check it by hand
RULES = [
    ("if a >= 3 then b <= 2", lambda r: r["a"] < 3 or r["b"] <= 2),
    ("a >= 2 or b >= 3", lambda r: r["a"] >= 2 or r["b"] >= 3),
    ("not (a == 4 and b != 1)", lambda r: not (r["a"] == 4 and r["b"] != 1)),
    ("if kind == card then a <= 2", lambda r: not is_one_of(r, "card") or r["a"] <= 2),
    ("kind in (card, 'loan') or c > 1", lambda r: is_one_of(r, "card", "loan") or r["c"] > 1),
    ("1 <= b < 4", lambda r: 1 <= r["b"] < 4),
    ("if b == 2 then a == 1", lambda r: r["b"] != 2 or r["a"] == 1),
    ("c != 2 and a != 5", lambda r: r["c"] != 2 and r["a"] != 5),
]
RELATIONS = [
    ("a<=b+2", lambda r: r["a"] <= r["b"] + 2),
    ("2*a - b <= c + 5", lambda r: 2 * r["a"] - r["b"] <= r["c"] + 5),
    ("a == b", lambda r: r["a"] == r["b"]),
    ("a + b >= c", lambda r: r["a"] + r["b"] >= r["c"]),
]
CHANGES = [
    ("a == b", lambda d: d["a"] == d["b"]),
    ("2 * a == b", lambda d: 2 * d["a"] == d["b"]),
    ("a<=b", lambda d: d["a"] <= d["b"]),
    ("a + c <= 2", lambda d: d["a"] + d["c"] <= 2),
    ("a - b == c", lambda d: d["a"] - d["b"] == d["c"]),
]


@dataclass(frozen=True)
class World:
    schema: sf.Schema
    table: pd.DataFrame
    model: sf.Score
    cost: str
    chosen: dict

    @property
    def method(self):
        return sf.MinimalCost(self.schema, sf.Percentiles.fit(self.table), cost=self.cost)

    def allowed(self, x, points):
        """Which points may be advised, by hand."""
        kept = []
        for y in points:
            row, moved = dict(zip(SIZES, y, strict=True)), dict(zip(SIZES, y - x, strict=True))
            fine = all(
                check(row) for _, check in (*self.chosen["rules"], *self.chosen["relations"])
            )
            fine = fine and all(check(moved) for _, check in self.chosen["changes"])
            kept.append(
                fine and all(self.may(f, a, b) for f, a, b in zip(self.schema, x, y, strict=True))
            )
        return np.array(kept, dtype=bool)

    def may(self, feature, a, b):
        if a == b:
            return True
        if feature.transitions is not None:
            to = MOVES.get(CATEGORIES[int(a)], ())
            return feature.mutable and CATEGORIES[int(b)] in to
        way = {"any": True, "up": b > a, "down": b < a}[feature.direction]
        return feature.mutable and way

    def optimum(self, x):
        grids = [np.arange(size, dtype=float) for size in SIZES.values()]
        points = every(grids)
        points = points[self.allowed(x, points)]
        points = points[surely_accepts(self.model, points)] if len(points) else points
        if not len(points):
            return np.nan
        return float(self.method.price(np.broadcast_to(x, points.shape), points).min())


def drawn(rng, segmented=False, priced=False):
    some = {
        "rules": [RULES[k] for k in rng.permutation(len(RULES))[: rng.integers(0, 4)]],
        "relations": [RELATIONS[k] for k in rng.permutation(len(RELATIONS))[: rng.integers(0, 2)]],
        "changes": [CHANGES[k] for k in rng.permutation(len(CHANGES))[: rng.integers(0, 2)]],
    }
    features = []
    for name, size in SIZES.items():
        mutable, way = rng.random() < 0.85, str(rng.choice(["any", "any", "up", "down"]))
        if name == "kind":
            moves = {"categories": CATEGORIES, "transitions": MOVES if priced else None}
            features.append(sf.Feature(name, "nominal", bool(mutable), **moves))
        else:
            ends = {"lower": 0, "upper": size - 1}
            features.append(sf.Feature(name, "count", bool(mutable), way, **ends))
    try:
        schema = lawful(features, some)
    except sf.InputError:  # such as a == b, where a may only rise and b only fall
        some |= {"relations": [], "changes": []}
        schema = lawful(features, some)
    codes = {name: rng.integers(0, size, 60) for name, size in SIZES.items()}
    table = pd.DataFrame({**codes, "kind": np.array(CATEGORIES)[codes["kind"]]})
    models = [drawn_model(rng, schema, table) for _ in range(3)]
    if segmented:
        model = sf.Segmented(
            "kind", {"card": models[0], "loan": models[1]}, schema, otherwise=models[2]
        )
    else:
        model = sf.Unanimous((models[0], sf.Rule("a >= 1 or kind == loan", schema)))
    return World(schema, table, model, str(rng.choice(["total", "max", "total"])), some)


def lawful(features, some):
    laws = {what: tuple(text for text, _ in found) for what, found in some.items()}
    return sf.Schema(tuple(features), **laws)


def drawn_model(rng, schema, table):
    X = schema.matrix(table)
    if rng.random() < 0.5:
        way = rng.normal(size=4)
        return sf.Linear(way, -float(np.quantile(X @ way, rng.uniform(0.4, 0.9))))
    pick = [f"a >= {rng.integers(1, 6)}", f"b >= {rng.integers(1, 5)}", f"c < {rng.integers(1, 4)}"]
    pick.append(f"kind == {rng.choice(CATEGORIES)}")
    first, second, third = rng.permutation(pick)[:3]
    return sf.Rule(f"{first} and ({second} or {third})", schema)


def check_world(world, most=4):
    X = world.schema.matrix(world.table)
    people = world.table[~world.model.accepts(X)].head(most)
    if not len(people):
        return
    recs = sf.recommend(world.method, world.model, people)
    for i in range(len(people)):
        outcome = recs.results["outcome"].iloc[i]
        x = world.schema.matrix(people.iloc[[i]])[0]
        if outcome == "outside_schema":
            row = dict(zip(SIZES, x, strict=True))
            assert not all(check(row) for _, check in world.chosen["relations"])
            continue
        best = world.optimum(x)
        if np.isnan(best):
            assert outcome == "infeasible"
        else:
            assert outcome == "minimal"
            assert abs(recs.results["cost"].iloc[i] - best) <= NEAR


def world_of(seed, segmented=False, priced=False):
    return drawn(np.random.default_rng(seed), segmented, priced)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_the_optimum_keeps_rules_relations_and_changes(seed):
    check_world(world_of(seed))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_the_optimum_under_a_segmented_model_is_that_of_the_best_segment(seed):
    check_world(world_of(seed, segmented=True), most=2)


@pytest.mark.parametrize("segmented", [False, True], ids=["a model and a rule", "segmented"])
@pytest.mark.parametrize("seed", range(12))
def test_the_optimum_pays_for_priced_transitions_to_where_rules_accept(seed, segmented):
    check_world(world_of(seed, segmented, priced=True))


@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_under_a_rule_alone_pays_for_priced_transitions(seed):
    world = world_of(seed, priced=True)
    check_world(replace(world, model=sf.Rule("a >= 2 and kind in (shop, loan)", world.schema)))


@pytest.mark.parametrize("seed", range(8))
def test_admits_says_what_a_check_by_hand_says(seed):
    world = world_of(seed)
    domain = world.schema.complete(world.table)
    rng = np.random.default_rng(seed)
    sizes = np.array(list(SIZES.values()))
    for x in rng.integers(0, sizes, (5, 4)).astype(float):
        points = rng.integers(0, sizes, (200, 4)).astype(float)
        admitted = domain.admits(x, points)
        assert (admitted == world.allowed(x, points)).all()
        for y, fine in zip(points[:40], admitted[:40], strict=True):
            assert bool(domain.objections(x, y)) != fine


def test_without_its_laws_a_world_is_another_world():
    """The laws of these worlds bind: brute force without them is cheaper now and then."""
    cheaper = 0
    for seed in range(12):
        world = world_of(seed)
        free = replace(world, chosen={"rules": [], "relations": [], "changes": []})
        for x in world.schema.matrix(world.table)[:3]:
            cheaper += free.optimum(x) != world.optimum(x)
    assert cheaper > 5
