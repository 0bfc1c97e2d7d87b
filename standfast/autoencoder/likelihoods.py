"""Which distribution describes each input, and which values it can describe at all."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.schema import Feature, Kind, Schema

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Likelihood = Literal["normal", "log-normal", "Poisson", "Bernoulli", "cumulative", "categorical"]

# In this order the mutable inputs stand inside the autoencoder, so that each likelihood is one
# slice. A categorical one has a head for each category.
LIKELIHOODS: Mapping[Kind, Likelihood] = {
    "real": "normal",
    "positive": "log-normal",
    "count": "Poisson",
    "binary": "Bernoulli",
    "ordinal": "cumulative",
    "nominal": "categorical",
}
ORDER: tuple[Likelihood, ...] = tuple(LIKELIHOODS.values())
NORMAL, LOG_NORMAL, POISSON, BERNOULLI, CUMULATIVE, CATEGORICAL = range(len(ORDER))

# A Poisson's variance is its mean. The latent numbers explain some of what is beyond that: up to 63
# times the mean in the counts of HELOC and Give Me Some Credit, which are learnt well. Amounts of
# money have tens of thousands.
MOST_SPREAD = 100.0

# what a value must be, by kind: the words of the refusal
NEEDS: Mapping[Kind, str] = {
    "real": "numbers",
    "positive": "numbers from 0 on (log(1 + x) is what it describes, so 0 is fine)",
    "count": "whole numbers from 0 on",
    "binary": "0 and 1",
    "ordinal": "whole numbers",
    "nominal": "its categories",
}


def likelihood_of(feature: Feature) -> Likelihood:
    """The distribution that an input's kind calls for.

    >>> likelihood_of(Feature("late", "count"))
    'Poisson'
    """
    return LIKELIHOODS[feature.kind]


def is_logged(feature: Feature) -> bool:
    """Whether the input is seen as log(1 + x), which tames the tails of amounts and counts."""
    return feature.kind in ("positive", "count")


def supported(feature: Feature, column: Vector) -> NDArray[np.bool_]:
    """Which values of a column the input's likelihood can describe."""
    good = np.ones(len(column), dtype=bool)
    if feature.kind in ("positive", "count", "binary"):
        good &= column >= 0
    if feature.kind in ("count", "binary", "ordinal"):
        good &= column % 1 == 0
    if feature.kind == "binary":
        good &= column <= 1
    return good


def spread_counts(schema: Schema, X: Matrix) -> dict[str, float]:
    """The mutable counts that are far too spread for a Poisson: their variance over their mean.

    >>> schema = Schema((Feature("late", "count"), Feature("payment", "count")))
    >>> {k: round(v) for k, v in spread_counts(schema, np.array([[0, 0], [3, 9000.0]])).items()}
    {'payment': 4500}
    """
    found = {}
    for feature, column in zip(schema.features, X.T, strict=True):
        column = column[~feature.is_missing(column)]
        if feature.mutable and feature.kind == "count" and len(column) and column.mean() > 0:
            ratio = float(column.var() / column.mean())
            if ratio > MOST_SPREAD:
                found[feature.name] = ratio
    return found


def check_support(schema: Schema, X: Matrix, index: pd.Index) -> None:
    """Refuse a table that holds a value outside its likelihood's support, or nothing to learn."""
    for feature, whole in zip(schema.features, X.T, strict=True):
        known = ~feature.is_missing(whole)
        column, rows = whole[known], pd.Index(index)[known]
        if not len(column):
            raise InputError(
                f"column '{feature.name}' is missing in every row, so there is nothing to learn "
                "about it; drop it"
            )
        wrong = ~supported(feature, column)
        if wrong.any():
            count = int(wrong.sum())
            raise InputError(
                f"column '{feature.name}' holds {count} value{'s' * (count > 1)} such as "
                f"{column[wrong][0]:g} (row{'s' * (count > 1)} {listing(rows[wrong], most=3)}) "
                f"that no {feature.kind} can be: its {likelihood_of(feature)} likelihood describes "
                f"{NEEDS[feature.kind]}; mend the table or declare another kind"
            )
        if feature.mutable and column.min() == column.max():
            raise InputError(
                f"column '{feature.name}' is {feature.shown(column[0])} in every row, so there is "
                "nothing to learn about it; drop it or say mutable = false in the schema"
            )
