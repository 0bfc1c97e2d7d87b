"""What stands before a model in an ONNX graph, as columns that are functions of one input each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from standfast.errors import InputError, listing
from standfast.readers.columns.step import Applied
from standfast.readers.onnx.encoders import labelled, one_hot
from standfast.readers.onnx.graph import (
    DOUBLE,
    FLOAT,
    STRING,
    WHOLE,
    Graph,
    Input,
    Operator,
    not_read,
)
from standfast.readers.onnx.steps import Calculated
from standfast.readers.piecewise.cells import Cells, Lack, Moving, Piece
from standfast.readers.piecewise.dividing import filled, guards, replaced, stepped
from standfast.readers.piecewise.steps import Single
from standfast.schema import Schema


@dataclass(frozen=True, eq=False)
class Columns:
    """A tensor: its columns, the type of its values, and how many blocks of columns it has."""

    cells: tuple[Cells[Piece], ...]
    type: int
    parts: int = 1

    def each(self, change: Callable[[Cells[Piece], int], Cells[Piece]], type: int) -> "Columns":
        """Something made of every column, and its number."""
        return Columns(tuple(change(c, k) for k, c in enumerate(self.cells)), type)


@dataclass(frozen=True, eq=False)
class Table:
    """The tensors of a graph by their names, as functions of the schema's inputs."""

    graph: Graph
    schema: Schema
    made: dict[str, Columns] = field(default_factory=dict)

    def __call__(self, name: str) -> Columns:
        """The tensor of this name."""
        waiting = [name]
        while waiting:  # no recursion: a file may chain operators without end
            last = waiting[-1]
            if last in self.made:
                waiting.pop()
                continue
            maker = self.graph.makers.get(last)
            if maker is None:
                self.made[last] = self._input(last)
                continue
            reads = [one for one in maker.reads if one and one not in self.graph.constants]
            open_ones = [one for one in reads if one not in self.made]
            if set(open_ones) & set(waiting):
                raise InputError(f"{maker.place} reads what it gives; export the model again")
            waiting += open_ones
            if not open_ones:
                self.made[last] = self._made(maker, [self.made[one] for one in reads])
        return self.made[name]

    def guards(self) -> list[Cells[Piece]]:
        """For each input that was read: nothing, or refused, where no number or text is given."""
        used = [self.made[one.name] for one in self.graph.inputs if one.name in self.made]
        return guards(cells for columns in used for cells in columns.cells)

    def _input(self, name: str) -> Columns:
        inputs = self.graph.inputs
        found = next((one for one in inputs if one.name == name), None)
        if found is None:
            raise InputError(f"the graph reads '{name}', which nothing gives; export it again")
        names = self.schema.names
        if len(inputs) == 1 and not (found.width == 1 and name in names):
            if found.width != len(names):
                width = found.width or "any number of"
                raise InputError(
                    f"the model reads {width} inputs and does not know their names, but the schema "
                    f"has {len(names)} ({listing(names)}); export it with one named input per "
                    "column, or with exactly the schema's columns in their order"
                )
            return Columns(tuple(self._column(j, found) for j in range(len(names))), found.type)
        if name not in names:
            raise InputError(
                f"the model reads the input '{name}', which the schema does not hold; it has "
                f"{listing(names)}: add the feature or rename it"
            )
        if found.width != 1:
            raise InputError(
                f"the model's input '{name}' has {found.width} columns, and their names are not "
                "known; export it with one named input per column"
            )
        return Columns((self._column(names.index(name), found),), found.type)

    def _column(self, j: int, given: Input) -> Cells[Piece]:
        """The schema's column j as the graph's input gets it; a missing number is no number."""
        feature = self.schema.features[j]
        if given.type not in (FLOAT, DOUBLE, STRING, *WHOLE):
            raise InputError(f"the model's input '{given.name}' is of a type that is not read")
        if given.type == STRING:
            if feature.coder is None:
                raise InputError(
                    f"the model reads '{feature.name}' as text, but the schema holds numbers "
                    "there; make it a nominal with the categories that the model knows"
                )
            held: list[Piece] = [str(one) for one in feature.coder.names]
            gap: Piece = Lack.REFUSED  # a text cannot be missing
        elif feature.coder is not None:
            words = [one for one in feature.coder.names if isinstance(one, str)]
            if words:
                raise InputError(
                    f"the model reads '{feature.name}' as a number, but the schema has categories "
                    f"such as {words[0]!r}; make it a number in the schema"
                )
            held = [float(one) for one in feature.coder.names]
            gap = Lack.MISSING
        else:
            held = [Moving()]
            gap = Lack.MISSING
        if given.type in WHOLE:
            gap = Lack.REFUSED
        ends = map(float, range(len(held) - 1))
        cells = Cells(j, (-np.inf, *ends), (gap, *held))
        return stepped(cells, Single()) if given.type == FLOAT else cells

    # operators

    def _made(self, one: Operator, read: Sequence[Columns]) -> Columns:
        if not read:
            raise InputError(f"{one.place} reads no column; export the model again")
        match one.kind:
            case "Identity" | "Flatten":
                return read[0]
            case "Cast":
                return _cast(one, read[0])
            case "Concat" | "FeatureVectorizer":
                return _joined(one, read)
            case "Reshape":
                return self._reshaped(one, read[0])
            case "ArrayFeatureExtractor" | "Gather":
                if one.kind == "Gather" and one.whole("axis", 0) not in (1, -1):
                    raise not_read(one, f"the axis {one.whole('axis', 0)}")
                chosen = self._constant(one, 1).astype(np.intp).ravel()
                if len(chosen) and not 0 <= chosen.min() <= chosen.max() < len(read[0].cells):
                    raise InputError(f"{one.place} picks a column that is not there")
                return Columns(tuple(read[0].cells[k] for k in chosen), read[0].type)
            case "Scaler":
                return _scaled(one, read[0])
            case "Imputer":
                return _imputed(one, read[0])
            case "OneHotEncoder":
                made = [one_hot(one, cells) for cells in read[0].cells]
                flat = tuple(cells for block in made for cells in block)
                return Columns(flat, FLOAT, len(read[0].cells))
            case "LabelEncoder":
                kind = labelled(one)
                return read[0].each(lambda cells, k: kind.cells(cells), kind.type)
        return self._calculated(one, read)

    def _constant(self, one: Operator, k: int) -> Any:
        name = one.reads[k] if k < len(one.reads) else ""
        if name not in self.graph.constants:
            raise not_read(one, "a setting that is calculated")
        return self.graph.constants[name]

    def _reshaped(self, one: Operator, read: Columns) -> Columns:
        shape = [int(n) for n in self._constant(one, 1).ravel()]
        rest = [len(read.cells) if n == -1 else n for n in shape[1:]]
        if shape[:1] not in ([-1], [0]) or int(np.prod(rest)) != len(read.cells):
            raise not_read(one, "the new shape")
        return Columns(read.cells, read.type)

    def _calculated(self, one: Operator, read: Sequence[Columns]) -> Columns:
        if len(read) != 1 or len(one.reads) != 2 or one.reads[0] in self.graph.constants:
            raise not_read(one, "a calculation with several columns")
        columns = read[0]
        if columns.type not in (FLOAT, DOUBLE):
            raise not_read(one, "a calculation with whole numbers")
        numbers = np.asarray(self._constant(one, 1), dtype=np.float64).ravel()
        numbers = _per_column(one, numbers, len(columns.cells))
        kind, single = one.kind, columns.type == FLOAT
        return columns.each(
            lambda cells, k: stepped(cells, Calculated(kind, float(numbers[k]), single)),
            columns.type,
        )


