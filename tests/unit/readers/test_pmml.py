"""PMML files against an evaluator that reads the XML naively, row by row."""

import pytest
from samples.pmml_evaluator import Evaluator
from samples.pmml_rows import FAVOURABLE, HERE, MARKS, SCHEMAS, compare, rows

import standfast as sf
from standfast.scores import Additive, TreeEnsemble


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_file_says_what_a_naive_evaluator_of_its_xml_says(name: str) -> None:
    schema, favourable = SCHEMAS[name], FAVOURABLE[name]
    threshold = 300.0 if name == "scorecard" else None
    model = sf.load_model(HERE / f"{name}.pmml")
    score = sf.as_score(model, schema, favourable=favourable, threshold=threshold)
    X = rows(schema, MARKS, 3000)
    none, off = compare(score, schema, Evaluator(HERE / f"{name}.pmml"), X, favourable)
    assert (none > 0) == (name in ("scorecard", "logistic"))
    assert none < 2000
    assert off <= 1e-9
    assert isinstance(score, TreeEnsemble if name in ("forest", "boosted") else Additive)
    assert 0.05 < score.accepts(X).mean() < 0.95


@pytest.mark.parametrize("name", ["logistic", "forest", "boosted"])
def test_the_other_class_is_the_opposite(name: str) -> None:
    schema = SCHEMAS[name]
    model = sf.load_model(HERE / f"{name}.pmml")
    (other,) = {str(c) for c in model.classes_} - {FAVOURABLE[name]}
    score = sf.as_score(model, schema, favourable=other, threshold=0.3)
    X = rows(schema, MARKS, 500, seed=1)
    _, off = compare(score, schema, Evaluator(HERE / f"{name}.pmml"), X, other)
    assert off <= 1e-9
