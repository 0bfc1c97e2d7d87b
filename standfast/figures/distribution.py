"""The share of people up to each ratio: a rising line, its end below 100 % if some have none."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from standfast.figures.reading import Vector
from standfast.figures.style import INK, set_log_ticks, shares
from standfast.figures.wording import number

_WIDE = 12.0  # beyond this factor ratios are compared on a logarithmic axis


def ratio_axis(ax: Axes, ratios: Vector, *, include: float) -> None:
    """A horizontal axis for ratios, from 1 (or the least) to the largest finite one."""
    known = np.append(ratios[np.isfinite(ratios)], [1.0, include])
    low, high = float(known.min()), float(known.max())
    if low > 0 and high / low > _WIDE:
        ax.set_xscale("log")
        ax.set_xlim(low * (high / low) ** -0.03, high * (high / low) ** 0.06)
        set_log_ticks(ax, low, high, 5)
    else:
        room = (high - low) or 1.0
        ax.set_xlim(low - 0.03 * room, high + 0.06 * room)
        ax.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value, short=True)))


def rising_line(ax: Axes, ratios: Vector, people: int) -> None:
    """The share of all `people` whose ratio is at most x; the axis must be set before."""
    known = np.sort(ratios[np.isfinite(ratios)])
    left, right = ax.get_xlim()
    height = np.arange(len(known) + 1) / max(people, 1)
    ax.step(
        np.concatenate([[left], known, [right]]),
        np.append(height, height[-1]),
        where="post",
        color=INK,
        linewidth=1.8,
        zorder=3,
    )
    ax.set_ylim(-0.02, 1.06)
    shares(ax.yaxis)
