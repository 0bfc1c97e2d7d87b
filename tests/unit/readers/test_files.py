import json
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from standfast.errors import InputError
from standfast.readers.files import TRUSTED, load_model, save_model

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.random((200, 3)), columns=["a", "b", "c"])
Y = (X["a"] + X["b"] + 0.1 * rng.standard_normal(200) > 1).astype(int)


def behind(*transformers: Any) -> Any:
    return make_pipeline(*transformers, LogisticRegression())


logs = ColumnTransformer([("log", FunctionTransformer(np.log1p), ["a"])], remainder="passthrough")
USUAL = {
    "tree": DecisionTreeClassifier(max_depth=3),
    "forest": RandomForestClassifier(5, random_state=np.random.RandomState(0)),
    "extra trees": ExtraTreesClassifier(5),
    "gradient boosting": GradientBoostingClassifier(n_estimators=5),
    "gradient boosting, exponential": GradientBoostingClassifier(
        n_estimators=5, loss="exponential"
    ),
    "histogram boosting": HistGradientBoostingClassifier(max_iter=5),
    "isolation forest": IsolationForest(n_estimators=5),
    "logistic regression": LogisticRegression(),
    "logarithms": make_pipeline(logs, LogisticRegression()),
    "clipping": behind(FunctionTransformer(np.clip, kw_args={"a_min": 0.1, "a_max": 0.9})),
    "scaled": behind(StandardScaler()),
    "splines": behind(SplineTransformer()),
    "quantiles": behind(QuantileTransformer(n_quantiles=50)),
    "powers": behind(PowerTransformer()),
    "bins": behind(KBinsDiscretizer(5, quantile_method="averaged_inverted_cdf")),
    "one hot": behind(
        KBinsDiscretizer(5, encode="ordinal", quantile_method="averaged_inverted_cdf"),
        OneHotEncoder(),
    ),
    "grid search": GridSearchCV(
        RandomForestClassifier(3), {"max_depth": [2, 3]}, cv=3, scoring="roc_auc"
    ),
    "plain grid search": GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3),
    "calibrated": CalibratedClassifierCV(RandomForestClassifier(3), cv=3),
    "voting": VotingClassifier([("a", LogisticRegression()), ("b", DecisionTreeClassifier())]),
    "network": MLPClassifier((4,), max_iter=20, tol=1.0, random_state=0),
}


@pytest.mark.parametrize("name", USUAL)
def test_a_usual_model_comes_back_from_skops_without_asking(name: str, tmp_path: Path) -> None:
    model = USUAL[name].fit(X, Y)
    save_model(model, tmp_path / "model.skops")
    back = load_model(tmp_path / "model.skops")
    assert (back.predict(X) == model.predict(X)).all()
    assert [file.name for file in tmp_path.iterdir()] == ["model.skops"]


def test_the_trusted_list_is_short_and_stays_with_the_numerical_libraries() -> None:
    homes = {name.split(".")[0] for name in TRUSTED}
    assert homes <= {"sklearn", "numpy", "scipy", "_loss"}
    assert len(set(TRUSTED)) == len(TRUSTED) < 50


