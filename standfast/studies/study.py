"""The study: every exhibit of the paper and ours, on each data set with each reference."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from standfast.datasets import Dataset
from standfast.errors import InputError, listing
from standfast.rivals.candidates import family
from standfast.rivals.risk import area_under_curve
from standfast.studies import advice as advice_of
from standfast.studies import (
    complete_sets,
    frontier,
    histograms,
    names,
    promises,
    semantics,
    sense,
    surprise,
    transfer,
)
from standfast.studies.candidates import Candidates
from standfast.studies.claims import claims
from standfast.studies.own_model import OwnModel
from standfast.studies.people import Dated
from standfast.studies.scene import AUTOENCODER, LEVEL_SET, Scene, short_name
from standfast.studies.settings import Settings
from standfast.studies.steps import Missing, Progress, Steps, versions
from standfast.studies.tables import SCENE, TIDY, tidy

STEPS = "steps"


@dataclass(frozen=True)
class Study:
    """What came of a study: the tidy tables, and what they were computed from."""

    tables: dict[str, pd.DataFrame]
    about: dict[str, object]

    @property
    def empty(self) -> bool:
        """Whether nobody was advised in any scene."""
        advice = self.tables["advice"]
        return not bool(advice["found"][~advice["method"].isin(names.CONTROLS)].any())


def study(
    data: Sequence[Dataset],
    settings: Settings,
    folder: Path | str,
    *,
    later: Mapping[str, Dataset] | None = None,
    dated: Mapping[str, Dated] | None = None,
    model: OwnModel | None = None,
    missing: Missing | None = None,
    progress: Progress | None = None,
) -> Study:
    """Every table of the study, scene by scene; what was done before is read, not done again.

    Results are kept in `folder`, so that a study that was stopped continues, and a changed setting
    redoes only what it touches. What cannot be done is in the table `missing`, with the reason.
    `later` has people of a later time by their data set's short name: for the frontier, models of
    theirs judge the advice too. `dated` has people with their years, whose simulated year then goes
    by them. `model` is a fitted model of one's own for the one data set: a
    reference too, before those of the settings.
    """
    later, dated = later or {}, dated or {}
    _check_data(data)
    _check_model(model, data, settings)
    _check_later(later, {short_name(one): one for one in data})
    missing = Missing() if missing is None else missing
    steps = Steps(Path(folder) / STEPS, progress)
    references = _references(settings, model)
    _expect(steps, settings, len(references) * len(data), len(references) * len(later))
    if settings.promises:
        scenes = [short_name(one) in dated for one in data for _ in references]
        steps.expect(sum(promises.weight(settings, by_year) for by_year in scenes))
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in TIDY}
    with steps.alone():
        for scene in _scenes(data, settings, steps, references, later, dated):
            about_scene = dict(zip(SCENE, scene.name, strict=True))
            with missing.tolerated(scene.name, "the whole scene"):
                for exhibit, table in _exhibits(scene, missing).items():
                    parts[exhibit].append(table.assign(**about_scene))
    tables = {name: _whole(name, tables) for name, tables in parts.items()}
    tables["missing"] = _whole("missing", [pd.DataFrame(missing.rows)])
    tables["timings"] = _whole("timings", [pd.DataFrame(steps.timings)])
    tables["claims"] = claims(tables)
    about = _about(data, later, settings, steps)
    if model is not None:
        kind = {"file": model.name, "SHA-256": model.digest, "kind": family(model.estimator)}
        about["model"] = kind
    return Study(tables, about)


def _references(settings: Settings, model: OwnModel | None) -> dict[str, OwnModel | None]:
    """The references by name, the user's own first."""
    ours: dict[str, OwnModel | None] = dict.fromkeys(settings.references)
    return ours if model is None else {model.name: model, **ours}


def _scenes(
    data: Sequence[Dataset],
    settings: Settings,
    steps: Steps,
    references: Mapping[str, OwnModel | None],
    later: Mapping[str, Dataset],
    dated: Mapping[str, Dated],
) -> Iterator[Scene]:
    """Every data set with every reference; those of one data set share its candidates."""
    for one in data:
        name, shared = short_name(one), Candidates(one, settings)
        for reference, own in references.items():
            beside = later.get(name), own, dated.get(name), shared
            yield Scene(one, reference, settings, steps, *beside)


def _check_data(data: Sequence[Dataset]) -> None:
    """Data sets with names of their own, whose every name a file can hold."""
    if not data:
        raise InputError("no data set was given; give at least one")
    twice = [name for name, n in Counter(map(short_name, data)).items() if n > 1]
    if twice:
        raise InputError(f"{min(twice)} is given more than once; leave one out")
    for one in data:
        labels = [str(label) for label in one.table.index]
        check_names("the data set", [one.name])
        check_names("an input", [*one.schema.names, *(f.label or "" for f in one.schema)])
        check_names("a person", labels)
        again = next((label for label, n in Counter(labels).items() if n > 1), None)
        if again is not None:
            raise InputError(
                f"two people of {one.name} are both labelled {again!r}; give every person a label "
                "of their own"
            )


def check_names(what: str, names: Iterable[str]) -> None:
    """Refuse names that no file can hold.

    >>> check_names("an input", ["income", "age \\ud800"])
    Traceback (most recent call last):
    standfast.errors.InputError: an input is called 'age \\ud800', which holds half a character: \
no file can hold that; rename it
    """
    for name in names:
        if any("\ud800" <= sign <= "\udfff" for sign in name):
            raise InputError(
                f"{what} is called {name!r}, which holds half a character: no file can hold that; "
                "rename it"
            )


