"""Random small problems whose inputs are coupled, and their optimum by trying every point."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import standfast as sf
from standfast.scores.score import LOGISTIC, surely_accepts

RELATIONS = {
    2: ["a <= b", "a + b >= {s}", "a + b <= {s}", "2 * a - b >= -{s}", "b >= a", "a - b <= {s}"],
    3: ["a + b >= c", "a <= c", "b + c >= a", "a + b + c <= {s}", "a - b >= -{s}", "c <= 2 * b"],
    4: ["a + b >= c", "c <= d", "a <= b", "b <= d", "a + d >= {s}", "a + b + c + d <= {s}"],
}


@dataclass(frozen=True)
class Coupled:
    """A schema with relations, a reference table, and what must accept at what cost."""

    schema: sf.Schema
    table: pd.DataFrame
    model: sf.Score
    options: dict

    @cached_property
    def method(self):
        return sf.MinimalCost(self.schema, sf.Percentiles.fit(self.table), **self.options)

    @cached_property
    def completed(self):
        """The schema with the bounds and steps that the table gives it."""
        return self.schema.complete(self.table)

    def people(self, most):
        """Some people who obey the relations, first of all those who are refused."""
        X = self.schema.matrix(self.table)
        obey = np.array([not doubt for doubt in self.schema.doubts(X)])
        refused = ~surely_accepts(self.model, X)
        order = np.argsort(~refused[obey], kind="stable")
        return self.table[obey].iloc[order[:most]]

    def values(self, j, x):
        """Every value that the schema admits for input j of one person, the own one included."""
        f = self.completed.features[j]
        if not f.mutable:
            return np.array([x[j]])
        k = np.arange(np.ceil(f.lower / f.step - 1e-6), np.floor(f.upper / f.step + 1e-6) + 1)
        grid = np.round(k * f.step, 10)
        grid = grid[(grid >= f.lower) & (grid <= f.upper)]
        if f.direction != "any":
            grid = grid[grid >= x[j]] if f.direction == "up" else grid[grid <= x[j]]
        if f.least:
            grid = grid[np.abs(grid - x[j]) > f.least - 1e-7]
        return np.unique(np.append(grid, x[j]))

    def optimum(self, x, kept=()):
        """The least cost of any admissible point that the model surely accepts; NaN if none is."""
        grids = [x[[j]] if j in kept else self.values(j, x) for j in range(len(x))]
        points = np.array(np.meshgrid(*grids, indexing="ij")).reshape(len(x), -1).T
        kept = surely_accepts(self.model, points)
        points = points[kept]
        points = points[self.completed.admits(x, points)]
        if not len(points):
            return np.nan
        return float(self.method.price(np.broadcast_to(x, points.shape), points).min())


def coupled(rng, sizes=None):
    """A random problem of two to four coupled inputs with so many values each."""
    d = int(rng.integers(2, 5)) if sizes is None else len(sizes)
    most = {2: 60, 3: 16, 4: 8}[d]
    sizes = [int(rng.integers(3, most)) for _ in range(d)] if sizes is None else sizes
    names, n = "abcd"[:d], int(rng.integers(20, 120))
    steps = rng.choice([1.0, 5.0, 0.1, 100.0], d)
    columns = {}
    for name, size, step in zip(names, sizes, steps, strict=True):
        k = np.minimum(rng.geometric(min(rng.uniform(1.0, 4.0) / size, 0.9), n), size) - 1
        columns[name] = np.round(k * step, 10)
    table = pd.DataFrame(columns)
    total = sum(size * step for size, step in zip(sizes, steps, strict=True))
    relations = []
    for _ in range(int(rng.integers(0, 4))):
        text = str(rng.choice(RELATIONS[d])).format(s=round(float(rng.uniform(0, 1) * total), 1))
        held = sf.Schema(tuple(map(sf.Feature, names)), (*relations, text)).half_spaces
        if (held.excess(table.to_numpy()) == 0).all(axis=1).mean() > 0.2:
            relations.append(text)
    features = []
    for j, (name, size, step) in enumerate(zip(names, sizes, steps, strict=True)):
        features.append(
            sf.Feature(
                name,
                mutable=bool(rng.random() < 0.8) or j == 0,
                direction=str(rng.choice(["any", "any", "any", "up", "down"])),
                lower=0.0,
                upper=float(np.round((size - 1) * step, 10)),
                step=float(step),
            )
        )
    schema = sf.Schema(tuple(features), tuple(dict.fromkeys(relations)))
    X = table.to_numpy()
    models = [_model(rng, X) for _ in range(int(rng.choice([1, 1, 2, 3])))]
    model = models[0] if len(models) == 1 else sf.Unanimous(tuple(models))
    return Coupled(schema, table, model, _cost(rng, steps))


EQUALITIES = {
    3: [("c == a + b",), ("c == a - b",), ("c == 2 * a + b",)],
    4: [("c == a + b", "d == a - b"), ("c == a + b", "d == c + a"), ("d == a + b + c",)],
}


def balanced(rng):
    """A random problem whose inputs are tied together by equalities, as accounts are."""
    d = int(rng.integers(3, 5))
    relations = EQUALITIES[d][int(rng.integers(3))]
    free, step = d - len(relations), float(rng.choice([1.0, 0.01, 100.0]))
    sizes = [int(rng.integers(4, {2: 16, 3: 8}[free])) for _ in range(free)]
    n = int(rng.integers(30, 120))
    k = {
        name: np.minimum(rng.geometric(min(rng.uniform(1.0, 4.0) / size, 0.9), n), size) - 1
        for name, size in zip("abc", sizes, strict=False)
    }
    for relation in relations:
        name, made = relation.split(" == ")
        k[name] = eval(made, {}, dict(k))
    table = pd.DataFrame({name: np.round(k[name] * step, 10) for name in "abcd"[:d]})
    ways = rng.choice(["any", "any", "any", "any", "up", "down"], d)
    fixed = int(rng.integers(d)) if rng.random() < 0.3 else -1

    def schema(directed):
        """The schema, with directions if these leave a move."""
        features = [
            sf.Feature(
                name,
                mutable=j != fixed,
                direction=str(ways[j]) if directed else "any",
                lower=float(table[name].min()),
                upper=float(table[name].max()),
                step=step,
            )
            for j, name in enumerate(table)
        ]
        changes = ("a == b",) if "a - b" in relations[-1] and rng.random() < 0.3 else ()
        return sf.Schema(tuple(features), relations, changes=changes)

    try:
        found = schema(directed=True)
    except sf.InputError:
        found = schema(directed=False)
    X = table.to_numpy()
    models = [_model(rng, X) for _ in range(int(rng.choice([1, 1, 2, 4])))]
    model = models[0] if len(models) == 1 else sf.Unanimous(tuple(models))
    options = _cost(rng, np.full(d, step))
    return Coupled(found, table, model, options)


def _cost(rng, steps):
    cost = str(rng.choice(["total", "total", "max", "log", "l1", "l2"]))
    options = {"cost": cost}
    if cost in ("l1", "l2"):
        options["units"] = list(np.round(rng.uniform(0.5, 2.0, len(steps)) * steps, 6))
    if cost in ("total", "log", "l1"):  # None is the usual price
        options["per_change"] = (0.0, 0.0, None, 0.0137, 0.05)[int(rng.integers(5))]
    return options


def _model(rng, X):
    d, kind = X.shape[1], rng.random()
    spread = X.std(axis=0) + 1e-9
    way = rng.normal(size=d) / spread
    if kind < 0.4:
        offset = -float(np.quantile(X @ way, rng.uniform(0.3, 0.99)))
        link = LOGISTIC if rng.random() < 0.5 else sf.Linear([1.0], 0.0).link
        return sf.Linear(way, offset, link, 0.5 if link is LOGISTIC else 0.0)
    if kind < 0.55:
        centre, bend = X.mean(axis=0), rng.normal(size=d)
        functions = [
            (lambda v, c=c, s=s, w=w, b=b: w * v + b * np.cos((v - c) / s * 2.0))
            for c, s, w, b in zip(centre, spread, way, bend, strict=True)
        ]
        model = sf.Additive(functions, 0.0)
        return sf.Additive(functions, -float(np.quantile(model.raw(X), rng.uniform(0.3, 0.95))))
    y = np.where(X @ way + rng.normal(size=len(X)) > np.quantile(X @ way, 0.5), 1, -1)
    if len(set(y)) < 2:
        y[0] = -y[0]
    names = list("abcd"[:d])
    schema = sf.Schema(tuple(sf.Feature(name) for name in names))
    seed = int(rng.integers(1 << 30))
    if kind < 0.8:
        estimator = DecisionTreeClassifier(max_depth=3, random_state=seed)
    else:
        estimator = RandomForestClassifier(4, max_depth=3, random_state=seed)
    estimator.fit(pd.DataFrame(X, columns=names), y)
    return sf.as_score(
        estimator, schema, favourable=1, threshold=float(rng.choice([0.3, 0.5, 0.7]))
    )


def disagreement(problem, x, outcome, cost, lower_bound, kept=()):
    """What is wrong with an answer, or '' if trying every point says the same."""
    best = problem.optimum(x, kept)
    if outcome in ("already_favourable", "outside_schema"):
        return ""
    if outcome == "infeasible":
        return "" if np.isnan(best) else f"called infeasible, but {best} is possible"
    if outcome == "minimal":
        if np.isnan(best):
            return f"minimal at {cost}, but nothing is possible"
        return (
            "" if abs(best - cost) <= 1e-7 * max(1.0, best) else f"minimal at {cost}, best {best}"
        )
    if not np.isnan(best) and lower_bound > best + 1e-7 * max(1.0, best):
        return f"lower bound {lower_bound} above {best}"
    return ""
