import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

import standfast as sf

TRAIN, TEST = sf.datasets.twin("heloc", n=700, seed=0).split(0.7, seed=0)
X = TRAIN.table * 1.0
FOREST = RandomForestClassifier(8, max_depth=4, random_state=0).fit(X, TRAIN.labels)


def small() -> dict[str, Any]:
    return {
        "tree": DecisionTreeClassifier(max_depth=3),
        "deep tree": DecisionTreeClassifier(),
        "forest": RandomForestClassifier(5, max_depth=4, min_samples_leaf=5),
        "linear": make_pipeline(StandardScaler(), LogisticRegression()),
        "coin": DummyClassifier(strategy="constant", constant=0),
    }


def built(**changes: Any) -> sf.LevelSet:
    candidates = changes.pop("candidates", None)
    given = {"reference": FOREST} | judged(changes)
    return sf.level_set(small() if candidates is None else candidates, TRAIN, **given)


def judged(changes: dict[str, Any]) -> dict[str, Any]:
    """The changes, those of the tolerance put together."""
    parts = {name: changes.pop(name) for name in ("epsilon", "risk", "on") if name in changes}
    return {**changes, "epsilon": sf.Tolerance(**parts)} if parts else changes


@pytest.fixture(scope="module")
def usual() -> sf.LevelSet:
    return built()


def row(found: sf.LevelSet, name: str) -> pd.Series:
    return found.candidates.set_index("name").loc[name]


def test_candidates_inside_are_those_within_epsilon_and_the_reference_is_no_rival(
    usual: sf.LevelSet,
) -> None:
    table = usual.candidates
    assert table["name"].tolist() == ["reference", *small()]
    risk = table["risk"].to_numpy()
    np.testing.assert_array_equal(table["inside"], risk <= risk[0] + 0.05 + 1e-12)
    inside = table.loc[table["inside"], "name"].tolist()
    assert list(usual.names) == [name for name in inside if name != "reference"]
    assert len(usual) == len(usual.rivals) == len(usual.names)
    assert not row(usual, "coin")["inside"]
    assert row(usual, "linear")["inside"]


def test_the_table_says_why_and_names_another_hypothesis_class(usual: sf.LevelSet) -> None:
    why = usual.candidates.set_index("name")["why"]
    assert "is at most" in why["forest"]
    assert "another hypothesis class" not in why["forest"]
    assert "another hypothesis class than the reference's RandomForest" in why["linear"]
    needed = float(re.search(r"an epsilon of ([\d.]+) would admit it", why["coin"])[1])  # type: ignore[index]
    assert "coin" in built(epsilon=needed).names
    assert row(usual, "forest")["parameters"] == "n_estimators=5, max_depth=4, min_samples_leaf=5"


BY_HAND: dict[str, Callable[[Any, Any], float]] = {
    "error": lambda y, p: 1 - accuracy_score(y, p > 0.5),
    "balanced_error": lambda y, p: 1 - balanced_accuracy_score(y, p > 0.5),
    "log_loss": lambda y, p: log_loss(y, p),
    "auc": lambda y, p: 1 - roc_auc_score(y, p),
}


@pytest.mark.parametrize("risk", BY_HAND)
def test_cross_validated_risks_are_those_of_a_loop_written_out(risk: str) -> None:
    found = built(risk=risk, seed=3, epsilon=40.0)
    y = (TRAIN.labels == 1).to_numpy().astype(int)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=3).split(X, y))
    for name, make in (
        ("linear", lambda: make_pipeline(StandardScaler(), LogisticRegression())),
        ("reference", lambda: RandomForestClassifier(8, max_depth=4, random_state=0)),
    ):
        given, areas = np.zeros(len(y)), []
        for rows, held in folds:
            p = make().fit(X.iloc[rows], y[rows]).predict_proba(X.iloc[held])[:, 1]
            given[held] = p
            areas.append(roc_auc_score(y[held], p))
        # the scores of one fold's model are not ranked among those of another's
        expected = 1 - np.mean(areas) if risk == "auc" else BY_HAND[risk](y, given)
        assert row(found, name)["risk"] == pytest.approx(expected)
        assert row(found, name)["accuracy"] == pytest.approx(accuracy_score(y, given > 0.5))
        assert row(found, name)["auc"] == pytest.approx(np.mean(areas))


