"""Whether advice leads to where good people are: three inputs' histograms, and the components."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.datasets.give_me_some_credit import LATENESS
from standfast.evaluation.intervals import interval
from standfast.studies.advice import Judged
from standfast.studies.names import GOOD, NOTHING, REFUSED
from standfast.studies.scene import Matrix, Scene

MOST = 24  # bars that can be distinguished in a panel
CODES = 4  # so many different negative values are codes rather than amounts, and kept apart
FEW = 0.005  # share of people beyond either end whom the last bar may stand for

INPUTS = 3
CLOUD = 300  # points of each group in the picture of the components
REPEATS = 300


Vector = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Bars:
    """The least and the largest value of every bar, in order; endless where it holds all beyond.

    >>> Bars.of(np.array([-2.0, -1, 0, 1])).starts.tolist()
    [-2.0, -1.0, 0.0, 1.0]
    """

    starts: Vector
    ends: Vector

    @classmethod
    def of(cls, values: Vector) -> "Bars":
        """Bars for these values; distinct whole numbers share one only if there are too many."""
        distinct = np.unique(np.rint(values))
        low, high = distinct[0], distinct[-1]
        if high - low < MOST:
            every = np.arange(low, high + 1)
            return cls(every, every)
        if len(distinct) <= MOST:
            return cls(distinct, distinct)
        codes = distinct[distinct < 0]
        if not 0 < len(codes) <= CODES:
            return cls(*_classes(values, MOST))
        starts, ends = _classes(values[np.rint(values) >= 0], MOST - len(codes))
        return cls(np.append(codes, starts), np.append(codes, ends))

    def places(self, values: Vector) -> Places:
        """The bar of each value; a fraction counts for the nearest whole number."""
        found = np.searchsorted(self.starts, np.rint(values), side="right") - 1
        return np.maximum(found, 0)

    def shares(self, places: Places) -> Vector:
        """The share of people in each bar."""
        found: Vector = np.bincount(places, minlength=len(self.starts)) / len(places)
        return found


def _classes(values: Vector, most: int) -> tuple[Vector, Vector]:
    """Classes of one round width, one of which begins at zero: no sign shares a bar with another.

    A few extreme values do not stretch them: the outer classes stand for all beyond.
    """
    low, high = np.floor(np.quantile(values, (FEW, 1 - FEW)))
    width = next(w for w in _round_numbers() if high // w - low // w < most)
    least, largest = np.rint(values.min()), np.rint(values.max())
    if largest // width - least // width < most:
        low, high = least, largest
    starts = width * np.arange(low // width, high // width + 1)
    ends = starts + width - 1
    if least < starts[0]:
        starts[0] = -np.inf
    if largest > ends[-1]:
        ends[-1] = np.inf
    return starts, ends


def _round_numbers() -> Iterator[float]:
    return (step * 10.0**power for power in count() for step in (1, 2, 5))


def distance(bars: Bars, a: Places, b: Places) -> float:
    """Total variation, ½ Σ |p − q|, of two samples on the bars shown."""
    return float(0.5 * np.abs(bars.shares(a) - bars.shares(b)).sum())


def shown_inputs(scene: Scene) -> tuple[str, ...]:
    """The inputs to show: lateness where it is counted, as in the paper's figure 3.

    Elsewhere the three countable inputs in which good and refused people differ most, by total
    variation.
    """
    schema = scene.data.schema
    if set(LATENESS) <= set(schema.names):
        return LATENESS
    X = schema.matrix(scene.test.table[~scene.accepted])
    apart = {}
    for j, feature in enumerate(schema):
        counted = feature.kind in ("count", "binary", "ordinal") and feature.coder is None
        if feature.mutable and counted and feature.when_missing == "refuse":
            refused, good = X[:, j], scene.good[:, j]
            bars = Bars.of(np.concatenate([refused, good]))
            apart[feature.name] = distance(bars, bars.places(refused), bars.places(good))
    return tuple(sorted(apart, key=lambda name: -apart[name])[:INPUTS])


def groups(judged: Judged) -> dict[str, Matrix]:
    """Good people, refused people, and where each method sends them."""
    found = {GOOD: judged.scene.good, REFUSED: judged.X}
    found |= {m: g.points[g.found] for m, g in judged.goals.items() if m != NOTHING}
    return {name: points for name, points in found.items() if len(points)}


def histograms(judged: Judged) -> dict[str, pd.DataFrame]:
    """The tidy tables `histograms` and `distances`."""
    schema, found = judged.scene.data.schema, groups(judged)
    rng = np.random.default_rng(judged.scene.settings.seed)
    shares, distances = [], []
    for name in shown_inputs(judged.scene):
        j, label = schema.names.index(name), schema[name].label or name
        bars = Bars.of(np.concatenate([points[:, j] for points in found.values()]))
        places = {group: bars.places(points[:, j]) for group, points in found.items()}
        for group, own in places.items():
            about: dict[str, Any] = {"group": group, "feature": name, "n": len(own)}
            edges = {"value": bars.starts, "until": bars.ends, "share": bars.shares(own)}
            shares.append(pd.DataFrame(edges).assign(label=label, **about))
            if group != GOOD:
                low, high = _interval(bars, own, places[GOOD], rng)
                far = distance(bars, own, places[GOOD])
                distances.append(about | {"distance": far, "lower": low, "upper": high})
    if not shares:
        return {}
    return {"histograms": pd.concat(shares), "distances": pd.DataFrame(distances)}


def _interval(bars: Bars, a: Places, b: Places, rng: np.random.Generator) -> tuple[float, float]:
    if min(len(a), len(b)) < 2:
        return float("nan"), float("nan")
    draws = [distance(bars, rng.choice(a, len(a)), rng.choice(b, len(b))) for _ in range(REPEATS)]
    low, high = interval(draws)
    return float(low), float(high)


def components(judged: Judged) -> pd.DataFrame:
    """The first two principal components of good and refused people, and of all advice.

    Inputs enter as percentiles: in their own units the component would be the income's alone.
    """
    from sklearn.decomposition import PCA

    scene, rng = judged.scene, np.random.default_rng(judged.scene.settings.seed)
    clouds = {
        name: scene.percentiles.places(_sample(points, rng))
        for name, points in groups(judged).items()
    }
    axes = PCA(2, random_state=0).fit(np.vstack([clouds[GOOD], clouds[REFUSED]]))
    parts = [
        pd.DataFrame(axes.transform(ranks), columns=["first", "second"]).assign(group=group)
        for group, ranks in clouds.items()
    ]
    first, second = (float(share) for share in axes.explained_variance_ratio_)
    return pd.concat(parts).assign(explained_first=first, explained_second=second)


def _sample(points: Matrix, rng: np.random.Generator) -> Matrix:
    if len(points) <= CLOUD:
        return points
    return points[np.sort(rng.choice(len(points), CLOUD, replace=False))]
