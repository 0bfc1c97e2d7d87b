"""Names written beside what they name: where they cover no other name and as little as possible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from standfast.figures.reading import Vector
from standfast.figures.style import SMALL, deep

Point = tuple[float, float]

# a step from the point to the name's nearest side or corner, in points; near ones first
_NEAR = [(7, 0), (-7, 0), (0, 7), (0, -7), (6, 6), (6, -6), (-6, 6), (-6, -6)]
_FAR = [
    (x, y) for y in (16, -16, 28, -28, 42, -42, 58, -58) for x in (0, 14, -14, 30, -30, 50, -50)
]
_LEAD = 15  # from so many points on, a thin line leads from the name to the point
_STRANGER = 6.0  # how bad it is to stand nearer to what belongs to another
_APART = 2.0  # pixels between two names


@dataclass(frozen=True)
class Label:
    """A name, whose it is, the points it may stand beside (the best first), and its colour.

    One that is not `needed` stands close to its point and covers nothing, or is left out.
    """

    text: str
    owner: str
    points: Sequence[Point]
    colour: str
    bold: bool = False
    needed: bool = True


@dataclass(frozen=True)
class Place:
    """Where a label stands: beside which of its points, in which direction, in which box."""

    label: Label
    point: Point
    step: Point
    box: Bbox


def places(ax: Axes, labels: Sequence[Label], drawn: Mapping[str, Vector]) -> list[Place]:
    """A place for every label that has one, the first ones first.

    `drawn` are the pixels that names should not cover, by owner; so the page must be laid out.
    """
    pixels = dict(drawn)
    found: list[Place] = []
    for label in labels:
        place = _best(ax, label, pixels, [other.box.padded(_APART) for other in found])
        if place is not None:
            found.append(place)
            lead = _lead(ax.transData.transform(place.point), place.box)
            pixels[label.owner] = np.concatenate([pixels[label.owner], lead])
    return found


def _best(
    ax: Axes, label: Label, pixels: Mapping[str, Vector], taken: Sequence[Bbox]
) -> Place | None:
    """The place where least is covered; None if nowhere is free of other names."""
    size, unit = _size(ax, label), ax.figure.dpi / 72
    everything = np.concatenate(list(pixels.values()))
    others = np.concatenate([np.empty((0, 2)), *(p for o, p in pixels.items() if o != label.owner)])
    wanted = list(product(label.points, _NEAR + _FAR * label.needed))
    at = ax.transData.transform([point for point, _ in wanted])
    steps = np.array([step for _, step in wanted], dtype=float)
    # the text begins beside its point and goes on in the direction of the step
    low = at + unit * steps - size * (1 - np.sign(steps)) / 2
    high = low + size
    inside = np.concatenate([at, low, high], axis=1)
    free = ((inside >= np.tile(ax.bbox.min, 3)) & (inside <= np.tile(ax.bbox.max, 3))).all(axis=1)
    for other in taken:
        free &= ((low > other.max) | (high < other.min)).any(axis=1)
    farness = np.hypot(*steps.T) / 4 + 0.01 * np.arange(len(steps))
    best, least = None, np.inf
    for k in sorted(np.flatnonzero(free), key=farness.__getitem__):
        if farness[k] >= least:  # even if it covers nothing
            break
        box = Bbox([low[k], high[k]])
        lead = _lead(at[k], box)
        if any(other.count_contains(lead) for other in taken):
            continue
        hidden = int((_distance(box, everything) == 0).sum())
        if hidden and not label.needed:
            continue
        stranger = (_distance(box, others) < _distance(box, at[k][None])).any()
        badness = hidden + farness[k] + _STRANGER * stranger
        if badness < least:
            best, least = Place(label, *wanted[k], box), badness
    return best


def _lead(point: Vector, box: Bbox) -> Vector:
    """Points on the way from the name to its point."""
    return np.linspace(point, np.clip(point, box.min, box.max), 20)


def _distance(box: Bbox, points: Vector) -> Vector:
    """How far each point is from the box; 0 within."""
    return np.asarray(np.hypot(*(points - np.clip(points, box.min, box.max)).T))


def _size(ax: Axes, label: Label) -> Vector:
    text = ax.annotate(label.text, (0.5, 0.5), xycoords="axes fraction", **_font(label))
    box = text.get_window_extent()
    text.remove()
    return np.array(box.size)


def write_label(ax: Axes, place: Place) -> None:
    """Write the label at its place, with a thin line to its point if that is not next to it."""
    label, (right, up) = place.label, place.step
    beside: dict[str, Any] = {"xytext": place.step, "textcoords": "offset points"}
    style = {"color": deep(label.colour), "zorder": 6, **_font(label)}
    style["ha"] = "left" if right > 0 else "right" if right < 0 else "center"
    style["va"] = "bottom" if up > 0 else "top" if up < 0 else "center"
    written = [ax.annotate(label.text, place.point, **beside, **style)]
    if max(abs(right), abs(up)) > _LEAD:
        line = {"arrowstyle": "-", "color": label.colour, "linewidth": 0.7, "shrinkA": 0}
        written.append(ax.annotate("", place.point, arrowprops=line, **beside))
    for text in written:
        text.set_in_layout(False)  # a name inside its panel moves nothing


def _font(label: Label) -> dict[str, Any]:
    return {"fontsize": SMALL, "fontweight": "bold" if label.bold else "normal"}