def test_rivals_are_fitted_on_all_training_people_and_the_reference_is_the_given_one(
    usual: sf.LevelSet,
) -> None:
    y = (TRAIN.labels == 1).astype(int)
    own = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    points = TEST.schema.matrix(TEST.table)
    linear = usual.rivals[usual.names.index("linear")]
    expected = own.predict_proba(TEST.table * 1.0)[:, 1] - 0.5
    np.testing.assert_allclose(linear.score(points), expected, atol=1e-9)
    assert usual.reference.digest == sf.as_score(FOREST, TRAIN.schema, favourable=1).digest


def test_training_and_held_out_people_judge_the_models_as_fitted() -> None:
    training, held = built(on="training"), built(on=TEST)
    assert row(training, "deep tree")["risk"] == 0.0
    y, p = TEST.labels.to_numpy(), FOREST.predict(TEST.table * 1.0)
    assert row(held, "reference")["risk"] == pytest.approx((y != p).mean())
    assert "on the training people" in repr(training)
    assert TEST.digest[:12] in held.provenance["risk_on"]


@pytest.mark.parametrize("risk", BY_HAND)
@pytest.mark.parametrize("people", [TRAIN, TEST], ids=["training", "held out"])
def test_every_risk_judges_models_as_fitted_too(risk: str, people: sf.datasets.Dataset) -> None:
    way: Any = "training" if people is TRAIN else people
    found = built(risk=risk, on=way, epsilon=40.0)
    y, table = (people.labels == 1).to_numpy().astype(int), people.table * 1.0
    own = make_pipeline(StandardScaler(), LogisticRegression())
    own.fit(X, (TRAIN.labels == 1).astype(int))
    for name, model in (("reference", FOREST), ("linear", own)):
        p = model.predict_proba(table)[:, 1]
        assert row(found, name)["risk"] == pytest.approx(BY_HAND[risk](y, p))


def test_epsilon_is_in_the_units_of_the_risk_and_the_set_says_which() -> None:
    found = built(risk="auc", epsilon=0.03)
    area = found.candidates.set_index("name")["auc"]
    inside = found.candidates.set_index("name")["inside"]
    np.testing.assert_array_equal(inside, area >= area["reference"] - 0.03 - 1e-12)
    assert "(1 − AUC by cross-validation)" in repr(found)
    assert found.provenance["risk"] == "1 − AUC"


@pytest.mark.parametrize("on", ["cross-validation", "training"])
def test_the_log_loss_refuses_models_without_probabilities(on: str) -> None:
    svm = LinearSVC(max_iter=5000)
    sentence = "log-loss needs probabilities, and the candidate 'svm' gives none; choose the risk"
    with pytest.raises(sf.InputError, match=sentence):
        built(risk="log_loss", on=on, candidates={"svm": svm})
    reference = make_pipeline(StandardScaler(), LinearSVC()).fit(X, TRAIN.labels)
    with pytest.raises(sf.InputError, match="and the reference gives none"):
        built(risk="log_loss", on=on, reference=reference)
    ranked = built(risk="auc", on=on, reference=reference, epsilon=0.2)
    assert row(ranked, "reference")["risk"] == pytest.approx(1 - row(ranked, "reference")["auc"])


# members that are the same


def alike() -> dict[str, Any]:
    """The same logistic regression three times, one that is another, and a tree twice."""
    scaled = {
        f"C = {C:g}": make_pipeline(StandardScaler(), LogisticRegression(C=C))
        for C in (100.0, 1e-4, 120.0, 150.0)
    }
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    return scaled | {"tree": tree, "again": clone(tree)}


def test_members_that_are_practically_the_same_count_as_one_and_are_counted() -> None:
    found = built(candidates=alike(), on="training", epsilon=0.4)
    assert found.names == ("C = 100", "C = 0.0001", "tree")
    assert found.candidates["inside"].all()
    stands = found.candidates.set_index("name")["stands_for"]
    assert stands.to_dict() == {
        **{"reference": 1, "C = 100": 3, "C = 0.0001": 1, "C = 120": 0, "C = 150": 0},
        **{"tree": 2, "again": 0},
    }
    assert found.merged == 3
    assert "6 of 6 candidates" in repr(found)
    assert "3 rivals, for 3 of them are practically the same as another" in repr(found)
    why = found.candidates.set_index("name")["why"]
    assert why["C = 150"].endswith("practically the same as 'C = 100', which stands for it")
    # the rule, written out: no score differs by more than a hundredth for any training person
    points = TRAIN.schema.matrix(TRAIN.table)
    whole = built(candidates=alike(), on="training", epsilon=0.4, merge=None)
    scores = dict(zip(whole.names, (g.score(points) for g in whole.rivals), strict=True))
    assert 0 < np.abs(scores["C = 150"] - scores["C = 100"]).max() <= 0.01
    assert np.abs(scores["C = 0.0001"] - scores["C = 100"]).max() > 0.01


