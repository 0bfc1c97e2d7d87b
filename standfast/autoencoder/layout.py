"""How a table's inputs stand inside the autoencoder: their order and their fixed normalisation."""

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.autoencoder.likelihoods import (
    BERNOULLI,
    CATEGORICAL,
    CUMULATIVE,
    LOG_NORMAL,
    ORDER,
    POISSON,
    check_support,
    is_logged,
    likelihood_of,
)
from standfast.schema import Feature, Schema
from standfast.schema.categories import MISSING

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

# what a place that stands for no category stands for
NUMBER, GAP = -1, -2
LATER = ("code", "given_code")  # not in the files of version 0.1.0


@dataclass(frozen=True, eq=False)
class Layout:
    """The mutable inputs in order of their likelihood, the immutable ones, and the normalisation.

    Every input is seen as u = (t − centre) / scale with t = x, or t = log(1 + x) for amounts and
    counts. Centre and scale are those of the training table, for good: nothing depends on who
    else is being encoded. A nominal input takes a place for each of its categories, which sees 1
    where the person has it; a missing value is seen nowhere. Among what is given, a missing value
    is 0, and a place of its own says so.
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
    code: Indices  # of each place of a mutable input: the category it stands for, or NUMBER
    given_code: Indices  # of each place of what is given: the category, NUMBER or GAP

    @classmethod
    def of(cls, schema: Schema, X: Matrix, index: pd.Index) -> "Layout":
        """The layout that a training table asks for; refuses what cannot be learnt from."""
        check_support(schema, X, index)
        order = arranged(schema)
        known = ~schema.lacking(X)
        T = X.copy()
        logged = order["logged"] == 1
        T[:, logged] = np.log1p(np.where(known, X, 0.0)[:, logged])
        centre, deviation = _moments(T, known)
        kind = order["kind"]
        part, seen = X[:, order["free"]], known[:, order["free"]]
        mean = np.clip(_moments(part, seen)[0], 1e-3, None)
        odds = np.clip(mean, 0.01, 0.99)
        ordinal = kind == CUMULATIVE
        lowest = np.where(seen, part, np.inf).min(axis=0, initial=np.inf)
        highest = np.where(seen, part, -np.inf).max(axis=0, initial=-np.inf)
        # half a person more in every category, so that none is impossible
        share = (((part == order["code"]).sum(axis=0) + 0.5) / (seen.sum(axis=0) + 0.5)).clip(0, 1)
        return cls(
            **order,
            centre=centre,
            scale=np.where(deviation > 0, deviation, 1.0),
            base=np.where(
                kind == POISSON,
                np.log(mean),
                np.where(
                    kind == BERNOULLI,
                    np.log(odds / (1 - odds)),
                    np.where(kind == CATEGORICAL, np.log(share), 0.0),
                ),
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
        """The parts by name, for files and fingerprints.

        Without categories and gaps they are those of earlier versions.
        """
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        named = (self.code != NUMBER).any() or (self.given_code != NUMBER).any()
        return found if named else {k: v for k, v in found.items() if k not in LATER}

    def normalised(self, X: Matrix) -> Matrix:
        """u of every cell, in the schema's order; of a category's code it means nothing."""
        from standfast.autoencoder.kernels import normalise_rows

        rows = np.ascontiguousarray(X, dtype=np.float64)
        return normalise_rows(rows, self.logged, self.centre, self.scale)

    def seen(self, X: Matrix) -> Matrix:
        """1 where a mutable input's place is seen: a known value, the person's own category."""
        part = X[:, self.free]
        seen = np.where(self.code == NUMBER, part != MISSING, part == self.code)
        return np.asarray(seen, dtype=np.float64)

    def inputs(self, X: Matrix) -> Matrix:
        """u of every place of the mutable inputs, 0 where nothing is seen."""
        seen = self.seen(X)
        u = np.where(self.code == NUMBER, self.normalised(X)[:, self.free], 1.0)
        return np.where(seen == 1.0, u, 0.0)

    def conditions(self, X: Matrix) -> Matrix:
        """u of every place of what is given; a category or a gap is 1 where the person has it."""
        part, code = X[:, self.given], self.given_code
        u = np.where(part == MISSING, 0.0, self.normalised(X)[:, self.given])
        named = np.where(code == GAP, part == MISSING, part == code)
        return np.ascontiguousarray(np.where(code == NUMBER, u, named))

    def constants(self, X: Matrix) -> Vector:
        """The part of each row's log-likelihood that no parameter touches."""
        from standfast.autoencoder.kernels import constants_of

        values = np.ascontiguousarray(X[:, self.free], dtype=np.float64)
        return constants_of(values, self.kind, self.scale[self.free])


def arranged(schema: Schema) -> dict[str, Indices]:
    """What the schema alone says of a layout: which columns stand where, and their likelihoods."""
    kinds = np.array([ORDER.index(likelihood_of(f)) for f in schema], dtype=np.int64)
    free = np.flatnonzero(schema.mutable)
    free = free[np.argsort(kinds[free], kind="stable")]
    places = [(j, code) for j in free for code in _codes(schema.features[j])]
    given = [
        (j, code)
        for j in np.flatnonzero(~schema.mutable)
        for code in _codes(schema.features[j], given=True)
    ]
    columns = np.array([j for j, _ in places], dtype=np.int64)
    return {
        "free": columns,
        "given": np.array([j for j, _ in given], dtype=np.int64),
        "kind": kinds[columns],
        "logged": np.array([is_logged(f) for f in schema], dtype=np.int64),
        "code": np.array([code for _, code in places], dtype=np.int64),
        "given_code": np.array([code for _, code in given], dtype=np.int64),
    }


def _codes(feature: Feature, *, given: bool = False) -> list[int]:
    """What an input's places stand for: itself, or each of its categories; given, its gaps, too."""
    nominal = feature.kind == "nominal"
    codes = list(range(len(feature.categories or ()))) if nominal else [NUMBER]
    return [*codes, GAP] if given and feature.when_missing != "refuse" else codes


def _moments(X: Matrix, known: NDArray[np.bool_]) -> tuple[Vector, Vector]:
    """Each column's mean and standard deviation over what is known."""
    with np.errstate(over="ignore", invalid="ignore"):  # too large to square: reported in training
        if known.all():
            return X.mean(axis=0), X.std(axis=0)
        n = np.maximum(known.sum(axis=0), 1)
        mean: Vector = np.where(known, X, 0.0).sum(axis=0) / n
        deviation: Vector = np.sqrt((np.where(known, X - mean, 0.0) ** 2).sum(axis=0) / n)
        return mean, deviation
