"""Whether advice leads to where good people are: three inputs' histograms, and the components."""

from typing import Any

import numpy as np
import pandas as pd

from standfast.datasets.give_me_some_credit import LATENESS
from standfast.evaluation.intervals import interval
from standfast.schema.kinds import WHOLE
from standfast.studies.advice import Judged
from standfast.studies.bars import InputBars, Places, distance
from standfast.studies.names import GOOD, NOTHING, REFUSED
from standfast.studies.scene import Matrix, Scene

INPUTS = 3
CLOUD = 300  # points of each group in the picture of the components
REPEATS = 300


def shown_inputs(scene: Scene) -> tuple[str, ...]:
    """The inputs to show: lateness where it is counted, as in the paper's figure 3.

    Elsewhere the three inputs, counts or categories, in which good and refused people differ most,
    by total variation.
    """
    schema = scene.data.schema
    if set(LATENESS) <= set(schema.names):
        return LATENESS
    X = schema.matrix(scene.test.table[~scene.accepted])
    apart = {}
    for j, feature in enumerate(schema):
        if feature.mutable and feature.kind in WHOLE:
            refused, good = X[:, j], scene.good[:, j]
            bars = InputBars.of(feature, np.concatenate([refused, good]))
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
        bars = InputBars.of(
            schema[name], np.concatenate([points[:, j] for points in found.values()])
        )
        starts, ends = bars.edges
        places = {group: bars.places(points[:, j]) for group, points in found.items()}
        for group, own in places.items():
            about: dict[str, Any] = {"group": group, "feature": name, "n": len(own)}
            heights = {"value": starts, "until": ends, "name": bars.names}
            shares.append(
                pd.DataFrame(heights | {"share": bars.shares(own)}).assign(label=label, **about)
            )
            if group != GOOD:
                low, high = _interval(bars, own, places[GOOD], rng)
                far = distance(bars, own, places[GOOD])
                distances.append(about | {"distance": far, "lower": low, "upper": high})
    if not shares:
        return {}
    return {"histograms": pd.concat(shares), "distances": pd.DataFrame(distances)}


def _interval(
    bars: InputBars, a: Places, b: Places, rng: np.random.Generator
) -> tuple[float, float]:
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
