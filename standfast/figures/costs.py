"""Costs: how total and maximal percentile shifts spread over people, method by method."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page

from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, Vector, each, finite, scenes
from standfast.figures.style import INK, SOFT, beside, note, page, pale, rows_down, scale, style_of
from standfast.figures.wording import enumerated, number, wrapped
from standfast.studies.names import NOTHING

SHIFTS = {"total": "total percentile shift", "max": "largest percentile shift"}
_FEW = 5  # people too few for a density are drawn one by one


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene in which somebody got advice."""
    for data, reference, rows in scenes(tables, "advice"):
        asked = rows[rows["method"] != NOTHING]  # which costs nothing, by definition
        advised = asked[asked["found"].astype(bool)]
        if any(finite(advised[shift]).size for shift in SHIFTS):
            subject = "What the advice costs"
            yield Sheet("costs", data, reference, subject, _alt(advised), _draw(asked, advised))


def _draw(asked: pd.DataFrame, advised: pd.DataFrame) -> Page:
    methods = each(advised)
    sheet = page(1.1 + 0.62 * len(methods))
    axes = sheet.subplots(1, len(SHIFTS), sharey=True, squeeze=False)[0]
    labels = [_label(name, len(own), (asked["method"] == name).sum()) for name, own in methods]
    for ax, (shift, label) in zip(axes, SHIFTS.items(), strict=True):
        rows_down(ax, labels, bottom=-0.45)
        for row, (method, own) in enumerate(methods):
            _violin(ax, row, finite(own[shift]), method)
        scale(ax, np.append(finite(advised[shift]), 0.0), most=5)
        ax.set_xlabel(label)
        note(ax, "median", (1.02, 1.0), color=SOFT, va="bottom")
    return sheet


def _label(method: str, n: int, asked: int) -> str:
    return f"{wrapped(method, 14, 3)}\nn = {n}" + (f" of {asked}" if n < asked else "")


def _violin(ax: Axes, row: int, values: Vector, method: str) -> None:
    colour = style_of(method).colour
    middle = float(np.median(values)) if values.size else float("nan")
    if values.size:
        if len(np.unique(values)) > _FEW:
            shape: dict[str, Any] = {"orientation": "horizontal", "showextrema": False}
            drawn = ax.violinplot(values, [row], widths=0.8, **shape)
            for body in drawn["bodies"]:  # type: ignore[attr-defined]
                body.set(facecolor=pale(colour, 0.35), alpha=1, linewidth=0)
        else:
            ax.plot(values, np.full(values.size, row), "o", color=colour, alpha=0.5)
        ax.hlines(row, *np.quantile(values, [0.25, 0.75]), color=colour, linewidth=5, zorder=3)
        ax.plot([middle], [row], "o", color="white", markeredgecolor=INK, markersize=5.5, zorder=4)
    beside(ax, number(middle), row, 1.02, va="center_baseline", fontweight="bold")


def _alt(advised: pd.DataFrame) -> str:
    parts = []
    for shift, label in SHIFTS.items():
        medians = [
            f"{method} {number(float(np.median(values)))} (n = {values.size})"
            for method, own in each(advised)
            if (values := finite(own[shift])).size
        ]
        parts.append(f"Median {label}: {enumerated(medians)}.")
    return f"Violins of what advice costs, per method. {' '.join(parts)}"
