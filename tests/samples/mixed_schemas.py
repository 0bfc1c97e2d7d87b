"""Random schemas with everything in them: categories, tokens, gaps, transitions and relations."""

import numpy as np
from hypothesis import strategies as st

from standfast.schema import Feature, Schema
from standfast.schema.categories import MISSING

NAMES = ("a", "b", "c", "d", "e")


@st.composite
def gaps(draw, tokens):
    when = draw(st.sampled_from(["refuse", "keep", "fill"]))
    found = {"when_missing": when, "missing": draw(st.sampled_from([(), *tokens]))}
    return found | ({"fill_price": 0.25} if when == "fill" and draw(st.booleans()) else {})


@st.composite
def nominals(draw, name):
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    ways = st.dictionaries(st.sampled_from(names), st.lists(st.sampled_from(names), unique=True))
    options = draw(gaps([("?",), ("?", "none")]))
    transitions = draw(st.none() | ways)
    price = draw(st.sampled_from([None, 0.2, 1.0]))
    free = draw(st.booleans())
    return Feature(
        name, "nominal", free, categories=names, transitions=transitions, price=price, **options
    )


@st.composite
def ordinals(draw, name):
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    way = draw(st.sampled_from(["any", "up", "down"]))
    options = draw(gaps([("?",)]))
    return Feature(name, "ordinal", draw(st.booleans()), way, categories=names, **options)


@st.composite
def numeric(draw, name):
    kind = draw(st.sampled_from(["real", "positive", "count"]))
    low, high = sorted(draw(st.tuples(st.integers(0, 6), st.integers(0, 6))))
    step = 1.0 if kind == "count" else draw(st.sampled_from([0.0, 0.1, 0.5, 1.0, 4.0]))
    way = draw(st.sampled_from(["any", "up", "down"]))
    options = draw(gaps([(-9,), (3,), (2, 3, 4), ("none",)]))
    return Feature(name, kind, draw(st.booleans()), way, low, high, step, **options)


@st.composite
def schemas(draw):
    d = draw(st.integers(1, 5))
    kinds = [draw(st.sampled_from([nominals, ordinals, numeric, numeric])) for _ in range(d)]
    features = [draw(kind(f"x{j}")) for j, kind in enumerate(kinds)]
    ordered = [f.name for f in features if f.kind != "nominal"]
    laws = []
    if len(ordered) > 1 and draw(st.booleans()):
        a, b = draw(st.permutations(ordered))[:2]
        laws = draw(st.sampled_from([[f"{a} <= {b}"], [f"{a} + {b} <= 7"], [f"2 * {a} >= {b}"]]))
    return Schema(tuple(features), tuple(laws)).complete({f.name: [1.0, 5.0] for f in features})


def values(feature):
    """What a person may have: a value, or a gap that the schema provides for."""
    if feature.categories is not None:
        known = st.sampled_from([float(c) for c in range(len(feature.categories))])
    else:
        known = st.sampled_from([0.0, 1.0, 1.5, 5.0, 6.0, 8.0])
        known = known.filter(lambda v: not feature.is_missing(v))
        if feature.kind == "count":
            known = known.filter(lambda v: v % 1 == 0)
    if feature.when_missing == "refuse":
        return known
    return known | st.sampled_from([MISSING, *feature.tokens])


@st.composite
def worlds(draw):
    """A schema, a person whom it knows, and points from anywhere."""
    schema = draw(schemas())
    x = np.array([draw(values(feature)) for feature in schema])
    some = [MISSING, 0.5, 1.0, 2.0, 3.0, 4.0, 9.0, -9.0, 1e300, -1e300]
    cell = st.sampled_from(some) | st.floats(-2, 9)
    rows = st.lists(cell, min_size=len(schema), max_size=len(schema))
    return schema, x, np.array(draw(st.lists(rows, min_size=1, max_size=5)))
