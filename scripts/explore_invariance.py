"""The frontier of cost against validity under fresh models, on the real sets, in numbers.

    STANDFAST_DATA=folder python scripts/explore_invariance.py heloc --cache folder [--people 40]

For refused test people: the optimum for the reference forest; its threshold raised, by one amount
for everybody and by the least amount that the choosing models accept for each person; unanimity
over K searching models; `Invariant` for several targets. Every answer is judged by fresh forests
that no method has seen. Four tables: every setting with its mean cost and validity; what Invariant
costs at the same validity on the people whom the setting answered, with intervals from resampling
people and models; Invariant in multiples of the optimum; and how it keeps its targets.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from standfast.methods.choice import Jurors
from standfast.methods.invariant import Invariant
from standfast.models.score import CLEARANCE

MARGINS = (0.0, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.125, 0.15, 0.175, 0.2, 0.25, 0.3)
UNANIMOUS = ((5, 0.0), (10, 0.0), (20, 0.0), (10, 0.02))
TARGETS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
SIZES = {"search": 100, "choose": 100, "certify": 200}
REPEATS = 1000
BOXES = 30_000  # for unanimity, which may take long on HELOC; the cost is then an upper bound
LEAVES = {"heloc": [5, 10, 20, 40], "give_me_some_credit": [10, 20, 50]}
DEPTHS = {"heloc": [4, 5, 6], "give_me_some_credit": [6, 7, 8]}


@dataclass(frozen=True, eq=False)
class World:
    """What is asked of whom: the reference, the fresh models and the refused people."""

    train: sf.datasets.Dataset
    fresh: sf.FreshModels
    reference: sf.Score
    percentiles: sf.Percentiles
    people: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Setting:
    """One method at one setting: each person's cost, and which fresh models accept (NaN: none)."""

    name: str
    cost: NDArray[np.float64]
    kept: NDArray[np.float64]
    seconds: float

    @property
    def found(self) -> NDArray[np.bool_]:
        """Whom it answered."""
        return ~np.isnan(self.cost)


def estimator(name: str) -> RandomForestClassifier:
    """The reference, unfitted: 50 trees of depth 5 (HELOC) or 8 (GMSC)."""
    if name == "heloc":
        return RandomForestClassifier(50, max_depth=5, min_samples_leaf=10, random_state=0)
    return RandomForestClassifier(
        50, max_depth=8, min_samples_leaf=10, class_weight="balanced", random_state=0
    )


def draw(name: str, train: sf.datasets.Dataset, cache: Path) -> sf.FreshModels:
    """The fresh forests, from the cache if they were drawn before."""
    folder = cache / f"fresh_{name}_{len(train)}"
    if folder.exists():
        return sf.FreshModels.load(folder)
    draws = {"max_depth": DEPTHS[name], "min_samples_leaf": LEAVES[name]}
    drawn = sf.fresh_models(
        estimator(name),
        train,
        draws=draws | {"max_features": ["sqrt", 0.3, 0.5]},
        sizes=SIZES,
        epsilon=0.03,
        balanced=name != "heloc",
        seed=0,
    )
    drawn.save(folder)
    return drawn


def world(name: str, people: int, rows: int | None, cache: Path) -> World:
    """The set split, the models fitted, and some refused test people."""
    train, test = getattr(sf.datasets, name)().split(0.8, seed=0)
    if rows is not None and rows < len(train):
        train, _ = train.split(rows / len(train), seed=1)
    return prepared(train, test, draw(name, train, cache), estimator(name), people)


def prepared(
    train: sf.datasets.Dataset,
    test: sf.datasets.Dataset,
    fresh: sf.FreshModels,
    unfitted: RandomForestClassifier,
    people: int,
) -> World:
    """A world from its models."""
    f = sf.as_score(unfitted.fit(train.table, train.labels), train.schema, favourable=1)
    refused = np.flatnonzero(~f.accepts(train.schema.matrix(test.table)))
    chosen = np.sort(np.random.default_rng(0).permutation(refused)[:people])
    q = sf.Percentiles.fit(train.table)
    return World(train, fresh, f, q, test.table.iloc[chosen])


def asked(w: World, name: str, method: sf.Method, model: sf.Score) -> tuple[Setting, pd.DataFrame]:
    """A setting's answers, judged by the models that no method has seen."""
    recs = sf.recommend(method, model, w.people)
    goals = recs.counterfactual.to_numpy(dtype=float, na_value=np.nan)
    found = recs.found.to_numpy()
    kept = np.full((len(w.fresh.certify), len(found)), np.nan)
    kept[:, found] = [score.score(goals[found]) > CLEARANCE for score in w.fresh.certify]
    seconds = float(recs.results["seconds"].median())
    cost = recs.cost.to_numpy()
    print(f"  {name}: {found.sum()} answered, {seconds:.2f} s median", flush=True)
    return Setting(name, cost, kept, seconds), pd.DataFrame(goals).assign(
        reached=~recs.results["reason"].str.contains("could not be").to_numpy()
    )


def chosen_per_person(
    w: World, settings: Sequence[Setting], goals: Sequence[pd.DataFrame], target: float
) -> Setting:
    """The reference's threshold raised for each person as little as the choosing models allow."""
    jurors = Jurors(tuple(w.fresh.choose), target)
    cost, kept = settings[0].cost * np.nan, settings[0].kept * np.nan
    for setting, goal in reversed(list(zip(settings, goals, strict=True))):
        found = setting.found
        points = goal.drop(columns="reached").to_numpy()
        passes = found.copy()
        passes[found] = jurors.count(points[found]) >= jurors.needed
        cost[passes], kept[:, passes] = setting.cost[passes], setting.kept[:, passes]
    return Setting(f"raised for each person, target {target:g}", cost, kept, 0.0)


