"""The cheapest point that one weighted sum accepts: a multiple-choice knapsack, for many people.

Each input offers steps, every one of which gains more and costs more than the one before. How
little the rest may cost is known from the relaxation, in which steps can be taken in part: it pays
for the steepest steps first. A depth-first search over the inputs, the most rewarding first, drops
whatever cannot beat the best point so far.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, kernel, zeros
from standfast.search.exact.workspace import TINY, raised
from standfast.search.problem.contributions import REFUSED
from standfast.search.problem.lattice import Own
from standfast.search.problem.levels import ABOVE, BELOW, OWN, Costing, Offers
from standfast.search.problem.price import CHANGE, Matrix, Vector

# how a person's search ended; what is left open is for the search on boxes
OPEN, IMPOSSIBLE, SOLVED = -1, 0, 1
# no step of an input is taken
STAYS = -1
# choices tried for one person: a few milliseconds, and far more than nearly all need
MOST_TRIED = 100_000
# what adding up may be off, as a share of what is added
SLIP = 1e-13


class Steps(NamedTuple):
    """One person's steps, input by input, and the workspace of the search among them.

    Input j's `sizes[j]` steps lead to the values `to[j]`, as places among the lattice's ranges, and
    have a `cost[j]` and a `gain[j]`, from the cheapest to the one that suffices alone. `corner[j]`
    are those at the `corners[j]` corners of their concave hull, `rate[j]` what the first of these
    gains per cost. `order` has the inputs that have steps, in the order of the search. rest_gain[t]
    and rest_cost[t] are the relaxation over the inputs from the t-th on, added up piece by piece,
    `pieces[t]` of them. Per depth of the search: the step to try `next`, the piece at hand (`at`),
    what is `paid` and what is still `lacking`. Per input: the step `chosen`, and that of the `best`
    point, or STAYS.
    """

    to: Annotated[NDArray[np.int64], "d", "widest"]
    cost: Annotated[Matrix, "d", "widest"]
    gain: Annotated[Matrix, "d", "widest"]
    sizes: Annotated[NDArray[np.int64], "d"]
    corner: Annotated[NDArray[np.int64], "d", "widest"]
    corners: Annotated[NDArray[np.int64], "d"]
    order: Annotated[NDArray[np.int64], "d"]
    rate: Annotated[Vector, "d"]
    rest_gain: Annotated[Matrix, "deep", "pieces"]
    rest_cost: Annotated[Matrix, "deep", "pieces"]
    pieces: Annotated[NDArray[np.int64], "deep"]
    next: Annotated[NDArray[np.int64], "d"]
    at: Annotated[NDArray[np.int64], "d"]
    paid: Annotated[Vector, "deep"]
    lacking: Annotated[Vector, "deep"]
    chosen: Annotated[NDArray[np.int64], "d"]
    best: Annotated[NDArray[np.int64], "d"]


def no_steps(d: int, widest: int) -> Steps:
    """Room for d inputs of at most so many levels."""
    sizes = {"d": d, "widest": widest, "deep": d + 1, "pieces": d * widest + 1}
    return zeros(Steps, sizes)


class Question(NamedTuple):
    """What is asked for everybody: the sum's `row` exceeding its `need`, at the least cost.

    With `maximal` the largest single move counts, and among equal ones the total. Every cost is a
    multiple of `grain`, unless that is 0. `law_rows` are the sums that must exceed each person's
    `law_needs`, too.
    """

    row: int
    need: float
    maximal: bool
    grain: float
    law_rows: NDArray[np.int64]
    law_needs: Matrix


@kernel
def cheapest_points(
    own: Own, offers: Offers, costing: Costing, asked: Question, steps: Steps
) -> tuple[NDArray[np.int64], Matrix, Vector]:
    """How each person's search ended, their cheapest points, and what these cost in the search.

    For ranges of one value each. The laws are left out of the search: where the cheapest point
    keeps them all the same, it is the cheapest that does; where not, the person is left open.
    """
    n, d = own.cell.shape
    ended, points, costs = np.empty(n, np.int64), np.full((n, d), np.nan), np.full(n, np.nan)
    for i in range(n):
        ended[i] = search(i, own, offers, costing, asked, steps)
        for r in range(len(asked.law_rows)):
            row, need = asked.law_rows[r], asked.law_needs[i, r]
            if ended[i] == SOLVED and sum_at(steps.best, i, row, own, offers, steps) <= need:
                ended[i] = OPEN
        if ended[i] == SOLVED:
            costs[i] = 0.0
            for j in range(d):
                points[i, j] = own.value[i, OWN, j]
                if steps.best[j] != STAYS:
                    points[i, j] = offers.ranges.first[steps.to[j, steps.best[j]]]
                    move = steps.cost[j, steps.best[j]] - CHANGE
                    costs[i] = max(costs[i], move) if asked.maximal else costs[i] + move
    return ended, points, costs


@inner
def search(
    i: int, own: Own, offers: Offers, costing: Costing, asked: Question, steps: Steps
) -> int:
    """The cheapest steps of person i with which the sum exceeds its need, into `steps.best`."""
    row, lacks, size, d = asked.row, asked.need, abs(asked.need), len(steps.best)
    for j in range(d):
        here = own.adds[i, OWN, row, j]
        steps.best[j], steps.chosen[j] = STAYS, STAYS
        if here <= 0.5 * REFUSED:
            return OPEN
        lacks, size = lacks - here, size + abs(here)
    slip = SLIP * size
    if lacks <= slip and sum_at(steps.best, i, row, own, offers, steps) > asked.need:
        return SOLVED
    lacks, reach = max(lacks, slip), 0.0
    for j in range(d):
        climb(i, j, row, lacks + slip, own, offers, costing, steps)
        if steps.sizes[j] > 0:
            reach += steps.gain[j, steps.sizes[j] - 1]
    if reach < lacks - slip:
        return IMPOSSIBLE
    if reach <= lacks + slip:
        return OPEN  # it depends on how adding up is rounded
    if asked.maximal and not cut_off(lacks, slip, costing.per_change, steps):
        return OPEN
    inputs = 0
    for j in range(d):
        if steps.sizes[j] > 0:
            bend(j, lacks, steps)
            place = inputs
            while place > 0 and steps.rate[steps.order[place - 1]] < steps.rate[j]:
                steps.order[place] = steps.order[place - 1]
                place -= 1
            steps.order[place] = j
            inputs += 1
    relax(inputs, lacks, steps)
    return choose(i, inputs, lacks, slip, own, offers, asked, steps)


@inner
def sum_at(
    chosen: NDArray[np.int64], i: int, row: int, own: Own, offers: Offers, steps: Steps
) -> float:
    """A weighted sum at some steps of person i, added up input by input."""
    total = 0.0
    for j in range(len(chosen)):
        if chosen[j] == STAYS:
            total += own.adds[i, OWN, row, j]
        else:
            total += offers.adds.first[row, steps.to[j, chosen[j]]]
    return total


@inner
def climb(
    i: int,
    j: int,
    row: int,
    enough: float,
    own: Own,
    offers: Offers,
    costing: Costing,
    steps: Steps,
) -> None:
    """Person i's steps of input j, outwards from the own value, until one is enough alone."""
    ranges, adds, here = offers.ranges, offers.adds.first[row], own.adds[i, OWN, row, j]
    x, place, flat = own.value[i, OWN, j], own.place[i, OWN, j], own.flat[i, j]
    first, last, n, gained = ranges.starts[j], ranges.starts[j + 1], 0, 0.0
    steps.sizes[j] = 0
    if not ranges.summed[j]:
        return
    up, end = first, last
    while up < end:  # the first value above
        middle = (up + end) // 2
        if ranges.first[middle] <= x:
            up = middle + 1
        else:
            end = middle
    down = up - 1
    # what is too near to be a move of its own, or out of reach, is passed over
    while down >= first and ranges.first[down] > min(own.value[i, BELOW, j], own.high[i, j]):
        down -= 1
    while up < last and ranges.first[up] < max(own.value[i, ABOVE, j], own.low[i, j]):
        up += 1
    while gained <= enough:
        below, above = np.inf, np.inf
        if down >= first and ranges.first[down] >= own.low[i, j]:
            below = abs(ranges.place_first[down] - place)
        if up < last and ranges.first[up] <= own.high[i, j]:
            above = abs(ranges.place_first[up] - place)
        if below == np.inf and above == np.inf:
            break
        shift = min(below, above)
        if below <= above:
            k = down
            down -= 1
        else:
            k = up
            up += 1
        gain = adds[k] - here
        if gain <= gained:
            continue
        if not np.isnan(flat):
            shift = flat
        cost = (shift * shift if costing.squared else shift) + costing.per_change
        if n == 0 or cost > steps.cost[j, n - 1]:
            n += 1
        steps.to[j, n - 1], steps.cost[j, n - 1], steps.gain[j, n - 1] = k, cost, gain
        gained = gain
    steps.sizes[j] = n


