"""Bounds: what theory promises beside the exact mean cost, rival by rival."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Page

from standfast.figures.dots import Column, Mark, dot_rows, rival_labels, row_heights
from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, Vector, finite, numbers, ordered, scenes
from standfast.figures.style import INK, SOFT, legend, page, scale
from standfast.figures.wording import enumerated, number, short_names, wrapped
from standfast.studies.names import EXACT, LEMMA_1, PROPOSITION_2, PUBLISHED, SLACK, TIGHTER

SHAPES = {TIGHTER: "s", SLACK: "v", LEMMA_1: "^", PROPOSITION_2: "X"}
_SHOWN = {PROPOSITION_2: PROPOSITION_2 + PUBLISHED}
_HEADINGS = {TIGHTER: "prop. 2'", SLACK: "2' + slack", PROPOSITION_2: "prop. 2"}


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene."""
    for data, reference, rows in scenes(tables, "bounds"):
        known = rows.assign(bound=rows["bound"].astype(str), rival=rows["rival"].astype(str))
        if finite(known["total"]).size + finite(known["exact"]).size:
            subject = "What the bounds promise"
            yield Sheet("bounds", data, reference, subject, _alt(known), _draw(known))


def _bounds(rows: pd.DataFrame) -> list[str]:
    return [bound for bound in ordered(rows["bound"], SHAPES) if bound != EXACT]


def _each(rows: pd.DataFrame, bound: str, column: str, rivals: list[str]) -> Vector:
    """A number of every rival, of one bound or of any that has it."""
    mine = rows[rows["bound"] == bound] if bound else rows
    values = pd.Series(numbers(mine[column]), index=mine["rival"].to_numpy()).dropna()
    return numbers(values[~values.index.duplicated()].reindex(rivals))


def _draw(rows: pd.DataFrame) -> Page:
    rivals, bounds = ordered(rows["rival"]), _bounds(rows)
    short = short_names(rivals)
    labels = rival_labels([short[rival] for rival in rivals])
    sheet = page(1.75 + row_heights(labels))
    ax = sheet.subplots()
    marks = [Mark("exact mean cost", _each(rows, "", "exact", rivals), "o", INK)]
    columns = []
    for bound in bounds:
        total = _each(rows, bound, "total", rivals)
        tight = _each(rows, bound, "tightness", rivals)
        name, edge = wrapped(_SHOWN.get(bound, bound), 36, 1), SOFT if bound in _SHOWN else INK
        marks.append(Mark(name, total, SHAPES.get(bound, "v"), edge=edge))
        texts = [
            "bound ∞" if np.isposinf(t) else number(v) for t, v in zip(total, tight, strict=True)
        ]
        heading = f"tightness\n{wrapped(_HEADINGS.get(bound, bound), 10, 1)}"
        columns.append(Column(heading, texts, [bool(value > 1 + 1e-9) for value in tight]))
    dot_rows(ax, labels, marks, columns)
    scale(ax, np.concatenate([mark.costs for mark in marks]), most=5)
    ax.set_xlabel("mean cost of advice both models accept\n(total percentile shift)")
    legend(sheet, [mark.handle for mark in marks])
    return sheet


def _alt(rows: pd.DataFrame) -> str:
    rivals = ordered(rows["rival"])
    short, exact = short_names(rivals), _each(rows, "", "exact", rivals)
    costs = [f"{short[rival]} {number(cost)}" for rival, cost in zip(rivals, exact, strict=True)]
    parts = [f"Exact mean cost: {enumerated(costs[:8])}{' and more' * (len(costs) > 8)}."]
    for bound in _bounds(rows):
        tight = finite(_each(rows, bound, "tightness", rivals))
        if tight.size:
            low, high = number(float(tight.min())), number(float(tight.max()))
            spread = low if low == high else f"{low} to {high}"
            broken = int((tight > 1 + 1e-9).sum())
            parts.append(
                f"{_SHOWN.get(bound, bound).capitalize()}: tightness {spread}"
                f"{f', broken for {broken} of {tight.size}' if broken else ''}."
            )
    return f"Dots of what each bound promises beside the exact mean cost. {' '.join(parts)}"
