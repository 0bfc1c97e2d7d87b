"""Surprise: what a rival that must accept too adds to the cost of advice."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Page

from standfast.figures.dots import Column, Mark, dot_rows, rival_labels, row_heights
from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, finite, numbers, ordered, scenes
from standfast.figures.style import INK, legend, page, scale
from standfast.figures.wording import counted, enumerated, number, scene_words, short_names, wrapped

CAMPS = {
    "sparse": "sparse camp",
    "support": "support camp: usual in the data",
}
COSTS = {
    "cost_f": "advice the reference accepts, c*(f)",
    "cost_g": "the rival, c*(g)",
    "cost_joint": "both, c*(f, g)",
}
_SHAPES = {"cost_f": ("o", "white"), "cost_g": ("s", "white"), "cost_joint": ("D", INK)}


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene."""
    for data, reference, rows in scenes(tables, "surprise"):
        if all(finite(rows[cost]).size == 0 for cost in COSTS):
            continue
        yield Sheet(
            "surprise",
            data,
            reference,
            f"What a rival adds to the cost: {scene_words(data, reference)}",
            _alt(rows),
            _draw(rows),
        )


def _draw(rows: pd.DataFrame) -> Page:
    camps = ordered(rows["camp"], CAMPS)
    short = short_names(rows["rival"].astype(str))
    parts = {camp: rows[rows["camp"] == camp] for camp in camps}
    labels = {
        camp: rival_labels([short[rival] for rival in part["rival"].astype(str)])
        for camp, part in parts.items()
    }
    heights = [row_heights(labels[camp]) for camp in camps]
    sheet = page(1.05 + sum(heights) + 0.6 * len(camps))
    axes = sheet.subplots(len(camps), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for ax, camp in zip(axes, camps, strict=True):
        marks = _marks(parts[camp])
        dot_rows(ax, labels[camp], marks, _columns(parts[camp]))
        ax.set_title(wrapped(CAMPS.get(camp, camp), 40, 1))
    scale(axes[-1], np.concatenate([numbers(rows[cost]) for cost in COSTS]))
    axes[-1].set_xlabel("mean cost of advice (total percentile shift)")
    legend(sheet, [mark.handle for mark in _marks(rows)])
    return sheet


def _marks(rows: pd.DataFrame) -> list[Mark]:
    return [Mark(name, numbers(rows[cost]), *_SHAPES[cost]) for cost, name in COSTS.items()]


def _columns(rows: pd.DataFrame) -> list[Column]:
    columns = [
        Column("mean\nratio", [number(ratio) for ratio in numbers(rows["ratio"])]),
        Column("people", [number(n, short=True) for n in numbers(rows["n_ratio"])]),
    ]
    for name, heading in (("impossible", "no joint\nadvice"), ("unproven", "not\nproven")):
        counts = numbers(rows[name])
        if (counts > 0).any():
            columns.append(Column(heading, [number(n, short=True) for n in counts]))
    return columns


def _alt(rows: pd.DataFrame) -> str:
    short, parts = short_names(rows["rival"].astype(str)), []
    for camp in ordered(rows["camp"], CAMPS):
        mine = rows[rows["camp"] == camp]
        told = [
            f"{short[str(row['rival'])]} {number(row['cost_f'])}, {number(row['cost_g'])} and "
            f"{number(row['cost_joint'])} (ratio {number(row['ratio'])})"
            for _, row in _numeric(mine).iterrows()
        ]
        some, more = told[:6], len(told) - 6
        rest = f"; and {counted(more, 'more rival')}" if more > 0 else ""
        none = int(np.nansum(numbers(mine["impossible"])))
        parts.append(
            f"{camp[:1].upper()}{camp[1:]} camp: {'; '.join(some)}{rest}. "
            f"{counted(none, 'search', 'searches')} proved that no advice is accepted by both."
        )
    names = enumerated(list(COSTS.values()))
    return f"Dots of the mean cost, per rival, of {names}. {' '.join(parts)}"


def _numeric(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(**{name: numbers(rows[name]) for name in (*COSTS, "ratio")})
