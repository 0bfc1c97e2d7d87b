"""Does it model the data? What an autoencoder keeps of people, and what it makes of them."""

from dataclasses import replace

import numpy as np
import pandas as pd

from standfast.autoencoder.autoencoder import Autoencoder
from standfast.autoencoder.layout import Matrix, Vector
from standfast.autoencoder.likelihoods import likelihood_of, spread_counts
from standfast.autoencoder.sampling import sample
from standfast.percentiles import Percentiles
from standfast.schema import Schema

QUARTERS = (0.1, 0.5, 0.9)


def warnings_about(schema: Schema, table: pd.DataFrame) -> list[str]:
    """What speaks against fitting an autoencoder to a table as it is declared, in sentences.

    One for each mutable count whose variance is more than a hundred times its mean: most of them
    are amounts, and a Poisson likelihood describes them badly.
    """
    return [
        f"column '{name}' is declared as a count, but its variance is {ratio:,.0f} times its mean; "
        "the Poisson likelihood of a count expects about once its mean and will fit it badly: if "
        'it is an amount, such as money, declare kind = "positive" in the schema and fit again'
        for name, ratio in spread_counts(schema, schema.matrix(table)).items()
    ]


def held_out_bound(autoencoder: Autoencoder, table: pd.DataFrame) -> pd.DataFrame:
    """The mean bound of log p(x | x_c) of training people and of those in a table, in nats.

    One row per group: people, mean, its standard error, and the groups' median. A held-out mean
    far below the training people's means that the autoencoder has learnt them by heart.
    """
    bound, about = autoencoder.bound(autoencoder.schema.matrix(table)), autoencoder.about
    rows = [
        (about["rows"], about["bound"], np.median(autoencoder.bounds), about["deviation"]),
        (len(bound), bound.mean(), np.median(bound), bound.std()),
    ]
    columns = ["n", "mean", "median", "standard_error"]
    frame = pd.DataFrame(
        rows, columns=columns, index=pd.Index(["training", "these"], name="people")
    )
    frame["standard_error"] /= np.sqrt(frame["n"])
    return frame


def reconstruction(
    autoencoder: Autoencoder, table: pd.DataFrame, percentiles: Percentiles
) -> pd.DataFrame:
    """How well each mutable input survives encoding and decoding, one row per input.

    `rank_correlation` (Spearman) between values and their reconstructions, NaN where the table
    holds a single value and for nominals, which have no ranks; `mean_shift`, the mean percentile
    shift (or price of a change of category) that mere reconstruction makes; `unchanged`, the share
    of people who get their own value back after rounding to the grid. Only people whose value is
    known count.
    """
    X, Y = _pair(autoencoder, table, percentiles)
    shift = percentiles.of(_grid(autoencoder, percentiles)).shift(X, Y)
    raw, known = autoencoder.reconstruct(X), ~autoencoder.schema.lacking(X)
    rows = []
    for j, feature in enumerate(autoencoder.schema):
        if feature.mutable and known[:, j].any():
            who, named = known[:, j], feature.kind == "nominal"
            x, y = X[who, j], raw[who, j]
            rank = float("nan") if named else _rank_correlation(x, y)
            unchanged = (x == Y[who, j]).mean()
            moved = shift[who, j].mean()
            rows.append((feature.name, likelihood_of(feature), rank, moved, unchanged))
    columns = ["feature", "likelihood", "rank_correlation", "mean_shift", "unchanged"]
    return pd.DataFrame(rows, columns=columns).set_index("feature")


def marginals(
    autoencoder: Autoencoder, table: pd.DataFrame, percentiles: Percentiles, seed: int = 0
) -> pd.DataFrame:
    """Real against decoded values, one row per mutable input.

    Quantiles of the real values, of their reconstructions and of people drawn from the model, and
    the largest difference between distribution functions (Kolmogorov–Smirnov) of either with the
    real ones. Reconstructions are middles, so they spread less than people; draws should not. A
    nominal has no quantiles, and its distance is the largest difference between the shares of any
    set of categories (total variation); a named ordinal's quantiles are the positions of its
    categories, counted from 0. Only people whose value is known count.
    """
    from scipy.stats import ks_2samp

    X, Y = _pair(autoencoder, table, percentiles)
    drawn = _grid(autoencoder, percentiles).project(X, sample(autoencoder, X, seed))
    known = ~autoencoder.schema.lacking(X)
    rows = {}
    for j, feature in enumerate(autoencoder.schema):
        if feature.mutable and known[:, j].any():
            real, decoded, new = (values[known[:, j], j] for values in (X, Y, drawn))
            named = feature.kind == "nominal"
            row: dict[str, float] = {}
            for what, values in (("real", real), ("decoded", decoded), ("drawn", new)):
                for level, value in zip(QUARTERS, np.quantile(values, QUARTERS), strict=True):
                    row[f"{what}_{level:.0%}"] = float("nan") if named else float(value)
            for what, values in (("decoded", decoded), ("drawn", new)):
                far = _variation(real, values) if named else ks_2samp(real, values).statistic
                row[f"{what}_distance"] = float(far)
            rows[feature.name] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("feature")


def _variation(a: Vector, b: Vector) -> float:
    """Half the sum of the differences between the categories' shares."""
    codes = np.union1d(a, b)
    return float(sum(abs((a == c).mean() - (b == c).mean()) for c in codes) / 2)


def _pair(
    autoencoder: Autoencoder, table: pd.DataFrame, percentiles: Percentiles
) -> tuple[Matrix, Matrix]:
    """People and their reconstructions, on the schema's grid."""
    X = autoencoder.schema.matrix(table)
    return X, _grid(autoencoder, percentiles).project(X, autoencoder.reconstruct(X))


def _grid(autoencoder: Autoencoder, percentiles: Percentiles) -> Schema:
    """The schema's bounds and steps alone: where advice may not go says nothing of the model."""
    domain = autoencoder.schema.complete(percentiles.of(autoencoder.schema).values)
    return Schema(tuple(replace(f, direction="any", transitions=None) for f in domain))


def _rank_correlation(x: Matrix, y: Matrix) -> float:
    if x.min() == x.max() or y.min() == y.max():
        return float("nan")
    from scipy.stats import spearmanr

    return float(spearmanr(x, y).statistic)
