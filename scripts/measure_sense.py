"""Measures what sensible schemas cost: perverse moves, prices, validity, people without advice.

    STANDFAST_DATA=folder python scripts/measure_sense.py --out docs/reproduction/sense.csv
    STANDFAST_DATA=folder python scripts/measure_sense.py --seed 0 --people 20 --models 5

For each data set, reference and seed (split, people, models) the cheapest advice is searched
for the same refused people: under the published schema, with directions, steps and relations only,
and under the sensible schema, which also declares what people cannot act on, what moves together,
and rules. The cost is the plain total shift; numbers are not rounded, which would cost nothing but
might change who accepts them. Fresh models of the reference's own class (people
resampled, new seeds, settings drawn as for the frontier) say how much of the advice stands.

Advice is perverse if a move goes against the direction that the training people's labels show;
`sense` counts that, laws broken, and moves too small to notice. A row is for all seeds together, or
for one. Shares of people have exact intervals; those of costs and validities draw people again
within each seed, and models as clusters. Ratios and gains compare with the published schema the
people who have advice under both.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf
from standfast.datasets.twin import SCHEMAS
from standfast.evaluation.intervals import interval, share
from standfast.evaluation.transfer import verdicts
from standfast.recommendations import Outcome
from standfast.rivals import Tolerance
from standfast.schema.direction import estimate_direction
from standfast.studies.frontier import DRAWS
from standfast.studies.frontier_means import Means
from standfast.studies.settings import EPSILON

NAMES = ("heloc", "give_me_some_credit")
SEEDS = (0, 1, 2)
LATENESS = "NumTrades90Ever2DerogPubRec <= NumTrades60Ever2DerogPubRec"
PUBLISHED = "published"


def models(seed: int) -> dict[str, Any]:
    """The references of the study: both classes weigh the same."""
    return {
        "linear": make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")),
        "forest": RandomForestClassifier(
            50, max_depth=5, class_weight="balanced", random_state=seed
        ),
    }


def schemas(name: str, train: sf.datasets.Dataset) -> Mapping[str, sf.Schema]:
    """The schemas that are compared."""
    published, sensible = SCHEMAS[name][PUBLISHED], SCHEMAS[name]["sensible"]
    ways = [estimate_direction(train.table[c], train.labels).direction for c in train.table]
    directed = tuple(
        replace(ours, mutable=theirs.mutable, direction=way or "any")
        for ours, theirs, way in zip(sensible, published, ways, strict=True)
    )
    between = sf.Schema(directed, sensible.relations)
    return {PUBLISHED: published, "directions": between, "sensible": sensible}


@dataclass(frozen=True, eq=False)
class Advice:
    """One seed's advice under one schema: what it costs (NaN: none), who keeps it, what is odd."""

    cost: np.ndarray
    kept: np.ndarray  # people by models
    impossible: int
    sense: sf.evaluation.Sense

    @property
    def found(self) -> np.ndarray:
        """Who has advice."""
        return np.isfinite(self.cost)


def advised(
    method: sf.MinimalCost,
    score: sf.Score,
    people: pd.DataFrame,
    fresh: Sequence[sf.Score],
    train: sf.datasets.Dataset,
) -> Advice:
    """The cheapest advice for these people, judged by the fresh models and the training people."""
    recs = sf.recommend(method, score, people)
    cost = np.where(recs.found, recs.to_frame()["cost"].astype(float), np.nan)
    kept = np.zeros((len(recs), len(fresh)))
    _, kept[recs.found] = verdicts(
        recs.matrices()[1][recs.found], {str(k): model for k, model in enumerate(fresh)}
    )
    impossible = int((recs.outcome == str(Outcome.INFEASIBLE)).sum())
    return Advice(cost, kept, impossible, sf.sense(recs, train))


def measured(name: str, kind: str, seed: int, people: int, fresh: int) -> dict[str, Advice]:
    """One scene and seed: advice under every schema."""
    data = getattr(sf.datasets, name)(variant=PUBLISHED)
    train, test = data.split(0.8, seed=seed)
    percentiles = sf.Percentiles.fit(train.table)
    unfitted = models(seed)[kind]
    drawn = sf.fresh_models(
        unfitted,
        train,
        draws=DRAWS[kind],
        sizes={"search": 0, "choose": 0, "certify": fresh},
        epsilon=Tolerance(EPSILON, "balanced_error"),
        seed=seed,
    )
    score = sf.as_score(unfitted.fit(train.table, train.labels), data.schema, favourable=1)
    refused = test.table[~score.accepts(data.schema.matrix(test.table))]
    chosen = np.random.default_rng(seed).permutation(len(refused))[:people]
    refused = refused.iloc[np.sort(chosen)]
    found = {}
    for variant, schema in schemas(name, train).items():
        method = sf.MinimalCost(schema, percentiles, per_change=0.0, rounded=False)
        found[variant] = advised(method, score, refused, drawn.certify, train)
    return found


