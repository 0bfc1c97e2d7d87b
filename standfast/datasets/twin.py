"""Statistical twins: people who never lived, drawn from numbers measured on the real sets."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.datasets.dataset import Dataset
from standfast.datasets.german_credit_named import SCHEMA as GERMAN
from standfast.datasets.give_me_some_credit import SCHEMAS as CREDIT
from standfast.datasets.heloc import SCHEMAS as HELOC
from standfast.datasets.variants import Schemas, Variant, chosen
from standfast.errors import InputError
from standfast.schema import Schema

Array = NDArray[np.float64]

SCHEMAS: Mapping[str, Schemas] = {
    "give_me_some_credit": CREDIT,
    "heloc": HELOC,
    # with its categories by name, and unknown ones among them
    "german_credit": {"sensible": GERMAN, "published": GERMAN},
}


def twin(name: str, n: int = 8000, *, seed: int = 0, variant: Variant = "sensible") -> Dataset:
    """A table of `n` people drawn at random who resemble the real set `name`; nobody is real.

    The real people were divided into a few groups by class and by plain facts (for HELOC: ever
    late or never, risk estimate below its median or not; for Give Me Some Credit: lateness is a
    code, no usable income, neither). Per group the embedded file holds its share, the quantiles
    of every input and the correlations of a Gaussian copula: a person is a group, then
    z ~ N(0, R), then x_j = F_j⁻¹(Φ(z_j)). Where one input
    never exceeds another, their difference is drawn instead; a category is drawn as its code.
    `scripts/measure_twins.py` measured these numbers and shows how close the twins come. The
    people are the same in every `variant` of the schema.

    >>> people = twin("heloc", 100, seed=1)
    >>> people.origin
    'twin of heloc, n=100, seed=1'
    """
    if name not in SCHEMAS:
        raise InputError(f"there is no twin of {name!r}; there are twins of {', '.join(SCHEMAS)}")
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise InputError(f"a twin of n={n!r} people cannot be drawn; n is a whole number from 1 on")
    return drawn(numbers(name), chosen(SCHEMAS[name], variant), int(n), seed=seed)


def numbers(name: str) -> dict[str, Any]:
    """The embedded measurements of one real set."""
    text = files("standfast.datasets").joinpath(f"twin_of_{name}.json").read_text("utf-8")
    measured: dict[str, Any] = json.loads(text)
    return measured


def drawn(measured: Mapping[str, Any], schema: Schema, n: int, *, seed: int) -> Dataset:
    """A twin from measurements: what `twin` does once the embedded file is read."""
    rng = np.random.default_rng(seed)
    groups = measured["groups"]
    weights = np.array([group["share"] for group in groups])
    member = rng.choice(len(groups), size=n, p=weights / weights.sum())
    favourable = np.array([group["favourable"] for group in groups])[member]
    labels = np.where(rng.random(n) < favourable, 1, -1)
    columns = {name: np.empty(n) for name in schema.names}
    for number, group in enumerate(groups):
        rows = np.flatnonzero(member == number)
        for name, values in _people(group, len(rows), measured["decimals"], rng).items():
            columns[name][rows] = values
    for larger, smaller in measured["differences"].items():
        total = columns[larger] + columns[smaller]
        # a difference may be negative (7 % of HELOC's people have more satisfactory trades than
        # trades); where that would leave none, the two are equal, as they mostly are
        columns[larger] = np.where(total > 0, total, columns[smaller])
    for smaller, larger in measured["caps"].items():
        columns[smaller] = np.minimum(columns[smaller], columns[larger])
    table = pd.DataFrame(columns)
    table = table.astype({f.name: "int64" for f in schema.features if f.kind == "count"})
    for feature in schema:
        if feature.coder is not None:
            table[feature.name] = feature.coder.decode(columns[feature.name])
    origin = f"twin of {measured['name']}, n={n}, seed={seed}"
    return Dataset(table, pd.Series(labels), schema, measured["name"], origin)


def _people(
    group: Mapping[str, Any], n: int, decimals: Mapping[str, int], rng: np.random.Generator
) -> dict[str, Array]:
    """The inputs of n people of one group: Gaussian copula, then each input's own quantiles."""
    from scipy.special import ndtr

    marginals = group["inputs"]
    d = len(marginals)
    R = np.eye(d)
    R[np.tril_indices(d, -1)] = group["correlations"]
    # the Cholesky factor reads the lower half and, unlike eigenvectors, is unique: the same
    # people on every machine
    U = ndtr(rng.standard_normal((n, d)) @ np.linalg.cholesky(R).T)
    return {
        name: np.round(_quantile(marginal, U[:, j]), decimals[name])
        for j, (name, marginal) in enumerate(marginals.items())
    }


def _quantile(marginal: Mapping[str, list[float]], u: Array) -> Array:
    """F⁻¹(u): a table of values with their shares, or lines between measured quantiles."""
    values = np.array(marginal["values"], dtype=np.float64)
    if "shares" in marginal:
        edges = np.cumsum(marginal["shares"])
        return values[np.searchsorted(edges[:-1] / edges[-1], u, side="right")]
    return np.interp(u, marginal["levels"], values)
