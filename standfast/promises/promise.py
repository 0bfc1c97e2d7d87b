"""Promises in a block: who was sent where, and how much room the promise leaves."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.methods.region import Regions
from standfast.recommendations import Recommendations
from standfast.recommendations.boxes import Boxes, Matrix
from standfast.recommendations.recommendations import check_recommendations
from standfast.schema import Schema

# what is known of each promise beside its values, and what stands for "not known"
FACTS = {
    "subject": "",  # whose: a label, or the keyed hash of one
    "model": "",  # the fingerprint of the score that made it
    "method": "",
    "outcome": "",  # what was proven of it
    "cost": np.nan,
    "certified": np.nan,  # the least share of fresh models that keep it, at `confidence`
    "confidence": np.nan,
    "issued": pd.NaT,
    "valid_until": pd.NaT,
    "state": "",  # as the ledger has it: issued, honoured by exception
    "months": 0.0,  # in how many months the advice is to be followed
}


@dataclass(frozen=True, eq=False)
class Promises:
    """Some promises of one schema: "be in this box by then, and you will be accepted".

    `factual` is where each person stood, `point` the advice, `boxes` what the promise covers, all
    in codes. `facts` has a row per promise, labelled by its number, with the columns of `FACTS`.
    """

    schema: Schema
    factual: Matrix
    point: Matrix
    boxes: Boxes
    facts: pd.DataFrame

    def __post_init__(self) -> None:
        counts = {len(self.factual), len(self.point), len(self.boxes), len(self.facts)}
        if len(counts) > 1:
            raise InputError("a block of promises needs as many people as points and boxes")

    @classmethod
    def of(cls, recommendations: Recommendations, regions: Regions | None = None) -> "Promises":
        """What these recommendations promise, without a ledger: a box each, or the point alone.

        Only people with advice are promised anything, and, given regions, only those with a box.

        >>> from standfast import Feature, Linear, MinimalCost, Percentiles, recommend
        >>> people = pd.DataFrame({"late": [0, 1, 2, 3]}, index=list("abcd"))
        >>> best = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(people))
        >>> promised = Promises.of(recommend(best, Linear([-1.0], 1.5), people))
        >>> promised.facts["subject"].tolist(), promised.point.ravel().tolist()
        (['c', 'd'], [1.0, 1.0])
        """
        check_recommendations(recommendations)
        schema = recommendations.schema
        promised = recommendations.found.to_numpy()
        if regions is not None:
            if not regions.index.equals(recommendations.index):
                raise InputError("the regions are of other people; call region(recommendations, …)")
            promised = promised & regions.found.to_numpy()
        X, Y = (matrix[promised] for matrix in recommendations.matrices())
        boxes = Boxes.of_points(schema, Y) if regions is None else regions.boxes
        came_from = recommendations.provenance
        facts = pd.DataFrame(FACTS, index=pd.RangeIndex(len(X), name="promise")).assign(
            subject=recommendations.index[promised].astype(str),
            model=came_from.model,
            method=came_from.method,
            outcome=recommendations.outcome[promised].astype(str).to_numpy(),
            cost=recommendations.cost[promised].to_numpy(),
        )
        return cls(schema, X, Y, boxes, facts)

    @classmethod
    def of_parts(cls, parts: Iterable[Recommendations]) -> "Promises":
        """What several parts of one advice promise, such as a folder's: `portfolio.Advice(folder)`.

        The parts are read one after the other, and only their points are held.
        """
        found: list[Promises] = []
        count = 0
        for part in parts:
            promised = cls.of(part)
            promised.facts.index += count
            count += len(promised)
            found.append(promised)
        if not found:
            raise InputError("there are no parts, so nothing is promised")
        return cls.joined(found)

    @classmethod
    def joined(cls, parts: "Sequence[Promises]") -> "Promises":
        """Several blocks as one; the last one's schema counts."""
        if len(parts) == 1:
            return parts[0]
        schema = parts[-1].schema
        boxes = Boxes(
            schema,
            np.vstack([part.boxes.lower for part in parts]),
            np.vstack([part.boxes.upper for part in parts]),
            {j: np.vstack([p.boxes.inside[j] for p in parts]) for j in parts[-1].boxes.inside},
        )
        factual, point = (
            np.vstack([getattr(part, name) for part in parts]) for name in ("factual", "point")
        )
        return cls(schema, factual, point, boxes, pd.concat([part.facts for part in parts]))

    def __len__(self) -> int:
        return len(self.facts)

    def __getitem__(self, rows: Any) -> "Promises":
        """Some of the promises, by a mask, a slice or positions."""
        chosen = (self.factual[rows], self.point[rows], self.boxes[rows], self.facts.iloc[rows])
        return Promises(self.schema, *chosen)

    @property
    def ends(self) -> "pd.Series[Any]":
        """Until when each promise is valid, in one time zone; missing where it has no end."""
        return pd.to_datetime(self.facts["valid_until"], utc=True)

    def lasting(self, day: pd.Timestamp) -> NDArray[np.bool_]:
        """Which promises have not ended by a day."""
        return np.asarray(self.ends.isna() | (self.ends >= day))

    def in_parts(self, size: int) -> Iterator["Promises"]:
        """The same promises, so many at a time."""
        for start in range(0, len(self), size):
            yield self[start : start + size]
