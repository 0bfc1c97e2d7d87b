"""The frontier: what advice costs against the share of models nobody has seen that keep it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.datasets import Dataset
from standfast.methods import Invariant, Method, MinimalCost, recommend
from standfast.recommendations import Recommendations
from standfast.rivals import FreshModels, Tolerance, fresh_models
from standfast.rivals.fresh_models import Part
from standfast.scores import Linear, Score, Unanimous
from standfast.studies.advice import Judged
from standfast.studies.frontier_means import Court, Setting
from standfast.studies.missing import Missing
from standfast.studies.peers import BetaRce, Roar
from standfast.studies.scene import Matrix, Scene
from standfast.studies.settings import Settings
from standfast.studies.steps import Tell

NOTHING, RAISED, TOGETHER = "do nothing", "raised threshold", "unanimous over fresh models"
ROAR, BETA_RCE = "ROAR", "BetaRCE"
INVARIANT, TARGETED = "invariant", "invariant, same target for all"
BOTH = "invariant, both classes"
# whose cost is compared with the others' before which judges; the three are not compared among them
OWN = {"same class": INVARIANT, "other class": BOTH, "later data": INVARIANT}
APART = (NOTHING, INVARIANT, TARGETED, BOTH)
MARGINS = (0.0, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.125, 0.15, 0.2, 0.25)
OPTIMUM = (RAISED, "by 0")
COUNTS = (3, 10, 20)
SWAYS = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05)
SHARES, SAMPLED = (0.2, 0.4, 0.6, 0.8), 32  # with 32 models as published
TARGETS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
SURPRISES = (0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0, 64.0, 128.0, 1e3, 1e4)
# how a later training may differ: besides people and seed, these settings
DRAWS: Mapping[str, Mapping[str, Any]] = {
    "linear": {"logisticregression__C": [0.01, 0.1, 1.0, 10.0, 100.0]},
    "forest": {
        "max_depth": [4, 5, 6],
        "min_samples_leaf": [5, 10, 20],
        "max_features": [0.2, 0.3, 0.5],
    },
}
FRESH_WEIGHT, SEARCH_WEIGHT = 10.0, 2.0
DIALS = (MARGINS, COUNTS, SWAYS, SHARES, TARGETS, SURPRISES, SURPRISES)
WEIGHT = 2 * FRESH_WEIGHT + SEARCH_WEIGHT * sum(map(len, DIALS))

Make = Callable[[], tuple[Method, Score]]


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
        return self._in_three(self.scene)

    @cached_property
    def others(self) -> FreshModels:
        """Models of the other class, the fresh ones of the scene whose reference is of it."""
        other = "forest" if self.scene.grid == "linear" else "linear"
        return self._in_three(Scene(self.scene.data, other, self.settings, self.scene.steps))

    def _in_three(self, scene: Scene) -> FreshModels:
        count = self.settings.sizes.fresh
        sizes = {"search": count, "choose": count, "certify": count}
        return self._drawn(scene, scene.train, sizes, f"fresh models, {scene.reference}")

    @cached_property
    def later(self) -> FreshModels | None:
        """Models of the reference's class fitted on later people, only to judge; None without."""
        if self.scene.later is None:
            return None
        sizes = {"search": 0, "choose": 0, "certify": self.settings.sizes.fresh}
        return self._drawn(self.scene, self.scene.later, sizes, "fresh models of later data")

    def _drawn(
        self, scene: Scene, people: Dataset, sizes: Mapping[str, int], step: str
    ) -> FreshModels:
        s, draws = self.settings, DRAWS.get(scene.reference, {})  # one's own keeps its settings

        def fill(part: Path, tell: Tell) -> None:
            found = fresh_models(
                scene.unfitted,
                people,
                draws=draws,
                sizes=sizes,
                epsilon=Tolerance(s.epsilon, "balanced_error" if s.balanced else "error"),
                seed=s.seed,
                jobs=s.jobs,
                progress=tell,
            )
            found.save(part / "models")

        inputs = [scene.key, people.digest, sorted(sizes.items()), repr(draws), s.epsilon]
        place = self.scene.steps.folder_of(self.scene.name, step, inputs, fill, FRESH_WEIGHT)
        return FreshModels.load(place / "models")

    # every method with a dial

    def searches(self) -> dict[tuple[str, str], Make]:
        """Every setting of the methods whose dial needs no other's answer."""
        few = self.settings.sizes.fresh
        linear = isinstance(self.scene.f, Linear)
        return {
            **{(RAISED, f"by {t:g}"): partial(self._raised, t) for t in MARGINS},
            **{(TOGETHER, f"{k} models"): partial(self._together, k) for k in COUNTS if k <= few},
            **{(ROAR, f"δ = {d:g}"): partial(self._roar, d) for d in SWAYS if linear},
            **{(BETA_RCE, f"δ = {d:g}"): partial(self._beta_rce, d) for d in SHARES},
            **{(TARGETED, f"target {v:g}"): partial(self._targeted, v) for v in TARGETS},
        }

    def surprises(
        self, method: str, search: Part, choose: Part, cheapest: float
    ) -> dict[tuple[str, str], Make]:
        """Invariant's settings: a broken promise costs so many times the cheapest advice."""
        prices = [float(f"{ratio * cheapest:.2g}") for ratio in SURPRISES]
        return {
            (method, f"surprise {price:g}"): partial(
                self._invariant, search, choose, surprise=price
            )
            for price in prices
        }

    @property
    def _exact(self) -> MinimalCost:
        scene, boxes = self.scene, self.settings.sizes.boxes
        return MinimalCost(scene.data.schema, scene.percentiles, boxes=boxes)

    def _raised(self, margin: float) -> tuple[Method, Score]:
        return replace(self._exact, margin=margin), self.scene.f

    def _together(self, count: int) -> tuple[Method, Score]:
        return self._exact, Unanimous((self.scene.f, *self.fresh.search[:count]))

    def _roar(self, delta: float) -> tuple[Method, Score]:
        scene = self.scene
        return Roar(scene.data.schema, scene.percentiles, delta=delta), scene.f

    def _beta_rce(self, delta: float) -> tuple[Method, Score]:
        return BetaRce(self._exact, self.fresh.search[:SAMPLED], delta=delta), self.scene.f

    def _targeted(self, validity: float) -> tuple[Method, Score]:
        return self._invariant(self.fresh.search, self.fresh.choose, validity=validity)

    @property
    def _mixed(self) -> tuple[Part, Part]:
        """To search with and to choose by, half of each class and no more models than of one."""
        own, other, half = self.fresh, self.others, self.settings.sizes.fresh // 2
        return (
            Part("search, both classes", [*own.search[:half], *other.search[:half]]),
            Part("choose, both classes", [*own.choose[:half], *other.choose[:half]]),
        )

    def _invariant(self, search: Part, choose: Part, **asked: Any) -> tuple[Method, Score]:
        schema, percentiles = self.scene.data.schema, self.scene.percentiles
        method = Invariant.fit(schema, percentiles, search=search, choose=choose, **asked)
        return method, self.scene.f

    # who judges, and what

    def judges(self, missing: Missing) -> dict[str, Sequence[Score]]:
        """The models that no method has seen, kind by kind."""
        found: dict[str, Sequence[Score]] = {"same class": self.fresh.certify}
        with missing.tolerated(self.scene.name, "judges of the other class"):
            found["other class"] = self.others.certify
        with missing.tolerated(self.scene.name, "judges of later data"):
            if self.later is not None:
                found["later data"] = self.later.certify
        return found

    def settings_of(self, missing: Missing) -> list[Setting]:
        """Where every method sends the people at each setting, those of the study first."""
        X = self.judged.X[: self.count]
        found = [Setting(NOTHING, "", X, np.zeros(len(X)))]
        for method in ("GS", "AR", "C-CHVAE"):
            if method in self.judged.goals:
                points = self.judged.goals[method].points[: self.count]
                found.append(Setting(method, "", points, self._cost(points)))
        found += self._found(self.searches(), missing)
        costs = [one.cost[one.found] for one in found if (one.method, one.dial) == OPTIMUM]
        if costs and len(costs[0]):
            own, cheapest = (self.fresh.search, self.fresh.choose), float(costs[0].mean())
            found += self._found(self.surprises(INVARIANT, *own, cheapest), missing)
            with missing.tolerated(self.scene.name, BOTH):
                found += self._found(self.surprises(BOTH, *self._mixed, cheapest), missing)
        return found

    def _found(
        self, searches: Mapping[tuple[str, str], Make], missing: Missing
    ) -> Iterator[Setting]:
        for (method, dial), make in searches.items():
            with missing.tolerated(self.scene.name, f"{method}, {dial}"):
                recs = self._advice(f"{method} {dial}", make)
                points = recs.counterfactual.to_numpy(dtype=np.float64, na_value=np.nan)
                yield Setting(method, dial, points, self._cost(points))

    def _advice(self, step: str, make: Make) -> Recommendations:
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
    """The tidy tables `frontier`, `frontier_gaps` and `frontier_levels` of one scene."""
    whole = Frontier(judged)
    settings = whole.settings_of(missing)
    data, reference = judged.scene.name
    rows: dict[str, list[dict[str, object]]] = {
        "frontier": [],
        "frontier_gaps": [],
        "frontier_levels": [],
    }
    for judges, models in whole.judges(missing).items():
        own, seed = OWN[judges], judged.scene.settings.seed
        court = Court(settings, models, own, OPTIMUM, APART, seed)
        about: dict[str, object] = {"data": data, "reference": reference, "judges": judges}
        about |= {"models": len(models)}
        rows["frontier"] += [about | row for row in court.rows()]
        rows["frontier_gaps"] += [about | {"own": own} | row for row in court.gaps()]
        rows["frontier_levels"] += [about | row for row in court.levels()]
    return {name: pd.DataFrame(found) for name, found in rows.items()}
