"""Figures: tidy tables in, pictures out."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from standfast.figures import (
    bounds,
    complete,
    components,
    costs,
    frontier,
    histograms,
    invariance,
    promises,
    sense,
    support_costs,
    surprise,
    transfer,
)
from standfast.figures.figure import Figure, named_apart, render
from standfast.figures.person import plot_person
from standfast.figures.style import COLOURS, drawing
from standfast.files import write_whole

EXHIBITS = (
    transfer,
    costs,
    histograms,
    components,
    sense,
    surprise,
    bounds,
    support_costs,
    invariance,
    complete,
    frontier,
    promises,
)


def draw(tables: Mapping[str, pd.DataFrame]) -> list[Figure]:
    """Every exhibit of every scene that has rows; the same tables give the same bytes.

    >>> draw({})
    []
    """
    with drawing():
        sheets = (sheet for exhibit in EXHIBITS for sheet in exhibit.sheets(tables))
        return [render(sheet, name) for sheet, name in named_apart(sheets)]


def write(figures: Iterable[Figure], folder: Path) -> None:
    """Every figure as an SVG and a PNG file, named after it."""
    folder.mkdir(parents=True, exist_ok=True)
    for figure in figures:
        for ending, drawn in (("svg", figure.svg.encode()), ("png", figure.png)):
            write_whole(folder / f"{figure.name}.{ending}", partial(Path.write_bytes, data=drawn))


__all__ = ["COLOURS", "Figure", "draw", "plot_person", "write"]