class Pooled:
    """Mean costs and validities of some schemas' advice over all seeds, and as drawn again."""

    def __init__(self, by_seed: Sequence[Sequence[Advice]]) -> None:
        means = []
        for seed, some in enumerate(by_seed):
            both = np.all([one.found for one in some], axis=0)
            costs = np.array([one.cost[both] for one in some])
            kept = np.array([one.kept[both] for one in some])
            means.append(Means(costs, kept, seed))
        weights = np.array([one.n for one in means], dtype=float)
        weights /= weights.sum()
        self.cost = self._mean([one.cost[None] for one in means], weights)
        self.validity = self._mean([one.validity[None] for one in means], weights)
        self.costs = self._mean([one.costs for one in means], weights)
        self.validities = self._mean([one.validities for one in means], weights)

    @staticmethod
    def _mean(parts: Sequence[np.ndarray], weights: np.ndarray) -> np.ndarray:
        return np.asarray(np.tensordot(weights, np.stack(parts), axes=1))


def with_interval(name: str, value: np.ndarray, draws: np.ndarray) -> dict[str, float]:
    """A number with its 95 % interval, as three columns."""
    low, high = interval(draws)
    return {name: float(value[0]), f"{name}_lower": float(low), f"{name}_upper": float(high)}


def part_of(name: str, times: int, n: int) -> dict[str, float]:
    """A share of people with its exact interval, as three columns."""
    part, low, high = share(times, n)
    return {name: float(part), f"{name}_lower": float(low), f"{name}_upper": float(high)}


def row(variant: str, by_seed: Sequence[Mapping[str, Advice]]) -> dict[str, Any]:
    """What is said about one schema in one scene, all seeds together."""
    mine = [found[variant] for found in by_seed]
    people, n = (sum(int(what(one)) for one in mine) for what in (_asked, _advised))
    against, broken = (
        sum(int(one.sense.summary.loc[kind, "people"]) for one in mine)
        for kind in ("against", "broken")
    )
    laws = [one.sense.laws["broken"] for one in mine]
    moves = pd.concat([one.sense.moves["kinds"] for one in mine])
    alone = Pooled([[one] for one in mine])
    pair = Pooled([[found[PUBLISHED], found[variant]] for found in by_seed])
    (before, after), (stood, stands) = pair.costs.T, pair.validities.T
    lateness = {"late_90_above_60": float("nan")}
    if LATENESS in laws[0].index:
        lateness = part_of("late_90_above_60", sum(int(one[LATENESS]) for one in laws), n)
    return (
        {"schema": variant, "people": people, "advised": n}
        | part_of("without_advice", sum(one.impossible for one in mine), people)
        | part_of("perverse", against, n)
        | part_of("breaks_a_law", broken, n)
        | lateness
        | {"moves": len(moves), "small_moves": float(moves.str.contains("small").mean())}
        | with_interval("cost", alone.cost[0], alone.costs[:, 0])
        | with_interval("times_published", pair.cost[:, 1] / pair.cost[:, 0], after / before)
        | with_interval("validity", alone.validity[0], alone.validities[:, 0])
        | with_interval("validity_gain", pair.validity[:, 1] - pair.validity[:, 0], stands - stood)
    )


def rows_of(found: Mapping[int, Mapping[str, Advice]]) -> list[dict[str, Any]]:
    """One scene: every schema over all seeds, and then seed by seed, which may differ more."""
    together = {"all": list(found.values())} | {str(seed): [one] for seed, one in found.items()}
    return [
        {"seed": seed} | row(variant, by_seed)
        for seed, by_seed in together.items()
        for variant in by_seed[0]
    ]


def _asked(one: Advice) -> int:
    return len(one.cost)


def _advised(one: Advice) -> int:
    return int(one.found.sum())


def main() -> None:
    """Print the table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--models", type=int, default=40, help="fresh models of each seed")
    parser.add_argument("--seed", type=int, action="append")
    parser.add_argument("--out", type=Path, help="a CSV file")
    given = parser.parse_args()
    seeds, rows = given.seed or SEEDS, []
    for name in NAMES:
        for kind in models(0):
            found = {seed: measured(name, kind, seed, given.people, given.models) for seed in seeds}
            rows += [{"data": name, "reference": kind} | one for one in rows_of(found)]
            print(pd.DataFrame(rows).round(3).T.to_string(header=False), flush=True)
    if given.out:
        pd.DataFrame(rows).round(6).to_csv(given.out, index=False)


if __name__ == "__main__":
    main()