def test_merging_can_be_set_and_switched_off() -> None:
    whole = built(candidates=alike(), on="training", epsilon=0.4, merge=None)
    assert whole.names == tuple(alike())
    assert whole.candidates["stands_for"].eq(1).all()
    assert "practically" not in repr(whole)
    same = built(candidates=alike(), on="training", epsilon=0.4, merge=0.0)
    assert same.names == tuple(name for name in alike() if name != "again")
    with pytest.raises(sf.InputError, match=r"scores at most 0.99 apart .* lower the tolerance"):
        built(candidates=alike(), on="training", epsilon=0.4, merge=0.99)


def test_the_reference_stands_for_candidates_that_are_the_same_as_it() -> None:
    y = (TRAIN.labels == 1).astype(int)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    reference = clone(tree).fit(X, y)
    found = built(reference=reference, candidates=alike(), on="training", epsilon=0.4)
    assert row(found, "reference")["stands_for"] == 3
    assert found.names == ("C = 100", "C = 0.0001")
    assert "practically the same as the reference" in row(found, "tree")["why"]
    with pytest.raises(
        sf.InputError, match=r"every candidate .*\(1\) is practically the same as it"
    ):
        built(reference=reference, candidates={"tree": tree}, on="training")


def test_decision_values_are_the_same_within_a_share_of_their_range() -> None:
    machines = {
        f"C = {C:g}": make_pipeline(StandardScaler(), LinearSVC(C=C, random_state=0))
        for C in (1.0, 1.1, 0.0001)
    }
    found = built(candidates=machines, on="training", epsilon=0.4)
    assert found.names == ("C = 1", "C = 0.0001")
    assert row(found, "C = 1")["stands_for"] == 2


def test_seed_decides_and_company_order_and_workers_do_not(usual: sf.LevelSet) -> None:
    pd.testing.assert_frame_equal(built(jobs=2).candidates, usual.candidates)
    backwards = dict(reversed(small().items()))
    alone = built(candidates={"tree": small()["tree"]})
    for other in (built(candidates=backwards), alone):
        pd.testing.assert_series_equal(row(other, "tree"), row(usual, "tree"))
    assert built(jobs=2).digest == usual.digest
    assert built(seed=1).digest != usual.digest


@pytest.mark.parametrize("labels", [(-1, 1), (0, 1)])
def test_a_reference_may_know_either_kind_of_labels(labels: tuple[int, int]) -> None:
    weights = {labels[0]: 2.0, labels[1]: 1.0}  # would break were it fitted on other labels
    y = np.where(TRAIN.labels == 1, labels[1], labels[0])
    f = RandomForestClassifier(8, max_depth=4, class_weight=weights, random_state=0).fit(X, y)
    found = built(reference=f)
    assert row(found, "reference")["auc"] > 0.6
    points = TEST.schema.matrix(TEST.table)
    np.testing.assert_array_equal(
        found.reference.accepts(points), f.predict(TEST.table * 1.0) == labels[1]
    )


def test_a_reference_with_classes_of_its_own_needs_to_be_told_which_is_favourable() -> None:
    y = np.where(TRAIN.labels == 1, "good", "poor")  # the favourable class is the smaller one
    f = RandomForestClassifier(8, max_depth=4, random_state=0).fit(X, y)
    with pytest.raises(sf.InputError, match=r"'good', 'poor'.*favourable=…"):
        built(reference=f)
    found = built(reference=sf.as_score(f, TRAIN.schema, favourable="good"))
    assert row(found, "reference")["auc"] > 0.6


