"""What the models say of the point at hand, and which of them are taken up because of it."""

import numpy as np

from standfast.compilation import inner
from standfast.search.exact.state import SearchState
from standfast.search.exact.workspace import look_up, slack_at, slack_in_32_bits, sum_at
from standfast.search.problem.levels import take_up


@inner
def judged(state: SearchState) -> bool:
    """Whether every model accepts p; of the models not taken up, the two worst refusals are."""
    forest, needs, row = state.forest, state.needs, state.row
    levels, leaves, work = state.levels, state.leaves, state.work
    for m in range(len(needs)):
        if leaves.model_tree[m] >= 0 and row[m] >= 0:
            work.slack[m] = sum_at(row[m], levels, work) - needs[m]
    for m in range(len(needs)):
        if leaves.model_tree[m] >= 0 and work.slack[m] <= 0.0:
            return False
    accepted = True
    for m in range(len(needs)):  # afresh: differences added up may be off in their last bits
        work.slack[m] = slack_at(m, row[m], needs[m], forest, levels, work)
        accepted = accepted and work.slack[m] > 0.0
    take_up_worst(state)
    return accepted and truly_accepted(state)


@inner
def truly_accepted(state: SearchState) -> bool:
    """Whether models that add in 32 bits accept p by their own arithmetic, too."""
    for m in range(len(state.needs)):
        single = state.single.marked[m]
        if (
            single
            and slack_in_32_bits(m, state.needs[m], state.single, state.forest, state.work) <= 0
        ):
            return False
    return True


@inner
def take_up_worst(state: SearchState) -> None:
    """Take up the two models that refuse most, of those not taken up yet."""
    forest, needs, row = state.forest, state.needs, state.row
    levels, leaves, work = state.levels, state.leaves, state.work
    for _ in range(2):
        worst: int = np.int64(-1)  # type: ignore[assignment] # a literal would be compiled apart
        for m in range(len(needs)):
            refuses = leaves.model_tree[m] < 0 and work.slack[m] <= 0.0
            if refuses and (worst < 0 or work.slack[m] < work.slack[worst]):
                worst = m
        if worst < 0:
            break
        if row[worst] >= 0:
            leaves.model_tree[worst] = 0
        else:
            take_up(worst, forest, levels, leaves)
            look_up(worst, needs[worst], forest, leaves, work)
