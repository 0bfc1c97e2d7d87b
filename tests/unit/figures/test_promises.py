"""A simulated year's figure: shares kept to the left, costs to the right, a row per drift."""

import numpy as np
import pytest
from samples.promises import METHODS

from standfast.figures.promises import sheets
from standfast.figures.style import COLOURS, drawing

NAMES = ("promises_year", "promises_total")


def drawn(tables):
    with drawing():
        return list(sheets(tables))


@pytest.fixture(scope="module")
def both(tables):
    """The sheets of both scenes, which no test changes."""
    return drawn({name: tables[name] for name in NAMES})


def test_each_drift_has_a_row_of_two_panels_and_the_drifting_one_comes_first(both):
    for sheet in both:
        titles = [ax.get_title("left") for ax in sheet.page.axes]
        drifting = ["Data that drift by 0.5", "Cost in all"]
        assert titles == [*drifting, "Nothing drifts: retraining alone", "Cost in all"]


def test_lines_start_at_the_advice_and_go_where_the_table_says(both):
    left = both[0].page.axes[0]
    line = next(one for one in left.lines if one.get_color() == COLOURS["invariant"])
    assert line.get_ydata().tolist() == [1.0, *METHODS["invariant"][0]]
    assert np.allclose(line.get_xdata(), range(5), atol=0.3)
    assert line.get_zorder() == max(one.get_zorder() for one in left.lines)
    assert [text.get_text() for text in left.get_xticklabels()] == [
        "advice",
        *(f"Q{q}" for q in range(1, 5)),
    ]


def test_bars_add_advice_and_top_ups(both):
    right = both[0].page.axes[1]
    ends = sorted(bar.get_x() + bar.get_width() for bar in right.patches)
    stated = [end for _, first, later in METHODS.values() for end in (first, first + later)]
    assert ends == pytest.approx(sorted(stated))
    shown = {text.get_text() for text in right.texts}
    assert {"75 %", "15 %"} <= shown  # had to come back, of minimal cost and of Invariant


def test_the_alternative_text_has_the_last_shares_and_the_costs(both):
    assert "in quarter 4, AR 30 % at a cost of 0.55 and 0.35" in both[0].alt
    assert "Invariant 85 % at a cost of 0.90 and 0.05" in both[0].alt
    assert "AR" not in both[1].alt


def test_a_method_that_answered_too_few_is_said_and_not_drawn(tables):
    few = {}
    for name in NAMES:
        table = tables[name].copy()
        lost = table["method"] == "unanimous over fresh models"
        numbers = [c for c in ("kept", "first", "top_ups", "total") if c in table]
        table.loc[lost, numbers] = np.nan
        few[name] = table
    for sheet in drawn(few):
        assert "unanimous" not in sheet.alt
        labels = {text.get_text() for text in sheet.page.axes[1].get_yticklabels()}
        assert "unanimous over\nfresh models" not in labels


def test_the_years_of_dated_loans_are_named(tables):
    table = tables["promises_year"]
    by_year = table[table["drift"] == "no drift"].assign(drift="by fiscal year", when="2004")
    sheet = drawn({"promises_year": by_year})[0]
    assert sheet.page.axes[0].get_title("left") == "A new model every fiscal year"
    assert "in 2004" in sheet.alt
