"""Small random problems with categories, transitions, gaps and tokens, and all that is admitted."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from samples.every import every
from standfast import Additive, Feature, MinimalCost, Percentiles, Schema, TreeEnsemble, Unanimous
from standfast.readers.cells import Cells, Table, trees_of
from standfast.recommendations import Recommendations
from standfast.schema.categories import MISSING
from standfast.scores import Paired, Score
from standfast.scores.score import Matrix, Vector, surely_accepts
from standfast.scores.unfolding import Branching, Question, unfold

ROWS = 12


def feature(rng: np.random.Generator, name: str) -> Feature:
    """An input of any kind, with what its kind may have."""
    kind = str(rng.choice(["nominal", "count", "ordinal", "real"], p=[0.45, 0.25, 0.15, 0.15]))
    when = str(rng.choice(["refuse", "keep", "fill"], p=[0.5, 0.2, 0.3]))
    more: dict[str, Any] = {"when_missing": when, "mutable": bool(rng.random() < 0.85)}
    if when == "fill" and rng.random() < 0.5:
        more["fill_price"] = float(rng.choice([0.1, 0.3, 0.9]))
    if kind in ("nominal", "ordinal"):
        names = [f"c{i}" for i in rng.permutation(int(rng.integers(2, 6)))]
        more["categories"] = names
        more["missing"] = ["?"] if when != "refuse" and rng.random() < 0.5 else []
    else:
        more |= {"lower": 0, "upper": int(rng.integers(2, 7)), "step": 1}
        token = int(rng.choice([-9, 1, 99]))  # below, among and above the others
        more["missing"] = [token] if when != "refuse" and rng.random() < 0.5 else []
    if kind == "nominal":
        more |= _prices(rng, more["categories"])
    else:
        more["direction"] = str(rng.choice(["any", "up", "down"]))
    return Feature(name, kind, **more)  # type: ignore[arg-type]


def _prices(rng: np.random.Generator, names: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"price": float(rng.choice([0.2, 0.7]))} if rng.random() < 0.3 else {}
    if rng.random() < 0.5:
        found["transitions"] = {}
        for source in names:
            targets = [to for to in names if to != source and rng.random() < 0.7]
            if rng.random() < 0.8:
                priced = {to: float(rng.choice([0.1, 0.25, 0.5, 0.8])) for to in targets}
                found["transitions"][source] = priced if rng.random() < 0.6 else targets
    return found


def column(rng: np.random.Generator, f: Feature, rows: int = ROWS) -> "pd.Series[Any]":
    """Values of an input, gaps and tokens among them where the schema provides for that."""
    values: list[object] = list(f.categories or range(int(f.upper or 0) + 1))
    if f.when_missing != "refuse":
        values += [*f.missing, None]
    drawn = [values[i] for i in rng.integers(len(values), size=rows)]
    return pd.Series(drawn, dtype=object if f.coder is not None else float)


def trees(rng: np.random.Generator, schema: Schema) -> TreeEnsemble:
    """A few small trees that ask for sets of categories and send gaps either way."""
    questions: list[Question | None] = []
    values: list[float] = []

    def grow(depth: int) -> int:
        at = len(questions)
        questions.append(None)
        values.append(float(np.round(rng.normal(), 2)))
        if depth and rng.random() < 0.9:
            j = int(rng.integers(len(schema)))
            ways = grow(depth - 1), grow(depth - 1), bool(rng.integers(2))
            coder = schema.features[j].coder
            if schema.features[j].kind == "nominal" and coder is not None:
                questions[at] = Question(j, *ways, members=rng.random(len(coder.names)) < 0.5)
            else:
                questions[at] = Question(j, *ways, split=float(rng.choice([0, 1, 2, 3, 0.5, -8])))
        return at

    depth = int(rng.integers(1, 4))
    roots = [grow(depth) for _ in range(int(rng.integers(1, 4)))]
    nominal = frozenset(j for j, f in enumerate(schema) if f.kind == "nominal")
    plain = unfold(Branching(questions, values, roots), nominal)
    return TreeEnsemble(plain, len(schema), threshold=0.0, probability=False)


@dataclass(frozen=True, eq=False)
class Part:
    """One input's part of a sum: a number for each category, a weight otherwise, one for a gap."""

    entries: Vector | None
    weight: float
    gap: float

    @classmethod
    def drawn(cls, rng: np.random.Generator, f: Feature) -> "Part":
        """A random part for an input."""
        weight, gap = np.round(rng.normal(size=2) / 3, 2).tolist()
        entries = np.round(rng.normal(size=len(f.coder.names)), 2) if f.coder else None
        return cls(entries if f.kind == "nominal" else None, weight, gap)

    def __call__(self, x: Vector) -> Vector:
        """What values add."""
        known = np.isfinite(x)
        value = np.where(known, x, 0.0)
        if self.entries is None:
            return np.where(known, self.weight * value, self.gap)
        code = np.clip(value, 0, len(self.entries) - 1).astype(np.intp)
        return np.where(known, self.entries[code], self.gap)


