"""An ONNX file as a model: its classes, and its score under a schema."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from standfast.readers.model_document import (
    SIDES,
    ModelDocument,
    cut_off,
    probability_threshold,
    side_of,
    two_classes,
)
from standfast.readers.onnx.columns import Table
from standfast.readers.onnx.graph import Graph, read_graph
from standfast.readers.onnx.linear import linear_classifier, linear_regressor
from standfast.readers.onnx.trees import classifier, regressor
from standfast.readers.piecewise.sums import Result, score_of
from standfast.schema import Schema
from standfast.scores.score import LOGISTIC, Score

LABELS = ("classlabels_strings", "classlabels_int64s", "classlabels_ints")


@dataclass(frozen=True, eq=False)
class OnnxModel(ModelDocument):
    """The model in an ONNX file: trees or a linear model, with what stands before and behind it."""

    graph: Graph = field(repr=False)

    @classmethod
    def of(cls, data: bytes) -> "OnnxModel":
        """The model in a file's bytes; operators that are not read are named at once."""
        return cls(read_graph(data))

    @cached_property
    def classes_(self) -> list[Any]:  # type: ignore[override]
        """The classes that the file names; the two sides of a cut-off if there are none."""
        if self.graph.model.kind.endswith("Regressor"):
            return list(SIDES)
        maps = [one for one in self.graph.behind if one.kind == "ZipMap"]
        for one in (*maps, self.graph.model):
            for name in LABELS:
                if name in one.settings:
                    return one.texts(name) if name == LABELS[0] else one.wholes(name)
        return [0, 1]

    def score(self, schema: Schema, *, favourable: object, threshold: float | None) -> Score:
        """The model in table units, seen from the favourable class or side."""
        model, table = self.graph.model, Table(self.graph, schema)
        if model.kind.endswith("Regressor"):
            return self._number(table, schema, favourable, threshold)
        place = two_classes(self.classes_, favourable, "the model")
        columns = table(model.reads[0])
        if model.kind == "LinearClassifier":
            result = linear_classifier(model, columns, place)
        else:
            result = classifier(model, columns, place, schema)
        if result.probability:
            level = probability_threshold(threshold)
        else:  # a decision value
            level = 0.0 if threshold is None else cut_off(threshold, "the model")
        return score_of(result, table.guards(), schema, level)

    def _number(
        self, table: Table, schema: Schema, favourable: object, threshold: float | None
    ) -> Score:
        model = self.graph.model
        side, level = (
            side_of(favourable, f"the {model.kind}"),
            cut_off(threshold, f"the {model.kind}"),
        )
        columns = table(model.reads[0])
        if model.kind == "LinearRegressor":
            result = linear_regressor(model, columns)
        else:
            result = regressor(model, columns, schema)
        if result.link == LOGISTIC:
            level = probability_threshold(level)
        if side < 0:
            level = 1.0 - level if result.link == LOGISTIC else -level
            result = Result(result.sum.scaled(-1.0), result.link, result.probability)
        return score_of(result, table.guards(), schema, level)
