"""The exact search against brute force: every admissible point of small worlds is tried."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lightgbm import LGBMClassifier
from samples.every import every
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

import standfast as sf
from standfast.recommendations.causes import ActionGrid
from standfast.scores.score import IDENTITY, LOGISTIC
from standfast.scores.tree_ensemble import Trees

CLEARANCE = 1e-9  # a search asks for this much more than a margin
CHANGE = 1e-9  # what a change weighs in the search, so that of equal costs the fewest win
NEAR = 1e-9


class Dice:
    """Choices from a seed, or from hypothesis, which can then shrink them."""

    def __init__(self, integer):
        self.integer = integer

    @classmethod
    def seeded(cls, seed):
        rng = np.random.default_rng(seed)
        return cls(lambda a, b: int(rng.integers(a, b + 1)))

    @classmethod
    def drawn(cls, data):
        return cls(lambda a, b: data.draw(st.integers(a, b)))

    def pick(self, options):
        return options[self.integer(0, len(options) - 1)]

    def once_in(self, n):
        return self.integer(1, n) == n


@dataclass(frozen=True)
class Steps:
    """A function of one input that is flat between its cuts."""

    cuts: tuple[float, ...]
    heights: tuple[float, ...]

    def __call__(self, values):
        return np.array(self.heights)[np.searchsorted(self.cuts, values)]


@dataclass(frozen=True)
class Problem:
    schema: sf.Schema
    table: pd.DataFrame
    people: pd.DataFrame
    members: tuple[tuple[sf.Score, float], ...]
    options: dict

    @property
    def model(self):
        scores, margins = zip(*self.members, strict=True)
        return sf.Unanimous(scores, margins)

    @cached_property
    def method(self):
        return sf.MinimalCost(self.schema, sf.Percentiles.fit(self.table), **self.options)

    @property
    def asked(self):
        """Every score with all that is asked of it, the method's margin and support included."""
        common, support = self.options.get("margin", 0.0), self.options.get("support")
        asked = [(score, margin + common) for score, margin in self.members]
        return asked if support is None else [*asked, (support, 0.0)]

    def cuts(self, j):
        """Where the trees split input j."""
        forests = [m.trees for m, _ in self.asked if isinstance(m, sf.TreeEnsemble)]
        return np.unique(
            np.concatenate([[], *(t.split[~t.leaf & (t.feature == j)] for t in forests)])
        )

    def summed(self, j):
        """Whether a weighted sum reads input j: a linear or additive model, or a relation."""
        models = [m for m, _ in self.asked]
        read = any(isinstance(m, sf.Linear) and m.weights[j] != 0 for m in models)
        read |= any(isinstance(m, sf.Additive) for m in models)
        return read or bool(self.schema.half_spaces.A[:, j].any())


# small worlds


