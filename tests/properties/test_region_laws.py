"""Laws of the region, against brute force: all of it accepted, and not one value more provable."""

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import standfast as sf
from standfast.scores.score import IDENTITY, LOGISTIC
from standfast.scores.tree_ensemble import Trees

CLEARANCE = 1e-9  # what a model is asked for beyond its margin
ROUNDING = 1e-12  # a sum this near to what it needs may come out on either side


# small worlds


@dataclass(frozen=True)
class Bends:
    """A function of one input that goes up and down."""

    heights: tuple[float, ...]

    def __call__(self, values):
        return np.array(self.heights)[np.floor(np.abs(values) * 2).astype(int) % len(self.heights)]


@st.composite
def features(draw, name):
    kind = draw(st.sampled_from(["count", "count", "binary", "ordinal", "real", "positive"]))
    step = draw(st.sampled_from([0.1, 0.5, 0.25, 2.0])) if kind in ("real", "positive") else 1.0
    low = draw(st.integers(-2, 1)) if kind in ("real", "ordinal") else 0
    high = 1 if kind == "binary" else low + draw(st.integers(1, 5))
    if step == 0.1 and draw(st.booleans()):
        step, low, high = 0.001, low * 1000, high * 1000  # thousands of values: units are runs
    return sf.Feature(
        name,
        kind,
        draw(st.integers(0, 5)) > 0,
        draw(st.sampled_from(["any", "any", "up", "down"])),
        round(low * step, 2),
        round(high * step, 2),
        step,
    )