def test_other_types_are_named_and_need_trust(tmp_path: Path) -> None:
    file = tmp_path / "model.skops"
    model = KNeighborsClassifier(algorithm="kd_tree").fit(X, Y)
    save_model(model, file)
    with pytest.raises(InputError, match=r"KDTree.*--trust sklearn\.neighbors\._kd_tree\.KDTree"):
        load_model(file)
    unknown = [t for t in skops.io.get_untrusted_types(file=file) if t not in TRUSTED]
    with pytest.raises(InputError, match="KDTree"):
        load_model(file, trust=unknown[:1])
    assert (load_model(file, trust=unknown).predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("ending", ["pkl", "pickle", "joblib"])
def test_a_pickle_is_not_opened_without_trust(ending: str, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "sprung",)

    file = tmp_path / f"model.{ending}"
    file.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(InputError, match=r"runs code from the file.*--trust pickle"):
        load_model(file)
    assert not (tmp_path / "sprung").exists()
    joblib.dump(LogisticRegression().fit(X, Y), file)
    assert load_model(file, trust=["pickle"]).predict(X).shape == (200,)


def test_a_pickle_under_another_name_is_found_out(tmp_path: Path) -> None:
    file = tmp_path / "model.skops"
    file.write_bytes(pickle.dumps(LogisticRegression()))
    with pytest.raises(InputError, match="is a pickle, whatever its ending says"):
        load_model(file)


def damaged(file: Path, nodes: Any, change: Any) -> None:
    """Change the array in a skops file whose items have the named fields."""
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name, content in parts.items():
        if not name.endswith(".npy"):
            continue
        (file.parent / "part.npy").write_bytes(content)
        array = np.load(file.parent / "part.npy")
        if set(nodes) <= set(array.dtype.names or ()):
            change(array)
            np.save(file.parent / "part.npy", array)
            parts[name] = (file.parent / "part.npy").read_bytes()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def outwards(array: Any, left: str) -> None:
    array[left][0] = 10**6


def backwards(array: Any, left: str) -> None:
    array[left][0] = 0


def beside(array: Any, left: str) -> None:
    array["feature" if left == "left_child" else "feature_idx"][0] = 3


@pytest.mark.parametrize("damage", [outwards, backwards, beside])
@pytest.mark.parametrize(
    ("model", "left"),
    [
        (DecisionTreeClassifier(max_depth=2), "left_child"),
        (RandomForestClassifier(2, max_depth=2), "left_child"),
        (GradientBoostingClassifier(n_estimators=2), "left_child"),
        (HistGradientBoostingClassifier(max_iter=2), "left"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_trees_that_point_nowhere_are_refused_before_they_are_asked(
    model: Any, left: str, damage: Any, tmp_path: Path
) -> None:
    file = tmp_path / "model.skops"
    save_model(model.fit(X, Y), file)
    load_model(file)
    damaged(file, [left], lambda array: damage(array, left))
    with pytest.raises(InputError, match="nodes point nowhere"):
        load_model(file)


def test_a_forest_of_wider_trees_than_itself_is_refused(tmp_path: Path) -> None:
    forest = RandomForestClassifier(2).fit(X, Y)
    forest.n_features_in_ = 2
    save_model(forest, tmp_path / "model.skops")
    with pytest.raises(InputError, match="nodes point nowhere"):
        load_model(tmp_path / "model.skops")


@pytest.mark.parametrize("ending", ["json", "ubj"])
def test_xgboost_comes_back_from_its_own_formats(ending: str, tmp_path: Path) -> None:
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(n_estimators=5).fit(X, Y)
    file = tmp_path / f"model.{ending}"
    save_model(model, file)
    assert (load_model(file).predict_proba(X) == model.predict_proba(X)).all()
    for share in (0.3, 0.6, 0.95):
        cut = tmp_path / f"cut.{ending}"
        cut.write_bytes(file.read_bytes()[: int(file.stat().st_size * share)])
        with pytest.raises(InputError, match=r"cut\.(json|ubj)' .*XGBoost|cannot read .* XGBoost"):
            load_model(cut)


def test_an_xgboost_regressor_is_refused(tmp_path: Path) -> None:
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBRegressor(n_estimators=2).fit(X, Y)
    model.save_model(tmp_path / "estimator.json")
    model.get_booster().save_model(tmp_path / "booster.json")
    with pytest.raises(InputError, match="XGBoost classifier"):
        load_model(tmp_path / "estimator.json")
    with pytest.raises(InputError, match="objective 'reg:squarederror'"):
        load_model(tmp_path / "booster.json")


def test_lightgbm_comes_back_from_its_own_format(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(X, Y)
    file = tmp_path / "model.txt"
    save_model(model, file)
    assert (load_model(file).predict(X) == model.predict_proba(X)[:, 1]).all()
    for share in (0.3, 0.6):
        cut = tmp_path / "cut.txt"
        cut.write_bytes(file.read_bytes()[: int(file.stat().st_size * share)])
        with pytest.raises(InputError, match="only the beginning of one"):
            load_model(cut)


def test_lightgbm_is_not_saved_where_its_classes_would_be_lost(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(n_estimators=2, verbose=-1).fit(X, 2 * Y - 1)
    with pytest.raises(InputError, match=r"does not keep the classes \[-1, 1\]"):
        save_model(model, tmp_path / "model.txt")
    regressor = lightgbm.LGBMRegressor(n_estimators=2, verbose=-1).fit(X, Y)
    regressor.booster_.save_model(tmp_path / "model.txt")
    with pytest.raises(InputError, match="objective 'regression'"):
        load_model(tmp_path / "model.txt")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("model.skops", b"", "is empty"),
        ("model.skops", b"PK hello", "cannot read .* as a skops file"),
        ("model.json", b'{"a": 1}', "cannot read .* as an XGBoost classifier"),
        ("model.ubj", b"hello", "is not an XGBoost model"),
        ("model.txt", b"hello", "is not a LightGBM model"),
        ("model.lgb", b"tree\nend of tr", "is not a LightGBM model"),
        ("model.onnx", b"hello", "is no ONNX file"),
        ("model.pmml", b"hello", "it is not XML"),
        ("model.h5", b"hello", "does not say which kind of model it is"),
        ("model.cbm", b"CBM1", "give the fitted classifier as a pickle .model.pkl. with --trust"),
    ],
)
def test_other_content_is_one_sentence(
    name: str, content: bytes, sentence: str, tmp_path: Path
) -> None:
    pytest.importorskip("xgboost")
    pytest.importorskip("lightgbm")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=sentence) as shown:
        load_model(tmp_path / name)
    assert "\n" not in str(shown.value)


def test_missing_files_and_folders_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        load_model(tmp_path / "gone.skops")
    with pytest.raises(InputError, match="is a folder"):
        load_model(tmp_path)


def test_a_skops_archive_without_a_model_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "model.skops", "w") as archive:
        archive.writestr("schema.json", json.dumps({"a": 1}))
    with pytest.raises(InputError, match=r"cannot read .* as a skops file"):
        load_model(tmp_path / "model.skops")


@pytest.mark.parametrize(("library", "name"), [("xgboost", "m.json"), ("lightgbm", "m.txt")])
def test_a_library_that_is_not_installed_is_named_with_its_extra(
    library: str, name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text("tree")
    code = (
        f"import sys; sys.modules['{library}'] = None\n"
        "from standfast.readers.files import load_model\n"
        f"load_model({str(tmp_path / name)!r})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"needs {library}, which is not installed" in ran.stderr
    assert "pip install 'standfast[boosting]'" in ran.stderr


def test_saving_refuses_what_does_not_fit_the_ending_and_leaves_nothing(tmp_path: Path) -> None:
    pytest.importorskip("xgboost")
    pytest.importorskip("lightgbm")
    model = LogisticRegression().fit(X, Y)
    for name in ("model.json", "model.txt"):
        with pytest.raises(InputError, match="a LogisticRegression cannot be written"):
            save_model(model, tmp_path / name)
    with pytest.raises(InputError, match=r"end it in \.skops"):
        save_model(model, tmp_path / "model.pkl")
    with pytest.raises(InputError, match="does not exist"):
        save_model(model, tmp_path / "gone" / "model.skops")
    with pytest.raises(InputError, match="cannot save the model"):
        save_model(HistGradientBoostingClassifier(scoring=(x for x in ())), tmp_path / "m.skops")
    assert list(tmp_path.iterdir()) == []
