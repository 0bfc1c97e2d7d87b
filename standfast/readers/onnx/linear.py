"""ONNX's linear models as sums of functions of one input."""

import numpy as np

from standfast.errors import InputError
from standfast.readers.columns.contribution import straight
from standfast.readers.columns.step import Stretched
from standfast.readers.onnx.columns import Columns
from standfast.readers.onnx.graph import Operator, not_read
from standfast.readers.piecewise.cells import Cells, Lack, Moving, Piece
from standfast.readers.piecewise.steps import Single
from standfast.readers.piecewise.sums import Result, Sum
from standfast.scores.score import IDENTITY, LOGISTIC, Vector


def linear(one: Operator, columns: Columns, favourable: int | None) -> Result:
    """The favourable class's probability or decision value; of a regressor, its number."""
    rows = 1 if favourable is None else 2
    coefficients, intercepts = _weights(one, columns, rows)
    sums = [_sum(w, b, columns) for w, b in zip(coefficients, intercepts, strict=True)]
    if favourable is None:
        return transformed(one, sums[0])
    return transformed(one, sums[favourable], sums[1 - favourable])


def transformed(
    one: Operator, own: Sum, other: Sum | None = None, probability: bool = False
) -> Result:
    """A sum after its operator's transformation; of two classes, `other` is the other one's.

    `probability` says whether the sum itself is one.
    """
    post = one.settings.get("post_transform", "NONE")
    if post == "NONE":
        return Result(own, IDENTITY, probability)
    if post == "LOGISTIC":
        return Result(own, LOGISTIC, other is not None)
    if post == "SOFTMAX" and other is not None:
        return Result(own.plus(other.scaled(-1.0)), LOGISTIC, True)
    raise not_read(one, f"the transformation {post}")


def _weights(one: Operator, columns: Columns, rows: int) -> tuple[Vector, Vector]:
    flat, width = one.needed("coefficients"), len(columns.cells)
    if len(flat) != rows * width:
        raise InputError(
            f"{one.place} has {len(flat)} coefficients for {width} columns; a model with "
            f"{'two classes' if rows == 2 else 'one result'} has {rows * width}"
        )
    found = one.numbers("intercepts")
    intercepts = np.zeros(rows) if found is None else found
    if len(intercepts) != rows or not (np.isfinite(flat).all() and np.isfinite(intercepts).all()):
        raise InputError(f"{one.place} has intercepts or coefficients that make no model")
    return flat.reshape(rows, width), intercepts


def _sum(weights: Vector, intercept: float, columns: Columns) -> Sum:
    lines = [
        (float(weight), _in_full(cells))
        for weight, cells in zip(weights, columns.cells, strict=True)
        if weight
    ]
    return Sum(float(intercept), tuple(lines))


def _in_full(cells: Cells[Piece]) -> Cells[Piece]:
    """A column in 64 bits: what 32 bits round away is not repeated for a sum."""

    def change(piece: Piece) -> Piece:
        if isinstance(piece, str):
            raise InputError(f"the model multiplies the text {piece!r}; export the model again")
        if piece is Lack.MISSING:
            return Lack.REFUSED
        if not isinstance(piece, Moving):
            return piece
        line = straight([step for step in piece.steps if not isinstance(step, Single)])
        return piece if line is None else Moving((Stretched(*line),), line[0] >= 0)

    return cells.each(change)