def paired(rng: np.random.Generator, schema: Schema) -> Paired:
    """A table for each input, and for a pair or two of them."""
    cells = [
        Cells.of(f, [] if f.coder else rng.choice([0.0, 1.0, 2.0, 3.0, -5.0, 50.0], 3))
        for f in schema
    ]
    functions = [c.function(np.round(rng.normal(size=len(c)), 2)) for c in cells]
    pairs = [np.sort(rng.choice(len(schema), 2, replace=False)) for _ in range(rng.integers(1, 3))]
    tables = [
        Table(
            (int(a), int(b)),
            (cells[a], cells[b]),
            np.round(rng.normal(size=(len(cells[a]), len(cells[b]))) / 2, 2),
        )
        for a, b in pairs
    ]
    offset = float(np.round(rng.normal() - 0.5, 2))
    return Paired(functions, offset, trees_of(tables, schema.gapped))


def condition(rng: np.random.Generator, f: Feature) -> str:
    """What a rule may say about one input."""
    if f.kind == "nominal" and f.categories is not None:
        some = [str(c) for c in f.categories if rng.random() < 0.5] or [str(f.categories[0])]
        return f"{f.name} in ({', '.join(some)})"
    if f.categories is not None:
        return f"{f.name} >= {rng.choice(list(f.categories))}"
    return f"{f.name} {rng.choice(['<=', '>=', '!='])} {int(rng.integers(0, 4))}"


def laws(rng: np.random.Generator, features: tuple[Feature, ...]) -> Schema:
    """The inputs with a relation, a rule, or moves that go together."""
    numeric = [f.name for f in features if f.coder is None]
    several = len(numeric) >= 2
    relations = [f"{numeric[0]} <= {numeric[1]} + 1"] if several and rng.random() < 0.4 else []
    coupled = several and rng.random() < 0.15
    ways = {f.direction for f in features if f.name in numeric[:2] and f.mutable} - {"any"}
    # what must move together and may not is refused as a schema
    changes = [f"{numeric[0]} == {numeric[1]}"] if coupled and len(ways) < 2 else []
    rules = []
    if rng.random() < 0.4:
        a, b = (features[int(j)] for j in rng.choice(len(features), 2, replace=False))
        rules.append(f"if {condition(rng, a)} then {condition(rng, b)}")
    return Schema(features, tuple(relations), rules=tuple(rules), changes=tuple(changes))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, a model or two, and the method that searches them."""

    table: pd.DataFrame
    model: Score
    method: MinimalCost

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> "Problem":
        """A random problem with two to four inputs."""
        d = int(rng.integers(2, 5))
        schema = laws(rng, tuple(feature(rng, f"f{j}") for j in range(d)))
        table = pd.DataFrame({f.name: column(rng, f) for f in schema})
        for f in schema:  # a column without any known value is refused
            table.loc[0, f.name] = f.categories[0] if f.categories else 0
        which = str(rng.choice(["trees", "sum", "both", "paired"]))
        models: list[Score] = [trees(rng, schema)] if which in ("trees", "both") else []
        if which == "paired":
            models.append(paired(rng, schema))
        if which in ("sum", "both"):
            parts = [Part.drawn(rng, f) for f in schema]
            models.append(Additive(parts, float(np.round(rng.normal() - 0.5, 2))))
        cost: Any = rng.choice(["total", "total", "max", "log", "l1", "l2"])
        units = rng.choice([1.0, 2.5], d) if cost in ("l1", "l2") else None
        method = MinimalCost(schema, Percentiles.fit(table), cost=str(cost), units=units)  # type: ignore[arg-type]
        return cls(table, models[0] if len(models) == 1 else Unanimous(models), method)

    def admitted(self, x: Vector) -> Matrix:
        """Every point that the schema admits for a person."""
        domain = self.method.domain
        values = [
            sorted({float(v), *np.arange(f.lower or 0.0, (f.upper or 0.0) + 1.0).tolist()})
            for f, v in zip(domain, x, strict=True)
        ]
        points = every(values)
        return points[domain.admits(np.broadcast_to(x, points.shape), points)]

    def cheapest(self, x: Vector) -> float:
        """The least cost of any admitted and accepted point; infinite if there is none."""
        points = self.admitted(x)
        accepted = points[surely_accepts(self.model, points)]
        if not len(accepted):
            return np.inf
        return float(self.method.price(np.broadcast_to(x, accepted.shape), accepted).min())


def faults(problem: Problem, found: Recommendations) -> list[str]:
    """What brute force has to say against the answers of an exact search; people with gaps too."""
    wrong = []
    X, Y = found.matrices()
    for i, outcome in enumerate(found.outcome):
        if outcome in ("already_favourable", "outside_schema"):
            continue
        best, cost = problem.cheapest(X[i]), float(found.cost.iloc[i])
        proven = "infeasible" if np.isinf(best) else "minimal"
        if outcome != proven:
            wrong.append(f"person {i} is {outcome}, the least cost is {best}")
        elif outcome == "minimal" and abs(cost - best) > 1e-9:
            wrong.append(f"person {i} is advised at {cost}, the least cost is {best}")
        became_missing = (Y[i] == MISSING) & (X[i] != MISSING)
        if outcome == "minimal" and became_missing.any():
            wrong.append(f"person {i} is to become missing")
    return wrong
