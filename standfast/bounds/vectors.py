"""What the bounds are fed: score vectors, labels and costs, checked before any work."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standfast.errors import InputError, listing

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Bools = NDArray[np.bool_]


def scores(given: ArrayLike, what: str, n: int | None = None) -> Vector:
    """A vector of finite scores, one per person."""
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be numbers, one score per person: {error}") from error
    if values.ndim != 1 or not len(values):
        raise InputError(
            f"{what} has the shape {values.shape}; give one score per person: model.score(X)"
        )
    if n is not None and len(values) != n:
        raise InputError(
            f"{what} has {len(values)} scores where the others have {n}; score the same people"
        )
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise InputError(
            f"{what} holds {values[bad[0]]} in {len(bad)} place{'s' * (len(bad) > 1)} (first: "
            f"{bad[0]}); a bound needs finite scores: leave these people out and say so"
        )
    return values


def stacked(given: Sequence[ArrayLike]) -> Matrix:
    """Several models' scores of the same people, a row per model."""
    if not len(given):
        raise InputError("no score vector was given; give one per model: [f, g]")
    first = scores(given[0], "the first model's vector")
    rest = [
        scores(vector, f"the vector of model {k}", len(first))
        for k, vector in enumerate(given[1:], start=1)
    ]
    return np.vstack([first, *rest])


def residuals(G: Matrix) -> tuple[Bools, Vector]:
    """Whom at least one model refuses, and the residual r = max_k(−g_k) of each of them."""
    refused: Bools = np.any(G <= 0, axis=0)
    if not refused.any():
        raise nobody(G.shape[1])
    return refused, np.maximum((-G[:, refused]).max(axis=0), 0.0)


def labels(given: ArrayLike, n: int) -> Bools:
    """Who is favourable, from labels −1/+1 or 0/1."""
    values = np.asarray(given)
    if values.ndim != 1 or len(values) != n:
        raise InputError(
            f"the labels have the shape {values.shape} where there are {n} scores; give one label "
            "per person"
        )
    found = np.unique(values[~_missing(values)]).tolist()
    if _missing(values).any():
        raise InputError("the labels hold missing values; leave these people out and say so")
    for allowed in ((-1, 1), (0, 1)):
        if all(value in allowed for value in found):
            return np.asarray(values == 1)
    raise InputError(
        f"the labels hold {listing(found)}; allowed are -1 and +1, or 0 and 1, with 1 favourable"
    )


def _missing(values: NDArray[np.generic]) -> Bools:
    if values.dtype == object:
        return np.array([value is None or value != value for value in values], dtype=bool)
    return np.asarray(np.isnan(values)) if values.dtype.kind == "f" else np.zeros(len(values), bool)


def constants(alpha: float, gamma: float = 1.0) -> tuple[float, float]:
    """α > 0 and γ in (0, 1]."""
    for name, value in (("alpha", alpha), ("gamma", gamma)):
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise InputError(f"{name} is {value!r}; it must be a number")
    if not 0.0 < alpha < np.inf:
        raise InputError(
            f"alpha is {alpha!r}; it must be positive and finite: see alpha_gamma(...)"
        )
    if not 0.0 < gamma <= 1.0:
        raise InputError(f"gamma is {gamma!r}; it must lie above 0 and be at most 1")
    return float(alpha), float(gamma)


def nobody(n: int) -> InputError:
    """What to say where no model refuses anybody."""
    return InputError(
        f"none of the {n} people is refused, so there is no cost to bound; raise the models' "
        "threshold, train them with class_weight='balanced', or give people they refuse"
    )
