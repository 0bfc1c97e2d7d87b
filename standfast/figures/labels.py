"""Names written beside what they name: where they cover no other name and as little as possible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from standfast.figures.reading import Vector
from standfast.figures.style import SMALL, deep

Box = tuple[float, float, float, float]  # left, bottom, right, top, in pixels
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
    box: Box


def places(ax: Axes, labels: Sequence[Label], drawn: Mapping[str, Vector]) -> list[Place]:
    """A place for every label that has one, the first ones first.

    `drawn` are the pixels that names should not cover, by owner; so the page must be laid out.
    """
    pixels = dict(drawn)
    found: list[Place] = []
    for label in labels:
        place = _best(ax, label, pixels, [other.box for other in found])
        if place is not None:
            found.append(place)
            lead = _lead(ax.transData.transform(place.point), place.box)
            pixels[label.owner] = np.concatenate([pixels[label.owner], lead])
    return found


def _best(
    ax: Axes, label: Label, pixels: Mapping[str, Vector], taken: Sequence[Box]
) -> Place | None:
    """The place where least is covered; None if nowhere is free of other names."""
    size, unit = _size(ax, label), ax.figure.dpi / 72
    everything = np.concatenate(list(pixels.values()))
    others = np.concatenate([np.empty((0, 2)), *(p for o, p in pixels.items() if o != label.owner)])
    best, least = None, np.inf
    for k, (point, step) in enumerate(product(label.points, _NEAR + _FAR * label.needed)):
        x, y = ax.transData.transform(point)
        box = _box(x + step[0] * unit, y + step[1] * unit, size, step)
        if not _inside(ax, (x, y, x, y)) or not _inside(ax, box):
            continue
        lead = _lead((x, y), box)
        if any(_meet(box, other) or (_distance(other, lead) == 0).any() for other in taken):
            continue
        hidden = int((_distance(box, everything) == 0).sum())
        if hidden and not label.needed:
            continue
        stranger = (_distance(box, others) < _distance(box, np.array([[x, y]]))).any()
        badness = hidden + np.hypot(*step) / 4 + _STRANGER * stranger + 0.01 * k
        if badness < least:
            best, least = Place(label, point, step, box), badness
    return best


def _inside(ax: Axes, box: Box) -> bool:
    panel = ax.bbox
    across = panel.x0 <= box[0] and box[2] <= panel.x1
    return bool(across and panel.y0 <= box[1] and box[3] <= panel.y1)


def _box(x: float, y: float, size: Point, step: Point) -> Box:
    """The box of a text that begins at (x, y) and goes on in the direction of the step."""
    left = x - size[0] * (1 - np.sign(step[0])) / 2
    bottom = y - size[1] * (1 - np.sign(step[1])) / 2
    return left, bottom, left + size[0], bottom + size[1]


def _meet(one: Box, other: Box) -> bool:
    across = min(one[2], other[2]) - max(one[0], other[0])
    along = min(one[3], other[3]) - max(one[1], other[1])
    return across > -_APART and along > -_APART


def _lead(point: Sequence[float] | Vector, box: Box) -> Vector:
    """Points on the way from the name to its point."""
    nearest = np.clip(point, (box[0], box[1]), (box[2], box[3]))
    return np.linspace(point, nearest, 20)


def _distance(box: Box, points: Vector) -> Vector:
    """How far each point is from the box; 0 within."""
    x, y = points[:, 0], points[:, 1]
    across = np.maximum(0.0, np.maximum(box[0] - x, x - box[2]))
    along = np.maximum(0.0, np.maximum(box[1] - y, y - box[3]))
    return np.asarray(np.hypot(across, along))


def _size(ax: Axes, label: Label) -> Point:
    text = ax.annotate(label.text, (0.5, 0.5), xycoords="axes fraction", **_font(label))
    box = text.get_window_extent()
    text.remove()
    return box.width, box.height


def write_label(ax: Axes, place: Place) -> None:
    """Write the label at its place, with a thin line to its point if that is not next to it."""
    label, (right, up) = place.label, place.step
    text = ax.annotate(
        label.text,
        place.point,
        xytext=place.step,
        textcoords="offset points",
        ha="left" if right > 0 else "right" if right < 0 else "center",
        va="bottom" if up > 0 else "top" if up < 0 else "center",
        color=deep(label.colour),
        zorder=6,
        **_font(label),
    )
    text.set_in_layout(False)  # a name inside its panel moves nothing
    if max(abs(right), abs(up)) > _LEAD:
        line = {"arrowstyle": "-", "color": label.colour, "linewidth": 0.7, "shrinkA": 0}
        lead = ax.annotate(
            "",
            place.point,
            xytext=place.step,
            textcoords="offset points",
            arrowprops=line,
        )
        lead.set_in_layout(False)


def _font(label: Label) -> dict[str, Any]:
    return {"fontsize": SMALL, "fontweight": "bold" if label.bold else "normal"}
