"""Measures the numbers behind the statistical twins on the real files, and shows their closeness.

    STANDFAST_DATA=folder python scripts/measure_twins.py            # compare the embedded numbers
    STANDFAST_DATA=folder python scripts/measure_twins.py --write    # measure again, then compare

What is stored is about groups of people, never about one: shares, quantiles and correlations.
Deterministic: the same files give the same numbers.
"""

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.datasets import Dataset, german_credit, give_me_some_credit, heloc, twin
from standfast.schema import Feature, Schema

Array = NDArray[np.float64]

# An extreme value is one person's own; at the ends only the mean of at least this many is kept,
# and quantiles lie at least this many people apart.
FEWEST = 10
# A group is divided by class if both classes have at least this many people.
SMALLEST = 200
# Counts are stored value by value if there are at most this many values and, on average, at least
# so many people per value; otherwise as quantiles, like real numbers.
MOST_VALUES, PEOPLE_PER_VALUE = 128, 5
# Levels of stored quantiles besides the percentiles: the tails ruin or save a linear model.
TAILS = (0.001, 0.002, 0.005, 0.995, 0.998, 0.999, 0.9995, 0.9998, 0.9999)
SWEEPS, BURN_IN = 60, 20


@dataclass(frozen=True)
class Plan:
    """How one real set is divided into groups, and the laws its twin keeps."""

    load: Callable[..., Dataset]
    groups: Callable[[pd.DataFrame], pd.Series]
    # larger: smaller, hardly broken by the real people; the larger is drawn as smaller + rest
    differences: Mapping[str, str]
    # smaller: larger, never broken either, but too loose for a difference to help
    caps: Mapping[str, str]
    decimals: Mapping[str, int]
    # whether the two classes of a group share their correlations
    one_copula: bool


def heloc_groups(table: pd.DataFrame) -> pd.Series:
    """Ever late or never (it ties four inputs together); risk estimate below its median or not."""
    late = table["PercentTradesNeverDelq"].lt(100).map({True: "late", False: "never late"})
    low = table["ExternalRiskEstimate"].lt(72)
    return late + low.map({True: ", risk estimate below 72", False: ", risk estimate from 72 on"})


def credit_groups(table: pd.DataFrame) -> pd.Series:
    """Lateness is a code; no usable income (then the debt ratio is an amount); everybody else."""
    groups = pd.Series("ordinary", index=table.index)
    groups[table["MonthlyIncome"] <= 1] = "no usable income"
    groups[table["NumberOfTimes90DaysLate"] >= 96] = "lateness is a code"
    return groups


PLANS = {
    "heloc": Plan(
        heloc,
        heloc_groups,
        differences={
            "NumInqLast6M": "NumInqLast6Mexcl7days",
            "NumTrades60Ever2DerogPubRec": "NumTrades90Ever2DerogPubRec",
            "NumRevolvingTradesWBalance": "NumBank2NatlTradesWHighUtilization",
            # broken by 7 % of the real people, so the rest may be negative
            "NumTotalTrades": "NumSatisfactoryTrades",
        },
        caps={"MSinceMostRecentTradeOpen": "AverageMInFile"},
        decimals={},
        # measured apart, on a thousand people each, the classes differ so much in their 190
        # correlations that a forest gains 0.015 AUC over the real set; together 0.009
        one_copula=True,
    ),
    "german_credit": Plan(
        partial(german_credit, release="corrected", named=True),
        lambda table: pd.Series("everybody", index=table.index),
        differences={},
        caps={},
        decimals={},
        one_copula=True,
    ),
    "give_me_some_credit": Plan(
        give_me_some_credit,
        credit_groups,
        differences={"NumberOfOpenCreditLinesAndLoans": "NumberRealEstateLoansOrLines"},
        caps={},
        decimals={"RevolvingUtilizationOfUnsecuredLines": 7, "DebtRatio": 7},
        # here the classes do differ: lateness goes with other things for those who default
        one_copula=False,
    ),
}


def measured(data: Dataset, plan: Plan) -> dict[str, Any]:
    """Everything the twin of one real set is drawn from."""
    table = coded(data)
    for larger, smaller in plan.differences.items():
        table[larger] -= table[smaller]
    groups = []
    for about, people in table.groupby(plan.groups(data.table)):
        labels = data.labels[people.index]
        if labels.value_counts().reindex([-1, 1], fill_value=0).min() < SMALLEST:
            R = latent_correlations(people.to_numpy())
            favourable = float((labels == 1).mean())
            groups.append(group(str(about), people, R, favourable, len(table), data.schema))
            continue
        parts = [people[labels == -1], people[labels == 1]]
        own = [latent_correlations(part.to_numpy()) for part in parts]
        if plan.one_copula:
            own = [np.average(own, axis=0, weights=[len(part) for part in parts])] * 2
        for part, R, share, word in zip(
            parts, own, (0, 1), ("unfavourable", "favourable"), strict=True
        ):
            groups.append(group(f"{about}, {word}", part, R, share, len(table), data.schema))
    return {
        "name": data.name,
        "rows": len(table),
        "differences": dict(plan.differences),
        "caps": dict(plan.caps),
        "decimals": {str(name): plan.decimals.get(str(name), 0) for name in table},
        "groups": groups,
    }


