"""Rows of dots: one row per rival, its costs as dots on one line, numbers in columns beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from standfast.figures.reading import Vector
from standfast.figures.style import ALARM, INK, SMALL, SOFT, beside, note, rows_down
from standfast.figures.wording import wrapped

ROW = 0.30  # inches
_LETTER = 0.60 * SMALL  # about a letter's width, in points


@dataclass(frozen=True)
class Mark:
    """One cost of every row, and the shape it is drawn with."""

    name: str
    costs: Vector
    marker: str
    face: str = "white"
    edge: str = INK

    @property
    def handle(self) -> Line2D:
        """The mark, for a legend."""
        return Line2D([], [], linestyle="", label=self.name, **self.shape)

    @property
    def shape(self) -> dict[str, Any]:
        """How matplotlib draws it."""
        return {
            "marker": self.marker,
            "markerfacecolor": self.face,
            "markeredgecolor": self.edge,
            "markeredgewidth": 1.3,
            "markersize": 7.0,
        }


@dataclass(frozen=True)
class Column:
    """One number of every row, as text; `alarming` rows in bold red."""

    heading: str
    texts: Sequence[str]
    alarming: Sequence[bool] = ()


def row_heights(labels: Sequence[str]) -> float:
    """The inches that rows with these labels need."""
    return sum(max(ROW, 0.17 * (1 + label.count("\n"))) for label in labels)


def rival_labels(names: Sequence[str]) -> list[str]:
    """Names of rivals in lines short enough to stand beside a panel."""
    return [wrapped(name, 20, 3) for name in names]


def dot_rows(
    ax: Axes, labels: Sequence[str], marks: Sequence[Mark], columns: Sequence[Column]
) -> None:
    """Draw the rows, the first one on top; an infinite cost is an arrow at the right edge."""
    every = np.column_stack([mark.costs for mark in marks])
    for row, values in enumerate(every):
        known = values[np.isfinite(values)]
        if known.size:
            ax.hlines(row, known.min(), known.max(), color=SOFT, linewidth=1.4, zorder=2)
        if np.isposinf(values).any():
            start, unit = (float(known.max()), "data") if known.size else (1.0, "axes fraction")
            ax.annotate(
                "",
                (1.0, row),
                (start, row),
                xycoords=("axes fraction", "data"),
                textcoords=(unit, "data"),
                arrowprops={"arrowstyle": "->", "color": SOFT, "linewidth": 1.4},
                zorder=2,
            )
    for mark in marks:
        at = np.where(np.isfinite(mark.costs), mark.costs, np.nan)
        ax.plot(at, np.arange(len(at)), linestyle="", zorder=3, **mark.shape)
    rows_down(ax, labels)
    offset = 12.0
    for column in columns:
        offset += _LETTER * max(map(len, [*column.heading.split("\n"), *column.texts]))
        _put(ax, column, offset)
        offset += 10.0


def _put(ax: Axes, column: Column, offset: float) -> None:
    """One column of texts, aligned at the right, `offset` points beside the panel."""
    note(ax, column.heading, (1, 1), xytext=(offset, 3), ha="right", va="bottom", color=SOFT)
    place: dict[str, Any] = {"xytext": (offset, 0), "ha": "right", "va": "center_baseline"}
    alarming = list(column.alarming) or [False] * len(column.texts)
    for row, (text, alarm) in enumerate(zip(column.texts, alarming, strict=True)):
        bold: dict[str, Any] = {"color": ALARM, "fontweight": "bold"} if alarm else {"color": INK}
        beside(ax, text, row, **place, **bold)
