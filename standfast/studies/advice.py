"""Every method's advice for the people of a scene, what it costs, and which rivals keep it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.methods import (
    CCHVAE,
    ActionableRecourse,
    GrowingSpheres,
    Method,
    MinimalCost,
    recommend,
)
from standfast.recommendations import Recommendations
from standfast.scores import Linear, Score
from standfast.studies.missing import Missing
from standfast.studies.scene import Matrix, Scene
from standfast.studies.steps import Tell

NOTHING, BLUR = "do nothing", "reconstruction only"
# rough seconds of each method, for the progress bar
WEIGHTS = {"GS": 1.0, "AR": 1.0, "C-CHVAE": 1.0, "minimal cost": 3.0, "unanimous": 20.0}
PUBLISHED_WEIGHT, VERDICTS_WEIGHT = 1.0, 3.0


@dataclass(frozen=True)
class Goals:
    """Where a method sends each of the people: a row of inputs each, missing without advice."""

    points: Matrix

    @property
    def found(self) -> NDArray[np.bool_]:
        """Who is sent anywhere."""
        return np.asarray(np.isfinite(self.points).all(axis=1))


@dataclass(frozen=True, eq=False)
class Advice:
    """The advice of a scene: every method's recommendations, each a step of its own."""

    scene: Scene

    def methods(self) -> dict[str, Callable[[], tuple[Method, Score]]]:
        """The methods by their labels, made when needed; AR reads linear references only."""
        scene, published = self.scene, self.scene.settings.as_published
        schema, q = scene.data.schema, scene.percentiles
        exact = MinimalCost(schema, q, boxes=scene.settings.sizes.boxes)
        spheres = GrowingSpheres.as_published if published else GrowingSpheres
        recourse = ActionableRecourse.as_published if published else ActionableRecourse
        found: dict[str, Callable[[], tuple[Method, Score]]] = {
            "GS": lambda: (spheres(schema, q), scene.f),
            "AR": lambda: (recourse(schema, q), scene.f),
            "C-CHVAE": lambda: (self._support_method(published), scene.f),
            "minimal cost": lambda: (exact, scene.f),
            "unanimous": lambda: (exact, scene.rivals.unanimous()),
        }
        if not isinstance(scene.f, Linear):
            del found["AR"]
        return found

    def as_published(self) -> dict[str, Callable[[], tuple[Method, Score]]]:
        """The sparse methods as published, whose values may be ambiguous or inconsistent."""
        scene = self.scene
        schema, q = scene.data.schema, scene.percentiles
        found: dict[str, Callable[[], tuple[Method, Score]]] = {
            "GS, as published": lambda: (GrowingSpheres.as_published(schema, q), scene.f),
            "AR, as published": lambda: (ActionableRecourse.as_published(schema, q), scene.f),
        }
        if not isinstance(scene.f, Linear):
            del found["AR, as published"]
        return found

    def _support_method(self, published: bool = False) -> CCHVAE:
        scene = self.scene
        make = CCHVAE.as_published if published else CCHVAE
        return make(scene.data.schema, scene.percentiles, scene.autoencoder)

    def key(self, method: str) -> list[object]:
        """What a method's advice depends on."""
        scene = self.scene
        known: list[object] = [scene.key, method, scene.settings.as_published]
        known.append([str(label) for label in scene.people.index])
        if method == "C-CHVAE" or method == BLUR:
            known.append(scene.autoencoder_key)
        if method in ("minimal cost", "unanimous"):
            known.append(scene.settings.sizes.boxes)
        if method == "unanimous":
            known.append(scene.rivals_key)
        return known

    def of(self, method: str) -> Recommendations:
        """A method's recommendations; raises what keeps it from being used at all."""
        make = (self.methods() | self.as_published())[method]
        settings = self.scene.settings

        def fill(part: Path, tell: Tell) -> None:
            found = recommend(
                *make(), self.scene.people, seed=settings.seed, jobs=settings.jobs, progress=tell
            )
            if found.interrupted:
                raise KeyboardInterrupt
            found.write(part / "advice.parquet")

        weight = WEIGHTS.get(method, PUBLISHED_WEIGHT)
        place = self.scene.steps.folder_of(self.scene.name, method, self.key(method), fill, weight)
        return Recommendations.read(place / "advice.parquet")

    def nothing(self) -> Goals:
        """Nobody moves: what the rivals think of people as they are."""
        return Goals(self.scene.data.schema.matrix(self.scene.people))

    def blur(self) -> Goals:
        """Everybody moves to their own reconstruction: C-CHVAE without its search."""
        X = self.scene.data.schema.matrix(self.scene.people)
        return Goals(self._support_method().reconstruction(X))


