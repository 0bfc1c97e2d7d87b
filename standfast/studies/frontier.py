"""The frontier: what advice costs against the share of models nobody has seen that keep it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.methods import Invariant, Method, MinimalCost, recommend
from standfast.models import FreshModels, Score, Unanimous, fresh_models
from standfast.recommendations import Recommendations
from standfast.studies.advice import Judged
from standfast.studies.missing import Missing
from standfast.studies.resampling import LEVELS
from standfast.studies.scene import Matrix, Scene
from standfast.studies.settings import Settings
from standfast.studies.steps import Tell

RAISED, TOGETHER, INVARIANT = "raised threshold", "unanimous over fresh models", "invariant"
MARGINS = (0.0, 0.02, 0.04, 0.06, 0.1, 0.15, 0.2)
COUNTS = (3, 10, 20)
TARGETS = (0.5, 0.7, 0.8, 0.9, 0.95)
JUDGES = ("same class", "other class")
# how a later training may differ: besides people and seed, these settings
DRAWS: Mapping[str, Mapping[str, Any]] = {
    "linear": {"logisticregression__C": [0.01, 0.1, 1.0, 10.0, 100.0]},
    "forest": {
        "max_depth": [4, 5, 6],
        "min_samples_leaf": [5, 10, 20],
        "max_features": [0.2, 0.3, 0.5],
    },
}
REPEATS = 400
FRESH_WEIGHT, SEARCH_WEIGHT = 10.0, 2.0
WEIGHT = 2 * FRESH_WEIGHT + SEARCH_WEIGHT * (len(MARGINS) + len(COUNTS) + len(TARGETS))

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Point:
    """One method with one setting: where it sends everybody, and what that costs."""

    method: str
    dial: str
    points: Matrix
    cost: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Frontier:
    """Everything the frontier of one scene needs; fresh models and searches are steps."""

    judged: Judged

    @property
    def scene(self) -> Scene:
        """The data set with its reference."""
        return self.judged.scene

    @property
    def settings(self) -> Settings:
        """The study's settings."""
        return self.scene.settings

    @property
    def count(self) -> int:
        """How many of the people are asked about here: every setting is a search of its own."""
        return min(self.settings.sizes.frontier, len(self.judged.X))

    @cached_property
    def fresh(self) -> FreshModels:
        """Models of the reference's class in three parts: to search, to choose, to judge."""
        count = self.settings.sizes.fresh
        return self._drawn(
            self.scene, {"search": count, "choose": count, "certify": count}, "fresh models"
        )

    @cached_property
    def others(self) -> FreshModels:
        """Models of the other class, only to judge."""
        other = "forest" if self.scene.reference == "linear" else "linear"
        scene = Scene(self.scene.data, other, self.settings, self.scene.steps)
        sizes = {"search": 0, "choose": 0, "certify": self.settings.sizes.fresh}
        return self._drawn(scene, sizes, "fresh models of the other class")

    def _drawn(self, scene: Scene, sizes: Mapping[str, int], step: str) -> FreshModels:
        s, draws = self.settings, DRAWS[scene.reference]

        def fill(part: Path, tell: Tell) -> None:
            found = fresh_models(
                scene.unfitted,
                scene.train,
                draws=draws,
                sizes=sizes,
                epsilon=s.epsilon,
                balanced=s.balanced,
                seed=s.seed,
                jobs=s.jobs,
                progress=tell,
            )
            found.save(part / "models")

        inputs = [scene.key, sorted(sizes.items()), repr(draws), s.epsilon]
        place = self.scene.steps.folder_of(self.scene.name, step, inputs, fill, FRESH_WEIGHT)
        return FreshModels.load(place / "models")

    def searches(self) -> dict[tuple[str, str], Callable[[], tuple[Method, Score]]]:
        """Every method with a dial, and each of its settings."""
        scene, f = self.scene, self.scene.f
        schema, q, boxes = scene.data.schema, scene.percentiles, self.settings.sizes.boxes
        found: dict[tuple[str, str], Callable[[], tuple[Method, Score]]] = {}
        for t in MARGINS:
            found[RAISED, f"by {t:g}"] = lambda t=t: (  # type: ignore[misc]
                MinimalCost(schema, q, margin=t, boxes=boxes),
                f,
            )
        for k in COUNTS:
            if k <= self.settings.sizes.fresh:
                found[TOGETHER, f"{k} models"] = (
                    lambda k=k: (  # type: ignore[misc]
                        MinimalCost(schema, q, boxes=boxes),
                        Unanimous((f, *self.fresh.search[:k])),
                    )
                )
        for v in TARGETS:
            found[INVARIANT, f"target {v:g}"] = lambda v=v: (  # type: ignore[misc]
                Invariant.fit(
                    schema, q, search=self.fresh.search, choose=self.fresh.choose, validity=v
                ),
                f,
            )
        return found

    def points(self, missing: Missing) -> list[Point]:
        """Where every method sends the people, those of the study first."""
        found = []
        for method in ("GS", "AR", "C-CHVAE"):
            if method in self.judged.goals:
                points = self.judged.goals[method].points[: self.count]
                found.append(Point(method, "", points, self._cost(points)))
        for (method, dial), make in self.searches().items():
            with missing.tolerated(self.scene.name, f"{method}, {dial}"):
                recs = self._advice(f"{method} {dial}", make)
                points = recs.counterfactual.to_numpy(dtype=np.float64, na_value=np.nan)
                found.append(Point(method, dial, points, self._cost(points)))
        return found

    def _advice(self, step: str, make: Callable[[], tuple[Method, Score]]) -> Recommendations:
        s = self.settings

        def fill(part: Path, tell: Tell) -> None:
            people = self.scene.people.iloc[: self.count]
            found = recommend(*make(), people, seed=s.seed, jobs=s.jobs, progress=tell)
            if found.interrupted:
                raise KeyboardInterrupt
            found.write(part / "advice.parquet")

        people = self.judged.labels[: self.count]
        known = [self.scene.key, people, s.sizes.fresh, s.sizes.boxes, s.epsilon]
        place = self.scene.steps.folder_of(self.scene.name, step, known, fill, SEARCH_WEIGHT)
        return Recommendations.read(place / "advice.parquet")

    def _cost(self, points: Matrix) -> NDArray[np.float64]:
        cost = np.full(len(points), np.nan)
        who = np.isfinite(points).all(axis=1)
        cost[who] = self.scene.percentiles.total(self.judged.X[: self.count][who], points[who])
        return cost


