"""Sums that models are made of: functions of one input, and trees; and scores made of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from standfast.errors import InputError
from standfast.readers.columns.code import Tabled
from standfast.readers.columns.contribution import Contribution, added_up, straight
from standfast.readers.columns.step import Step, Stretched
from standfast.readers.piecewise.cells import Cells, Lack, Moving, Piece
from standfast.readers.piecewise.growth import Tree, stairs
from standfast.readers.piecewise.steps import Pieced, Placed
from standfast.schema import Schema
from standfast.scores.additive import Additive
from standfast.scores.score import Link, Score, Vector
from standfast.scores.tree_ensemble import TreeEnsemble
from standfast.scores.unfolding import Fork, Question, written


@dataclass(frozen=True, eq=False)
class Sum:
    """offset + Σ weight · function of one input + Σ weight · tree; `single` if added in 32 bits."""

    offset: float = 0.0
    lines: tuple[tuple[float, Cells[Piece]], ...] = ()
    trees: tuple[tuple[float, Tree], ...] = ()
    single: bool = False

    def scaled(self, factor: float) -> "Sum":
        """The sum times a number."""
        return replace(
            self,
            offset=self.offset * factor,
            lines=tuple((weight * factor, cells) for weight, cells in self.lines),
            trees=tuple((weight * factor, tree) for weight, tree in self.trees),
        )

    def plus(self, other: "Sum") -> "Sum":
        """The sum with another one added."""
        return Sum(
            self.offset + other.offset,
            self.lines + other.lines,
            self.trees + other.trees,
            self.single or other.single,
        )

    @property
    def gives_always(self) -> bool:
        """Whether no tree of it leaves anybody without a result."""
        return not any(np.isnan(tree.values).any() for _, tree in self.trees)


@dataclass(frozen=True, eq=False)
class Result:
    """What a model gives: a number, or the favourable class's probability, as link(sum)."""

    sum: Sum
    link: Link
    probability: bool


def score_of(
    result: Result, guards: Sequence[Cells[Piece]], schema: Schema, threshold: float
) -> Score:
    """The result as a score in table units; where a guard refuses, nobody is accepted."""
    found = result.sum.plus(Sum(lines=tuple((1.0, guard) for guard in guards)))
    if found.trees:
        return _ensemble(found, result, schema, threshold)
    functions = [
        _contribution([one for one in found.lines if one[1].input == j], schema, j)
        for j in range(len(schema))
    ]
    if schema.gapped:  # a gap is nothing that a straight line could be asked about
        return Additive(functions, found.offset, result.link, threshold)
    return added_up(functions, found.offset, result.link, threshold)


# functions of one input


def _contribution(
    lines: Sequence[tuple[float, Cells[Piece]]], schema: Schema, j: int
) -> Contribution:
    """What one input adds, as one look-up, one straight line, or piece by piece."""
    lines = [(weight, cells) for weight, cells in lines if weight]
    if not lines:
        return Contribution(())
    cuts = sorted({cut for _, cells in lines for cut in cells.cuts})
    ends = [*cuts, np.inf]
    heights, slopes = np.zeros(len(ends)), np.zeros(len(ends))
    curves: list[tuple[int, float, tuple[Step, ...]]] = []
    for weight, cells in lines:
        for k, end in enumerate(ends):
            piece = cells.at(end)
            if isinstance(piece, Moving):
                line = straight(piece.steps)
                if line is None:
                    curves.append((k, weight, piece.steps))
                else:
                    slopes[k] += weight * line[0]
                    heights[k] += weight * line[1]
            elif isinstance(piece, float):
                heights[k] += weight * piece
            else:
                heights[k] = -np.inf
    slopes[np.isinf(heights)] = 0.0
    curves = [curve for curve in curves if np.isfinite(heights[curve[0]])]
    if not slopes.any() and not curves:
        return Contribution(((1.0, (Placed(np.array(cuts)), Tabled(heights))),))
    if not curves and len(ends) == 2 and (j not in schema.gapped or np.isinf(heights[0])):
        return Contribution(((1.0, (Stretched(float(slopes[1]), float(heights[1])),)),))
    rising = not curves and _rises(np.array(ends), heights, slopes)
    falling = not curves and _rises(np.array(ends), -heights, -slopes)
    if falling and not rising:
        below = Pieced(np.array(cuts), -heights, -slopes, (), True)
        if np.isfinite(heights).all():
            return Contribution(((-1.0, (below,)),))
    return Contribution(((1.0, (Pieced(np.array(cuts), heights, slopes, tuple(curves), rising),)),))


def _rises(ends: Vector, heights: Vector, slopes: Vector) -> bool:
    """Whether straight pieces, the first one a gap, never fall; rounding at cuts is none of it."""
    if (slopes[1:] < 0).any() or not np.isfinite(heights[1:]).all():
        return False
    cuts = ends[1:-1]
    before = heights[1:-1] + slopes[1:-1] * cuts
    after = heights[2:] + slopes[2:] * cuts
    return bool((after >= before).all())


# trees


def _ensemble(found: Sum, result: Result, schema: Schema, threshold: float) -> TreeEnsemble:
    """The trees as an ensemble; functions in steps become trees, a missing result refuses."""
    trees = [_weighted(weight, tree) for weight, tree in found.trees if weight]
    trees += [_weighted(1.0, _steps(cells, schema, weight)) for weight, cells in found.lines]
    needed = result.link.invert(threshold) - found.offset
    most = [max((v for v in values if v == v), default=0.0) for _, values in trees]
    # low enough for nobody to be accepted, and no lower, for sums to keep their digits
    refused = [
        min(min((v for v in values if v == v), default=0.0), needed - (sum(most) - own)) - 1.0
        for (_, values), own in zip(trees, most, strict=True)
    ]

    def visit(place: tuple[int, int]) -> float | Fork[tuple[int, int]]:
        tree, node = place
        question, value = trees[tree][0][node], trees[tree][1][node]
        if question is None:
            return value if value == value else refused[tree]
        ways = (tree, question.left), (tree, question.right)
        return question.feature, question.split, question.missing_left, *ways

    plain = written([(k, 0) for k in range(len(trees))], visit)
    return TreeEnsemble(
        plain,
        len(schema),
        threshold=threshold,
        link=result.link,
        probability=result.probability,
        offset=found.offset,
        single=found.single,
    )


def _weighted(weight: float, tree: Tree) -> tuple[tuple[Question | None, ...], list[float]]:
    return tree.questions, [weight * value for value in tree.values]


def _steps(cells: Cells[Piece], schema: Schema, weight: float) -> Tree:
    """A function that goes in steps, as a tree."""

    def height(piece: Piece) -> float | Lack:
        if isinstance(piece, Moving):
            raise InputError(
                f"the model adds trees and a straight line in '{schema.names[cells.input]}', and "
                "no search reads such sums; export the trees or the line alone"
            )
        return weight * piece if isinstance(piece, float) else Lack.REFUSED

    return stairs(cells.each(height), schema)
