"""Complete level sets in sentences."""

from standfast.report import captions
from standfast.report.scenes import scenes
from standfast.report.wording import THIN


def lines(tables):
    found = captions.caption("complete", tables, scenes(tables)[0])
    return found.replace(THIN, " ").splitlines()


def test_there_is_a_line_for_each_epsilon_and_one_for_both_sets(one_scene):
    first, _, last, both = lines(one_scene)
    assert first == (
        "At ε = 0 every tree accepts advice for 10 of 14 people at a mean cost of 0.40 (for "
        "all members of the grids 0.70); for 2 there is none, for 1 of them because one tree "
        "decides on what cannot change; 25 % of the advice that all members of the grids accept "
        "is kept."
    )
    assert last.startswith("At ε = 0.05 every tree accepts advice for 0 of 14 people; for 12")
    assert both.startswith("At ε = 0.01 every tree and every linear model accepts advice for 3 of")
    assert "(the 2 who have both: 0.40, for all members of the grids 0.70)" in both
    assert "for 4 the search did not end" in both


def test_a_study_without_them_says_nothing(one_scene):
    assert lines(one_scene | {"complete": one_scene["complete"].head(0)}) == []