def grid(feature):
    """Every admissible value of a completed feature, by its step and bounds alone."""
    first, last = int(feature.lower // feature.step) - 1, int(feature.upper // feature.step) + 2
    values = [round(k * feature.step, feature.decimals) for k in range(first, last + 1)]
    return [v for v in values if feature.lower <= v <= feature.upper]


def drawn_feature(dice, name):
    kind = dice.pick(["count", "count", "binary", "ordinal", "real", "real", "positive"])
    step = dice.pick([0.1, 0.5, 0.25, 2.0]) if kind in ("real", "positive") else 1.0
    first = 0 if kind in ("count", "binary", "positive") else dice.integer(-2, 2)
    last = 1 if kind == "binary" else first + dice.integer(1, 5 if name < "x3" else 2)
    declared = dice.once_in(2)
    return sf.Feature(
        name,
        kind,
        mutable=not dice.once_in(8),
        direction=dice.pick(["any", "any", "any", "up", "down"]),
        lower=round(first * step, 2) if declared else None,
        upper=round(last * step, 2) if declared else None,
        step=step,
    ), [round(k * step, 2) for k in range(first, last + 1)]


def drawn_column(dice, values, feature, rows):
    """A column of the reference table: mostly all grid values, now and then off the grid."""
    if dice.once_in(4):
        values = values[: max(2, len(values) // 2)]
    column = [values[i % len(values)] for i in range(rows)]
    column += [dice.pick(values) for _ in range(rows)]
    if feature.step != 1.0 and dice.once_in(3):
        column = [min(round(v + feature.step / 3, 3), values[-1]) for v in column]
    return column


def drawn_value(dice, values, feature):
    """A person's own value: on the grid, between its values, or beyond the reference table."""
    value = dice.pick(values)
    where = dice.pick(["on", "on", "between", "beyond"])
    if where == "between" and feature.step != 1.0:
        value = round(value + feature.step / 3, 3)
    if where == "beyond" and feature.lower is None and feature.kind != "binary":
        value = round(value + dice.pick([-1, 1]) * 7 * feature.step, 3)
    if feature.kind in ("count", "positive"):
        value = max(value, 0.0)
    if feature.lower is not None:
        value = min(max(value, feature.lower), feature.upper)
    return value


def drawn_tree(dice, values, depth):
    """A leaf's value, or (input, split, left, right)."""
    if depth == 0 or dice.once_in(5):
        return dice.pick([0.0, 0.0, 0.25, 0.5, 1.0, -0.5])
    j = dice.integer(0, len(values) - 1)
    low, high = values[j][0], values[j][-1]
    step = values[j][1] - low
    split = dice.pick([*values[j], *(v + step / 2 for v in values[j]), low - step, high + 3 * step])
    return (j, split, drawn_tree(dice, values, depth - 1), drawn_tree(dice, values, depth - 1))


def trees_of(nested):
    """Nested tuples as flat arrays, level by level."""
    nodes, roots, depths = [], [], []
    for tree in nested:
        roots.append(len(nodes))
        nodes.append([0, np.inf, len(nodes), 0.0])
        depth, waiting = 0, [(len(nodes) - 1, tree)]
        while waiting:
            below = []
            for i, node in waiting:
                if not isinstance(node, tuple):
                    nodes[i][3] = node
                    continue
                j, split, *children = node
                nodes[i][:3] = [j, split, len(nodes)]
                for child in children:
                    below.append((len(nodes), child))
                    nodes.append([0, np.inf, len(nodes), 0.0])
            depth, waiting = depth + bool(below), below
        depths.append(depth)
    feature, split, left, value = (np.array(column) for column in zip(*nodes, strict=True))
    missing = np.ones(len(nodes), dtype=bool)
    return Trees(feature, split, left, missing, value, np.array(roots), np.array(depths))


def drawn_score(dice, values, kinds):
    """A model without a threshold of its own yet; picky scorecards refuse some values outright."""
    kind, d = dice.pick(kinds), len(values)
    link = dice.pick([IDENTITY, IDENTITY, LOGISTIC])
    offset = dice.pick([0.0, 0.3, -1.0])
    middle = 0.5 if link == LOGISTIC else 0.0
    if kind in ("trees", "stumps"):
        count, deepest = (dice.integer(1, 6), 3) if kind == "trees" else (8, 1)
        nested = [drawn_tree(dice, values, dice.integer(1, deepest)) for _ in range(count)]
        divisor = dice.pick([1.0, float(len(nested))])
        trees = trees_of(nested)
        return sf.TreeEnsemble(trees, d, middle, link, link == LOGISTIC, offset, divisor)
    if kind == "linear":
        weights = [dice.pick([0.0, 1.0, -1.0, 0.5, 2.0, -0.3]) for _ in range(d)]
        return sf.Linear(weights, offset, link, middle)
    functions = []
    for column in values:
        cuts = sorted({dice.pick(column) + 0.01 for _ in range(dice.integer(1, 3))})
        shown = [0.0, 0.5, 1.0, -1.0, 0.2, *([-np.inf] if kind == "picky" else [])]
        heights = [dice.pick(shown) for _ in range(len(cuts) + 1)]
        functions.append(Steps(tuple(cuts), tuple(heights)))
    return sf.Additive(functions, offset, link, middle)


def demanding(dice, models, reach, easy):
    """The models with thresholds that refuse the first point of a reach and mostly allow another.

    A threshold is one of the model's own values, so that points lie on the boundary, or between.
    """
    shown = [(m.score(reach) + m.threshold).round(12) for m in models]
    rank = np.min([np.searchsorted(np.sort(t), t) for t in shown], axis=0)
    goal = int(np.argmax(rank)) if not dice.once_in(5) else dice.integer(0, len(reach) - 1)
    asked = []
    for model, t in zip(models, shown, strict=True):
        levels = np.unique(t[np.isfinite(t)]) if np.isfinite(t).any() else np.zeros(1)
        between = levels[(levels >= t[0]) & (levels < t[goal])]
        if not len(between):
            between = levels[levels < t[goal]] if (levels < t[goal]).any() else levels
        level = between[0 if easy else -1 - dice.integer(0, (len(between) - 1) // 2)]
        if dice.once_in(2):
            level = (level + levels[min(np.searchsorted(levels, level) + 1, len(levels) - 1)]) / 2
        level = min(max(level, 0.01), 0.99) if model.link == LOGISTIC else level
        asked.append(replace(model, threshold=float(level)))
    return asked


def drawn_problem(dice, kinds=("trees", "trees", "linear", "additive"), most=3, easy=False):
    """A small world; an easy one asks little more of its first person, who may change much."""
    d = dice.pick([3, 4, 5] if easy else [1, 2, 3, 4, 4, 5, 5])
    drawn = [drawn_feature(dice, f"x{j}") for j in range(d)]
    features, values = [f for f, _ in drawn], [v for _, v in drawn]
    if easy:
        features = [replace(f, mutable=True, direction="any") for f in features]
    relations = []
    if d > 1 and dice.once_in(8 if easy else 3):
        bound = values[0][-1] + values[1][0]
        relations = dice.pick(
            [
                ["x0 <= x1"],
                ["x1 >= x0"],
                [f"x0 + x1 <= {bound}"],
                [f"2 * x0 - x1 >= {values[0][0]}"],
            ]
        )
    rows = dice.integer(6, 20)
    table = pd.DataFrame(
        {f.name: drawn_column(dice, v, f, rows) for f, v in zip(features, values, strict=True)}
    )
    people = pd.DataFrame(
        [
            [drawn_value(dice, v, f) for f, v in zip(features, values, strict=True)]
            for _ in range(4)
        ],
        columns=[f.name for f in features],
    )
    schema = sf.Schema(features, relations)
    count = dice.pick([1, 1, 1, most]) if easy else dice.integer(1, most)
    models = [drawn_score(dice, values, kinds) for _ in range(count)]
    cost = dice.pick(["total", "max", "log", "l1", "l2"])
    options = {"cost": cost}
    if cost in ("l1", "l2"):
        options["units"] = [dice.pick([1.0, 0.5, 3.0]) for _ in range(d)]
    if cost not in ("max", "l2"):
        options["per_change"] = dice.pick([0.0, 0.0, None, 0.0137, 0.15])
    supported = not easy and dice.once_in(5)
    models += [drawn_score(dice, values, ["trees"])] if supported else []
    x = people.iloc[0].to_numpy(dtype=float)
    domain = schema.complete(table)
    models = demanding(dice, models, reach_of(domain, x, [grid(f) for f in domain]), easy)
    if supported:
        options["support"] = models.pop()
    if dice.once_in(5) and all(m.probability for m in models):
        options["margin"] = 0.02
    members = tuple((m, dice.pick([0.0, 0.0, 0.02, -0.05])) for m in models)
    return Problem(schema, table, people, members, options)


# brute force


def clearance(score):
    single = isinstance(score, sf.TreeEnsemble) and score.single
    return 1e-6 if single else CLEARANCE


def offered(problem, feature, j, own):
    """The part of the grid that the lattice must hold."""
    values, cuts = np.array(grid(feature)), problem.cuts(j)
    if not problem.summed(j):  # one value for each cell that trees tell apart, but for one's own
        return values[np.searchsorted(cuts, values) != np.searchsorted(cuts, own)]
    if feature.kind in ("count", "binary", "ordinal") or not isinstance(problem, LinearProblem):
        return values  # everything that the schema admits; actionable recourse has an action grid
    actions = np.unique(problem.table[feature.name])  # below 100 rows each is some percentile
    kept = {v for a in actions for v in values if abs(v - a) < feature.step * (1 - 1e-9)}
    for cut in cuts:
        kept |= {*values[values <= cut][-1:], *values[values > cut][:1]}
    return np.array(sorted({*kept, *values[:1], *values[-1:]}))


@dataclass(frozen=True)
class Truth:
    """All points a person may be sent to that everybody accepts, with what each costs."""

    points: np.ndarray
    cost: np.ndarray
    rank: np.ndarray  # what the search minimises: the cost, then the fewest changes

    @property
    def feasible(self):
        return len(self.points) > 0


def restricted(truth, kept):
    return Truth(truth.points[kept], truth.cost[kept], truth.rank[kept])


def place(problem, j, values):
    """Where values stand on the scale of the cost, from the table itself."""
    kind, units = problem.options["cost"], problem.options.get("units")
    if units:
        return np.asarray(values) / units[j]
    column = problem.table.iloc[:, j].to_numpy(dtype=float)
    share = np.array([(column <= v).mean() for v in np.atleast_1d(values)])
    return (
        -np.log(1 - np.minimum(share, len(column) / (len(column) + 1))) if kind == "log" else share
    )


def priced(problem, x, points):
    """Each point's cost as reported, and its rank in the search."""
    moves = np.empty(points.shape)
    for j in range(points.shape[1]):
        distinct, back = np.unique(points[:, j], return_inverse=True)
        moves[:, j] = np.abs(place(problem, j, distinct) - place(problem, j, x[j : j + 1]))[back]
    changes = (points != x).sum(axis=1)
    kind = problem.options["cost"]
    each = problem.options.get("per_change", 0.0)
    if each is None:  # the usual price
        each = 0.01 if kind in ("total", "log") else 0.0
    extra = each * changes
    rank = CHANGE * changes
    if kind == "max":
        return moves.max(axis=1), moves.sum(axis=1) + rank
    if kind == "l2":
        return np.sqrt((moves**2).sum(axis=1)), (moves**2).sum(axis=1) + rank
    return moves.sum(axis=1) + extra, moves.sum(axis=1) + extra + rank


def reach_of(domain, x, columns):
    """Every combination of the columns' values that person x may be sent to, x itself first."""
    choices = []
    for j, feature in enumerate(domain):
        moved = [v for v in columns[j] if feature.mutable and v != x[j]]
        moved = [v for v in moved if feature.direction != "up" or v > x[j]]
        moved = [v for v in moved if feature.direction != "down" or v < x[j]]
        choices.append([x[j], *moved])
    points = every(choices)
    return points[domain.admits(x, points) | (points == x).all(axis=1)]


def tried(problem, x, columns):
    """The points in reach that all the models accept."""
    points = reach_of(problem.method.domain, x, columns)
    kept = problem.method.domain.admits(x, points)
    for score, margin in problem.asked:
        kept &= score.score(points) > margin + clearance(score)
    points = points[kept]
    return Truth(points, *priced(problem, x, points))


def both_truths(problem, x):
    """Brute force over the whole grid, and over what the lattice holds for certain.

    Where the reference table holds every value of the grid, as most of them do, the two are one.
    """
    domain = problem.method.domain
    full = tried(problem, x, [grid(f) for f in domain])
    certain = np.ones(len(full.points), dtype=bool)
    for j, feature in enumerate(domain):
        certain &= np.isin(full.points[:, j], [x[j], *offered(problem, feature, j, x[j])])
    return full, restricted(full, certain)


def refused(problem):
    """The people who are to be advised: row number and values."""
    X = problem.schema.matrix(problem.people)
    doubted = [bool(doubt) for doubt in problem.schema.doubts(X)]
    favourable = np.all([score.score(X) > margin for score, margin in problem.members], axis=0)
    return [(i, X[i]) for i in np.flatnonzero(~favourable & ~np.array(doubted))]


def ended(recs, i):
    """Outcome, cost and lower bound of one person."""
    return tuple(recs.results[name].iloc[i] for name in ("outcome", "cost", "lower_bound"))


def check(problem, recs):
    """How many people's answers were compared; fails where one is not what brute force gives."""
    asked = refused(problem)
    others = set(recs.outcome) - {"minimal", "infeasible"}
    assert others <= {"already_favourable", "outside_schema"}, recs.explanations().tolist()
    assert recs.outcome.isin(["minimal", "infeasible"]).sum() == len(asked)
    for i, x in asked:
        outcome, cost, bound = ended(recs, i)
        full, sure = both_truths(problem, x)
        if outcome == "infeasible":
            assert not sure.feasible
            assert bound == np.inf
            continue
        assert full.feasible
        assert bound == pytest.approx(cost, abs=NEAR)
        point = recs.counterfactual.iloc[i].to_numpy(dtype=float)
        check_point(problem, x, point, cost, full, sure)
    return len(asked)


def check_point(problem, x, point, cost, full, sure):
    """The point is admitted, accepted, attains its cost; nothing cheaper or with fewer changes."""
    assert (full.points == point).all(axis=1).any()
    (attained,), (rank,) = priced(problem, x, point[None])
    assert cost == pytest.approx(attained, abs=NEAR)
    assert cost >= full.cost.min() - NEAR
    if sure.feasible:
        assert cost <= sure.cost.min() + NEAR
    if problem.options["cost"] == "max":
        full, sure = (
            replace(t, rank=np.where(t.cost <= cost + 1e-12, t.rank, np.inf)) for t in (full, sure)
        )
    assert rank >= full.rank.min() - 1e-12
    if sure.feasible:
        assert rank <= sure.rank.min() + 1e-12


@pytest.mark.parametrize("batch", range(5))
def test_no_admissible_point_is_cheaper_and_none_as_cheap_changes_less(batch):
    compared = 0
    for seed in range(60 * batch, 60 * batch + 60):
        problem = drawn_problem(Dice.seeded(seed))
        recs = sf.recommend(problem.method, problem.model, problem.people)
        compared += check(problem, recs)
    assert compared > 60


@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_problem_that_hypothesis_thinks_of_has_a_cheaper_answer(data):
    problem = drawn_problem(Dice.drawn(data))
    check(problem, sf.recommend(problem.method, problem.model, problem.people))


@pytest.mark.parametrize("batch", range(2))
def test_a_scorecard_that_refuses_some_values_outright_is_no_obstacle(batch):
    compared = 0
    for seed in range(60 * batch, 60 * batch + 60):
        problem = drawn_problem(Dice.seeded(seed), kinds=("picky", "picky", "trees"), most=2)
        compared += check(problem, sf.recommend(problem.method, problem.model, problem.people))
    assert compared > 60


GROWN = {
    "random forest": lambda: RandomForestClassifier(6, max_depth=3, random_state=0),
    "a fully grown forest": lambda: RandomForestClassifier(3, random_state=1),
    "extra trees": lambda: ExtraTreesClassifier(6, max_depth=4, random_state=0),
    "gradient boosting": lambda: GradientBoostingClassifier(n_estimators=8, random_state=0),
    "histogram boosting": lambda: HistGradientBoostingClassifier(max_iter=6, min_samples_leaf=5),
    "a tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "xgboost": lambda: XGBClassifier(n_estimators=6, max_depth=3, n_jobs=1),
    "lightgbm": lambda: LGBMClassifier(
        n_estimators=6, num_leaves=6, min_child_samples=5, verbose=-1, n_jobs=1
    ),
}


@pytest.mark.parametrize("grown", GROWN)
def test_grown_trees_alone_and_beside_a_linear_model_are_solved_exactly(grown):
    compared = 0
    for seed in range(6):
        dice, rng = Dice.seeded(seed), np.random.default_rng(seed)
        problem = drawn_problem(dice, kinds=("linear",), most=1)
        people = problem.table.sample(60, replace=True, random_state=seed)
        merit = people.to_numpy() @ rng.normal(size=people.shape[1]) + rng.normal(size=60)
        labels = (merit > np.median(merit)).astype(int)
        fitted = GROWN[grown]().fit(people, labels)
        trees = sf.as_score(fitted, problem.schema, favourable=1, threshold=0.55)
        assert isinstance(trees, sf.TreeEnsemble)
        for members in [((trees, 0.0),), ((trees, 0.01), *problem.members)]:
            asked = replace(problem, members=members)
            compared += check(asked, sf.recommend(asked.method, asked.model, asked.people))
    assert compared > 20


# several ways


def allowed(points, x, sets, nested):
    """Which points change inputs that the earlier sets permit."""
    changed = points != x
    kept = np.ones(len(points), dtype=bool)
    for s in sets:
        if nested:
            kept &= ~(changed | ~s).all(axis=1) & ~(~changed | s).all(axis=1)
        else:
            kept &= (changed != s).any(axis=1)
    return kept


def check_flipsets(problem, recs, ways, nested):
    """Each way is the cheapest that the ways before it leave; returns how many were compared."""
    compared = 0
    for i, x in refused(problem):
        full, sure = both_truths(problem, x)
        if recs.outcome.iloc[i] in ("infeasible", "exhausted"):
            on_grid = recs.results["cause"].iloc[i] == ActionGrid()
            assert recs.outcome.iloc[i] == "infeasible" or on_grid
            assert not sure.feasible
            continue
        found = recs.alternatives[recs.alternatives["person"] == recs.index[i]]
        points = found[list(problem.schema.names)].to_numpy(dtype=float)
        assert found["rank"].tolist() == list(range(1, len(found) + 1))
        assert found["cost"].is_monotonic_increasing or np.diff(found["cost"]).min() > -NEAR
        assert (found["outcome"] == "minimal").all()
        assert points[0].tolist() == recs.counterfactual.iloc[i].astype(float).tolist()
        sets = []
        for point, cost in zip(points, found["cost"], strict=True):
            left = [restricted(t, allowed(t.points, x, sets, nested)) for t in (full, sure)]
            check_point(problem, x, point, cost, *left)
            sets.append(point != x)
        if len(found) < ways:
            assert not allowed(sure.points, x, sets, nested).any()
        compared += len(found) - 1
    return compared


def test_every_further_way_is_the_cheapest_that_neither_contains_nor_extends_another():
    compared = 0
    for seed in range(160):
        kinds = ("stumps", "stumps", "stumps", "trees", "linear")
        problem = drawn_problem(Dice.seeded(seed), kinds=kinds, most=2, easy=True)
        problem = replace(problem, options=problem.options | {"alternatives": 4})
        recs = sf.recommend(problem.method, problem.model, problem.people)
        compared += check_flipsets(problem, recs, 4, nested=True)
    assert compared > 100


@dataclass(frozen=True)
class LinearProblem(Problem):
    """A problem whose method is actionable recourse."""

    published: bool = False

    @cached_property
    def method(self):
        q, cost = sf.Percentiles.fit(self.table), self.options["cost"]
        if self.published:
            return sf.ActionableRecourse.as_published(self.schema, q, cost, alternatives=4)
        return sf.ActionableRecourse(self.schema, q, cost, alternatives=4)


@pytest.mark.parametrize("published", [False, True])
def test_flipsets_of_linear_models_hold_the_cheapest_ways_that_differ(published):
    compared = 0
    for seed in range(60):
        kinds = ("linear", "linear", "additive")
        drawn = drawn_problem(Dice.seeded(seed), kinds=kinds, most=2, easy=True)
        cost = ("total", "max", "log")[seed % 3]
        problem = LinearProblem(
            drawn.schema, drawn.table, drawn.people, drawn.members, {"cost": cost}, published
        )
        recs = sf.recommend(problem.method, problem.model, problem.people)
        if recs.alternatives is not None:
            compared += check_flipsets(problem, recs, 4, nested=not published)
    assert compared > 30


# honest endings


@pytest.fixture(scope="module")
def solved_by_force():
    """Problems, and for each refused person all there is: no limit of a search changes it."""
    problems = [drawn_problem(Dice.seeded(seed), most=4) for seed in range(40)]
    return [(p, [(i, x, *both_truths(p, x)) for i, x in refused(p)]) for p in problems]


@pytest.mark.parametrize("boxes", [1, 2, 3, 5, 10, 50])
def test_at_every_limit_the_optimum_lies_between_the_lower_bound_and_the_cost(
    boxes, solved_by_force
):
    endings = set()
    for unlimited, people in solved_by_force:
        problem = replace(unlimited, options=unlimited.options | {"boxes": boxes})
        recs = sf.recommend(problem.method, problem.model, problem.people)
        for i, x, full, sure in people:
            outcome, cost, bound = ended(recs, i)
            endings.add(outcome)
            if outcome == "infeasible":
                assert not sure.feasible
                assert bound == np.inf
                continue
            assert outcome in ("minimal", "within_gap", "exhausted")
            assert bound >= 0.0
            if sure.feasible:
                assert bound <= sure.cost.min() + NEAR
            if outcome == "exhausted":
                assert np.isnan(cost)
                assert recs.results["cause"].iloc[i].boxes == boxes
                continue
            point = recs.counterfactual.iloc[i].to_numpy(dtype=float)
            assert (full.points == point).all(axis=1).any()
            assert cost == pytest.approx(priced(problem, x, point[None])[0][0], abs=NEAR)
            assert recs.gap.iloc[i] == pytest.approx((cost - bound) / cost if cost else 0.0)
            if outcome == "minimal":
                assert bound == pytest.approx(cost, abs=NEAR)
                assert not sure.feasible or cost <= sure.cost.min() + NEAR
    assert boxes < 10 or "minimal" in endings
    assert boxes > 1 or {"within_gap", "exhausted"} <= endings


def test_the_order_of_the_models_does_not_change_the_cost():
    for seed in range(60):
        problem = drawn_problem(Dice.seeded(seed), most=4)
        costs = []
        for members in (problem.members, problem.members[::-1], problem.members[1:] * 2):
            asked = {id(m): (m, margin) for m, margin in (*members, *problem.members)}
            turned = replace(problem, members=tuple(asked.values()))
            recs = sf.recommend(turned.method, turned.model, turned.people)
            costs.append(recs.cost.fillna(-1.0).to_numpy())
        assert np.ptp(costs, axis=0).max() <= NEAR


@pytest.mark.parametrize("cost", ["total", "max"])
def test_company_blocks_and_workers_do_not_change_the_point(cost):
    for seed in range(12):
        problem = drawn_problem(Dice.seeded(seed), most=3)
        method = replace(problem.method, cost=cost, units=None, per_change=0.0, alternatives=2)
        rng = np.random.default_rng(seed)
        people = problem.people.sample(30, replace=True, random_state=seed, ignore_index=True)
        people = people.apply(lambda column, rng=rng: rng.permutation(column.to_numpy()))
        alone = sf.Advisor(method, problem.model, block=1).recommend(people)
        turned = sf.Advisor(method, problem.model, block=7).recommend(people.iloc[::-1], jobs=2)
        for name in ("counterfactual", "alternatives"):
            one, other = getattr(alone, name), getattr(turned, name)
            if one is None:
                assert other is None
                continue
            if name == "alternatives":
                one, other = (t.set_index(["person", "rank"]) for t in (one, other))
            pd.testing.assert_frame_equal(one, other.loc[one.index], check_exact=True)
        assert alone.outcome.tolist() == turned.outcome.loc[alone.index].tolist()
