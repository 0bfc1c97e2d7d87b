"""One person among all others: where they stand, where the advice sends them, and who accepts."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.patches import Rectangle

from standfast.errors import InputError, listing
from standfast.evaluation.rivals import judged, named
from standfast.figures.canvas import Canvas, Picture
from standfast.figures.style import FAINT, INK, SOFT, WIDTH, drawing
from standfast.figures.wording import counted
from standfast.methods.region import Regions
from standfast.percentiles import Percentiles
from standfast.recommendations import Recommendations
from standfast.schema import Feature, Schema
from standfast.schema.border import coded
from standfast.scores import Score

Ends = list[tuple[float, float]]

NARROWEST, WIDEST = 2.5, 20.0  # inches
MOST_INPUTS, MOST_MODELS = 40, 12  # drawn; of more the others are counted
STRIP, APART = 0.15, 0.13  # inches: a strip's height, and the room below it
CIRCLE: dict[str, Any] = {"marker": "o", "markerfacecolor": "white", "markersize": 8.5}
DIAMOND: dict[str, Any] = {"marker": "D", "markerfacecolor": INK, "markersize": 6.0}
_EDGE: dict[str, Any] = {"markeredgecolor": INK, "markeredgewidth": 1.4, "linestyle": ""}
_PLAIN: dict[str, Any] = {"facecolor": "white", "edgecolor": SOFT, "linewidth": 0.8}
_BAND: dict[str, Any] = {"facecolor": FAINT, "edgecolor": INK, "linewidth": 0.9}


@dataclass(frozen=True)
class Wording:
    """What a picture says, in one language; `more` counts the inputs that are not drawn.

    `label` gives what people read of an input, and `value` of a value that the schema shows.
    """

    stands: str = "stands"
    advice: str = "advice"
    axis: str = "share of people with at most this value; of categories, their shares"
    more: str = "further inputs: {n}"
    missing: str = "missing"
    label: Callable[[Feature], str] = operator.attrgetter("words")
    value: Callable[[Feature, str], str] = lambda feature, shown: shown


def plot_person(
    recommendations: Recommendations,
    person: Any,
    percentiles: Percentiles,
    *,
    region: Regions | None = None,
    models: Mapping[str, Score] | None = None,
    width: float = WIDTH,
) -> Picture:
    """A matplotlib figure of one person's advice: a strip per input, from the least to the most.

    A place on a strip is the share of the people of `percentiles` who have at most that value; a
    strip of categories is divided by how many have each. A circle is where the person stands, a
    diamond where the advice sends them, a band the `region` in which every model accepts, and
    `models` are listed with what they say of both. What changes comes first. Nothing depends on
    colours.

    Parameters
    ----------
    recommendations, person : Recommendations, label
        The advice, and whose.
    percentiles : Percentiles
        Among whom the person is shown.
    region : Regions, optional
        What `sf.region` gave.
    models : mapping of Score, optional
        Models by their names.
    width : float
        In inches: 3.4 suits a phone.

    Returns
    -------
    Figure
        A matplotlib figure that notebooks show by themselves.

    Examples
    --------
    >>> import pandas as pd
    >>> import standfast as sf
    >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3]})
    >>> q = sf.Percentiles.fit(table)
    >>> best = sf.MinimalCost(sf.Schema((sf.Feature("late", "count"),)), q)
    >>> recs = sf.recommend(best, sf.Linear([-1.0], 1.5), table)
    >>> sf.plot_person(recs, 4, q).get_size_inches()[0].item()
    7.2
    """
    if person not in recommendations.index:
        raise InputError(
            f"there is no person {person!r}; there are {listing(recommendations.index)}"
        )
    if isinstance(width, bool) or not NARROWEST <= width <= WIDEST:
        raise InputError(f"width is {width!r}; it must be {NARROWEST} to {WIDEST:g} inches")
    i = recommendations.index.get_loc(person)
    ends = [matrix[i] for matrix in recommendations.matrices()]
    bands = _bands(region, person, recommendations)
    with drawing():
        canvas = Canvas(width)
        canvas.write(f"Person {person}", bold=True)
        canvas.write(recommendations.sentences()[person], most=None)
        canvas.space(0.06)
        draw_strips(canvas, recommendations.schema, percentiles, ends, bands)
        if models is not None:
            advised = not np.isnan(ends[1]).any()
            points = np.array(ends[: 1 + advised])
            _accepting(canvas, named(models, recommendations.schema.names), points)
        return canvas.picture()


def draw_strips(
    canvas: Canvas,
    schema: Schema,
    percentiles: Percentiles,
    ends: Sequence[Any],
    bands: Sequence[Ends] | None = None,
    words: Wording | None = None,
) -> None:
    """A strip per input, what changes first, from where somebody stands to where they are sent."""
    q, (x, y), said = percentiles.of(schema), ends, words or Wording()
    advised = not np.isnan(y).any()
    changed = (x != y) & advised
    order = [*np.flatnonzero(changed), *np.flatnonzero(~changed)]
    held = bands or [[] for _ in schema]
    _legend(canvas, said, advised, any(held))
    for j in order[:MOST_INPUTS]:
        strip = _Strip(schema.features[j], q, int(j), said)
        strip.draw(canvas, x[j], y[j] if changed[j] else None, held[j])
    _axis(canvas, said)
    if len(order) > MOST_INPUTS:
        canvas.write(said.more.replace("{n}", str(len(order) - MOST_INPUTS)), colour=SOFT)


def _bands(region: Regions | None, person: Any, recommendations: Recommendations) -> list[Ends]:
    """For each input the ends of what the box around the advice holds, in codes; none without."""
    features = recommendations.schema.features
    if region is None:
        return [[] for _ in features]
    if person not in region.index or region.schema.names != recommendations.schema.names:
        raise InputError(
            f"the region holds nothing of person {person!r}; make it from these recommendations: "
            "region(recommendations, model, percentiles)"
        )
    ends = [coded(table.loc[[person]], features)[0] for table in (region.lower, region.upper)]
    bands = [[(a, b)] if np.isfinite([a, b]).all() else [] for a, b in zip(*ends, strict=True)]
    for name, inside in region.categories.loc[person].items():
        j = region.schema.names.index(str(name))
        coder = features[j].coder
        if coder is not None and isinstance(inside, tuple):
            codes = [code for code in map(coder.of, inside) if np.isfinite(code)]
            bands[j] = [(code, code) for code in codes]
    return bands


class _Strip:
    """One input's strip: the shares of people below and up to each value."""

    def __init__(self, feature: Feature, q: Percentiles, j: int, words: Wording) -> None:
        self.feature, self.q, self.j, self.words = feature, q, j, words
        self.named = feature.coder is not None
        self.values, self.shares = q.values[feature.name], q.shares[feature.name]

    def ends(self, value: float) -> tuple[float, float]:
        """The shares of people below a value, and up to it."""
        place = int(np.searchsorted(self.values, value, side="left"))
        return float(self.shares[place - 1]) if place else 0.0, self.upto(value)

    def upto(self, value: float) -> float:
        """The share of people with at most a value."""
        return float(self.q.rank_of(self.j, np.array([value]))[0])

    def place(self, value: float) -> float:
        """Where a value is marked: a category in the middle of those who have it."""
        return float(np.mean(self.ends(value))) if self.named else self.upto(value)

    def draw(self, canvas: Canvas, x: float, y: float | None, bands: Ends) -> None:
        """Its name and values, and below them the strip with its marks."""
        said = self._shown(x) if y is None else self._change(x, y)
        canvas.write(self.words.label(self.feature), said, bold=y is not None)
        top, middle = canvas.y + 0.02, canvas.y + 0.02 + STRIP / 2
        box = canvas.share(0.0), top
        whole = canvas.share(1.0) - box[0]
        canvas.add("add_patch", Rectangle(box, whole, STRIP, **_PLAIN))
        inner = self.shares[:-1] if self.named else np.array([0.25, 0.5, 0.75])
        ticks = [canvas.share(part) for part in inner]
        canvas.add("vlines", ticks, top, top + STRIP, color=SOFT, linewidth=0.8)
        for low, high in bands:
            left, right = canvas.share(self.ends(low)[0]), canvas.share(self.ends(high)[1])
            canvas.add("add_patch", Rectangle((left, top), right - left, STRIP, **_BAND))
        marks = [] if self.feature.is_missing(x) or not np.isfinite(x) else [(x, CIRCLE)]
        marks += [(y, DIAMOND)] if y is not None else []
        at = [canvas.share(self.place(value)) for value, _ in marks]
        if len(at) == 2:
            canvas.add("plot", at, [middle] * 2, color=INK, linewidth=1.6, zorder=3)
        for place, (_, shape) in zip(at, marks, strict=True):
            canvas.add("plot", [place], [middle], zorder=4, **shape, **_EDGE)
        canvas.space(0.02 + STRIP + APART)

    def _shown(self, value: float) -> str:
        if self.feature.is_missing(value):
            return self.words.missing
        return self.words.value(self.feature, self.feature.shown(value))

    def _change(self, x: float, y: float) -> str:
        start, goal = self._shown(x), self._shown(y)
        if start == goal:  # they differ beyond the digits that are shown
            start = self.words.value(self.feature, repr(float(x)))
        return f"{start} → {goal}"


