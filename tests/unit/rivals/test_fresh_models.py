import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import loguniform, randint
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import standfast as sf
from standfast.rivals.distribution import check_draws, set_apart

TRAIN, TEST = sf.datasets.twin("heloc", n=700, seed=0).split(0.7, seed=0)
FOREST = RandomForestClassifier(5, max_depth=4)
DRAWS = {"max_depth": [3, 4, 5], "min_samples_leaf": randint(5, 20)}
SIZES = {"search": 3, "choose": 2, "certify": 4}


def drawn(**changes: Any) -> sf.FreshModels:
    given: dict[str, Any] = {"draws": DRAWS, "sizes": SIZES, "epsilon": 0.1} | changes
    parts = {name: given.pop(name) for name in ("epsilon", "risk", "on") if name in given}
    given["epsilon"] = sf.Tolerance(**parts)
    return sf.fresh_models(given.pop("estimator", FOREST), TRAIN, **given)


@pytest.fixture(scope="module")
def usual() -> sf.FreshModels:
    return drawn()


def test_the_parts_have_their_sizes_and_share_no_model(usual: sf.FreshModels) -> None:
    assert [(part.name, len(part)) for part in usual.parts] == list(SIZES.items())
    digests = [one for part in usual.parts for one in part.digests]
    assert len(set(digests)) == len(digests) == len(usual) == 9
    assert usual.certify == tuple(usual.certify)
    assert sf.Unanimous(usual.search).width == len(TRAIN.schema)


def test_the_table_has_every_draw_and_why_it_is_in_or_out(usual: sf.FreshModels) -> None:
    members = drawn(epsilon=0.03).draws
    own = members.loc[members["part"] == "baseline", "risk"].item()
    draws = members[members["part"] != "baseline"]
    np.testing.assert_array_equal(draws["inside"], draws["risk"] <= own + 0.03 + 1e-12)
    assert not draws["inside"].all()
    assert draws["why"].str.contains("is at most|is above").all()
    assert (draws["digest"] != "").equals(draws["inside"])
    kept = usual.draws[usual.draws["part"] == "certify"].query("inside")
    assert tuple(kept["digest"]) == usual.certify.digests


def test_settings_are_drawn_from_what_was_stated(usual: sf.FreshModels) -> None:
    shown = usual.draws["parameters"].iloc[1:].str.extract(r"max_depth=(\d), min.*=(\d+)")
    assert set(shown[0].astype(int)) <= {3, 4, 5}
    assert len(set(shown[0])) > 1
    assert shown[1].astype(int).between(5, 19).all()


def test_a_pipeline_s_steps_are_drawn_by_their_full_names() -> None:
    linear = make_pipeline(StandardScaler(), LogisticRegression())
    fresh = drawn(estimator=linear, draws={"logisticregression__C": loguniform(1e-3, 1e2)})
    assert all(isinstance(score, sf.Linear) for score in fresh.search)
    assert fresh.draws["parameters"].iloc[1].startswith("logisticregression__C=")


def test_draws_may_vary_the_people_and_the_seed_only() -> None:
    fresh = drawn(draws={})
    assert len(set(fresh.certify.digests)) == 4


def test_seed_decides_and_workers_and_the_other_parts_sizes_do_not(usual: sf.FreshModels) -> None:
    assert drawn(jobs=2).digest == usual.digest
    assert drawn(seed=1).digest != usual.digest
    more = drawn(sizes=SIZES | {"search": 5})
    assert more.certify.digests == usual.certify.digests
    assert more.search.digests[:3] == usual.search.digests


def test_nobody_set_aside_is_fitted_on(usual: sf.FreshModels) -> None:
    fitted, judges = set_apart(TRAIN, "validation", seed=0)
    rows = {tuple(row) for row in fitted.X}
    assert not any(tuple(row) in rows for row in judges.X)
    assert (len(fitted.X), len(judges.X)) == (392, 98)
    inside = usual.draws.query("inside and part == 'certify'")
    risks = [(g.accepts(judges.X) != judges.y).mean() for g in usual.certify]
    np.testing.assert_allclose(inside["risk"], risks)
    # a tree grown to the end makes no mistake about people it was fitted on
    tree = drawn(estimator=DecisionTreeClassifier(), draws={}, epsilon=1.0).draws["risk"]
    assert (tree > 0.1).all()


def test_held_out_people_may_judge_instead() -> None:
    fresh = drawn(on=TEST)
    points, y = TEST.schema.matrix(TEST.table), (TEST.labels == 1).to_numpy()
    inside = fresh.draws.query("inside and part == 'certify'")
    risks = [(g.accepts(points) != y).mean() for g in fresh.certify]
    np.testing.assert_allclose(inside["risk"], risks)


