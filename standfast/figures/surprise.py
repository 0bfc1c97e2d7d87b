"""Surprise: what a rival that must accept too adds to the cost of advice."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Page

from standfast.figures.dots import Column, Mark, dot_rows, rival_labels, row_heights
from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, each, finite, numbers, scenes
from standfast.figures.style import INK, legend, page, scale
from standfast.figures.wording import counted, enumerated, number, short_names, wrapped
from standfast.studies.names import WITH_SUPPORT, WITHOUT_SUPPORT

KINDS = {
    WITHOUT_SUPPORT: "without data support",
    WITH_SUPPORT: "with data support: usual in the data",
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
        if any(finite(rows[cost]).size for cost in COSTS):
            subject = "What a rival adds to the cost"
            yield Sheet("surprise", data, reference, subject, _alt(rows), _draw(rows))


def _draw(rows: pd.DataFrame) -> Page:
    short, parts = short_names(rows["rival"].astype(str)), each(rows, "advice", KINDS)
    labels = [rival_labels([short[r] for r in own["rival"].astype(str)]) for _, own in parts]
    heights = [row_heights(names) for names in labels]
    sheet = page(1.05 + sum(heights) + 0.6 * len(parts))
    axes = sheet.subplots(len(parts), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for ax, names, (kind, own) in zip(axes, labels, parts, strict=True):
        dot_rows(ax, names, _marks(own), _columns(own))
        ax.set_title(wrapped(KINDS.get(kind, kind), 40, 1))
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
    rows = rows.assign(**{name: numbers(rows[name]) for name in (*COSTS, "ratio")})
    for kind, mine in each(rows, "advice", KINDS):
        costs = [
            f"{short[str(row['rival'])]} {number(row['cost_f'])}, {number(row['cost_g'])} and "
            f"{number(row['cost_joint'])} (ratio {number(row['ratio'])})"
            for _, row in mine.iterrows()
        ]
        some, more = costs[:6], len(costs) - 6
        rest = f"; and {counted(more, 'more rival')}" if more > 0 else ""
        none = int(np.nansum(numbers(mine["impossible"])))
        name = KINDS.get(kind, kind)
        parts.append(
            f"{name[:1].upper()}{name[1:]}: {'; '.join(some)}{rest}. "
            f"{counted(none, 'search', 'searches')} proved that no advice is accepted by both."
        )
    of = enumerated(list(COSTS.values()))
    return f"Dots of the mean cost, per rival, of {of}. {' '.join(parts)}"
