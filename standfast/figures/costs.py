"""Costs: how total and maximal percentile shifts spread over people, method by method."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page

from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, Vector, finite, ordered, scenes
from standfast.figures.style import INK, SMALL, SOFT, look, page, pale, scale
from standfast.figures.wording import enumerated, number, scene_words, wrapped

SHIFTS = {"total": "total percentile shift", "max": "largest percentile shift"}
_FREE = "do nothing"  # costs nothing, by definition
_FEW = 5  # people too few for a density are drawn one by one


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene in which somebody got advice."""
    for data, reference, rows in scenes(tables, "advice"):
        asked = rows[rows["method"] != _FREE]
        advised = asked[asked["found"].astype(bool)]
        if all(finite(advised[shift]).size == 0 for shift in SHIFTS):
            continue
        yield Sheet(
            "costs",
            data,
            reference,
            f"What the advice costs: {scene_words(data, reference)}",
            _alt(advised),
            _draw(asked, advised),
        )


def _draw(asked: pd.DataFrame, advised: pd.DataFrame) -> Page:
    methods = ordered(advised["method"])
    sheet = page(1.1 + 0.62 * len(methods))
    axes = sheet.subplots(1, len(SHIFTS), sharey=True, squeeze=False)[0]
    for ax, (shift, label) in zip(axes, SHIFTS.items(), strict=True):
        for row, method in enumerate(methods):
            _violin(ax, row, finite(advised.loc[advised["method"] == method, shift]), method)
        scale_from = finite(advised[shift])
        scale(ax, np.append(scale_from, 0.0), most=5)
        ax.set_xlabel(label)
        ax.grid(visible=False, axis="y")
        ax.annotate(
            "median",
            (1.02, 1.0),
            xycoords="axes fraction",
            fontsize=SMALL,
            color=SOFT,
            va="bottom",
        )
    axes[0].set_ylim(len(methods) - 0.45, -0.6)
    axes[0].set_yticks(range(len(methods)), [_label(method, asked, advised) for method in methods])
    axes[0].tick_params(axis="y", labelcolor=INK)
    return sheet


def _label(method: str, asked: pd.DataFrame, advised: pd.DataFrame) -> str:
    n, all_of_them = ((rows["method"] == method).sum() for rows in (advised, asked))
    return f"{wrapped(method, 14, 3)}\nn = {n}" + (f" of {all_of_them}" if n < all_of_them else "")


def _violin(ax: Axes, row: int, values: Vector, method: str) -> None:
    own = look(method)
    middle = float(np.median(values)) if values.size else float("nan")
    if values.size:
        low, high = np.quantile(values, [0.25, 0.75])
        if len(np.unique(values)) > _FEW:
            at, width = density(values)
            ax.fill_between(
                at, row - 0.4 * width, row + 0.4 * width, color=pale(own.colour, 0.35), linewidth=0
            )
        else:
            ax.plot(values, np.full(values.size, row), "o", color=own.colour, alpha=0.5)
        ax.hlines(row, low, high, color=own.colour, linewidth=5, zorder=3)
        ax.plot([middle], [row], "o", color="white", markeredgecolor=INK, markersize=5.5, zorder=4)
    ax.annotate(
        number(middle),
        (1.02, row),
        xycoords=("axes fraction", "data"),
        fontsize=SMALL,
        va="center_baseline",
        fontweight="bold",
    )


def density(values: Vector) -> tuple[Vector, Vector]:
    """A Gaussian kernel density between the least and the largest value, its peak at 1.

    Scott's bandwidth; the ends are cut, for a violin must not promise costs nobody has.
    """
    width = float(values.std(ddof=1)) * values.size ** (-1 / 5)
    at = np.linspace(values.min(), values.max(), 160)
    height = np.exp(-0.5 * ((at[:, None] - values) / width) ** 2).sum(axis=1)
    return at, height / height.max()


def _alt(advised: pd.DataFrame) -> str:
    parts = []
    for shift, label in SHIFTS.items():
        medians = []
        for method in ordered(advised["method"]):
            values = finite(advised.loc[advised["method"] == method, shift])
            if values.size:
                medians.append(f"{method} {number(float(np.median(values)))} (n = {values.size})")
        parts.append(f"Median {label}: {enumerated(medians)}.")
    return f"Violins of what advice costs, per method. {' '.join(parts)}"
