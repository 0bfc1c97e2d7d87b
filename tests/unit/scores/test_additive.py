import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

from standfast.errors import InputError
from standfast.readers import as_score
from standfast.scores import Additive
from standfast.scores.score import LOGISTIC


def split(*parts, rest="passthrough", **options):
    """Each transformer for its own columns, and the rest as they are."""
    named = [(str(i), transformer, columns) for i, (transformer, columns) in enumerate(parts)]
    return ColumnTransformer(named, remainder=rest, **options)


def bins(count, **options):
    return KBinsDiscretizer(count, quantile_method="averaged_inverted_cdf", **options)


def shifted_log(column):
    return np.log(column + 1.5)


def two_powers(table):
    return np.column_stack([table["debt"] ** 0.25, table["debt"] ** 0.5])


SCALES = (StandardScaler(), ["age", "income", "trend"])
NAMED = {
    "logarithm": lambda: split((FunctionTransformer(np.log1p), ["debt", "income", "usage"])),
    "own function": lambda: split((FunctionTransformer(shifted_log), ["debt"]), SCALES),
    "own function of a table": lambda: split((FunctionTransformer(two_powers), ["debt"]), SCALES),
    "box-cox": lambda: split((PowerTransformer("box-cox"), ["age", "income"])),
    "one-hot": lambda: split(
        (OneHotEncoder(handle_unknown="ignore"), ["homes", "late"]), SCALES, rest="drop"
    ),
    "one-hot, rare ones together": lambda: split(
        (OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=3), ["homes", "late"]),
        SCALES,
    ),
    "one-hot, first dropped": lambda: split(
        (OneHotEncoder(drop="if_binary", handle_unknown="ignore"), ["homes", "late"]), SCALES
    ),
    "ordinal codes": lambda: split(
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), ["late"]), SCALES
    ),
    "target codes": lambda: split((TargetEncoder(cv=3, random_state=0), ["late"]), SCALES),
    "above or not": lambda: split((Binarizer(threshold=1.0), ["late"]), SCALES),
    "powers of one input": lambda: split((PolynomialFeatures(3), ["age"]), SCALES),
    "weighted parts": lambda: split(
        (SplineTransformer(), ["age"]), SCALES, transformer_weights={"0": 2.5}
    ),
    "chosen by slice": lambda: split(
        (StandardScaler(), slice("usage", "late")), (bins(3), slice(3, 5)), rest="drop"
    ),
    "chosen by mask": lambda: split(
        (bins(4), [True, False, False, True, False, False, False]), rest=RobustScaler()
    ),
    "a scorecard": lambda: split(
        (make_pipeline(FunctionTransformer(np.log1p), bins(5)), ["debt", "income"]),
        (make_pipeline(SimpleImputer(), PowerTransformer()), ["usage"]),
        (OneHotEncoder(handle_unknown="ignore"), ["homes"]),
        (make_pipeline(StandardScaler(), SplineTransformer(n_knots=4)), ["age"]),
    ),
}
PLAIN = {
    "power": PowerTransformer,
    "power, not standardised": lambda: make_pipeline(
        PowerTransformer(standardize=False), MaxAbsScaler()
    ),
    "uniform ranks": lambda: QuantileTransformer(n_quantiles=100),
    "normal ranks": lambda: QuantileTransformer(n_quantiles=100, output_distribution="normal"),
    "clipped range": lambda: MinMaxScaler(clip=True),
    "bins": lambda: bins(5),
    "dense bins, scaled": lambda: make_pipeline(bins(4, encode="onehot-dense"), StandardScaler()),
    "numbered bins": lambda: KBinsDiscretizer(6, encode="ordinal", strategy="uniform"),
    "spline, constant": lambda: make_pipeline(StandardScaler(), SplineTransformer()),
    "spline, linear": lambda: make_pipeline(
        StandardScaler(), SplineTransformer(extrapolation="linear", knots="quantile", n_knots=3)
    ),
    "spline, continued": lambda: make_pipeline(
        StandardScaler(), SplineTransformer(degree=2, extrapolation="continue")
    ),
    "spline, periodic": lambda: SplineTransformer(extrapolation="periodic", include_bias=False),
    "sparse spline, scaled": lambda: make_pipeline(
        SplineTransformer(sparse_output=True), MaxAbsScaler()
    ),
    "a marker of missing values": lambda: make_pipeline(
        SimpleImputer(missing_values=0.0, add_indicator=True), StandardScaler()
    ),
    "side by side": lambda: FeatureUnion(
        [("a", StandardScaler()), ("b", bins(3)), ("c", "passthrough"), ("d", "drop")],
        transformer_weights={"b": 0.5},
    ),
}
FRONTS = [(front, True) for front in (*NAMED, *PLAIN)] + [(front, False) for front in PLAIN]


