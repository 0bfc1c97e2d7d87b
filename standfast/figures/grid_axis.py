"""The axis along a grid of rivals: its ticks are the setting that grows along it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator

from standfast.figures.reading import Vector
from standfast.figures.style import FAINT, log_ticks
from standfast.figures.wording import power_of_ten, settings, wrapped

_MOST_TICKS = 5
_WORDS = {"C": "C, from strong to weak penalty"}


@dataclass(frozen=True)
class GridAxis:
    """Where ticks stand along a grid, what they say, and where one setting ends."""

    at: Sequence[float]
    texts: Sequence[str]
    label: str
    ends: Sequence[float] = ()

    def put(self, ax: Axes) -> None:
        """Write the ticks below `ax`; without any, plain places are counted."""
        ax.set_xlabel(wrapped(self.label, 40, 2))
        if not self.at:
            ax.xaxis.set_major_locator(MaxNLocator(_MOST_TICKS, integer=True))
            return
        ax.xaxis.set_major_locator(FixedLocator(list(self.at)))
        ax.xaxis.set_major_formatter(FixedFormatter(list(self.texts)))


def mark_ends(ax: Axes, axis: GridAxis) -> None:
    """Faint lines where one value of the grid's slowest setting ends and the next begins."""
    ax.grid(visible=False, axis="x")
    for end in axis.ends:
        ax.axvline(end, color=FAINT, linewidth=0.8, zorder=0)


def grid_axis(rivals: Sequence[str], places: Vector) -> GridAxis:
    """The axis of rivals that stand at `places`, in their order.

    >>> grid_axis(["lr, C = 0.1", "lr, C = 1", "lr, C = 10"], np.array([0.0, 1.0, 2.0])).texts
    ['0.1', '1', '10']
    """
    read = [settings(rival) for rival in rivals]
    shared = set(read[0]).intersection(*read) if read else set()
    columns = {key: np.array([one[key] for one in read]) for key in read[0] if key in shared}
    varying = {key: values for key, values in columns.items() if len(set(values)) > 1}
    for key, values in varying.items():
        if (np.diff(values) > 0).all():
            return _growing(_WORDS.get(key, key), values, places)
    for key, values in varying.items():
        starts = [0, *(np.flatnonzero(np.diff(values)) + 1)]
        if len(starts) == len(set(values)) <= _MOST_TICKS:
            return _in_runs(key, values, places, starts, [k for k in varying if k != key])
    if len(rivals) == 1 and columns:
        return GridAxis([float(places[0])], [_all_of(columns)], "the only rival of the grid")
    return GridAxis([], [], "place along the grid")


def _all_of(columns: dict[str, Vector]) -> str:
    return ", ".join(f"{key} {values[0]:g}" for key, values in columns.items())


def _growing(label: str, values: Vector, places: Vector) -> GridAxis:
    if values[0] > 0 and values[-1] / values[0] >= 100:
        ticks = log_ticks(values[0], values[-1], _MOST_TICKS - 1)
        at = np.interp(np.log(ticks), np.log(values), places)
        return GridAxis(at.tolist(), [power_of_ten(tick) for tick in ticks], label)
    some = np.unique(np.linspace(0, len(values) - 1, min(len(values), _MOST_TICKS)).round())
    chosen = some.astype(int)
    return GridAxis(places[chosen].tolist(), [f"{v:g}" for v in values[chosen]], label)


def _in_runs(
    key: str, values: Vector, places: Vector, starts: list[int], others: list[str]
) -> GridAxis:
    ends = [*starts[1:], len(values)]
    runs = list(zip(starts, ends, strict=True))
    inner = f"; within each: {', '.join(others)}" if others else ""
    return GridAxis(
        [float(places[a:b].mean()) for a, b in runs],
        [f"{values[a]:g}" for a, _ in runs],
        f"{_WORDS.get(key, key)}{inner}",
        [float(places[a - 1] + places[a]) / 2 for a in starts[1:]],
    )