def frontier(judged: Judged, missing: Missing) -> dict[str, pd.DataFrame]:
    """The tidy tables `frontier` and `frontier_gaps` of one scene."""
    whole = Frontier(judged)
    points = whole.points(missing)
    everybody = np.all([np.isfinite(point.cost) for point in points], axis=0)
    rows: list[dict[str, object]] = []
    gaps: list[dict[str, object]] = []
    for judges in JUDGES:
        part = whole.fresh.certify if judges == "same class" else whole.others.certify
        kept = [_kept(point.points[everybody], part) for point in points]
        costs = np.array([point.cost[everybody] for point in points])
        drawn = _Resampled(costs, kept, judged.scene.settings.seed)
        data, reference = judged.scene.name
        about: dict[str, object] = {"data": data, "reference": reference, "judges": judges}
        about |= {"models": len(part), "n": int(everybody.sum())}
        rows += [about | row for row in drawn.rows(points)]
        if judges == "same class":
            gaps += [about | row for row in drawn.gaps(points)]
    return {"frontier": pd.DataFrame(rows), "frontier_gaps": pd.DataFrame(gaps)}


def _kept(points: Matrix, models: tuple[Score, ...]) -> Bools:
    """People by models: whether the model accepts where they are sent."""
    if not len(points):
        return np.zeros((0, len(models)), dtype=bool)
    return np.column_stack([model.accepts(points) for model in models])


class _Resampled:
    """Mean costs and validities, and the same for people and models drawn again."""

    def __init__(self, costs: Matrix, kept: list[Bools], seed: int) -> None:
        self.costs, self.kept = costs, np.array(kept, dtype=np.float64)
        n, k = self.kept.shape[1:]
        rng = np.random.default_rng(seed)
        self.n = n
        self.cost, self.validity = self._means(np.arange(n), np.arange(k))
        draws = [self._means(_drawn(rng, n), _drawn(rng, k)) for _ in range(REPEATS)]
        self.cost_draws = np.array([cost for cost, _ in draws])
        self.validity_draws = np.array([validity for _, validity in draws])

    def _means(self, people: NDArray[np.intp], models: NDArray[np.intp]) -> tuple[Matrix, Matrix]:
        """Models are drawn as clusters: all people meet the same ones."""
        if not len(people):
            nobody = np.full(len(self.costs), np.nan)
            return nobody, nobody
        kept = self.kept[:, people].mean(axis=1)[:, models].mean(axis=1)
        return self.costs[:, people].mean(axis=1), kept

    def rows(self, points: list[Point]) -> list[dict[str, object]]:
        """One row per method and dial."""
        cost = np.quantile(self.cost_draws, LEVELS, axis=0)
        validity = np.quantile(self.validity_draws, LEVELS, axis=0)
        return [
            {
                "method": point.method,
                "dial": point.dial,
                "answered": int(np.isfinite(point.cost).sum()),
                "cost": self.cost[i],
                "cost_lower": cost[0, i],
                "cost_upper": cost[1, i],
                "validity": self.validity[i],
                "lower": validity[0, i],
                "upper": validity[1, i],
            }
            for i, point in enumerate(points)
        ]

    def gaps(self, points: list[Point]) -> list[dict[str, object]]:
        """What Invariant costs at the validity another method reaches, minus what that one costs.

        Between two targets Invariant's cost is drawn straight; below the least target it is that
        target's, and where the other reaches more than the largest target there is no number.
        """
        own = [i for i, point in enumerate(points) if point.method == INVARIANT]
        rows: list[dict[str, object]] = []
        for i, point in enumerate(points):
            if i in own or not own:
                continue
            value = _along(self.validity[own], self.cost[own], self.validity[i]) - self.cost[i]
            draws = [
                _along(v[own], c[own], v[i]) - c[i]
                for v, c in zip(self.validity_draws, self.cost_draws, strict=True)
            ]
            known = np.array(draws)[np.isfinite(draws)]
            low, high = np.quantile(known, LEVELS) if len(known) else (np.nan, np.nan)
            rows.append(
                {
                    "method": point.method,
                    "dial": point.dial,
                    "validity": self.validity[i],
                    "cost": self.cost[i],
                    "difference": value,
                    "lower": low,
                    "upper": high,
                }
            )
        return rows


def _drawn(rng: np.random.Generator, n: int) -> NDArray[np.intp]:
    return np.asarray(rng.integers(0, n, n) if n else [], dtype=np.intp)


def _along(validity: Matrix, cost: Matrix, at: float) -> float:
    """The cost at a validity along a frontier, its points in order of cost."""
    order = np.argsort(validity, kind="stable")
    if not at <= validity[order[-1]]:
        return float("nan")
    # a dearer point that keeps less is nobody's choice: the cheapest that reaches as much counts
    best = np.minimum.accumulate(cost[order][::-1])[::-1]
    return float(np.interp(at, validity[order], best))