@st.composite
def trees(draw, schema, depth=3):
    """(input, split, left, right), or a leaf's value; splits on the grid and between its values."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from([0.0, 0.25, 0.5, 1.0, -0.5]))
    j = draw(st.integers(0, len(schema) - 1))
    f = schema.features[j]
    split = f.lower + draw(st.integers(0, 20)) * (f.upper - f.lower) / 20
    return j, split, draw(trees(schema, depth - 1)), draw(trees(schema, depth - 1))


def ensemble(roots, width, threshold):
    """Trees as flat arrays, level by level, the children of a node side by side."""
    columns: list[list] = [[], [], [], []]
    starts = []
    for root in roots:
        starts.append(len(columns[0]))
        queue = [root]
        position = 0
        base = starts[-1]
        while position < len(queue):
            node = queue[position]
            here = base + position
            if isinstance(node, tuple):
                row = (node[0], node[1], base + len(queue), 0.0)
                queue += node[2:]
            else:
                row = (0, np.inf, here, node)
            for column, value in zip(columns, row, strict=True):
                column.append(value)
            position += 1
    feature, split, left, value = columns
    flat = Trees(
        np.array(feature, dtype=np.int32),
        np.array(split, dtype=float),
        np.array(left, dtype=np.int32),
        np.zeros(len(left), dtype=bool),
        np.array(value, dtype=float),
        np.array(starts, dtype=np.int32),
        np.full(len(starts), 8, dtype=np.int32),
    )
    return sf.TreeEnsemble(flat, width, threshold, divisor=float(len(roots)))


heights = st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0])


@st.composite
def models(draw, schema):
    d = len(schema)
    kind = draw(st.sampled_from(["trees", "trees", "linear", "additive"]))
    if kind == "trees":
        roots = draw(st.lists(trees(schema), min_size=1, max_size=4))
        return ensemble(roots, d, draw(st.sampled_from([-0.1, 0.0, 0.1, 0.3])))
    if kind == "linear":
        weights = draw(st.lists(heights, min_size=d, max_size=d))
        link = draw(st.sampled_from([IDENTITY, LOGISTIC]))
        threshold = 0.5 if link is LOGISTIC else 0.0
        return sf.Linear(weights, draw(heights), link, threshold)
    bends = [tuple(draw(st.lists(heights, min_size=2, max_size=4))) for _ in range(d)]
    return sf.Additive([Bends(b) for b in bends], draw(heights))


RELATIONS = ("x0 <= x1", "x0 + x1 <= 3", "x1 >= x0 - 1")


@st.composite
def worlds(draw):
    d = draw(st.integers(1, 4))
    inputs = tuple(draw(features(f"x{j}")) for j in range(d))
    related = d > 1 and draw(st.integers(0, 3)) == 0
    schema = sf.Schema(inputs, (draw(st.sampled_from(RELATIONS)),) if related else ())
    members = draw(st.lists(models(schema), min_size=1, max_size=3))
    margins = [draw(st.sampled_from([0.0, 0.0, 0.01, 0.1])) for _ in members]
    columns = {f.name: [draw(st.sampled_from(grid(f))) for _ in range(6)] for f in inputs}
    own = []
    for f in inputs:
        value = draw(st.sampled_from(grid(f)))
        if f.step != 1.0 and draw(st.integers(0, 3)) == 0:
            value = round(value + f.step / 3, 3)  # between two values of the grid, or beyond it
        own.append(value)
    return schema, sf.Unanimous(members, margins), pd.DataFrame(columns), np.array(own, dtype=float)


def grid(feature):
    """Every admissible value by step and bounds alone."""
    n = round((feature.upper - feature.lower) / feature.step)
    start = round(feature.lower / feature.step)
    return [round((start + k) * feature.step, feature.decimals) for k in range(n + 1)]


# brute force


def allowed(schema, x):
    """For each input the values this person may be sent to, their own included."""
    found = []
    for f, own in zip(schema, x, strict=True):
        values = {own}
        if f.mutable:
            values |= {
                v
                for v in grid(f)
                if not (f.direction == "up" and v < own) and not (f.direction == "down" and v > own)
            }
        found.append(np.array(sorted(values)))
    return found


def worst_leaf(t, node, values):
    if t.left[node] == node:
        return t.value[node]
    j, split = t.feature[node], t.split[node]
    below, above = values[j][values[j] <= split], values[j][values[j] > split]
    found = []
    for child, part in ((t.left[node], below), (t.left[node] + 1, above)):
        if len(part):
            found.append(worst_leaf(t, child, [*values[:j], part, *values[j + 1 :]]))
    return min(found)


def slack(model, margin, values):
    """How far the model's worst sum over a box of values exceeds what is asked of it."""
    need = model.cutoff(margin + CLEARANCE)
    if isinstance(model, sf.Linear):
        parts = [(w * v).min() for w, v in zip(model.weights, values, strict=True)]
        return model.offset + sum(parts) - need
    if isinstance(model, sf.Additive):
        parts = [f(v).min() for f, v in zip(model.functions, values, strict=True)]
        return model.offset + sum(parts) - need
    least = [worst_leaf(model.trees, root, values) for root in model.trees.roots]
    return (model.offset + sum(least)) / model.divisor - need


def least_slack(model, values):
    return min(slack(m, e, values) for m, e in zip(model.scores, model.margins, strict=True))


def advised(schema, x, points):
    """Recommendations that send one and the same person to each of the points."""
    index = pd.RangeIndex(len(points))
    results = pd.DataFrame(
        {"outcome": "found", "reason": None, "cost": 0.0, "lower_bound": np.nan, "seconds": 0.0}
        | {"binding": [()] * len(points)},
        index=index,
    )
    factual = schema.table(np.tile(x, (len(points), 1)), index)
    return sf.Recommendations(schema, factual, schema.table(points, index), results, {})


def lattice_of(choices, most=4000):
    """Every combination of the values, or some thousand of them, those at the ends included."""
    if np.prod([len(values) for values in choices]) <= most:
        return np.array(list(itertools.product(*choices)))
    rng = np.random.default_rng(0)
    drawn = np.column_stack([rng.choice(values, most) for values in choices])
    ends = [np.unique([values[0], values[-1]]) for values in choices]
    return np.concatenate([drawn, np.array(list(itertools.product(*ends)))])


