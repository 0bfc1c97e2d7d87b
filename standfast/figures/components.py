"""Components: where advice lands among the accepted and the refused, in two dimensions."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page
from matplotlib.lines import Line2D

from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, each, first, numbers, scenes
from standfast.figures.style import BODY, INK, heading, legend, page, style_of
from standfast.figures.wording import enumerated, number, per_cent
from standfast.studies.names import GOOD, REFUSED

Points = np.ndarray[tuple[int, int], np.dtype[np.float64]]
_BACKGROUND = (REFUSED, GOOD)
_COLUMNS = 3


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene."""
    for data, reference, rows in scenes(tables, "components"):
        points = {group: _points(mine) for group, mine in each(rows, "group")}
        points = {group: found for group, found in points.items() if len(found)}
        if points:
            subject = "Where advice lands among people"
            yield Sheet("components", data, reference, subject, _alt(points), _draw(points, rows))


def _points(rows: pd.DataFrame) -> Points:
    points = np.column_stack([numbers(rows["first"]), numbers(rows["second"])])
    return points[np.isfinite(points).all(axis=1)]


def _draw(points: dict[str, Points], rows: pd.DataFrame) -> Page:
    methods = [group for group in points if group not in _BACKGROUND]
    columns = min(_COLUMNS, max(len(methods), 1))
    lines = -(-max(len(methods), 1) // columns)
    sheet = page(1.0 + 2.05 * lines if columns > 1 else 4.2)
    axes = sheet.subplots(lines, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for ax in axes[len(methods) or 1 :]:
        ax.set_axis_off()
    for ax in axes[: len(methods) or 1]:
        _background(ax, points)
        ax.locator_params(nbins=5)
    for ax, method in zip(axes, methods, strict=False):
        _panel(ax, method, points)
    for ax in axes[max(len(methods) - columns, 0) : len(methods)]:
        ax.tick_params(labelbottom=True)  # the panel below may be empty
    _legend(sheet, points)
    sheet.supxlabel(_axis("first", rows), fontsize=BODY)
    sheet.supylabel(_axis("second", rows), fontsize=BODY)
    return sheet


def _axis(which: str, rows: pd.DataFrame) -> str:
    explained = first(rows[f"explained_{which}"])
    share = "" if np.isnan(explained) else f" ({per_cent(explained)} of the variance)"
    return f"{which} principal component{share}"


def _background(ax: Axes, points: dict[str, Points]) -> None:
    for group in _BACKGROUND:
        if group in points:
            own = style_of(group)
            ax.scatter(
                points[group][:, 0],
                points[group][:, 1],
                s=10,
                marker=own.marker,
                color=own.colour,
                # fainter where there are many, so that they stay a background
                alpha=float(np.clip(8 / np.sqrt(len(points[group])), 0.12, 0.6)),
                linewidths=0.7 if own.marker == "x" else 0,
                rasterized=True,  # thousands of points in every panel would swell the page
                zorder=1,
            )


def _panel(ax: Axes, method: str, points: dict[str, Points]) -> None:
    own, mine = style_of(method), points[method]
    ax.plot(*mine.T, own.marker, color=own.colour, markersize=4.5, zorder=3, **own.edge(0.4, 0.9))
    below = f"n = {len(mine)}"
    if GOOD in points:
        ends = np.array([mine.mean(axis=0), points[GOOD].mean(axis=0)])
        ax.plot(*ends.T, color=INK, linewidth=1.2, zorder=4)
        for end, name in zip(ends, (method, GOOD), strict=True):
            colour = style_of(name).colour
            ax.plot(*end, "o", color=colour, markeredgecolor=INK, markersize=7, zorder=5)
        below += f", centres {number(_apart(mine, points[GOOD]))} apart"
    heading(ax, method, below, 22)


def _apart(some: Points, others: Points) -> float:
    return float(np.linalg.norm(some.mean(axis=0) - others.mean(axis=0)))


def _legend(sheet: Page, points: dict[str, Points]) -> None:
    handles = []
    for group in reversed(_BACKGROUND):
        if group in points:
            handle = Line2D([], [], linestyle="", marker=style_of(group).marker)
            handle.set(color=style_of(group).colour, label=f"{group}, n = {len(points[group])}")
            handles.append(handle)
    if GOOD in points:
        centres = Line2D([], [], color=INK, marker="o", markerfacecolor="white", label="centres")
        handles.append(centres)
    if handles:
        legend(sheet, handles)


def _alt(points: dict[str, Points]) -> str:
    start = "Scatter plots of the first two principal components, one per method."
    others = [group for group in points if group != GOOD]
    if GOOD not in points or not others:
        counts = [f"{group} {len(found)}" for group, found in points.items()]
        return f"{start} Points: {enumerated(counts)}."
    apart = [
        f"{group} {number(_apart(points[group], points[GOOD]))} (n = {len(points[group])})"
        for group in others
    ]
    return f"{start} How far the centre is from that of '{GOOD}': {enumerated(apart)}."
