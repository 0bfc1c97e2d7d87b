"""Every method's advice for the people of a scene, what it costs, and which rivals keep it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.evaluation.costs import measured
from standfast.evaluation.transfer import verdicts
from standfast.methods import CCHVAE, ActionableRecourse, GrowingSpheres
from standfast.recommendations import Recommendations
from standfast.schema import Schema
from standfast.studies import names
from standfast.studies.scene import Make, Matrix, Scene
from standfast.studies.steps import Advance, Missing

# rough seconds of each method, for the progress bar
WEIGHTS = {
    names.GS: 1.0,
    names.AR: 1.0,
    names.C_CHVAE: 1.0,
    names.MINIMAL: 3.0,
    names.UNANIMOUS: 20.0,
}
PUBLISHED_WEIGHT, VERDICTS_WEIGHT = 1.0, 3.0
COSTS = {"total": "total", "max": "max", "log": "log", "l0": "changed"}
SENTENCES = {
    names.NOTHING: "Nothing changes.",
    names.RECONSTRUCTION: "Everything as the autoencoder reconstructs it; nothing is searched.",
}


@dataclass(frozen=True, eq=False)
class Goals:
    """Where a method sends each of the people: a row of codes each, NaN without advice."""

    points: Matrix

    @classmethod
    def of(cls, recommendations: Recommendations) -> "Goals":
        """Where recommendations send people."""
        return cls(recommendations.matrices()[1])

    @property
    def found(self) -> NDArray[np.bool_]:
        """Who is sent anywhere."""
        return np.asarray(~np.isnan(self.points).any(axis=1))


def methods(scene: Scene) -> dict[str, Make]:
    """The methods by name, made when needed; names.AR reads linear and additive references."""
    published, exact = scene.settings.as_published, scene.exact
    return sparse(scene, published) | {
        names.C_CHVAE: lambda: (support_method(scene, published), scene.f),
        names.MINIMAL: lambda: (exact, scene.f),
        names.UNANIMOUS: lambda: (exact, scene.rivals.unanimous()),
    }


def sparse(scene: Scene, published: bool) -> dict[str, Make]:
    """The sparse methods; as published their values may be ambiguous or inconsistent."""
    schema, q = scene.data.schema, scene.percentiles
    spheres = GrowingSpheres.as_published if published else GrowingSpheres
    actions = ActionableRecourse.as_published if published else ActionableRecourse
    found: dict[str, Make] = {names.GS: lambda: (spheres(schema, q), scene.f)}
    if ActionableRecourse.reads(scene.f):
        found[names.AR] = lambda: (actions(schema, q), scene.f)
    return found


def support_method(scene: Scene, published: bool = False) -> CCHVAE:
    """C-CHVAE with the scene's autoencoder."""
    make = CCHVAE.as_published if published else CCHVAE
    return make(scene.data.schema, scene.percentiles, scene.autoencoder)


def advice_key(scene: Scene, method: str) -> list[object]:
    """What a method's advice depends on."""
    known: list[object] = [scene.key, method, scene.settings.as_published, scene.labels]
    if method in (names.C_CHVAE, names.RECONSTRUCTION):
        known.append(scene.autoencoder_key)
    if method in (names.MINIMAL, names.UNANIMOUS):
        known.append(scene.settings.sizes.boxes)
    if method == names.UNANIMOUS:
        known.append(scene.rivals_key)
    return known


def advice(scene: Scene, method: str) -> Recommendations:
    """A method's advice for the people of a scene."""
    make = methods(scene)[method]
    return scene.recommended(method, advice_key(scene, method), make, WEIGHTS[method])


def published_advice(scene: Scene, missing: Missing) -> dict[str, Goals]:
    """Where the sparse methods as published send people."""
    found = {}
    for method, make in sparse(scene, published=True).items():
        name = method + names.PUBLISHED
        with missing.tolerated(scene.name, f"advice of {name}"):
            key = advice_key(scene, name)
            found[name] = Goals.of(scene.recommended(name, key, make, PUBLISHED_WEIGHT))
    return found


