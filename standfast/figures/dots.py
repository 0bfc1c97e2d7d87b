"""Rows of dots: one row per rival, its costs as dots on one line, numbers in columns beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from standfast.figures.reading import Vector
from standfast.figures.style import ALARM, INK, SMALL, SOFT
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
    """Draw the rows, the first one on top; a cost without end is an arrow at the right edge."""
    every = np.column_stack([mark.costs for mark in marks])
    for row, values in enumerate(every):
        known = values[np.isfinite(values)]
        right = np.isposinf(values).any()
        if known.size:
            ax.hlines(row, known.min(), known.max(), color=SOFT, linewidth=1.4, zorder=2)
        if right:
            ax.annotate(
                "",
                (1.0, row),
                (1.0 if not known.size else float(known.max()), row),
                xycoords=("axes fraction", "data"),
                textcoords=("axes fraction" if not known.size else "data", "data"),
                arrowprops={"arrowstyle": "->", "color": SOFT, "linewidth": 1.4},
                zorder=2,
            )
    for mark in marks:
        at = np.where(np.isfinite(mark.costs), mark.costs, np.nan)
        ax.plot(at, np.arange(len(at)), linestyle="", zorder=3, **mark.shape)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.set_yticks(range(len(labels)), list(labels))
    ax.tick_params(axis="y", labelcolor=INK)
    ax.grid(visible=False, axis="y")
    offset = 12.0
    for column in columns:
        offset += _LETTER * max(map(len, [*column.heading.split("\n"), *column.texts]))
        _put(ax, column, offset)
        offset += 10.0


def _put(ax: Axes, column: Column, offset: float) -> None:
    """One column of texts, aligned at the right, `offset` points beside the panel."""
    ax.annotate(
        column.heading,
        (1.0, 1.0),
        xycoords="axes fraction",
        xytext=(offset, 3),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=SMALL,
        color=SOFT,
    )
    alarming = list(column.alarming) or [False] * len(column.texts)
    for row, (text, alarm) in enumerate(zip(column.texts, alarming, strict=True)):
        ax.annotate(
            text,
            (1.0, row),
            xycoords=("axes fraction", "data"),
            xytext=(offset, 0),
            textcoords="offset points",
            ha="right",
            va="center_baseline",
            fontsize=SMALL,
            color=ALARM if alarm else INK,
            fontweight="bold" if alarm else "normal",
        )