def accepted_points(schema, model, x, most=6):
    lattice = lattice_of(allowed(schema, x))
    lattice = lattice[schema.admits(x, lattice)]
    good = lattice[model.accepts(lattice)]
    return good[:: max(1, len(good) // most)][:most]


def boxes(schema, model, table, x, points):
    found = sf.region(advised(schema, x, points), model, sf.Percentiles.fit(table))
    lower, upper = (t.to_numpy(dtype=float) for t in (found.lower, found.upper))
    assert found.found.all()
    return found, lower, upper


SETTINGS = settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(worlds())
@SETTINGS
def test_boxes_are_accepted_as_large_as_can_be_and_leave_what_is_fixed(world):
    schema, model, table, x = world
    points = accepted_points(schema, model, x)
    if not len(points):
        return
    found, lower, upper = boxes(schema, model, table, x, points)
    choices = allowed(schema, x)
    for y, low, high in zip(points, lower, upper, strict=True):
        inside = [v[(v >= a) & (v <= b)] for v, a, b in zip(choices, low, high, strict=True)]
        assert ((low <= y) & (y <= high)).all()  # the advice is among them
        assert_every_admissible_point_is_accepted(schema, model, x, inside)
        # the ends are admissible values themselves
        assert all(v[0] == a and v[-1] == b for v, a, b in zip(inside, low, high, strict=True))
        assert_no_side_can_take_one_more_admissible_value(model, choices, inside, y)
    fixed = ~schema.mutable
    assert (lower[:, fixed] == x[fixed]).all()
    assert (upper[:, fixed] == x[fixed]).all()
    assert_the_share_gained_is_a_share(found)


def assert_every_admissible_point_is_accepted(schema, model, x, inside):
    lattice = lattice_of(inside)
    lawful = lattice[schema.admits(x, lattice)]
    assert len(lawful)
    assert model.accepts(lawful).all()


def assert_no_side_can_take_one_more_admissible_value(model, choices, inside, y):
    provable = least_slack(model, inside)
    if any(len(values) > 1 for values in inside):
        assert provable > -ROUNDING
    else:
        assert least_slack(model, [np.array([v]) for v in y]) == provable
    for j, values in enumerate(choices):
        for more in (values[values < inside[j][0]][-1:], values[values > inside[j][-1]][:1]):
            if len(more):
                wider = [*inside[:j], np.sort(np.append(inside[j], more)), *inside[j + 1 :]]
                assert least_slack(model, wider) <= ROUNDING


def assert_the_share_gained_is_a_share(found):
    assert found.gained.between(0.0, 1.0).all()
    everything = (found.lower == found.least).all(axis=1) & (found.upper == found.greatest).all(
        axis=1
    )
    assert (found.gained[everything] == 1.0).all()
    assert (found.sentences()[everything] == "Any admissible values will do.").all()
    assert found.sentences()[~everything].str.startswith("Keep ").all()


@pytest.mark.parametrize("seed", range(5))
def test_boxes_do_not_depend_on_company_or_order(seed):
    rng = np.random.default_rng(seed)
    schema = sf.Schema(
        (
            *(sf.Feature(f"x{j}", lower=0, upper=5, step=0.001) for j in range(3)),
            sf.Feature("n", "count", lower=0, upper=9),
        )
    )
    table = pd.DataFrame(rng.uniform(0, 5, (50, 3)).round(1), columns=["x0", "x1", "x2"])
    table["n"] = rng.integers(0, 10, 50)
    domain, q = schema.complete(table), sf.Percentiles.fit(table)
    model = sf.Unanimous(
        (sf.Linear([1.0, -0.4, 0.0, 0.1], -2.0), sf.Additive([np.sin] * 4, 0.2)), (0.0, 0.0)
    )
    lattice = domain.matrix(table)
    points = lattice[model.accepts(lattice)]
    recs = advised(domain, lattice[0], points)
    crowd = sf.region(recs, model, q)
    for i in range(len(points)):
        alone = sf.region(advised(domain, lattice[0], points[[i]]), model, q)
        assert (alone.lower.to_numpy() == crowd.lower.to_numpy()[[i]]).all()
        assert (alone.upper.to_numpy() == crowd.upper.to_numpy()[[i]]).all()
