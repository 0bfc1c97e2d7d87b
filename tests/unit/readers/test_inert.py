"""A model from a file shapes advice and does nothing else, however often it is fitted again."""

import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from standfast.errors import InputError
from standfast.readers.files import load_model, save_model
from standfast.readers.inert import LOST, LOST_IN, inert

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.random((200, 3)), columns=["a", "b", "c"])
Y = (X["a"] + X["b"] > 1).astype(int)


def cached(folder: Path) -> Any:
    """A pipeline that fits its steps through a cache in a folder."""
    return make_pipeline(StandardScaler(), PCA(2), LogisticRegression(), memory=str(folder))


class Trap:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return Path.touch, (self.file,)


def poisoned(folder: Path, sprung: Path) -> dict[Path, bytes]:
    """Put traps into a joblib cache; what every file then holds."""
    for file in folder.rglob("output.pkl"):
        file.write_bytes(pickle.dumps(Trap(sprung)))
    return contents(folder)


def contents(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def wrappers(folder: Path) -> dict[str, Any]:
    return {
        "alone": cached(folder),
        "nested": make_pipeline(StandardScaler(), cached(folder)),
        "voting": VotingClassifier(
            [("a", cached(folder)), ("b", LogisticRegression())], voting="soft"
        ),
        "calibrated": CalibratedClassifierCV(cached(folder), cv=2),
    }


@pytest.mark.parametrize("wrapper", ["alone", "nested", "voting", "calibrated"])
def test_a_planted_cache_is_neither_read_nor_written(wrapper: str, tmp_path: Path) -> None:
    folder, sprung = tmp_path / "cache", tmp_path / "sprung"
    model = wrappers(folder)[wrapper].fit(X, Y)
    save_model(model, tmp_path / "model.skops")
    planted = poisoned(folder, sprung)
    assert any(b"Path" in content or b"pathlib" in content for content in planted.values())
    loaded = load_model(tmp_path / "model.skops")
    again = clone(loaded).fit(X, Y)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert not sprung.exists()
    assert contents(folder) == planted
    # the trap is a real one: the model as it was springs it
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever the trap's content breaks
        clone(model).fit(X, Y)
    assert sprung.exists()


def test_a_level_set_s_reference_from_a_file_leaves_the_cache_alone(tmp_path: Path) -> None:
    from standfast.datasets import twin
    from standfast.rivals import level_set

    people = twin("heloc", n=300, seed=0)
    folder = tmp_path / "cache"
    model = cached(folder).fit(people.table, people.labels)
    save_model(model, tmp_path / "model.skops")
    planted = poisoned(folder, tmp_path / "sprung")
    loaded = load_model(tmp_path / "model.skops")
    other = make_pipeline(StandardScaler(), LogisticRegression())
    level_set({"other": other}, people, reference=loaded, epsilon=0.5, jobs=1)
    assert not (tmp_path / "sprung").exists()
    assert contents(folder) == planted


@pytest.mark.parametrize("ending", ["skops", "pkl"])
def test_what_acts_is_set_back_and_everything_else_is_kept(ending: str, tmp_path: Path) -> None:
    forest = RandomForestClassifier(7, max_depth=3, n_jobs=2, verbose=1, random_state=4)
    boosting = HistGradientBoostingClassifier(
        max_iter=3, verbose=1, scoring=make_scorer(accuracy_score), early_stopping=True
    )
    voting = VotingClassifier([("f", forest), ("b", boosting)], n_jobs=2, verbose=True)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), voting, memory=None, verbose=True),
        {"votingclassifier__f__max_depth": [2, 3]},
        cv=2,
        n_jobs=2,
        pre_dispatch="3*n_jobs",
        scoring="roc_auc",
    )
    loud = {n: v for n, v in search.get_params().items() if n.split("__")[-1] in LOST and v}
    assert len(loud) > 6
    file = tmp_path / f"model.{ending}"
    if ending == "pkl":
        joblib.dump(search, file)
    else:
        save_model(search, file)
    loaded = load_model(file, trust=["pickle"])
    before, after = search.get_params(), loaded.get_params()
    assert not any(after[name] for name in loud if not name.endswith("pre_dispatch"))
    assert after["pre_dispatch"] == "2*n_jobs"
    assert after["scoring"] == "roc_auc"
    inner = "estimator__votingclassifier__"
    assert after[f"{inner}b__scoring"] == "loss"
    for kept in ("f__n_estimators", "f__max_depth", "f__random_state", "b__max_iter"):
        assert after[inner + kept] == before[inner + kept]
    assert after["cv"] == 2


