import pytest

from standfast.report import wording


@pytest.mark.parametrize(
    ("given", "written"),
    [(0.0, "0 %"), (0.004, "<1 %"), (0.5, "50 %"), (0.999, ">99 %"), (1.0, "100 %")],
)
def test_a_share_is_never_rounded_to_nothing_or_everything(given, written):
    assert wording.share(given).replace(wording.THIN, " ") == written


def test_one_is_singular_and_none_plural():
    assert [wording.people(n) for n in (0, 1, 2)] == ["0 people", "1 person", "2 people"]


def test_values_of_inputs_keep_what_makes_them_doubtful():
    assert wording.value(3.0004) == "3.00"
    assert wording.exact(3.0004) == "3.0004"
    assert wording.exact(-0.13) == "−0.13"
