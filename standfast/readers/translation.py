"""Trees that ask about a pipeline's columns, or about sets of categories, as trees on the table.

A column that stems from a named input takes one value for each code and one for a gap: a node's
question becomes the set of codes that go left. A column of numbers is cut where the pipeline or the
set has something to decide, and each piece of the scale goes where its values go.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from standfast.errors import InputError
from standfast.readers.columns.code import Coded, Filled, Marked
from standfast.readers.columns.read_columns import Column
from standfast.readers.columns.step import Step, through
from standfast.readers.library_trees import LARGEST, Asked, LibraryTrees, canonical, last_left
from standfast.readers.unreadable import UnreadableError, refused_gaps, refused_names
from standfast.schema import Feature
from standfast.schema.categories import MISSING
from standfast.scores.score import Bools, Vector
from standfast.scores.tree_ensemble import Trees
from standfast.scores.unfolding import Branching, Question, unfold


@dataclass(frozen=True)
class Translation:
    """From a model's columns to the schema's inputs."""

    columns: Sequence[Column]
    features: Sequence[Feature]

    def trees(self, found: LibraryTrees) -> Trees:
        """The model's trees, asking about the table's values."""
        inputs = [column.input for column in self.columns]
        width = found.width
        if width > len(inputs):
            raise InputError(
                f"the model's trees read input {width} but it was said to have {len(inputs)}; use "
                "the schema of the table it was fitted on"
            )
        if not found.has_groups and all(map(self._rises, self.columns)):
            piped = any(column.steps for column in self.columns)
            return canonical(found, inputs, self._front if piped else None)
        gapped = {c.input for c in self.columns if c.gapped and self.is_named(c)}
        return unfold(_Builder(self, found).branching(), gapped)

    def is_named(self, column: Column) -> bool:
        """Whether the column stems from an input with named values."""
        return self.features[column.input].coder is not None

    def _rises(self, column: Column) -> bool:
        """Whether the column is a number that is defined everywhere and rises with its input."""
        return (
            not self.is_named(column)
            and all(step.increasing for step in column.steps)
            and not np.isnan(_after(column.steps, np.array([-LARGEST, LARGEST]))).any()
        )

    def _front(self, k: int, values: Vector) -> Vector:
        return _after(self.columns[k].steps, values)


def _after(steps: Sequence[Step], values: Vector) -> Vector:
    with np.errstate(all="ignore"):
        for step in steps:
            values = step(values)
    return values


@dataclass
class _Builder:
    """The nodes of all trees, one question after another."""

    of: Translation
    found: LibraryTrees
    questions: list[Question | None] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    views: "dict[int, _Codes | _Scale]" = field(default_factory=dict)

    def branching(self) -> Branching:
        """All trees; a question about a number may take several nodes."""
        self._look()
        roots = []
        for tree in self.found.trees:
            start = len(self.questions)
            roots.append(start)
            leaf = tree.left < 0
            self.questions += [None] * len(leaf)
            self.values += np.where(leaf, tree.value, 0.0).tolist()
            for i in np.flatnonzero(~leaf).tolist():
                view = self.views[int(tree.column[i])]
                ways = start + int(tree.left[i]), start + int(tree.right[i])
                if isinstance(view, _Codes):
                    self.questions[start + i] = view.question(tree.asked(i), ways)
                else:
                    self._ask(start + i, view, tree.asked(i), ways)
        return Branching(self.questions, self.values, roots)

    def _look(self) -> None:
        """What every column that some node reads makes of the table's values."""
        asked: dict[int, list[float]] = {}
        for tree in self.found.trees:
            for i in np.flatnonzero(tree.left >= 0).tolist():
                numbers = asked.setdefault(int(tree.column[i]), [])
                if i not in tree.groups:
                    numbers.append(float(tree.threshold[i]))
        for k, numbers in asked.items():
            column = self.of.columns[k]
            feature = self.of.features[column.input]
            if column.words is not None:
                raise UnreadableError(f"the column '{feature.name}' reaches the trees as text")
            if self.of.is_named(column):
                self.views[k] = _Codes.of(column, feature, self.found)
            else:
                self.views[k] = _Scale.of(column, feature, self.found, np.unique(numbers))

    def _ask(self, at: int, view: "_Scale", asked: Asked, ways: tuple[int, int]) -> None:
        """One node, or one for each end of a piece of the scale that goes another way."""
        gap_left = view.gap_left(asked)
        pieces = view.pieces(asked)
        for n, (left, end) in enumerate(pieces):
            near, far = ways if left else ways[::-1]
            follows = n + 2 < len(pieces)
            onward = len(self.questions) if follows else far
            if n + 1 == len(pieces) > 1:  # what lies beyond the last end but one
                break
            self.questions[at] = Question(view.input, near, onward, gap_left == left, end)
            if follows:
                at = onward
                self.questions.append(None)
                self.values.append(0.0)