def _check_model(model: OwnModel | None, data: Sequence[Dataset], settings: Settings) -> None:
    """A model of one's own must fit the one data set; without one there are references of ours."""
    if model is None:
        if not settings.references:
            raise InputError("no reference was given; name one of ours, or give a model")
        return
    if len(data) > 1:
        raise InputError(
            f"'{model.name}' was fitted for one table, but {len(data)} data sets were given; give "
            "one"
        )
    check_names("the model's file", [model.name])
    model.score(data[0])


def _check_later(later: Mapping[str, Dataset], data: Mapping[str, Dataset]) -> None:
    """Later people must belong to a data set of the study, and be described alike."""
    for name, people in later.items():
        if name not in data:
            raise InputError(
                f"later people are given for {name!r}, which is not studied; there are "
                f"{listing(data)}"
            )
        if people.schema.digest != data[name].schema.digest:
            raise InputError(
                f"the later people of {name} have another schema than the earlier ones; give both "
                "the same inputs with the same kinds, bounds, steps and relations"
            )


def _expect(steps: Steps, settings: Settings, scenes: int, later: int) -> None:
    """Rough seconds of the whole study, so that the bar can show how long is left."""
    one = AUTOENCODER + LEVEL_SET + sum(advice_of.WEIGHTS.values()) + advice_of.VERDICTS_WEIGHT
    one += 2 * advice_of.PUBLISHED_WEIGHT + 2 * surprise.WEIGHT
    one += frontier.WEIGHT * settings.frontier
    one += complete_sets.WEIGHT * settings.complete
    judges = frontier.FRESH_WEIGHT * later * settings.frontier
    steps.expect(scenes * one + judges)


def _exhibits(scene: Scene, missing: Missing) -> dict[str, pd.DataFrame]:
    """Every table of one scene; an exhibit that fails is missing, the others are not."""
    judged = advice_of.judged(scene, missing)
    models = transfer.members(judged)
    kept = transfer.transfer(judged, models)
    found = {"scenes": _scene(scene, models), "members": models, "transfer": kept}
    found |= {"transfer_means": transfer.means(judged, kept), **judged.tables()}
    with missing.tolerated(scene.name, "histograms"):
        found |= histograms.histograms(judged)
    with missing.tolerated(scene.name, "components"):
        found["components"] = histograms.components(judged)
    with missing.tolerated(scene.name, "semantics"):
        rules = semantics.Rules.of(scene)
        goals = semantics.with_published(judged, missing)
        found["consistency"] = semantics.consistency(judged, goals, rules)
        found["semantics"] = semantics.semantics(judged, goals, rules)
    with missing.tolerated(scene.name, "sense"):
        found |= sense.sense(judged)
    found |= transfer.invariance(judged)
    if scene.settings.frontier:
        with missing.tolerated(scene.name, "the frontier"):
            found |= frontier.frontier(judged, missing)
    if scene.settings.complete:
        with missing.tolerated(scene.name, "complete level sets"):
            tried = judged.recommendations.get(names.UNANIMOUS)
            found |= complete_sets.complete(scene, tried, missing)
    if scene.settings.promises:
        with missing.tolerated(scene.name, "the simulated year"):
            found |= promises.promises(scene, missing)
    for grid, rival in surprise.worst_rivals(kept).items():
        with missing.tolerated(scene.name, f"surprise under {rival}"):
            for name, table in surprise.measured(judged, grid, rival).items():
                found[name] = pd.concat([found[name], table]) if name in found else table
    if "support_costs" in found:  # the same person may be asked about under both rivals
        found["support_costs"] = found["support_costs"].drop_duplicates("person")
    return found


def _scene(scene: Scene, models: pd.DataFrame) -> pd.DataFrame:
    favourable = (scene.test.labels == 1).to_numpy()
    scores = scene.f.score(scene.data.schema.matrix(scene.test.table))
    own = models[models["grid"] == "reference"].iloc[0]
    row = {
        "origin": scene.data.origin,
        "twin": scene.data.is_twin,
        "model": scene.words,
        "train": len(scene.train),
        "test": len(scene.test),
        "refused": int((~scene.accepted).sum()),
        "people": len(scene.people),
        "accuracy": float((scene.accepted == favourable).mean()),
        "auc": area_under_curve(scores, favourable),
        "risk": float(own["risk"]),
        "epsilon": scene.settings.epsilon,
        "candidates": len(models) - 1,
        "rivals": len(scene.rivals),
        "seed": scene.settings.seed,
    }
    return pd.DataFrame([row])


def _whole(name: str, tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The scenes' tables as one; with its columns also where there is none."""
    filled = [table for table in tables if len(table)]
    if not filled:
        return pd.DataFrame(columns=list(TIDY[name].columns))
    return tidy(name, pd.concat(filled, ignore_index=True))


def _about(
    data: Sequence[Dataset], later: Mapping[str, Dataset], settings: Settings, steps: Steps
) -> dict[str, object]:
    """The provenance: settings, versions, digests."""
    sizes = {name: value for name, value in vars(settings.sizes).items() if value is not None}
    return {
        "settings": {
            "references": ", ".join(settings.references) or "none of ours",
            "as published": settings.as_published,
            "epsilon": settings.epsilon,
            "seed": settings.seed,
            **{name.replace("_", " "): value for name, value in sizes.items()},
        },
        "data": {
            name: f"{one.origin} (digest {one.digest[:16]})"
            for name, one in [
                *((short_name(one), one) for one in data),
                *((f"{name}, later", one) for name, one in later.items()),
            ]
        },
        "schemas": {short_name(one): one.schema.digest[:16] for one in data},
        "versions": {"standfast": version("standfast"), **versions()},
        "code": steps.code[:16],
    }
