"""A first draft of a schema from a table: what each column seems to be, and why."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.schema import border
from standfast.schema.actionable import doubtful, why_fixed
from standfast.schema.decimals import MOST_STEPS, decimals_of, inferred_step
from standfast.schema.direction import estimate_direction
from standfast.schema.draft import Draft
from standfast.schema.feature import Feature
from standfast.schema.kinds import Kind
from standfast.schema.labels import marks_of
from standfast.schema.named_columns import (
    Drafted,
    draft_named,
    gap_remark,
    is_named,
    looks_like_date,
    looks_like_label,
    numbers_with_words,
    quoted,
    refuse_dates,
    sentinel_remark,
    words_of,
)
from standfast.schema.naming import RESULT_COLUMNS
from standfast.schema.proposals import Proposals, propose
from standfast.schema.schema import Schema
from standfast.schema.steps import Step, common_step, round_step, tied_steps
from standfast.schema.values import as_choice

Vector = NDArray[np.float64]
Steps = Literal["auto", "decimals"]

MOST_COLUMNS = 10_000
# every pair is compared: 100 columns are 10,000 pairs
MOST_RELATED = 100
# whole numbers up to this are counted, beyond it measured
LARGEST_COUNT = 1000

NAMES_OF_IDENTIFIERS = {"id", "ids", "nr", "uuid", "identifier", "idx"}
ENDS_OF_IDENTIFIERS = {"number", "num", "no", "key", "index", "ref"}


def infer(
    table: pd.DataFrame,
    columns: tuple[str | None, str | None] = (None, None),
    outcomes: tuple[Any, object] = (None, None),
    step: Steps = "auto",
) -> Schema:
    """The draft of a table's inputs; see `Schema.infer`.

    `columns` are the label's and the index, `outcomes` the labels and the favourable one of them.
    """
    as_choice(step, get_args(Steps), "step")
    border.check_names(table)
    people, (label, index), (labels, favourable) = table, columns, outcomes
    table = _without(table, label, index)
    if labels is None and favourable is not None and label is not None:
        labels = people[label]
    marks = marks_of(labels, favourable, people.index)
    if len(table.columns) > MOST_COLUMNS:
        raise InputError(
            f"the table has {len(table.columns):,} columns; a schema is drafted for at most "
            f"{MOST_COLUMNS:,}, since a person has to check it: leave columns out"
        )
    names = [str(name) for name in table.columns]
    taken = [name for name in names if name in RESULT_COLUMNS]
    if taken:
        raise InputError(
            f"the column {listing(taken)} has the name of a result column; name it as the label if "
            "it is the label, or rename it"
        )
    table = table.set_axis(names, axis=1)
    drafted = {name: _considered(_drafted(name, table[name], step), marks) for name in names}
    features = {name: one.feature for name, one in drafted.items()}
    suspects = {name: one.suspicion for name, one in drafted.items() if one.suspicion}
    inputs = {
        name: np.where(np.isfinite(one.codes), one.codes, np.nan)
        for name, one in drafted.items()
        if name not in suspects
    }
    found, note = Proposals(), ""
    if len(inputs) <= MOST_RELATED:
        found = propose(features, inputs)
        tied = tied_steps(inputs, found.relations)
        drafted |= {name: _tied(drafted[name], step) for name, step in tied.items()}
        features = {name: one.feature for name, one in drafted.items()}
    else:
        note = (
            f"No relations are proposed: they are looked for among at most {MOST_RELATED} inputs."
        )
    draft = Draft(
        {name: one.span for name, one in drafted.items()},
        found.relations,
        {name: one.why for name, one in drafted.items()},
        suspects,
        note,
        tuple(map(str, found.rules)),
        found.remarks,
    )
    return Schema(tuple(features.values()), (), draft)


def _tied(one: Drafted, step: Step) -> Drafted:
    """A drafted column with the step of what it is tied to, if its own is rounder."""
    own = one.feature.step
    if one.feature.kind not in ("real", "positive") or own is None or own <= step.size:
        return one
    why = (*(line for line in one.why if not line.startswith("step:")), step.why)
    return replace(one, feature=replace(one.feature, step=_plain(step.size)), why=why)


def _considered(one: Drafted, marks: Vector | None) -> Drafted:
    """A drafted column with what people can do about it: whether it may move, and which way."""
    if one.suspicion:
        return one
    feature, why = one.feature, one.why
    fixed = why_fixed(feature.name)
    feature = replace(feature, mutable=feature.mutable and not fixed)
    hint = fixed or doubtful(feature.name)
    why = (*why, hint) if hint else why
    if marks is not None and feature.kind != "nominal":
        found = estimate_direction(
            np.where(feature.is_missing(one.codes), np.nan, one.codes), marks
        )
        numbers = f"rank correlation {found.correlation:+.2f}, trend {found.trend:+.2f}"
        if found.direction is None:
            why = (*why, f"direction: left open, the labels show no clear one: {numbers}")
        else:
            more = "more" if found.direction == "up" else "less"
            why = (*why, f"direction: {more} of it goes with favourable labels: {numbers}")
            feature = replace(feature, direction=found.direction)
    return replace(one, feature=feature, why=why)


def _drafted(name: str, column: "pd.Series[Any]", steps: Steps) -> Drafted:
    refuse_dates(column)
    n, gaps = len(column), int(column.isna().sum())
    if gaps == n:
        return Drafted(
            Feature(name, "real", False, when_missing="keep"),
            "no value at all",
            ("guess: none, since there is nothing to see",),
            "holds no value at all: it may not move; leave it out",
            np.full(n, np.nan),
        )
    words = numbers_with_words(column) if is_named(column) else ()
    if is_named(column) and words is None:
        return draft_named(name, column)
    values = border.numbers(column, words or ())
    known = values[~np.isnan(values)]
    distinct, times = np.unique(known, return_counts=True)
    feature, why = _guess(name, known, distinct, times, steps)
    suspicion = _suspicion(name, known, distinct)
    lacking = n - len(known)
    feature = replace(
        feature,
        mutable=feature.mutable and not suspicion,
        direction="any",
        missing=tuple(words or ()),
        when_missing="keep" if lacking else "refuse",
    )
    more = [f"{listing(words)} among numbers: declared as missing"] if words else []
    more += gap_remark(lacking, n) + sentinel_remark(distinct)
    different = f"{len(distinct):,} different value{'s' * (len(distinct) > 1)}"
    span = f"{distinct[0]:,.10g} to {distinct[-1]:,.10g}, {different}"
    return Drafted(feature, span, (*why, *more), suspicion, values)


def _without(table: pd.DataFrame, label: str | None, index: str | None) -> pd.DataFrame:
    """The table without the columns that are no inputs."""
    dropped: list[Hashable] = []
    for what, name in (("label", label), ("index", index)):
        if name is None or (what == "index" and name == table.index.name):
            continue
        if name not in table.columns:
            raise InputError(
                f"there is no column {name!r} for the {what}; there are {listing(table.columns)}"
            )
        dropped.append(name)
    if len(set(dropped)) == len(table.columns):
        raise InputError("without the label and the index the table has no columns; add inputs")
    return table.drop(columns=dropped)


def _guess(
    name: str, column: Vector, distinct: Vector, times: NDArray[np.intp], steps: Steps
) -> tuple[Feature, tuple[str, ...]]:
    """A column as a feature, and why."""
    if len(distinct) == 2 and distinct.tolist() == [0.0, 1.0]:
        return Feature(name, "binary"), ("guess: a binary, since it holds 0 and 1 only",)
    whole = not (distinct % 1).any()
    # a value that one person has may be one of many
    if len(distinct) == 2 and times.min() >= 2 and _graspable(distinct):
        return _two_valued(name, float(distinct[0]), float(distinct[1]), whole)
    step = common_step(column, distinct)
    alone = ("only one value was seen: say what else is possible",) if len(distinct) == 1 else ()
    kind: Kind = "positive" if distinct[0] >= 0 else "real"
    if not whole:
        why = "some values are fractions" + ", none negative" * (kind == "positive")
    elif kind == "real":
        why = "some are negative"
    if not whole or kind == "real":
        size, reason = _step(column, step, steps)
        reasons = (f"guess: {kind}, since {why}", *reason, *alone)
        return Feature(name, kind, step=_plain(size)), reasons
    amounts = step is not None and step.size % 10 == 0
    if amounts or distinct[-1] > LARGEST_COUNT:
        why = "amounts, not a count: whole numbers " + (
            f"in steps of {step.size:,.10g}" if amounts and step else f"up to {distinct[-1]:,.10g}"
        )
        size, reason = _step(column, step, steps)
        return Feature(name, "positive", step=_plain(size)), (f"guess: {why}", *reason, *alone)
    why = "guess: a count, since it holds small whole numbers"
    if step is None:
        return Feature(name, "count"), (why, *alone)
    return Feature(name, "count", step=int(step.size)), (why, step.why, *alone)


def _graspable(pair: Vector) -> bool:
    """Whether a step from the one to the other can be calculated with."""
    largest = float(np.abs(pair).max())
    return largest < MOST_STEPS and float(pair[1] - pair[0]) > max(1e-9, largest / MOST_STEPS)


def _step(column: Vector, common: Step | None, steps: Steps) -> tuple[float, tuple[str, ...]]:
    """The step of an amount, and why it is that one."""
    if steps == "auto":
        unit = 10.0 ** -decimals_of(column) if common is None else common.size
        rounded = round_step(column, unit)
        if rounded is not None and (common is None or rounded.size > unit):
            return rounded.size, (rounded.why,) if rounded.size > unit else ()
    size = inferred_step(column)
    return (size, ()) if common is None or common.size <= size else (common.size, (common.why,))


def _two_valued(name: str, low: float, high: float, whole: bool) -> tuple[Feature, tuple[str, ...]]:
    """A code with two values: the grid is to hold these two and nothing between them."""
    size = float(f"{high - low:.12g}")
    kind: Kind = "ordinal" if whole else "positive" if low >= 0 else "real"
    feature = Feature(name, kind, lower=_plain(low), upper=_plain(high), step=_plain(size))
    held = Schema((feature,))
    reached = held.admits([[low], [high]], [[high], [low]]).all()
    between = held.bounds(np.array([[low]]))
    seen = f"{low:.10g} and {high:.10g}"
    if reached and (between.low[0, 0], between.high[0, 0]) == (low, high):
        return feature, (f"guess: a code, since it holds {seen} only: advice proposes no other",)
    return Feature(name, kind, False, lower=_plain(low), upper=_plain(high)), (
        f"guess: a code, since it holds {seen} only",
        "it may not move: no step leads from the one to the other without a third value; recode",
        "the column to 0 and 1 if advice may change it",
    )


def _suspicion(name: str, column: Vector, distinct: Vector) -> str:
    """Why a column may not be an input at all; '' if nothing speaks for it."""
    words = words_of(name)
    last = words[-1] if words else ""
    if len(distinct) == 2 and looks_like_label(name):
        return (
            "looks like the label, by its name and its two values: it may not move; if it is, "
            f"draft again with --label {quoted(name)}"
        )
    n = len(column)
    if n < 3 or (distinct % 1).any() or distinct[0] < 0:
        return ""
    if looks_like_date(distinct):
        return (
            f"looks like dates written as numbers, such as {distinct[-1]:.0f}: it may not move, "
            "for steps between such numbers lead to no date; turn it into months since then, or "
            "leave it out"
        )
    named = bool(NAMES_OF_IDENTIFIERS & set(words)) or last in ENDS_OF_IDENTIFIERS
    consecutive = n >= 20 and distinct[-1] - distinct[0] < 1.05 * n
    if (len(distinct) >= 0.9 * n and named) or (len(distinct) >= 0.98 * n and consecutive):
        return (
            f"looks like an identifier, {'by its name' if named else 'consecutive'} and with "
            f"{len(distinct):,} values in {n:,} rows: it may not move; if it is, draft again with "
            f"--index {quoted(name)}"
        )
    return ""


def _plain(number: float) -> int | float:
    """Whole numbers without their decimal point, as people write them into a file."""
    return int(number) if float(number).is_integer() else float(number)