@inner
def cut_off(lacks: float, slip: float, per_change: float, steps: Steps) -> bool:
    """Drop the steps beyond the least maximal shift; False where rounding decides what that is.

    Within a shift every input goes as far as it may: the cheapest of all next steps is taken until
    the steps together gain what is lacking.
    """
    most, gained = 0.0, 0.0
    for j in range(len(steps.sizes)):
        steps.next[j] = 0
    while gained <= lacks - slip:
        best = -1
        for j in range(len(steps.sizes)):
            if steps.next[j] < steps.sizes[j] and (
                best < 0 or steps.cost[j, steps.next[j]] < steps.cost[best, steps.next[best]]
            ):
                best = j
        k = steps.next[best]
        gained += steps.gain[best, k] - (steps.gain[best, k - 1] if k > 0 else 0.0)
        most, steps.next[best] = steps.cost[best, k], k + 1
    for j in range(len(steps.sizes)):
        while steps.sizes[j] > 0 and steps.cost[j, steps.sizes[j] - 1] - per_change > most + TINY:
            steps.sizes[j] -= 1
    return gained > lacks + slip


@inner
def bend(j: int, lacks: float, steps: Steps) -> None:
    """The corners of the concave hull of input j's gains over their costs, and its first rate.

    No step counts for more than what is lacking.
    """
    cost, gain, corner, n = steps.cost[j], steps.gain[j], steps.corner[j], 0
    for k in range(steps.sizes[j]):
        reached = min(gain[k], lacks)
        while n > 0:
            before = corner[n - 2] if n > 1 else -1
            x, y = (cost[before], gain[before]) if before >= 0 else (0.0, 0.0)
            last = corner[n - 1]
            if (gain[last] - y) * (cost[k] - x) > (reached - y) * (cost[last] - x):
                break
            n -= 1
        corner[n] = k
        n += 1
    steps.corners[j] = n
    steps.rate[j] = min(gain[corner[0]], lacks) / max(cost[corner[0]], TINY)


