"""A small world with categories and gaps, and models over it: trees with sets, a scorecard."""

from functools import cache

import numpy as np
import pandas as pd

from standfast import Additive, Feature, Percentiles, Schema, TreeEnsemble
from standfast.schema.categories import MISSING
from standfast.scores.unfolding import Branching, Question, unfold

SCHEMA = Schema(
    (
        Feature("age", "count", mutable=False),
        Feature("income", "positive", direction="up", step=10, when_missing="fill"),
        Feature(
            "home",
            "nominal",
            categories=("rent", "own", "family", "friends"),
            transitions={"rent": {"family": 0.2, "own": 0.8}, "friends": ["rent", "family"]},
            missing=("?",),
            when_missing="keep",
        ),
        Feature(
            "job",
            "nominal",
            categories=("clerk", "nurse", "smith", "pilot", "none"),
            when_missing="fill",
            fill_price=0.25,
        ),
        Feature("school", "ordinal", direction="up", categories=("none", "high", "college")),
        Feature("late", "count", missing=(-9,), when_missing="keep"),
        Feature("very_late", "count"),
    ),
    ("very_late <= late",),
)


def people(n: int, seed: int) -> pd.DataFrame:
    """Tenants, some of whose incomes, homes, jobs and late payments are not known."""
    rng = np.random.default_rng(seed)
    late = rng.poisson(2, n)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 70, n),
            "income": rng.lognormal(7, 0.5, n).round(-1),
            "home": rng.choice(["rent", "own", "family", "friends", "?"], n),
            "job": rng.choice(["clerk", "nurse", "smith", "pilot", "none"], n),
            "school": rng.choice(["none", "high", "college"], n),
            "late": late,
            "very_late": rng.binomial(late, 0.4),
        },
        index=pd.Index([f"t{i:04d}" for i in range(n)], name="tenant"),
    )
    table.loc[rng.random(n) < 0.15, "income"] = np.nan
    table.loc[rng.random(n) < 0.15, "job"] = None
    table.loc[rng.random(n) < 0.15, "late"] = -9
    return table


@cache
def percentiles() -> Percentiles:
    return Percentiles.fit(people(500, 1))


@cache
def forest(seed: int, trees: int = 5, depth: int = 4, most: float = 0.6) -> TreeEnsemble:
    """Random trees that ask for numbers and for sets of categories, and send gaps either way."""
    rng = np.random.default_rng(seed)
    X = SCHEMA.matrix(people(500, 1))
    questions: list[Question | None] = []
    values: list[float] = []

    def grow(left: int) -> int:
        at = len(questions)
        questions.append(None)
        values.append(float(rng.random()))
        if left:
            j = int(rng.integers(len(SCHEMA)))
            feature, column = SCHEMA.features[j], X[:, j]
            asked = {}
            if feature.kind == "nominal":
                asked["members"] = rng.random(len(feature.coder.names)) < 0.5
            else:
                asked["split"] = float(rng.choice(column[np.isfinite(column)]))
            near, far = grow(left - 1), grow(left - 1)
            questions[at] = Question(j, near, far, bool(rng.random() < 0.5), **asked)
        return at

    roots = [grow(depth) for _ in range(trees)]
    plain = unfold(Branching(questions, values, roots), frozenset(SCHEMA.gapped))
    return TreeEnsemble(plain, len(SCHEMA), most, divisor=float(trees))


@cache
def scorecard(seed: int, offset: float = -1.2) -> Additive:
    """Points for every category, every gap and every number."""
    rng = np.random.default_rng(seed)
    functions = []
    for feature in SCHEMA:
        gap = float(rng.normal(0, 0.5))
        if feature.coder is not None:
            functions.append(_Points(tuple(rng.normal(0, 0.7, len(feature.coder.names))), gap))
        else:
            functions.append(_Slope(float(rng.normal(0, 0.8)), feature.name == "income", gap))
    return Additive(functions, offset)


class _Points:
    """Points by category."""

    def __init__(self, points, gap):
        self.points, self.gap = points, gap

    def __call__(self, codes):
        known = np.isfinite(codes)
        where = np.where(known, codes, 0).astype(int)
        return np.where(known, np.array(self.points)[where], self.gap)


class _Slope:
    """Points along a number line."""

    def __init__(self, slope, money, gap):
        self.slope, self.money, self.gap = slope, money, gap

    def __call__(self, values):
        known = (values != MISSING) & (values != -9)
        numbers = np.where(known, values, 0.0)
        return np.where(
            known, self.slope * (numbers / 1000 if self.money else numbers / 4), self.gap
        )
