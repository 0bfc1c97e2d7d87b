"""The share of people up to each ratio: a rising line, its end below 100 % if some have none."""

import numpy as np
from matplotlib.axes import Axes

from standfast.figures.reading import Vector
from standfast.figures.style import INK, SOFT, scale, shares


def ratio_axis(ax: Axes, ratios: Vector, *, include: float) -> None:
    """A horizontal axis for ratios, from 1 (or the least) to the largest finite one."""
    known = np.append(ratios[np.isfinite(ratios)], [1.0, include])
    scale(ax, known, wide=12.0, origin=False)


def rising_line(ax: Axes, ratios: Vector, people: int) -> None:
    """The share of all `people` whose ratio is at most x; the axis must be set before."""
    known = np.sort(ratios[np.isfinite(ratios)])
    at = np.concatenate([ax.get_xlim()[:1], known, ax.get_xlim()[1:]])
    height = np.append(np.arange(len(known) + 1), len(known)) / max(people, 1)
    ax.step(at, height, where="post", color=INK, linewidth=1.8, zorder=3)
    ax.set_ylim(-0.02, 1.06)
    shares(ax.yaxis)


def mark_ratio(ax: Axes, ratio: float) -> None:
    """A dashed line at one ratio."""
    ax.axvline(ratio, color=SOFT, linestyle=(0, (4, 2)), linewidth=1.2)
