"""An ONNX file as a model: its classes, and its score under a schema."""

from dataclasses import dataclass, field
from typing import Any

from standfast.readers.model_document import ModelDocument, Reading
from standfast.readers.onnx.columns import Table
from standfast.readers.onnx.graph import LINEAR, Graph, read_graph
from standfast.readers.onnx.linear import linear
from standfast.readers.onnx.trees import classifier, regressor
from standfast.schema import Schema

LABELS = ("classlabels_strings", "classlabels_int64s", "classlabels_ints")


@dataclass(frozen=True, eq=False)
class OnnxModel(ModelDocument):
    """The model in an ONNX file: trees or a linear model, with what stands before and behind it."""

    graph: Graph = field(repr=False)

    @classmethod
    def of(cls, data: bytes) -> "OnnxModel":
        """The model in a file's bytes; operators that are not read are named at once."""
        return cls(read_graph(data))

    @property
    def number(self) -> str:
        """What a sentence calls a model that knows no classes."""
        kind = self.graph.model.kind
        return f"the {kind}" if kind.endswith("Regressor") else ""

    def named_classes(self) -> list[Any]:
        """The classes that the file names, else 0 and 1."""
        maps = [one for one in self.graph.behind if one.kind == "ZipMap"]
        for one in (*maps, self.graph.model):
            for name in LABELS:
                if name in one.settings:
                    return one.texts(name) if name == LABELS[0] else one.wholes(name)
        return [0, 1]

    def read(self, schema: Schema, place: int | None) -> Reading:
        """What the model's operator gives, and where it gives nothing."""
        model, table = self.graph.model, Table(self.graph, schema)
        columns = table(model.reads[0])
        if model.kind in LINEAR:
            result = linear(model, columns, place)
        elif place is None:
            result = regressor(model, columns, schema)
        else:
            result = classifier(model, columns, place, schema)
        return result, table.guards()
