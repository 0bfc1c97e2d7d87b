"""PMML's other spellings, and random models, against the naive evaluator."""

from typing import Any

import numpy as np
import pytest
from samples.pmml_evaluator import Evaluator
from samples.pmml_rows import FAVOURABLE, HERE, MARKS, SCHEMAS, as_people, compare, rows

import standfast as sf
from standfast.readers.pmml import PmmlModel
from standfast.schema import Feature, Schema
from standfast.scores import Additive, Linear, TreeEnsemble

CHANGES = {
    "softmax": (
        "logistic",
        [
            ('Method="logit"', 'Method="softmax"'),
            ('<RegressionTable intercept="0"', '<RegressionTable intercept="0.75"'),
        ],
    ),
    "no normalisation": ("logistic", [('Method="logit"', 'Method="none"')]),
    "votes": ("forest", [('Method="average"', 'Method="majorityVote"')]),
    "weighted votes": (
        "forest",
        [
            ('Method="average"', 'Method="weightedMajorityVote"'),
            ('<Segment id="2">', '<Segment id="2" weight="2.5">'),
        ],
    ),
    "a weighted average": (
        "forest",
        [
            ('Method="average"', 'Method="weightedAverage"'),
            ('<Segment id="1">', '<Segment id="1" weight="0.25">'),
        ],
    ),
    "an average of numbers": ("boosted", [('Method="sum"', 'Method="average"')]),
    "a field in 32 bits": (
        "boosted",
        [('"utilisation" optype="continuous" dataType="double"', '"utilisation" dataType="float"')],
    ),
    "invalid values kept": (
        "scorecard",
        [('"age" invalidValueTreatment="returnInvalid"', '"age" invalidValueTreatment="asIs"')],
    ),
    "invalid values replaced": (
        "scorecard",
        [
            (
                '"housing" invalidValueTreatment="asMissing"',
                '"housing" invalidValueTreatment="asValue" invalidValueReplacement="own"',
            )
        ],
    ),
    "outliers as gaps": (
        "scorecard",
        [('outliers="asExtremeValues" lowValue', 'outliers="asMissingValues" lowValue')],
    ),
    "transformed outliers as gaps": (
        "scorecard",
        [('"enquiries" outliers="asExtremeValues"', '"enquiries" outliers="asMissingValues"')],
    ),
    "transformed outliers kept": (
        "scorecard",
        [('field="enquiries" outliers="asExtremeValues"', 'field="enquiries" outliers="asIs"')],
    ),
    "several inputs in a characteristic": (
        "scorecard",
        [
            (
                '<Attribute partialScore="-12">',
                '<Attribute partialScore="99"><CompoundPredicate booleanOperator="or">'
                '<SimplePredicate field="age" operator="greaterThan" value="70"/>'
                '<SimplePredicate field="housing" operator="equal" value="family"/>'
                '</CompoundPredicate></Attribute><Attribute partialScore="-12">',
            )
        ],
    ),
    "exclusive or": ("forest", [('booleanOperator="or"', 'booleanOperator="xor"')]),
    "no result for gaps": ("forest", [('Strategy="lastPrediction"', 'Strategy="nullPrediction"')]),
    "a power": ("logistic", [('"standard_debt" coeff', '"standard_debt" exponent="2" coeff')]),
}

# what stands in place of the logarithm of income plus one
PLUS = '<Apply function="+"><FieldRef field="income"/><Constant>1</Constant></Apply>'
LOGARITHM = f'<Apply function="ln">{PLUS}</Apply>'
INCOME, NUMBER = '<FieldRef field="income"/>', "<Constant>18000.5</Constant>"
APPLIED = {
    "a difference": f'<Apply function="-">{INCOME}{NUMBER}</Apply>',
    "a difference from a number": f'<Apply function="-">{NUMBER}{INCOME}</Apply>',
    "a multiple": f'<Apply function="*"><Constant>-0.25</Constant>{INCOME}</Apply>',
    "a part": f'<Apply function="/">{INCOME}<Constant>-8</Constant></Apply>',
    "a distance": f'<Apply function="abs"><Apply function="-">{INCOME}{NUMBER}</Apply></Apply>',
    "at least": f'<Apply function="max">{INCOME}{NUMBER}</Apply>',
    "at most": f'<Apply function="min">{NUMBER}{INCOME}<Constant>1e5</Constant></Apply>',
    "a root": f'<Apply function="sqrt">{INCOME}</Apply>',
    "a gap filled": (
        '<Apply function="*" mapMissingTo="-7000"><FieldRef field="grade"/>'
        "<Constant>3000</Constant></Apply>"
    ),
}
SMALL = '<Apply function="*">{}<Constant>0.0002</Constant></Apply>'
CHANGES |= {
    what: ("logistic", [(LOGARITHM, SMALL.format(applied))]) for what, applied in APPLIED.items()
}


