"""The least maximal shift where equalities tie inputs together: what it may be, halved.

Under `income == salary + other` several inputs move at once, and a maximum says of each of them
only that it may move as far as the others. Whether all models accept anything within a given shift
is a question to the search for a least total, which bounds all sums together; asked a few times, it
closes in on the least shift with which the answer is yes.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from standfast.search.exact.driver import Limit, Proof, Solution
from standfast.search.problem.price import Vector

# costs closer than this are equal
TIE = 1e-12
# boxes that one question may take at first, and how many times as many when it is asked again
FIRST, MORE = 20_000, 8

Within = Callable[[float, Limit], Solution]


def least_maximum(first: Solution, costs: Vector, limit: Limit, within: Within) -> Solution:
    """What a search that reached its limit did not find out about the least maximal shift.

    `costs` are all that a move may cost, ascending; `within` is the search for any point that costs
    at most so much, whose `cost` is the maximum. Where a question stays open, larger shifts are
    tried, and then it is asked again with more boxes.
    """
    best, boxes, room, most, binding = first, first.boxes, True, FIRST, first.binding
    # nothing costs less than the cost at `low`; what is found costs that at `high`, if anything is
    low = int(np.searchsorted(costs, first.lower_bound - TIE))
    high = len(costs) if first.point is None else _place(costs, first.cost)
    while low < high and room and boxes < limit.boxes and not limit.expired():
        start, end = low, high
        while start < end and boxes < limit.boxes and not limit.expired():
            middle = (start + min(end, len(costs) - 1)) // 2 if best.point is not None else end - 1
            asked = replace(limit, boxes=min(most, limit.boxes - boxes))
            found = within(float(costs[middle]) + TIE, asked)
            boxes, binding = boxes + found.boxes, found.binding
            if found.point is not None:
                best, end = found, min(middle, _place(costs, found.cost))
                high = end
            elif found.proof == "infeasible":
                low = start = middle + 1
            else:
                start, room = middle + 1, room and found.room
        most *= MORE
    closed, bound = low >= high, float(costs[low]) if low < len(costs) else np.inf
    proof: Proof = "minimal" if closed else "limit"
    if best.point is None:
        proof = "infeasible" if closed else "limit"
    elif closed or best.cost < bound:
        bound = best.cost
    best = replace(best, proof=proof, lower_bound=bound)
    return replace(best, boxes=boxes, binding=binding, room=room)


def _place(costs: Vector, cost: float) -> int:
    return int(np.searchsorted(costs, cost - TIE))
