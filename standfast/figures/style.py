"""The style of every figure: one colour, marker and line per method; fonts, axes, legends."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Page
from matplotlib.figure import FigureBase
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    MaxNLocator,
    NullLocator,
    PercentFormatter,
)

from standfast.figures.wording import number, power_of_ten, wrapped
from standfast.studies import names

WIDTH = 7.2  # inches: 9 points here are 15 pixels on a page 900 pixels wide, 7 on a phone
INK, SOFT, FAINT, WASH = "#22262B", "#5A626B", "#E2E5E8", "#F1F3F5"
ALARM = "#B3001B"  # a broken bound; always in bold too
SMALL, BODY = 9.0, 10.0
_READABLE = 1.05 / 4.5 - 0.05  # luminance of letters with a contrast of 4.5 on white
_STEPS = [1, 2, 2.5, 5, 10]  # between ticks, times a power of ten

Dash = tuple[float, Sequence[float]] | Literal["-"]


@dataclass(frozen=True)
class Style:
    """How a method or a group of people is drawn, wherever it appears."""

    colour: str
    marker: str
    dash: Dash = "-"

    def edge(self, width: float, open_width: float) -> dict[str, Any]:
        """A white edge around the marker; markers without a face are all edge."""
        if self.marker in "x+":
            return {"markeredgecolor": self.colour, "markeredgewidth": open_width}
        return {"markeredgecolor": "white", "markeredgewidth": width}


# Okabe and Ito's colours, safe for colour-blind readers; markers and dashes differ too
STYLES: Mapping[str, Style] = {
    names.GS: Style("#E69F00", "^"),
    names.AR: Style("#D55E00", "s"),
    names.C_CHVAE: Style("#0072B2", "o"),
    names.MINIMAL: Style("#009E73", "D"),
    names.UNANIMOUS: Style("#AA3377", "v"),
    names.NOTHING: Style("#6B6B6B", "x", (0, (4.0, 2.0))),
    names.RECONSTRUCTION: Style("#9C9C9C", "+", (0, (1.5, 1.5))),
    names.ROAR: Style("#7B5CE0", "<"),
    names.BETA_RCE: Style("#6B4C00", ">"),
    names.RAISED: Style("#5AAE32", "d"),
    names.TOGETHER: Style("#D66BAF", "p"),
    names.INVARIANT: Style("#000000", "*"),
    names.TARGETED: Style("#1D1D8C", "h", (0, (5.0, 1.5))),
    names.BOTH: Style("#2200EE", "P", (0, (7.0, 1.5, 1.5, 1.5))),
    names.GOOD: Style("#56B4E9", "o"),
    names.REFUSED: Style("#B08968", "x"),
}
COLOURS: Mapping[str, str] = MappingProxyType({name: own.colour for name, own in STYLES.items()})

_SETTINGS = Path(str(files("standfast.figures"))) / "standfast.mplstyle"


@contextmanager
def drawing() -> Iterator[None]:
    """Our settings for as long as the context lasts, whatever the reader's own file says.

    A name may hold signs that the fonts lack: the PNG then shows a box and the SVG leaves it to the
    reader's fonts, which is nothing to warn about.
    """
    with warnings.catch_warnings(), matplotlib.style.context(_SETTINGS, after_reset=True):
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from", UserWarning)
        yield


def style_of(name: str) -> Style:
    """The style of a method or group; ink for a name that has none.

    >>> style_of("GS").marker, style_of("somebody's own method").colour
    ('^', '#22262B')
    """
    return STYLES.get(name, Style(INK, "X", (0, (5.0, 1.0, 1.0, 1.0))))


def page(height: float) -> Page:
    """An empty page of the usual width, laid out so that nothing is cut."""
    sheet = Page(figsize=(WIDTH, height), layout="constrained")
    FigureCanvasAgg(sheet)
    return sheet


def place_panels(sheet: Page) -> None:
    """Give every panel its place on the page, as drawing it would, but without drawing it."""
    engine = sheet.get_layout_engine()
    if engine is not None:
        engine.execute(sheet)


def percent(axis: Any, most: int = 5) -> None:
    """Shares written as per cent."""
    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{round(100 * share, 6):g}\u00a0%"))
    axis.set_major_locator(MaxNLocator(most, steps=_STEPS))


def shares(axis: Any) -> None:
    """The whole range from 0 to 100 per cent, in quarters."""
    axis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol="\u00a0%"))
    axis.set_major_locator(FixedLocator([0.0, 0.25, 0.5, 0.75, 1.0]))


def note(ax: Axes, text: str, at: tuple[float, float], **about: Any) -> Annotation:
    """Small letters beside a place in shares of the panel, moved by `xytext` points."""
    usual: dict[str, Any] = {"xycoords": "axes fraction", "xytext": (0, 0), "fontsize": SMALL}
    return ax.annotate(text, at, textcoords="offset points", **usual | about)


def beside(ax: Axes, text: str, row: float, at: float = 1.0, **about: Any) -> Annotation:
    """Small letters beside a row, at a share of the panel's width."""
    return note(ax, text, (at, row), xycoords=("axes fraction", "data"), **about)