def group(
    about: str, people: pd.DataFrame, R: Array, favourable: float, total: int, schema: Schema
) -> dict[str, Any]:
    """The numbers of one group: share, share of favourable labels, quantiles, correlations."""
    # three digits are enough, and a pinch of identity keeps the rounded matrix positive definite
    R = np.round(0.998 * R, 3)
    np.fill_diagonal(R, 1.0)
    np.linalg.cholesky(R)
    return {
        "about": about,
        "share": round(len(people) / total, 6),
        "favourable": round(favourable, 3),
        "inputs": {f.name: marginal(people[f.name].to_numpy(), f) for f in schema},
        "correlations": R[np.tril_indices(len(R), -1)].tolist(),
    }


def coded(data: Dataset) -> pd.DataFrame:
    """The table with categories as codes."""
    return pd.DataFrame(
        data.schema.matrix(data.table), index=data.table.index, columns=list(data.schema.names)
    )


def marginal(column: Array, feature: Feature) -> dict[str, list[float]]:
    """One input's distribution in one group, extremes blunted so that no single person shows."""
    values, counts = np.unique(column, return_counts=True)
    if feature.coder is not None:  # a category that only a few have is left out
        values, counts = values[counts >= FEWEST], counts[counts >= FEWEST]
        return {"values": values.tolist(), "shares": np.round(counts / counts.sum(), 5).tolist()}
    most = min(MOST_VALUES, len(column) // PEOPLE_PER_VALUE)
    if len(values) <= most and not (values % 1).any():
        return shares(values, counts)
    return quantiles(column, values, counts)


def shares(values: Array, counts: NDArray[np.int64]) -> dict[str, list[float]]:
    """Whole values and how often they occur; the extremes are merged until they hold a few."""
    for end in (slice(None), slice(None, None, -1)):
        v, c = values[end], counts[end]
        k = int(np.searchsorted(np.cumsum(c), min(FEWEST, c.sum()))) + 1
        merged = np.round(np.average(v[:k], weights=c[:k]))
        values, counts = np.r_[merged, v[k:]][end], np.r_[c[:k].sum(), c[k:]][end]
    return {"values": values.tolist(), "shares": np.round(counts / counts.sum(), 5).tolist()}


def quantiles(column: Array, values: Array, counts: NDArray[np.int64]) -> dict[str, list[float]]:
    """Quantiles to draw lines between; a value many people share keeps its exact share."""
    ordered, n = np.sort(column), len(column)
    frequent = counts >= max(FEWEST, n // 200)
    above = np.cumsum(counts) / n
    below = above - counts / n
    atoms = values[frequent]
    edges = np.r_[below[frequent] + 0.5 / n, above[frequent]]
    steps = min(100, n // FEWEST)
    levels = np.r_[np.arange(1, steps) / steps, TAILS, edges]
    levels = np.unique(levels[(levels >= FEWEST / n) & (levels <= 1 - FEWEST / n)])
    at = ordered[np.ceil(levels * n - 1e-9).astype(int) - 1]
    # three digits hide whose value it was; a shared value is nobody's own
    lowest, highest = np.r_[-np.inf, atoms], np.r_[atoms, np.inf]
    place = np.searchsorted(atoms, at)
    rounded = np.clip(digits(at, 3), lowest[place], highest[place])
    inner = np.where(np.isin(at, atoms), at, rounded)
    # the ends lie where the few most extreme people keep their mean
    means = np.array([ordered[:FEWEST].mean(), ordered[-FEWEST:].mean()])
    first, last = digits(2 * means - inner[[0, -1]], 2)
    ends = np.r_[np.clip(first, 0, inner[0]), inner, max(last, inner[-1])]
    return {"values": ends.tolist(), "levels": np.round(np.r_[0, levels, 1], 6).tolist()}


def digits(x: Array, count: int) -> Array:
    """Numbers rounded to so many significant digits."""
    return np.array([float(f"{value:.{count}g}") for value in x])


def latent_correlations(X: Array) -> Array:
    """The correlations of the Gaussian copula whose thresholds gave these partly tied columns.

    Ranks with ties broken at random would make two columns full of zeros look unrelated. Here a
    tied value's normal score is drawn given the person's other scores, within the tie's interval
    (Gibbs sampling of the rank likelihood, Hoff 2007), and the correlations are re-estimated.
    """
    from scipy.special import ndtr, ndtri

    rng = np.random.default_rng(0)
    n, d = X.shape
    ordered = np.sort(X, axis=0)
    low, high = (
        np.column_stack([np.searchsorted(ordered[:, j], X[:, j], side) for j in range(d)]) / n
        for side in ("left", "right")
    )
    Z = ndtri(low + (high - low) * rng.uniform(1e-6, 1 - 1e-6, (n, d)))
    low, high = ndtri(low), ndtri(high)
    total = np.zeros((d, d))
    for sweep in range(SWEEPS):
        R = np.corrcoef(Z, rowvar=False)
        P = np.linalg.inv(0.999 * R + 0.001 * np.eye(d))
        for j in range(d):
            spread = P[j, j] ** -0.5
            centre = Z[:, j] - Z @ P[:, j] / P[j, j]
            a, b = ndtr((low[:, j] - centre) / spread), ndtr((high[:, j] - centre) / spread)
            u = np.clip(a + (b - a) * rng.random(n), 1e-12, 1 - 1e-12)
            Z[:, j] = np.clip(centre + spread * ndtri(u), low[:, j], high[:, j])
        if sweep >= BURN_IN:
            total += np.corrcoef(Z, rowvar=False)
    return total / (SWEEPS - BURN_IN)


def models() -> dict[str, Any]:
    """The models whose AUCs are compared."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import QuantileTransformer, StandardScaler

    # Give Me Some Credit's outliers wreck plain standardisation; percentiles do not mind them
    percentiles = QuantileTransformer(n_quantiles=200, subsample=None)
    return {
        "logistic regression": make_pipeline(percentiles, LogisticRegression(max_iter=1000)),
        "logistic regression, plain": make_pipeline(
            StandardScaler(), LogisticRegression(max_iter=1000)
        ),
        "random forest": RandomForestClassifier(100, max_depth=8, random_state=0),
    }


def aucs(data: Dataset, most: int = 30_000, folds: int = 5) -> dict[str, float]:
    """Each model's test AUC, averaged over the folds of a cross-validation on at most so many."""
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    if len(data) > most:
        data, _ = data.split(most / len(data), seed=0)
    X, y = data.schema.matrix(data.table), data.labels.to_numpy()
    parts = list(StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y))
    found = {}
    for name, model in models().items():
        scores = [
            roc_auc_score(y[test], model.fit(X[train], y[train]).predict_proba(X[test])[:, 1])
            for train, test in parts
        ]
        found[name] = float(np.mean(scores))
    return found


def distances(real: Dataset, other: Dataset) -> dict[str, float]:
    """How far apart two sets are: marginals per class (Kolmogorov-Smirnov), rank correlations."""
    from scipy.stats import ks_2samp

    marginals, correlations = [], []
    for label in (-1, 1):
        a, b = (coded(data)[data.labels == label] for data in (real, other))
        marginals += [float(ks_2samp(a[name], b[name]).statistic) for name in a]
        gap = (a.rank().corr() - b.rank().corr()).abs().to_numpy()
        correlations.append(gap[np.triu_indices(len(gap), 1)])
    return {
        "largest marginal distance (KS, per class)": max(marginals),
        "mean marginal distance (KS, per class)": float(np.mean(marginals)),
        "largest rank correlation gap (per class)": float(np.nanmax(correlations)),
        "mean rank correlation gap (per class)": float(np.nanmean(correlations)),
    }


def main() -> None:
    """Measure if asked to, then print real against twin."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", nargs="?", help="folder of the real files; else STANDFAST_DATA")
    parser.add_argument("--only", choices=sorted(PLANS), help="one set only")
    parser.add_argument("--write", action="store_true", help="measure and replace the numbers")
    arguments = parser.parse_args()
    home = Path(__file__).parent.parent / "standfast" / "datasets"
    for name, plan in PLANS.items():
        if arguments.only not in (None, name):
            continue
        real = plan.load(arguments.folder)
        file = home / f"twin_of_{name}.json"
        if arguments.write:
            file.write_text(written(measured(real, plan)), encoding="utf-8")
        other = twin(name, len(real), seed=0)
        print(f"\n{real}\n{other}\n{file.name}: {file.stat().st_size / 1000:.0f} kB")
        for label, value in distances(real, other).items():
            print(f"  {label:44s} {value:.4f}")
        theirs = aucs(other)
        for label, value in aucs(real).items():
            twins = theirs[label]
            print(f"  AUC {label:28s} real {value:.4f}  twin {twins:.4f}  {twins - value:+.4f}")


def written(numbers: dict[str, Any]) -> str:
    """The numbers as JSON, one input per line: short, and a change shows where it is."""

    def short(x: Any) -> Any:
        if isinstance(x, float):
            return int(x) if x == int(x) else x
        if isinstance(x, dict):
            return {k: short(v) for k, v in x.items()}
        return [short(v) for v in x] if isinstance(x, list) else x

    text = json.dumps(short(numbers), separators=(",", ":"))
    return text.replace('"inputs":', '\n"inputs":').replace("},", "},\n") + "\n"


if __name__ == "__main__":
    main()