@pytest.mark.parametrize("risk", ["balanced_error", "log_loss", "auc"])
def test_draws_may_be_judged_by_another_risk(risk: Any) -> None:
    fresh = drawn(risk=risk, on=TEST, epsilon=0.3)
    points, y = TEST.schema.matrix(TEST.table), (TEST.labels == 1).to_numpy()
    measures: dict[str, Any] = {
        "balanced_error": lambda p: 1 - balanced_accuracy_score(y, p > 0.5),
        "log_loss": lambda p: log_loss(y, p),
        "auc": lambda p: 1 - roc_auc_score(y, p),
    }
    inside = fresh.draws.query("inside and part == 'certify'")
    expected = [measures[risk](g.score(points) + 0.5) for g in fresh.certify]
    np.testing.assert_allclose(inside["risk"], expected)


def test_fresh_models_come_back_as_they_were(usual: sf.FreshModels, tmp_path: Path) -> None:
    usual.save(tmp_path / "fresh")
    back = sf.FreshModels.load(tmp_path / "fresh")
    assert back.digest == usual.digest
    assert repr(back) == repr(usual)
    assert [part.name for part in back.parts] == list(SIZES)
    pd.testing.assert_frame_equal(back.draws, usual.draws)
    with pytest.raises(sf.InputError, match="holds fresh models, not a level set"):
        sf.LevelSet.load(tmp_path / "fresh")


def test_a_part_keeps_its_name_when_pickled(usual: sf.FreshModels) -> None:
    back = pickle.loads(pickle.dumps(usual.certify))
    assert (back.name, back.digests) == ("certify", usual.certify.digests)


def test_progress_ends_at_the_total() -> None:
    shown: list[tuple[int, int]] = []
    drawn(epsilon=0.03, progress=lambda done, total: shown.append((done, total)))
    assert shown[-1][0] == shown[-1][1] > 10


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"sizes": {"search": 3, "test": 2}}, "say how many models each part gets"),
        ({"sizes": SIZES | {"choose": -1}}, r"sizes\['choose'\] is -1"),
        ({"sizes": dict.fromkeys(SIZES, 0)}, "all sizes are 0"),
        ({"draws": {"depth": [3]}}, "has no setting 'depth'"),
        ({"draws": {"max_depth": []}}, r"draws\['max_depth'\] is \[\]"),
        ({"draws": {"max_depth": 3}}, r"draws\['max_depth'\] is 3"),
        ({"draws": [3, 4]}, "draws is a list"),
        ({"estimator": RandomForestClassifier}, "the estimator is a class"),
        ({"epsilon": -1}, "epsilon is -1"),
        ({"risk": "brier"}, "risk is 'brier'; allowed are 'error'"),
        (
            {"risk": "log_loss", "estimator": RidgeClassifier(), "draws": {}},
            "the log-loss needs probabilities, and the estimator gives none",
        ),
        ({"jobs": 0}, "jobs is 0"),
        ({"on": "training"}, "'validation' and a Dataset"),
    ],
)
def test_bad_input_is_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(sf.InputError, match=sentence):
        drawn(**changes)


def test_draws_that_are_hardly_ever_inside_are_given_up_with_a_way_out() -> None:
    stumps = {"draws": {"max_depth": [1], "n_estimators": [1]}, "sizes": SIZES}
    with pytest.raises(sf.InputError, match=r"draws to .* are at most 0 worse") as refused:
        drawn(**stumps, epsilon=0.0, estimator=RandomForestClassifier(30, random_state=0))
    assert re.search(r"an epsilon of 0\.\d{4} would admit half of them", str(refused.value))


def test_the_same_model_in_two_parts_is_refused(usual: sf.FreshModels) -> None:
    from dataclasses import replace

    with pytest.raises(sf.InputError, match="the same model is in 'search' and in 'certify'"):
        replace(usual, certify=type(usual.certify)("certify", usual.search))


def test_people_of_one_class_are_refused() -> None:
    good = TRAIN.labels == 1
    alike = sf.datasets.Dataset(TRAIN.table[good], TRAIN.labels[good], TRAIN.schema, "alike")
    with pytest.raises(sf.InputError, match=r"0 of .* are unfavourable"):
        sf.fresh_models(FOREST, alike, draws={}, sizes=SIZES)
    with pytest.raises(sf.InputError, match=r"people to judge by 0 of .* are unfavourable"):
        drawn(on=alike)


def test_a_setting_inside_a_pipeline_is_named_in_full():
    model = make_pipeline(StandardScaler(), LogisticRegression())
    with pytest.raises(sf.InputError, match=r"no setting 'C'; it has 'logisticregression__C'$"):
        check_draws(model, {"C": [1.0]})
