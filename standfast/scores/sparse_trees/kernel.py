"""Compiled tables over conjunctions of literals: counts, optimal subtrees, paths that refuse.

A combination is a rising list of k cuts; it stands at `at[k] + Σ_i C(c_i, i + 1)` in a table with
one place for each (the combinatorial number system, in which combinations follow one another as
`_advance` makes them). A conjunction gives each of its cuts a side, bit i of a pattern set if cut i
holds; it stands at `place · 2^k + pattern` counted within its size.
"""

import numpy as np
from numpy.typing import NDArray

from standfast.compilation import inner, kernel
from standfast.scores.sparse_trees.tables import (
    DEEPEST,
    NEVER,
    Costs,
    Objective,
    Places,
    Tables,
    Words,
)


@inner
def _ones(word: np.uint64) -> np.uint64:
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@inner
def _advance(c: Places, k: int, q: int) -> int:
    """The next combination of k of q cuts; how many of its cuts changed, 0 at the end."""
    i = 0
    while i < k:
        c[i] += 1
        if c[i] < (c[i + 1] if i + 1 < k else q):
            return i + 1
        c[i] = i
        i += 1
    return 0


@kernel
def count_combinations(columns: Words, k: int, total: int) -> Places:
    """For every combination of k cuts, how many people all of them hold for."""
    q, words = columns.shape
    found = np.zeros(total, np.int64)
    c = np.arange(k)
    both = np.empty(words, np.uint64)
    changed = 2
    for place in range(total):
        if changed > 1:  # what all but the first cut hold for
            both[:] = ~np.uint64(0)
            for i in range(1, k):
                for w in range(words):
                    both[w] &= columns[c[i], w]
        first = columns[c[0]]
        count = np.uint64(0)
        for w in range(words):
            count += _ones(both[w] & first[w])
        found[place] = count
        changed = _advance(c, k, q)
    return found


@inner
def _without(c: Places, k: int, i: int, choose: Places) -> int:
    """The place of a combination without its cut i, among those of k − 1 cuts."""
    place = 0
    for j in range(k):
        if j != i:
            place += choose[c[j], j + 1 if j < i else j]
    return place


@inner
def _squeezed(pattern: int, i: int) -> int:
    """A pattern without its bit i."""
    low = (1 << i) - 1
    return (pattern & low) | ((pattern >> (i + 1)) << i)


@inner
def _signed_counts(c: Places, k: int, t: Tables, held: Places, found: Places) -> None:
    """For every pattern of a combination's cuts, how many people fit it; `held` counts by place."""
    for mask in range(1 << k):
        place, size = 0, 0
        for j in range(k):
            if mask >> j & 1:
                size += 1
                place += t.choose[c[j], size]
        found[mask] = held[t.at[size] + place]
    for i in range(k):
        for mask in range(1 << k):
            if not mask >> i & 1:
                found[mask] -= found[mask | 1 << i]


@inner
def _leaf(favourable: int, others: int, o: Objective) -> int:
    """What the better leaf for so many people costs."""
    if favourable + others < o.least:
        return NEVER
    return o.leaf + min(favourable * o.refused, others * o.accepted)


@inner
def _verdict(favourable: int, others: int, accept: bool, o: Objective) -> int:
    """What a leaf with a verdict costs for so many people."""
    refused, accepted = favourable * o.refused, others * o.accepted
    if favourable + others < o.least or (o.majority and accept != (accepted <= refused)):
        return NEVER
    return o.leaf + (accepted if accept else refused)


@kernel
def least_costs(t: Tables) -> Costs:
    """The least cost of a tree on each conjunction's people, with the depth that its path leaves.

    Opt(K) = min(better leaf, min over cuts c of Opt(K and c) + Opt(K and not c)), from the longest
    conjunctions, which leave no depth, to the empty one.
    """
    best = np.full(t.signed_at[t.depth + 1], NEVER)
    c = np.empty(DEEPEST + 1, np.int64)
    favourable, others = np.empty(1 << DEEPEST, np.int64), np.empty(1 << DEEPEST, np.int64)
    here = np.empty(1 << DEEPEST, np.int64)
    for k in range(t.depth, -1, -1):
        c[:k] = np.arange(k)
        for place in range(t.at[k + 1] - t.at[k]):
            _signed_counts(c, k, t, t.favourable, favourable)
            _signed_counts(c, k, t, t.others, others)
            first = t.signed_at[k] + (place << k)
            for pattern in range(1 << k):
                leaf = _leaf(favourable[pattern], others[pattern], t.objective)
                here[pattern] = min(best[first + pattern], leaf)
                best[first + pattern] = here[pattern]
            for i in range(k):
                above = t.signed_at[k - 1] + (_without(c, k, i, t.choose) << (k - 1))
                for pattern in range(1 << k):
                    if not pattern >> i & 1:
                        both = here[pattern] + here[pattern | 1 << i]
                        rest = above + _squeezed(pattern, i)
                        best[rest] = min(best[rest], both)
            _advance(c, k, t.cuts)
    return best


