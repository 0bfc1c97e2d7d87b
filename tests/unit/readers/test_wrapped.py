"""Models around models: calibrators, votes, stacks, thresholds of their own, sets of classes."""

import pickle

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from samples.cheapest import assert_cheapest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

import standfast as sf
from standfast.readers.structures import pack, unpack
from standfast.rivals import folder
from standfast.rivals.reference import Reference
from standfast.scores import BlackBox, Paired
from standfast.scores.acceptance import accepted
from standfast.scores.score import surely_accepts

frozen = pytest.importorskip("sklearn.frozen")  # scikit-learn 1.6
SCHEMA = sf.Schema(tuple(sf.Feature(name, "count") for name in "abc"))
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(RNG.integers(0, 9, (240, 3)), columns=list("abc"))
GOOD = TABLE["a"] + TABLE["b"] * (TABLE["c"] > 3) + RNG.normal(0, 1.5, 240) > 6
LABELS = np.where(GOOD, "yes", "no")
GRADES = np.where(TABLE["a"] > 6, "good", np.where(TABLE["b"] > 4, "fair", "poor"))
ROWS = np.vstack([RNG.integers(-1, 11, (1500, 3)), RNG.normal(4, 4, (1500, 3))]).astype(float)

FOREST = RandomForestClassifier(8, max_depth=4, random_state=0)
MORE = ExtraTreesClassifier(6, max_depth=3, random_state=0)
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())
BOOSTED = GradientBoostingClassifier(n_estimators=6, random_state=0)
BINS = make_pipeline(KBinsDiscretizer(3, strategy="uniform"), LinearSVC())
INSIDE = {
    "forest": (FOREST, sf.scores.TreeEnsemble),
    "linear": (LOGISTIC, sf.Linear),
    "boosted": (BOOSTED, sf.scores.TreeEnsemble),
    "histograms": (HistGradientBoostingClassifier(max_iter=6), sf.scores.TreeEnsemble),
    "lightgbm": (LGBMClassifier(n_estimators=6, verbose=-1, n_jobs=1), sf.scores.TreeEnsemble),
    "vectors": (LinearSVC(), sf.Linear),
    "bins": (BINS, sf.Additive),
}


def calibrated(inside, method, labels=LABELS):
    fitted = frozen.FrozenEstimator(inside.fit(TABLE, labels))
    return CalibratedClassifierCV(fitted, method=method, ensemble=False).fit(TABLE, labels)


def off(score):
    return np.abs(score.score(ROWS) - (score.prediction(ROWS) - score.threshold)).max()


# calibrators


@pytest.mark.parametrize("favourable", ["yes", "no"])
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("name", INSIDE)
def test_a_calibrated_model_is_the_model_inside_seen_through_a_link(name, method, favourable):
    inside, kind = INSIDE[name]
    model = calibrated(inside, method)
    score = sf.as_score(model, SCHEMA, favourable=favourable, threshold=0.55)
    assert isinstance(score, kind)
    assert score.probability
    assert off(score) <= 1e-9
    own = score.prediction(ROWS) > 0.55
    assert np.array_equal(score.accepts(ROWS), own)
    assert np.array_equal(accepted(score, ROWS), own)
    assert own[surely_accepts(score, ROWS)].all()


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_a_calibrated_model_of_32_bits_never_promises_what_the_estimator_refuses(method):
    model = calibrated(XGBClassifier(n_estimators=6), method, GOOD.astype(int))
    score = sf.as_score(model, SCHEMA, favourable=1)
    assert isinstance(score, sf.scores.TreeEnsemble)
    own = score.prediction(ROWS) > 0.5
    assert own[surely_accepts(score, ROWS)].all()
    assert np.array_equal(accepted(score, ROWS), score.accepts(ROWS))
    assert surely_accepts(score, ROWS).sum() >= 0.9 * own.sum()


