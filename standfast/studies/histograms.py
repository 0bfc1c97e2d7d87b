"""Whether advice leads to where good people are: three inputs' histograms, and the components."""

import numpy as np
import pandas as pd

from standfast.datasets.give_me_some_credit import LATENESS
from standfast.studies.advice import Judged
from standfast.studies.bars import Bars, Places, distance
from standfast.studies.resampling import LEVELS
from standfast.studies.scene import Matrix, Scene
from standfast.studies.tables import GOOD, REFUSED, TIDY

INPUTS = 3
CLOUD = 300  # points of each group in the picture of the components
REPEATS = 300


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
            refused, good = X[:, j], scene.good[:, j]
            bars = Bars.of(np.concatenate([refused, good]))
            apart[feature.name] = distance(bars, bars.places(refused), bars.places(good))
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
    rows, distances = [], []
    for name in shown_inputs(scene):
        j = scene.data.schema.names.index(name)
        label = scene.data.schema[name].label or name
        bars = Bars.of(np.concatenate([points[:, j] for points in found.values()]))
        places = {group: bars.places(points[:, j]) for group, points in found.items()}
        for group, own in places.items():
            about = {"data": data, "reference": reference, "group": group, "feature": name}
            shown = zip(bars.starts, bars.ends, bars.shares(own), strict=True)
            rows += [
                about | {"label": label, "value": v, "until": u, "share": share, "n": len(own)}
                for v, u, share in shown
            ]
            if group != GOOD:
                low, high = _interval(bars, own, places[GOOD], rng)
                far = {"n": len(own), "distance": distance(bars, own, places[GOOD])}
                distances.append(about | far | {"lower": low, "upper": high})
    return {
        name: pd.DataFrame(table, columns=list(TIDY[name].columns))
        for name, table in (("histograms", rows), ("distances", distances))
    }


def _interval(bars: Bars, a: Places, b: Places, rng: np.random.Generator) -> tuple[float, float]:
    if min(len(a), len(b)) < 2:
        return float("nan"), float("nan")
    draws = [distance(bars, rng.choice(a, len(a)), rng.choice(b, len(b))) for _ in range(REPEATS)]
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
