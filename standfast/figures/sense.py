"""Sense: who is asked for odd moves, method by method, and what the rivals keep of such advice."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page

from standfast.evaluation.evidence import KINDS
from standfast.figures.dots import Column, Mark, dot_rows, row_heights
from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, Vector, each, numbers, ordered, rows_of, scenes
from standfast.figures.style import (
    BODY,
    INK,
    SOFT,
    beside,
    heading,
    legend,
    page,
    rows_down,
    shares,
)
from standfast.figures.wording import MISSING, enumerated, per_cent, wrapped
from standfast.studies.names import PERVERSE

HEADINGS = {
    "against": "against the direction",
    "broken": "that breaks a relation",
    "small": "too small to notice",
    "unseen": "where nobody is",
}
ASKED = "Share of people who are asked for a move …"
KEPT = "Share of rivals that keep perverse and other advice"
WITH, WITHOUT = "perverse: against the direction, or breaks a relation", "other advice"


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene in which somebody got advice."""
    for data, reference, rows in scenes(tables, "sense"):
        kept = rows_of(tables, "sense_transfer", data, reference)
        kept = kept[kept["kind"] == PERVERSE]
        subject = "Whether the advice makes sense"
        yield Sheet("sense", data, reference, subject, _alt(rows, kept), _draw(rows, kept))


def _draw(rows: pd.DataFrame, kept: pd.DataFrame) -> Page:
    methods = ordered(rows["method"])
    labels = [wrapped(method, 14, 3) for method in methods]
    heights = row_heights(labels)
    sheet = page(2.4 + 2 * heights)
    parts: Any = sheet.subfigures(2, 1, height_ratios=(0.8 + heights, 1.6 + heights))
    above, below = parts
    above.suptitle(ASKED, fontsize=BODY, x=0.01, ha="left")
    axes = above.subplots(1, len(KINDS), sharey=True)
    for ax, kind in zip(axes, KINDS, strict=True):
        _bars(ax, rows[rows["kind"] == kind], methods, labels)
        heading(ax, HEADINGS[kind], width=15)
    ax, own = below.subplots(), kept.set_index(kept["method"].astype(str)).reindex(methods)
    marks = _marks(own)
    dot_rows(ax, labels, marks, _columns(own))
    ax.set_xlim(-0.02, 1.02)
    shares(ax.xaxis)
    ax.set_xlabel("share of rivals that keep the advice, mean over people")
    shown = [mark.handle for mark in marks if np.isfinite(mark.costs).any()]
    legend(below, shown, columns=2)
    return sheet


def _bars(ax: Axes, rows: pd.DataFrame, methods: list[str], labels: list[str]) -> None:
    own = dict(zip(rows["method"].astype(str), _parts(rows["share"]), strict=True))
    parts = np.array([own.get(method, np.nan) for method in methods])
    rows_down(ax, labels)
    ax.barh(
        range(len(parts)), np.ones(len(parts)), height=0.5, color="none", edgecolor=SOFT, lw=0.6
    )
    ax.barh(range(len(parts)), np.nan_to_num(parts), height=0.5, color=INK)
    for row, part in enumerate(parts):
        beside(ax, per_cent(float(part)), row, xytext=(3, 0), va="center")
    ax.set_xlim(0, 1)
    ax.set_xticks([])


def _marks(kept: pd.DataFrame) -> list[Mark]:
    return [
        Mark(WITHOUT, _parts(kept["kept_without"]), "o"),
        Mark(WITH, _parts(kept["kept_with"]), "D", INK),
    ]


def _columns(kept: pd.DataFrame) -> list[Column]:
    counts = [numbers(kept[name]) for name in ("n_without", "n_with")]
    people = [f"{_whole(a)} / {_whole(b)}" for a, b in zip(*counts, strict=True)]
    ends = [_parts(kept[name]) for name in ("difference", "lower", "upper")]
    return [
        Column("people,\nother / perverse", people),
        Column("difference\nin points", [_points(*three) for three in zip(*ends, strict=True)]),
    ]


def _parts(column: pd.Series) -> Vector:
    """A column of shares, or of their differences; what can be none is missing."""
    values = numbers(column)
    return np.where(np.abs(values) <= 1.0, values, np.nan)


def _whole(count: float) -> str:
    return f"{count:.0f}" if np.isfinite(count) else MISSING


def _points(difference: float, low: float, high: float) -> str:
    if not np.isfinite(difference):
        return MISSING
    text = f"{100 * difference:+.0f}"
    if np.isfinite(low) and np.isfinite(high):
        text += f" ({100 * low:+.0f} to {100 * high:+.0f})"
    return text.replace("-", "−")


def _alt(rows: pd.DataFrame, kept: pd.DataFrame) -> str:
    parts = []
    for kind, mine in each(rows[rows["kind"].isin(KINDS)], "kind", KINDS):
        found = [
            f"{method} {per_cent(float(_parts(own['share'])[0]))}" for method, own in each(mine)
        ]
        parts.append(f"{HEADINGS[kind].capitalize()}: {enumerated(found)}.")
    listed = [
        f"{method} {per_cent(float(_parts(own['kept_without'])[0]))} and "
        f"{per_cent(float(_parts(own['kept_with'])[0]))}"
        for method, own in each(kept)
    ]
    ends = f" {KEPT}, in the order other, perverse: {enumerated(listed)}." if listed else ""
    return f"Bars: {ASKED.lower()} {' '.join(parts)}{ends}"
