import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    SplineTransformer,
    StandardScaler,
)

from standfast import (
    ActionableRecourse,
    Additive,
    Feature,
    GrowingSpheres,
    InputError,
    Linear,
    MinimalCost,
    Percentiles,
    Recommendations,
    Schema,
    Unanimous,
    as_score,
    datasets,
    recommend,
    region,
)

TWIN = datasets.twin("heloc", n=2000, seed=0, variant="published")
Q = Percentiles.fit(TWIN.table)
PEOPLE = TWIN.table.iloc[:40]


def sampled(regions, person, n=2000, seed=0):
    """Admissible points of one person's box, drawn at random; its ends are among their values."""
    rng = np.random.default_rng(seed)
    lower, upper = (t.loc[person].to_numpy(dtype=float) for t in (regions.lower, regions.upper))
    points = np.empty((n, len(lower)))
    for j, (f, a, b) in enumerate(zip(regions.schema, lower, upper, strict=True)):
        k = np.arange(np.ceil(a / f.step - 1e-9), np.floor(b / f.step + 1e-9) + 1)
        values = np.round(k * f.step, f.decimals)
        points[:, j] = rng.choice(np.concatenate([values, [a, b]]), n)
    return points


def check_that_all_is_accepted(recs, regions, model):
    found = recs.index[recs.found]
    assert len(found)
    assert regions.found.equals(recs.found.rename("found"))
    for person in found:
        points = sampled(regions, person)
        lawful = points[recs.schema.admits(recs.factual.loc[person].to_numpy(dtype=float), points)]
        assert len(lawful) > 10
        assert model.accepts(lawful).all()
        goal = recs.counterfactual.loc[person].astype(float)
        assert (regions.lower.loc[person] <= goal).all()
        assert (goal <= regions.upper.loc[person]).all()


def fitted(estimator, labels=(-1, 1)):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(TWIN.table, np.where(TWIN.labels == 1, labels[1], labels[0]))


BINS = KBinsDiscretizer(5, quantile_method="averaged_inverted_cdf")
ESTIMATORS = {
    "random forest": RandomForestClassifier(20, max_depth=5, random_state=0),
    "extra trees": ExtraTreesClassifier(20, max_depth=5, random_state=0),
    "gradient boosting": GradientBoostingClassifier(n_estimators=20, random_state=0),
    "histogram boosting": HistGradientBoostingClassifier(max_iter=20, max_depth=4, random_state=0),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    "scorecard of bins": make_pipeline(BINS, LogisticRegression(max_iter=2000)),
    "scorecard of logs": make_pipeline(
        FunctionTransformer(np.log1p), StandardScaler(), LogisticRegression(max_iter=2000)
    ),
    "scorecard of splines": make_pipeline(
        StandardScaler(), SplineTransformer(4), LogisticRegression(max_iter=2000)
    ),
}


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_estimator_itself_accepts_every_admissible_point_of_the_box(kind):
    model = as_score(fitted(ESTIMATORS[kind]), TWIN.schema, favourable=1)
    recs = recommend(MinimalCost(TWIN.schema, Q), model, PEOPLE.iloc[:20])
    regions = region(recs, model, Q)
    check_that_all_is_accepted(recs, regions, model)
    assert regions.gained[regions.found].max() > 0.05


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_boosting_libraries_accept_every_admissible_point_of_the_box(library):
    module = pytest.importorskip(library)
    options = {"n_estimators": 20, "max_depth": 4}
    estimator = (
        module.XGBClassifier(**options)
        if library == "xgboost"
        else module.LGBMClassifier(**options, verbose=-1)
    )
    model = as_score(fitted(estimator, (0, 1)), TWIN.schema, favourable=1)
    recs = recommend(MinimalCost(TWIN.schema, Q), model, PEOPLE.iloc[:20])
    check_that_all_is_accepted(recs, region(recs, model, Q), model)


@pytest.mark.parametrize("method", [GrowingSpheres, ActionableRecourse, MinimalCost])
def test_answers_of_any_method_are_widened(method):
    model = as_score(fitted(ESTIMATORS["logistic regression"]), TWIN.schema, favourable=1)
    recs = recommend(method(TWIN.schema, Q), model, PEOPLE)
    check_that_all_is_accepted(recs, region(recs, model, Q), model)


