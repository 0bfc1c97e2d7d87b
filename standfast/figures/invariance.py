"""Invariance: the price of advice that all models accept, and the models it hinges on."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page
from matplotlib.ticker import MaxNLocator

from standfast.figures.distribution import mark_ratio, ratio_axis, rising_line
from standfast.figures.figure import Sheet
from standfast.figures.reading import Tables, finite, first, numbers, ordered, rows_of, scenes
from standfast.figures.style import COLOURS, heading, note, page, percent, rows_down
from standfast.figures.wording import counted, enumerated, number, per_cent, short_names, wrapped
from standfast.studies.names import UNANIMOUS

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
        subject = "The price of unanimous advice"
        alt, drawn = _alt(rows, binding), _draw(rows, binding)
        yield Sheet("invariance", data, reference, subject, alt, drawn)


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
    below = f"no ratio for {counted(len(rows), 'person', 'people')}"
    if known.size:
        middle = float(np.median(known))
        mark_ratio(ax, middle)
        below = f"median {number(middle)}, n = {known.size} of {len(rows)}"
    heading(ax, "price of unanimous advice", below)


def _outcomes(rows: pd.DataFrame) -> dict[str, int]:
    counts = rows["outcome"].astype(str).value_counts()
    return {outcome: int(counts[outcome]) for outcome in ordered(counts.index, OUTCOMES)}


def _endings(ax: Axes, outcomes: dict[str, int]) -> None:
    heading(ax, "how the search ended", counted(sum(outcomes.values()), "person", "people"))
    colours = [COLOURS[UNANIMOUS] if o in ANSWERED else _NO_ADVICE for o in outcomes]
    names = [wrapped(OUTCOMES.get(outcome, outcome), 12, 2) for outcome in outcomes]
    room = max(0.0, 4 - len(outcomes)) / 2  # a lone bar must not fill the panel
    rows_down(ax, names, -0.6 - room, -0.4 + room)
    texts = [str(count) for count in outcomes.values()]
    _bars(ax, list(outcomes.values()), texts, colours)
    ax.set_xlim(0, 1.25 * max(outcomes.values()))
    ax.set_xlabel("people")
    ax.xaxis.set_major_locator(MaxNLocator(3, integer=True))


def _bind(ax: Axes, binding: pd.DataFrame) -> None:
    short = short_names(binding["rival"].astype(str))
    share, n = binding["share"].to_numpy(dtype=float), first(binding["n"])
    counted_shares = zip(share, binding["times"], strict=True)
    texts = [f"{per_cent(own)} ({times:.0f})" for own, times in counted_shares]
    rows_down(ax, [wrapped(short[rival], 32, 1) for rival in binding["rival"].astype(str)])
    _bars(ax, share.tolist(), texts, [COLOURS[UNANIMOUS]] * len(texts))
    ax.set_xlim(0, 1.22 * max(float(share.max()), 0.01))
    percent(ax.xaxis)
    people = "" if np.isnan(n) else f" {n:.0f}"
    ax.set_xlabel(f"share of the{people} people with unanimous advice (and how many)")
    many = f"the {len(texts)} models" if len(texts) == _TOP else "models"
    ax.set_title(f"{many} that bind most often")


def _bars(ax: Axes, values: Sequence[float], texts: list[str], colours: list[str]) -> None:
    ax.barh(range(len(values)), values, height=0.62, color=colours)
    for row, (value, text) in enumerate(zip(values, texts, strict=True)):
        note(ax, text, (value, row), xycoords="data", xytext=(4, 0), va="center_baseline")


def _alt(rows: pd.DataFrame, binding: pd.DataFrame) -> str:
    known = finite(rows["ratio"])
    parts = ["A rising line of how many times as much unanimous advice costs."]
    if known.size:
        parts.append(
            f"Median ratio {number(float(np.median(known)))}, largest "
            f"{number(float(known.max()))} (n = {known.size} of {len(rows)})."
        )
    ended = [f"{OUTCOMES.get(end, end)} {count}" for end, count in _outcomes(rows).items()]
    parts.append(f"Outcomes: {enumerated(ended)}.")
    if len(binding):
        short = short_names(binding["rival"].astype(str))
        bars = [
            f"{short[str(rival)]} {per_cent(share)}"
            for rival, share in zip(binding["rival"], binding["share"], strict=True)
        ]
        parts.append(f"Bars of the models that bind: {enumerated(bars)}.")
    return " ".join(parts)
