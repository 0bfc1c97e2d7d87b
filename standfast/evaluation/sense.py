"""Sense: whether advice goes the data's way, in perceptible steps, keeping what always holds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from standfast.datasets import Dataset
from standfast.datasets.dataset import labelled
from standfast.errors import InputError
from standfast.evaluation.advised import advised_points
from standfast.evaluation.evidence import KINDS, Evidence, Marked
from standfast.evaluation.intervals import share
from standfast.evaluation.odd_moves import WORDS, remark
from standfast.recommendations import Recommendations
from standfast.schema import Schema

COUNTS, VERDICTS = ("changed", *KINDS), ("perverse", "sensible")


@dataclass(frozen=True)
class Sense:
    """What is odd about advice, person by person and move by move.

    A move is of one or more kinds, or of none. `against`: against the schema's direction or, where
    it says "any", the data's (rank correlation with the label and the trend over bins; open where
    they are not clear). `broken`: the schema's relations and rules, and laws that 99 % of the data
    keep, hold before it and not after it. `small`: it passes less than one percent of the people,
    however much it is in units.
    `unseen`: to a value, or two categories together, that nobody in the data has. Advice is
    `perverse` if a move is against or a law broken, and `sensible` if nothing is odd at all.

    `people` has one row each, advised or not: how many inputs change, moves of each kind, and laws
    broken; `moves` one row for every change; `features` counts by input beside its direction;
    `laws` says who breaks which; `summary` counts the people, with exact intervals of their share.
    """

    people: pd.DataFrame
    moves: pd.DataFrame
    features: pd.DataFrame
    laws: pd.DataFrame
    summary: pd.DataFrame
    remarks: pd.Series

    @property
    def n(self) -> int:
        """How many people got advice."""
        return int(self.people["advised"].sum())

    @property
    def sentence(self) -> str:
        """The counts in words."""
        times, n = self.summary["people"], self.n
        odd_moves = [f"{words}: {times[kind]}" for kind, words in WORDS.items() if times[kind]]
        odd = f"Asked {'; '.join(odd_moves)}." if odd_moves else "No move is odd."
        inputs = self.people["changed"].mean()
        known = int((self.features["direction"] != "").sum())
        return (
            f"Of {n} {'person' if n == 1 else 'people'} with advice {times['sensible']} "
            f"({times['sensible'] / n:.0%}) get sensible advice, {times['perverse']} "
            f"({times['perverse'] / n:.0%}) perverse advice. {odd} {inputs:.1f} inputs change on "
            f"average; the favourable direction is known of {known} of {len(self.features)}."
        ).replace("%", " %")

    def to_frame(self) -> pd.DataFrame:
        """The people with their counts and remarks."""
        return self.people.assign(remark=self.remarks)

    def __repr__(self) -> str:
        shares = ", ".join(f"{kind} {part:.0%}" for kind, part in self.summary["share"].items())
        return f"<Sense: n = {self.n}, {shares}>"


def sense(
    recommendations: Recommendations,
    data: Dataset | pd.DataFrame,
    *,
    labels: Any = None,
    favourable: object = None,
) -> Sense:
    """What is odd about advice, whichever method made it, by the word of labelled data.

    Only changes count, never where a person stands.

    Parameters
    ----------
    recommendations : Recommendations
        The advice.
    data : Dataset or DataFrame
        People with labels; a table of the inputs needs the two below.
    labels, favourable : array, object, optional
        The labels in the table's order, and the favourable one among them.

    Returns
    -------
    Sense
        `people`, `moves`, `features`, `laws` and `summary`, a table each; `remarks` in words.

    Examples
    --------
    >>> import standfast as sf
    >>> late = np.tile([0, 1, 2, 3], 50)
    >>> table, paid = pd.DataFrame({"late": late}), np.where(late < 2, "yes", "no")
    >>> schema = sf.Schema((sf.Feature("late", "count", label="late payments"),))
    >>> wrong = sf.Linear([1.0], -2.5)  # more is better, says this model
    >>> recs = sf.recommend(sf.MinimalCost(schema, sf.Percentiles.fit(table)), wrong, table.head(3))
    >>> found = sense(recs, table, labels=paid, favourable="yes")
    >>> found.remarks[2]
    'The advice to raise late payments from 2 to 3 goes against the data, where favourable people \
have less of it (rank correlation −0.89).'
    """
    advised = advised_points(recommendations)
    schema = recommendations.schema
    if not isinstance(data, Dataset):
        data = labelled(data, labels, favourable, schema)
    elif labels is not None or favourable is not None:
        raise InputError("a data set has its labels; give labels and favourable with a table only")
    if _inputs(data.schema) != _inputs(schema):
        raise InputError(
            "the data and the recommendations have different inputs or categories; use one schema"
        )
    evidence = Evidence.of(data)
    marked = evidence.marked(advised.X, advised.Y)
    verdicts = {verdict: marked.groups[verdict] for verdict in VERDICTS}
    people = advised.table(marked.counts() | verdicts)
    types = dict.fromkeys(COUNTS, "Int64") | dict.fromkeys(VERDICTS, "boolean")
    pairs = enumerate(zip(advised.X, advised.Y, strict=True))
    remarks = pd.Series([remark(schema, evidence, marked, i, pair) for i, pair in pairs])
    invariants = evidence.near_invariants
    return Sense(
        people.astype(types),
        _moves(recommendations, marked),
        evidence.directions.assign(
            changed=marked.moved.sum(axis=0),
            **{kind: found.sum(axis=0) for kind, found in marked.kinds.items()},
        ),
        pd.DataFrame(
            {"held": invariants.held, "broken": marked.laws.sum(axis=0)},
            index=pd.Index(invariants.names, name="law"),
        ),
        summary(marked),
        remarks.set_axis(advised.index).reindex(people.index, fill_value="").rename("remark"),
    )


def _inputs(schema: Schema) -> list[tuple[str, object]]:
    """Names and codes, which two schemas must share for their rows to be compared."""
    return [(feature.name, feature.coder and feature.coder.names) for feature in schema]


def _moves(recommendations: Recommendations, marked: Marked) -> pd.DataFrame:
    """Every change with its kinds, person by person in the inputs' order."""
    changes = recommendations.changes().drop(columns="difference")
    rows = np.column_stack([found[marked.moved] for found in marked.kinds.values()])
    kinds = [", ".join(k for k, is_one in zip(KINDS, row, strict=True) if is_one) for row in rows]
    return changes.set_axis(["person", "input", "from", "to"], axis=1).assign(kinds=kinds)


def summary(marked: Marked) -> pd.DataFrame:
    """How many people and moves are of each kind, and how much advice is perverse or sensible."""
    who = marked.groups
    times, n = [int(mine.sum()) for mine in who.values()], len(marked.moved)
    part, low, high = share(times, n)
    numbers = {"people": times, "n": n, "share": part, "lower": low, "upper": high}
    table = pd.DataFrame(numbers, pd.Index(list(who), name="kind"))
    moves = pd.Series({kind: int(found.sum()) for kind, found in marked.kinds.items()})
    return table.assign(moves=moves.reindex(table.index).astype("Int64"))