@kernel
def refusing_paths(
    t: Tables, best: Costs, most: int, found: Costs, literals: NDArray[np.int16]
) -> int:
    """The conjunctions on which a tree refuses for less than `most` and than on any part of them.

    κ(K) = min over the last cut c of K of [cost of the other sides on the way] + Opt(K, c negated),
    plus the leaf that refuses K. Fills in costs and literals (2 · cut + 1 if it holds) as far as
    there is room, and returns how many there are.
    """
    n = 0
    size = t.signed_at[t.depth]
    path, least = np.full(size, NEVER), np.full(size, NEVER)
    c = np.empty(DEEPEST + 1, np.int64)
    favourable, others = np.empty(1 << DEEPEST, np.int64), np.empty(1 << DEEPEST, np.int64)
    for k in range(t.depth + 1):
        c[:k] = np.arange(k)
        for place in range(t.at[k + 1] - t.at[k]):
            _signed_counts(c, k, t, t.favourable, favourable)
            _signed_counts(c, k, t, t.others, others)
            first = t.signed_at[k] + (place << k)
            for pattern in range(1 << k):
                way, parts = NEVER if k else 0, most
                for i in range(k):
                    rest = (_without(c, k, i, t.choose) << (k - 1)) + _squeezed(pattern, i)
                    rest += t.signed_at[k - 1]
                    way = min(way, path[rest] + best[first + (pattern ^ 1 << i)])
                    parts = min(parts, least[rest])
                refused = _verdict(favourable[pattern], others[pattern], False, t.objective)
                cost = min(way + refused, NEVER)
                if k < t.depth:
                    path[first + pattern] = min(way, NEVER)
                    least[first + pattern] = min(parts, cost)
                if cost < parts:
                    if n < found.size:
                        found[n] = cost
                        for i in range(k):
                            literals[n, i] = 2 * c[i] + (pattern >> i & 1)
                        for i in range(k, t.depth):
                            literals[n, i] = 2 * t.cuts
                    n += 1
            _advance(c, k, t.cuts)
    return n


@kernel
def first_refusals(holds: NDArray[np.bool_], costs: Costs, literals: NDArray[np.int16]) -> Places:
    """For each row of literals, the place of the first conjunction that holds; costs rise.

    The last conjunction is the empty one, which always holds.
    """
    n, depth = len(holds), literals.shape[1]
    found = np.empty(n, np.int64)
    for row in range(n):
        here = holds[row]
        for k in range(costs.size):
            i = 0
            while i < depth and here[literals[k, i]]:
                i += 1
            if i == depth:
                found[row] = k
                break
    return found


@kernel
def leaf_costs(t: Tables) -> Costs:
    """What a leaf on each conjunction's people costs, 2 × conjunctions: refusing, and accepting."""
    found = np.full((2, t.signed_at[t.depth + 1]), NEVER)
    c = np.empty(DEEPEST + 1, np.int64)
    favourable, others = np.empty(1 << DEEPEST, np.int64), np.empty(1 << DEEPEST, np.int64)
    for k in range(t.depth + 1):
        c[:k] = np.arange(k)
        for place in range(t.at[k + 1] - t.at[k]):
            _signed_counts(c, k, t, t.favourable, favourable)
            _signed_counts(c, k, t, t.others, others)
            first = t.signed_at[k] + (place << k)
            for pattern in range(1 << k):
                here = favourable[pattern], others[pattern]
                found[0, first + pattern] = _verdict(here[0], here[1], False, t.objective)
                found[1, first + pattern] = _verdict(here[0], here[1], True, t.objective)
            _advance(c, k, t.cuts)
    return found