def at_validity(
    curve: Sequence[Setting], level: float, who: NDArray[np.intp], models: NDArray[np.intp]
) -> float:
    """The cost of a curve's settings where their mean validity is `level`; NaN outside them."""
    cost = np.array([setting.cost[who].mean() for setting in curve])
    validity = np.array([setting.kept[np.ix_(models, who)].mean() for setting in curve])
    order = np.argsort(validity)
    if not validity.min() <= level <= validity.max():
        return np.nan
    return float(np.interp(level, validity[order], cost[order]))


def compared(curve: Sequence[Setting], other: Setting, seed: int = 0) -> tuple[float, ...]:
    """n, cost and validity of another setting, the curve's cost there, and the paired difference.

    The difference is Invariant minus the other, as a share of the other's cost, with its 95 %
    interval from resampling people and models as clusters.
    """
    who, models = np.flatnonzero(other.found), np.arange(len(other.kept))
    rng = np.random.default_rng(seed)

    def difference(who: NDArray[np.intp], models: NDArray[np.intp]) -> tuple[float, float, float]:
        cost, level = other.cost[who].mean(), other.kept[np.ix_(models, who)].mean()
        mine = at_validity(curve, level, who, models)
        return float(cost), float(level), mine

    cost, level, mine = difference(who, models)
    draws = []
    for _ in range(REPEATS):
        c, _, m = difference(rng.choice(who, len(who)), rng.choice(models, len(models)))
        draws.append(m / c - 1.0)
    inside = np.array(draws)[~np.isnan(draws)]
    low, high = np.quantile(inside, [0.025, 0.975]) if len(inside) > REPEATS / 2 else (np.nan,) * 2
    return len(who), cost, level, mine, mine / cost - 1.0, float(low), float(high)


def at_level(curve: Sequence[Setting], level: float, seed: int = 0) -> tuple[float, ...]:
    """Invariant's cost at a mean validity, as a multiple of the optimum's, with its interval."""
    who, models = np.flatnonzero(curve[0].found), np.arange(len(curve[0].kept))
    rng = np.random.default_rng(seed)

    def ratio(who: NDArray[np.intp], models: NDArray[np.intp]) -> float:
        return at_validity(curve, level, who, models) / float(curve[0].cost[who].mean())

    draws = [
        ratio(rng.choice(who, len(who)), rng.choice(models, len(models))) for _ in range(REPEATS)
    ]
    inside = np.array(draws)[~np.isnan(draws)]
    low, high = np.quantile(inside, [0.025, 0.975]) if len(inside) > REPEATS / 2 else (np.nan,) * 2
    return level, len(who), ratio(who, models), float(low), float(high)


def explore(w: World) -> dict[str, pd.DataFrame]:
    """The four tables."""
    schema, q, f = w.train.schema, w.percentiles, w.reference
    raised, goals = [], []
    for margin in MARGINS:
        name = f"threshold raised by {margin:g}" if margin else "optimum for the reference"
        method = sf.MinimalCost(schema, q, margin=margin, boxes=100_000)
        setting, goal = asked(w, name, method, f)
        if setting.found.sum() >= len(w.people) / 4:
            raised.append(setting)
            goals.append(goal)
    others = list(raised)
    others += [chosen_per_person(w, raised, goals, target) for target in TARGETS]
    for k, margin in UNANIMOUS:
        joint = sf.Unanimous((f, *w.fresh.search[:k]), margin=margin)
        method = sf.MinimalCost(schema, q, boxes=BOXES)
        others.append(asked(w, f"unanimous over {k}, margin {margin:g}", method, joint)[0])
    curve, kept = [raised[0]], []
    for target in TARGETS:
        invariant = Invariant.fit(
            schema, q, search=w.fresh.search, choose=w.fresh.choose, validity=target
        )
        setting, goal = asked(w, f"Invariant, target {target:g}", invariant, f)
        curve.append(setting)
        yes = goal["reached"].to_numpy()
        ratio = setting.cost[yes].mean() / raised[0].cost[yes].mean()
        fresh = setting.kept[:, yes].mean()
        kept.append((target, len(yes), yes.sum(), fresh, ratio, setting.seconds))
    everything = [
        (s.name, s.found.sum(), np.nanmean(s.cost), np.nanmean(s.kept), s.seconds)
        for s in [*others, *curve[1:]]
        if s.found.any()
    ]
    rows = [(s.name, *compared(curve, s)) for s in others[1:] if s.found.sum() > 5]
    columns = ["setting", "n", "cost", "validity", "Invariant's cost", "difference", "low", "high"]
    return {
        "every setting, on the people it answered": pd.DataFrame(
            everything, columns=["setting", "n", "cost", "validity", "seconds"]
        ),
        "Invariant at the same validity, on the same people": pd.DataFrame(rows, columns=columns),
        "Invariant's cost at a mean validity, in multiples of the optimum's": pd.DataFrame(
            [at_level(curve, level) for level in LEVELS],
            columns=["validity", "n", "cost / optimum", "low", "high"],
        ),
        "targets kept, among people whose target was reached": pd.DataFrame(
            kept, columns=["target", "people", "reached", "validity", "cost / optimum", "seconds"]
        ),
    }


def main() -> None:
    """Explore one set and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("data", choices=list(DEPTHS))
    parser.add_argument("--people", type=int, default=40, help="refused test people")
    parser.add_argument("--rows", type=int, help="training people at most")
    parser.add_argument("--cache", type=Path, required=True, help="folder for the fitted models")
    given = parser.parse_args()
    for title, table in explore(world(given.data, given.people, given.rows, given.cache)).items():
        print(f"\n{given.data}: {title}")
        print(table.to_string(index=False, float_format="{:.3f}".format))


if __name__ == "__main__":
    main()
