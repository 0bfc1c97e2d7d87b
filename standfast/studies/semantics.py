"""Whether advice makes sense: ambiguous values, broken relations, moves away from good people."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.evaluation.intervals import share
from standfast.schema import Relation, Schema
from standfast.schema.relation import HalfSpaces, never_broken
from standfast.studies.advice import Goals, Judged, published_advice
from standfast.studies.names import AMBIGUOUS, INCONSISTENT
from standfast.studies.scene import Matrix, Scene
from standfast.studies.steps import Missing

WHOLE = "whole counts, nothing negative where the data never are"
NEGATIVE = "negative, though no value of this input in the data is"
FRACTION = "a count that is not whole"
TOWARDS = "no input moves away from accepted and favourable people"
# an input separates good from refused people if it ranks the good ones above (or below) this often
TOLD_APART = 0.65

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Rules:
    """Rules that the data of a scene keep, and what advice may break of them."""

    schema: Schema
    relations: tuple[Relation, ...]
    spaces: HalfSpaces
    nonnegative: Bools
    whole: Bools
    side: NDArray[np.float64]  # +1 where good people have more of an input, −1 less, 0 unclear

    @classmethod
    def of(cls, scene: Scene) -> "Rules":
        """Relations of the schema, and those that no person of the data breaks."""
        schema = scene.data.schema
        X = schema.matrix(scene.data.table)
        known = np.where(schema.lacking(X), np.nan, X)
        numbers = [
            j for j, f in enumerate(schema) if f.coder is None and f.when_missing == "refuse"
        ]
        columns = {schema.names[j]: X[:, j] for j in numbers}
        held = {str(r): r for r in (*schema.relations, *never_broken(columns))}
        relations = tuple(held.values())
        whole = np.array([f.kind in ("count", "binary", "ordinal") for f in schema])
        refused = schema.matrix(scene.test.table[~scene.accepted])
        return cls(
            schema,
            relations,
            HalfSpaces.build(relations, schema.names),
            np.nanmin(known, axis=0) >= 0,
            whole & ((known % 1 == 0) | np.isnan(known)).all(axis=0),
            _side_of_good(scene.good, refused) * [f.kind != "nominal" for f in schema],
        )

    def ambiguous(self, Y: Matrix) -> Bools:
        """Values such as the data never hold: fractions of counts, negative amounts."""
        known = np.where(self.schema.lacking(Y), 0.0, Y)
        return np.asarray((self.whole & (known % 1 != 0)) | self.negative(known))

    def negative(self, Y: Matrix) -> Bools:
        """Negative values of inputs that are never negative in the data."""
        return np.asarray(self.nonnegative & (Y < 0) & ~self.schema.lacking(Y))

    def broken(self, Y: Matrix) -> Bools:
        """People by relations: which relations a point breaks."""
        lacking = self.schema.lacking(Y)
        unjudged = lacking.astype(np.float64) @ (self.spaces.A != 0).T > 0
        return np.asarray((self.spaces.excess(np.where(lacking, 0.0, Y)) > 0) & ~unjudged)

    def against(self, X: Matrix, Y: Matrix) -> Bools:
        """Inputs moved away from where good people are, though what they say is clear."""
        with np.errstate(invalid="ignore"):  # a gap is neither more nor less
            return np.asarray((np.sign(Y - X) * self.side) < 0)

    def breaches(self, X: Matrix, Y: Matrix) -> dict[str, Bools]:
        """Each rule, and who breaks it by going from X to Y."""
        relations = zip(map(str, self.relations), self.broken(Y).T, strict=True)
        moved, odd = self.against(X, Y).any(axis=1), self.ambiguous(Y).any(axis=1)
        return {WHOLE: odd, TOWARDS: moved, **dict(relations)}


def _side_of_good(good: Matrix, refused: Matrix) -> NDArray[np.float64]:
    """On which side of refused people the good ones are, input by input.

    Not `schema.direction.estimate_direction`, which asks the labels alone: the paper's question is
    whether advice moves away from people whom this very model accepts, rightly.
    """
    side = np.zeros(good.shape[1])
    for j in range(good.shape[1]):
        ordered = np.sort(refused[:, j])
        below = np.searchsorted(ordered, good[:, j], side="left")
        upto = np.searchsorted(ordered, good[:, j], side="right")
        more = float((below + upto).mean() / (2 * len(ordered)))
        side[j] = 1.0 if more >= TOLD_APART else -1.0 if more <= 1 - TOLD_APART else 0.0
    return side


def with_published(judged: Judged, missing: Missing) -> dict[str, Goals]:
    """The methods that make recommendations, and the sparse ones as published beside them."""
    found = {m: g for m, g in judged.goals.items() if m in judged.recommendations}
    if judged.scene.settings.as_published:
        return found
    return found | published_advice(judged.scene, missing)


def consistency(judged: Judged, goals: dict[str, Goals], rules: Rules) -> pd.DataFrame:
    """One row per method and rule: how much advice breaks it."""
    rows = []
    for method, goal in goals.items():
        who = goal.found
        for rule, hit in rules.breaches(judged.X[who], goal.points[who]).items():
            times, n = int(hit.sum()), len(hit)
            part, low, high = share(times, n)
            about = {"method": method, "rule": rule, "n": n, "broken": times}
            rows.append(about | {"share": part[()], "lower": low[()], "upper": high[()]})
    return pd.DataFrame(rows)


def semantics(judged: Judged, goals: dict[str, Goals], rules: Rules) -> pd.DataFrame:
    """One person whom every method advises and whose advice shows most: values, with doubts."""
    i = _most_instructive(judged, goals, rules)
    x = judged.X[i]
    rows = []
    for method, y in {"": x, **{m: g.points[i] for m, g in goals.items() if g.found[i]}}.items():
        doubts = _doubts(rules, x, y) if method else {}
        for j, feature in enumerate(rules.schema):
            mark, why = doubts.get(j, ("", ""))
            about = {"person": judged.scene.labels[i], "method": method, "feature": feature.name}
            about |= {"label": feature.label or feature.name, "mark": mark, "why": why}
            rows.append(about | {"value": float(y[j])})
    return pd.DataFrame(rows)


def _most_instructive(judged: Judged, goals: dict[str, Goals], rules: Rules) -> int:
    """Whom to show: advised by most methods, then with doubts under most of them, then first."""
    advised, doubted = np.zeros((2, len(judged.X)))
    for goal in goals.values():
        who = goal.found
        advised += who
        breaches = rules.breaches(judged.X[who], goal.points[who])
        doubted[who] += np.any(list(breaches.values()), axis=0)
    return int(np.lexsort((-doubted, -advised))[0])


def _doubts(rules: Rules, x: Matrix, y: Matrix) -> dict[int, tuple[str, str]]:
    """For each doubtful input its mark and the reason; ambiguous before inconsistent.

    A value may be negative where others are: then only its fraction is in doubt.
    """
    found: dict[int, tuple[str, str]] = {}
    names = rules.schema.names
    for j in np.flatnonzero(rules.against(x, y)):
        side = "more" if rules.side[j] > 0 else "less"
        found[int(j)] = (INCONSISTENT, f"accepted and favourable people have {side} of it")
    for k in np.flatnonzero(rules.broken(y[None])[0]):
        for name, _ in rules.relations[k].terms:
            found[names.index(name)] = (INCONSISTENT, f"breaks {rules.relations[k]}")
    for j in np.flatnonzero(rules.ambiguous(y[None])[0]):
        found[int(j)] = (AMBIGUOUS, NEGATIVE if rules.negative(y)[j] else FRACTION)
    return found
