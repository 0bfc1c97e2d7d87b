"""Support: how close advice lies to people who are well classified as favourable."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.autoencoder import Autoencoder
from standfast.datasets import Dataset
from standfast.errors import InputError, check_whole
from standfast.evaluation.advised import Bools, Matrix, Vector, advised_points
from standfast.evaluation.rivals import judged
from standfast.percentiles import Percentiles
from standfast.recommendations import Recommendations
from standfast.scores import Score
from standfast.scores.score import check_score

STEPS = 33  # points asked on the way from advice to a neighbour, both ends included
NEIGHBOURS = 20  # of the local outlier factor, as Breunig et al. advise at least
USUAL = 0.95  # share of favourable people whose own nearest neighbour is within ε


@dataclass(frozen=True)
class Neighbours:
    """The well-classified favourable people that advice is compared with: the `k` nearest.

    `epsilon` is the distance up to which advice is connected with one of them; unless given, it is
    the distance within which 95 % of them have their own nearest neighbour. Where there are more
    than `sample` of them, that many are drawn by the `seed`.
    """

    k: int = 5
    epsilon: float | None = None
    sample: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole(k=self.k, sample=self.sample)
        if self.epsilon is not None and not 0 <= self.epsilon < np.inf:
            raise InputError(f"epsilon is {self.epsilon!r}; it must be a distance, 0 or above")


NEAREST = Neighbours()


@dataclass(frozen=True)
class Support:
    """How usual each recommendation is, among `favourable` people of H_f^+ ∩ D^+.

    `people` has one row per person: `distance`, the mean total percentile shift to the k nearest
    of them, and `nearest`; `outlier_factor` (about 1 is usual, above is not); `isolation`, an
    isolation forest's score (the higher the more usual); `connected`, whether one of them is within
    ε; `justified`, whether a straight line to one of the k nearest never leaves H_f^+; `bound`, the
    autoencoder's bound of log p in nats, where one is given. `summary` has n, mean and quartiles.
    """

    people: pd.DataFrame
    summary: pd.DataFrame
    favourable: int
    k: int
    epsilon: float

    def __repr__(self) -> str:
        mean = self.summary["mean"]
        return (
            f"<Support: n = {int(self.summary['n'].iloc[0])}, mean distance {mean['distance']:.4g} "
            f"to {self.k} of {self.favourable}, {mean['connected']:.0%} connected, "
            f"{mean['justified']:.0%} justified>"
        )


def support(
    recommendations: Recommendations,
    data: Dataset,
    f: Score,
    percentiles: Percentiles,
    *,
    neighbours: Neighbours = NEAREST,
    autoencoder: Autoencoder | None = None,
) -> Support:
    """How close each recommendation is to well-classified favourable people (Laugel et al. 2019).

    Distances are total percentile shifts. `connected` is DBSCAN's verdict with two points to a
    cluster. `justified` asks for a path to well-classified people inside H_f^+ and tries straight
    lines: yes is an answer, no means that none of k lines is one.

    Parameters
    ----------
    recommendations : Recommendations
        The advice.
    data, f : Dataset, Score
        Labelled people, and the model that must classify them well.
    percentiles : Percentiles
        The reference table.
    neighbours : Neighbours
        How many of them advice is compared with, and up to which distance it is connected.
    autoencoder : Autoencoder, optional
        Adds its bound of log p.

    Returns
    -------
    Support
        `people`, a row each, and `summary`.

    Examples
    --------
    >>> import standfast as sf
    >>> people = sf.datasets.twin("give_me_some_credit", n=300, seed=0)
    >>> f = sf.Linear([0, 0, -1, 0, 0, 0, 0, 0, 0, 0], 0.5)  # nobody 30 to 59 days late
    >>> q = sf.Percentiles.fit(people.table)
    >>> recs = sf.recommend(sf.MinimalCost(people.schema, q), f, people.table.head(20))
    >>> sf.support(recs, people, f, q).people.connected.sum().item()
    2
    """
    from sklearn.ensemble import IsolationForest

    advised = advised_points(recommendations)
    Y = advised.Y
    if data.schema.names != recommendations.schema.names:
        raise InputError("the data and the recommendations have different inputs; use one schema")
    check_score(f, "the model", Y.shape[1])
    q = percentiles.of(recommendations.schema)
    usual = _favourable(data, f, neighbours)
    ranks, goals = q.places(usual), q.places(Y)
    distance, near, epsilon = _nearest(ranks, goals, neighbours)
    forest = IsolationForest(random_state=neighbours.seed)
    measured: dict[str, Any] = {
        "distance": distance.mean(axis=1),
        "nearest": distance[:, 0],
        "outlier_factor": _outlier_factor(ranks, goals),
        "isolation": forest.fit(_plain(usual, ranks)).score_samples(_plain(Y, goals)),
        "connected": distance[:, 0] <= epsilon,
        "justified": _justified(f, Y, usual, near, q.unordered),
    }
    if autoencoder is not None:
        autoencoder.check(recommendations.schema, kinds=False)
        measured["bound"] = autoencoder.bound(Y)
    numbers = pd.DataFrame(measured, dtype=np.float64)
    summary = numbers.describe().T.rename(columns={"count": "n"}).rename_axis("measure")
    summary = summary[["n", "mean", "25%", "50%", "75%"]].astype({"n": "int64"})
    people = advised.table(measured).astype({"connected": "boolean", "justified": "boolean"})
    return Support(people, summary, len(usual), neighbours.k, epsilon)


def _favourable(data: Dataset, f: Score, neighbours: Neighbours) -> Matrix:
    """H_f^+ ∩ D^+: people labelled favourable whom the model accepts, at most `sample` of them."""
    X, k = data.schema.matrix(data.table), neighbours.k
    _, accepted = judged(f, X, "the model")
    usual = X[accepted & (data.labels.to_numpy() > 0)]
    if len(usual) <= k:
        raise InputError(
            f"the data hold {len(usual)} favourable people whom the model accepts, and k is {k}; "
            "give more data or a smaller k"
        )
    if len(usual) <= neighbours.sample:
        return usual
    rng, size = np.random.default_rng(neighbours.seed), max(neighbours.sample, k + 1)
    return usual[np.sort(rng.choice(len(usual), size, replace=False))]


def _nearest(
    ranks: Matrix, goals: Matrix, neighbours: Neighbours
) -> tuple[Matrix, NDArray[np.intp], float]:
    from sklearn.neighbors import NearestNeighbors

    tree = NearestNeighbors(n_neighbors=neighbours.k, metric="manhattan").fit(ranks)
    distance, near = tree.kneighbors(goals)
    if neighbours.epsilon is not None:
        return distance, near, neighbours.epsilon
    own, _ = tree.kneighbors(n_neighbors=1)  # everybody's nearest other
    return distance, near, float(np.quantile(own[:, 0], USUAL))


def _outlier_factor(ranks: Matrix, goals: Matrix) -> Vector:
    from sklearn.neighbors import LocalOutlierFactor

    # twenty people who share every value would have an infinite density: each profile counts once
    distinct = np.unique(ranks, axis=0)
    if len(distinct) < 3:
        return np.full(len(goals), np.nan)
    size = min(NEIGHBOURS, len(distinct) - 1)
    fitted = LocalOutlierFactor(n_neighbors=size, metric="manhattan", novelty=True)
    factor: Vector = -fitted.fit(distinct).score_samples(goals)
    return factor


def _plain(X: Matrix, places: Matrix) -> Matrix:
    """The rows as they are, or their places where some values are names or missing."""
    return X if places.shape == X.shape else places


def _justified(
    f: Score, Y: Matrix, usual: Matrix, near: NDArray[np.intp], unordered: Bools
) -> Bools:
    """Whether the model accepts every point on a line to one of the nearest.

    Halfway, categories change and gaps are filled or opened.
    """
    way = np.linspace(0.0, 1.0, STEPS)[None, :, None]
    justified = np.zeros(len(Y), dtype=bool)
    for column in near.T:
        left = np.flatnonzero(~justified)
        if not len(left):
            break
        start, end = Y[left][:, None, :], usual[column[left]][:, None, :]
        leaps = unordered | ~np.isfinite(start) | ~np.isfinite(end)
        with np.errstate(invalid="ignore"):
            between = (1.0 - way) * start + way * end
        points = np.where(leaps, np.where(way < 0.5, start, end), between)
        points = points.reshape(-1, Y.shape[1])
        inside = np.asarray(f.score(points) > 0.0).reshape(len(left), STEPS)
        # both ends are known to be accepted, by the estimator's own word
        justified[left] = inside[:, 1:-1].all(axis=1)
    return justified
