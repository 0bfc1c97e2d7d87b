"""What labelled data say about moves: which way is favourable, what always holds, what exists."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from standfast.datasets import Dataset
from standfast.evaluation.advised import Bools, Matrix, Vector
from standfast.evaluation.near_invariants import NearInvariants
from standfast.evaluation.seen import Seen
from standfast.percentiles import Percentiles
from standfast.schema import Schema
from standfast.schema.direction import Tendency, estimate_direction

AGAINST, BROKEN, SMALL, UNSEEN = "against", "broken", "small", "unseen"
KINDS = (AGAINST, BROKEN, SMALL, UNSEEN)
PERCEPTIBLE = 0.01  # of the people, whom a move must pass
SIGNS = {"up": 1.0, "down": -1.0}


@dataclass(frozen=True, eq=False)
class Marked:
    """Moves of people (rows) by inputs (columns), and which of them are of each kind.

    `laws` says for people (rows) and laws (columns) which laws they keep now and would break.
    """

    moved: Bools
    kinds: dict[str, Bools]
    laws: Bools

    def counts(self) -> dict[str, Vector]:
        """For each person how many inputs change, moves of each kind, and laws broken."""
        found = {kind: marked.sum(axis=1) for kind, marked in self.kinds.items()}
        return {"changed": self.moved.sum(axis=1), **found, BROKEN: self.laws.sum(axis=1)}

    @property
    def groups(self) -> dict[str, Bools]:
        """Who is asked for a move of each kind, and whose advice is perverse or sensible."""
        found = {kind: np.asarray(marked.any(axis=1)) for kind, marked in self.kinds.items()}
        return {**found, "perverse": self.perverse, "sensible": self.sensible}

    @property
    def perverse(self) -> Bools:
        """Who is asked to move against the data's direction, or to break a law."""
        return np.asarray(self.kinds[AGAINST].any(axis=1) | self.laws.any(axis=1))

    @property
    def sensible(self) -> Bools:
        """Who is asked for no move of any kind."""
        return np.asarray(~np.any([marked.any(axis=1) for marked in self.kinds.values()], axis=0))


@dataclass(frozen=True, eq=False)
class Evidence:
    """What moves are held against: directions, percentiles, near-invariants and seen values."""

    schema: Schema
    tendencies: tuple[Tendency, ...]
    percentiles: Percentiles
    near_invariants: NearInvariants
    seen: Seen

    @classmethod
    def of(cls, data: Dataset) -> "Evidence":
        """The evidence of labelled people."""
        schema = data.schema
        X, labels = schema.matrix(data.table), data.labels.to_numpy()
        known = np.where(schema.lacking(X), np.nan, X)
        return cls(
            schema,
            tuple(
                Tendency(None, 0.0, 0.0)
                if feature.kind == "nominal"
                else estimate_direction(column, labels)
                for feature, column in zip(schema, known.T, strict=True)
            ),
            Percentiles.fit(data.table).of(schema),
            NearInvariants.of(schema, X),
            Seen.of(schema, X),
        )

    @cached_property
    def directions(self) -> pd.DataFrame:
        """For each input its direction ('' where open), who says so, and the data's two numbers."""
        rows = [
            (feature.direction, "schema", found.correlation, found.trend)
            if feature.direction != "any"
            else (
                found.direction or "",
                "data" * bool(found.direction),
                found.correlation,
                found.trend,
            )
            for feature, found in zip(self.schema, self.tendencies, strict=True)
        ]
        columns = ["direction", "source", "correlation", "trend"]
        return pd.DataFrame(rows, pd.Index(self.schema.names, name="input"), columns)

    @cached_property
    def signs(self) -> Vector:
        """+1 where more of an input is favourable, −1 where less is, 0 where that is open."""
        return np.array([SIGNS.get(way, 0.0) for way in self.directions["direction"]])

    def marked(self, X: Matrix, Y: Matrix) -> Marked:
        """The moves from each row of X to the same row of Y, in the schema's codes."""
        moved = X != Y
        gaps = self.schema.lacking(X), self.schema.lacking(Y)
        known = moved & ~gaps[0] & ~gaps[1]
        rise = np.sign(np.subtract(Y, X, out=np.zeros_like(X), where=known))
        breaks = self.near_invariants.broken(Y) & ~self.near_invariants.broken(X)
        kinds = {
            AGAINST: rise * self.signs < 0,
            BROKEN: moved & (breaks.astype(np.float64) @ self.near_invariants.reads > 0),
            SMALL: moved & (self.percentiles.shift(X, Y) < PERCEPTIBLE),
            UNSEEN: moved & ~gaps[1] & self.seen.unseen(Y),
        }
        return Marked(moved, kinds, breaks)