def test_a_reference_that_reads_some_columns_or_an_array_is_fitted_again_as_it_was() -> None:
    names = list(X.columns[5:9][::-1])
    some = LogisticRegression(max_iter=5000).fit(X[names], TRAIN.labels)
    array = LogisticRegression(max_iter=5000).fit(X.to_numpy(), TRAIN.labels)
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [2, 3]}, cv=3)
    for f in (some, array, search.fit(X, TRAIN.labels)):
        assert built(reference=f, candidates={"tree": small()["tree"]}, epsilon=0.2).names


def test_a_complaint_while_fitting_is_in_the_table() -> None:
    found = built(candidates={"hasty": LogisticRegression(max_iter=1)}, epsilon=1.0)
    assert "when fitted: lbfgs failed to converge" in row(found, "hasty")["why"]


def test_candidates_in_a_list_are_named_by_kind_and_settings() -> None:
    found = built(candidates=[DecisionTreeClassifier(max_depth=2), DecisionTreeClassifier()])
    assert found.candidates["name"].tolist()[1:] == [
        "DecisionTreeClassifier max_depth=2",
        "DecisionTreeClassifier",
    ]


def test_a_candidate_may_be_a_search() -> None:
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [2, 3]}, cv=3)
    found = built(candidates={"searched": search}, epsilon=0.2)
    assert row(found, "searched")["family"] == "DecisionTreeClassifier"
    assert isinstance(found.rivals[0], sf.TreeEnsemble)


def test_all_together_are_one_score(usual: sf.LevelSet) -> None:
    points = TEST.schema.matrix(TEST.table)
    everyone = np.min([s.score(points) for s in (usual.reference, *usual.rivals)], axis=0)
    np.testing.assert_allclose(usual.unanimous(0.02).score(points), everyone - 0.02)


def test_progress_ends_at_the_total() -> None:
    shown: list[tuple[int, int]] = []
    built(progress=lambda done, total: shown.append((done, total)))
    assert shown[-1] == (35, 35)  # five folds for six models, and five candidates fitted or not
    assert [done for done, _ in shown] == sorted(done for done, _ in shown)


# files


def test_a_level_set_comes_back_as_it_was(usual: sf.LevelSet, tmp_path: Path) -> None:
    usual.save(tmp_path / "set")
    back = sf.LevelSet.load(tmp_path / "set")
    assert back.digest == usual.digest
    assert back.names == usual.names
    assert back.schema == usual.schema
    assert dict(back.provenance) == dict(usual.provenance)
    assert repr(back) == repr(usual)
    pd.testing.assert_frame_equal(back.candidates, usual.candidates)
    for name in ("candidates.csv", "candidates.parquet"):
        table = sf.files.read_table(tmp_path / "set" / name)
        assert table["name"].tolist() == usual.candidates["name"].tolist()
    assert [p.name for p in tmp_path.iterdir()] == ["set"]


def test_merged_members_come_back_and_transfer_counts_each_rival_once(tmp_path: Path) -> None:
    found = built(candidates=alike(), on="training", epsilon=0.4)
    found.save(tmp_path / "set")
    back = sf.LevelSet.load(tmp_path / "set")
    assert (back.merged, repr(back), back.digest) == (3, repr(found), found.digest)
    pd.testing.assert_frame_equal(back.candidates, found.candidates)
    assert sf.files.read_table(tmp_path / "set" / "candidates.csv")["stands_for"].sum() == 7
    best = sf.MinimalCost(TRAIN.schema, sf.Percentiles.fit(TRAIN.table))
    recs = sf.recommend(best, back.reference, TEST.table.head(12))
    assert sf.transfer(recs, back).rivals.index.tolist() == list(found.names)


