"""Support costs: how many times as much advice costs that the data support."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page

from standfast.figures.distribution import ratio_axis, rising_line
from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, Vector, finite, numbers, ordered, rows_of
from standfast.figures.style import BODY, SOFT, WASH, heading, page
from standfast.figures.wording import counted, number, per_cent, reference_words, scene_words
from standfast.studies.settings import REFERENCES

LIMIT = 2.0  # proposition 1: c_D ≤ 2 c_S


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per data set, all its references side by side."""
    rows = rows_of(tables, "support_costs")
    for data in ordered(rows["data"], ()):
        mine = rows[rows["data"] == data]
        parts = {
            reference: mine[mine["reference"] == reference]
            for reference in ordered(mine["reference"], REFERENCES)
        }
        known = {name: part for name, part in parts.items() if _ratios(part).size}
        if known and any(finite(part["ratio"]).size for part in known.values()):
            yield Sheet(
                "support_costs",
                data,
                "",
                f"What data support adds to the cost: {scene_words(data)}",
                _alt(known),
                _draw(known),
            )


def _ratios(rows: pd.DataFrame) -> Vector:
    """c_D / c_S of everyone who has one, without end where support is out of reach."""
    ratios = numbers(rows["ratio"])
    return ratios[~np.isnan(ratios)]


def _draw(parts: dict[str, pd.DataFrame]) -> Page:
    sheet = page(3.5)
    axes = sheet.subplots(1, len(parts), sharey=True, sharex=True, squeeze=False)[0]
    ratio_axis(axes[0], np.concatenate([_ratios(part) for part in parts.values()]), include=2.4)
    for ax, (reference, rows) in zip(axes, parts.items(), strict=True):
        _panel(ax, reference, rows)
    axes[0].set_ylabel("share of people with\nat most this ratio")
    sheet.supxlabel("cost with data support, as a multiple of the cheapest cost", fontsize=BODY)
    return sheet


def _panel(ax: Axes, reference: str, rows: pd.DataFrame) -> None:
    ratios = _ratios(rows)
    ax.axvspan(LIMIT, ax.get_xlim()[1], color=WASH, zorder=0)
    ax.axvline(LIMIT, color=SOFT, linestyle=(0, (4, 2)), linewidth=1.2)
    rising_line(ax, ratios, len(ratios))
    above = f"{per_cent(float((ratios > LIMIT).mean()))} above 2 (proposition 1)"
    below = f"median {number(float(np.median(ratios)))}, {_people(rows)}"
    heading(ax, reference_words(reference), f"{above}\n{below}", 34)


def _people(rows: pd.DataFrame) -> str:
    ratios, proven = _ratios(rows), rows["proven"].astype(bool)
    told, open_ends = f"n = {len(ratios)}", int((~proven).sum())
    return told + (f", {open_ends} not proven" if open_ends else "")


def _capital(reference: str) -> str:
    """With a capital, unless it begins with a file's name."""
    words = reference_words(reference)
    return words.capitalize() if reference in REFERENCES else words


def _alt(parts: dict[str, pd.DataFrame]) -> str:
    told = []
    for reference, rows in parts.items():
        ratios = _ratios(rows)
        absent = len(rows) - len(ratios)
        told.append(
            f"{_capital(reference)}: {per_cent(float((ratios > LIMIT).mean()))} of "
            f"{counted(len(ratios), 'person', 'people')} pay more than twice, median ratio "
            f"{number(float(np.median(ratios)))}"
            f"{f', {absent} without a ratio' if absent else ''}."
        )
    return (
        "Rising lines of the share of people up to each ratio of the cost with data support over "
        f"the cheapest cost, with a line at 2. {' '.join(told)}"
    )