def test_a_cache_object_in_a_pickle_is_lost_too(tmp_path: Path) -> None:
    model = make_pipeline(StandardScaler(), LogisticRegression(), memory=joblib.Memory(tmp_path))
    joblib.dump(model, tmp_path / "model.pkl")
    assert load_model(tmp_path / "model.pkl", trust=["pickle"]).memory is None


def test_a_vectorizer_that_opens_files_no_longer_does() -> None:
    model = inert(make_pipeline(CountVectorizer(input="filename"), LogisticRegression()))
    assert model[0].input == "content"


def test_catboost_writes_no_files_when_it_is_fitted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    catboost = pytest.importorskip("catboost")
    acting = {"train_dir": str(tmp_path / "train"), "verbose": 5, "thread_count": 2}
    acting |= {"save_snapshot": True, "snapshot_file": str(tmp_path / "snapshot")}
    joblib.dump(catboost.CatBoostClassifier(iterations=3, depth=2, **acting), tmp_path / "m.pkl")
    loaded = load_model(tmp_path / "m.pkl", trust=["pickle"])
    kept = {"iterations": 3, "depth": 2, "allow_writing_files": False, "logging_level": "Silent"}
    assert loaded.get_params() == kept
    monkeypatch.chdir(tmp_path)
    clone(loaded).fit(X, Y)
    assert os.listdir(tmp_path) == ["m.pkl"]
    assert capfd.readouterr() == ("", "")


def test_boosting_libraries_lose_machines_files_callbacks_and_noise(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    xgboost = pytest.importorskip("xgboost")
    light = lightgbm.LGBMClassifier(
        n_estimators=3,
        max_bin=20,
        n_jobs=2,
        verbose=2,
        machines="10.0.0.1:99",
        num_machines=2,
        forcedsplits_filename=str(tmp_path / "splits"),
    )
    extreme = xgboost.XGBClassifier(
        n_estimators=3,
        n_jobs=2,
        nthread=2,
        verbosity=3,
        callbacks=[xgboost.callback.EvaluationMonitor()],
        eval_metric=accuracy_score,
        max_bin=20,
    )
    for model in (light, extreme):
        joblib.dump(model, tmp_path / "model.pkl")
        loaded = load_model(tmp_path / "model.pkl", trust=["pickle"])
        left = {n: v for n, v in clone(loaded).get_params().items() if v is not None}
        assert left["n_estimators"] == 3
        assert left["max_bin"] == 20
        lost = LOST | LOST_IN["lightgbm"] | {"eval_metric"}
        assert {n: v for n, v in left.items() if n in lost} in ({"verbose": -1}, {"verbosity": 0})


# what is read at all


@pytest.mark.parametrize("ending", ["skops", "json", "ubj", "txt", "pkl"])
def test_a_pipe_is_refused_instead_of_waited_for(ending: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"model.{ending}")
    with pytest.raises(InputError, match="it is a pipe or a device; name a regular file"):
        load_model(tmp_path / f"model.{ending}", trust=["pickle"])


def test_a_file_or_an_archive_beyond_the_bound_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = LogisticRegression().fit(X, Y)
    skops.io.dump(model, tmp_path / "model.skops", compression=zipfile.ZIP_DEFLATED)
    size = (tmp_path / "model.skops").stat().st_size
    monkeypatch.setattr("standfast.readers.files.MOST", size)
    with pytest.raises(InputError, match=r"unpacks to more than .* bytes"):
        load_model(tmp_path / "model.skops")
    monkeypatch.setattr("standfast.readers.files.MOST", size - 1)
    with pytest.raises(InputError, match=r"holds more than .* bytes"):
        load_model(tmp_path / "model.skops")


def test_the_consent_that_is_asked_for_is_the_one_that_works(tmp_path: Path) -> None:
    from sklearn.neighbors import KNeighborsClassifier

    file = tmp_path / "model.skops"
    save_model(KNeighborsClassifier(algorithm="kd_tree").fit(X, Y), file)
    with pytest.raises(InputError) as caught:
        load_model(file)
    shown = str(caught.value)
    named = shown.partition("(in Python: trust=")[2].removesuffix(")")
    trust = [part.strip("'\"") for part in named.strip("[]").split(", ")]
    assert all(f"--trust {name}" in shown for name in trust)
    assert load_model(file, trust=trust).predict(X).shape == (200,)
