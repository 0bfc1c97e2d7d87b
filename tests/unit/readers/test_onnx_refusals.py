"""ONNX files that are broken, foreign to the schema, or hold what is not read."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import standfast as sf
from standfast.errors import InputError
from standfast.readers.onnx import OnnxModel, graph
from standfast.schema import Feature, Schema

onnx = pytest.importorskip("onnx")
ML = "ai.onnx.ml"
SCHEMA = Schema((Feature("income"), Feature("debt")))
STUMP: dict[str, Any] = {
    "nodes_treeids": [0, 0, 0],
    "nodes_nodeids": [0, 1, 2],
    "nodes_featureids": [0, 0, 0],
    "nodes_values": [0.5, 0.0, 0.0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_truenodeids": [1, 0, 0],
    "nodes_falsenodeids": [2, 0, 0],
    "class_treeids": [0, 0],
    "class_nodeids": [1, 2],
    "class_ids": [0, 0],
    "class_weights": [0.2, 0.7],
    "classlabels_int64s": [0, 1],
    "post_transform": "NONE",
}


def file_of(*nodes: Any, inputs: dict[str, int] | None = None, **constants: Any) -> bytes:
    """A file with some operators; inputs by name and width."""
    given = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [None, width])
        for name, width in (inputs or {"X": 2}).items()
    ]
    kept = [onnx.numpy_helper.from_array(np.asarray(v), name) for name, v in constants.items()]
    made = onnx.helper.make_graph(list(nodes), "g", given, [], initializer=kept)
    return bytes(onnx.helper.make_model(made).SerializeToString())


def node(kind: str, reads: list[str], gives: list[str], **settings: Any) -> Any:
    domain = "" if kind in ("Concat", "Cast", "MatMul", "Sub", "Reshape") else ML
    return onnx.helper.make_node(kind, reads, gives, domain=domain, **settings)


def stump(read: str = "X", **changes: Any) -> Any:
    settings = {k: v for k, v in {**STUMP, **changes}.items() if v is not None}
    return node("TreeEnsembleClassifier", [read], ["label", "p"], **settings)


def refusal(data: bytes, schema: Schema = SCHEMA, favourable: object = 1) -> str:
    with pytest.raises(InputError) as caught:
        OnnxModel.of(data).score(schema, favourable=favourable, threshold=None)
    return str(caught.value)


def test_the_stump_itself_is_read() -> None:
    score = OnnxModel.of(file_of(stump())).score(SCHEMA, favourable=1, threshold=None)
    np.testing.assert_allclose(score.score(np.array([[0.5, 0], [0.6, 0]])), [-0.3, 0.2], atol=1e-7)


def test_what_is_no_onnx_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.onnx"
    for data in (b"not a model at all", b"\x08\x01" * 3, file_of(stump())[:200], b"\xff" * 64):
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"as ONNX: it (is no ONNX file|holds no)"):
            sf.load_model(path)
    path.write_bytes(file_of(stump()))
    assert sf.load_model(path).classes_ == [0, 1]
    monkeypatch.setattr(graph, "MOST_BYTES", 100)
    with pytest.raises(InputError, match="no more than 100 of an ONNX file are read"):
        sf.load_model(path)


def test_an_unknown_operator_is_named() -> None:
    found = refusal(file_of(node("MatMul", ["X", "W"], ["Z"]), stump("Z"), W=np.eye(2)))
    assert "the operator MatMul (number 1 of the graph) is not read" in found
    found = refusal(file_of(node("Normalizer", ["X"], ["Z"], norm="L2"), stump("Z")))
    assert "the operator Normalizer" in found
    two = refusal(file_of(stump(), stump()))
    assert "holds 2 models; exactly one of 'TreeEnsembleClassifier'" in two


def test_what_changes_an_answer_is_named() -> None:
    found = refusal(file_of(stump(), node("Scaler", ["p"], ["q"], offset=[0.0], scale=[2.0])))
    assert "what is made of the answer of the operator Scaler" in found


SETTINGS = {
    "another question": ({"nodes_modes": ["BRANCH_MEMBER", "LEAF", "LEAF"]}, "'BRANCH_MEMBER'"),
    "a circle": ({"nodes_truenodeids": [0, 0, 0]}, "lead nowhere or in circles"),
    "nowhere": ({"nodes_falsenodeids": [9, 0, 0]}, "lead nowhere or in circles"),
    "another column": ({"nodes_featureids": [7, 0, 0]}, "reads column 7, but there are 2"),
    "short lists": ({"nodes_values": [0.5]}, "lists of different lengths"),
    "no weights": ({"class_weights": None}, "lacks its class_weights"),
    "weights that fit nothing": ({"class_weights": [0.5]}, "weights that fit no leaves"),
    "infinite weights": ({"class_weights": [0.5, float("inf")]}, "weights that fit no leaves"),
    "probit": ({"post_transform": "PROBIT"}, "the transformation PROBIT"),
    "two base values": ({"base_values": [0.1, 0.2]}, "weights of one class"),
    "three classes": ({"classlabels_int64s": [0, 1, 2]}, "separates 3 classes"),
}


@pytest.mark.parametrize("what", SETTINGS)
def test_settings_that_make_no_model_are_named(what: str) -> None:
    changes, expected = SETTINGS[what]
    assert expected in refusal(file_of(stump(**changes)))


def test_inputs_that_the_schema_lacks_are_named() -> None:
    joined = node("Concat", ["income", "wage"], ["X"], axis=1)
    found = refusal(file_of(joined, stump(), inputs={"income": 1, "wage": 1}))
    assert "reads the input 'wage', which the schema does not hold" in found
    found = refusal(file_of(stump(), inputs={"X": 3}))
    assert "reads 3 inputs and does not know their names, but the schema has 2" in found
    joined = node("Concat", ["income", "debt"], ["X"], axis=1)
    found = refusal(file_of(joined, stump(), inputs={"income": 2, "debt": 1}))
    assert "input 'income' has 2 columns, and their names are not known" in found


def test_text_where_a_number_is_read_is_refused() -> None:
    schema = Schema((Feature("income"), Feature("debt", "nominal", categories=("low", "high"))))
    found = refusal(file_of(stump()), schema)
    assert "reads 'debt' as a number, but the schema has categories such as 'high'" in found


def test_a_calculation_with_two_columns_is_refused() -> None:
    both = node("Sub", ["X", "X"], ["Z"])
    assert "a calculation with several columns" in refusal(file_of(both, stump("Z")))


def test_a_regressor_needs_a_cut_off_and_a_class_must_be_known() -> None:
    line = node("LinearRegressor", ["X"], ["y"], coefficients=[1.0, 2.0], intercepts=[0.5])
    assert "needs a cut-off" in refusal(file_of(line), favourable="above")
    assert "knows no class 1" in refusal(file_of(line), favourable=1)
    assert "none of the classes of the model; pass one of 0, 1" in refusal(
        file_of(stump()), favourable="good"
    )


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    data = file_of(stump())
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(InputError, match=r"pip install 'standfast\[onnx\]'"):
        OnnxModel.of(data)


def test_damaged_bytes_are_refused_or_read_but_never_crash() -> None:
    data, draw = bytearray(file_of(stump())), np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        damaged = bytearray(data)
        for place in draw.integers(0, len(data), 3):
            damaged[place] = draw.integers(256)
        try:
            model = OnnxModel.of(bytes(damaged))
            model.score(SCHEMA, favourable=model.classes_[-1], threshold=0.5)
        except InputError:
            refused += 1
    assert refused > 0