@dataclass(frozen=True, eq=False)
class Judged:
    """What is known of a scene's advice: goals and recommendations by method, rivals' verdicts."""

    scene: Scene
    advice: Advice
    recommendations: dict[str, Recommendations]
    goals: dict[str, Goals]

    @cached_property
    def labels(self) -> list[str]:
        """The people's labels as text."""
        return [str(label) for label in self.scene.people.index]

    @cached_property
    def X(self) -> Matrix:  # noqa: N802 the paper's letter
        """Where the people stand."""
        return self.scene.data.schema.matrix(self.scene.people)

    @cached_property
    def key(self) -> list[object]:
        """What the verdicts depend on."""
        return [self.scene.rivals_key, *(self.advice.key(method) for method in self.goals)]

    @cached_property
    def kept(self) -> dict[str, pd.DataFrame]:
        """For each method a table of people with advice by rivals: whether the rival accepts."""

        def make(tell: Tell) -> dict[str, pd.DataFrame]:
            rivals = self.scene.rivals
            found = {}
            for k, (method, goals) in enumerate(self.goals.items()):
                Y = goals.points[goals.found]
                table = {
                    name: rival.accepts(Y) if len(Y) else np.zeros(0, dtype=bool)
                    for name, rival in zip(rivals.names, rivals.rivals, strict=True)
                }
                found[method] = pd.DataFrame(table, index=np.flatnonzero(goals.found))
                tell(k + 1, len(self.goals))
            return found

        return self.scene.steps.tables(self.scene.name, "verdicts", self.key, make, VERDICTS_WEIGHT)

    @cached_property
    def costs(self) -> dict[str, pd.DataFrame]:
        """For each method a row per person: total, max and log shift, and how many inputs move."""
        q = self.scene.percentiles
        tables = {}
        for method, goals in self.goals.items():
            table = pd.DataFrame(
                np.nan, index=range(len(self.X)), columns=["total", "max", "log", "changed"]
            )
            who = goals.found
            X, Y = self.X[who], goals.points[who]
            if len(Y):
                moved = (X != Y).sum(axis=1)
                columns = (q.total(X, Y), q.maximal(X, Y), q.log(X, Y), moved)
                table.loc[who] = np.column_stack(columns)
            tables[method] = table
        return tables

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tidy tables of the advice itself: advice, values, verdicts."""
        return {
            "advice": pd.concat([self._advice(m) for m in self.goals], ignore_index=True),
            "values": self._values(),
            "verdicts": self._verdicts(),
        }

    def _advice(self, method: str) -> pd.DataFrame:
        n = len(self.X)
        table = self.costs[method].assign(
            method=method, person=self.labels, found=self.goals[method].found
        )
        recs = self.recommendations.get(method)
        if recs is None:
            table["outcome"], table["sentence"] = "", CONTROLS[method]
            table["lower_bound"], table["gap"] = np.nan, np.nan
        else:
            table["outcome"] = recs.outcome.to_numpy()
            table["sentence"] = recs.sentences().to_numpy()
            table["lower_bound"] = recs.results["lower_bound"].to_numpy()
            table["gap"] = recs.gap.to_numpy()
        kept = self.kept[method]
        table["kept"] = kept.sum(axis=1).reindex(range(n)).astype("float64")
        table["share"] = kept.mean(axis=1).reindex(range(n))
        return self._named(table)

    def _values(self) -> pd.DataFrame:
        names = self.scene.data.schema.names
        parts = []
        for method, goals in {"": self.advice.nothing(), **self.goals}.items():
            if method == NOTHING:
                continue
            who = np.flatnonzero(goals.found)
            parts.append(
                pd.DataFrame(
                    {
                        "method": method,
                        "person": np.repeat(np.array(self.labels)[who], len(names)),
                        "feature": np.tile(np.array(names), len(who)),
                        "value": goals.points[who].ravel(),
                    }
                )
            )
        return self._named(pd.concat(parts, ignore_index=True))

    def _verdicts(self) -> pd.DataFrame:
        parts = []
        for method in self.goals:
            kept = self.kept[method]
            n, k = kept.shape
            parts.append(
                pd.DataFrame(
                    {
                        "method": method,
                        "person": np.repeat(np.array(self.labels)[kept.index.to_numpy()], k),
                        "rival": np.tile(kept.columns.to_numpy(dtype=object), n),
                        "kept": kept.to_numpy(dtype=bool).ravel(),
                    }
                )
            )
        return self._named(pd.concat(parts, ignore_index=True))

    def _named(self, table: pd.DataFrame) -> pd.DataFrame:
        data, reference = self.scene.name
        return table.assign(data=data, reference=reference)


CONTROLS = {
    NOTHING: "Nothing changes.",
    BLUR: "Everything as the autoencoder reconstructs it; nothing is searched.",
}


def judged(scene: Scene, missing: Missing) -> Judged:
    """All advice of a scene; a method that cannot be used is reported as missing, with the reason.

    Who is refused and how the level set comes out is asked first: without people or rivals there is
    no scene.
    """
    scene.people, scene.rivals  # noqa: B018 their errors end the scene
    advice = Advice(scene)
    recommendations: dict[str, Recommendations] = {}
    goals: dict[str, Goals] = {}
    for method in advice.methods():
        with missing.tolerated(scene.name, f"advice of {method}"):
            found = advice.of(method)
            recommendations[method] = found
            points = found.counterfactual.to_numpy(dtype=np.float64, na_value=np.nan)
            goals[method] = Goals(points)
            if not found.found.any():
                counts = ", ".join(f"{n} {outcome}" for outcome, n in found.counts().items())
                missing.add(scene.name, f"advice of {method}", f"none was found ({counts})")
    goals[NOTHING] = advice.nothing()
    if "C-CHVAE" in recommendations:
        goals[BLUR] = advice.blur()
    return Judged(scene, advice, recommendations, goals)
