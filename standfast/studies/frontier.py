"""The frontier: what advice costs against the share of unseen models that keep it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from standfast.datasets import Dataset
from standfast.evaluation.costs import measured
from standfast.methods import Invariant, Method
from standfast.rivals import FreshModels, Tolerance, fresh_models
from standfast.rivals.fresh_models import Part
from standfast.scores import Linear, Score, Unanimous
from standfast.studies import names
from standfast.studies.advice import Goals, Judged
from standfast.studies.frontier_means import Comparison, Setting
from standfast.studies.peers import BetaRce, Roar
from standfast.studies.scene import Make, Scene
from standfast.studies.settings import Settings
from standfast.studies.steps import Advance, Missing

# the kinds of Invariant are not compared among themselves
APART = (names.NOTHING, *names.INVARIANTS)
MARGINS = (0.0, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.125, 0.15, 0.2, 0.25)
OPTIMUM = (names.RAISED, "by 0")
COUNTS = (3, 10, 20)
SWAYS = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05)
SHARES, SAMPLED = (0.2, 0.4, 0.6, 0.8), 32  # with 32 models as published
TARGETS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
BREACH_COSTS = (0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0, 64.0, 128.0, 1e3, 1e4)
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
DIALS = (MARGINS, COUNTS, SWAYS, SHARES, TARGETS, BREACH_COSTS, BREACH_COSTS)
Parts = tuple[Part, Part]  # models to search with, and to choose by
WEIGHT = 2 * FRESH_WEIGHT + SEARCH_WEIGHT * sum(map(len, DIALS))


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

        def fill(part: Path, advance: Advance) -> None:
            found = fresh_models(
                scene.unfitted,
                people,
                draws=draws,
                sizes=sizes,
                epsilon=Tolerance(s.epsilon, s.risk),
                seed=s.seed,
                jobs=s.jobs,
                progress=advance,
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
            **{(names.RAISED, f"by {t:g}"): partial(self._raised, t) for t in MARGINS},
            **{
                (names.TOGETHER, f"{k} models"): partial(self._together, k)
                for k in COUNTS
                if k <= few
            },
            **{(names.ROAR, f"δ = {d:g}"): partial(self._roar, d) for d in SWAYS if linear},
            **{(names.BETA_RCE, f"δ = {d:g}"): partial(self._beta_rce, d) for d in SHARES},
            **{(names.TARGETED, f"target {v:g}"): partial(self._targeted, v) for v in TARGETS},
        }

    def priced(self, method: str, parts: Parts, cheapest: float) -> dict[tuple[str, str], Make]:
        """Invariant's settings: a broken promise costs so many times the cheapest advice."""
        prices = [float(f"{ratio * cheapest:.2g}") for ratio in BREACH_COSTS]
        return {
            (method, f"breach cost {price:g}"): partial(self._invariant, parts, breach_cost=price)
            for price in prices
        }

    def _raised(self, margin: float) -> tuple[Method, Score]:
        return replace(self.scene.exact, margin=margin), self.scene.f

    def _together(self, count: int) -> tuple[Method, Score]:
        return self.scene.exact, Unanimous((self.scene.f, *self.fresh.search[:count]))

    def _roar(self, delta: float) -> tuple[Method, Score]:
        scene = self.scene
        return Roar(scene.data.schema, scene.percentiles, delta=delta), scene.f

    def _beta_rce(self, delta: float) -> tuple[Method, Score]:
        return BetaRce(self.scene.exact, self.fresh.search[:SAMPLED], delta=delta), self.scene.f

    def _targeted(self, validity: float) -> tuple[Method, Score]:
        return self._invariant((self.fresh.search, self.fresh.choose), validity=validity)

    @property
    def _mixed(self) -> Parts:
        """To search with and to choose by, half of each class and no more models than of one."""
        own, other, half = self.fresh, self.others, self.settings.sizes.fresh // 2
        return (
            Part("search, both classes", [*own.search[:half], *other.search[:half]]),
            Part("choose, both classes", [*own.choose[:half], *other.choose[:half]]),
        )

    def _invariant(self, parts: Parts, **asked: Any) -> tuple[Method, Score]:
        schema, percentiles = self.scene.data.schema, self.scene.percentiles
        search, choose = parts
        method = Invariant(schema, percentiles, search=search, choose=choose, **asked)
        return method, self.scene.f

    # the models that judge, and what they judge

    def judges(self, missing: Missing) -> dict[str, Sequence[Score]]:
        """The models that no method has seen, kind by kind."""
        found: dict[str, Sequence[Score]] = {names.SAME: self.fresh.certify}
        with missing.tolerated(self.scene.name, "judges of the other class"):
            found[names.OTHER] = self.others.certify
        with missing.tolerated(self.scene.name, "judges of later data"):
            if self.later is not None:
                found[names.LATER] = self.later.certify
        return found

    def settings_of(self, missing: Missing) -> list[Setting]:
        """Where every method sends the people at each setting, those of the study first."""
        goals = self.judged.goals
        shown = [
            names.NOTHING,
            *(method for method in (*names.SPARSE, names.C_CHVAE) if method in goals),
        ]
        found = [self._setting(method, "", goals[method]) for method in shown]
        found += self._found(self.searches(), missing)
        costs = [one.cost[one.found] for one in found if (one.method, one.dial) == OPTIMUM]
        if costs and len(costs[0]):
            own, cheapest = (self.fresh.search, self.fresh.choose), float(costs[0].mean())
            found += self._found(self.priced(names.INVARIANT, own, cheapest), missing)
            with missing.tolerated(self.scene.name, names.BOTH):
                found += self._found(self.priced(names.BOTH, self._mixed, cheapest), missing)
        return found

    def _found(
        self, searches: Mapping[tuple[str, str], Make], missing: Missing
    ) -> Iterator[Setting]:
        scene, sizes = self.scene, self.settings.sizes
        people = scene.labels[: self.count]
        key = [scene.key, people, sizes.fresh, sizes.boxes, self.settings.epsilon]
        for (method, dial), make in searches.items():
            with missing.tolerated(scene.name, f"{method}, {dial}"):
                step = f"{method} {dial}"
                recs = scene.recommended(step, key, make, SEARCH_WEIGHT, self.count)
                yield self._setting(method, dial, Goals.of(recs))

    def _setting(self, method: str, dial: str, goals: Goals) -> Setting:
        who, points = goals.found[: self.count], goals.points[: self.count]
        cost = np.full(len(points), np.nan)
        X = self.judged.X[: self.count][who]
        cost[who] = measured(X, points[who], self.scene.percentiles)["total"]
        return Setting(method, dial, points, cost)


def frontier(judged: Judged, missing: Missing) -> dict[str, pd.DataFrame]:
    """The tidy tables `frontier`, `frontier_gaps` and `frontier_levels` of one scene."""
    whole = Frontier(judged)
    settings = whole.settings_of(missing)
    points, gaps, levels = [], [], []
    for judges, models in whole.judges(missing).items():
        own, seed = names.INVARIANT_FOR[judges], judged.scene.settings.seed
        found = Comparison(settings, models, own, OPTIMUM, APART, seed)
        about: dict[str, Any] = {"judges": judges, "models": len(models)}
        points.append(found.rows().assign(**about))
        gaps.append(pd.DataFrame(found.gaps()).assign(**about, own=own))
        levels.append(pd.DataFrame(found.levels()).assign(**about))
    tables = {"frontier": points, "frontier_gaps": gaps, "frontier_levels": levels}
    return {name: pd.concat(parts) for name, parts in tables.items()}
