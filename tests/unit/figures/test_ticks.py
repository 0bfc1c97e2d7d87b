"""Tick labels of numbers never lie on one another, however long the numbers are."""

import pytest

from standfast.figures import components, costs, histograms, invariance
from standfast.figures.figure import lay_out
from standfast.figures.style import drawing, page, percent
from standfast.figures.ticks import drop_colliding_ticks
from standfast.studies.names import GOOD, REFUSED

from .test_layout import collisions, texts


@pytest.fixture(scope="module")
def one(tables):
    return {name: table[table["reference"] == "linear"] for name, table in tables.items()}


def collided(exhibit, tables):
    with drawing():
        (sheet,) = exhibit.sheets(tables)
        lay_out(sheet)
        found = texts(sheet.page)
    assert len(found) > 5
    return list(collisions(found, slack=0.0))


@pytest.mark.parametrize("size", [1.0, 5418.0, 7.6e5])
@pytest.mark.parametrize("lowest", [0, -3])
def test_long_numbers_below_histograms(one, size, lowest):
    rows = one["histograms"]
    rows = rows[rows["group"].isin([GOOD, REFUSED, "GS"])]  # ticks stand below the last row alone
    rows = rows.assign(value=(rows["value"] + lowest) * size)
    assert collided(histograms, one | {"histograms": rows.assign(until=rows["value"])}) == []


def test_long_numbers_between_neighbouring_panels(one):
    rows = one["components"].assign(first=one["components"]["first"] * 4000)
    assert collided(components, one | {"components": rows}) == []


@pytest.mark.parametrize("most", [1e-4, 0.011, 0.3])
def test_percentages_of_rare_things(one, most):
    rows = one["binding"].assign(share=one["binding"]["share"] * most)
    assert collided(invariance, one | {"binding": rows}) == []


def test_logarithms_over_many_powers_of_ten(one):
    rows = one["advice"].copy()
    rows["total"] = 10.0 ** (rows.index % 9 - 4.0)
    assert collided(costs, one | {"advice": rows}) == []


def test_names_down_an_axis_all_stay_and_numbers_along_it_thin_out():
    with drawing():
        sheet = page(1.0)
        ax = sheet.subplots()
        ax.set_yticks(range(30), [f"name {k}" for k in range(30)])
        ax.set_xlim(0.123450, 0.123456)
        percent(ax.xaxis, 9)
        ax.set_position((0.2, 0.2, 0.3, 0.7))
        sheet.draw_without_rendering()
        before = len(ax.get_xticklabels())
        drop_colliding_ticks(sheet)
        sheet.draw_without_rendering()
    assert len(ax.get_yticklabels()) == 30
    assert 1 <= len(ax.get_xticklabels()) < before
