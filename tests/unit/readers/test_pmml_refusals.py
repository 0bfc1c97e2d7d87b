"""PMML files that are broken, hostile, foreign to the schema, or hold what is not read."""

import random
import re
from pathlib import Path

import pytest
from samples.pmml_rows import FAVOURABLE, HERE, SCHEMAS

import standfast as sf
from standfast.errors import InputError
from standfast.readers.pmml import PmmlModel, document
from standfast.schema import Feature, Schema

TEXTS = {name: (HERE / f"{name}.pmml").read_text() for name in SCHEMAS}


def refusal(name: str, *changes: tuple[str, str], schema: Schema | None = None) -> str:
    """What is said of a sample after some changes."""
    text = TEXTS[name]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(InputError) as caught:
        PmmlModel.of(text.encode()).score(
            schema or SCHEMAS[name],
            favourable=FAVOURABLE[name],
            threshold=300.0 if name == "scorecard" else None,
        )
    return str(caught.value)


def loading(tmp_path: Path, data: bytes) -> str:
    path = tmp_path / "model.pmml"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        sf.load_model(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_what_is_no_xml_or_cut_off_is_refused(tmp_path: Path) -> None:
    assert "not XML" in loading(tmp_path, b"age,income\n3,4\n")
    assert "only the beginning" in loading(tmp_path, TEXTS["forest"].encode()[:2000])
    assert "not XML" in loading(tmp_path, b"\x00\xff\xfe" * 50)
    assert "is empty" in loading(tmp_path, b"")
    assert "not XML" in loading(tmp_path, b'<?xml version="1.0" encoding="klingon"?><PMML/>')


def test_another_root_or_no_model_is_refused(tmp_path: Path) -> None:
    assert "begins with <html>" in loading(tmp_path, b"<html><body/></html>")
    assert "holds no model" in loading(tmp_path, b"<PMML><Header/><DataDictionary/></PMML>")
    found = loading(tmp_path, b"<PMML>\n<GeneralRegressionModel/></PMML>")
    assert "GeneralRegressionModel (line 2), which is not read" in found


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    bomb = b'<!DOCTYPE p [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><PMML>&b;</PMML>'
    assert "line 1 declares a document type" in loading(tmp_path, bomb)
    outside = b'<!DOCTYPE p SYSTEM "file:///etc/passwd"><PMML/>'
    assert "does not expand" in loading(tmp_path, outside)


def test_huge_and_deep_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = b"<PMML>" + b"<Node>" * 5000
    assert "inside each other" in loading(tmp_path, deep)
    monkeypatch.setattr(document, "MOST_BYTES", 100)
    assert "more than the 100 that are read" in loading(tmp_path, TEXTS["forest"].encode())


def test_a_field_that_the_schema_lacks_is_named() -> None:
    schema = Schema(tuple(f for f in SCHEMAS["forest"] if f.name != "months"))
    found = refusal("forest", schema=schema)
    assert "reads the field 'months' (line 6), which the schema does not hold" in found


def test_a_category_that_the_schema_lacks_is_named() -> None:
    features = [
        Feature("housing", "nominal", categories=("Own", "rent", "family", "other"))
        if f.name == "housing"
        else f
        for f in SCHEMAS["forest"]
    ]
    found = refusal("forest", schema=Schema(tuple(features)))
    assert "names the category 'own', which the schema's 'housing' lacks" in found
    assert "did you mean 'Own'?" in found
    assert "line 8" in found
    # one that only a question names
    found = refusal("forest", ('"home repair"', '"house repair"'))
    assert "'house repair', which the schema's 'purpose' lacks" in found


def test_names_where_the_schema_has_numbers_are_refused() -> None:
    features = [Feature("housing") if f.name == "housing" else f for f in SCHEMAS["logistic"]]
    found = refusal("logistic", schema=Schema(tuple(features)))
    assert "names 'own', but the schema's 'housing' holds numbers" in found
    features = [
        Feature("debt", "nominal", categories=("low", "high")) if f.name == "debt" else f
        for f in SCHEMAS["logistic"]
    ]
    found = refusal("logistic", schema=Schema(tuple(features)))
    assert "'debt' holds numbers (double) in the file" in found


NOT_READ = {
    "a complex partial score": (
        "scorecard",
        (
            '<Attribute partialScore="55.5"><True/></Attribute>',
            "<Attribute><True/><ComplexPartialScore><Constant>1</Constant></ComplexPartialScore>"
            "</Attribute>",
        ),
        "<ComplexPartialScore> in line 67 is not read",
    ),
    "another normalisation": (
        "logistic",
        ('Method="logit"', 'Method="probit"'),
        "the normalisation 'probit' (<RegressionModel> in line 32)",
    ),
    "an interaction": (
        "logistic",
        (
            '<CategoricalPredictor name="phone" value="true" coefficient="0.22"/>',
            '<PredictorTerm coefficient="1"><FieldRef field="debt"/><FieldRef field="income"/>'
            "</PredictorTerm>",
        ),
        "a product of 2 fields",
    ),
    "another function": (
        "logistic",
        ('function="ln"', 'function="sin"'),
        "the function 'sin' (<Apply> in line",
    ),
    "the least of one field": (
        "logistic",
        ('function="ln"', 'function="min"'),
        "the function 'min' (<Apply> in line",
    ),
    "a function of two fields": (
        "logistic",
        ("<Constant>1</Constant>", '<FieldRef field="debt"/>'),
        "the function '+' of 2 fields",
    ),
    "a segment for some": (
        "forest",
        (
            '<Segment id="2"><True/>',
            '<Segment id="2"><SimplePredicate field="income" operator="isMissing"/>',
        ),
        "a segment for some people only (<SimplePredicate> in line",
    ),
    "another method": (
        "forest",
        ('Method="average"', 'Method="selectFirst"'),
        "the method 'selectFirst'",
    ),
    "another strategy": (
        "forest",
        ('Strategy="lastPrediction"', 'Strategy="weightedConfidence"'),
        "the strategy 'weightedConfidence' for missing values",
    ),
    "another operator": (
        "forest",
        ('operator="greaterThan"', 'operator="resembles"'),
        "the operator 'resembles'",
    ),
    "a rounded result": (
        "boosted",
        ("<Target resc", '<Target castInteger="round" resc'),
        "changed by castInteger",
    ),
    "another model in a segment": (
        "forest",
        ("TreeModel", "NeuralNetwork"),
        "<NeuralNetwork> in line",
    ),
    "a question about another model": (
        "boosted",
        (
            '<NumericPredictor name="shrunk" coefficient="2"/>',
            '<CategoricalPredictor name="shrunk" value="1" coefficient="2"/>',
        ),
        "a question about 'shrunk', another model's result,",
    ),
}


@pytest.mark.parametrize("what", NOT_READ)
def test_what_is_not_read_is_named_with_its_place(what: str) -> None:
    name, change, expected = NOT_READ[what]
    found = refusal(name, change)
    assert expected in found
    assert "is not read" in found


BROKEN = {
    "no number": (
        "scorecard",
        ('partialScore="27"', 'partialScore="many"'),
        "'many', not a number",
    ),
    "infinite": ("logistic", ('intercept="-5.25"', 'intercept="1e999"'), "not a number"),
    "no schema": ("forest", ("MiningSchema", "MiningTable"), "lacks its <MiningSchema>"),
    "an unknown field": (
        "forest",
        ('field="income" operator="greaterThan"', 'field="wage" operator="greaterThan"'),
        "names the field 'wage', which is neither in the model's mining schema nor derived",
    ),
    "derived from itself": (
        "logistic",
        ('<FieldRef field="income"/>', '<FieldRef field="log_income"/>'),
        "derived from itself",
    ),
    "no default child": ("forest", ('defaultChild="6"', 'defaultChild="66"'), "no default child"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_named_with_its_place(what: str) -> None:
    name, change, expected = BROKEN[what]
    found = refusal(name, change)
    assert expected in found
    assert "line" in found


def test_a_scorecard_needs_a_cut_off_and_a_side() -> None:
    model = sf.load_model(HERE / "scorecard.pmml")
    with pytest.raises(InputError, match="needs a cut-off: say which number people must pass"):
        sf.as_score(model, SCHEMAS["scorecard"], favourable="above")
    with pytest.raises(InputError, match=r"knows no class 'good'.*'above' or 'below'"):
        sf.as_score(model, SCHEMAS["scorecard"], favourable="good", threshold=300)
    with pytest.raises(InputError, match="the threshold is nan"):
        sf.as_score(model, SCHEMAS["scorecard"], favourable="above", threshold=float("nan"))


def test_a_class_must_be_the_model_s_and_a_threshold_a_probability() -> None:
    model = sf.load_model(HERE / "forest.pmml")
    assert model.classes_ == ["paid", "lost"]
    with pytest.raises(InputError, match="none of the classes of the model; pass one of 'paid'"):
        sf.as_score(model, SCHEMAS["forest"], favourable="good")
    with pytest.raises(InputError, match="gives a probability; pass a number between 0 and 1"):
        sf.as_score(model, SCHEMAS["forest"], favourable="paid", threshold=600)


def test_three_classes_are_refused() -> None:
    found = refusal("forest", ('<Value value="lost"/>', '<Value value="lost"/><Value value="x"/>'))
    assert "separates 3 classes" in found


def test_a_line_beside_trees_is_refused_by_the_input_s_name() -> None:
    found = refusal(
        "boosted",
        (
            '<NumericPredictor name="shrunk" coefficient="2"/>',
            '<NumericPredictor name="shrunk" coefficient="2"/>'
            '<NumericPredictor name="income" coefficient="2"/>',
        ),
        (
            '<MiningField name="shrunk"/>',
            '<MiningField name="shrunk"/><MiningField name="income"/>',
        ),
    )
    assert "adds trees and a straight line in 'income'" in found


@pytest.mark.parametrize("name", SCHEMAS)
def test_damaged_files_are_refused_or_read_but_never_crash(name: str) -> None:
    words = re.split(r'(["<>\s])', TEXTS[name])
    draw = random.Random(0)
    refused = 0
    for _ in range(60):
        damaged = list(words)
        for _ in range(2):  # words lost, doubled, or in another's place
            a, b = draw.randrange(len(words)), draw.randrange(len(words))
            damaged[a] = draw.choice(["", damaged[b], damaged[a] * 2, "1e999", "-1"])
        try:
            model = PmmlModel.of("".join(damaged).encode())
            model.score(SCHEMAS[name], favourable=model.classes_[0], threshold=0.5)
        except InputError:
            refused += 1
    assert refused > 5