@dataclass(frozen=True, eq=False)
class _Codes:
    """A column of a named input: its value for each code, and for a gap."""

    input: int
    found: LibraryTrees
    seen: Vector
    kept: dict[Asked, Bools] = field(default_factory=dict)

    @classmethod
    def of(cls, column: Column, feature: Feature, found: LibraryTrees) -> "_Codes":
        """The column's values; a name that the pipeline refuses, and trees cannot, is an error."""
        assert feature.coder is not None
        names = feature.coder.names
        with np.errstate(all="ignore"):
            seen = through(
                column.steps, np.append(np.arange(len(names), dtype=np.float64), MISSING)
            )
        needed = names if column.gapped else (feature.categories or ())
        refused = [name for name, value in zip(needed, seen, strict=False) if np.isinf(value)]
        if refused:
            raise refused_names(refused, feature.name)
        _check_gap(seen[-1], column, feature)
        return cls(column.input, found, seen)

    def question(self, asked: Asked, ways: tuple[int, int]) -> Question:
        """Which codes go left."""
        left = self.kept.get(asked)
        if left is None:
            left = self.kept[asked] = self.found.goes(self.seen, asked)
        return Question(self.input, *ways, bool(left[-1]), members=left[:-1])


@dataclass(frozen=True, eq=False)
class _Scale:
    """A column of numbers: the table's values at which it jumps, and those where a split lies."""

    input: int
    steps: tuple[Step, ...]
    found: LibraryTrees
    jumps: Vector
    thresholds: Vector
    splits: Vector | None
    gap: Vector

    @classmethod
    def of(
        cls, column: Column, feature: Feature, found: LibraryTrees, thresholds: Vector
    ) -> "_Scale":
        """The scale of a column that some nodes compare with thresholds."""
        jumps, tail = _jumps(column.steps)
        splits = None
        if tail is not None:

            def goes_left(values: Vector) -> Bools:
                seen = _after(tail, values)
                return found.goes_left(np.where(np.isnan(seen), -np.inf, seen), thresholds)

            with np.errstate(all="ignore"):
                splits = last_left(goes_left, len(thresholds))
                if np.isnan(_after(tail, np.array([-LARGEST]))[0]):  # as with a logarithm
                    end = last_left(lambda x: np.isnan(_after(tail, x)), 1)
                    jumps = np.append(jumps, end)
        with np.errstate(all="ignore"):
            gap = through(column.steps, np.array([MISSING]))
        _check_gap(gap[0], column, feature)
        return cls(column.input, column.steps, found, jumps, thresholds, splits, gap)

    def gap_left(self, asked: Asked) -> bool:
        """Whether a missing value goes left."""
        if np.isinf(self.gap[0]):  # never asked
            return asked.missing_left
        return bool(self.found.goes(self.gap, asked)[0])

    def pieces(self, asked: Asked) -> list[tuple[bool, float]]:
        """Whether each piece of the scale goes left, and where it ends; neighbours differ."""
        ends = [self.jumps]
        if asked.group is not None and self.splits is not None:
            if self.steps:
                raise UnreadableError("a step changes the numbers of a column of categories")
            ends.append(self.found.ends_of(asked.group))
        elif self.splits is not None:
            ends.append(self.splits[np.searchsorted(self.thresholds, [asked.threshold])])
        whole = np.concatenate(ends)
        ends_known = np.unique(whole[np.abs(whole) <= LARGEST])
        # the last piece is known by its first number: a step may overflow at its end
        beyond = np.nextafter(ends_known[-1], np.inf) if len(ends_known) else 1.0
        lasts = np.append(ends_known, beyond)
        with np.errstate(all="ignore"):
            seen = through(self.steps, lasts)
        sides = self.found.goes(seen, asked)
        known = ~np.isinf(seen)
        runs: list[tuple[bool, float]] = []
        # values that the pipeline refuses join what is below them: they are never asked about
        for left, run in groupby(zip(sides[known], lasts[known], strict=True), lambda one: one[0]):
            runs.append((bool(left), float(list(run)[-1][1])))
        return [*runs[:-1], (runs[-1][0], np.inf)] if runs else [(asked.missing_left, np.inf)]


def _check_gap(seen: float, column: Column, feature: Feature) -> None:
    if column.gapped and np.isinf(seen):
        raise refused_gaps(feature.name)


def _jumps(steps: Sequence[Step]) -> tuple[Vector, Sequence[Step] | None]:
    """Where a column jumps: the last values before, and the steps that rise elsewhere.

    No steps, None, if it is constant between its jumps.
    """
    while steps and isinstance(steps[0], Filled) and steps[0].increasing:
        steps = steps[1:]  # filling gaps moves no number
    if steps and isinstance(steps[0], Filled) and not steps[0].increasing:
        jumps, tail = _jumps(steps[1:])
        return np.append(jumps, _around(np.array([steps[0].marker]))), tail
    first = next((i for i, step in enumerate(steps) if not step.increasing), None)
    if first is None:
        return np.empty(0), steps
    turn, before = steps[first], steps[:first]
    if isinstance(turn, Coded | Marked) and not before:
        points = turn.categories if isinstance(turn, Coded) else np.array([turn.marker])
        return _around(points[np.isfinite(points)]), None
    sorts = next((i for i, step in enumerate(before) if step.codes), None)
    if sorts is not None:  # a few cases, whatever becomes of each
        case, last = steps[: sorts + 1], np.arange(steps[sorts].codes - 1, dtype=np.float64)
        with np.errstate(all="ignore"):
            return last_left(lambda x: _after(case, x) <= last, len(last)), None
    raise UnreadableError("a step before the trees does not keep the order of a column's numbers")


def _around(points: Vector) -> Vector:
    """The last number before each point, and the point itself."""
    return np.concatenate([np.nextafter(points, -np.inf), points])
