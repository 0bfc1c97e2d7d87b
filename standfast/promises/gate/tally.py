"""Counting verdicts block by block: by segment, method, input and certificate."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.evaluation.intervals import clopper_pearson
from standfast.promises.gate.judging import Judgement
from standfast.promises.promise import Promises
from standfast.promises.verdict import NAMES, Verdict, counted
from standfast.schema import Feature, Schema

FLAGS = ("shown", "void", "honoured")
HONOURED = "honoured by exception"  # a promise's state in a ledger
# a numeric segment has at most so many values of its own; else its quarters are shown
FEW, QUARTERS = 12, 4
MOST_SEGMENTS = 200
UNKNOWN = "not known"  # the segment of people whom the table lacks

Codes = NDArray[np.float64]


@dataclass
class Tally:
    """What is known after some blocks; a row per promise, and counts per input."""

    schema: Schema | None = None
    segment: "str | pd.Series[Any] | None" = None  # an input, or each person's segment
    rows: list[pd.DataFrame] = field(default_factory=list)
    codes: list[NDArray[Any]] = field(default_factory=list)
    changed: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)

    def add(self, block: Promises, found: Judgement) -> None:
        """Count one block."""
        self._check(block.schema)
        facts = block.facts
        self.rows.append(
            pd.DataFrame(
                {
                    "verdict": found.verdicts,
                    "shown": found.shown,
                    "void": found.void,
                    "honoured": (facts["state"] == HONOURED).to_numpy(),
                    "method": facts["method"].astype("category"),
                    "certified": facts["certified"].to_numpy(dtype=np.float64),
                    "confidence": facts["confidence"].to_numpy(dtype=np.float64),
                    "valid_until": block.ends,
                },
                index=facts.index,
            )
        )
        moved = block.point != block.factual
        apart = found.shown[:, None] & (found.evidence != block.point)
        for j, name in enumerate(block.schema.names):
            touched = np.bincount(found.verdicts[moved[:, j]], minlength=3)
            self.changed[name] = self.changed.get(name, np.zeros(3, np.int64)) + touched
            self.refused[name] = self.refused.get(name, 0) + int(apart[:, j].sum())
        if isinstance(self.segment, pd.Series):
            self.codes.append(self.segment.reindex(facts["subject"]).to_numpy())
        elif self.segment is not None:
            place = block.schema.names.index(self.segment)
            self.codes.append(block.factual[:, place].copy())

    @property
    def segment_name(self) -> str:
        """What the segments are segments of."""
        named = self.segment.name if isinstance(self.segment, pd.Series) else self.segment
        return "" if self.segment is None else str(named or "segment")

    def _check(self, schema: Schema) -> None:
        if self.schema is None:
            if isinstance(self.segment, str) and self.segment not in schema.names:
                raise InputError(
                    f"the segment '{self.segment}' is not an input of the promises; they have "
                    f"{listing(schema.names, 30)}; another column comes with a table of people "
                    "(--segments, or a Series by subject)"
                )
            self.schema = schema
        elif schema.names != self.schema.names:
            raise InputError(
                "the promises have different inputs, so no one model can judge them all; judge "
                "them schema by schema"
            )

    def table(self) -> pd.DataFrame:
        """A row per promise."""
        if not self.rows:
            columns = ["verdict", *FLAGS, "method", "certified", "confidence", "valid_until"]
            empty = pd.DataFrame({name: [] for name in columns})
            return empty.astype({"verdict": np.uint8} | dict.fromkeys(FLAGS, bool))
        return pd.concat([row.astype({"method": object}) for row in self.rows])

    def inputs(self) -> pd.DataFrame:
        """Input by input: how promises fare whose advice changes it, and those that leave it.

        `evidence` counts the promises at risk whose refused point differs from the advice in it.
        """
        whole = np.bincount(self.table()["verdict"], minlength=3)
        found = []
        for name, touched in self.changed.items():
            left = whole - touched
            found.append(
                {
                    "input": name,
                    "changed": int(touched.sum()),
                    **{f"{n}_if_changed": _share(touched, k) for k, n in enumerate(NAMES)},
                    "not_kept_if_changed": _share(touched, 1) + _share(touched, 2),
                    "not_kept_if_left": _share(left, 1) + _share(left, 2),
                    "evidence": self.refused[name],
                }
            )
        frame = pd.DataFrame(found)
        return (
            frame.sort_values(
                "not_kept_if_changed",
                ascending=False,
                na_position="last",
                kind="stable",
                ignore_index=True,
            )
            if len(frame)
            else frame
        )

    def segments(self, confidence: float) -> pd.DataFrame | None:
        """Verdicts by segment, the segment with the least kept share first; None without one."""
        if self.segment is None or self.schema is None:
            return None
        values = np.concatenate(self.codes)
        if isinstance(self.segment, pd.Series):
            names = _named(self.segment_name, pd.Series(values))
        else:
            names = _groups(self.schema[self.segment], values)
        return shares_by(names, self.table()["verdict"].to_numpy(), confidence, "segment")


def _share(counts: NDArray[np.int64], k: int) -> float:
    return float(counts[k] / counts.sum()) if counts.sum() else float("nan")


def shares_by(
    groups: "pd.Series[str]", verdicts: NDArray[np.uint8], confidence: float, name: str
) -> pd.DataFrame:
    """Counts and shares of the three verdicts per group, with the interval of the kept share."""
    counts = counted(groups.to_numpy(), verdicts)
    total = counts.sum(axis=1)
    low, high = clopper_pearson(counts["kept"], total, confidence)
    found = pd.DataFrame({name: counts.index, "promises": total.to_numpy()})
    for one in NAMES:
        found[one] = counts[one].to_numpy()
        found[f"{one}_share"] = (counts[one] / total).to_numpy()
    found["kept_lower"], found["kept_upper"] = low, high
    return found.sort_values("kept_share", kind="stable", ignore_index=True)


def _named(name: str, values: "pd.Series[Any]") -> "pd.Series[str]":
    """The segment of each promise by a column that is no input; few values, or quarters."""
    if pd.api.types.is_numeric_dtype(values) and values.nunique() > FEW:
        return _quarters(values.to_numpy(dtype=np.float64, na_value=np.nan), "{:g}".format)
    if values.nunique() > MOST_SEGMENTS:
        raise InputError(_too_many(name, values.nunique()))
    if pd.api.types.is_numeric_dtype(values):
        return values.map("{:g}".format).where(values.notna(), UNKNOWN)
    return values.where(values.notna(), UNKNOWN).astype(str)


def _groups(feature: Feature, codes: Codes) -> "pd.Series[str]":
    """The segment of each promise by name: categories and few values as they are, or quarters."""
    distinct = np.unique(codes)
    if feature.coder is not None or len(distinct) <= FEW:
        if len(distinct) > MOST_SEGMENTS:
            raise InputError(_too_many(feature.name, len(distinct)))
        words = {code: feature.shown(code) for code in distinct}
        return pd.Series(codes).map(words).astype(str)
    return _quarters(codes, lambda edge: _shown_edge(feature, edge))


def _shown_edge(feature: Feature, edge: float) -> str:
    """A quarter's edge with the decimals of the step; it may lie between two people's values."""
    return feature.shown(round(edge, feature.decimals) if feature.step else edge)


def _too_many(name: str, count: int) -> str:
    return f"the segment '{name}' has {count} values; choose one with at most {MOST_SEGMENTS}"


def _quarters(codes: Codes, shown: Callable[[float], str]) -> "pd.Series[str]":
    """Each number's quarter."""
    known = codes[np.isfinite(codes)]
    edges = np.unique(np.quantile(known, np.linspace(0, 1, QUARTERS + 1)))
    place = np.clip(np.searchsorted(edges, codes, side="left"), 1, len(edges) - 1)
    texts = [f"{shown(a)} to {shown(b)}" for a, b in pairwise(edges)]
    texts = [f"{'' if k == 0 else 'above '}{text}" for k, text in enumerate(texts)]
    named = np.array(texts, dtype=object)[place - 1]
    named[~np.isfinite(codes)] = "missing"
    return pd.Series(named).astype(str)


