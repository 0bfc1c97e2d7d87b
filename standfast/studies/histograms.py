"""Whether advice leads to where good people are: three inputs' histograms, and the components."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.datasets.give_me_some_credit import LATENESS
from standfast.studies.advice import Judged
from standfast.studies.resampling import LEVELS
from standfast.studies.scene import Matrix, Scene
from standfast.studies.tables import GOOD, REFUSED

INPUTS = 3
BINS = 12  # values shown; the last stands for all above
CLOUD = 300  # points of each group in the picture of the components
REPEATS = 300

Counts = NDArray[np.int64]


def shown_inputs(scene: Scene) -> tuple[str, ...]:
    """The inputs to look at: lateness where it is counted, as in the paper's figure 3.

    Elsewhere the three countable inputs in which good and refused people differ most, by total
    variation.
    """
    schema = scene.data.schema
    if set(LATENESS) <= set(schema.names):
        return LATENESS
    X = schema.matrix(scene.test.table[~scene.accepted])
    apart = {}
    for j, feature in enumerate(schema):
        if feature.mutable and feature.kind in ("count", "binary", "ordinal"):
            top = _top(np.concatenate([X[:, j], scene.good[:, j]]))
            apart[feature.name] = _distance(X[:, j], scene.good[:, j], top)
    return tuple(sorted(apart, key=lambda name: -apart[name])[:INPUTS])


def groups(judged: Judged) -> dict[str, Matrix]:
    """Good people, refused people, and where each method sends them."""
    found = {GOOD: judged.scene.good, REFUSED: judged.X}
    found |= {m: g.points[g.found] for m, g in judged.goals.items() if m != "do nothing"}
    return {name: points for name, points in found.items() if len(points)}


def histograms(judged: Judged) -> dict[str, pd.DataFrame]:
    """The tidy tables `histograms` and `distances`."""
    scene = judged.scene
    data, reference = scene.name
    found = groups(judged)
    rng = np.random.default_rng(scene.settings.seed)
    bars, distances = [], []
    for name in shown_inputs(scene):
        j = scene.data.schema.names.index(name)
        label = scene.data.schema[name].label or name
        top = _top(np.concatenate([found[GOOD][:, j], found[REFUSED][:, j]]))
        for group, points in found.items():
            about = {"data": data, "reference": reference, "group": group, "feature": name}
            shares = _shares(points[:, j], top)
            for place, share in enumerate(shares):
                value = float(place * _width(top))
                row = {"label": label, "value": value, "share": share, "n": len(points)}
                bars.append(about | row)
            if group != GOOD:
                far = _distance(points[:, j], found[GOOD][:, j], top)
                low, high = _interval(points[:, j], found[GOOD][:, j], top, rng)
                row = {"n": len(points), "distance": far, "lower": low, "upper": high}
                distances.append(about | row)
    columns = ("group", "feature", "label", "value", "share", "n")
    empty = pd.DataFrame(columns=["data", "reference", *columns])
    far_columns = ["data", "reference", "group", "feature", "n", "distance", "lower", "upper"]
    return {
        "histograms": pd.DataFrame(bars) if bars else empty,
        "distances": pd.DataFrame(distances, columns=far_columns),
    }


def _top(values: Matrix) -> int:
    """The value that stands for all above: few people are beyond it."""
    return int(max(1, min(np.quantile(values, 0.995), values.max())))


def _width(top: int) -> int:
    return -(-(top + 1) // BINS)


def _shares(values: Matrix, top: int) -> Matrix:
    """The share of people at each value, or of each of at most a dozen even classes of values."""
    width = _width(top)
    # advice as published may be fractional or negative: it counts for the nearest value there is
    places = np.clip(np.rint(values), 0, top).astype(np.int64) // width
    shares: Matrix = np.bincount(places, minlength=top // width + 1) / len(values)
    return shares


def _distance(a: Matrix, b: Matrix, top: int) -> float:
    """Total variation, ½ Σ |p − q|, of two samples on the values shown."""
    return float(0.5 * np.abs(_shares(a, top) - _shares(b, top)).sum())


def _interval(a: Matrix, b: Matrix, top: int, rng: np.random.Generator) -> tuple[float, float]:
    if min(len(a), len(b)) < 2:
        return float("nan"), float("nan")
    draws = [_distance(rng.choice(a, len(a)), rng.choice(b, len(b)), top) for _ in range(REPEATS)]
    low, high = np.quantile(draws, LEVELS)
    return float(low), float(high)


def components(judged: Judged) -> pd.DataFrame:
    """The first two principal components of good and refused people, and of all advice.

    Inputs enter as percentiles: in their own units the component would be the income's alone.
    """
    from sklearn.decomposition import PCA

    scene, q = judged.scene, judged.scene.percentiles
    data, reference = scene.name
    found = groups(judged)
    rng = np.random.default_rng(scene.settings.seed)
    clouds = {name: q.rank(_sample(points, rng)) for name, points in found.items()}
    axes = PCA(2, random_state=0).fit(np.vstack([clouds[GOOD], clouds[REFUSED]]))
    explained = [float(share) for share in axes.explained_variance_ratio_]
    parts = []
    for group, ranks in clouds.items():
        places = axes.transform(ranks)
        parts.append(
            pd.DataFrame(
                {
                    "data": data,
                    "reference": reference,
                    "group": group,
                    "first": places[:, 0],
                    "second": places[:, 1],
                    "explained_first": explained[0],
                    "explained_second": explained[1],
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def _sample(points: Matrix, rng: np.random.Generator) -> Matrix:
    if len(points) <= CLOUD:
        return points
    return points[np.sort(rng.choice(len(points), CLOUD, replace=False))]
