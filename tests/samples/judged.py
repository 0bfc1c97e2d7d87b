"""Small random promises, models that judge them, and every admissible point of their boxes."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

import standfast as sf
from samples.every import every
from standfast.promises import Promises
from standfast.promises.gate.judging import Judge
from standfast.promises.promise import FACTS
from standfast.promises.verdict import Verdict
from standfast.recommendations.boxes import Boxes
from standfast.schema.categories import MISSING
from standfast.schema.grid import Grid
from standfast.scores.score import LOGISTIC
from standfast.scores.tree_ensemble import Trees

RELATIONS = ("x0 <= x1", "x0 + x1 <= 3", "x1 >= x0 - 1", "2 * x0 - x1 <= 2")
HEIGHTS = np.array([-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0])


@dataclass(frozen=True)
class Bends:
    """A function of one input that goes up and down."""

    heights: tuple[float, ...]

    def __call__(self, values):
        known = np.where(np.isfinite(values), values, 0.0)
        return np.array(self.heights)[np.floor(np.abs(known) * 2).astype(int) % len(self.heights)]


def feature(rng, name):
    kind = rng.choice(["count", "nominal", "binary", "ordinal", "real", "positive"])
    mutable, gaps = bool(rng.random() > 0.15), {}
    if rng.random() < 0.2:
        gaps["when_missing"] = str(rng.choice(["keep", "fill"]))
    if kind == "nominal":
        names = tuple("abcde"[: rng.integers(2, 6)])
        found = {a: [b for b in names if b != a and rng.random() < 0.6] for a in names}
        transitions = {a: to for a, to in found.items() if to} if rng.random() < 0.4 else None
        made = sf.Feature(
            name, "nominal", mutable, categories=names, transitions=transitions, **gaps
        )
        return made.complete(np.arange(float(len(names))))
    step = float(rng.choice([0.1, 0.5, 0.25, 2.0])) if kind in ("real", "positive") else 1.0
    low = int(rng.integers(-2, 2)) if kind in ("real", "ordinal") else 0
    high = 1 if kind == "binary" else low + int(rng.integers(1, 5))
    way = str(rng.choice(["any", "any", "up", "down"]))
    least = round(1.5 * step, 3) if kind in ("real", "count") and rng.random() < 0.15 else None
    ends = round(low * step, 2), round(high * step, 2)
    return sf.Feature(name, kind, mutable, way, *ends, step, least=least, **gaps)


def forest(rng, schema, trees, depth):
    """Random trees, with splits on the grid and between its values."""
    columns, roots = [[], [], [], []], []
    for _ in range(trees):
        roots.append(len(columns[0]))
        queue, place = [depth], 0
        while place < len(queue):
            here, left = roots[-1] + place, queue[place]
            row = (0, np.inf, here, float(rng.choice(HEIGHTS)))
            if left and rng.random() > 0.2:
                j = int(rng.integers(len(schema)))
                f = schema.features[j]
                split = f.lower + int(rng.integers(0, 21)) * (f.upper - f.lower) / 20
                row = (j, split, roots[-1] + len(queue), 0.0)
                queue += [left - 1, left - 1]
            for column, value in zip(columns, row, strict=True):
                column.append(value)
            place += 1
    inputs, splits, lefts, values = (np.array(column) for column in columns)
    flat = Trees(
        inputs.astype(np.int32),
        splits.astype(float),
        lefts.astype(np.int32),
        (rng.random(len(lefts)) < 0.5) | (splits == np.inf),
        values.astype(float),
        np.array(roots, dtype=np.int32),
        np.full(trees, depth + 1, dtype=np.int32),
    )
    threshold = float(rng.choice([-0.1, 0.0, 0.1, 0.25]))
    return sf.TreeEnsemble(flat, len(schema), threshold, divisor=float(trees))


def member(rng, schema):
    d, kind = len(schema), rng.choice(["trees", "trees", "trees", "linear", "additive", "rule"])
    if kind == "trees":
        return forest(rng, schema, int(rng.integers(1, 8)), int(rng.integers(1, 5)))
    gapped = bool(schema.gapped)
    if kind == "linear" and not gapped:
        link = {"link": LOGISTIC, "threshold": 0.5} if rng.random() < 0.5 else {}
        return sf.Linear(rng.choice(HEIGHTS, d), float(rng.choice(HEIGHTS)), **link)
    if kind == "rule":
        j = int(rng.integers(d))
        f = schema.features[j]
        if f.kind == "nominal":
            return sf.Rule(f"x{j} != {f.categories[0]}", schema)
        return sf.Rule(f"x{j} >= {f.lower + f.step:g}", schema)
    parts = [Bends(tuple(rng.choice(HEIGHTS, 3))) for _ in range(d)]
    return sf.Additive(parts, float(rng.choice(HEIGHTS)))


def model(rng, schema):
    """A model of any readable kind, alone, with others, or one per segment."""
    first = schema.features[0]
    if first.kind == "nominal" and rng.random() < 0.3:
        models = {name: member(rng, schema) for name in first.categories}
        return sf.Segmented("x0", models, schema)
    many = int(rng.choice([1, 1, 1, 2, 3]))
    if many == 1:
        return member(rng, schema)
    margins = [float(rng.choice([0.0, 0.0, 0.05])) for _ in range(many)]
    return sf.Unanimous([member(rng, schema) for _ in range(many)], margins)


def schema(rng):
    d = int(rng.integers(1, 5))
    inputs = tuple(feature(rng, f"x{j}") for j in range(d))
    sized = d > 1 and all(f.kind != "nominal" for f in inputs[:2])
    relations = (str(rng.choice(RELATIONS)),) if sized and rng.random() < 0.4 else ()
    named = [f.categories[0] if f.kind == "nominal" else f"{f.lower:g}" for f in inputs]
    rule = f"if x0 == {named[0]} then x{d - 1} != {named[-1]}"
    return sf.Schema(inputs, relations, rules=(rule,) if d > 1 and rng.random() < 0.3 else ())


def values_of(feature, own):
    """Every value that a box might hold: the grid's, and the person's own."""
    grid = Grid.of(feature)
    a, b = grid.keys([feature.lower, feature.upper])
    return np.unique(np.append(grid.values(np.arange(a, b + 1)), own))


def person(rng, schema):
    row = []
    for f in schema:
        value = float(rng.choice(values_of(f, f.lower)))
        if f.step != 1.0 and rng.random() < 0.2:
            value = round(value + f.step / 3, 3)  # between two values of the grid, or beyond it
        if f.when_missing != "refuse" and rng.random() < 0.3:
            value = MISSING
        row.append(value)
    return np.array(row)


def promises(rng, schema, n):
    """Boxes around admissible points, some wide and some narrow."""
    X, Y, lower, upper, sets = [], [], [], [], []
    for _ in range(50 * n):
        x = person(rng, schema)
        listed = [values_of(f, own) for f, own in zip(schema, x, strict=True)]
        pairs = zip(listed, x, strict=True)
        y = np.array([v if rng.random() < 0.4 else rng.choice(a) for a, v in pairs])
        if len(X) == n:
            break
        if not schema.admits(x, y):
            continue
        some = [np.sort(rng.choice(a[np.isfinite(a)], 2)) for a in listed]
        low = np.array([min(v, s[0]) for v, s in zip(y, some, strict=True)])
        high = np.array([max(v, s[1]) for v, s in zip(y, some, strict=True)])
        still = y == MISSING
        X.append(x)
        Y.append(y)
        lower.append(np.where(still, MISSING, low))
        upper.append(np.where(still, MISSING, high))
        sets.append(
            {
                j: np.unique([y[j], *(c for c in a if rng.random() < 0.6 and c != MISSING)])
                for j, (f, a) in enumerate(zip(schema, listed, strict=True))
                if f.kind == "nominal"
            }
        )
    shape = (-1, len(schema))
    ends = (np.array(lower).reshape(shape), np.array(upper).reshape(shape))
    boxes = Boxes.of_sets(schema, *ends, sets)
    facts = pd.DataFrame(FACTS, index=pd.RangeIndex(len(X), name="promise"))
    return Promises(schema, np.array(X).reshape(shape), np.array(Y).reshape(shape), boxes, facts)


def points_of(promises, i):
    """Every admissible point of promise i's box."""
    x, schema = promises.factual[i], promises.schema
    listed = [values_of(f, own) for f, own in zip(schema, x, strict=True)]
    points = every(listed)
    box = promises.boxes[np.full(len(points), i)]
    return points[box.contains(points) & schema.admits(np.tile(x, (len(points), 1)), points)]