def heading(ax: Axes, title: str, below: str = "", width: int = 70) -> None:
    """A panel's title in bold, and what must be known beside it in small letters below."""
    ax.set_title(wrapped(title, width, 2), pad=7 + 13 * (below.count("\n") + 1 if below else 0))
    if below:
        note(ax, below, (0, 1), xytext=(0, 5), va="bottom", linespacing=1.25)


def rows_down(ax: Axes, labels: Sequence[str], top: float = -0.6, bottom: float = -0.4) -> None:
    """Names down the vertical axis, the first one on top."""
    ax.set_ylim(len(labels) + bottom, top)
    ax.set_yticks(range(len(labels)), list(labels))
    ax.tick_params(axis="y", labelcolor=INK)
    ax.grid(visible=False, axis="y")


def pale(colour: str, strength: float) -> tuple[float, float, float]:
    """The colour mixed with white: pale, yet hiding what lies behind it."""
    red, green, blue = (1 - strength * (1 - part) for part in to_rgb(colour))
    return red, green, blue


def deep(colour: str) -> tuple[float, float, float]:
    """The colour mixed with black until letters in it can be read on white.

    >>> deep("#000000"), deep("#E69F00") < to_rgb("#E69F00")
    ((0.0, 0.0, 0.0), True)
    """
    light = np.array(to_rgb(colour))
    while light**2.2 @ (0.2126, 0.7152, 0.0722) > _READABLE:
        light = 0.95 * light
    red, green, blue = map(float, light)
    return red, green, blue


def scale(
    ax: Axes, values: Iterable[float], *, most: int = 6, wide: float = 20.0, origin: bool = True
) -> None:
    """The horizontal axis, from zero unless `origin` is off; with a few round numbers.

    Where the largest is more than `wide` times the least, it is logarithmic. Where some are
    infinite, the right edge keeps room for the arrows that say so.
    """
    values = np.array(list(values), dtype=float)
    right = 0.15 if np.isposinf(values).any() else 0.06
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (1.0, 1.0)
    if low > 0 and high / low > wide:
        ax.set_xscale("log")
        ax.set_xlim(low / (high / low) ** 0.04, high * (high / low) ** right)
        ax.xaxis.set_major_locator(FixedLocator(log_ticks(low, high, most)))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: power_of_ten(value)))
        return
    start = min(low, 0.0) if origin else low
    room = (high - start) or 1.0
    ax.set_xlim(start - 0.03 * room, high + right * room)
    ax.xaxis.set_major_locator(MaxNLocator(most - 1, steps=_STEPS))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value, short=True)))


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers between two positive ones, evenly spread in powers of ten.

    >>> log_ticks(0.7, 4.2, 6), log_ticks(0.5, 4.5, 6), log_ticks(0.8, 30, 6)
    ([0.8, 1.0, 1.5, 2.0, 3.0, 4.0], [0.6, 1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 5.0, 10.0, 20.0])
    >>> log_ticks(0.001, 20000, 4)
    [0.001, 0.1, 10.0, 1000.0]
    """
    decades = range(int(np.floor(np.log10(low) - 1e-9)), int(np.ceil(np.log10(high) + 1e-9)) + 1)
    for steps in ("1 1.5 2 3 4 5 6 8", "1 2 3 4 6", "1 2 5", "1 3", "1"):
        ticks = [float(f"{step}e{decade}") for decade in decades for step in steps.split()]
        inside = [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]
        if len(inside) <= most:
            return inside
    return inside[:: -(-len(inside) // most)]


def handle(name: str, label: str | None = None) -> Line2D:
    """A method's line and marker, for a legend."""
    own = style_of(name)
    line = Line2D([], [], color=own.colour, marker=own.marker, linestyle=own.dash)
    line.set_label(wrapped(label or name, 36, 1))
    return line


def legend(sheet: FigureBase, handles: Sequence[Any], columns: int = 4) -> None:
    """One legend above all panels, every name as it is: matplotlib drops some with underscores."""
    if not handles:  # matplotlib cannot lay out an empty one
        return
    names = [str(handle.get_label()) for handle in handles]
    made = sheet.legend(
        handles=handles,
        labels=[name.lstrip("_") for name in names],
        loc="outside upper left",
        ncols=columns,
        borderaxespad=0.2,
        columnspacing=1.6,
        handlelength=2.2,
    )
    for text, name in zip(made.get_texts(), names, strict=True):
        text.set_text(name)
