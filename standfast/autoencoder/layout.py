"""How a table's inputs stand inside the autoencoder: their order and their fixed normalisation."""

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.autoencoder.likelihoods import (
    BERNOULLI,
    CUMULATIVE,
    LOG_NORMAL,
    ORDER,
    POISSON,
    check_support,
    is_logged,
    likelihood_of,
)
from standfast.schema import Schema

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Layout:
    """The mutable inputs in order of their likelihood, the immutable ones, and the normalisation.

    Every input is seen as u = (t − centre) / scale with t = x, or t = log(1 + x) for amounts and
    counts. Centre and scale are those of the training table, for good: nothing depends on who
    else is being encoded.
    """

    free: Indices  # the mutable inputs' columns in the schema, in order of their likelihood
    given: Indices  # the immutable ones' columns: what the model is conditioned on
    kind: Indices  # each mutable input's likelihood, by its place in likelihoods.ORDER
    logged: Indices  # of all columns in the schema's order: whether log(1 + x) is seen
    centre: Vector
    scale: Vector
    base: Vector  # of each mutable input: where its head starts (log mean count, log odds)
    cap: Vector  # of each logged mutable input: the largest log(1 + x) or log rate to decode
    lowest: Vector  # of each mutable input: the least level of an ordinal
    levels: Indices  # of each mutable input: how many levels an ordinal has, else 0

    @classmethod
    def of(cls, schema: Schema, X: Matrix, index: pd.Index) -> "Layout":
        """The layout that a training table asks for; refuses what cannot be learnt from."""
        check_support(schema, X, index)
        order = arranged(schema)
        T = X.copy()
        logged = order["logged"] == 1
        T[:, logged] = np.log1p(X[:, logged])
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # too large to square: reported in training
            centre, deviation = T.mean(axis=0), T.std(axis=0)
        kind = order["kind"]
        part = X[:, order["free"]]
        mean = np.clip(part.mean(axis=0), 1e-3, None) if len(kind) else np.zeros(0)
        odds = np.clip(mean, 0.01, 0.99)
        ordinal = kind == CUMULATIVE
        lowest, highest = part.min(axis=0, initial=np.inf), part.max(axis=0, initial=-np.inf)
        return cls(
            **order,
            centre=centre,
            scale=np.where(deviation > 0, deviation, 1.0),
            base=np.where(
                kind == POISSON,
                np.log(mean),
                np.where(kind == BERNOULLI, np.log(odds / (1 - odds)), 0.0),
            ),
            # nothing is decoded beyond e² times the largest value seen
            cap=np.where(
                (kind == POISSON) | (kind == LOG_NORMAL), np.log1p(np.maximum(highest, 0)) + 2, 0
            ),
            lowest=np.where(ordinal, lowest, 0.0),
            levels=np.where(ordinal, highest - lowest + 1, 0).astype(np.int64),
        )

    @property
    def width(self) -> int:
        """How many inputs a row of the table has."""
        return len(self.logged)

    @cached_property
    def parts(self) -> tuple[slice, ...]:
        """Where each likelihood's inputs stand among the mutable ones, in likelihoods.ORDER."""
        edges = np.searchsorted(self.kind, np.arange(len(ORDER) + 1))
        return tuple(slice(int(a), int(b)) for a, b in pairwise(edges))

    def arrays(self) -> dict[str, NDArray[np.float64] | Indices]:
        """The parts by name, for files and fingerprints."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def normalised(self, X: Matrix) -> Matrix:
        """u of every cell, in the schema's order."""
        from standfast.autoencoder.kernels import normalise_rows

        rows = np.ascontiguousarray(X, dtype=np.float64)
        return normalise_rows(rows, self.logged, self.centre, self.scale)

    def constants(self, X: Matrix) -> Vector:
        """The part of each row's log-likelihood that no parameter touches."""
        from standfast.autoencoder.kernels import constants_of

        values = np.ascontiguousarray(X[:, self.free], dtype=np.float64)
        return constants_of(values, self.kind, self.scale[self.free])


def arranged(schema: Schema) -> dict[str, Indices]:
    """What the schema alone says of a layout: which columns stand where, and their likelihoods."""
    kinds = np.array([ORDER.index(likelihood_of(f)) for f in schema], dtype=np.int64)
    free = np.flatnonzero(schema.mutable).astype(np.int64)
    free = free[np.argsort(kinds[free], kind="stable")]
    return {
        "free": free,
        "given": np.flatnonzero(~schema.mutable).astype(np.int64),
        "kind": kinds[free],
        "logged": np.array([is_logged(f) for f in schema], dtype=np.int64),
    }
