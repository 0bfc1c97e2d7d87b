"""Conditions as plain decision trees, and whether several of them leave any row at all."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from standfast.errors import InputError
from standfast.schema.categories import MISSING
from standfast.schema.condition import (
    FAILS,
    HOLDS,
    Atom,
    Comparison,
    Condition,
    Every,
    Expression,
    Implication,
    IsMissing,
    Not,
    Some,
    Truth,
    Vector,
)
from standfast.schema.feature import Feature
from standfast.schema.kinds import WHOLE

# a condition of two hundred comparisons may have so many ways to come true
MOST_NODES = 100_000
# rows tried to see whether rules contradict one another
MOST_ROWS = 100_000

# the cells, from one to another, in which an input's value lies
Ranges = dict[int, tuple[int, int]]


class Node(NamedTuple):
    """A leaf's value, or a question, x[feature] <= split, with what lies on either side.

    Missing values, −∞, are at most every split.
    """

    value: float
    feature: int = 0
    split: float = np.inf
    children: tuple[()] | tuple["Node", "Node"] = ()


def tree_of(condition: Condition, *, strict: bool) -> Node:
    """The tree that gives +1 where the condition holds and −1 elsewhere.

    Where it cannot be judged a strict tree gives −1, and one that is not strict +1.
    """
    builder = _Builder(condition, strict)
    whole = {j: (0, len(cuts)) for j, cuts in builder.cuts.items()}
    return builder.grow(whole)


class _Builder:
    """A condition whose inputs are cut into cells, within which every comparison says the same."""

    def __init__(self, condition: Condition, strict: bool) -> None:
        self.condition, self.strict, self.nodes = condition, strict, 0
        self.cuts = {j: cuts_of(condition, j) for j in condition.columns.values()}
        self.truth: dict[Atom, Truth] = {}
        for atom in condition.atoms:
            j = condition.columns[atom.name]
            feature = condition.features[j]
            self.truth[atom] = atom.truth(_representatives(self.cuts[j], feature), feature)

    def grow(self, ranges: Ranges) -> Node:
        """The tree for rows whose values lie in these cells."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise InputError(
                f"the condition '{self.condition}' has too many ways to come true; split it up "
                "into several"
            )
        found = self.decided(self.condition.expression, ranges)
        if found is not None:
            return Node(1.0 if found == HOLDS or (found != FAILS and not self.strict) else -1.0)
        atom = next(a for a in self.relevant(self.condition.expression, ranges))
        j = self.condition.columns[atom.name]
        low, high = ranges[j]
        changes = np.flatnonzero(np.diff(self.truth[atom][low : high + 1]))
        cut = low + int(changes[len(changes) // 2])
        near = self.grow({**ranges, j: (low, cut)})
        far = self.grow({**ranges, j: (cut + 1, high)})
        if not near.children and not far.children and near.value == far.value:
            return near
        return Node(0.0, j, float(self.cuts[j][cut]), (near, far))

    def decided(self, expression: Expression, ranges: Ranges) -> int | None:
        """The answer if it is the same all over the cells, else None."""
        match expression:
            case Comparison() | IsMissing():
                low, high = ranges[self.condition.columns[expression.name]]
                seen = self.truth[expression][low : high + 1]
                return int(seen[0]) if (seen == seen[0]).all() else None
            case Not(part):
                found = self.decided(part, ranges)
                return None if found is None else -found
            case Every(parts):
                return _least([self.decided(part, ranges) for part in parts])
            case Some(parts):
                return _negated(_least([_negated(self.decided(part, ranges)) for part in parts]))
            case Implication(given, then):
                both = [self.decided(given, ranges), _negated(self.decided(then, ranges))]
                return _negated(_least(both))

    def relevant(self, expression: Expression, ranges: Ranges) -> list[Atom]:
        """The comparisons that are still open and matter."""
        if self.decided(expression, ranges) is not None:
            return []
        match expression:
            case Comparison() | IsMissing():
                return [expression]
            case Not(part):
                return self.relevant(part, ranges)
            case Every(parts) | Some(parts):
                return next(found for p in parts if (found := self.relevant(p, ranges)))
            case Implication(given, then):
                return self.relevant(given, ranges) or self.relevant(then, ranges)


def _least(found: Sequence[int | None]) -> int | None:
    if FAILS in found:
        return FAILS
    known = [one for one in found if one is not None]
    return min(known) if len(known) == len(found) else None


def _negated(found: int | None) -> int | None:
    return None if found is None else -found


def cuts_of(condition: Condition, j: int) -> Vector:
    """Where the answers of a condition may change along input j, each the last value before.

    Cell c holds the values above cut c − 1 and at most cut c.
    """
    feature = condition.features[j]
    ends: list[float] = []
    for atom in condition.atoms:
        if atom.name == feature.name and isinstance(atom, Comparison):
            for code in atom.codes(feature).tolist():
                ends += [_before(code, feature)] * (atom.sign not in ("<=", ">"))
                ends += [code] * (atom.sign not in ("<", ">="))
    for token in feature.tokens:
        ends += [_before(token, feature), token]
    if feature.when_missing != "refuse":
        ends.append(MISSING)
    found = np.unique(np.array(ends, dtype=np.float64))
    if feature.coder is not None:  # there is nothing below the first code nor above the last
        found = found[(found == MISSING) | (found >= 0) & (found < len(feature.coder.names) - 1)]
    return found


def _before(value: float, feature: Feature) -> float:
    return value - 1.0 if feature.coder is not None else float(np.nextafter(value, -np.inf))


def _representatives(cuts: Vector, feature: Feature) -> Vector:
    """A value in each cell: its last one, and one beyond the last cut."""
    if not len(cuts):
        return np.zeros(1)
    last = float(cuts[-1])
    if last == MISSING:
        beyond = 0.0
    else:
        beyond = last + 1.0 if feature.coder is not None else float(np.nextafter(last, np.inf))
    return np.array([*cuts, beyond])


def check_together(conditions: Sequence[Condition]) -> None:
    """Refuse conditions that no row can satisfy, where the rows to try are few enough."""
    for some in ([c] for c in conditions):
        _refuse_contradiction(some)
    if len(conditions) > 1:
        _refuse_contradiction(list(conditions))


def _refuse_contradiction(conditions: list[Condition]) -> None:
    columns = sorted({j for c in conditions for j in c.columns.values()})
    values = [_possible_values(conditions, j) for j in columns]
    if np.prod([float(len(v)) for v in values]) > MOST_ROWS:
        return
    rows = np.array(list(product(*values)), dtype=np.float64).reshape(-1, len(columns))
    X = np.zeros((len(rows), len(conditions[0].features)))
    X[:, columns] = rows
    kept = np.ones(len(X), dtype=bool)
    for condition in conditions:
        kept &= ~condition.broken(X)
    if not kept.any():
        texts = "', '".join(str(condition) for condition in conditions)
        which = f"rule '{texts}'" if len(conditions) == 1 else f"rules '{texts}' together"
        raise InputError(f"no row can satisfy the {which}; correct or drop what contradicts")


def _possible_values(conditions: list[Condition], j: int) -> list[float]:
    """A possible value of input j in each of its cells that has one.

    Missing values, which break no rule, count only where a rule asks for them.
    """
    feature = conditions[0].features[j]
    cuts = np.unique(np.concatenate([cuts_of(c, j) for c in conditions if j in c.columns.values()]))
    low, high = feature.possible
    ends = _representatives(cuts, feature)
    if feature.kind in WHOLE:
        low, high = np.ceil(low), np.floor(high)
        ends = np.concatenate([np.floor(ends), np.floor(ends) + 1.0])
    found = np.unique(np.clip(ends[np.isfinite(ends)], low, high))
    found = found[~feature.is_missing(found)]
    asked = any(_asks_for_gaps(a, feature) for c in conditions for a in c.atoms)
    return [*found.tolist(), *[MISSING, *feature.tokens] * asked]


def _asks_for_gaps(atom: Atom, feature: Feature) -> bool:
    if atom.name != feature.name:
        return False
    return isinstance(atom, IsMissing) or bool(feature.is_missing(atom.codes(feature)).any())
