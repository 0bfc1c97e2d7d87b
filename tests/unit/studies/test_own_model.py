"""A model of one's own as a study's reference, and names that no file can hold."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf
from standfast.datasets import Dataset
from standfast.errors import InputError
from standfast.studies import OwnModel, Settings, study
from standfast.studies.scene import Scene
from standfast.studies.steps import Steps


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(200, 2)), columns=["income", "debt"])
    labels = pd.Series(np.where(table["income"] - table["debt"] > 0, 1, -1))
    return Dataset(table, labels, sf.Schema((sf.Feature("income"), sf.Feature("debt"))), "mine")


def saved(model, people, path, labels=None):
    y = people.labels if labels is None else people.labels.map(labels)
    sf.save_model(model.fit(people.table, y), path)
    return path


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (make_pipeline(StandardScaler(), LogisticRegression()), "linear"),
        (RandomForestClassifier(5, random_state=0), "forests"),
        (GradientBoostingClassifier(n_estimators=5, random_state=0), ""),
    ],
)
def test_the_model_is_the_reference_and_knows_its_own_class(people, tmp_path, model, grid):
    path = saved(model, people, tmp_path / "card.skops")
    own = OwnModel.read(path)
    assert own.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    scene = Scene(people, own.name, Settings(()), Steps(tmp_path / "steps"), None, own)
    assert scene.name == ("mine", "card.skops")
    assert scene.grid == grid
    assert (scene.f.accepts(people.table.to_numpy()) == (model.predict(people.table) == 1)).all()
    assert not hasattr(scene.unfitted, "classes_")


def test_classes_are_the_users_words_and_must_be_named(people, tmp_path):
    words = {1: "paid", -1: "late"}
    path = saved(LogisticRegression(), people, tmp_path / "card.skops", words)
    assert OwnModel.read(path, favourable="paid").score(people).accepts(np.array([[3.0, 0.0]]))[0]
    with pytest.raises(InputError, match="'late', 'paid', and none was named: name the class"):
        OwnModel.read(path)
    with pytest.raises(InputError, match="'good' is none of them"):
        OwnModel.read(path, favourable="good")
    with pytest.raises(InputError, match="ranks people who turned out well below the others"):
        OwnModel.read(path, favourable="late").score(people)


def test_a_file_without_settings_is_compared_but_never_fitted_again(people, tmp_path):
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(n_estimators=5, max_depth=2)
    path = saved(model, people, tmp_path / "card.json", {1: 1, -1: 0})
    own = OwnModel.read(path)
    assert not own.refittable
    assert own.favourable == 1
    with pytest.raises(InputError, match="without the settings to fit it again"):
        own.unfitted()


def test_a_model_that_does_not_fit_the_data_is_refused_before_any_work(people, tmp_path):
    other = people.table.rename(columns={"debt": "height"})
    sf.save_model(LogisticRegression().fit(other, people.labels), tmp_path / "other.skops")
    own = OwnModel.read(tmp_path / "other.skops")
    with pytest.raises(InputError, match=r"'other.skops': .*height"):
        study([people], Settings(()), tmp_path / "out", model=own)
    two = [people, Dataset(people.table, people.labels, people.schema, "yours")]
    with pytest.raises(InputError, match="fitted for one table, but 2 data sets were given"):
        study(two, Settings(()), tmp_path / "out", model=own)
    with pytest.raises(InputError, match="no reference was given"):
        study([people], Settings(()), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("where", ["the data set", "a person", "twice"])
def test_names_that_no_file_can_hold_are_refused_before_any_work(people, tmp_path, where):
    half, name = "x\udcff", "mine"
    table, labels = people.table, people.labels
    if where == "the data set":
        name = half
    else:
        index = pd.Index([half if where == "a person" else "1", *range(1, 200)], dtype=object)
        table, labels = table.set_axis(index), labels.set_axis(index)
    schema = sf.Schema((sf.Feature("income"), sf.Feature("debt")))
    odd = Dataset(table, labels, schema, name)
    said = "labelled '1'" if where == "twice" else f"{where} is called 'x.udcff'.* rename it"
    with pytest.raises(InputError, match=said):
        study([odd], Settings(("linear",)), tmp_path / "out")
    assert not (tmp_path / "out").exists()
