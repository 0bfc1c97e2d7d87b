"""Numbers and names as figures write them."""

import pytest

from standfast.figures.wording import number, short_names, wrapped
from standfast.rivals import grids


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (-1.5, "−1.50"),
        (0.0031, "0.0031"),
        (0.0003, "3·10⁻⁴"),
        (12.34, "12.3"),
        (99999.0, "99999"),
        (-2.5e8, "−2.5·10⁸"),
        (float("nan"), "–"),
        (float("-inf"), "−∞"),
    ],
)
def test_a_number_has_the_digits_a_reader_needs(value, text):
    assert number(value) == text


def test_short_names_tell_all_rivals_of_our_grids_apart():
    names = [*grids.linear(), *grids.forests(), *grids.boosting(), "reference"]
    short = short_names(names)
    assert len(set(short.values())) == len(names)
    assert short["logistic regression, C = 0.0001"] == "C = 0.0001"
    assert short["forest, 50 trees, depth 3, split 4"] == "50 trees, depth 3, split 4"
    assert max(map(len, short.values())) <= 32


def test_short_names_that_would_clash_stay_long():
    names = ["ridge, C = 1", "lasso, C = 1", "lasso, C = 2"]
    assert list(short_names(names).values()) == ["ridge, C = 1", "lasso, C = 1", "C = 2"]


@pytest.mark.parametrize("text", ["", "a", "one two three", "NumInqLast6Mexcl7days", "x" * 40])
def test_wrapping_loses_no_letter(text):
    assert "".join(wrapped(text, 9).split()) == "".join(text.split())
