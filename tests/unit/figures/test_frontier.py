"""The frontier's figure: one panel per kind of judges, every method named, Invariant in front."""

import numpy as np
import pytest

from standfast.figures.frontier import dial_range, sheets
from standfast.figures.style import COLOURS, drawing

LINEAR, FOREST = 0, 1


def drawn(tables):
    with drawing():
        return list(sheets(tables))


@pytest.fixture(scope="module")
def both(tables):
    """The sheets of both scenes, which no test changes."""
    return drawn(tables)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_there_is_a_panel_for_each_kind_of_judges(both):
    linear, forest = both
    assert [ax.get_title("left") for ax in linear.page.axes] == [
        "40 fresh models of the reference's class",
        "40 fresh models of the other class",
        "40 models fitted on later people",
    ]
    assert len(forest.page.axes) == 2
    assert any("better: up and to the left" in text for text in texts(linear.page.axes[0]))
    assert any("nothing is certified here" in text for text in texts(linear.page.axes[2]))


def test_every_method_with_an_answer_is_named_in_every_panel(tables, both):
    for sheet in both:
        rows = tables["frontier"].dropna(subset="cost")
        rows = rows[rows["reference"] == sheet.reference]
        for ax in sheet.page.axes:
            for method in rows["method"].unique():
                name = method.capitalize() if method.startswith("invariant") else method
                name = "dashed: 8 %" if method == "do nothing" else name.removesuffix(" for all")
                worse = method == "do nothing" and ax is not sheet.page.axes[0]
                assert worse or any(name in text for text in texts(ax)), (method, texts(ax))
        assert sheet.page.legends == []


@pytest.mark.parametrize(
    ("k", "judges", "method"),
    [(0, "same class", "invariant"), (1, "other class", "invariant, both classes")],
)
def test_settings_are_drawn_where_the_table_says(tables, both, k, judges, method):
    panel = both[LINEAR].page.axes[k]
    line = max(panel.lines, key=lambda one: one.get_linewidth())
    mine = tables["frontier"].query(
        "reference == 'linear' and judges == @judges and method == @method"
    )
    assert np.allclose(line.get_xdata(), mine["cost"])
    assert np.allclose(line.get_ydata(), mine["validity"])
    assert line.get_color() == COLOURS[method]
    assert line.get_zorder() == max(one.get_zorder() for one in panel.lines)


def test_who_answered_nobody_is_not_drawn(both):
    forest = both[FOREST]
    assert "C-CHVAE" not in forest.alt
    assert all("C-CHVAE" not in texts(ax) for ax in forest.page.axes)


def test_a_scene_without_any_answer_has_no_figure(tables):
    nobody = tables["frontier"].assign(cost=np.nan, validity=np.nan)
    assert drawn({"frontier": nobody}) == []


@pytest.mark.parametrize("method", ["GS", "invariant", "BetaRCE"])
def test_one_method_is_enough(tables, method):
    rows = tables["frontier"]
    for sheet in drawn({"frontier": rows[rows["method"] == method]}):
        assert all(len(ax.lines) == 1 for ax in sheet.page.axes)


def test_a_name_that_fits_nowhere_is_told_by_a_legend(tables):
    rows = tables["frontier"].copy()
    rows.loc[rows["method"] == "GS", "validity"] = 1.5  # out of sight
    legends = drawn({"frontier": rows})[LINEAR].page.legends
    assert [text.get_text() for text in legends[0].get_texts()][:2] == [
        "Invariant",
        "Invariant, same target",
    ]


@pytest.mark.parametrize(
    ("dials", "text"),
    [
        (["by 0", "by 0.02", "by 0.2"], "by 0 to 0.2"),
        (["3 models", "10 models"], "3 to 10 models"),
        (["δ = 0.1", "δ = 0.2"], "δ = 0.1 to 0.2"),
        (["loose", "strict"], "loose to strict"),
        (["", "target 1"], " to target 1"),
        ([""], ""),
    ],
)
def test_a_range_of_settings_is_told_in_few_letters(dials, text):
    assert dial_range(dials) == text
