"""Names as they are: formulas, markup, signs without a glyph, and no end of letters."""

import re
from xml.etree import ElementTree

import pandas as pd
import pytest

from standfast.figures import EXHIBITS, draw, write
from standfast.figures.figure import lay_out
from standfast.figures.style import drawing
from standfast.figures.wording import wrapped

from .test_layout import collisions, texts

TEXT = ("rival", "feature", "label", "method", "group")
ODD = {
    "formula": r"$\frac{$ from $10 to $20_x^2",
    "long": "x" * 200,
    "strange": "_x\n\t\u202e\u200f\u05d4\u05db\x00\x1b😀 収入 </svg><b>&amp; {{ 7 }}",
}


@pytest.fixture(scope="module")
def one(tables):
    """One scene with few methods: every test below draws all of it."""
    few = {}
    for name, table in tables.items():
        table = table[table["reference"] == "linear"]
        for column in ("method", "group"):
            if column in table:
                table = table[~table[column].isin(["AR", "minimal cost", "unanimous"])]
        few[name] = table
    return few


def renamed(table, odd):
    """The last name of every kind, replaced wherever it stands."""
    for column in TEXT:
        if column in table and len(table):
            table = table.assign(**{column: table[column].replace(table[column].iloc[-1], odd)})
    return table


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_odd_names_are_drawn_within_the_page_and_end_nothing(one, exhibit, odd):
    odd_tables = {name: renamed(table, odd) for name, table in one.items()}
    with drawing():
        (sheet,) = exhibit.sheets(odd_tables)
        lay_out(sheet)
        found, edge = texts(sheet.page), sheet.page.bbox
        for text, box in found:
            assert edge.x0 - 1 <= box.x0, text
            assert box.x1 <= edge.x1 + 1, text
        assert list(collisions(found)) == []


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_the_files_hold_the_names_as_text(one, odd):
    rows = one["histograms"].assign(label=odd)
    (figure,) = draw({"histograms": rows[rows["feature"] == rows["feature"].iloc[0]]})
    root = ElementTree.fromstring(figure.svg)
    said = "".join("".join(node.itertext()) for node in root.iter() if node.text)
    assert "".join(wrapped(odd, 19, 4).split()).rstrip("…") in "".join(said.split())


def test_a_legend_drops_no_name_that_begins_with_an_underscore(one):
    (figure,) = draw({"transfer": renamed(one["transfer"], "_mine")})
    assert ">_mine<" in figure.svg


def test_data_sets_spelt_alike_in_plain_letters_and_very_long_ones_have_files_of_their_own(
    one, tmp_path
):
    table = one["support_costs"]
    names = ["ä", "ö", "x" * 300, "x" * 299]
    drawn = draw({"support_costs": pd.concat([table.assign(data=name) for name in names])})
    assert [figure.data for figure in drawn] == names
    write(drawn, tmp_path)
    assert len(list(tmp_path.glob("*.svg"))) == len(names)
    ids = [re.findall(r' id="([^"]+)"', figure.svg) for figure in drawn]
    assert len({one for some in ids for one in some}) == sum(map(len, ids)) >= 4
