import numpy as np
import pytest

from standfast.recommendations import Outcome
from standfast.report.columns import COLUMNS
from standfast.report.sortable import consistency, frontier_levels, outcomes, sortable
from standfast.report.wording import THIN
from standfast.studies.tables import TIDY


@pytest.mark.parametrize("name", COLUMNS)
def test_every_column_is_one_of_the_tidy_table(name, tables):
    for column in COLUMNS[name]:
        assert {column.name, *(column.between or ())} <= set(TIDY[name].columns)
    shown = sortable(name, tables[name])
    assert len(shown.rows) == len(tables[name])
    assert {len(row) for row in shown.rows} <= {len(shown.heads)}


def test_numbers_are_sorted_by_themselves_and_missing_ones_last(tables):
    table = tables["bounds"].head(3).assign(total=[np.inf, np.nan, 0.12345], note="")
    place = [column.name for column in COLUMNS["bounds"]].index("total")
    cells = [row[place] for row in sortable("bounds", table).rows]
    assert [(cell.text, cell.sort) for cell in cells] == [
        ("∞", "Infinity"),
        ("–", ""),
        ("0.12", "0.12345"),
    ]


def test_a_share_stands_beside_its_interval(tables):
    table = tables["transfer_means"].head(1).assign(transfer=0.5, lower=0.4, upper=0.612)
    place = [column.name for column in COLUMNS["transfer_means"]].index("transfer")
    cell = sortable("transfer_means", table).rows[0][place]
    assert (cell.text.replace(THIN, " "), cell.aside.replace(THIN, " ")) == ("50 %", "40 to 61 %")


def test_rules_stand_beside_methods_and_gaps_stay_gaps(tables):
    table = (
        tables["consistency"]
        .head(3)
        .assign(
            rule=["a", "a", "b"],
            method=["AR", "GS", "GS"],
            n=[4, 4, 0],
            broken=[1, 0, 0],
            share=[0.25, 0, np.nan],
        )
    )
    shown = consistency(table)
    assert [head.text for head in shown.heads] == ["Rule", "GS", "AR"]
    texts = [[cell.text.replace(THIN, " ") for cell in row] for row in shown.rows]
    assert texts == [["a", "0 %", "25 %"], ["b", "–", "–"]]
    assert shown.rows[0][2].aside == "1 of 4"


def test_a_difference_is_written_in_points_with_its_sign(tables):
    table = (
        tables["transfer_means"]
        .head(3)
        .assign(below_cchvae=[0.204, -0.05, np.nan], below_lower=0.1, below_upper=-0.001)
    )
    place = [column.name for column in COLUMNS["transfer_means"]].index("below_cchvae")
    cells = [row[place] for row in sortable("transfer_means", table).rows]
    assert [cell.text for cell in cells] == ["+20", "−5", "–"]
    assert cells[0].aside == "+10 to +0"


def test_levels_stand_beside_methods_with_what_they_cost(tables):
    table = (
        tables["frontier_levels"]
        .head(3)
        .assign(
            method=["raised threshold", "invariant", "raised threshold"],
            judges="same class",
            level=[0.8, 0.8, 0.9],
            ratio=[1.5, 1.25, np.nan],
            lower=1.1,
            upper=1.6,
            n=7,
        )
    )
    shown = frontier_levels(table)
    assert [head.text for head in shown.heads] == [
        "Judges",
        "Validity",
        "invariant",
        "raised threshold",
        "People",
    ]
    texts = [[f"{cell.text} {cell.aside}".strip() for cell in row] for row in shown.rows]
    assert [[text.replace(THIN, " ") for text in row] for row in texts] == [
        ["same class", "80 %", "1.25 1.10 to 1.60", "1.50 1.10 to 1.60", "7"],
        ["same class", "90 %", "– not reached", "– not reached", "7"],
    ]
    assert [row[2].sort for row in shown.rows] == ["1.25", ""]
    assert frontier_levels(table.iloc[:0]).rows == []


def test_how_searches_ended_adds_up_to_everybody_asked_about(tables):
    linear = tables["advice"][tables["advice"]["reference"] == "linear"]
    ends = [str(outcome) for outcome in Outcome]
    searched = ~linear["method"].isin(["do nothing", "reconstruction only"])
    given = [ends[k % len(ends)] if own else "" for k, own in enumerate(searched)]
    table = outcomes(linear.assign(outcome=given))
    heads = [head.text for head in table.heads]
    assert heads[0] == "Method"
    assert heads[-1] == "People"
    assert {"Minimal", "Already favourable", "Infeasible", "Outside schema"} <= set(heads)
    assert len(table.rows) == linear["method"][searched].nunique()
    for row in table.rows:
        *counts, everybody = [int(cell.text) for cell in row[1:]]
        assert sum(counts) == everybody == (linear["method"] == row[0].text).sum()