def fitted(front, table, labels, model=None):
    model = model or LogisticRegression(max_iter=200, C=0.1)
    pipeline = Pipeline([("front", front), ("model", model)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence and tiny bins are not what is tested
        return pipeline.fit(table, labels)


@pytest.mark.parametrize(("front", "framed"), FRONTS)
def test_the_sum_is_the_estimators_own_decision_on_every_row(credit, front, framed):
    make = {**NAMED, **PLAIN}[front]
    pipeline = fitted(make(), credit.table if framed else credit.table.to_numpy(), credit.labels)
    X = credit.fresh.to_numpy()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Found unknown categories")
        decision = pipeline.decision_function(credit.fresh if framed else X)
        chance = pipeline.predict_proba(credit.fresh if framed else X)
    for favourable, threshold in ((1, 0.35), (0, 0.6)):
        model = as_score(pipeline, credit.schema, favourable=favourable, threshold=threshold)
        assert isinstance(model, Additive)
        towards = decision if favourable == 1 else -decision
        np.testing.assert_allclose(model.raw(X), towards, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(
            model.score(X), chance[:, favourable] - threshold, rtol=0, atol=1e-12
        )


def test_a_decision_value_is_read_like_a_probability(credit):
    pipeline = fitted(bins(4), credit.table, credit.labels, RidgeClassifier())
    model = as_score(pipeline, credit.schema, favourable=0, threshold=0.1)
    own = -pipeline.decision_function(credit.fresh) - 0.1
    assert not model.probability
    np.testing.assert_allclose(model.score(credit.fresh.to_numpy()), own, rtol=0, atol=1e-12)


def test_on_the_edges_of_its_bins_a_scorecard_decides_as_its_estimator(credit):
    pipeline = fitted(bins(5), credit.table, credit.labels)
    model = as_score(pipeline, credit.schema, favourable=1)
    X = np.tile(credit.table.median().to_numpy(), (200, 1))
    rng = np.random.default_rng(0)
    for j, edges in enumerate(pipeline[0].bin_edges_):
        at = rng.choice(edges, len(X))
        X[:, j] = np.where(rng.random(len(X)) < 0.5, at, np.nextafter(at, -np.inf))
    decision = pipeline.decision_function(pd.DataFrame(X, columns=list(credit.table)))
    np.testing.assert_allclose(model.raw(X), decision, rtol=0, atol=1e-12)


def test_a_scorecards_input_is_one_look_up(credit):
    model = as_score(fitted(bins(5), credit.table, credit.labels), credit.schema, favourable=1)
    assert [len(function.terms) for function in model.functions] == [1] * 7


def test_an_input_that_is_not_read_adds_nothing(credit):
    front = split((bins(4), ["age"]), rest="drop")
    model = as_score(fitted(front, credit.table, credit.labels), credit.schema, favourable=1)
    assert np.array_equal(model.functions[0](np.array([-5.0, 1e9])), [0.0, 0.0])


def test_a_value_that_the_pipeline_refuses_is_never_accepted(credit):
    logs, codes = (FunctionTransformer(np.log), ["income"]), (OneHotEncoder(), ["homes"])
    front = split(logs, codes, (StandardScaler(), ["age", "trend"]), rest="drop")
    model = as_score(fitted(front, credit.table, credit.labels), credit.schema, favourable=1)
    X = np.tile(credit.table.iloc[0].to_numpy(), (4, 1))
    X[1, 4], X[2, 4], X[3, 5] = 0.0, -3.0, 17.0
    assert isinstance(model, Additive)
    assert np.isfinite(model.raw(X)).tolist() == [True, False, False, False]
    assert (model.score(X)[1:] < 0).all()
    assert not model.accepts(X, margin=-0.4999)[1:].any()


def test_a_rows_score_does_not_depend_on_its_company(credit):
    model = as_score(
        fitted(NAMED["a scorecard"](), credit.table, credit.labels), credit.schema, favourable=1
    )
    X = credit.fresh.to_numpy()
    alone = np.concatenate([model.score(X[i : i + 1]) for i in range(60)])
    assert np.array_equal(model.score(X)[:60], alone)


def test_it_pickles_with_the_same_fingerprint_and_the_same_scores(credit):
    pipeline = fitted(NAMED["a scorecard"](), credit.table, credit.labels)
    model = as_score(pipeline, credit.schema, favourable=1)
    again = pickle.loads(pickle.dumps(model))
    X = credit.fresh.to_numpy()
    assert again.digest == model.digest
    assert np.array_equal(again.score(X), model.score(X))
    assert as_score(pipeline, credit.schema, favourable=1).digest == model.digest
    assert as_score(pipeline, credit.schema, favourable=1, threshold=0.4).digest != model.digest


def test_it_can_be_built_by_hand():
    model = Additive((np.log1p, np.sqrt), offset=-1.0, link=LOGISTIC, threshold=0.5)
    assert model.width == 2
    assert model.probability
    assert model.cutoff() == 0.0
    assert model.raw(np.array([[0.0, 4.0]])) == pytest.approx([1.0])
    assert model.accepts(np.array([[0.0, 4.0], [0.0, 0.0]])).tolist() == [True, False]


@pytest.mark.parametrize(
    ("functions", "offset", "sentence"),
    [
        ((), 0.0, "at least one function"),
        ((np.log1p, 3), 0.0, "function 1 is 3; give one function per input"),
        ((np.log1p,), np.nan, "the offset is nan; it must be a finite number"),
    ],
)
def test_what_is_no_sum_of_functions_is_refused(functions, offset, sentence):
    with pytest.raises(InputError, match=sentence):
        Additive(functions, offset)
