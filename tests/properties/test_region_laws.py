"""Laws of the region, against brute force: all of it accepted, and not one value more provable."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples.every import every

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
    kind = draw(st.sampled_from(["count", "nominal", "binary", "ordinal", "real", "positive"]))
    if kind == "nominal":
        return draw(nominals(name))
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
def nominals(draw, name):
    names = tuple("abcdef"[: draw(st.integers(2, 6))])
    transitions = None
    if draw(st.booleans()):
        some = st.lists(st.sampled_from(names), unique=True, max_size=3)
        found = {a: [b for b in draw(some) if b != a] for a in names}
        transitions = {a: targets for a, targets in found.items() if targets} or None
    mutable = draw(st.integers(0, 5)) > 0
    return sf.Feature(name, "nominal", mutable, categories=names, transitions=transitions).complete(
        np.arange(float(len(names)))
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
    sized = d > 1 and all(f.kind != "nominal" for f in inputs[:2])
    related = sized and draw(st.integers(0, 3)) == 0
    rule = (
        f"if {inputs[0].name} == {shown(inputs[0])} then {inputs[-1].name} != {shown(inputs[-1])}"
    )
    rules = (rule,) if d > 1 and draw(st.integers(0, 3)) == 0 else ()
    relations = (draw(st.sampled_from(RELATIONS)),) if related else ()
    schema = sf.Schema(inputs, relations, rules=rules)
    members = draw(st.lists(models(schema), min_size=1, max_size=3))
    margins = [draw(st.sampled_from([0.0, 0.0, 0.01, 0.1])) for _ in members]
    columns = {f.name: [draw(st.sampled_from(grid(f))) for _ in range(6)] for f in inputs}
    own = []
    for f in inputs:
        value = draw(st.sampled_from(grid(f)))
        if f.step != 1.0 and draw(st.integers(0, 3)) == 0:
            value = round(value + f.step / 3, 3)  # between two values of the grid, or beyond it
        own.append(value)
    table = schema.table(np.column_stack(list(columns.values())))
    return schema, sf.Unanimous(members, margins), table, np.array(own, dtype=float)


def shown(feature):
    """The least value as a rule writes it."""
    return feature.categories[0] if feature.kind == "nominal" else f"{feature.lower:g}"


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
                if not (f.direction == "up" and v < own)
                and not (f.direction == "down" and v > own)
                and may_become(f, own, v)
            }
        found.append(np.array(sorted(values)))
    return found


def may_become(feature, own, value):
    if feature.kind != "nominal" or feature.transitions is None or own == value:
        return True
    targets = dict(feature.transitions).get(feature.categories[int(own)], ())
    return feature.categories[int(value)] in [name for name, _ in targets]


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
        {"outcome": "found", "cause": None, "cost": 0.0, "lower_bound": np.nan, "seconds": 0.0}
        | {"binding": [()] * len(points)},
        index=index,
    )
    factual = schema.table(np.tile(x, (len(points), 1)), index)
    return sf.Recommendations(schema, factual, schema.table(points, index), results, {})


def lattice_of(choices, most=4000):
    """Every combination of the values, or some thousand of them, those at the ends included."""
    if np.prod([len(values) for values in choices]) <= most:
        return every(choices)
    rng = np.random.default_rng(0)
    drawn = np.column_stack([rng.choice(values, most) for values in choices])
    ends = [np.unique([values[0], values[-1]]) for values in choices]
    return np.concatenate([drawn, every(ends)])


def accepted_points(schema, model, x, most=6):
    lattice = lattice_of(allowed(schema, x))
    lattice = lattice[schema.admits(x, lattice)]
    good = lattice[model.accepts(lattice)]
    return good[:: max(1, len(good) // most)][:most]


def box_of(found, i, choices):
    """The admissible values of each input in person i's box."""
    inside = []
    for f, values in zip(found.schema, choices, strict=True):
        if f.kind == "nominal":
            codes = [f.categories.index(name) for name in found.categories[f.name].iloc[i]]
            inside.append(values[np.isin(values, codes)])
            assert len(inside[-1]) == len(codes)
            names = tuple(f.categories[int(code)] for code in values)
            assert found.reachable[f.name].iloc[i] == names
        else:
            low, high = found.lower[f.name].iloc[i], found.upper[f.name].iloc[i]
            inside.append(values[(values >= low) & (values <= high)])
            assert (inside[-1][0], inside[-1][-1]) == (low, high)  # ends are admissible themselves
    return inside


SETTINGS = settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(worlds())
@SETTINGS
def test_boxes_are_accepted_as_large_as_can_be_and_leave_what_is_fixed(world):
    schema, model, table, x = world
    points = accepted_points(schema, model, x)
    if not len(points):
        return
    found = sf.region(advised(schema, x, points), model, sf.Percentiles.fit(table))
    assert found.found.all()
    choices = allowed(schema, x)
    for i, y in enumerate(points):
        inside = box_of(found, i, choices)
        assert all(v in values for v, values in zip(y, inside, strict=True))
        assert_every_admissible_point_is_accepted(schema, model, x, inside)
        assert_no_input_can_take_one_more_admissible_value(schema, model, choices, inside, y)
        fixed = np.flatnonzero(~schema.mutable)
        assert all(inside[j].tolist() == [x[j]] for j in fixed)
        assert_the_share_gained_is_a_share(found, i, inside, choices)


def assert_every_admissible_point_is_accepted(schema, model, x, inside):
    lattice = lattice_of(inside)
    lawful = lattice[schema.admits(x, lattice)]
    assert len(lawful)
    assert model.accepts(lawful).all()


def assert_no_input_can_take_one_more_admissible_value(schema, model, choices, inside, y):
    provable = least_slack(model, inside)
    if any(len(values) > 1 for values in inside):
        assert provable > -ROUNDING
    else:
        assert least_slack(model, [np.array([v]) for v in y]) == provable
    for j, (f, values) in enumerate(zip(schema, choices, strict=True)):
        outside = values[~np.isin(values, inside[j])]
        if f.kind != "nominal":  # next to the box on either side
            outside = np.concatenate(
                [outside[outside < inside[j][0]][-1:], outside[outside > inside[j][-1]][:1]]
            )
        for more in outside:
            wider = [*inside[:j], np.sort(np.append(inside[j], more)), *inside[j + 1 :]]
            assert least_slack(model, wider) <= ROUNDING


def assert_the_share_gained_is_a_share(found, i, inside, choices):
    everything = all(len(a) == len(b) for a, b in zip(inside, choices, strict=True))
    sentence = found.sentences().iloc[i]
    assert 0.0 <= found.gained.iloc[i] <= 1.0 + ROUNDING
    if everything:
        assert found.gained.iloc[i] == 1.0
    assert (sentence == "Any admissible values will do.") == everything
    assert everything or sentence.startswith("Keep ")


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
