"""Missing, endless and lonely numbers: drawn without a warning, or not at all."""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

from standfast.figures import EXHIBITS
from standfast.figures.style import drawing

SOURCES = {
    "transfer": "transfer",
    "costs": "advice",
    "histograms": "histograms",
    "components": "components",
    "sense": "sense",
    "surprise": "surprise",
    "bounds": "bounds",
    "support_costs": "support_costs",
    "invariance": "invariance",
    "complete": "complete",
    "frontier": "frontier",
    "promises": "promises_year",
}
MODULES = {module.__name__.rpartition(".")[2]: module for module in EXHIBITS}


def sheets(exhibit, tables):
    with drawing():
        found = list(MODULES[exhibit].sheets(tables))
        for sheet in found:
            sheet.page.draw_without_rendering()
    return found


def measured(table):
    """Columns of numbers that a study computes, not the counts and places that it sets."""
    kept = ("position", "value", "n", "n_f", "n_ratio", "times", "changed", "kept")
    return [
        name
        for name in table.columns
        if pd.api.types.is_float_dtype(table[name]) and name not in kept
    ]


@pytest.fixture(scope="session")
def spoilt(few):
    """Some rows of every table hold one number wherever a study computes one."""

    @cache
    def changed(value, every):
        found = {name: table.copy() for name, table in few.items()}
        for table in found.values():
            table.loc[table.index[::every], measured(table)] = value
        return found

    return changed


@pytest.mark.parametrize("exhibit", SOURCES)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e30])
def test_some_odd_numbers_do_not_hide_the_others(spoilt, exhibit, value):
    assert sheets(exhibit, spoilt(value, 3))


@pytest.mark.parametrize("exhibit", SOURCES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nothing_but_odd_numbers_is_no_error(spoilt, exhibit, value):
    for sheet in sheets(exhibit, spoilt(value, 1)):
        assert not {"nan", "inf", "-inf"} & set(re.split(r"[^\w-]+", sheet.alt))


@pytest.mark.parametrize("exhibit", SOURCES)
def test_one_row_is_enough(few, exhibit):
    one = {name: table.iloc[:1] for name, table in few.items()}
    assert len(sheets(exhibit, one)) == 1


@pytest.mark.parametrize("exhibit", SOURCES)
def test_one_person_and_one_rival_are_enough(few, exhibit):
    alone = {}
    for name, table in few.items():
        for column in ("person", "rival"):
            if column in table.columns:
                table = table[table[column] == table[column].iloc[0]]
        alone[name] = table
    assert sheets(exhibit, alone)


@pytest.mark.parametrize("exhibit", SOURCES)
def test_columns_of_objects_are_read_as_numbers(few, exhibit):
    """An all-missing column comes back from a file without its type."""
    as_objects = {name: table.astype(object) for name, table in few.items()}
    with drawing():
        plain = [sheet.alt for sheet in MODULES[exhibit].sheets(few)]
    assert [sheet.alt for sheet in sheets(exhibit, as_objects)] == plain


@pytest.mark.parametrize("exhibit", SOURCES)
def test_equal_numbers_everywhere_are_drawn(spoilt, exhibit):
    assert sheets(exhibit, spoilt(0.5, 1))


def test_a_method_we_do_not_know_is_drawn_in_ink(few):
    renamed = {name: table.replace({"GS": "somebody's own"}) for name, table in few.items()}
    for exhibit in ("transfer", "costs", "histograms", "components", "frontier"):
        assert all("somebody's own" in one.alt for one in sheets(exhibit, renamed))


def test_people_without_unanimous_advice_hold_the_line_below_all(tables):
    rows = tables["invariance"].copy()
    rows.loc[rows.index[:6], ["unanimous", "ratio"]] = np.nan
    sheet = sheets("invariance", {"invariance": rows[rows["reference"] == "linear"]})[0]
    line = max(sheet.page.axes[0].lines, key=lambda one: len(one.get_ydata()))
    assert line.get_ydata().max() == pytest.approx(6 / 12)
