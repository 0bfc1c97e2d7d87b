"""Tick labels that would lie on one another: some are left out until none does."""

from collections.abc import Iterator

from matplotlib.axis import Axis
from matplotlib.figure import Figure as Page
from matplotlib.ticker import FixedFormatter, FixedLocator
from matplotlib.transforms import Bbox

_APART = 2.0  # points between two labels, at least

Tick = tuple[float, str, Bbox]


def drop_colliding_ticks(page: Page) -> None:
    """Leave out labels of numbers until none lies on another; names down an axis all stay.

    The page must be laid out. Along one axis every second, third, … label stays; where the labels
    of two axes meet, the later axis gives one up.
    """
    gap = _APART * page.dpi / 72
    taken: list[Bbox] = []
    for ax in page.axes:
        for axis in (ax.yaxis, ax.xaxis):
            shown = list(_labels(axis))
            # names down an axis have places that were given, one per row
            names = axis is ax.yaxis and isinstance(axis.get_major_locator(), FixedLocator)
            kept = shown if names else _spread(shown, taken, gap)
            taken += [box for _, _, box in kept]
            if len(kept) < len(shown):
                axis.set_major_locator(FixedLocator([place for place, _, _ in kept]))
                axis.set_major_formatter(FixedFormatter([text for _, text, _ in kept]))


def _labels(axis: Axis) -> Iterator[Tick]:
    """Place, text and box of every label that is drawn."""
    axis.get_ticklabels()  # brings the ticks to where the panel is now
    low, high = sorted(axis.get_view_interval())
    room = 1e-9 * (high - low)
    for tick in axis.get_major_ticks():
        place, label = tick.get_loc(), tick.label1
        inside = low - room <= place <= high + room
        if inside and label.get_visible() and axis.get_visible() and label.get_text().strip():
            yield place, label.get_text(), label.get_window_extent()


def _spread(shown: list[Tick], taken: list[Bbox], gap: float) -> list[Tick]:
    """As many of the labels, evenly spread, as touch neither each other nor what is taken."""
    free = [tick for tick in shown if not _meet(tick[2], taken, gap)]
    for step in range(1, len(free) + 1):
        some = free[::step]
        boxes = [box for _, _, box in some]
        if not any(_meet(box, boxes[:k], gap) for k, box in enumerate(boxes)):
            return some
    return free


def _meet(one: Bbox, others: list[Bbox], gap: float) -> bool:
    return any(one.padded(gap, 0.0).overlaps(other) for other in others)