def test_members_margins_and_support_hold_in_the_whole_box():
    models = [
        as_score(fitted(ESTIMATORS[kind]), TWIN.schema, favourable=1)
        for kind in ("random forest", "logistic regression", "scorecard of bins")
    ]
    usual = IsolationForest(n_estimators=30, random_state=0).fit(TWIN.table)
    support = as_score(usual, TWIN.schema, favourable=1)
    margins = (0.05, 0.02, 0.0, 0.0)
    together = Unanimous((*models, support), margins)
    recs = recommend(MinimalCost(TWIN.schema, Q, boxes=3000), together, PEOPLE.iloc[:15])
    regions = region(recs, together, Q)
    check_that_all_is_accepted(recs, regions, together)
    for person in recs.index[recs.found]:
        points = sampled(regions, person, 300)
        for model, margin in zip((*models, support), margins, strict=True):
            assert model.accepts(points, margin).all()


# what is told


def line(weights, offset, schema, table, people, **options):
    model, q = Linear(weights, offset), Percentiles.fit(table)
    recs = recommend(MinimalCost(schema, q, **options), model, people)
    return recs, region(recs, model, q)


TABLE = pd.DataFrame({"late": [0, 0, 1, 2, 3, 6], "share": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]})
COUNTED = Schema((Feature("late", "count", label="late payments"), Feature("share", step=0.01)))


@pytest.mark.parametrize(
    ("weights", "offset", "shown"),
    [
        ([-1.0, 0.0], 0.5, "Keep late payments exactly 0."),
        ([-1.0, 0.0], 1.5, "Keep late payments 0 or 1."),
        ([-1.0, 0.0], 2.5, "Keep late payments at most 2."),
        ([0.0, -1.0], 0.4251, "Keep share at most 0.42."),
        ([0.0, 1.0], -0.5951, "Keep share exactly 0.6."),
    ],
)
def test_a_box_reads_as_people_speak(weights, offset, shown):
    refused = pd.DataFrame({"late": [6], "share": [0.6 if weights[1] <= 0 else 0.1]})
    _, regions = line(weights, offset, COUNTED, TABLE, refused)
    assert regions.sentences().tolist() == [shown]


def test_several_bounds_are_one_sentence():
    q = Percentiles.fit(TABLE)
    model = Unanimous((Linear([-1.0, 0.0], 1.5), Linear([0.0, -1.0], 0.4251)))
    recs = recommend(MinimalCost(COUNTED, q), model, TABLE.tail(1))
    (shown,) = region(recs, model, q).sentences()
    assert shown == "Keep late payments 0 or 1 and share at most 0.42."


def test_bounds_below_between_and_off_the_grid_are_told_as_they_are():
    schema = Schema((Feature("a", lower=0, upper=9, step=1), Feature("b", step=0.1)))
    table = pd.DataFrame({"a": range(10), "b": np.linspace(0, 0.9, 10).round(1)})
    hill = Additive([lambda v: -np.abs(v - 4.0), lambda v: 3.0 * (v > 0.54321)], -1.5)
    q = Percentiles.fit(table)
    people = pd.DataFrame({"a": [1], "b": [0.54327]})
    recs = recommend(MinimalCost(schema, q), hill, people)
    (shown,) = region(recs, hill, q).sentences()
    assert shown == "Keep a between 3 and 5 and b at least 0.54327."


def test_what_may_take_any_value_is_not_mentioned():
    model, q = Linear([1.0, 0.0], 0.0), Percentiles.fit(TABLE)
    recs = recommend(MinimalCost(COUNTED, q), model, TABLE.head(1))
    assert region(recs, model, q).sentences().tolist() == ["Keep late payments at least 1."]
    up = replace(COUNTED, features=(replace(COUNTED["late"], direction="up"), COUNTED["share"]))
    model = Linear([1.0, 0.0], -0.5)
    whole = region(recommend(MinimalCost(up, q), model, TABLE.head(1)), model, q)
    assert whole.gained.iloc[0] < 1.0
    fixed = replace(COUNTED, features=(COUNTED["late"], replace(COUNTED["share"], mutable=False)))
    box = region(recommend(MinimalCost(fixed, q), Linear([1, 0], 0), TABLE.head(1)), model, q)
    assert "share" not in box.sentences().iloc[0]