@pytest.mark.parametrize("favourable", ["yes", "no"])
def test_a_threshold_on_a_flat_part_of_an_isotonic_calibrator_is_exceeded_behind_it(favourable):
    model = calibrated(LOGISTIC, "isotonic")
    flat = np.unique(model.calibrated_classifiers_[0].calibrators[0].y_thresholds_)
    for level in flat[(flat > 0) & (flat < 1)]:
        level = float(level if favourable == "yes" else 1.0 - level)
        score = sf.as_score(model, SCHEMA, favourable=favourable, threshold=level)
        own, raw = score.prediction(ROWS), score.raw(ROWS)
        assert np.array_equal(own > level + 1e-9, raw > score.cutoff(1e-9))
        assert (own[raw > score.sure_cutoff()] > level).all()
        if np.isfinite(score.cutoff()):
            assert score.link.apply(np.array([score.cutoff()]))[0] <= level + 1e-12


def test_a_calibrated_model_inside_a_pipeline_is_read():
    inside = CalibratedClassifierCV(FOREST, method="isotonic", ensemble=False, cv=3)
    model = make_pipeline(StandardScaler(), inside).fit(TABLE, LABELS)
    score = sf.as_score(model, SCHEMA, favourable="yes")
    assert isinstance(score, sf.scores.TreeEnsemble)
    assert off(score) <= 1e-9


def test_several_calibrators_stay_a_black_box_that_says_why():
    model = CalibratedClassifierCV(LogisticRegression(), cv=3).fit(TABLE, LABELS)
    score = sf.as_score(model, SCHEMA, favourable="yes")
    assert isinstance(score, BlackBox)
    assert score.why.startswith("its probability is the mean of 3 calibrated models")
    method = sf.MinimalCost(SCHEMA, sf.Percentiles.fit(TABLE))
    with pytest.raises(sf.InputError, match=r"cannot be read \(its probability is the mean of 3"):
        sf.recommend(method, score, TABLE.iloc[:1])


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_the_cheapest_advice_under_a_calibrated_forest_is_the_cheapest_there_is(method):
    score = sf.as_score(calibrated(FOREST, method), SCHEMA, favourable="yes", threshold=0.6)
    refused = TABLE[~score.accepts(SCHEMA.matrix(TABLE))].iloc[:5]
    assert assert_cheapest(score, SCHEMA, TABLE, refused) == 5


# votes and stacks


@pytest.mark.parametrize("favourable", ["yes", "no"])
def test_a_soft_vote_of_forests_is_one_forest(favourable):
    members = [("f", FOREST), ("g", MORE), ("t", DecisionTreeClassifier(max_depth=3))]
    model = VotingClassifier(members, voting="soft", weights=[3, 1, 0.5]).fit(TABLE, LABELS)
    score = sf.as_score(model, SCHEMA, favourable=favourable, threshold=0.55)
    assert isinstance(score, sf.scores.TreeEnsemble)
    assert off(score) <= 1e-9
    refused = TABLE[~score.accepts(SCHEMA.matrix(TABLE))].iloc[:4]
    assert assert_cheapest(score, SCHEMA, TABLE, refused) == 4


def test_a_vote_with_a_probability_that_is_no_sum_stays_a_black_box_that_says_why():
    model = VotingClassifier([("f", FOREST), ("l", LOGISTIC)], voting="soft").fit(TABLE, LABELS)
    score = sf.as_score(model, SCHEMA, favourable="yes")
    assert isinstance(score, BlackBox)
    assert "that of its LogisticRegression is not a sum" in score.why


STACKS = {
    "linear models": ([("s", LinearSVC()), ("l", LogisticRegression())], "decision_function",
                      sf.Linear),
    "forests": ([("f", FOREST), ("g", MORE)], "auto", sf.scores.TreeEnsemble),
    "bins": ([("b", BINS), ("s", LinearSVC())], "auto", sf.Additive),
    "both": ([("b", BINS), ("g", BOOSTED)], "decision_function", Paired),
}  # fmt: skip


@pytest.mark.parametrize("favourable", ["yes", "no"])
@pytest.mark.parametrize("name", STACKS)
def test_a_stack_under_a_linear_model_is_one_sum(name, favourable):
    members, method, kind = STACKS[name]
    model = StackingClassifier(members, LogisticRegression(), stack_method=method, cv=2)
    score = sf.as_score(model.fit(TABLE, LABELS), SCHEMA, favourable=favourable)
    assert isinstance(score, kind)
    assert off(score) <= 1e-9


