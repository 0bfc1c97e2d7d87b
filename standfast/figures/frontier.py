"""The frontier: what advice costs against the share of unseen models that accept it."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page
from numpy.typing import NDArray

from standfast.figures.figure import Sheet
from standfast.figures.labels import Label, Place, places, write_label
from standfast.figures.reading import Tables, Vector, each, finite, first, numbers, ordered, scenes
from standfast.figures.style import (
    handle,
    heading,
    legend,
    page,
    place_panels,
    scale,
    shares,
    style_of,
)
from standfast.figures.wording import counted, enumerated, number, per_cent, wrapped
from standfast.studies import names
from standfast.studies.names import INVARIANT_FOR, LATER, NOTHING

LABELS = {
    names.INVARIANT: "Invariant",
    names.TARGETED: "Invariant, same target",
    names.BOTH: "Invariant, both classes",
}
ORDER = (*names.FRONTIER, *names.SPARSE, names.C_CHVAE)
JUDGES = {
    names.SAME: ("fresh model", "of the reference's class"),
    names.OTHER: ("fresh model", "of the other class"),
    LATER: ("model", "fitted on later people"),
}
_OUT_OF_SIGHT = 1e5  # pixels
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene whose frontier has a point."""
    for data, reference, rows in scenes(tables, "frontier"):
        rows = rows.assign(cost=numbers(rows["cost"]), validity=numbers(rows["validity"]))
        known = rows[np.isfinite(rows["cost"]) & np.isfinite(rows["validity"])]
        if len(_moved(known)):
            subject = "Cost against validity under unseen models"
            yield Sheet("frontier", data, reference, subject, _alt(known), _draw(known))


def judges_of(rows: pd.DataFrame) -> str:
    """The models that judge, counted; the rows are of one kind.

    >>> judges_of(pd.DataFrame({"judges": ["later data"], "models": [40]}))
    '40 models fitted on later people'
    """
    kind, n = str(rows["judges"].iloc[0]), first(rows["models"])
    what, whose = JUDGES.get(kind, ("fresh model", f"({kind})"))
    return f"{counted(int(n), what) if np.isfinite(n) else f'{what}s'} {whose}"


def own_of(kind: str) -> str:
    """The kind of Invariant that is made for these judges."""
    return INVARIANT_FOR.get(kind, names.INVARIANT)


def _moved(rows: pd.DataFrame) -> pd.DataFrame:
    """The settings of methods that advise something."""
    return rows[rows["method"] != NOTHING]


def _draw(rows: pd.DataFrame) -> Page:
    kinds = each(rows, "judges", JUDGES)
    sheet = page(0.7 + 3.1 * len(kinds))
    axes = sheet.subplots(len(kinds), 1, sharex=True, squeeze=False)[:, 0]
    parts = [(ax, _moved(mine)) for ax, (_, mine) in zip(axes, kinds, strict=True)]
    for ax, (_, mine) in zip(axes, kinds, strict=True):
        _panel(ax, mine, topmost=ax is axes[0])
    rows = _moved(rows)
    costs = [numbers(rows["cost"]), *_ends(rows, "cost_lower", "cost_upper")]
    scale(axes[0], finite(np.concatenate(costs)), wide=4.0)
    unequal = ", on a logarithmic scale" * (axes[0].get_xscale() == "log")
    axes[-1].set_xlabel(f"mean total percentile shift of the advice{unequal}")
    placed = _places(sheet, parts)
    if any(
        set(mine["method"]) != {place.label.owner for place in found if place.label.needed}
        for (_, mine), found in zip(parts, placed, strict=True)
    ):  # a name that fits nowhere needs a legend, and that moves the panels
        legend(sheet, [handle(m, _name(m)) for m in ordered(rows["method"], ORDER)], 3)
        placed = _places(sheet, parts)
    for (ax, _), found in zip(parts, placed, strict=True):
        for place in found:
            write_label(ax, place)
    return sheet


def _places(sheet: Page, parts: Sequence[tuple[Axes, pd.DataFrame]]) -> list[list[Place]]:
    """Where names stand in each panel; in the first one with the range of settings too."""
    place_panels(sheet)  # names are placed by pixels: the panels must have theirs
    return [
        places(ax, _labels(mine, ranges=k == 0), _drawn(ax, mine))
        for k, (ax, mine) in enumerate(parts)
    ]


def _panel(ax: Axes, rows: pd.DataFrame, *, topmost: bool) -> None:
    still = rows[(rows["method"] == NOTHING) & rows["validity"].between(0.0, 1.0)]["validity"]
    rows, kind = _moved(rows), str(rows["judges"].iloc[0])
    for validity in still:
        own = style_of(NOTHING)
        ax.axhline(validity, color=own.colour, linestyle=own.dash, linewidth=1.2, zorder=1)
    for method, mine in reversed(each(rows, first=ORDER)):
        own, main, alone = style_of(method), method == own_of(kind), len(mine) == 1
        x, y = numbers(mine["cost"]), numbers(mine["validity"])
        light: dict[str, Any] = {"color": own.colour, "linewidth": 1.0, "alpha": 0.28, "zorder": 2}
        ax.hlines(y, *_ends(mine, "cost_lower", "cost_upper"), **light)
        ax.vlines(x, *_ends(mine), **light)
        # a lone point is larger and lies below: it shows even where a line passes through it
        size, order = (10.0, 5) if main else (8.5, 3) if alone else (7.0, 4)
        style: dict[str, Any] = {"marker": own.marker, "markersize": size, "zorder": order}
        style |= {"markeredgecolor": "white", "markeredgewidth": 0.6}
        width = 2.6 if main else 1.3
        ax.plot(x, y, color=own.colour, linestyle=own.dash, linewidth=width, **style)
    shown = np.concatenate([rows["validity"], still])
    least = float(np.clip(shown, 0.0, 0.75).min())
    ax.set_ylim(float(np.floor(4 * least)) / 4 - 0.02, 1.05)
    shares(ax.yaxis)
    ax.set_ylabel("mean share of\nmodels that accept")
    n = first(rows["n"])
    below = [f"mean over {counted(int(n), 'person', 'people')}"] if np.isfinite(n) else []
    below += [f"dashed: {per_cent(share)} accept people as they are" for share in still]
    below += ["better: up and to the left"] * topmost
    below += ["nothing is certified here"] * (kind == LATER)
    heading(ax, judges_of(rows), "; ".join(below))