def _legend(canvas: Canvas, words: Wording, advised: bool, banded: bool) -> None:
    items: list[tuple[str, dict[str, Any] | None]] = [(words.stands, CIRCLE)]
    items += [(words.advice, DIAMOND)] * advised + [("accepted by proof", None)] * banded
    canvas.entries([(text, None if mark is None else mark | _EDGE) for text, mark in items], _BAND)
    canvas.space(0.05)


def _axis(canvas: Canvas, words: Wording) -> None:
    for part in np.linspace(0.0, 1.0, 5 if canvas.width >= 3 else 3).tolist():
        side = {0.0: "left", 1.0: "right"}.get(part, "center")
        place = canvas.share(part)
        canvas.label(f"{100 * part:.0f} %", place, side, colour=SOFT)
    canvas.line()
    canvas.write(words.axis, colour=SOFT)
    canvas.space(0.06)


def _accepting(canvas: Canvas, models: Mapping[str, Score], points: Any) -> None:
    """What each model says of where the person stands and of the advice; refusals first."""
    said = {
        name: [bool(word) for word in judged(model, points, f"the model '{name}'")[1]]
        for name, model in models.items()
    }
    listed = sorted(said, key=lambda name: said[name][-1])
    heads = ("stands", "advice")[: len(points)]
    canvas.space(0.06)
    canvas.write("Who accepts", *heads, bold=True)
    for name in listed[:MOST_MODELS]:
        canvas.write(name, *("accepts" if yes else "refuses" for yes in said[name]))
    rest = [said[name][-1] for name in listed[MOST_MODELS:]]
    if rest:
        canvas.write(f"and {counted(len(rest), 'more model')}, {sum(rest)} of which accept")