def test_a_stack_that_passes_its_inputs_on_is_read():
    members = [("s", LinearSVC()), ("f", FOREST)]
    model = StackingClassifier(members, LogisticRegression(), cv=2, passthrough=True)
    score = sf.as_score(model.fit(TABLE, LABELS), SCHEMA, favourable="yes")
    assert isinstance(score, Paired)
    assert off(score) <= 1e-9


@pytest.mark.parametrize(
    ("members", "final", "reason"),
    [
        ([("l", LOGISTIC)], LogisticRegression(), "the probability of its LogisticRegression is"),
        ([("f", FOREST)], DecisionTreeClassifier(), "its final estimator is not a linear model"),
    ],
)
def test_a_stack_that_is_no_sum_stays_a_black_box_that_says_why(members, final, reason):
    model = StackingClassifier(members, final, cv=2).fit(TABLE, LABELS)
    score = sf.as_score(model, SCHEMA, favourable="yes")
    assert isinstance(score, BlackBox)
    assert score.why.startswith(reason)


# thresholds of their own


@pytest.mark.parametrize("favourable", ["yes", "no"])
@pytest.mark.parametrize(
    "model",
    [
        FixedThresholdClassifier(FOREST, threshold=0.3),
        FixedThresholdClassifier(FOREST, threshold=0.7, pos_label="no"),
        FixedThresholdClassifier(LinearSVC(), threshold=0.4),
        FixedThresholdClassifier(LOGISTIC, threshold=0.4, response_method="decision_function"),
        FixedThresholdClassifier(LOGISTIC),
        make_pipeline(StandardScaler(), FixedThresholdClassifier(MORE, threshold=0.6)),
        TunedThresholdClassifierCV(FOREST, cv=2, random_state=0),
    ],
)
def test_a_threshold_of_the_classifier_s_own_decides_towards_either_class(model, favourable):
    model.fit(TABLE, LABELS)
    score = sf.as_score(model, SCHEMA, favourable=favourable)
    assert isinstance(score, sf.Linear | sf.scores.TreeEnsemble)
    own = model.predict(score.prediction.asked(ROWS)) == favourable
    clear = np.abs(score.score(ROWS)) > 1e-12  # p and 1 − p round differently
    assert np.array_equal(score.accepts(ROWS)[clear], own[clear])
    assert own[surely_accepts(score, ROWS)].all()
    assert 0 < own.sum() < len(own)


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1_macro"])
def test_a_tuned_threshold_comes_back_from_a_file_without_consent(scoring, tmp_path):
    model = TunedThresholdClassifierCV(FOREST, scoring=scoring, cv=2, random_state=0)
    sf.save_model(model.fit(TABLE, LABELS), tmp_path / "model.skops")
    back = sf.load_model(tmp_path / "model.skops")
    assert back.best_threshold_ == model.best_threshold_
    assert np.array_equal(back.predict(TABLE), model.predict(TABLE))


def test_who_is_right_at_the_threshold_is_accepted_as_the_classifier_does():
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(TABLE, LABELS)
    level = float(np.unique(tree.predict_proba(TABLE)[:, 1])[2])
    model = FixedThresholdClassifier(tree, threshold=level).fit(TABLE, LABELS)
    score = sf.as_score(model, SCHEMA, favourable="yes")
    assert np.array_equal(score.accepts(SCHEMA.matrix(TABLE)), model.predict(TABLE) == "yes")
    assert (model.predict_proba(TABLE)[:, 1] == level).any()


def test_a_threshold_that_is_given_goes_before_the_classifier_s_own():
    model = FixedThresholdClassifier(FOREST, threshold=0.3).fit(TABLE, LABELS)
    assert sf.as_score(model, SCHEMA, favourable="yes", threshold=0.8).threshold == 0.8


# sets of classes


@pytest.mark.parametrize(
    "model", [FOREST, make_pipeline(StandardScaler(), MORE), DecisionTreeClassifier(max_depth=4)]
)
def test_several_favourable_classes_of_a_forest_are_one_sum_of_votes(model):
    model.fit(TABLE, GRADES)
    score = sf.as_score(model, SCHEMA, favourable={"good", "fair"}, threshold=0.6)
    assert isinstance(score, sf.scores.TreeEnsemble)
    shares = model.predict_proba(score.prediction.asked(ROWS))
    wanted = shares[:, [list(model.classes_).index(c) for c in ("fair", "good")]].sum(axis=1)
    assert np.abs(score.score(ROWS) - (wanted - 0.6)).max() <= 1e-9
    assert pickle.loads(pickle.dumps(score)).digest == score.digest


