"""Plain trees grown from rules: whatever asks about inputs becomes questions x ≤ split."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from standfast.errors import InputError
from standfast.readers.piecewise.cells import Cells, Lack
from standfast.schema import Schema
from standfast.scores.unfolding import MOST_NODES, Question

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree node by node: a question, or None at a leaf, with its value; NaN gives no result."""

    questions: tuple[Question | None, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class Range:
    """What an input's value may still be: a gap or not, and what lies above `low` up to `high`."""

    gap: bool
    low: float = -np.inf
    high: float = np.inf


Known = Mapping[int, Range]


@dataclass(frozen=True)
class Ask:
    """A question that must be answered first: whether an input is at most `split`."""

    input: int
    split: float
    missing_left: bool

    def answers(self, known: Known) -> tuple[Known, Known]:
        """What is known after yes and after no."""
        before = known[self.input]
        gap_only = self.split == -np.inf
        left = Range(before.gap and self.missing_left, before.low, self.split)
        if gap_only:  # no value is left
            left = Range(True, before.high, before.high)
        right = Range(
            before.gap and not self.missing_left, max(before.low, self.split), before.high
        )
        return {**known, self.input: left}, {**known, self.input: right}


def settled(cells: Cells[T], known: Known) -> T | Ask:
    """What a function of one input has where its value may still be; a question if that differs."""
    at = known[cells.input]
    inner = range(1, len(cells.values))
    runs: list[tuple[float, T]] = []  # up to where, and what
    for k in inner:
        low = cells.cuts[k - 1]
        high = cells.cuts[k] if k < len(cells.cuts) else np.inf
        if max(low, at.low) < min(high, at.high):
            if runs and runs[-1][1] == cells.values[k]:
                runs[-1] = (high, cells.values[k])
            else:
                runs.append((high, cells.values[k]))
    gap = cells.values[0]
    if not runs:
        return gap
    if len(runs) == 1:
        if not at.gap or gap == runs[0][1]:
            return runs[0][1]
        return Ask(cells.input, -np.inf, True)
    middle = (len(runs) - 1) // 2
    on_left = any(value == gap for _, value in runs[: middle + 1])
    on_right = any(value == gap for _, value in runs[middle + 1 :])
    return Ask(cells.input, runs[middle][0], on_left or not on_right)


# from a place in the rules, and what is known: the next place and a question, or the value
Follow = Callable[[Any, Known], tuple[Any, Ask] | float | Lack]


def grown(start: Any, follow: Follow, schema: Schema) -> Tree:
    """The tree of all that rules may ask, from a place in them on."""
    anything = {j: Range(j in schema.gapped) for j in range(len(schema))}
    questions: list[Question | None] = [None]
    values: list[float] = [np.nan]
    waiting: list[tuple[int, Any, Known]] = [(0, start, anything)]
    while waiting:
        node, at, known = waiting.pop()
        found = follow(at, known)
        if isinstance(found, Lack):
            continue
        if not isinstance(found, tuple):
            values[node] = float(found)
            continue
        place, ask = found
        left = len(questions)
        questions += [None, None]
        values += [np.nan, np.nan]
        questions[node] = Question(ask.input, left, left + 1, ask.missing_left, ask.split)
        values[node] = 0.0
        yes, no = ask.answers(known)
        waiting += [(left, place, yes), (left + 1, place, no)]
        if len(questions) > MOST_NODES:
            raise InputError(
                f"the model's rules unfold into more than {MOST_NODES:,} nodes; export it with "
                "fewer trees, or group rare categories"
            )
    return Tree(tuple(questions), tuple(values))


def stairs(cells: Cells[float | Lack], schema: Schema) -> Tree:
    """A function of one input that goes in steps, as a tree."""

    def follow(at: None, known: Known) -> tuple[None, Ask] | float | Lack:
        found = settled(cells, known)
        return (None, found) if isinstance(found, Ask) else found

    return grown(None, follow, schema)
