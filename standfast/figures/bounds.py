"""Bounds: what theory promises beside the exact mean cost, rival by rival."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Page

from standfast.figures.dots import Column, Mark, dot_rows, rival_labels, row_heights
from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, Vector, finite, numbers, ordered, scenes
from standfast.figures.style import INK, SOFT, legend, page, scale
from standfast.figures.wording import enumerated, number, scene_words, short_names, wrapped

EXACT = "exact"
SHAPES = {
    "proposition 2'": "s",
    "proposition 2' + slack": "v",
    "lemma 1": "^",
    "proposition 2": "X",
}
_SHOWN = {"proposition 2": "proposition 2, as published"}
_HEADINGS = {
    "proposition 2'": "prop. 2'",
    "proposition 2' + slack": "2' + slack",
    "proposition 2": "prop. 2",
}


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene."""
    for data, reference, rows in scenes(tables, "bounds"):
        known = rows.assign(
            bound=[_plain(bound) for bound in rows["bound"].astype(str)],
            rival=rows["rival"].astype(str),
        )
        if finite(known["total"]).size + finite(known["exact"]).size == 0:
            continue
        yield Sheet(
            "bounds",
            data,
            reference,
            f"What the bounds promise: {scene_words(data, reference)}",
            _alt(known),
            _draw(known),
        )


def _plain(bound: str) -> str:
    """The bound without its epithet: 'proposition 2, as published' is proposition 2."""
    return bound.replace("as published", "").strip(" ,()")


def _bounds(rows: pd.DataFrame) -> list[str]:
    return [bound for bound in ordered(rows["bound"], SHAPES) if bound != EXACT]


def _each(rows: pd.DataFrame, bound: str, column: str, rivals: list[str]) -> Vector:
    mine = rows[rows["bound"] == bound] if bound else rows
    values = pd.Series(numbers(mine[column]), index=mine["rival"].to_numpy())
    return np.array([_first(values[values.index == rival]) for rival in rivals])


def _first(values: "pd.Series[float]") -> float:
    known = values.dropna()
    return float(known.iloc[0]) if len(known) else float("nan")


def _draw(rows: pd.DataFrame) -> Page:
    rivals, bounds = ordered(rows["rival"]), _bounds(rows)
    short = short_names(rivals)
    labels = rival_labels([short[rival] for rival in rivals])
    sheet = page(1.75 + row_heights(labels))
    ax = sheet.subplots()
    exact = Mark("exact mean cost", _each(rows, "", "exact", rivals), "o", INK)
    marks = [exact] + [
        Mark(
            wrapped(_SHOWN.get(bound, bound), 36, 1),
            _each(rows, bound, "total", rivals),
            SHAPES.get(bound, "v"),
            edge=SOFT if bound == "proposition 2" else INK,
        )
        for bound in bounds
    ]
    columns = []
    for bound in bounds:
        tight = _each(rows, bound, "tightness", rivals)
        endless = np.isposinf(_each(rows, bound, "total", rivals))
        texts = [
            "bound ∞" if no_end else number(value)
            for value, no_end in zip(tight, endless, strict=True)
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
    short, parts = short_names(rivals), []
    exact = _each(rows, "", "exact", rivals)
    told = [f"{short[rival]} {number(cost)}" for rival, cost in zip(rivals, exact, strict=True)]
    parts.append(f"Exact mean cost: {enumerated(told[:8])}{' and more' * (len(told) > 8)}.")
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
