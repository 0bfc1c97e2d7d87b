"""The graph of an ONNX file in plain values: operators, their settings, constants and inputs."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError, first_line, listing, with_article
from standfast.readers.unreadable import left_out

MOST_BYTES = 2**30
FLOAT, STRING, DOUBLE = 1, 8, 11
WHOLE = (2, 3, 4, 5, 6, 7, 9, 12, 13)  # integers of all sizes, and truth values
TREES = ("TreeEnsembleClassifier", "TreeEnsembleRegressor")
LINEAR = ("LinearClassifier", "LinearRegressor")
BEFORE = (
    *("Scaler", "Imputer", "OneHotEncoder", "LabelEncoder", "ArrayFeatureExtractor", "Gather"),
    *("Concat", "FeatureVectorizer", "Cast", "Identity", "Reshape", "Flatten"),
    *("Add", "Sub", "Mul", "Div"),
)
# what only sorts or names the answers
BEHIND = (
    *("ZipMap", "Cast", "Identity", "ArrayFeatureExtractor", "Reshape", "Flatten"),
    "LabelEncoder",
)


@dataclass(frozen=True, eq=False)
class Operator:
    """One node: its kind, what it reads and gives, and its settings as plain values."""

    kind: str
    reads: tuple[str, ...]
    gives: tuple[str, ...]
    settings: Mapping[str, Any]
    place: str

    def numbers(self, *names: str) -> NDArray[np.float64] | None:
        """The first of these settings that is there, as numbers."""
        for name in names:
            if name in self.settings:
                try:
                    return np.asarray(self.settings[name], dtype=np.float64).ravel()
                except (TypeError, ValueError):
                    raise self._odd(name) from None
        return None

    def needed(self, *names: str) -> NDArray[np.float64]:
        """The same for a setting that must be there."""
        found = self.numbers(*names)
        if found is None or not len(found):
            raise InputError(f"{self.place} lacks its {names[0]}; export the model again")
        return found

    def wholes(self, name: str) -> list[int]:
        """A setting that must be there and hold whole numbers."""
        found = self.needed(name)
        if not (np.abs(found) < 2**53).all():
            raise self._odd(name)
        return [int(number) for number in found]

    def whole(self, name: str, otherwise: int) -> int:
        """A whole number, or what stands for it."""
        return self.wholes(name)[0] if name in self.settings else otherwise

    def texts(self, name: str) -> list[str]:
        """The texts of a setting; none if it is not there."""
        found = self.settings.get(name, ())
        if isinstance(found, str | bytes) or not hasattr(found, "__iter__"):
            raise self._odd(name)
        return [str(one) for one in found]

    def _odd(self, name: str) -> InputError:
        return InputError(
            f"{self.place} has {with_article(name)} that cannot be; export the model again"
        )


@dataclass(frozen=True)
class Input:
    """An input of the graph: its name, the type of its values, how many columns it has."""

    name: str
    type: int
    width: int


@dataclass(frozen=True, eq=False)
class Graph:
    """Operators by what they give, constants, inputs, and the one model among the operators."""

    makers: Mapping[str, Operator]
    constants: Mapping[str, NDArray[Any]]
    inputs: tuple[Input, ...]
    model: Operator
    behind: tuple[Operator, ...]


def not_read(operator: Operator, what: str = "") -> InputError:
    """An operator or a setting that is not read, by its name and place."""
    return left_out(f"{what} of {operator.place}" if what else operator.place)


def read_graph(data: bytes) -> Graph:
    """The graph in a file's bytes; an InputError for what is no ONNX, or no model that is read."""
    if len(data) > MOST_BYTES:
        raise InputError(
            f"it has {len(data):,} bytes, and no more than {MOST_BYTES:,} of an ONNX file are read"
        )
    try:
        onnx = importlib.import_module("onnx")
    except ImportError:
        raise InputError(
            "that needs onnx, which is not installed; run pip install 'standfast[onnx]'"
        ) from None
    try:
        proto = onnx.load_model_from_string(data)
        graph = proto.graph
        operators = [_operator(onnx, k, node) for k, node in enumerate(graph.node)]
        constants = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
    except Exception as error:  # a broken file fails in a dozen ways
        raise InputError(
            f"it is no ONNX file, or only a part of one ({first_line(error)}); export the "
            "model again"
        ) from None
    if not operators:
        raise InputError("it holds no operators; it is no ONNX file, or an empty one")
    inputs = tuple(_input(one) for one in graph.input if one.name not in constants)
    return _arranged(operators, constants, inputs)


def _operator(onnx: Any, k: int, node: Any) -> Operator:
    settings = {}
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        if isinstance(value, onnx.TensorProto):
            value = onnx.numpy_helper.to_array(value)
        if value is not None and not (isinstance(value, list) and not value):
            settings[str(attribute.name)] = _plain(value)
    kind = node.op_type
    named = f" '{node.name}'" if node.name and node.name != kind else ""
    place = f"the operator {kind}{named} (number {k + 1} of the graph)"
    return Operator(kind, tuple(node.input), tuple(node.output), settings, place)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, list | np.ndarray) and len(value) and isinstance(value[0], bytes):
        return [one.decode("utf-8", "replace") for one in value]
    return value


def _input(found: Any) -> Input:
    tensor = found.type.tensor_type
    width = 1
    for dimension in list(tensor.shape.dim)[1:]:
        width *= dimension.dim_value
    return Input(found.name, tensor.elem_type, width)


def _arranged(
    operators: list[Operator], constants: dict[str, NDArray[Any]], inputs: tuple[Input, ...]
) -> Graph:
    for one in operators:
        if one.kind == "Constant" and len(one.settings) == 1:
            constants[one.gives[0]] = np.asarray(next(iter(one.settings.values())))
    operators = [one for one in operators if one.kind != "Constant"]
    models = [one for one in operators if one.kind in TREES + LINEAR]
    odd = [one for one in operators if one.kind not in (*TREES, *LINEAR, *BEFORE, *BEHIND)]
    if odd:
        raise not_read(odd[0])
    if len(models) != 1:
        raise InputError(
            f"it holds {len(models)} models; exactly one of {listing([*TREES, *LINEAR])} is read"
        )
    if not models[0].reads:
        raise InputError(f"{models[0].place} reads nothing; export the model again")
    makers = {name: one for one in operators for name in one.gives}
    after, behind = set(models[0].gives), []
    for one in operators:
        if after & set(one.reads):
            if one.kind not in BEHIND:
                raise not_read(one, "what is made of the answer")
            after |= set(one.gives)
            behind.append(one)
    return Graph(makers, constants, inputs, models[0], tuple(behind))
