"""Transfer: who keeps the advice, rival by rival along each grid, and the rivals' accuracy."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page

from standfast.figures.figure import Sheet
from standfast.figures.grid_axis import GridAxis, grid_axis, mark_ends
from standfast.figures.reading import Tables, finite, mean, numbers, ordered, rows_of, scenes
from standfast.figures.style import (
    INK,
    SMALL,
    SOFT,
    handle,
    heading,
    legend,
    look,
    page,
    percent,
    shares,
)
from standfast.figures.wording import counted, enumerated, per_cent, scene_words

GRIDS = ("linear", "forests")
_KINDS = {"linear": "linear", "forests": "forest"}
_FEW = 14  # so many rivals all get a marker


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene."""
    for data, reference, rows in scenes(tables, "transfer"):
        if finite(rows["transfer"]).size == 0:
            continue
        own = finite(rows_of(tables, "scenes", data, reference)["accuracy"])
        yield Sheet(
            "transfer",
            data,
            reference,
            f"Share of advice each rival keeps: {scene_words(data, reference)}",
            _alt(rows),
            _draw(rows, float(own[0]) if own.size else float("nan")),
        )


def _draw(rows: pd.DataFrame, own: float) -> Page:
    grids = ordered(rows["grid"], GRIDS)
    accurate = finite(rows["test_accuracy"]).size > 0
    sheet = page(5.0 if accurate else 3.8)
    axes = sheet.subplots(
        2 if accurate else 1,
        len(grids),
        sharey="row",
        sharex="col",
        squeeze=False,
        height_ratios=(3, 1) if accurate else None,
    )
    for column, grid in enumerate(grids):
        members = rows[rows["grid"] == grid].sort_values("position", kind="stable")
        rivals = members.drop_duplicates("rival")
        places = numbers(rivals["position"])
        along = grid_axis(rivals["rival"].astype(str).tolist(), places)
        _panel(axes[0, column], members, along)
        same = bool(rivals["same_class"].astype(bool).all())
        heading(
            axes[0, column],
            counted(len(rivals), f"{_KINDS.get(grid, grid)} rival"),
            "of the reference's class" if same else "of another class",
            34,
        )
        room = max(0.03 * float(np.ptp(places)), 0.3)
        axes[0, column].set_xlim(places.min() - room, places.max() + room)
        if accurate:
            _accuracy(axes[1, column], rivals, along, own)
        along.put(axes[-1, column])
    axes[0, 0].set_ylim(-0.02, 1.02)
    shares(axes[0, 0].yaxis)
    axes[0, 0].set_ylabel("share of advice\nthe rival keeps")
    if accurate:
        dashed = "; dashed: the reference's" if np.isfinite(own) else ""
        axes[1, 0].set_title(f"test accuracy{dashed}", fontsize=SMALL, fontweight="normal")
    legend(sheet, [handle(method) for method in ordered(rows["method"])])
    return sheet


def _panel(ax: Axes, members: pd.DataFrame, along: GridAxis) -> None:
    mark_ends(ax, along)
    ax.axhline(0, color=SOFT, linewidth=0.8, zorder=1)
    methods = ordered(members["method"])
    for k, method in enumerate(methods):
        own, mine = look(method), members[members["method"] == method]
        x, y = numbers(mine["position"]), numbers(mine["transfer"])
        lower, upper = numbers(mine["lower"]), numbers(mine["upper"])
        y[~np.isfinite(y)] = np.nan
        known = np.isfinite(lower) & np.isfinite(upper)
        if len(x) == 1:  # a band has no width there; side by side, whiskers can be told apart
            x = x + 0.02 * (k - (len(methods) - 1) / 2)
            ax.vlines(x[known], lower[known], upper[known], color=own.colour, linewidth=1.2)
        else:
            ax.fill_between(x, lower, upper, where=known, color=own.colour, alpha=0.10, linewidth=0)
        step = 1 if len(x) <= _FEW else max(1, len(x) // 7)
        ax.plot(
            x,
            y,
            color=own.colour,
            linestyle=own.dash,
            marker=own.marker,
            markevery=(k % step, step) if len(x) > 1 else None,
            markeredgecolor=own.colour if own.marker in "x+" else "white",
            markeredgewidth=1.3 if own.marker in "x+" else 0.5,
            markersize=5.5,
            zorder=3 if own.dash == "-" else 2,
        )


def _accuracy(ax: Axes, rivals: pd.DataFrame, along: GridAxis, own: float) -> None:
    mark_ends(ax, along)
    ax.plot(
        numbers(rivals["position"]),
        numbers(rivals["test_accuracy"]),
        color=INK,
        linewidth=0.8,
        marker=".",
        markersize=4,
    )
    if np.isfinite(own):
        ax.axhline(own, color=SOFT, linewidth=1.0, linestyle=(0, (3, 3)))
    percent(ax.yaxis, 3)
    ax.margins(y=0.35)


def _alt(rows: pd.DataFrame) -> str:
    parts = []
    for grid in ordered(rows["grid"], GRIDS):
        members = rows[rows["grid"] == grid]
        means = [
            f"{method} {per_cent(mean(members.loc[members['method'] == method, 'transfer']))}"
            for method in ordered(members["method"])
        ]
        rivals = counted(members["rival"].nunique(), f"{_KINDS.get(grid, grid)} rival")
        parts.append(f"Mean over {rivals}: {enumerated(means)}.")
    accuracy = finite(rows["test_accuracy"])
    if accuracy.size:
        low, high = per_cent(accuracy.min()), per_cent(accuracy.max())
        parts.append(f"The rivals' test accuracy lies between {low} and {high}.")
    return f"Lines of the share of advice each rival keeps, per method. {' '.join(parts)}"
