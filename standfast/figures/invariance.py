"""Invariance: the price of advice that all models accept, and the models it hinges on."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page
from matplotlib.ticker import MaxNLocator

from standfast.figures.distribution import ratio_axis, rising_line
from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, finite, numbers, ordered, rows_of, scenes
from standfast.figures.style import COLOURS, INK, SMALL, SOFT, heading, page, percent
from standfast.figures.wording import (
    counted,
    enumerated,
    number,
    per_cent,
    scene_words,
    short_names,
    wrapped,
)

OUTCOMES = {
    "minimal": "proven cheapest",
    "within_gap": "found, not proven",
    "found": "found",
    "already_favourable": "accepted by all",
    "infeasible": "proven impossible",
    "exhausted": "none found",
    "outside_schema": "outside the schema",
    "unsound": "withheld",
}
ANSWERED = ("minimal", "within_gap", "found", "already_favourable")
_NO_ADVICE = "#8A9099"
_TOP = 10


def sheets(tables: Tables) -> Iterator[Sheet]:
    """One sheet per scene."""
    for data, reference, rows in scenes(tables, "invariance"):
        binding = _binding(rows_of(tables, "binding", data, reference))
        yield Sheet(
            "invariance",
            data,
            reference,
            f"The price of unanimous advice: {scene_words(data, reference)}",
            _alt(rows, binding),
            _draw(rows, binding),
        )


def _binding(rows: pd.DataFrame) -> pd.DataFrame:
    """The models that bind most often, first the most binding."""
    known = rows.assign(share=numbers(rows["share"]), times=numbers(rows["times"]))
    known = known[np.isfinite(known["share"]) & (known["times"] > 0)]
    first: pd.DataFrame = known.sort_values("share", ascending=False, kind="stable")
    return first.head(_TOP)


def _draw(rows: pd.DataFrame, binding: pd.DataFrame) -> Page:
    outcomes = _outcomes(rows)
    below = 0.0 if binding.empty else 0.9 + 0.27 * len(binding)
    sheet = page(3.2 + below)
    if binding.empty:
        above = sheet.subplots(1, 2, width_ratios=(3, 2))
    else:
        top, bottom = sheet.subfigures(2, 1, squeeze=False, height_ratios=(3.2, below))[:, 0]
        above = top.subplots(1, 2, width_ratios=(3, 2))
        _bind(bottom.subplots(), binding)
    _price(above[0], rows)
    _endings(above[1], outcomes)
    return sheet


def _price(ax: Axes, rows: pd.DataFrame) -> None:
    ratios = numbers(rows["ratio"])
    known = ratios[np.isfinite(ratios)]
    ratio_axis(ax, ratios, include=2.0)
    rising_line(ax, ratios, len(rows))
    ax.set_xlabel("cost for all models\nover cost for the reference")
    ax.set_ylabel("share of all people with\nat most this ratio")
    if known.size:
        middle = float(np.median(known))
        ax.axvline(middle, color=SOFT, linestyle=(0, (4, 2)), linewidth=1.2)
        told = f"median {number(middle)}, n = {known.size} of {len(rows)}"
    else:
        told = f"no ratio for {counted(len(rows), 'person', 'people')}"
    heading(ax, "price of unanimous advice", told)


def _outcomes(rows: pd.DataFrame) -> dict[str, int]:
    counts = rows["outcome"].astype(str).value_counts()
    return {outcome: int(counts[outcome]) for outcome in ordered(counts.index, OUTCOMES)}


def _endings(ax: Axes, outcomes: dict[str, int]) -> None:
    heading(ax, "how the search ended", counted(sum(outcomes.values()), "person", "people"))
    colours = [COLOURS["unanimous"] if o in ANSWERED else _NO_ADVICE for o in outcomes]
    names = [wrapped(OUTCOMES.get(outcome, outcome), 12, 2) for outcome in outcomes]
    _bars(ax, names, list(outcomes.values()), list(map(str, outcomes.values())), colours)
    ax.set_xlim(0, 1.25 * max(outcomes.values()))
    ax.set_xlabel("people")
    ax.xaxis.set_major_locator(MaxNLocator(3, integer=True))
    room = max(0.0, 4 - len(outcomes)) / 2  # a lone bar must not fill the panel
    ax.set_ylim(len(outcomes) - 0.4 + room, -0.6 - room)


def _bind(ax: Axes, binding: pd.DataFrame) -> None:
    short = short_names(binding["rival"].astype(str))
    share = binding["share"].to_numpy(dtype=float)
    texts = [
        f"{per_cent(own)} ({times:.0f})" for own, times in zip(share, binding["times"], strict=True)
    ]
    names = [wrapped(short[rival], 32, 1) for rival in binding["rival"].astype(str)]
    _bars(ax, names, share.tolist(), texts, [COLOURS["unanimous"]] * len(names))
    n = finite(binding["n"])
    ax.set_xlim(0, 1.22 * max(float(share.max()), 0.01))
    ax.set_ylim(len(names) - 0.4, -0.6)
    percent(ax.xaxis)
    people = f" {n[0]:.0f}" if n.size else ""
    ax.set_xlabel(f"share of the{people} people with unanimous advice (and how many)")
    many = f"the {len(names)} models" if len(names) == _TOP else "models"
    ax.set_title(f"{many} that bind most often")


def _bars(
    ax: Axes,
    names: list[str],
    values: list[float] | list[int],
    texts: list[str],
    colours: list[str],
) -> None:
    ax.barh(range(len(names)), values, height=0.62, color=colours)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", labelcolor=INK)
    ax.grid(visible=False, axis="y")
    for row, (value, text) in enumerate(zip(values, texts, strict=True)):
        ax.annotate(
            text,
            (value, row),
            xytext=(4, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=SMALL,
        )


def _alt(rows: pd.DataFrame, binding: pd.DataFrame) -> str:
    known = finite(rows["ratio"])
    parts = ["A rising line of how many times as much unanimous advice costs."]
    if known.size:
        parts.append(
            f"Median ratio {number(float(np.median(known)))}, largest "
            f"{number(float(known.max()))} (n = {known.size} of {len(rows)})."
        )
    ended = [
        f"{OUTCOMES.get(outcome, outcome)} {count}" for outcome, count in _outcomes(rows).items()
    ]
    parts.append(f"Outcomes: {enumerated(ended)}.")
    if len(binding):
        short = short_names(binding["rival"].astype(str))
        bars = [
            f"{short[str(rival)]} {per_cent(share)}"
            for rival, share in zip(binding["rival"], binding["share"], strict=True)
        ]
        parts.append(f"Bars of the models that bind: {enumerated(bars)}.")
    return " ".join(parts)
