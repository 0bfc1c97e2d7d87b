import math

import pytest

from standfast.report import wording


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (-0.5, "−0.50"),
        (0.00004, "4e-05"),
        (1234.5, "1234"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "–"),
    ],
)
def test_a_number_is_written_with_the_digits_that_matter(given, written):
    assert wording.number(given) == written


@pytest.mark.parametrize(
    ("given", "written"),
    [(0.0, "0 %"), (0.004, "<1 %"), (0.5, "50 %"), (0.999, ">99 %"), (1.0, "100 %")],
)
def test_a_share_is_never_rounded_to_nothing_or_everything(given, written):
    assert wording.share(given).replace(wording.THIN, " ") == written


def test_negative_shares_of_a_difference_keep_their_sign():
    assert wording.share(-0.12).replace(wording.THIN, " ") == "−12 %"


def test_one_is_singular_and_none_plural():
    assert [wording.people(n) for n in (0, 1, 2)] == ["0 people", "1 person", "2 people"]
    assert [wording.count(n, "rival") for n in (0, 1, 2)] == ["0 rivals", "1 rival", "2 rivals"]


def test_values_of_inputs_keep_what_makes_them_doubtful():
    assert wording.value(3.0004) == "3.00"
    assert wording.exact(3.0004) == "3.0004"
    assert wording.exact(-0.13) == "−0.13"
