"""The PMML samples' schemas, rows that try them out, and the comparison with the referee."""

from pathlib import Path
from typing import Any

import numpy as np

from samples.pmml_evaluator import Evaluator
from standfast.schema import Feature, Schema
from standfast.schema.categories import MISSING

HERE = Path(__file__).parent / "pmml"
GAP: dict[str, Any] = {"when_missing": "fill"}
HOUSING = Feature("housing", "nominal", categories=("rent", "own", "family"), **GAP)
SCHEMAS = {
    "scorecard": Schema(
        (
            Feature("enquiries", "count", **GAP),
            Feature("age", "count", **GAP),
            Feature("income", missing=(-9,), **GAP),
            Feature("housing", "nominal", categories=("rent", "own", "family", "boat"), **GAP),
            Feature(
                "employment",
                "nominal",
                categories=("none", "permanent", "self-employed", "temporary", "retired"),
                missing=("n/a",),
                **GAP,
            ),
            Feature("unread"),
        )
    ),
    "logistic": Schema(
        (
            HOUSING,
            Feature("phone", "binary"),
            Feature("grade", "nominal", categories=(3, 1, 2), **GAP),
            Feature("debt", **GAP),
            Feature("income", "positive", **GAP),
        )
    ),
    "forest": Schema(
        (
            Feature("months", "positive", **GAP),
            Feature("income", **GAP),
            Feature("housing", "nominal", categories=("rent", "own", "family", "other"), **GAP),
            Feature(
                "purpose",
                "nominal",
                categories=("holiday", "car", 'it\'s "other"', "home repair", "boat"),
                **GAP,
            ),
        )
    ),
    "boosted": Schema(
        (
            Feature(
                "region", "nominal", categories=("south", "moon", "north", "east", "west"), **GAP
            ),
            Feature("utilisation", "positive", **GAP),
            Feature("income", **GAP),
        )
    ),
}
FAVOURABLE = {"scorecard": "above", "logistic": "good", "forest": "paid", "boosted": "1"}
# numbers that the files ask about
MARKS = {
    "age": [18, 25, 45, 100, 17, 101],
    "income": [-9, 0, 18000.5, 42000, 250000, 30000, 26500.75, 15000, 28123.456, 45000, -1],
    "enquiries": [0, 1, 2, 3, 10, 12],
    "debt": [0, 3000],
    "months": [12.1, float(np.float32(12.1)), 0.1, float(np.float32(0.1)), 24],
    "utilisation": [0.3, 0.9, 0.9000000000000001, 0.5],
    "unread": [0.0],
    "phone": [0.0, 1.0],
}


def rows(schema: Schema, marks: dict[str, list[float]], n: int, seed: int = 0) -> np.ndarray:
    """Random rows: all codes, gaps, numbers on the file's own numbers, next to them and between."""
    draw = np.random.default_rng(seed)
    X = np.empty((n, len(schema)))
    for j, feature in enumerate(schema):
        if feature.coder is not None:
            X[:, j] = draw.integers(0, len(feature.coder.names), n)
        elif feature.kind == "binary":
            X[:, j] = draw.integers(0, 2, n)
        else:
            own = np.array(marks[feature.name], dtype=float)
            near = np.concatenate([own, np.nextafter(own, np.inf), np.nextafter(own, -np.inf)])
            near = np.concatenate(
                [near, near + draw.normal(0, np.abs(own).max() / 5 + 1, len(near))]
            )
            X[:, j] = draw.choice(near, n)
            if feature.kind == "count":
                X[:, j] = np.rint(X[:, j])
            if feature.kind in ("positive", "count"):
                X[:, j] = np.abs(X[:, j])
        if feature.when_missing != "refuse":
            X[draw.random(n) < 0.12, j] = MISSING
    return X


def as_people(schema: Schema, X: np.ndarray) -> list[dict[str, Any]]:
    people = []
    for x in X:
        row: dict[str, Any] = {}
        for feature, value in zip(schema, x, strict=True):
            if value == MISSING:
                row[feature.name] = None
            elif feature.coder is not None:
                row[feature.name] = feature.coder.names[int(value)]
            else:
                row[feature.name] = float(value)
        people.append(row)
    return people


def compare(
    score: Any, schema: Schema, evaluator: Evaluator, X: np.ndarray, favourable: str | None
) -> tuple[int, float]:
    """How many rows have no result, which nobody may accept, and the largest difference."""
    own = score.link.apply(score.raw(X))
    accepted = score.accepts(X)
    given = [evaluator(row, favourable) for row in as_people(schema, X)]
    none = np.array([one is None for one in given])
    assert not accepted[none].any()
    expected = np.array([0.0 if one is None else one for one in given])
    return int(none.sum()), float(np.abs(own - expected)[~none].max())
