"""A canvas of a given width that is written from top to bottom and grows as it is filled."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Page
from matplotlib.patches import Rectangle

from standfast.figures.style import INK, SMALL, drawing
from standfast.figures.wording import wrapped

MARGIN, LINE = 0.15, 0.17  # inches: around everything, and of a line of text
_LETTER = 0.62 * SMALL / 72  # about a letter's width, in inches
_BESIDE = 0.6  # of the width at most is taken by what stands at the right
_COLUMN = 10  # letters of a column at the right, where there are several
_KEY = 0.2  # inches: the room of a sign in a legend


class Picture(Page):
    """A matplotlib figure that notebooks show by themselves."""

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        with drawing():
            self.savefig(file, format="png", dpi=200)
        return file.getvalue()


class Canvas:
    """What is drawn, in inches from the top left corner; `y` is how far down it has come."""

    def __init__(self, width: float) -> None:
        self.width, self.y = width, MARGIN
        self.drawn: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def share(self, part: float) -> float:
        """A share of the width as a place."""
        return MARGIN + part * (self.width - 2 * MARGIN)

    def add(self, what: str, *given: Any, **about: Any) -> None:
        """Something that the axes of matplotlib draw."""
        self.drawn.append((what, given, about))

    def space(self, inches: float) -> None:
        """Room below."""
        self.y += inches

    def line(self) -> None:
        """One line further down."""
        self.y += LINE

    def label(self, text: str, x: float, side: str = "left", **about: Any) -> None:
        """Text on the line at hand."""
        bold = "bold" if about.get("bold") else "normal"
        style = {"ha": side, "va": "baseline", "fontsize": SMALL, "fontweight": bold}
        colour = about.get("colour", INK)
        self.add("text", x, self.y + 0.75 * LINE, text, color=colour, zorder=5, **style)

    def write(
        self, text: str, *aside: str, bold: bool = False, colour: str = INK, most: int | None = 4
    ) -> None:
        """A paragraph of at most so many lines, and beside its last one columns at the right."""
        room = (self.width - 2 * MARGIN) / (_LETTER * (1.1 if bold else 1.0))
        columns = [wrapped(part, int(_BESIDE * room), 1) for part in aside]
        wide = max([len(part) + 2 for part in columns], default=0)
        lines = wrapped(text, int(room - wide * len(columns)), most).split("\n")
        for line in lines:
            self.label(line, self.share(0.0), colour=colour, bold=bold)
            self.line()
        for k, part in enumerate(reversed(columns)):
            x = self.share(1.0) - k * max(wide, _COLUMN) * _LETTER
            self.y -= LINE
            self.label(part, x, "right", colour=colour, bold=bold)
            self.line()

    def entries(self, items: Sequence[tuple[str, Any]], box: dict[str, Any]) -> None:
        """A legend: signs with their names, one beside the other as far as there is room."""
        x = self.share(0.0)
        for text, mark in items:
            needed = _KEY + _LETTER * (len(text) + 2)
            if x > self.share(0.0) and x + needed > self.share(1.0):
                x = self.share(0.0)
                self.line()
            middle = self.y + LINE / 2
            if mark is None:
                self.add("add_patch", Rectangle((x, middle - 0.06), _KEY - 0.05, 0.12, **box))
            else:
                self.add("plot", [x + 0.07], [middle], **mark)
            self.label(text, x + _KEY)
            x += needed
        self.line()

    def picture(self) -> Picture:
        """All that was drawn, on a page as high as it needs."""
        height = self.y + MARGIN
        page = Picture(figsize=(self.width, height))
        FigureCanvasAgg(page)
        ax = page.add_axes((0.0, 0.0, 1.0, 1.0))
        ax.set(xlim=(0.0, self.width), ylim=(height, 0.0), autoscale_on=False)
        ax.set_axis_off()
        for what, given, about in self.drawn:
            getattr(ax, what)(*given, **about)
        return page