def test_boosting_libraries_and_black_boxes_are_kept_too(tmp_path: Path) -> None:
    candidates = {
        "xgboost": XGBClassifier(n_estimators=5, max_depth=3),
        "lightgbm": LGBMClassifier(n_estimators=5, num_leaves=7, verbose=-1),
        "neighbours": KNeighborsClassifier(25),
    }
    signs = LGBMClassifier(n_estimators=5, num_leaves=7, verbose=-1).fit(X, TRAIN.labels)
    found = built(candidates=candidates, reference=signs, epsilon=0.2, merge=None)
    assert found.names == tuple(candidates)
    found.save(tmp_path / "set")
    back = sf.LevelSet.load(tmp_path / "set")
    points = TEST.schema.matrix(TEST.table)
    pairs = zip((found.reference, *found.rivals), (back.reference, *back.rivals), strict=True)
    for ours, theirs in pairs:
        np.testing.assert_array_equal(ours.score(points), theirs.score(points))


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda f: (f / "001.skops").write_bytes(b"PK"), r"001.skops' was changed"),
        (lambda f: (f / "001.skops").unlink(), r"001.skops' is missing"),
        (lambda f: (f / "models.json").unlink(), r"no readable models.json"),
        (lambda f: (f / "models.json").write_text("{}"), r"models.json' is damaged"),
        (
            lambda f: (f / "models.json").write_text(
                (f / "models.json").read_text().replace('"epsilon": 0.05', '"epsilon": 0.5')
            ),
            r"models.json' was changed",
        ),
    ],
)
def test_a_damaged_folder_is_refused(
    usual: sf.LevelSet, tmp_path: Path, damage: Callable[[Path], object], sentence: str
) -> None:
    usual.save(tmp_path / "set")
    damage(tmp_path / "set")
    with pytest.raises(sf.InputError, match=sentence):
        sf.LevelSet.load(tmp_path / "set")


