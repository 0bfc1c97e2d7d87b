"""Histograms: three inputs, as methods change them and as the rightly accepted have them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page
from matplotlib.patches import Patch

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
    BODY,
    INK,
    SMALL,
    SOFT,
    legend,
    note,
    page,
    pale,
    percent,
    style_of,
)
from standfast.figures.wording import enumerated, number, wrapped
from standfast.studies.bars import GAP
from standfast.studies.names import GOOD, METHODS, REFUSED

_MOST_TICKS = 5
_NAME = 24  # letters of a category's name


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene."""
    for data, reference, rows in scenes(tables, "histograms"):
        if finite(rows["share"]).size and finite(rows["value"]).size:
            far = _distances(rows_of(tables, "distances", data, reference))
            subject = "Where advice sends people, input by input"
            yield Sheet("histograms", data, reference, subject, _alt(rows, far), _draw(rows, far))


def _distances(rows: pd.DataFrame) -> dict[tuple[str, str], float]:
    keys = zip(rows["group"].astype(str), rows["feature"].astype(str), strict=True)
    return dict(zip(keys, numbers(rows["distance"]).tolist(), strict=True))


def _groups(rows: pd.DataFrame) -> list[str]:
    """The rows of the figure: the refused, then the methods; the good alone if nobody else."""
    groups = ordered(rows["group"], (REFUSED, *METHODS))
    return [group for group in groups if group != GOOD] or groups


def _draw(rows: pd.DataFrame, distances: dict[tuple[str, str], float]) -> Page:
    groups, features = _groups(rows), each(rows, "feature")
    sheet = page(1.5 + 0.95 * len(groups) + 0.09 * _longest(rows))
    axes = sheet.subplots(len(groups), len(features), sharex="col", sharey="col", squeeze=False)
    for column, (feature, mine) in zip(axes.T, features, strict=True):
        bars, heights = _bars(mine)
        for ax, group in zip(column, groups, strict=True):
            _cell(ax, heights, group, distances.get((group, feature), float("nan")))
        top = float(np.max(finite(mine["share"]), initial=0.0)) or 1.0
        column[0].set_ylim(0, 1.02 * top)
        title = wrapped(str(mine["label"].iloc[0]), 19, 4)
        column[0].set_title(title, fontweight="normal", fontsize=BODY, pad=20)
        percent(column[0].yaxis, 2)
        _ticks(column[-1], bars)
    for ax, group in zip(axes[:, 0], groups, strict=True):
        text = f"{wrapped(group, 15, 3)}\n{_n(rows, group)}".strip()
        beside: dict[str, Any] = {"rotation": 0, "labelpad": 88, "linespacing": 1.3}
        ax.set_ylabel(text, fontsize=SMALL, ha="left", va="center", **beside)
    colour, n = style_of(GOOD).colour, _n(rows, GOOD)
    outline = Patch(facecolor=pale(colour, 0.25), edgecolor=colour)
    outline.set_label(f"{GOOD}, {n}" if n else GOOD)
    legend(sheet, [outline, Patch(facecolor=SOFT, label="the row's people or advice")])
    sheet.supylabel("share of people", fontsize=BODY)
    return sheet


def _n(rows: pd.DataFrame, group: str) -> str:
    n = first(rows.loc[rows["group"] == group, "n"])
    return "" if np.isnan(n) else f"n = {n:.0f}"


def _bars(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The bars of one input (value, until, name), and their heights: bars by groups."""
    share = numbers(rows["share"])
    known = rows.assign(value=numbers(rows["value"]), until=numbers(rows["until"]))
    known = known.assign(share=np.where(np.isfinite(share), share, 0.0)).dropna(subset="value")
    known["name"] = known["name"].fillna("").astype(str)
    # in the order of their values, missing ones after a last bar that stands for all above
    known["place"] = known["value"].rank(method="dense") + (known["name"] == GAP) * len(known)
    bars = known.groupby("place")[["value", "until", "name"]].first()
    heights = known.pivot_table(index="place", columns="group", values="share", aggfunc="last")
    return bars, heights.fillna(0.0)


def _longest(rows: pd.DataFrame) -> int:
    """The letters of the longest name that is written below a bar."""
    return max((len(_short(name)) for name in rows["name"].dropna().astype(str)), default=0)


def _short(name: str) -> str:
    return wrapped(name, _NAME, 1)


def _cell(ax: Axes, heights: pd.DataFrame, group: str, far: float) -> None:
    at, none, colour = np.arange(len(heights)), np.zeros(len(heights)), style_of(GOOD).colour
    behind: dict[str, Any] = {"facecolor": pale(colour, 0.25), "edgecolor": colour}
    ax.bar(at, heights.get(GOOD, none), width=0.92, linewidth=0.9, **behind)
    ax.bar(at, heights.get(group, none), width=0.5, color=style_of(group).colour)
    ax.axhline(0, color=SOFT, linewidth=0.8)
    ax.grid(visible=False, axis="x")
    ax.set_xlim(-0.7, len(heights) - 0.3)
    if np.isfinite(far):
        text = f"distance {number(far)}"
        note(ax, text, (1, 1), xytext=(0, 3), ha="right", va="bottom", color=INK)


def _ticks(ax: Axes, bars: pd.DataFrame) -> None:
    """Names of bars that have one; of numbers, where a few of the bars begin."""
    named = (bars["name"] != "").tolist()
    plain = [k for k, name in enumerate(named) if not name]
    step, last = -(-len(plain) // _MOST_TICKS), len(plain) - 1
    some = [k for k in plain[:-1:step] if k + step <= last or k == 0] if plain else []
    at = sorted({*some, *plain[-1:], *(k for k, name in enumerate(named) if name)})
    columns = (bars[column].tolist() for column in ("name", "value", "until"))
    every = [_short(name) or _tick(value, end) for name, value, end in zip(*columns, strict=True)]
    texts = [every[k] for k in at]
    ax.set_xticks(at, texts)
    if any(named):
        ax.tick_params(axis="x", labelrotation=90, labelsize=SMALL)


def _tick(value: float, end: float) -> str:
    if np.isneginf(value):
        return f"≤ {number(end, short=True)}"
    return f"{number(value, short=True)}{'+' * bool(np.isposinf(end))}"


def _alt(rows: pd.DataFrame, distances: dict[tuple[str, str], float]) -> str:
    parts = []
    for feature, mine in each(rows, "feature"):
        far = [
            f"{group} {number(distances[group, feature])}"
            for group in _groups(rows)
            if np.isfinite(distances.get((group, feature), float("nan")))
        ]
        if far:
            parts.append(f"{mine['label'].iloc[0]}: {enumerated(far)}.")
    distance = [f"Distance from '{GOOD}' (0 alike, 1 nothing in common)."] if parts else []
    start = "Histograms of inputs, per group of people and method."
    return " ".join([start, *distance, *parts])
