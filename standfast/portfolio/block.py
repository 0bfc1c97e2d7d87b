"""advise_block: people in, advice out, in columns whose types do not depend on the block."""

import json
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypedDict

import numpy as np
import pandas as pd
import pyarrow as pa

from standfast.errors import InputError, check_whole, listing
from standfast.files.data_sets import plain
from standfast.methods import Advisor
from standfast.portfolio.travelling.folder import Travelled
from standfast.recommendations import Recommendations, facts
from standfast.recommendations.storage import BEFORE, KEY, described
from standfast.schema import Feature, Schema
from standfast.schema.kinds import WHOLE


class Asked(TypedDict, total=False):
    """What is asked about everybody, besides the people themselves."""

    index: str | None
    seed: int
    keep: Collection[str]
    only: Collection[str]
    keep_column: str | None
    drop: Collection[str]


@dataclass(frozen=True)
class Request:
    """How people are asked about: which column labels them, what each keeps, what is no input.

    `index` is the column that labels people, `keep` and `only` are as in `recommend`, for
    everybody; `keep_column` lists, separated by semicolons, what each person cannot change. Columns
    in `drop` are left out.
    """

    index: str | None = None
    seed: int = 0
    keep: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    keep_column: str | None = None
    drop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_whole(least=0, seed=self.seed)
        for name in ("keep", "only", "drop"):
            given = getattr(self, name)
            names = (given,) if isinstance(given, str) else tuple(given)
            object.__setattr__(self, name, names)
        if sum(map(bool, (self.keep, self.only, self.keep_column))) > 1:
            raise InputError("give one of keep, only and keep_column")

    @classmethod
    def of(cls, asked: Mapping[str, Any]) -> "Request":
        """From what a function was asked; None stands for what is usual."""
        return cls(**{name: value for name, value in asked.items() if value is not None})

    def check(self, schema: Schema) -> None:
        """Refuse columns that are inputs and something else at once, and inputs that are none."""
        for what in ("index", "keep_column"):
            name = getattr(self, what)
            if name is not None and name in schema.names:
                raise InputError(f"{what} is '{name}', an input of the schema; name another column")
        inputs = [name for name in self.drop if name in schema.names]
        if inputs:
            raise InputError(f"drop names {listing(inputs)}, which the schema needs as input")
        unknown = [name for name in (*self.keep, *self.only) if name not in schema.names]
        if unknown:
            raise InputError(
                f"keep or only names {listing(unknown)}, which is not an input; the schema has "
                f"{listing(schema.names)}"
            )

    def check_known(self, names: Iterable[str], schema: Schema, whose: str) -> None:
        """Refuse columns of a table that are neither inputs nor asked about."""
        known = (*self.columns(schema), *self.drop)
        extra = [name for name in names if name not in known]
        if extra:
            raise InputError(
                f"{whose} {listing(extra)}, which the schema does not know; name the column that "
                "labels people (index), leave out what is not an input (drop), or add it to the "
                "schema"
            )

    def columns(self, schema: Schema) -> list[str]:
        """The columns of a table of people that are read."""
        beside = [name for name in (self.index, self.keep_column) if name is not None]
        return [*beside, *schema.names]