def _per_column(one: Operator, numbers: Any, width: int) -> Any:
    if len(numbers) == 1:
        return np.repeat(numbers, width)
    if len(numbers) != width:
        raise InputError(
            f"{one.place} has {len(numbers)} numbers for {width} columns; export the model again"
        )
    return numbers


def _cast(one: Operator, read: Columns) -> Columns:
    to = one.whole("to", 0)
    if read.type == STRING or to == STRING:
        if read.type == to:
            return read
        raise not_read(one, "a change between text and numbers")
    if to == FLOAT and read.type != FLOAT:
        return read.each(lambda cells, k: stepped(cells, Single()), FLOAT)
    if to in WHOLE and to != 9 and read.type not in WHOLE:
        cut = Applied(np.trunc, {}, None, 0)
        # no whole number stands for a gap
        return read.each(lambda cells, k: filled(stepped(cells, cut), Lack.REFUSED), to)
    if to in (FLOAT, DOUBLE, *WHOLE) and to != 9:
        return Columns(read.cells, to, read.parts)
    raise not_read(one, "the new type")


def _joined(one: Operator, read: Sequence[Columns]) -> Columns:
    axis = one.whole("axis", 1)
    if axis not in (1, -1, 2) or (axis != 1 and any(columns.parts > 1 for columns in read)):
        raise not_read(one, f"the axis {axis}")
    types = {columns.type for columns in read}
    if one.kind == "FeatureVectorizer":
        joined = [stepped(c, Single()) for columns in read for c in columns.cells]
        return Columns(tuple(joined), FLOAT)
    if len(types) > 1:
        raise InputError(f"{one.place} joins columns of different types; export the model again")
    return Columns(tuple(c for columns in read for c in columns.cells), types.pop())


def _scaled(one: Operator, read: Columns) -> Columns:
    width = len(read.cells)
    offset = _per_column(one, one.needed("offset"), width)
    scale = _per_column(one, one.needed("scale"), width)

    def change(cells: Cells[Piece], k: int) -> Cells[Piece]:
        cells = stepped(cells, Single()) if read.type != FLOAT else cells
        cells = stepped(cells, Calculated("Sub", float(offset[k]), True))
        return stepped(cells, Calculated("Mul", float(scale[k]), True))

    return read.each(change, FLOAT)


def _imputed(one: Operator, read: Columns) -> Columns:
    whole = "imputed_value_int64s" in one.settings
    by = one.needed("imputed_value_int64s" if whole else "imputed_value_floats")
    marker = one.numbers("replaced_value_int64" if whole else "replaced_value_float")
    mark = float("nan") if marker is None else float(marker[0])
    values = _per_column(one, by, len(read.cells))

    def change(cells: Cells[Piece], k: int) -> Cells[Piece]:
        value = float(values[k])
        return filled(cells, value) if np.isnan(mark) else replaced(cells, mark, value)

    return read.each(change, read.type)
