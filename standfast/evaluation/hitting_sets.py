"""The fewest inputs of which every given set has at least one."""

from collections.abc import Mapping, Sequence

Inputs = frozenset[int]


def smallest_hitting_set(sets: Sequence[Inputs], weight: Mapping[int, float]) -> Inputs:
    """A hitting set with as few inputs as possible, the weightier ones first.

    Every set must have a member, or nothing hits it.

    >>> sorted(smallest_hitting_set([frozenset({1, 2}), frozenset({2, 3})], {}))
    [2]
    """
    size = _packing(sets)
    while True:
        found = _search(sorted(sets, key=len), frozenset(), size, weight)
        if found is not None:
            return found
        size += 1


def _search(
    left: Sequence[Inputs], chosen: Inputs, size: int, weight: Mapping[int, float]
) -> Inputs | None:
    """So many more inputs that hit all sets left; None if there are none."""
    if not left:
        return chosen
    if _packing(left) > size:
        return None
    for j in sorted(left[0], key=lambda j: (-weight.get(j, 0.0), j)):
        rest = [one for one in left if j not in one]
        found = _search(rest, chosen | {j}, size - 1, weight)
        if found is not None:
            return found
    return None


def _packing(sets: Sequence[Inputs]) -> int:
    """How many sets without a common input there are at least: each asks for one of its own."""
    taken, count = set[int](), 0
    for one in sorted(sets, key=len):
        if taken.isdisjoint(one):
            taken |= one
            count += 1
    return count
