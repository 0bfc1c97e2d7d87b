"""One exhibit: drawn on a sheet, then kept as SVG text and as a PNG, the same bytes every time."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from io import BytesIO, StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Page

from standfast.figures.style import place_panels
from standfast.figures.ticks import drop_colliding_ticks
from standfast.figures.wording import scene_words
from standfast.files import visible

_LONGEST = 60  # letters of a name within a file's name, which may have 255
DOTS_PER_INCH = 250  # 7.2 inches are 1800 pixels: twice a page of 900
_POINTS = 150  # dots per inch of what is too numerous for SVG and stands in it as pixels


@dataclass(frozen=True)
class Figure:
    """One exhibit of a study, ready for a page.

    `svg` scales with its place and may stand beside others in one page: its ids begin with `name`.
    `reference` is '' where one figure shows all references of the data.
    """

    name: str
    exhibit: str
    data: str
    reference: str
    title: str
    alt: str
    svg: str
    png: bytes


@dataclass(frozen=True)
class Sheet:
    """An exhibit that is drawn but not yet rendered; `subject` is its title without the scene."""

    exhibit: str
    data: str
    reference: str
    subject: str
    alt: str
    page: Page

    @property
    def title(self) -> str:
        """What is shown of which scene."""
        return f"{self.subject}: {scene_words(self.data, self.reference)}"

    @property
    def name(self) -> str:
        """The stem of its files: exhibit, data and reference in letters every file system takes."""
        parts = (self.exhibit, self.data, self.reference)
        return "-".join(re.sub(r"[^A-Za-z0-9.]+", "_", part)[:_LONGEST] for part in parts if part)


def named_apart(sheets: Iterable[Sheet]) -> Iterator[tuple[Sheet, str]]:
    """Every sheet with a name of its own: two data sets may be spelt alike in plain letters."""
    taken: set[str] = set()
    for sheet in sheets:
        count = 1 + sum(name == sheet.name or name.startswith(f"{sheet.name}~") for name in taken)
        name = sheet.name if count == 1 else f"{sheet.name}~{count}"
        taken.add(name)
        yield sheet, name


def lay_out(sheet: Sheet) -> None:
    """Place everything on the page, once for all its files, and drop ticks that would collide."""
    place_panels(sheet.page)
    drop_colliding_ticks(sheet.page)
    sheet.page.set_layout_engine("none")


def render(sheet: Sheet, name: str) -> Figure:
    """The sheet as SVG and PNG, under a name that no other figure has."""
    lay_out(sheet)
    png = BytesIO()
    sheet.page.set_dpi(DOTS_PER_INCH)
    canvas: Any = FigureCanvasAgg(sheet.page)  # savefig would draw twice
    canvas.print_png(png, metadata={"Software": None})
    scene = sheet.data, sheet.reference
    drawn = _svg(sheet.page, name, sheet.alt), png.getvalue()
    return Figure(name, sheet.exhibit, *scene, sheet.title, visible(sheet.alt), *drawn)


def _svg(page: Page, name: str, alt: str) -> str:
    text = StringIO()
    page.set_dpi(_POINTS)
    canvas: Any = FigureCanvasSVG(page)
    with mpl.rc_context({"svg.hashsalt": name}):
        canvas.print_svg(text, metadata={"Date": None})
    return at_home_anywhere(text.getvalue(), name, visible(alt))


def pasted(page: Page, name: str, alt: str, width: float) -> str:
    """A figure as SVG for a page: at most `width` inches wide, and narrower on a phone."""
    within = f"width: 100%; max-width: {width:g}in; "
    return _svg(page, name, alt).replace(' style="', f' style="{within}', 1)


def at_home_anywhere(svg: str, name: str, alt: str) -> str:
    """Matplotlib's SVG made fit to be pasted into a page beside others.

    Its prolog, metadata and fixed size go; its style sheet, which would style the whole page, moves
    to the root; an id that nothing points to goes, every other begins with `name`.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(
        r"\s*<defs>\s*<style[^>]*>.*?</style>\s*</defs>", "", svg, count=1, flags=re.DOTALL
    )
    aims = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    svg = re.sub(r'\sid="([^"]*)"', lambda own: own[0] if own[1] in aims else "", svg)
    svg = svg.replace(' id="', f' id="{name}-')
    svg = svg.replace('href="#', f'href="#{name}-').replace("url(#", f"url(#{name}-")
    root, rest = svg.split(">", 1)
    root = re.sub(r'\s(?:width|height)="[^"]*"', "", root)
    root += ' style="stroke-linejoin: round; stroke-linecap: butt" role="img"'
    return f'{root} aria-label="{escape(alt)}">{rest}'