@inner
def relax(inputs: int, lacks: float, steps: Steps) -> None:
    """The relaxation over the inputs from each on: pieces of all hulls, the steepest first."""
    steps.pieces[inputs] = 0
    steps.rest_gain[inputs, 0], steps.rest_cost[inputs, 0] = 0.0, 0.0
    for t in range(inputs - 1, -1, -1):
        j, n, c, m = steps.order[t], 0, 0, 0
        gains, costs = steps.rest_gain[t], steps.rest_cost[t]
        theirs, paid = steps.rest_gain[t + 1], steps.rest_cost[t + 1]
        gains[0], costs[0] = 0.0, 0.0
        x, y = 0.0, 0.0
        # two lists of pieces whose rates fall, merged; pieces after enough is gained do not count
        while (c < steps.corners[j] or m < steps.pieces[t + 1]) and gains[n] < lacks:
            mine = False
            gain, cost = 0.0, 0.0
            if c < steps.corners[j]:
                k = steps.corner[j, c]
                gain, cost = min(steps.gain[j, k], lacks) - y, steps.cost[j, k] - x
                mine = True
            if m < steps.pieces[t + 1]:
                other, price = theirs[m + 1] - theirs[m], paid[m + 1] - paid[m]
                if not mine or other * cost > gain * price:
                    mine, gain, cost = False, other, price
            if mine:
                x, y, c = x + cost, y + gain, c + 1
            else:
                m += 1
            gains[n + 1], costs[n + 1] = gains[n] + gain, costs[n] + cost
            n += 1
        steps.pieces[t] = n


@inner
def choose(
    i: int,
    inputs: int,
    lacks: float,
    slip: float,
    own: Own,
    offers: Offers,
    asked: Question,
    steps: Steps,
) -> int:
    """Go through the inputs, depth first, and keep the cheapest point that the sum accepts."""
    incumbent, tried, t = np.inf, 0, 0
    steps.paid[0], steps.lacking[0] = 0.0, lacks
    steps.next[0], steps.at[0] = STAYS, steps.pieces[1]
    while t >= 0:
        j, k = steps.order[t], steps.next[t]
        steps.next[t] += 1
        tried += 1
        if tried > MOST_TRIED:
            return OPEN
        paid, lacking = steps.paid[t], steps.lacking[t]
        if 0 <= k < steps.sizes[j]:
            paid, lacking = paid + steps.cost[j, k], lacking - steps.gain[j, k]
        if k >= steps.sizes[j] or paid >= incumbent - TINY:  # and so are all that follow
            steps.chosen[j] = STAYS
            t -= 1
            continue
        steps.chosen[j] = k
        if lacking <= slip and sum_at(steps.chosen, i, asked.row, own, offers, steps) > asked.need:
            incumbent = paid
            for f in range(len(steps.best)):
                steps.best[f] = steps.chosen[f]
            continue
        if t + 1 == inputs:
            continue
        floor = paid + least_rest(t, max(lacking - slip, 0.0), steps)
        if floor < incumbent - TINY:
            floor = raised(floor, asked.grain, len(steps.chosen), moves(steps))
        if floor < incumbent - TINY:
            t += 1
            steps.paid[t], steps.lacking[t] = paid, lacking
            steps.next[t], steps.at[t] = STAYS, steps.pieces[t + 1]
    return SOLVED if incumbent < np.inf else OPEN


@inner
def moves(steps: Steps) -> int:
    """How many inputs take a step."""
    changes = 0
    for step in steps.chosen:
        changes += step != STAYS
    return changes


@inner
def least_rest(t: int, lacking: float, steps: Steps) -> float:
    """The least that the inputs after the t-th cost to gain what is lacking; inf if they cannot.

    Less and less is lacking while the t-th input climbs, so the piece at hand only goes back.
    """
    gains, costs, n = steps.rest_gain[t + 1], steps.rest_cost[t + 1], steps.at[t]
    if lacking > gains[n]:
        return np.inf
    while n > 0 and gains[n - 1] >= lacking:
        n -= 1
    steps.at[t] = n
    if n == 0:
        return 0.0
    share = (lacking - gains[n - 1]) / (gains[n] - gains[n - 1])
    least: float = costs[n - 1] + share * (costs[n] - costs[n - 1])
    return least
