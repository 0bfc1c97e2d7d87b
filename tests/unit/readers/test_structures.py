"""Structures kept beside model files: the same answers, without loading an estimator."""

import json
import pickle
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

import standfast as sf
from standfast.digests import digest
from standfast.readers.stored import StoredPrediction
from standfast.rivals.fitting import read_fitted
from standfast.rivals.risk import Answered
from standfast.scores.acceptance import accepted, doubt
from standfast.scores.black_box import BlackBox

TRAIN, TEST = sf.datasets.twin("heloc", n=500, seed=0).split(0.7, seed=0)
X, Y = TRAIN.table * 1.0, (TRAIN.labels == 1).astype(int)
POINTS = TEST.schema.matrix(TEST.table)
REFERENCE = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y)

MODELS: dict[str, Any] = {
    "forest": RandomForestClassifier(6, max_depth=5),
    "scaled forest": make_pipeline(StandardScaler(), RandomForestClassifier(4, max_depth=3)),
    "stump": DecisionTreeClassifier(max_depth=1),
    "boosting": GradientBoostingClassifier(n_estimators=5),
    "histograms": HistGradientBoostingClassifier(max_iter=5),
    "xgboost": XGBClassifier(n_estimators=5, max_depth=3),
    "lightgbm": LGBMClassifier(n_estimators=5, num_leaves=7, verbose=-1),
    "linear": make_pipeline(StandardScaler(), LogisticRegression()),
    "bins": make_pipeline(
        KBinsDiscretizer(4, encode="onehot-dense", subsample=None, quantile_method="linear"),
        LogisticRegression(),
    ),
    "splines": make_pipeline(SplineTransformer(n_knots=4), LogisticRegression(max_iter=5000)),
    "ranks": make_pipeline(QuantileTransformer(n_quantiles=50), LogisticRegression()),
    "powers": make_pipeline(SimpleImputer(), PowerTransformer(), LogisticRegression()),
    "roots": make_pipeline(
        FunctionTransformer(np.cbrt), StandardScaler(), LogisticRegression(max_iter=5000)
    ),
}


def level_set(candidates: dict[str, Any]) -> sf.LevelSet:
    return sf.level_set(
        *(candidates, TRAIN),
        reference=REFERENCE,
        epsilon=sf.Tolerance(1.0, on="training"),
        merge=None,
    )


@pytest.fixture(scope="module")
def whole() -> sf.LevelSet:
    return level_set(MODELS)


@pytest.fixture(scope="module")
def saved(whole: sf.LevelSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved") / "set"
    whole.save(folder)
    return folder


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "set"))


def asleep(score: sf.Score) -> bool:
    """Whether the model was read from its structure and its estimator is not loaded."""
    prediction = getattr(score, "prediction", None)
    return isinstance(prediction, StoredPrediction) and "own" not in prediction.__dict__


