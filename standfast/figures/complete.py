"""Complete level sets: who has advice that all models accept, and what they say of the grids'."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page
from matplotlib.patches import Patch

from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, Vector, numbers, scenes
from standfast.figures.style import COLOURS, FAINT, SOFT, heading, legend, page, shares
from standfast.figures.wording import counted, enumerated, per_cent
from standfast.studies.names import MINIMAL, UNANIMOUS

# how searches end, from the bottom of a bar to its top
ENDINGS = {
    "accepted": ("accepted as they stand", "#56B4E9"),
    "advised": ("advised", COLOURS[MINIMAL]),
    "left": ("search not ended", FAINT),
    "several": ("no advice: several models", "#B9BEC4"),
    "decided": ("no advice: one tree decides", SOFT),
}
TITLES = {"trees": "all trees", "trees and linear": "and all linear models"}
WORDS = {"trees": "all trees", "trees and linear": "all trees and linear models"}
# the marker, its face, and the sign that stands for it
MARKS = {
    "trees": ("o", COLOURS[UNANIMOUS], "● trees"),
    "trees and linear": ("s", "white", "□ and linear"),
}


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene."""
    for data, reference, every in scenes(tables, "complete"):
        rows = every[np.isfinite(numbers(every["epsilon"]))]
        parts = {
            which: _ended(rows[rows["set"] == which])
            for which in TITLES
            if which in set(rows["set"])
        }
        if parts:
            subject = "Advice that complete level sets accept"
            yield Sheet("complete", data, reference, subject, _alt(parts), _draw(parts))


def _ended(rows: pd.DataFrame) -> pd.DataFrame:
    """A set's rows with everybody under one ending."""
    asked, none = numbers(rows["people"]), numbers(rows["infeasible"])
    left = asked - numbers(rows["accepted"]) - numbers(rows["advised"]) - none
    return rows.assign(left=left, several=none - numbers(rows["decided"]))


def _draw(parts: dict[str, pd.DataFrame]) -> Page:
    sheet = page(3.6)
    axes = sheet.subplots(1, len(parts) + 1, sharey=True, squeeze=False)[0]
    for ax, (which, rows) in zip(axes, parts.items(), strict=False):
        _endings(ax, rows)
        many = counted(int(numbers(rows["people"]).max()), "person", "people")
        heading(ax, TITLES[which], many)
    _kept(axes[-1], parts)
    axes[0].set_ylim(0.0, 1.0)
    axes[0].set_ylabel("share of people, or of advice")
    shares(axes[0].yaxis)
    legend(sheet, [Patch(color=colour, label=words) for words, colour in ENDINGS.values()], 3)
    return sheet


def _endings(ax: Axes, rows: pd.DataFrame) -> None:
    base, asked = np.zeros(len(rows)), numbers(rows["people"])
    for name, (words, colour) in ENDINGS.items():
        height = numbers(rows[name]) / asked
        ax.bar(range(len(rows)), height, 0.7, base, color=colour, label=words)
        base += height
    _epsilons(ax, numbers(rows["epsilon"]))


def _kept(ax: Axes, parts: dict[str, pd.DataFrame]) -> None:
    said = []
    for k, (which, rows) in enumerate(parts.items()):
        kept, low, high = (_shares(rows[name]) for name in ("transfer", "lower", "upper"))
        marker, face, sign = MARKS[which]
        at = np.arange(len(rows)) + 0.3 * k - 0.15 * (len(parts) - 1)
        ends = np.maximum([kept - low, high - kept], 0.0)
        about: dict[str, Any] = {"color": COLOURS[UNANIMOUS], "mfc": face, "zorder": 3}
        ax.errorbar(at, kept, ends, fmt=marker, clip_on=False, **about)
        _epsilons(ax, numbers(rows["epsilon"]))
        said.append(f"{sign}, n = {numbers(rows['n']).max():.0f}")
    heading(ax, "grids’ advice kept", "\n".join(said))


def _shares(column: "pd.Series[float]") -> Vector:
    """A column of shares; what is none is missing."""
    values = numbers(column)
    return np.where((values >= 0.0) & (values <= 1.0), values, np.nan)


def _epsilons(ax: Axes, epsilons: Vector) -> None:
    ax.set_xticks(range(len(epsilons)), [f"{epsilon:g}" for epsilon in epsilons])
    ax.set_xlabel("ε")


def _alt(parts: dict[str, pd.DataFrame]) -> str:
    said = []
    for which, rows in parts.items():
        bars = [
            f"{advised:.0f} of {asked:.0f} at ε = {epsilon:g}"
            for advised, asked, epsilon in rows[["advised", "people", "epsilon"]].to_numpy(float)
        ]
        said.append(f"Bars of how searches ended under {WORDS[which]}: advised {enumerated(bars)}.")
        kept = _shares(rows["transfer"])
        if np.isfinite(kept).all():
            shares_kept = enumerated([per_cent(share) for share in kept])
            said.append(f"Of the grids’ advice they keep {shares_kept}.")
    return " ".join(said)