def test_everybody_keeps_a_row_and_who_has_no_box_is_told_why():
    recs, regions = line([-1.0, 0.0], -0.5, COUNTED, TABLE, TABLE)
    assert len(regions) == len(recs)
    assert not regions.found.any()
    assert regions.gained.isna().all()
    assert regions.sentences().equals(recs.sentences())
    recs, regions = line([-1.0, 0.0], 1.5, COUNTED, TABLE, TABLE)
    frame = regions.to_frame()
    assert frame.columns.tolist() == ["person", "feature", "lower", "upper", "least", "greatest"]
    assert len(frame) == len(TABLE) * 2
    assert frame["person"].drop_duplicates().tolist() == TABLE.index.tolist()
    boxed = frame["person"].map(recs.found)
    assert frame.loc[boxed, ["lower", "upper", "least", "greatest"]].notna().all(axis=None)
    assert frame.loc[~boxed, ["lower", "upper"]].isna().all(axis=None)
    assert repr(regions).startswith("<Regions: 6 people, 3 with a box, ")


def test_advice_that_the_model_given_refuses_has_no_box():
    q = Percentiles.fit(TABLE)
    recs = recommend(MinimalCost(COUNTED, q), Linear([-1.0, 0.0], 1.5), TABLE.tail(2))
    regions = region(recs, Linear([-1.0, 0.0], 0.5), q)
    assert not regions.found.any()
    assert regions.sentences().str.contains("refuses this advice").all()


def test_an_answer_within_the_clearance_is_its_own_box():
    table = pd.DataFrame({"v": [0.0, 1.0, 2.0]})
    schema, q = Schema((Feature("v", step=0.5),)), Percentiles.fit(table)
    generous = recommend(MinimalCost(schema, q), Linear([1.0], -0.9), table.head(1))
    barely = Linear([1.0], -float(generous.counterfactual["v"].iloc[0]) + 1e-10)
    regions = region(generous, barely, q)
    assert regions.lower["v"].tolist() == regions.upper["v"].tolist() == [1.0]
    assert regions.gained.tolist() == [0.0]


def test_the_share_gained_counts_people_of_the_reference_table():
    _, regions = line([-1.0, 0.0], 1.5, COUNTED, TABLE, TABLE.tail(1))
    # late payments: of 6 people 1 stands on the advised 1, 2 more on 0 and 3 on what is refused;
    # share: 1 on the advised 0.6, and the box holds the other 5
    assert regions.gained.iloc[0] == pytest.approx((2 + 5) / (5 + 5))


def test_the_side_with_most_people_is_extended_first():
    schema = Schema((Feature("a", "count"), Feature("b", "count")))
    many_below_b = pd.DataFrame({"a": [0, 1, 2, 2, 2], "b": [0, 1, 1, 1, 2]})
    for table, lower in (
        (many_below_b, [2, 1]),
        (many_below_b.set_axis(["b", "a"], axis=1), [1, 2]),
    ):
        q = Percentiles.fit(table)
        recs = recommend(MinimalCost(schema, q), Linear([1.0, 1.0], -3.5), table.head(1))
        assert recs.counterfactual.iloc[0].tolist() == [2, 2]
        # this model could do with one less, of a or of b
        relaxed = region(recs, Linear([1.0, 1.0], -2.5), q)
        assert relaxed.lower.iloc[0].tolist() == lower


# grids and numbers