def test_one_of_three_classes_may_be_favourable_and_a_vote_may_have_several():
    one = sf.as_score(FOREST.fit(TABLE, GRADES), SCHEMA, favourable={"good"})
    assert isinstance(one, sf.scores.TreeEnsemble)
    refused = TABLE[~one.accepts(SCHEMA.matrix(TABLE))].iloc[:3]
    assert assert_cheapest(one, SCHEMA, TABLE, refused) == 3
    vote = VotingClassifier([("f", FOREST), ("g", MORE)], voting="soft").fit(TABLE, GRADES)
    several = sf.as_score(vote, SCHEMA, favourable=frozenset({"good", "fair"}))
    assert isinstance(several, sf.scores.TreeEnsemble)
    assert off(several) <= 1e-9


@pytest.mark.parametrize("model", [LogisticRegression(max_iter=500), BOOSTED])
def test_a_softmax_over_several_classes_stays_a_black_box_that_says_why(model):
    score = sf.as_score(model.fit(TABLE, GRADES), SCHEMA, favourable={"good", "fair"})
    assert isinstance(score, BlackBox)
    assert "in forests and trees only" in score.why
    shares = model.predict_proba(score.prediction.asked(ROWS))
    assert np.allclose(score.score(ROWS), 1.0 - shares[:, 2] - 0.5)


def test_a_set_with_one_of_two_classes_is_that_class():
    model = LogisticRegression().fit(TABLE, LABELS)
    one, other = (sf.as_score(model, SCHEMA, favourable=f) for f in ({"yes"}, "yes"))
    assert one.digest == other.digest


@pytest.mark.parametrize(
    ("favourable", "sentence"),
    [
        ({"great"}, "names 'great', which RandomForestClassifier does not know; choose from"),
        (set(), "the set of favourable classes is empty; choose from 'fair', 'good', 'poor'"),
        ({"good", "fair", "poor"}, "all classes of RandomForestClassifier are favourable"),
        ("good", "knows 3 classes .* as a set such as"),
    ],
)
def test_a_set_that_makes_no_sense_is_refused(favourable, sentence):
    with pytest.raises(sf.InputError, match=sentence):
        sf.as_score(FOREST.fit(TABLE, GRADES), SCHEMA, favourable=favourable)


def test_a_set_of_classes_without_probabilities_is_refused():
    with pytest.raises(sf.InputError, match="gives no probabilities, so those of several classes"):
        sf.as_score(LinearSVC().fit(TABLE, GRADES), SCHEMA, favourable={"good", "fair"})


def test_a_model_with_several_favourable_classes_has_no_rivals_and_is_not_saved_with_others():
    score = sf.as_score(FOREST.fit(TABLE, GRADES), SCHEMA, favourable={"good", "fair"})
    people = sf.Dataset(TABLE, pd.Series(np.where(GOOD, 1, -1)), SCHEMA, "people")
    with pytest.raises(sf.InputError, match="joins several favourable classes, but rivals separat"):
        Reference.of(score, people)
    with pytest.raises(sf.InputError, match="several favourable classes cannot be saved"):
        folder.saved_prediction(score)


# files


def test_what_was_read_is_kept_in_files_to_the_last_bit():
    both = StackingClassifier(STACKS["both"][0], LogisticRegression(), cv=2,
                              stack_method="decision_function")  # fmt: skip
    models = [
        calibrated(FOREST, "isotonic"),
        calibrated(LOGISTIC, "sigmoid"),
        calibrated(LGBMClassifier(n_estimators=4, verbose=-1, n_jobs=1), "isotonic"),
        both.fit(TABLE, LABELS),
    ]
    scores = [sf.as_score(model, SCHEMA, favourable="yes") for model in models]
    packed = pack(scores)
    assert None not in packed.about
    again = unpack(packed.about, packed.arrays, [None] * len(scores))
    for before, after in zip(scores, again, strict=True):
        assert after.digest == before.digest
        assert np.array_equal(after.raw(ROWS), before.raw(ROWS))
        assert after.link == before.link
