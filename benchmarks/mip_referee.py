"""An independent referee: the cheapest accepted point as a mixed-integer program for HiGHS.

Nested sums: u[j, k] says that input j stands at its level k or above, so u[j, k + 1] ≤ u[j, k], and
whatever depends on one input alone is affine in them: f(level) = f(0) + Σ_k (f(k) − f(k − 1)) u[k].
Each tree picks one leaf, y ≥ 0 and Σ y = 1. For every level k that bounds a leaf, the leaves below
it are open only if u[j, k] = 0, those from it on only if u[j, k] = 1:

    Σ_{high < k} y ≤ 1 − u[j, k]    and    Σ_{low ≥ k} y ≤ u[j, k],

sums that are nested in k. Where u is whole, so is y.

Nothing of the package's own search is used: levels and costs (`referee_lattice`) and the rows are
built anew.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import highspy
import numpy as np

from benchmarks.referee_lattice import Asked, Vector, lattice, open_values, priced, reachable
from standfast import Additive, Linear, Percentiles, Schema, Score, TreeEnsemble

# how much more than its margin a score must reach, as in the search
CLEARANCE, CLEARANCE_32 = 1e-9, 1e-6


@dataclass(frozen=True)
class Verdict:
    """What the solver could say: optimal, infeasible, or limit with the best found and a bound."""

    status: str
    cost: float
    bound: float
    point: Vector | None
    seconds: float


def solve(
    models: Asked,
    domain: Schema,
    percentiles: Percentiles,
    x: Vector,
    *,
    cost: str = "total",
    units: Sequence[float] | None = None,
    per_change: float = 0.0,
    actions: int = 100,
    levels: Sequence[Vector] | None = None,
    time_limit: float = 60.0,
) -> Verdict:
    """The cheapest point of the completed schema that every model accepts for person x.

    `levels` may give each input's values instead; the person's own are always among them.
    """
    began = time.monotonic()
    found = lattice(models, domain, percentiles, x, actions) if levels is None else levels
    values = [open_values(models, j, reachable(domain, x, j, v)) for j, v in enumerate(found)]
    if not all(len(v) for v in values):
        return Verdict("infeasible", np.nan, np.inf, None, time.monotonic() - began)
    prices = [
        priced(percentiles, j, v, x[j], cost, units) + per_change * (v != x[j])
        for j, v in enumerate(values)
    ]

    def holds(point: Vector) -> bool:
        stated = all(_accepts(model, margin, point) for model, margin in models)
        return stated and bool(domain.admits(x, point))

    shown: Callable[[float], float] = np.sqrt if cost == "l2" else float
    scale = max(float(price.max()) for price in prices) or 1.0
    while True:
        program = _written(models, domain, values, [p / scale for p in prices], cost == "max")
        status, chosen, bound = program.run(holds, began + time_limit)
        seconds = time.monotonic() - began
        if chosen is None:
            return Verdict(status, np.nan, shown(max(0.0, scale * bound)), None, seconds)
        point = np.array([v[k] for v, k in zip(values, chosen, strict=True)])
        moves = np.array([p[k] for p, k in zip(prices, chosen, strict=True)])
        reached = float(moves.max() if cost == "max" else moves.sum())
        if status == "limit" or reached > 0.01 * scale or reached == 0.0:
            bound = max(0.0, min(scale * bound, reached))
            return Verdict(status, shown(reached), shown(bound), point, seconds)
        # far below the dearest level the solver's tolerances blur: once more, in its own unit
        kept = [price <= reached for price in prices]
        values = [v[k] for v, k in zip(values, kept, strict=True)]
        prices = [p[k] for p, k in zip(prices, kept, strict=True)]
        scale = reached


def _written(
    models: Asked, domain: Schema, values: list[Vector], prices: list[Vector], maximal: bool
) -> "_Program":
    """The program: levels with their prices, a row per model and relation."""
    program = _Program(values)
    if maximal:
        most = program.column(1.0, np.inf)
        for j, price in enumerate(prices):
            constant, terms = program.along(j, price)
            program.row([*terms, (most, -1.0)], -np.inf, -constant)
    else:
        for j, price in enumerate(prices):
            program.minimise(j, price)
    for model, margin in models:
        program.demand(model, margin)
    for weights, bound in zip(domain.half_spaces.A, domain.half_spaces.b, strict=True):
        program.demand(Linear(-weights, bound), -CLEARANCE - 1e-12)
    return program


# rows


def _clearance(model: Score) -> float:
    return CLEARANCE_32 if isinstance(model, TreeEnsemble) and model.single else CLEARANCE


def _accepts(model: Score, margin: float, point: Vector) -> bool:
    return bool(model.score(point[None])[0] > margin + _clearance(model))


@dataclass
class _Program:
    """Columns, rows and objective while they are put together."""

    values: list[Vector]
    objective: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    entries: list[float] = field(default_factory=list)
    bounds: list[tuple[float, float]] = field(default_factory=list)
    constant: float = 0.0

    def __post_init__(self) -> None:
        counts = [len(v) - 1 for v in self.values]
        # level k ≥ 1 of input j is column first[j] + k
        self.first = [int(sum(counts[:j])) - 1 for j in range(len(counts))]
        self.whole = int(sum(counts))
        for _ in range(self.whole):
            self.column(0.0, 1.0)
        for first, count in zip(self.first, counts, strict=True):
            for k in range(1, count):
                self.row([(first + k + 1, 1.0), (first + k, -1.0)], -np.inf, 0.0)

    def column(self, objective: float, upper: float) -> int:
        self.objective.append(objective)
        self.upper.append(upper)
        return len(self.upper) - 1

    def row(self, terms: Sequence[tuple[int, float]], low: float, high: float) -> None:
        self.starts.append(len(self.columns))
        self.columns += [column for column, _ in terms]
        self.entries += [entry for _, entry in terms]
        self.bounds.append((low, high))

    def along(self, j: int, heights: Vector) -> tuple[float, list[tuple[int, float]]]:
        """A function of input j's level: its value at the lowest, and what each level adds."""
        steps = np.diff(heights)
        terms = [(self.first[j] + k, float(s)) for k, s in enumerate(steps, start=1) if s]
        return float(heights[0]), terms

    def minimise(self, j: int, price: Vector) -> None:
        constant, terms = self.along(j, price)
        self.constant += constant
        for column, step in terms:
            self.objective[column] += step

    def demand(self, model: Any, margin: float) -> None:
        """A row that asks a model for more than its margin."""
        need = model.cutoff(margin + _clearance(model))
        if need == -np.inf:
            return
        if isinstance(model, TreeEnsemble):
            need, terms = need * model.divisor - model.offset, []
            for t in range(len(model.trees.roots)):
                terms += self.tree(model, t)
        else:
            need, terms = need - model.offset, []
            for j, values in enumerate(self.values):
                stated = _contribution(model, j, values)
                constant, steps = self.along(j, stated)
                need, terms = need - constant, terms + steps
        self.row(terms, min(need, 1e20), np.inf)

    def tree(self, model: TreeEnsemble, t: int) -> list[tuple[int, float]]:
        """The leaves of one tree as columns with their values, and the rows that open them."""
        trees, leaves = model.trees, []
        stack: list[tuple[int, dict[int, tuple[int, int]]]] = [(int(trees.roots[t]), {})]
        while stack:
            node, box = stack.pop()
            if trees.left[node] == node:
                leaves.append((self.column(0.0, 1.0), float(trees.value[node]), box))
                continue
            j, left = int(trees.feature[node]), int(trees.left[node])
            low, high = box.get(j, (0, len(self.values[j]) - 1))
            k = int(np.searchsorted(self.values[j], trees.split[node], side="right"))
            if low < k:
                stack.append((left, {**box, j: (low, min(high, k - 1))}))
            if high >= k:
                stack.append((left + 1, {**box, j: (max(low, k), high)}))
        self.row([(leaf, 1.0) for leaf, _, _ in leaves], 1.0, 1.0)
        for j in {j for _, _, box in leaves for j in box}:
            spans = [(leaf, *box[j]) for leaf, _, box in leaves if j in box]
            last = len(self.values[j]) - 1
            for k in sorted({low for _, low, _ in spans} | {high + 1 for _, _, high in spans}):
                if 0 < k <= last:
                    u = self.first[j] + k
                    below = [(leaf, 1.0) for leaf, _, high in spans if high < k]
                    above = [(leaf, 1.0) for leaf, low, _ in spans if low >= k]
                    self.row([*below, (u, 1.0)], -np.inf, 1.0)
                    self.row([*above, (u, -1.0)], -np.inf, 0.0)
        return [(leaf, value) for leaf, value, _ in leaves if value]

    def run(
        self, holds: Callable[[Vector], bool], deadline: float
    ) -> tuple[str, list[int] | None, float]:
        """Status, levels chosen and bound; a point that only a tolerance allowed is cut off."""
        if not self.whole:  # nothing may change
            here = [0] * len(self.values)
            stands = holds(np.array([v[0] for v in self.values]))
            return ("optimal", here, 0.0) if stands else ("infeasible", None, np.inf)
        solver = highspy.Highs()
        for option, setting in (
            ("output_flag", False),
            ("threads", 1),
            ("mip_rel_gap", 0.0),
            ("mip_abs_gap", 1e-9),
        ):
            solver.setOptionValue(option, setting)
        solver.passModel(self.packed())
        while True:
            left = deadline - time.monotonic()
            if left <= 0.0:
                return "limit", None, 0.0
            solver.setOptionValue("time_limit", solver.getRunTime() + left)
            solver.run()
            ended = solver.getModelStatus()
            if ended in (
                highspy.HighsModelStatus.kInfeasible,
                highspy.HighsModelStatus.kUnboundedOrInfeasible,
            ):
                return "infeasible", None, np.inf
            info = solver.getInfo()
            optimal = ended == highspy.HighsModelStatus.kOptimal
            bound = info.mip_dual_bound
            if not optimal and info.primal_solution_status != 2:
                return "limit", None, bound
            u = np.rint(solver.getSolution().col_value[: self.whole])
            chosen = [
                int(u[first + 1 : first + len(v)].sum())
                for first, v in zip(self.first, self.values, strict=True)
            ]
            if holds(np.array([v[k] for v, k in zip(self.values, chosen, strict=True)])):
                return "optimal" if optimal else "limit", chosen, bound
            if not optimal:
                return "limit", None, bound
            signs = np.where(u > 0.5, -1.0, 1.0)
            solver.addRow(1.0 - u.sum(), np.inf, self.whole, np.arange(self.whole), signs)

    def packed(self) -> Any:
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(self.upper), len(self.bounds)
        lp.offset_ = self.constant
        lp.col_cost_ = np.array(self.objective)
        lp.col_lower_, lp.col_upper_ = np.zeros(len(self.upper)), np.array(self.upper)
        lp.row_lower_ = np.array([low for low, _ in self.bounds])
        lp.row_upper_ = np.array([high for _, high in self.bounds])
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = lp.num_col_, lp.num_row_
        lp.a_matrix_.start_ = np.array([*self.starts, len(self.columns)], dtype=np.int32)
        lp.a_matrix_.index_ = np.array(self.columns, dtype=np.int32)
        lp.a_matrix_.value_ = np.array(self.entries)
        whole, any_number = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
        rest = len(self.upper) - self.whole
        lp.integrality_ = [whole] * self.whole + [any_number] * rest
        return lp


def _contribution(model: Any, j: int, values: Vector) -> Vector:
    if isinstance(model, Linear):
        stated: Vector = values * model.weights[j]
        return stated
    if isinstance(model, Additive):
        return np.asarray(model.functions[j](values), dtype=np.float64)
    raise TypeError(
        f"the referee reads linear, additive and tree models, no {type(model).__name__}"
    )