@pytest.mark.parametrize("step", [1.0, 0.01, 0.001])
def test_on_a_fine_grid_the_last_admissible_value_is_found(step):
    rng = np.random.default_rng(0)
    schema = Schema((Feature("income", "positive", step=step), Feature("n", "count")))
    table = pd.DataFrame({"income": rng.lognormal(8, 1, 500).round(3), "n": rng.poisson(2, 500)})
    model = Linear([0.001, -1.0], -3.0)
    q = Percentiles.fit(table)
    recs = recommend(MinimalCost(schema, q), model, table)
    regions = region(recs, model, q)
    closed = 0
    for person in recs.index[recs.found]:
        n = regions.upper.loc[person, "n"]
        low, least = regions.lower.loc[person, "income"], regions.least.loc[person, "income"]
        decimals = schema["income"].decimals
        assert 0.001 * low - n - 3.0 > 1e-9
        own = recs.factual.loc[person, "income"]
        if low > least and low != own:
            closed += 1
            before = max(round(low - step, decimals), own if own < low else -np.inf)
            assert 0.001 * before - n - 3.0 <= 1e-9 + 1e-12
            assert round(low, decimals) == low
    assert closed > 50


def test_numbers_without_a_step_end_at_the_very_last_one():
    table = pd.DataFrame({"a": np.linspace(-3, 3, 50), "b": np.linspace(0, 1, 50)})
    schema, q = Schema((Feature("a"), Feature("b"))), Percentiles.fit(table)
    tree = RandomForestClassifier(5, max_depth=3, random_state=0)
    tree.fit(table, np.where(table["a"] + table["b"] > 1, 1, -1))
    models = Unanimous((as_score(tree, schema, favourable=1), Linear([1.0, 0.1], -0.9)))
    recs = recommend(GrowingSpheres.as_published(schema, q), models, table.head(10))
    regions = region(recs, models, q)
    assert regions.found.all()
    assert np.isinf(regions.upper.to_numpy()).all()
    low = regions.lower.to_numpy()
    assert models.accepts(low).all()
    rng = np.random.default_rng(0)
    for corner in low:
        inside = corner + rng.exponential(2.0, (500, 2))
        assert models.accepts(inside).all()
        for j in range(2):
            less = corner.copy()
            less[j] = np.nextafter(corner[j], -np.inf)
            linear = less @ [1.0, 0.1] - 0.9 <= 1e-9 + 1e-15
            assert linear or not models.scores[0].accepts(less[None, :])[0]


def test_without_a_step_an_input_that_a_scorecard_bends_stays_as_advised():
    table = pd.DataFrame({"a": np.linspace(0, 9, 30), "b": np.linspace(0, 9, 30)})
    schema = Schema((Feature("a", step=0.0), Feature("b", step=0.5)))
    q, model = Percentiles.fit(table), Additive([np.sin, np.sin], 0.5)
    recs = recommend(MinimalCost(schema, q), model, table)
    regions = region(recs, model, q)
    goals = recs.counterfactual[recs.found]
    assert (regions.lower["a"][recs.found] == goals["a"]).all()
    assert (regions.upper["a"][recs.found] == goals["a"]).all()
    assert (regions.upper["b"] > regions.lower["b"])[recs.found].any()


def test_millions_of_values_that_a_scorecard_bends_are_all_looked_at():
    table = pd.DataFrame({"a": np.append(np.linspace(0, 3, 200), 3000.0), "b": 1.0})
    schema = Schema((Feature("a", step=0.001), Feature("b", step=1, lower=0, upper=5)))
    # one value in three million is refused
    dent = Additive([lambda v: np.where(np.round(v, 3) == 1234.567, -9.0, 0.0), lambda v: v], -1.5)
    q = Percentiles.fit(table)
    recs = recommend(MinimalCost(schema, q), dent, table.head(1))
    regions = region(recs, dent, q)
    assert regions.upper["a"].tolist() == [1234.566]
    assert regions.sentences().tolist() == ["Keep a at most 1234.566 and b at least 2."]