@pytest.mark.parametrize("what", CHANGES)
def test_other_settings_are_read_as_the_standard_has_them(what: str) -> None:
    name, changes = CHANGES[what]
    text = (HERE / f"{name}.pmml").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    schema, favourable = SCHEMAS[name], FAVOURABLE[name]
    threshold = 300.0 if name == "scorecard" else None
    score = PmmlModel.of(text.encode()).score(schema, favourable=favourable, threshold=threshold)
    _, off = compare(score, schema, Evaluator(text), rows(schema, MARKS, 800, 3), favourable)
    assert off <= 1e-9


def test_a_product_of_one_field_is_the_field() -> None:
    text = (HERE / "logistic.pmml").read_text()
    plain = '<NumericPredictor name="standard_debt" coefficient="-0.72"/>'
    term = '<PredictorTerm coefficient="-0.72"><FieldRef field="standard_debt"/></PredictorTerm>'
    assert plain in text
    own, same = (
        PmmlModel.of(one.encode()).score(SCHEMAS["logistic"], favourable="good", threshold=None)
        for one in (text, text.replace(plain, term))
    )
    assert own.digest == same.digest


def test_below_a_cut_off_is_the_other_side() -> None:
    schema, model = SCHEMAS["scorecard"], sf.load_model(HERE / "scorecard.pmml")
    X = rows(schema, MARKS, 500)
    evaluator = Evaluator(HERE / "scorecard.pmml")
    below = sf.as_score(model, schema, favourable="below", threshold=300)
    points = [evaluator(row) for row in as_people(schema, X)]
    wanted = [p is not None and p < 300 for p in points]
    np.testing.assert_array_equal(below.accepts(X), wanted)


def test_numbers_alone_without_gaps_are_a_linear_model() -> None:
    text = (HERE / "logistic.pmml").read_text()
    for part in ("log_income", "weight_of_grade", "rents"):
        text = text.replace(
            f'<NumericPredictor name="{part}"', f'<!-- <NumericPredictor name="{part}"'
        )
        text = text.replace(
            '<!-- <NumericPredictor name="log_income" exponent="1" coefficient="0.61"/>',
            '<NumericPredictor name="income" coefficient="0.0001"/>',
        )
    text = text.replace('coefficient="1.1"/>', "-->").replace('coefficient="-0.35"/>', "-->")
    for value in ("own", "family"):
        text = text.replace(f'<CategoricalPredictor name="housing" value="{value}"', "<Extension")
    text = text.replace('<CategoricalPredictor name="phone" value="true"', "<Extension")
    schema = Schema((Feature("debt"), Feature("income")))
    score = PmmlModel.of(text.encode()).score(schema, favourable="good", threshold=None)
    assert isinstance(score, Linear)
    np.testing.assert_allclose(score.weights, [-0.72 * 1.5 / 3000, 0.0001], rtol=1e-12)


# random trees

FIELDS = Schema(
    (
        Feature("a", when_missing="fill"),
        Feature("b", when_missing="keep"),
        Feature("c", "nominal", categories=("p", "q", "r", "s"), when_missing="fill"),
        Feature("d", "nominal", categories=("t", "u", "v")),
    )
)
WORLD = {"a": [-1.0, 0.0, 0.5, 1.5], "b": [0.1, 0.25, 2.0]}


