"""Histograms: three inputs, as methods change them and as the rightly accepted have them."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page
from matplotlib.patches import Patch

from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, Vector, finite, numbers, ordered, rows_of, scenes
from standfast.figures.style import BODY, INK, SMALL, SOFT, legend, look, page, pale, percent
from standfast.figures.wording import enumerated, number, scene_words, wrapped
from standfast.studies.tables import GOOD, METHODS, REFUSED

_MOST_TICKS = 5


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene."""
    for data, reference, rows in scenes(tables, "histograms"):
        if finite(rows["share"]).size == 0 or finite(rows["value"]).size == 0:
            continue
        distances = _distances(rows_of(tables, "distances", data, reference))
        yield Sheet(
            "histograms",
            data,
            reference,
            f"Where advice sends people, input by input: {scene_words(data, reference)}",
            _alt(rows, distances),
            _draw(rows, distances),
        )


def _distances(rows: pd.DataFrame) -> dict[tuple[str, str], float]:
    keys = zip(rows["group"].astype(str), rows["feature"].astype(str), strict=True)
    return dict(zip(keys, numbers(rows["distance"]).tolist(), strict=True))


def _groups(rows: pd.DataFrame) -> list[str]:
    """The rows of the figure: the refused, then the methods; the good alone if nobody else."""
    groups = ordered(rows["group"], (REFUSED, *METHODS))
    return [group for group in groups if group != GOOD] or groups


def _draw(rows: pd.DataFrame, distances: dict[tuple[str, str], float]) -> Page:
    groups, features = _groups(rows), ordered(rows["feature"])
    sheet = page(1.5 + 0.95 * len(groups))
    axes = sheet.subplots(len(groups), len(features), sharex="col", sharey="col", squeeze=False)
    for column, feature in enumerate(features):
        mine = rows[rows["feature"] == feature]
        values, ends = _bars(mine)
        good = _heights(mine[mine["group"] == GOOD], values)
        for row, group in enumerate(groups):
            heights = _heights(mine[mine["group"] == group], values)
            far = distances.get((group, feature), float("nan"))
            _cell(axes[row, column], good, heights, group, far)
        top = float(np.nanmax(_shares(mine), initial=0.0)) or 1.0
        axes[0, column].set_ylim(0, 1.02 * top)
        axes[0, column].set_title(
            wrapped(str(mine["label"].iloc[0]), 19, 4), fontweight="normal", fontsize=BODY, pad=20
        )
        percent(axes[0, column].yaxis, 2)
        _ticks(axes[-1, column], values, ends)
    for row, group in enumerate(groups):
        n = finite(rows.loc[rows["group"] == group, "n"])
        _row_label(axes[row, 0], group, f"n = {n[0]:.0f}" if n.size else "")
    good_look = look(GOOD)
    n_good = finite(rows.loc[rows["group"] == GOOD, "n"])
    told = GOOD + (f", n = {n_good[0]:.0f}" if n_good.size else "")
    outline = Patch(facecolor=pale(good_look.colour, 0.25), edgecolor=good_look.colour, label=told)
    inner = Patch(facecolor=SOFT, label="the row's people or advice")
    legend(sheet, [outline, inner])
    sheet.supylabel("share of people", fontsize=BODY)
    return sheet


def _bars(rows: pd.DataFrame) -> tuple[Vector, Vector]:
    """The least and the largest value of every bar, in order."""
    values, ends = numbers(rows["value"]), numbers(rows["until"])
    starts, first = np.unique(values[~np.isnan(values)], return_index=True)
    return starts, ends[~np.isnan(values)][first]


def _shares(rows: pd.DataFrame) -> Vector:
    values = numbers(rows["share"])
    return np.where(np.isfinite(values), values, np.nan)


def _heights(rows: pd.DataFrame, values: Vector) -> Vector:
    """The shares at each of `values`; a value the group never takes has none."""
    found = dict(zip(numbers(rows["value"]).tolist(), _shares(rows).tolist(), strict=True))
    heights = [found.get(value, 0.0) for value in values.tolist()]
    return np.array(np.nan_to_num(heights), dtype=np.float64)


def _cell(
    ax: Axes,
    good: Vector,
    heights: Vector,
    group: str,
    far: float,
) -> None:
    at, colour = np.arange(len(heights)), look(GOOD).colour
    ax.bar(at, good, width=0.92, facecolor=pale(colour, 0.25), edgecolor=colour, linewidth=0.9)
    ax.bar(at, heights, width=0.5, color=look(group).colour)
    ax.axhline(0, color=SOFT, linewidth=0.8)
    ax.grid(visible=False, axis="x")
    ax.set_xlim(-0.7, len(heights) - 0.3)
    if np.isfinite(far):
        ax.annotate(
            f"distance {number(far)}",
            (1.0, 1.0),
            xycoords="axes fraction",
            xytext=(0, 3),
            textcoords="offset points",
            ha="right",
            va="bottom",
            fontsize=SMALL,
            color=INK,
        )


def _ticks(ax: Axes, values: Vector, ends: Vector) -> None:
    """Where a few of the bars begin; a bar that stands for all beyond says so."""
    last = len(values) - 1
    step = -(-len(values) // _MOST_TICKS)
    at = [k for k in range(0, last, step) if k + step <= last or k == 0]
    at = [*[k for k in at if k != last], last]
    ax.set_xticks(at, [_tick(values[k], ends[k]) for k in at])


def _tick(value: float, end: float) -> str:
    if np.isneginf(value):
        return f"≤ {number(end, short=True)}"
    return f"{number(value, short=True)}{'+' * bool(np.isposinf(end))}"


def _row_label(ax: Axes, group: str, n: str) -> None:
    ax.set_ylabel(
        f"{wrapped(group, 15, 3)}\n{n}".strip(),
        rotation=0,
        ha="left",
        va="center",
        labelpad=88,
        fontsize=SMALL,
        linespacing=1.3,
    )


def _alt(rows: pd.DataFrame, distances: dict[tuple[str, str], float]) -> str:
    parts = []
    for feature in ordered(rows["feature"]):
        label = str(rows.loc[rows["feature"] == feature, "label"].iloc[0])
        far = [
            f"{group} {number(distances[group, feature])}"
            for group in _groups(rows)
            if np.isfinite(distances.get((group, feature), float("nan")))
        ]
        if far:
            parts.append(f"{label}: {enumerated(far)}.")
    told = f"Distance from '{GOOD}' (0 alike, 1 nothing in common). " if parts else ""
    return f"Histograms of inputs, per group of people and method. {told}{' '.join(parts)}".strip()