def test_a_folder_that_holds_something_is_left_alone(usual: sf.LevelSet, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(sf.InputError, match="something already; name a new folder"):
        usual.save(tmp_path)
    with pytest.raises(sf.InputError, match="does not exist"):
        usual.save(tmp_path / "no" / "set")
    assert [p.name for p in tmp_path.iterdir()] == ["note.txt"]


def test_what_was_not_made_from_an_estimator_cannot_be_saved(
    usual: sf.LevelSet, tmp_path: Path
) -> None:
    bare = sf.Linear(np.ones(len(TRAIN.schema)), 0.0)
    found = sf.LevelSet(bare, ("g",), (bare,), 0.1, usual.candidates, TRAIN.schema)
    with pytest.raises(sf.InputError, match="not made from a fitted estimator"):
        found.save(tmp_path / "set")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(sf.InputError, match="without a schema cannot be saved"):
        sf.LevelSet(bare, ("g",), (bare,), 0.1, usual.candidates).save(tmp_path / "set")


def test_the_header_names_files_formats_and_digests(usual: sf.LevelSet, tmp_path: Path) -> None:
    usual.save(tmp_path / "set")
    header = json.loads((tmp_path / "set" / "models.json").read_text())
    assert len(header["models"]) == 1 + len(usual)
    assert all(len(one["sha256"]) == 64 for one in header["models"])


# bad input


def few(count: int) -> sf.datasets.Dataset:
    """People of whom only so many are unfavourable."""
    good, bad = np.flatnonzero(TRAIN.labels == 1), np.flatnonzero(TRAIN.labels == -1)
    rows = np.concatenate([good, bad[:count]])
    return sf.datasets.Dataset(TRAIN.table.iloc[rows], TRAIN.labels.iloc[rows], TRAIN.schema, "few")


FEW = DecisionTreeClassifier(random_state=0).fit(X, TRAIN.labels)
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "an empty grid": ({"candidates": []}, "there are no candidates"),
    "one estimator": ({"candidates": RandomForestClassifier()}, "pass a grid such as"),
    "a name": ({"candidates": "forests"}, "the candidates are a str"),
    "a fitted candidate": ({"candidates": {"f": FOREST}}, "'f' .* is already fitted"),
    "a class": ({"candidates": {"f": LogisticRegression}}, "is a class; pass an instance"),
    "a regressor": ({"candidates": {"f": LinearRegression()}}, "predicts a number; pass a class"),
    "no fit": ({"candidates": {"f": 3}}, "has no fit and get_params"),
    "twice": (
        {"candidates": [DecisionTreeClassifier(), DecisionTreeClassifier()]},
        "'DecisionTreeClassifier' is given more than once",
    ),
    "a candidate called reference": (
        {"candidates": {"reference": DecisionTreeClassifier()}},
        "no candidate may be called 'reference'",
    ),
    "a negative epsilon": ({"epsilon": -0.1}, "epsilon is -0.1"),
    "no epsilon": ({"epsilon": float("nan")}, "epsilon is nan"),
    "no jobs": ({"jobs": 0}, "jobs is 0"),
    "no risk": ({"risk": "brier"}, "risk is 'brier'; allowed are 'error', 'balanced_error', 'log"),
    "a risk by halves": ({"risk": None}, "risk is None; allowed are"),
    "a negative tolerance": ({"merge": -0.1}, "merge is -0.1; .* or None to keep every member"),
    "no tolerance": ({"merge": True}, "merge is True"),
    "half a seed": ({"seed": 0.5}, "seed is 0.5"),
    "an unknown risk": ({"on": "test"}, "'cross-validation', 'training' and a Dataset"),
    "the training table": ({"on": TRAIN}, "the training table itself"),
    "an unfitted reference": ({"reference": RandomForestClassifier()}, "is not fitted"),
    "a score without an estimator": (
        {"reference": sf.Linear(np.ones(len(TRAIN.schema)), 0.0)},
        "the reference is a score that was not made from a fitted estimator",
    ),
    "a score with a threshold": (
        {"reference": sf.as_score(FOREST, TRAIN.schema, favourable=1, threshold=0.3)},
        "the reference's threshold is 0.3, and its rivals are judged at 0.5",
    ),
    "other inputs": (
        {"reference": DecisionTreeClassifier().fit(X.rename(columns=str.upper), TRAIN.labels)},
        "which the schema does not hold",
    ),
    "the wrong way round": (
        {"reference": DecisionTreeClassifier(max_depth=4).fit(X, -TRAIN.labels)},
        "the wrong way round",
    ),
    "a booster": (
        {"reference": LGBMClassifier(n_estimators=3, verbose=-1).fit(X, TRAIN.labels).booster_},
        "cannot be fitted again",
    ),
    "a candidate that fails": (
        {"candidates": {"odd": LogisticRegression(C=-1.0)}},
        "'odd' could not be fitted",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_one_sentence(case: str) -> None:
    changes, sentence = REFUSED[case]
    with pytest.raises(sf.InputError, match=sentence):
        built(**changes)


def test_an_empty_level_set_says_which_epsilon_would_admit_whom() -> None:
    candidates = {name: small()[name] for name in ("coin", "deep tree")}
    with pytest.raises(sf.InputError, match="would admit") as refused:
        built(candidates=candidates, epsilon=0.001)
    said = str(refused.value)
    first, name, all_ = re.search(
        r"epsilon of ([\d.]+) would admit '(.*)', one of ([\d.]+) all 2", said
    ).groups()  # type: ignore[union-attr]
    assert built(candidates=candidates, epsilon=float(first)).names == (name,)
    assert len(built(candidates=candidates, epsilon=float(all_))) == 2


def test_folds_without_both_classes_are_refused_before_any_fit() -> None:
    with pytest.raises(sf.InputError, match=r"3 of \d+ are unfavourable, but every one of the 5"):
        sf.level_set(small(), few(3), reference=FEW)
    assert sf.level_set(small(), few(3), reference=FEW, epsilon=sf.Tolerance(on="training")).names
    with pytest.raises(sf.InputError, match=r"0 of \d+ are unfavourable, but models"):
        sf.level_set(small(), few(0), reference=FEW, epsilon=sf.Tolerance(on="training"))
    with pytest.raises(sf.InputError, match="of the people to judge by 0 of"):
        sf.level_set(small(), TRAIN, reference=FEW, epsilon=sf.Tolerance(on=few(0)))
    with pytest.raises(sf.InputError, match=r"train is a DataFrame; pass a standfast\.Dataset"):
        sf.level_set(small(), TRAIN.table, reference=FEW)  # type: ignore[arg-type]


def test_a_level_set_by_hand_is_checked(usual: sf.LevelSet) -> None:
    f, m = usual.reference, usual.candidates
    narrow = sf.Linear(np.ones(2), 0.0)
    for arguments, sentence in (
        ((f, ("a", "b"), (f,), 0.1, m), "2 names for 1 rivals"),
        ((f, ("a", "a"), (f, f), 0.1, m), "'a' more than once"),
        ((f, ("a",), (FOREST,), 0.1, m), "is not a score"),
        ((f, ("a",), (narrow,), 0.1, m), "'a' read other inputs"),
        ((f, ("a",), (f,), -1.0, m), "epsilon is -1.0"),
        ((f, ("a",), (f,), 0.1, m[["name"]]), "lacks 'family'"),
    ):
        with pytest.raises(sf.InputError, match=sentence):
            sf.LevelSet(*arguments)  # type: ignore[arg-type]
