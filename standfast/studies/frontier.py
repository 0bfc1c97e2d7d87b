"""The frontier: what advice costs against the share of models nobody has seen that keep it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.datasets import Dataset
from standfast.methods import Invariant, Method, MinimalCost, recommend
from standfast.models import FreshModels, Score, Unanimous, fresh_models
from standfast.recommendations import Recommendations
from standfast.studies.advice import Judged
from standfast.studies.frontier_means import Court, Setting
from standfast.studies.missing import Missing
from standfast.studies.scene import Matrix, Scene
from standfast.studies.settings import Settings
from standfast.studies.steps import Tell

RAISED, TOGETHER, INVARIANT = "raised threshold", "unanimous over fresh models", "invariant"
MARGINS = (0.0, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.125, 0.15, 0.2, 0.25)
OPTIMUM = (RAISED, "by 0")
COUNTS = (3, 10, 20)
TARGETS = (0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
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
WEIGHT = 2 * FRESH_WEIGHT + SEARCH_WEIGHT * (len(MARGINS) + len(COUNTS) + len(TARGETS))


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
        sizes = {"search": count, "choose": count, "certify": count}
        return self._drawn(self.scene, self.scene.train, sizes, "fresh models")

    @cached_property
    def others(self) -> FreshModels:
        """Models of the other class, only to judge."""
        other = "forest" if self.scene.reference == "linear" else "linear"
        scene = Scene(self.scene.data, other, self.settings, self.scene.steps)
        sizes = {"search": 0, "choose": 0, "certify": self.settings.sizes.fresh}
        return self._drawn(scene, scene.train, sizes, "fresh models of the other class")

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
        s, draws = self.settings, DRAWS[scene.reference]

        def fill(part: Path, tell: Tell) -> None:
            found = fresh_models(
                scene.unfitted,
                people,
                draws=draws,
                sizes=sizes,
                epsilon=s.epsilon,
                balanced=s.balanced,
                seed=s.seed,
                jobs=s.jobs,
                progress=tell,
            )
            found.save(part / "models")

        inputs = [scene.key, people.digest, sorted(sizes.items()), repr(draws), s.epsilon]
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

    def judges(self) -> dict[str, Sequence[Score]]:
        """The models that no method has seen, kind by kind."""
        return {"same class": self.fresh.certify, "other class": self.others.certify}

    def settings_of(self, missing: Missing) -> list[Setting]:
        """Where every method sends the people at each setting, those of the study first."""
        found = []
        for method in ("GS", "AR", "C-CHVAE"):
            if method in self.judged.goals:
                points = self.judged.goals[method].points[: self.count]
                found.append(Setting(method, "", points, self._cost(points)))
        for (method, dial), make in self.searches().items():
            with missing.tolerated(self.scene.name, f"{method}, {dial}"):
                recs = self._advice(f"{method} {dial}", make)
                points = recs.counterfactual.to_numpy(dtype=np.float64, na_value=np.nan)
                found.append(Setting(method, dial, points, self._cost(points)))
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
    """The tidy tables `frontier`, `frontier_gaps` and `frontier_levels` of one scene."""
    whole = Frontier(judged)
    settings = whole.settings_of(missing)
    data, reference = judged.scene.name
    rows: dict[str, list[dict[str, object]]] = {
        "frontier": [],
        "frontier_gaps": [],
        "frontier_levels": [],
    }
    for judges, models in whole.judges().items():
        court = Court(settings, models, INVARIANT, OPTIMUM, judged.scene.settings.seed)
        about: dict[str, object] = {"data": data, "reference": reference, "judges": judges}
        about |= {"models": len(models)}
        rows["frontier"] += [about | row for row in court.rows()]
        rows["frontier_gaps"] += [about | row for row in court.gaps()]
        rows["frontier_levels"] += [about | row for row in court.levels()]
    return {name: pd.DataFrame(found) for name, found in rows.items()}
