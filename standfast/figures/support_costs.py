"""Support costs: how many times as much advice costs that the data support."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page

from standfast.figures.distribution import mark_ratio, ratio_axis, rising_line
from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, Vector, each, finite, numbers, rows_of
from standfast.figures.style import BODY, WASH, heading, page
from standfast.figures.wording import counted, number, per_cent, reference_words
from standfast.studies.settings import REFERENCES

LIMIT = 2.0  # proposition 1: c_D ≤ 2 c_S


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per data set, all its references side by side."""
    for data, mine in each(rows_of(tables, "support_costs"), "data", ()):
        parts = dict(each(mine, "reference", REFERENCES))
        known = {name: rows for name, rows in parts.items() if _ratios(rows).size}
        if any(finite(rows["ratio"]).size for rows in known.values()):
            subject = "What data support adds to the cost"
            yield Sheet("support_costs", data, "", subject, _alt(known), _draw(known))


def _ratios(rows: pd.DataFrame) -> Vector:
    """c_D / c_S of everyone who has one, infinite where support is out of reach."""
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
    ratios, unproven = _ratios(rows), int((~rows["proven"].astype(bool)).sum())
    ax.axvspan(LIMIT, ax.get_xlim()[1], color=WASH, zorder=0)
    mark_ratio(ax, LIMIT)
    rising_line(ax, ratios, len(ratios))
    above = f"{per_cent(float((ratios > LIMIT).mean()))} above 2 (proposition 1)"
    people = f"n = {len(ratios)}" + (f", {unproven} not proven" if unproven else "")
    below = f"median {number(float(np.median(ratios)))}, {people}"
    heading(ax, reference_words(reference), f"{above}\n{below}", 34)


def _alt(parts: dict[str, pd.DataFrame]) -> str:
    said = []
    for reference, rows in parts.items():
        ratios, words = _ratios(rows), reference_words(reference)
        # with a capital, unless it begins with a file's name
        words = words.capitalize() if reference in REFERENCES else words
        absent = len(rows) - len(ratios)
        said.append(
            f"{words}: {per_cent(float((ratios > LIMIT).mean()))} of "
            f"{counted(len(ratios), 'person', 'people')} pay more than twice, median ratio "
            f"{number(float(np.median(ratios)))}"
            f"{f', {absent} without a ratio' if absent else ''}."
        )
    return (
        "Rising lines of the share of people up to each ratio of the cost with data support over "
        f"the cheapest cost, with a line at 2. {' '.join(said)}"
    )