def certified_of(table: pd.DataFrame, confidence: float) -> pd.DataFrame | None:
    """What was certified against what the candidate accepts, method by method; None if nothing was.

    A certificate bounds the share of fresh models that accept the advice, so it is compared with
    the share of promises whose advice is accepted.
    """
    known = table[table["certified"].notna()]
    if not len(known):
        return None
    found = []
    for (method, _), rows in known.groupby(["method", "confidence"], dropna=False, sort=True):
        accepted = int((rows["verdict"] != Verdict.BROKEN).sum())
        low, high = clopper_pearson(accepted, len(rows), confidence)
        found.append(
            {
                "method": str(method),
                "confidence": float(rows["confidence"].iloc[0]),
                "promises": len(rows),
                "certified": float(rows["certified"].mean()),
                "accepted": accepted / len(rows),
                "accepted_lower": float(low),
                "accepted_upper": float(high),
                "kept": float((rows["verdict"] == Verdict.KEPT).mean()),
            }
        )
    return pd.DataFrame(found)


MOST = 1000  # promises that stand for all


@dataclass
class Gathering:
    """The promises that are not kept, and some of all of them at even distances.

    Those that stand for all are every promise, or every second, every fourth, and so on: at most so
    many, and at least half as many where there are more.
    """

    most: int = MOST
    not_kept: list[Promises] = field(default_factory=list)
    some: list[Promises] = field(default_factory=list)
    stride: int = 1
    seen: int = 0

    def add(self, block: Promises, verdicts: NDArray[np.uint8]) -> None:
        """Take what is needed of one block."""
        self.not_kept.append(block[verdicts != Verdict.KEPT])
        self.some.append(block[np.arange(-self.seen % self.stride, len(block), self.stride)])
        self.seen += len(block)
        while sum(map(len, self.some)) > self.most:
            self.some = [Promises.joined(self.some)[::2]]
            self.stride *= 2
