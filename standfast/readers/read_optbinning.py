"""Reads OptBinning's scorecards, and linear models behind its binning: tables of bins."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from standfast.errors import InputError
from standfast.readers.asking import taken_apart
from standfast.readers.cells import NOTHING, Cells, alone
from standfast.readers.columns.code import Celled, Tabled
from standfast.readers.columns.read_columns import Column, read_columns
from standfast.readers.own_names import library_of
from standfast.readers.read_additive import read_additive
from standfast.readers.repeating import repeats, rows_over
from standfast.schema import Schema
from standfast.scores.additive import Additive
from standfast.scores.prediction import Prediction
from standfast.scores.score import Score, Structured


def is_scorecard(estimator: Any) -> bool:
    """Whether this is one of OptBinning's scorecards, which must be fitted."""
    if type(estimator).__name__ != "Scorecard" or library_of(estimator) != "optbinning":
        return False
    if not getattr(estimator, "_is_fitted", True):
        raise InputError("the Scorecard is not fitted; call its fit(X, y) first")
    return True


def points_of(estimator: Any, favourable: object) -> Any:
    """The scorecard whose points were asked for: without a class, or by its `score`; else None."""
    holder = getattr(estimator, "__self__", None)
    if holder is not None and is_scorecard(holder) and estimator.__name__ == "score":
        return holder
    return estimator if is_scorecard(estimator) and favourable is None else None


@dataclass(frozen=True, eq=False)
class Binning:
    """The variables that a binning process selected, each with its input and its cells."""

    process: Any
    prediction: Prediction
    schema: Schema
    inputs: tuple[int, ...]
    cells: tuple[Cells, ...]

    @classmethod
    def of(cls, process: Any, prediction: Prediction, schema: Schema) -> "Binning | None":
        """The process's variables; None if one is not cut into bins, but bent."""
        known = list(process.variable_names)
        inputs, cells = [], []
        for name in process.get_support(names=True):
            binned = process.get_binned_variable(name)
            if not hasattr(binned, "splits") or "PW" in type(binned).__name__:
                return None
            j = prediction.inputs[known.index(name)]
            inputs.append(j)
            cells.append(Cells.of(schema.features[j], list(_cuts(binned))))
        return cls(process, prediction, schema, tuple(inputs), tuple(cells))

    def asked(self, transform: Callable[[Any], Any]) -> list[Any]:
        """What a transformation makes of each variable's cells."""
        X = np.zeros((max((len(c) for c in self.cells), default=0), len(self.schema)))
        for j, c in zip(self.inputs, self.cells, strict=True):
            X[:, j] = np.resize(c.samples, len(X))
        answer = np.asarray(transform(self.prediction.asked(X)))
        return [answer[: len(c), k] for k, c in enumerate(self.cells)]

    def repeats(self, read: Structured) -> bool:
        """Whether what was read says the same as the estimator about values in all cells."""
        rows = rows_over([*zip(self.inputs, self.cells, strict=True)], self.schema)
        return repeats(read, rows, self.prediction)


def _cuts(binned: Any) -> Iterator[float]:
    """Where a variable's bins begin, and around every number that is treated on its own."""
    numerical = binned.dtype == "numerical"
    if numerical:
        yield from binned.splits
    special = binned.special_codes
    groups = list(special.values()) if isinstance(special, Mapping) else [special]
    groups += [] if numerical else [*binned.splits, getattr(binned, "categories", None)]
    for group in groups:
        for value in [] if group is None else np.ravel(np.asarray(group, dtype=object)):
            if isinstance(value, int | float | np.number):
                yield from alone(float(value))


def read_optbinning(prediction: Prediction, schema: Schema, threshold: float) -> Score | None:
    """A scorecard's probability, or a linear model behind a binning process, as a sum; else None.

    Where bins begin is read, what the process makes of them is asked of the process itself: weight
    of evidence, event rate, what is missing or special.
    """
    transformers, model = taken_apart(prediction.estimator)
    if is_scorecard(model) and not transformers:
        card, process = model, model.binning_process_
        transformers, model = taken_apart(card.estimator_)

        def transform(table: Any) -> Any:
            ways = {"metric_special": card._metric_special, "metric_missing": card._metric_missing}
            return process.transform(table[list(process.variable_names)], **ways)
    elif transformers and type(transformers[0]).__name__ == "BinningProcess":
        process, transformers = transformers[0], transformers[1:]
        if library_of(process) != "optbinning":
            return None
        transform = process.transform
    else:
        return None
    binning = Binning.of(process, prediction, schema)
    if binning is None:
        return None
    entries = binning.asked(transform)
    columns = [
        Column(j, (Celled(c.edges), Tabled(np.asarray(e, dtype=np.float64))))
        for j, c, e in zip(binning.inputs, binning.cells, entries, strict=True)
    ]
    for transformer in transformers:
        columns = read_columns(transformer, columns)
    read = read_additive(
        model, columns, features=schema.features, threshold=threshold, prediction=prediction
    )
    return read if read is not None and binning.repeats(read) else None


def read_card(prediction: Prediction, schema: Schema, threshold: float) -> Additive | None:
    """The points of a scorecard as a sum; `prediction` asks its `score`."""
    card = prediction.estimator.__self__
    process = card.binning_process_
    binning = Binning.of(process, prediction, schema)
    if binning is None:
        return None

    def numbered(table: Any) -> Any:
        ways = {"metric_special": "empirical", "metric_missing": "empirical"}
        return process.transform(table[list(process.variable_names)], metric="indices", **ways)

    table = card.table()
    functions: list[Any] = [NOTHING] * len(schema)
    names = process.get_support(names=True)
    for name, j, c, bins in zip(
        names, binning.inputs, binning.cells, binning.asked(numbered), strict=True
    ):
        points = table.loc[table["Variable"] == name, "Points"].to_numpy(dtype=np.float64)
        functions[j] = c.function(points[bins.astype(np.intp)])
    offset = float(np.ravel(card.intercept_)[0])
    read = Additive(functions, offset, threshold=threshold, prediction=prediction)
    return read if binning.repeats(read) else None