def faults(seed):
    """What is wrong with the verdicts about some random promises, and what was left undecided."""
    rng = np.random.default_rng(seed)
    inputs = schema(rng)
    judge, promised = model(rng, inputs), promises(rng, inputs, 6)
    found = Judge.of(judge, inputs, nodes=5000).judge(promised)
    wrong, undecided = [], []
    for i, value in enumerate(found.verdicts):
        points, verdict = points_of(promised, i), Verdict(value)
        accepted, good = judge.accepts(points), bool(judge.accepts(promised.point[[i]])[0])
        worst = found.evidence[[i]]
        several = isinstance(judge, sf.Unanimous | sf.Segmented)
        checks = {
            "broken although the advice is accepted": (verdict is Verdict.BROKEN) == (not good),
            "kept although a point is refused": verdict is not Verdict.KEPT or accepted.all(),
            "evidence that is accepted": not found.shown[i] or not judge.accepts(worst)[0],
            "evidence outside the box": not found.shown[i] or (points == worst).all(axis=1).any(),
            "void although a point is accepted": not found.void[i] or not accepted.any(),
        }
        proven = {
            "undecided": verdict is not Verdict.AT_RISK or found.shown[i],
            "not shown to be void": good or several or found.void[i] or accepted.any(),
        }
        wrong += [f"promise {i}: {what}" for what, right in checks.items() if not right]
        undecided += [f"promise {i}: {what}" for what, sure in proven.items() if not sure]
    return wrong, undecided