def edit(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the header as somebody would who knows how its fingerprint is made."""
    header = folder / "models.json"
    content = json.loads(header.read_text())
    del content["digest"]
    change(content)
    mark = digest([json.dumps(content, sort_keys=True)])
    header.write_text(json.dumps({**content, "digest": mark}))


@pytest.mark.parametrize("name", MODELS)
def test_a_kept_structure_is_the_model_to_the_last_bit(
    whole: sf.LevelSet, saved: Path, name: str
) -> None:
    back, k = sf.LevelSet.load(saved), whole.names.index(name)
    ours, theirs = whole.rivals[k], back.rivals[k]
    assert asleep(theirs)
    assert type(ours) is type(theirs)
    assert ours.digest == theirs.digest
    assert (ours.width, ours.probability) == (theirs.width, theirs.probability)
    np.testing.assert_array_equal(ours.score(POINTS), theirs.score(POINTS))
    assert asleep(theirs)
    np.testing.assert_array_equal(ours.accepts(POINTS), theirs.accepts(POINTS))
    assert not asleep(theirs)  # acceptance is the estimator's own word
    again = pickle.loads(pickle.dumps(theirs))
    np.testing.assert_array_equal(again.accepts(POINTS), theirs.accepts(POINTS))


def test_the_header_says_on_which_rows_each_structure_was_compared(saved: Path) -> None:
    header = json.loads((saved / "models.json").read_text())
    kept = header["structures"]["models"]
    assert len(kept) == len(header["models"]) == 1 + len(MODELS)
    assert all(one["checked"]["rows"] >= 30 for one in kept)
    assert all(one["checked"]["difference"] <= 1e-6 for one in kept)
    assert header["about"]["provenance"]["structures"]["rows"] == len(TRAIN)
    assert header["about"]["provenance"]["structures"]["largest_difference"] <= 1e-6


def test_structures_are_small_beside_the_models_and_hold_no_pickle(saved: Path) -> None:
    with zipfile.ZipFile(saved / "structures.npz") as file:
        assert "number.npy" in file.namelist()
    with np.load(saved / "structures.npz", allow_pickle=False) as arrays:
        nodes = int(arrays["nodes"].sum())
        size = sum(array.nbytes for name, array in arrays.items() if name != "pool")
    assert size < 12 * nodes


def older(folder: Path) -> None:
    """As version 0.1.0 left folders."""
    (folder / "structures.npz").unlink()
    edit(folder, lambda content: content.pop("structures"))
    edit(folder, lambda content: content["candidates"].pop("stands_for"))
    edit(folder, lambda content: content.update(members=content.pop("candidates")))
    edit(folder, lambda content: content.pop("format"))


def damaged(folder: Path) -> None:
    file = folder / "structures.npz"
    file.write_bytes(file.read_bytes()[:-100])


def test_structures_with_other_numbers_are_told_by_the_model_s_fingerprint(
    whole: sf.LevelSet, folder: Path
) -> None:
    with np.load(folder / "structures.npz") as arrays:
        changed = dict(arrays)
    changed["number"], changed["pool"] = changed["number"] + 1.0, changed["pool"] + 1.0
    np.savez(folder / "structures.npz", **changed)
    mark = sha256((folder / "structures.npz").read_bytes()).hexdigest()
    edit(folder, lambda content: content["structures"].update(sha256=mark))
    back = sf.LevelSet.load(folder)
    assert back.digest == whole.digest
    trees = [score for score in back.rivals if isinstance(score, sf.TreeEnsemble | sf.Linear)]
    assert len(trees) == 8
    assert not any(map(asleep, trees))


@pytest.mark.parametrize(
    "change",
    [
        older,
        damaged,
        lambda folder: (folder / "structures.npz").unlink(),
        lambda folder: (folder / "structures.npz").write_bytes(b"nothing"),
        lambda folder: edit(folder, lambda content: content["structures"].update(models=[])),
    ],
    ids=["version 0.1.0", "cut off", "missing", "no archive", "no models"],
)
def test_without_its_structures_a_folder_is_read_from_the_models(
    whole: sf.LevelSet, folder: Path, change: Callable[[Path], object]
) -> None:
    change(folder)
    back = sf.LevelSet.load(folder)
    assert not any(map(asleep, (back.reference, *back.rivals)))
    assert back.digest == whole.digest
    assert back.merged == 0
    for ours, theirs in zip(whole.rivals, back.rivals, strict=True):
        np.testing.assert_array_equal(ours.score(POINTS), theirs.score(POINTS))


def test_a_model_file_that_was_altered_is_noticed_at_once_and_later(folder: Path) -> None:
    back = sf.LevelSet.load(folder)
    file = folder / "001.skops"
    file.write_bytes(file.read_bytes() + b" ")
    with pytest.raises(sf.InputError, match=r"001.skops' was changed after it was saved"):
        sf.LevelSet.load(folder)
    forest = back.rivals[0]
    assert forest.score(POINTS).any()
    with pytest.raises(sf.InputError, match=r"001.skops' was changed after it was saved"):
        forest.accepts(POINTS)
    file.unlink()
    with pytest.raises(sf.InputError, match=r"001.skops' is missing"):
        forest.accepts(POINTS)


def test_a_loaded_set_can_be_saved_again(whole: sf.LevelSet, folder: Path) -> None:
    sf.LevelSet.load(folder).save(folder.parent / "again")
    back = sf.LevelSet.load(folder.parent / "again")
    assert back.digest == whole.digest
    assert all(map(asleep, back.rivals))


def test_black_boxes_and_models_that_need_trust_are_read_from_their_files(tmp_path: Path) -> None:
    candidates = {
        "neighbours": KNeighborsClassifier(25),
        "own function": make_pipeline(FunctionTransformer(halved), DecisionTreeClassifier()),
        "tree": DecisionTreeClassifier(max_depth=2),
    }
    found = level_set(candidates)
    found.save(tmp_path / "set")
    function = f"{__name__}.halved"
    with pytest.raises(sf.InputError, match=f"--trust {function}"):
        sf.LevelSet.load(tmp_path / "set")
    back = sf.LevelSet.load(tmp_path / "set", trust=[function])
    assert [asleep(score) for score in back.rivals] == [False, False, True]
    for ours, theirs in zip(found.rivals, back.rivals, strict=True):
        np.testing.assert_array_equal(ours.accepts(POINTS), theirs.accepts(POINTS))


def halved(table: Any) -> Any:
    return table / 2.0


# acceptance


def test_only_points_close_to_the_threshold_are_asked_of_the_estimator(folder: Path) -> None:
    back = sf.LevelSet.load(folder)
    forest = back.rivals[back.names.index("forest")]
    assert isinstance(forest, sf.TreeEnsemble)
    np.testing.assert_array_equal(accepted(forest, POINTS), forest.score(POINTS) > 0)
    assert asleep(forest)
    # a threshold that is some person's own probability: their score is 0, give or take a bit
    level = float(forest.score(POINTS)[7] + forest.threshold)
    fresh = sf.LevelSet.load(folder).rivals[back.names.index("forest")]
    tied = replace(fresh, threshold=level)  # type: ignore[type-var]
    assert asleep(tied)
    shown = accepted(tied, POINTS)
    assert not asleep(tied)
    own = fresh.prediction(POINTS) - level > 0  # type: ignore[attr-defined]
    np.testing.assert_array_equal(shown, own)
    np.testing.assert_array_equal(shown, tied.accepts(POINTS))


def test_libraries_that_add_in_single_precision_get_more_room(whole: sf.LevelSet) -> None:
    rooms = dict(zip(whole.names, map(doubt, whole.rivals), strict=True))
    assert rooms["forest"] == rooms["lightgbm"] == 1e-9
    assert rooms["xgboost"] == rooms["linear"] == 1e-5


def test_a_score_of_another_kind_has_the_last_word_itself() -> None:
    f, g = sf.Linear([1.0], 0.0), sf.Linear([-1.0], 1.0)
    both = sf.Unanimous((f, g))
    points = np.array([[0.5], [-0.5], [1.5]])
    assert accepted(both, points).tolist() == [True, False, False]


def test_certificates_and_transfer_are_the_same_and_load_no_estimator(tmp_path: Path) -> None:
    fresh = sf.fresh_models(
        RandomForestClassifier(6, max_depth=4),
        TRAIN,
        draws={"max_depth": [3, 4, 5]},
        sizes={"search": 3, "choose": 3, "certify": 8},
        epsilon=0.3,
    )
    fresh.save(tmp_path / "fresh")
    back = sf.FreshModels.load(tmp_path / "fresh")
    reference = sf.as_score(REFERENCE, TRAIN.schema, favourable=1)
    best = sf.MinimalCost(TRAIN.schema, sf.Percentiles.fit(TRAIN.table))
    recs = sf.recommend(best, reference, TEST.table.head(25))
    slow, quick = sf.certify(recs, fresh.certify), sf.certify(recs, back.certify)
    pd.testing.assert_frame_equal(slow.to_frame(), quick.to_frame())
    pd.testing.assert_frame_equal(slow.models, quick.models)
    # by the estimators' own words, one by one
    advised = recs.counterfactual[recs.found].to_numpy(dtype=float)
    kept = [int(score.accepts(advised).sum()) for score in fresh.certify]
    assert quick.models["kept"].tolist() == kept
    pd.testing.assert_frame_equal(
        sf.transfer(recs, fresh.certify).rivals, sf.transfer(recs, back.certify).rivals
    )
    people = sf.Invariant(
        *(TRAIN.schema, sf.Percentiles.fit(TRAIN.table)),
        search=back.search,
        choose=back.choose,
        validity=0.6,
    )
    sf.recommend(people, reference, TEST.table.head(3))
    assert all(asleep(score) for part in back.parts for score in part)


# the table's own rows


def test_a_structure_that_is_off_for_the_table_s_people_is_not_used() -> None:
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, Y)
    rows = TRAIN.schema.matrix(TRAIN.table)
    own = forest.predict_proba(X)[:, 1] - 0.5
    score, difference = read_fitted(forest, TRAIN.schema, rows, Answered(own))
    assert isinstance(score, sf.TreeEnsemble)
    assert difference < 1e-12
    score, _ = read_fitted(forest, TRAIN.schema, rows, Answered(own + 1e-3))
    assert isinstance(score, BlackBox)
    np.testing.assert_array_equal(score.score(rows), own)