def test_categories_are_sets_that_need_not_be_neighbours():
    month = Feature("month", "nominal", categories=("feb", "jul", "mar", "oct"))
    ways = {"cook": ["clerk", "judge"], "clerk": ["cook"]}
    jobs = ("clerk", "cook", "judge", "nurse")
    job = Feature("job", "nominal", categories=jobs, transitions=ways, when_missing="fill")
    table = pd.DataFrame({"month": ["feb", "jul", "mar", "oct"], "job": [*jobs[:3], None]})
    months, trades = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.5, 0.0, 0.5, 0.5, 0.0])
    parts = [lambda v: months[v.astype(int)], lambda v: trades[np.where(v < 0, 4, v).astype(int)]]
    schema, model = Schema((month, job)), Additive(parts, -1.2)
    q = Percentiles.fit(table)
    people = pd.DataFrame({"month": ["jul", "jul"], "job": ["cook", None]})
    found = region(recommend(MinimalCost(schema, q), model, people), model, q)
    assert found.categories.loc[0].tolist() == [("mar", "oct"), ("clerk", "judge")]
    # nobody who is a cook becomes a nurse, but where nothing was known anything may be filled in
    assert found.reachable["job"].tolist() == [("clerk", "cook", "judge"), jobs]
    assert found.sentences().tolist() == [
        "Keep month one of mar, oct and job one of clerk, judge.",
        "Keep month one of mar, oct and job one of clerk, judge, nurse.",
    ]
    long = found.to_frame().set_index(["person", "feature"])
    assert long.loc[(0, "month"), "categories"] == ("mar", "oct")
    assert long[["lower", "upper", "least", "greatest"]].isna().all(axis=None)


def test_what_breaks_a_rule_need_not_be_accepted():
    schema = Schema(
        (Feature("a", "count", upper=3), Feature("b", "count", upper=3)),
        rules=("if a >= 2 then b == 0", "if b >= 2 then a == 0"),
    )
    table = pd.DataFrame({"a": [0, 1, 2, 3], "b": [0, 1, 2, 3]})
    model, q = Linear([1.0, 0.0], -0.5), Percentiles.fit(table)
    recs = recommend(MinimalCost(schema, q), model, table.head(1))
    assert region(recs, model, q).sentences().tolist() == ["Keep a at least 1."]


# misuse


def test_a_model_that_cannot_be_read_is_refused_like_by_the_exact_search():
    blind = as_score(lambda t: 9.0 - t.sum(axis=1).to_numpy(), COUNTED, favourable=None)
    q = Percentiles.fit(TABLE)
    recs = recommend(GrowingSpheres(COUNTED, q), Linear([-1.0, 0.0], 1.5), TABLE)
    model = Unanimous((Linear([-1.0, 0.0], 1.5), blind))
    with pytest.raises(InputError) as search:
        recommend(MinimalCost(COUNTED, q), Unanimous((model, Linear([-1, 0], -1))), TABLE)
    with pytest.raises(InputError, match=re.escape(str(search.value))):
        region(recs, model, q)


def test_misuse_is_told_in_a_sentence():
    q = Percentiles.fit(TABLE)
    recs = recommend(MinimalCost(COUNTED, q), Linear([-1.0, 0.0], 1.5), TABLE)
    with pytest.raises(InputError, match="str is not a score"):
        region(recs, "model", q)
    with pytest.raises(InputError, match="reads 3 inputs and the recommendations have 2"):
        region(recs, Linear([1.0, 1.0, 1.0], 0.0), q)
    with pytest.raises(InputError, match="fitted without 'share'"):
        region(recs, Linear([-1.0, 0.0], 1.5), Percentiles.fit(TABLE[["late"]]))
    elsewhere = recs.counterfactual.assign(share=[0.123] * len(recs))
    odd = Recommendations(recs.schema, recs.factual, elsewhere, recs.results, {})
    with pytest.raises(InputError, match="does not admit its advice for 3, 4, 5"):
        region(odd, Linear([-1.0, 0.0], 1.5), q)


def test_recommendations_from_a_file_are_widened_the_same(tmp_path):
    model = as_score(fitted(ESTIMATORS["random forest"]), TWIN.schema, favourable=1)
    recs = recommend(MinimalCost(TWIN.schema, Q), model, PEOPLE.iloc[:10])
    recs.write(tmp_path / "advice.csv")
    again = region(Recommendations.read(tmp_path / "advice.csv"), model, Q)
    pd.testing.assert_frame_equal(again.to_frame(), region(recs, model, Q).to_frame())