@dataclass(frozen=True, eq=False)
class Judged:
    """What is known of a scene's advice: recommendations and goals by method, rivals' verdicts."""

    scene: Scene
    recommendations: Mapping[str, Recommendations]
    goals: Mapping[str, Goals]

    @cached_property
    def X(self) -> Matrix:  # noqa: N802 the paper's letter
        """Where the people stand."""
        return self.scene.data.schema.matrix(self.scene.people)

    @cached_property
    def kept(self) -> dict[str, pd.DataFrame]:
        """For each method a table of people with advice by rivals: whether the rival accepts."""
        scene = self.scene

        def make(advance: Advance) -> dict[str, pd.DataFrame]:
            rivals = dict(zip(scene.rivals.names, scene.rivals.rivals, strict=True))
            found = {}
            for k, (method, goals) in enumerate(self.goals.items()):
                _, kept = verdicts(goals.points[goals.found], rivals)
                found[method] = pd.DataFrame(kept, np.flatnonzero(goals.found), list(rivals))
                advance(k + 1, len(self.goals))
            return found

        key = [scene.rivals_key, *(advice_key(scene, method) for method in self.goals)]
        tables = scene.steps.tables(scene.name, "verdicts", key, make, VERDICTS_WEIGHT)
        people = np.array(scene.labels)
        return {m: table.set_axis(people[table.index], axis=0) for m, table in tables.items()}

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tidy tables of the advice itself: advice, values, verdicts."""
        schema, labels = self.scene.exact.domain, pd.Index(self.scene.labels)
        places = {"": Goals(self.X)} | {m: g for m, g in self.goals.items() if m != names.NOTHING}
        values = {m: _values(schema, g.points, labels)[g.found] for m, g in places.items()}
        ranks = {
            m: pd.DataFrame(self._ranks(g.points), labels, schema.names)[g.found]
            for m, g in places.items()
        }
        return {
            "advice": pd.concat([self._advice(m) for m in self.goals], ignore_index=True),
            "values": _long(values, "feature", "value").assign(
                percentile=_long(ranks, "feature", "percentile")["percentile"]
            ),
            "verdicts": _long({m: self.kept[m] for m in self.goals}, "rival", "kept"),
        }

    def _ranks(self, points: Matrix) -> Matrix:
        """Q_j of every value, empty for gaps and for categories in no order."""
        percentiles = self.scene.percentiles
        Q = percentiles.rank(points)
        Q[~np.isfinite(points)] = np.nan
        Q[:, percentiles.unordered] = np.nan
        return Q

    def _advice(self, method: str) -> pd.DataFrame:
        found, recs = self.goals[method].found, self.recommendations.get(method)
        costs = measured(self.X[found], self.goals[method].points[found], self.scene.percentiles)
        numbers = {new: costs[old] for old, new in COSTS.items()}
        kept = self.kept[method]
        numbers |= {"kept": kept.sum(axis=1).to_numpy(), "share": kept.mean(axis=1).to_numpy()}
        people = np.array(self.scene.labels)
        table = pd.DataFrame(numbers, people[found], dtype="float64").reindex(people)
        about: dict[str, Any] = {"outcome": "", "lower_bound": np.nan, "gap": np.nan}
        about["sentence"] = SENTENCES.get(method)
        if recs is not None:
            about["outcome"], about["sentence"] = recs.outcome.array, recs.sentences().array
            about["lower_bound"], about["gap"] = recs.results["lower_bound"].array, recs.gap.array
        return table.assign(method=method, person=people, found=found, **about)


def _values(schema: Schema, points: Matrix, labels: pd.Index) -> pd.DataFrame:
    """People's values: numbers, or, where some are names or missing, all as people read them."""
    if all(f.coder is None and f.when_missing == "refuse" for f in schema):
        return pd.DataFrame(points, labels, schema.names)
    columns = [
        [None if np.isnan(v) else f.shown(v) for v in column]
        for f, column in zip(schema, points.T, strict=True)
    ]
    return pd.DataFrame(dict(zip(schema.names, columns, strict=True)), index=labels)


def _long(tables: Mapping[str, pd.DataFrame], column: str, value: str) -> pd.DataFrame:
    """One row per method, person and column of each method's table of people."""
    wide = pd.concat(tables, names=["method", "person"]).rename_axis(columns=column)
    long = pd.Series(wide.stack(future_stack=True), name=value)  # noqa: PD013 person by person
    return long.reset_index()


def judged(scene: Scene, missing: Missing) -> Judged:
    """All advice of a scene; a method that cannot be used is reported as missing, with the reason.

    Who is refused and how the level set comes out is asked first: without people or rivals there is
    no scene.
    """
    scene.people, scene.rivals  # noqa: B018 their errors end the scene
    recommendations: dict[str, Recommendations] = {}
    for method in methods(scene):
        with missing.tolerated(scene.name, f"advice of {method}"):
            found = advice(scene, method)
            recommendations[method] = found
            if not found.found.any():
                counts = ", ".join(f"{n} {outcome}" for outcome, n in found.counts().items())
                missing.add(scene.name, f"advice of {method}", f"none was found ({counts})")
    X = scene.data.schema.matrix(scene.people)
    goals = {method: Goals.of(found) for method, found in recommendations.items()}
    goals[names.NOTHING] = Goals(X)
    if names.C_CHVAE in recommendations:
        goals[names.RECONSTRUCTION] = Goals(support_method(scene).reconstruction(X))
    return Judged(scene, recommendations, goals)