@dataclass(frozen=True, eq=False)
class Block:
    """A prepared advisor and what to ask; called with a block of people, it gives their advice.

    Every call gives a table of the same Arrow schema, and a row does not depend on the others.
    """

    travelled: Travelled
    request: Request

    def __post_init__(self) -> None:
        method = self.advisor.method
        self.request.check(method.schema)
        if getattr(method, "alternatives", 1) > 1 or getattr(method, "within", None) is not None:
            raise InputError(
                "a portfolio holds one way for each person; leave out alternatives and within, or "
                "ask about fewer people with recommend"
            )

    @property
    def advisor(self) -> Advisor:
        """The advisor who is asked."""
        return self.travelled.advisor

    @cached_property
    def domain(self) -> Schema:
        """The schema that judges advice."""
        return self.advisor.method.domain

    def warm(self) -> None:
        """Load what the first person would wait for: estimators from their files, and kernels."""
        columns = self.advisor.method.percentiles.values  # noqa: PD011 not those of a table
        somebody = np.array([[columns[name][0] for name in columns]], dtype=np.float64)
        with suppress(Exception):  # whoever is asked about in earnest is told
            self.advisor.model.accepts(somebody)

    def label(self) -> str:
        """What the column of labels is called in the advice."""
        return free_name(self.request.index or "person", [*self._middle, self._facts, *self._own])

    def schema(self, label: pa.DataType) -> pa.Schema:
        """The columns of the advice, for labels of this type."""
        columns = {self.label(): label, **self._middle, self._facts: pa.string(), **self._own}
        return pa.schema(list(columns.items()))

    @cached_property
    def _middle(self) -> dict[str, pa.DataType]:
        number, text = pa.float64(), pa.string()
        found = dict.fromkeys(("outcome", "sentence", "remark"), text)
        found |= dict.fromkeys(("cost", "lower_bound", "gap"), number) | {"binding": text}
        if self.request.keep or self.request.only or self.request.keep_column:
            found["kept_inputs"] = text
        if hasattr(self.advisor.method, "choose"):
            found["accepted_by"] = pa.int64()
        names = [f.name for f in self.domain]
        taken = [name for name in names if name in found]
        if taken:
            raise InputError(
                f"the input {listing(taken)} has the name of a column of the advice; rename it in "
                "the schema and the tables"
            )
        return found | {f.name: self._type(f) for f in self.domain}

    @cached_property
    def _facts(self) -> str:
        return free_name("facts", list(self._middle))

    @cached_property
    def _own(self) -> dict[str, pa.DataType]:
        """The people's own values; one that contradicts the schema may be fractional."""
        return {
            BEFORE + f.name: pa.string() if f.coder is not None else pa.float64()
            for f in self.domain
        }

    def _type(self, feature: Feature) -> pa.DataType:
        if feature.coder is not None:
            return pa.string()
        # as published, a count may be fractional
        loose = getattr(self.advisor.method, "rules_left_aside", False)
        return pa.int64() if feature.kind in WHOLE and not loose else pa.float64()

    def __call__(self, people: pa.Table) -> pa.Table:
        """Everybody's advice, in the order of the people."""
        return self.written(people)[0]

    def written(self, people: pa.Table) -> tuple[pa.Table, Recommendations]:
        """Everybody's advice as a table and as recommendations."""
        table = plain(people)
        labels = self._labels(table)
        if not len(table):
            return self.schema(labels.type).empty_table(), None  # type: ignore[return-value]
        given = table.select(list(self.advisor.method.schema.names)).to_pandas()
        given.index = _index(labels).rename(self.request.index)
        advice = self._recommended(given, table)
        frame = advice.to_frame()
        columns: dict[str, Any] = {name: frame[name] for name in self._middle}
        columns[self._facts] = facts.written(advice.results)
        columns |= {BEFORE + name: advice.factual[name] for name in self.domain.names}
        schema = self.schema(labels.type)
        arrays = [labels.combine_chunks()] + [
            as_array(columns[one.name], one.type) for one in list(schema)[1:]
        ]
        return pa.Table.from_arrays(arrays, schema=schema), advice

    def _recommended(self, given: pd.DataFrame, table: pa.Table) -> Recommendations:
        asked = self.request
        keep: Any = list(asked.keep) or None
        if asked.keep_column is not None:
            cells = table[asked.keep_column].to_pylist()
            keep = pd.Series(cells, index=given.index, dtype=object)
        found = self.advisor.recommend(
            given, seed=asked.seed, keep=keep, only=list(asked.only) or None
        )
        origin = replace(self.travelled.origin, seed=asked.seed, people=found.provenance["people"])
        return replace(found, provenance=origin)

    def _labels(self, table: pa.Table) -> pa.ChunkedArray:
        name = self.request.index or "person"
        if name not in table.column_names:
            raise InputError(f"the people have no column '{name}' that labels them")
        return table[name]

    def metadata(self, advice: Recommendations) -> dict[bytes, bytes]:
        """What a file of this advice says of itself, so that `Recommendations.read` reads it."""
        return {KEY: json.dumps(described(advice, self.label(), self._facts)).encode()}


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or the first after it that is not taken."""
    while name in taken:
        name = f"{name}_"
    return name


def _index(labels: pa.ChunkedArray) -> pd.Index:
    """The labels, so that sentences can name people; their places where they do not tell apart."""
    found = pd.Index(labels.to_pandas())
    if labels.type == pa.string():  # whatever pandas calls a column of texts
        found = found.astype(object)
    apart = found.is_unique and not found.hasnans
    return found if apart else pd.RangeIndex(len(labels))


def as_array(column: Any, kind: pa.DataType) -> pa.Array:
    """A column as an array of this type; what is missing is null."""
    if kind == pa.string():
        texts = [None if one is None or one is pd.NA or one != one else str(one) for one in column]
        return pa.array(texts, kind)
    if isinstance(column, pd.Series):
        column = column.array
    values = pd.array(column).to_numpy(dtype=np.float64, na_value=np.nan)
    if kind == pa.int64():
        missing = np.isnan(values)
        return pa.array(np.where(missing, 0.0, values).astype(np.int64), kind, mask=missing)
    return pa.array(values, kind, from_pandas=True)