def _ends(rows: pd.DataFrame, lower: str = "lower", upper: str = "upper") -> tuple[Vector, Vector]:
    """Both ends of an interval, or neither."""
    low, high = numbers(rows[lower]), numbers(rows[upper])
    known = np.isfinite(low) & np.isfinite(high)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def _drawn(ax: Axes, rows: pd.DataFrame) -> dict[str, Vector]:
    """Pixels of each method's marks, line and intervals: the more, the worse to cover."""
    every = {}
    for method, mine in each(rows, first=ORDER):
        x, y = numbers(mine["cost"]), numbers(mine["validity"])
        marks = _pixels(ax, x, y)
        (left, right), (low, high) = _ends(mine, "cost_lower", "cost_upper"), _ends(mine)
        bars = [
            *zip(_pixels(ax, left, y), _pixels(ax, right, y), strict=True),
            *zip(_pixels(ax, x, low), _pixels(ax, x, high), strict=True),
        ]
        parts = [np.repeat(marks, 5, axis=0)]
        main = method == own_of(str(mine["judges"].iloc[0]))
        parts += [_along(a, b, 2.0 if main else 4.0) for a, b in pairwise(marks)]
        parts += [_along(a, b, 10.0) for a, b in bars]
        every[method] = np.concatenate(parts)
    return every


def _pixels(ax: Axes, x: Vector, y: Vector) -> NDArray[np.float64]:
    return np.asarray(ax.transData.transform(np.column_stack([x, y])))


def _along(start: NDArray[np.float64], end: NDArray[np.float64], step: float) -> Vector:
    """Points on the way, about a step apart; none where an end is missing or far out of sight."""
    far = float(np.hypot(*(end - start)))
    if not far < _OUT_OF_SIGHT:
        return np.empty((0, 2))
    return np.linspace(start, end, 2 + int(far / step))


def _labels(rows: pd.DataFrame, *, ranges: bool) -> list[Label]:
    """Every method's name, with its range of settings if wanted, and each of the main one's."""
    methods, targets = [], []
    for method, mine in each(rows, first=ORDER):
        points = list(zip(mine["cost"], mine["validity"], strict=True))
        dials = mine["dial"].astype(str).tolist()
        colour, main = style_of(method).colour, method == own_of(str(mine["judges"].iloc[0]))
        text = ", ".join(part for part in (_name(method), dial_range(dials) * ranges) if part)
        methods.append(Label(text, method, points[::-1], colour, main))
        if main:
            targets += [
                Label(match[0], method, [point], colour, needed=False)
                for point, dial in zip(points, dials, strict=True)
                if (match := _NUMBER.search(dial))
            ]
    return methods + targets


def _name(method: str) -> str:
    return wrapped(LABELS.get(method, method), 30, 1)


def dial_range(dials: Sequence[str]) -> str:
    """A method's settings in few letters.

    >>> dial_range(["target 0.5", "target 0.9"]), dial_range(["3 models", "20 models"])
    ('target 0.5 to 0.9', '3 to 20 models')
    >>> dial_range([""]), dial_range(["δ = 0.1"])
    ('', 'δ = 0.1')
    """
    least, most = dials[0], dials[-1]
    if least == most:
        return least
    before = re.match(r"\D*", most)
    start = before[0] if before else ""
    plain = _NUMBER.search(least)
    if plain and _NUMBER.sub("", least) == _NUMBER.sub("", most):
        return f"{start}{plain[0]} to {most.removeprefix(start)}"
    return f"{least} to {most}"


def _alt(rows: pd.DataFrame) -> str:
    start = "Lines and points of mean cost against the mean share of models that accept, per method"
    parts = [f"{start}."]
    for _, mine in each(rows, "judges", JUDGES):
        lines = [_line(method, own) for method, own in each(mine, first=ORDER)]
        n = first(mine["n"])
        people = f" (n = {n:.0f})" if np.isfinite(n) else ""
        parts.append(f"Under {judges_of(mine)}{people}: {enumerated(lines)}.")
    return " ".join(parts)


def _line(method: str, rows: pd.DataFrame) -> str:
    ends = [
        f"cost {number(cost)} at {per_cent(validity)}"
        for cost, validity in rows[["cost", "validity"]].to_numpy(dtype=float)[[0, -1]]
    ]
    if len(rows) == 1:
        return f"{_name(method)} {ends[0]}"
    return f"{_name(method)} from {ends[0]} to {ends[1]} in {len(rows)} settings"
