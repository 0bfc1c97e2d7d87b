"""Transfer: who keeps the advice, rival by rival along each grid, and the rivals' accuracy."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page

from standfast.figures.figure import Sheet
from standfast.figures.grid_axis import GridAxis, grid_axis, mark_ends
from standfast.figures.reading import (
    Tables,
    each,
    finite,
    first,
    mean,
    numbers,
    ordered,
    rows_of,
    scenes,
)
from standfast.figures.style import (
    INK,
    SMALL,
    SOFT,
    handle,
    heading,
    legend,
    page,
    percent,
    shares,
    style_of,
)
from standfast.figures.wording import counted, enumerated, per_cent
from standfast.studies.names import FORESTS, LINEAR

_KINDS = {LINEAR: "linear", FORESTS: "forest"}
_FEW = 14  # so many rivals all get a marker


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene."""
    for data, reference, rows in scenes(tables, "transfer"):
        if finite(rows["transfer"]).size:
            accuracy = first(rows_of(tables, "scenes", data, reference)["accuracy"])
            subject = "Share of advice each rival keeps"
            yield Sheet("transfer", data, reference, subject, _alt(rows), _draw(rows, accuracy))


def _draw(rows: pd.DataFrame, accuracy: float) -> Page:
    grids = each(rows, "grid", _KINDS)
    below = finite(rows["test_accuracy"]).size > 0
    sheet = page(5.0 if below else 3.8)
    heights: dict[str, Any] = {"height_ratios": (3, 1)} if below else {}
    shape = 1 + below, len(grids)
    axes = sheet.subplots(*shape, sharey="row", sharex="col", squeeze=False, **heights)
    for column, (grid, members) in zip(axes.T, grids, strict=True):
        members = members.sort_values("position", kind="stable")
        rivals = members.drop_duplicates("rival")
        places = numbers(rivals["position"])
        along = grid_axis(rivals["rival"].astype(str).tolist(), places)
        _panel(column[0], members, along)
        same = bool(rivals["same_class"].astype(bool).all())
        whose = "of the reference's class" if same else "of another class"
        heading(column[0], _rivals(grid, len(rivals)), whose, 34)
        room = max(0.03 * float(np.ptp(places)), 0.3)
        column[0].set_xlim(places.min() - room, places.max() + room)
        if below:
            _accuracy(column[1], rivals, along, accuracy)
        along.put(column[-1])
    axes[0, 0].set_ylim(-0.02, 1.02)
    shares(axes[0, 0].yaxis)
    axes[0, 0].set_ylabel("share of advice\nthe rival keeps")
    if below:
        dashed = "; dashed: the reference's" if np.isfinite(accuracy) else ""
        axes[1, 0].set_title(f"test accuracy{dashed}", fontsize=SMALL, fontweight="normal")
    legend(sheet, [handle(method) for method in ordered(rows["method"])])
    return sheet


def _rivals(grid: str, n: int) -> str:
    return counted(n, f"{_KINDS.get(grid, grid)} rival")


def _panel(ax: Axes, members: pd.DataFrame, along: GridAxis) -> None:
    mark_ends(ax, along)
    ax.axhline(0, color=SOFT, linewidth=0.8, zorder=1)
    methods = each(members)
    for k, (method, mine) in enumerate(methods):
        own = style_of(method)
        x, y = numbers(mine["position"]), numbers(mine["transfer"])
        lower, upper = numbers(mine["lower"]), numbers(mine["upper"])
        y[~np.isfinite(y)] = np.nan
        known = np.isfinite(lower) & np.isfinite(upper)
        if len(x) == 1:  # a band has no width there; side by side, whiskers do not hide each other
            x = x + 0.02 * (k - (len(methods) - 1) / 2)
            ax.vlines(x[known], lower[known], upper[known], color=own.colour, linewidth=1.2)
        else:
            ax.fill_between(x, lower, upper, where=known, color=own.colour, alpha=0.10, linewidth=0)
        step = 1 if len(x) <= _FEW else max(1, len(x) // 7)
        style: dict[str, Any] = {"marker": own.marker, "markersize": 5.5} | own.edge(0.5, 1.3)
        if len(x) > 1:
            style["markevery"] = (k % step, step)
        order = 3 if own.dash == "-" else 2
        ax.plot(x, y, color=own.colour, linestyle=own.dash, zorder=order, **style)


def _accuracy(ax: Axes, rivals: pd.DataFrame, along: GridAxis, reference: float) -> None:
    mark_ends(ax, along)
    x, y = numbers(rivals["position"]), numbers(rivals["test_accuracy"])
    ax.plot(x, y, color=INK, linewidth=0.8, marker=".", markersize=4)
    if np.isfinite(reference):
        ax.axhline(reference, color=SOFT, linewidth=1.0, linestyle=(0, (3, 3)))
    percent(ax.yaxis, 3)
    ax.margins(y=0.35)


def _alt(rows: pd.DataFrame) -> str:
    parts = []
    for grid, members in each(rows, "grid", _KINDS):
        means = [f"{method} {per_cent(mean(own['transfer']))}" for method, own in each(members)]
        rivals = _rivals(grid, members["rival"].nunique())
        parts.append(f"Mean over {rivals}: {enumerated(means)}.")
    accuracy = finite(rows["test_accuracy"])
    if accuracy.size:
        low, high = per_cent(accuracy.min()), per_cent(accuracy.max())
        parts.append(f"The rivals' test accuracy lies between {low} and {high}.")
    return f"Lines of the share of advice each rival keeps, per method. {' '.join(parts)}"
