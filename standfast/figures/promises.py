"""A simulated year: how many promises each new model keeps, and what the year costs in all."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page

from standfast.figures.figure import Sheet
from standfast.figures.reading import (
    Tables,
    each,
    finite,
    first,
    numbers,
    ordered,
    rows_of,
    scenes,
)
from standfast.figures.style import (
    INK,
    beside,
    deep,
    heading,
    note,
    page,
    pale,
    rows_down,
    scale,
    shares,
    style_of,
)
from standfast.figures.wording import counted, enumerated, number, per_cent, wrapped
from standfast.studies.names import AT_START, BY_YEAR, INVARIANT, NO_DRIFT, YEAR

ORDER = YEAR
LABELS = {INVARIANT: "Invariant"}
TITLES = {
    NO_DRIFT: "Nothing drifts: retraining alone",
    BY_YEAR: "A new model every fiscal year",
}
_DODGE = 0.055  # between the intervals of two methods, of a period
_NUMBERS = ("kept", "lower", "upper")


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene whose year has a number."""
    for data, reference, rows in scenes(tables, "promises_year"):
        rows = rows[rows["people"] == AT_START] if (rows["people"] == AT_START).any() else rows
        rows = rows.assign(**{name: numbers(rows[name]) for name in (*_NUMBERS, "period", "n")})
        known = rows[np.isfinite(rows["kept"]) & np.isfinite(rows["period"])]
        if len(known):
            total = rows_of(tables, "promises_total", data, reference)
            drawn = _alt(known, total), _draw(known, total)
            yield Sheet("promises", data, reference, "A simulated year of promises", *drawn)


def title_of(drift: str) -> str:
    """How the data drift, as a title.

    >>> title_of("drift by 0.5"), title_of("no drift")
    ('Data that drift by 0.5', 'Nothing drifts: retraining alone')
    """
    return TITLES.get(drift, f"Data that {drift}")


def name_of(method: str) -> str:
    """A method's name beside its line."""
    return LABELS.get(method, method)


def _kinds(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The kinds of drift, those with drift first."""
    kinds = [kind for kind in ordered(rows["drift"]) if kind != NO_DRIFT]
    return each(rows, "drift", [*kinds, NO_DRIFT])


def _draw(rows: pd.DataFrame, total: pd.DataFrame) -> Page:
    kinds = _kinds(rows)
    sheet = page(0.45 + 2.75 * len(kinds))
    axes = sheet.subplots(len(kinds), 2, squeeze=False, width_ratios=(1.25, 1.0), sharey=False)
    for (left, right), (kind, mine) in zip(axes, kinds, strict=True):
        _kept(left, kind, mine)
        _costs(right, total[total["drift"] == kind], ordered(mine["method"], ORDER))
    costs = [finite(total[name]) for name in ("total", "total_upper")]
    for right in axes[:, 1]:
        scale(right, np.concatenate([[0.0], *costs]), most=5, wide=np.inf)
    axes[-1, 1].set_xlabel("mean total percentile shift")
    return sheet


def _kept(ax: Axes, kind: str, rows: pd.DataFrame) -> None:
    """A line per method: the share of promises that the model of each period accepts."""
    methods = each(rows, first=ORDER)
    for k, (method, mine) in enumerate(methods):
        own, main = style_of(method), method == INVARIANT
        at = _DODGE * (k - (len(methods) - 1) / 2)
        x, y = mine["period"].to_numpy(dtype=float), mine["kept"].to_numpy(dtype=float)
        low, high = mine["lower"].to_numpy(dtype=float), mine["upper"].to_numpy(dtype=float)
        whole = np.isfinite(low) & np.isfinite(high)
        light: dict[str, Any] = {"color": own.colour, "linewidth": 1.1, "alpha": 0.45, "zorder": 2}
        ax.vlines((x + at)[whole], low[whole], high[whole], **light)
        style: dict[str, Any] = {"marker": own.marker, "markersize": 10.0 if main else 6.5}
        style |= {"markeredgecolor": "white", "markeredgewidth": 0.6, "zorder": 5 if main else 4}
        style |= {"color": own.colour, "linewidth": 2.6 if main else 1.5, "linestyle": own.dash}
        ax.plot([0.0, *(x + at)], [1.0, *y], markevery=slice(1, None), **style)
    when = rows.drop_duplicates("period").sort_values("period")
    words = [_short(str(text)) for text in when["when"]]
    ax.set_xticks([0.0, *when["period"]], ["advice", *words])
    ax.set_xlim(-0.15, float(when["period"].max()) + 0.25)
    ax.set_ylim(-0.03, 1.06)
    shares(ax.yaxis)
    ax.set_ylabel("promises kept")
    n = first(rows["n"])
    people = counted(int(n), "person", "people") if np.isfinite(n) else "people"
    heading(ax, title_of(kind), f"accepted by the model in force, {people}", 44)


def _short(when: str) -> str:
    return wrapped(when.replace("quarter ", "Q"), 10, 1)


def _costs(ax: Axes, total: pd.DataFrame, methods: list[str]) -> None:
    """A bar per method: the advice, the top-ups after it, and the interval of their sum."""
    for k, method in enumerate(methods):
        mine, own = total[total["method"] == method], style_of(method)
        advice, later, whole = (first(mine[name]) for name in ("first", "top_ups", "total"))
        if not np.isfinite([advice, later, whole]).all():
            beside(ax, "too few answers to compare", k, 0.02, va="center")
            continue
        ax.barh(k, advice, 0.55, color=own.colour, zorder=2)
        face: dict[str, Any] = {
            "facecolor": pale(own.colour, 0.25),
            "edgecolor": own.colour,
            "linewidth": 0.8,
        }
        ax.barh(k, later, 0.55, left=advice, hatch="////", zorder=2, **face)
        low, high = first(mine["total_lower"]), first(mine["total_upper"])
        if np.isfinite([low, high]).all():
            ax.hlines(k + 0.36, low, high, color=INK, linewidth=1.2, zorder=3)
        topped = per_cent(first(mine["topped"]))
        beside(ax, topped, k, xytext=(26, 0), ha="right", va="center")
    rows_down(ax, [wrapped(name_of(method), 16, 2) for method in methods])
    for text, method in zip(ax.get_yticklabels(), methods, strict=True):
        text.set_color(deep(style_of(method).colour))
        text.set_fontweight("bold" if method == INVARIANT else "normal")
    note(ax, "had to\ncome back", (1.0, 1.0), xytext=(26, 4), ha="right", va="bottom")
    heading(ax, "Cost in all", "hatched: top-ups")


def _alt(rows: pd.DataFrame, total: pd.DataFrame) -> str:
    start = (
        "Lines of the share of promises that each new model keeps, and bars of what the advice and "
        "later top-ups cost, per method."
    )
    parts = [start]
    for kind, mine in _kinds(rows):
        last = mine.loc[mine.groupby("method", sort=False)["period"].idxmax()]
        lines = [
            _line(name, own, total[total["drift"] == kind]) for name, own in each(last, first=ORDER)
        ]
        when = str(last["when"].iloc[0])
        parts.append(f"{title_of(kind)}: in {when}, {enumerated(lines)}.")
    return " ".join(parts)


def _line(method: str, last: pd.DataFrame, total: pd.DataFrame) -> str:
    """A method's last share, and its costs."""
    mine = total[total["method"] == method]
    share = f"{name_of(method)} {per_cent(first(last['kept']))}"
    if not finite(mine["total"]).size:
        return share
    return (
        f"{share} at a cost of {number(first(mine['first']))} and {number(first(mine['top_ups']))}"
    )