def predicate(draw: np.random.Generator, depth: int = 0) -> str:
    kind = draw.random()
    if kind < 0.25 and depth < 2:
        operator = draw.choice(["and", "or", "xor", "surrogate"])
        parts = "".join(predicate(draw, depth + 1) for _ in range(draw.integers(2, 4)))
        return f'<CompoundPredicate booleanOperator="{operator}">{parts}</CompoundPredicate>'
    if kind < 0.6:
        field = draw.choice(["a", "b"])
        operator = draw.choice(
            ["lessThan", "lessOrEqual", "greaterThan", "greaterOrEqual", "equal", "notEqual"]
        )
        if draw.random() < 0.1:
            return f'<SimplePredicate field="{field}" operator="isMissing"/>'
        value = draw.choice(WORLD[field])
        return f'<SimplePredicate field="{field}" operator="{operator}" value="{value}"/>'
    field, names = ("c", "pqrs") if draw.random() < 0.6 else ("d", "tuv")
    if draw.random() < 0.3:
        name = draw.choice(list(names))
        return f'<SimplePredicate field="{field}" operator="notEqual" value="{name}"/>'
    chosen = draw.choice(list(names), draw.integers(1, len(names)), replace=False)
    operator = draw.choice(["isIn", "isNotIn"])
    array = f'<Array type="string">{" ".join(chosen)}</Array>'
    how = f'field="{field}" booleanOperator="{operator}"'
    return f"<SimpleSetPredicate {how}>{array}</SimpleSetPredicate>"


def node(draw: np.random.Generator, counter: Any, asked: str, depth: int) -> str:
    name = next(counter)
    score = f' score="{draw.normal():.3f}"' if draw.random() < 0.9 else ""
    if depth == 0 or draw.random() < 0.2:
        return f'<Node id="{name}"{score}>{asked}</Node>'
    children = [
        node(draw, counter, predicate(draw) if k or draw.random() < 0.9 else "<True/>", depth - 1)
        for k in range(draw.integers(1, 4))
    ]
    first = children[draw.integers(len(children))].split('"')[1]
    return f'<Node id="{name}"{score} defaultChild="{first}">{asked}{"".join(children)}</Node>'


def random_model(seed: int, missing: str, nothing: str) -> str:
    draw = np.random.default_rng(seed)
    counter = iter(range(10_000))
    mined = "".join(f'<MiningField name="{f.name}"/>' for f in FIELDS)
    trees = "".join(
        f'<Segment><True/><TreeModel functionName="regression" missingValueStrategy="{missing}" '
        f'noTrueChildStrategy="{nothing}"><MiningSchema>{mined}</MiningSchema>'
        f"{node(draw, counter, '<True/>', 4)}</TreeModel></Segment>"
        for _ in range(3)
    )
    types = {"a": "double", "b": "float", "c": "string", "d": "string"}
    data = "".join(f'<DataField name="{k}" dataType="{v}"/>' for k, v in types.items())
    return (
        f"<PMML><DataDictionary>{data}</DataDictionary><MiningModel functionName='regression'>"
        f"<MiningSchema>{mined}</MiningSchema><Segmentation multipleModelMethod='sum'>{trees}"
        "</Segmentation></MiningModel></PMML>"
    )


@pytest.mark.parametrize(
    ("missing", "nothing"),
    [
        (missing, nothing)
        for missing in ("none", "lastPrediction", "nullPrediction", "defaultChild")
        for nothing in ("returnNullPrediction", "returnLastPrediction")
    ],
)
def test_random_trees_with_every_predicate_and_strategy(missing: str, nothing: str) -> None:
    for seed in range(6):
        text = random_model(seed, missing, nothing)
        score = PmmlModel.of(text.encode()).score(FIELDS, favourable="above", threshold=0.1)
        assert isinstance(score, TreeEnsemble)
        X = rows(FIELDS, WORLD, 400, seed)
        evaluator = Evaluator(text)
        given = [evaluator(row) for row in as_people(FIELDS, X)]
        none = np.array([one is None for one in given])
        assert not score.accepts(X)[none].any()
        expected = np.array([np.nan if one is None else one for one in given])
        np.testing.assert_allclose(score.raw(X)[~none], expected[~none], atol=1e-9)


def test_a_contribution_that_only_falls_is_known_to_be_bounded() -> None:
    from standfast.search.problem.contributions import is_bounded, is_monotone

    score = sf.as_score(
        sf.load_model(HERE / "logistic.pmml"), SCHEMAS["logistic"], favourable="good"
    )
    assert isinstance(score, Additive)
    for j, feature in enumerate(SCHEMAS["logistic"]):
        if feature.name == "debt":
            assert is_monotone(score, j)
        if feature.coder is not None:
            assert is_bounded(score, j, feature)
