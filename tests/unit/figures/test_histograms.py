"""The ticks of histograms: bars that stand for all beyond say so, others do not."""

import numpy as np
import pandas as pd
import pytest

from standfast.figures import histograms
from standfast.figures.style import drawing
from standfast.studies.names import GOOD, REFUSED


def ticks(values, ends, names=None):
    rows = [
        {"data": "mine", "reference": "linear", "group": group, "feature": "n", "label": "number"}
        | {"value": value, "until": end, "name": name, "share": 1 / len(values), "n": 9}
        for group in (GOOD, REFUSED)
        for value, end, name in zip(values, ends, names or [""] * len(values), strict=True)
    ]
    with drawing():
        (sheet,) = histograms.sheets({"histograms": pd.DataFrame(rows)})
        sheet.page.draw_without_rendering()
    return [label.get_text() for label in sheet.page.axes[-1].get_xticklabels()]


@pytest.mark.parametrize(
    ("values", "ends", "texts"),
    [
        ([-2.0, -1.0, 0.0], [-2.0, -1.0, 0.0], ["−2", "−1", "0"]),
        ([0.0, 5.0], [4.0, np.inf], ["0", "5+"]),
        ([-np.inf, 0.0], [-1.0, 9.0], ["≤ −1", "0"]),
    ],
)
def test_a_tick_says_where_its_bar_begins_and_whether_it_holds_all_beyond(values, ends, texts):
    assert ticks(values, ends) == texts


def test_categories_are_written_by_name_and_what_is_missing_stands_last():
    places = [0.0, 1.0, np.inf]
    assert ticks(places, places, ["clerk", "others (9)", "missing"]) == [
        "clerk",
        "others (9)",
        "missing",
    ]
    values, ends, names = [0.0, 5.0, np.inf], [4.0, np.inf, np.inf], ["", "", "missing"]
    assert ticks(values, ends, names) == ["0", "5+", "missing"]
