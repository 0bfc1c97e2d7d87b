"""The benchmark of reasons: which inputs matter, compared with a look at all sets."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.relevance import EnoughInputs, Inputs

INPUTS = (0, 2, 3, 5, 7)
sets = st.frozensets(st.sampled_from(INPUTS), min_size=1)


def members(all_that_help: list[Inputs]) -> Inputs:
    """The inputs of minimal sets, by comparing all pairs."""
    least = [one for one in all_that_help if not any(other < one for other in all_that_help)]
    return frozenset().union(*least)


def blocking(all_that_help: list[Inputs]) -> Inputs:
    """The inputs of minimal blocking sets, by trying all sets."""
    every = [frozenset(c) for n in range(len(INPUTS) + 1) for c in combinations(INPUTS, n)]
    return members([held for held in every if all(held & one for one in all_that_help)])


def asking(all_that_help: list[Inputs]):
    """A search that finds some of the changes, not always the fewest."""

    def ask(free: Inputs) -> Inputs | None:
        return next((one for one in all_that_help if one <= free), None)

    return ask


@given(st.lists(sets, min_size=1, max_size=8), st.integers(0, 3))
def test_relevant_inputs_are_those_of_minimal_sets_and_of_minimal_blocking_sets(helping, seed):
    known = EnoughInputs(asking(helping), INPUTS, seed)
    found = {j for j in range(9) if known.relevant(j, 1000)}
    assert found == members(helping) == blocking(helping)


def test_answers_decide_other_sets_without_being_asked_again():
    known = EnoughInputs(asking([frozenset({2, 3})]), INPUTS)
    assert known.enough(known.bits([2, 3]))
    assert known.enough(known.bits([0, 2, 3]))
    assert not known.enough(known.bits([0, 2, 5, 7]))
    assert not known.enough(known.bits([2]))
    assert known.calls == 2


@pytest.mark.parametrize("most", [1, 2])
def test_an_input_stays_open_after_too_few_questions(most):
    helping = [frozenset(c) for c in combinations(INPUTS[1:], 2)]
    assert EnoughInputs(asking(helping), INPUTS).relevant(0, most) is None
    assert EnoughInputs(asking(helping), INPUTS).relevant(0, 1000) is False
