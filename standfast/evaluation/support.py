"""Support: how close advice lies to people who are well classified as favourable."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.autoencoder import Autoencoder
from standfast.datasets import Dataset
from standfast.errors import InputError
from standfast.evaluation.advised import Matrix, advised_points
from standfast.evaluation.rivals import Vector, check, judged
from standfast.percentiles import Percentiles
from standfast.recommendations import Recommendations
from standfast.scores import Score

STEPS = 33  # points asked on the way from advice to a neighbour, both ends included
NEIGHBOURS = 20  # of the local outlier factor, as Breunig et al. advise at least
USUAL = 0.95  # share of favourable people whose own nearest neighbour is within ε


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
    k: int = 5,
    epsilon: float | None = None,
    sample: int = 10_000,
    autoencoder: Autoencoder | None = None,
    seed: int = 0,
) -> Support:
    """How close each recommendation is to well-classified favourable people (Laugel et al. 2019).

    Distances are total percentile shifts. `connected` is DBSCAN's verdict with two points to a
    cluster; unless given, `epsilon` is the distance within which 95 % of the favourable people have
    their own nearest neighbour. `justified` asks for a path to well-classified people inside H_f^+
    and tries straight lines: yes is an answer, no means that none of k lines is one. Where there
    are more than `sample` favourable people, that many are drawn by the seed.
    """
    found, _, Y = advised_points(recommendations)
    if data.schema.names != recommendations.schema.names:
        raise InputError("the data and the recommendations have other inputs; use one schema")
    check(f, "the model", Y.shape[1])
    q = percentiles.of(recommendations.schema)
    usual = _favourable(data, f, k, sample, seed)
    ranks, goals = q.rank(usual), q.rank(Y)
    measured, near, epsilon = _distances(ranks, goals, k, epsilon)
    measured["outlier_factor"] = _outlier_factor(ranks, goals)
    measured["isolation"] = _isolation(usual, Y, seed)
    measured["connected"] = (measured["nearest"] <= epsilon).astype(np.float64)
    measured["justified"] = _justified(f, Y, usual, near).astype(np.float64)
    if autoencoder is not None:
        autoencoder.check(recommendations.schema, kinds=False)
        measured["bound"] = autoencoder.bound(Y)
    index = recommendations.index
    people = pd.DataFrame({"outcome": recommendations.outcome, "advised": found}, index=index)
    for name, values in measured.items():
        column = pd.Series(values, index=index[found]).reindex(index)
        yes_or_no = name in ("connected", "justified")
        people[name] = column.astype("boolean") if yes_or_no else column
    rows = {name: _row(values) for name, values in measured.items()}
    summary = pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")
    return Support(people, summary.astype({"n": "int64"}), len(usual), k, epsilon)


def _favourable(data: Dataset, f: Score, k: int, sample: int, seed: int) -> Matrix:
    """H_f^+ ∩ D^+: people labelled favourable whom the model accepts, at most `sample` of them."""
    for what, value in (("k", k), ("sample", sample)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InputError(f"{what} is {value!r}; it must be a whole number, 1 or above")
    X = data.schema.matrix(data.table)
    _, accepted = judged(f, X, "the model")
    usual = X[accepted & (data.labels.to_numpy() > 0)]
    if len(usual) <= k:
        raise InputError(
            f"the data hold {len(usual)} favourable people whom the model accepts, and k is {k}; "
            "give more data or a smaller k"
        )
    if len(usual) <= sample:
        return usual
    rows = np.random.default_rng(seed).choice(len(usual), max(sample, k + 1), replace=False)
    return usual[np.sort(rows)]


def _distances(
    ranks: Matrix, goals: Matrix, k: int, epsilon: float | None
) -> tuple[dict[str, Vector], NDArray[np.intp], float]:
    from sklearn.neighbors import NearestNeighbors

    if epsilon is not None and not 0 <= epsilon < np.inf:
        raise InputError(f"epsilon is {epsilon!r}; it must be a distance, 0 or above")
    tree = NearestNeighbors(n_neighbors=k, metric="manhattan").fit(ranks)
    distance, near = tree.kneighbors(goals)
    if epsilon is None:
        own, _ = tree.kneighbors(n_neighbors=1)  # everybody's nearest other
        epsilon = float(np.quantile(own[:, 0], USUAL))
    return {"distance": distance.mean(axis=1), "nearest": distance[:, 0]}, near, epsilon


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


def _isolation(usual: Matrix, Y: Matrix, seed: int) -> Vector:
    from sklearn.ensemble import IsolationForest

    score: Vector = IsolationForest(random_state=seed).fit(usual).score_samples(Y)
    return score


def _justified(f: Score, Y: Matrix, usual: Matrix, near: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether the model accepts every point on a line to one of the nearest."""
    way = np.linspace(0.0, 1.0, STEPS)[None, :, None]
    justified = np.zeros(len(Y), dtype=bool)
    for column in near.T:
        left = np.flatnonzero(~justified)
        if not len(left):
            break
        start, end = Y[left][:, None, :], usual[column[left]][:, None, :]
        points = ((1.0 - way) * start + way * end).reshape(-1, Y.shape[1])
        inside = np.asarray(f.score(points) > 0.0).reshape(len(left), STEPS)
        # both ends are known to be accepted, by the estimator's own word
        justified[left] = inside[:, 1:-1].all(axis=1)
    return justified


def _row(values: Vector) -> dict[str, float]:
    levels = np.quantile(values, (0.25, 0.5, 0.75))
    named = dict(zip(("25%", "50%", "75%"), levels, strict=True))
    return {"n": float(len(values)), "mean": float(values.mean()), **named}
