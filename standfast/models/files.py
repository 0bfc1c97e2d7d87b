"""Models as files: read without running what a file brings along, written whole."""

import importlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from standfast.errors import InputError, listing
from standfast.files import write_whole
from standfast.models.sound_trees import is_sound, parts
from standfast.models.ubjson import is_whole

# What a skops file may hold without asking, beyond what skops itself trusts (scikit-learn's public
# estimators, numpy's arrays, random states and ufuncs such as log1p). Nothing here runs code that a
# file chooses.
TRUSTED = (
    # trees: skops leaves them out because scikit-learn follows their node numbers unchecked, so
    # that a damaged file crashes the process; standfast checks these numbers after loading
    "sklearn.tree._tree.Tree",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    # how gradient boosting bins inputs and turns log-odds into probabilities: numbers and formulas
    # (skops before 0.16 does not know them; scikit-learn before 1.6 names the module `_loss`)
    "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
    "sklearn._loss.loss.HalfBinomialLoss",
    "sklearn._loss.loss.ExponentialLoss",
    "sklearn._loss.link.LogitLink",
    "sklearn._loss.link.HalfLogitLink",
    "sklearn._loss.link.Interval",
    "_loss.CyHalfBinomialLoss",
    "_loss.CyExponentialLoss",
    # what scorecards' transformers keep: a number type (bins, imputers), a spline's polynomial with
    # the function that turns its input into an array, a function that clips, which columns to take
    "numpy.dtype",
    "numpy.clip",
    "scipy.interpolate._bsplines.BSpline",
    "scipy._lib.array_api_compat.numpy._aliases.asarray",
    "sklearn.compose._column_transformer.make_column_selector",
    "sklearn.compose._column_transformer._RemainderColsList",
    # calibrated, voting and stacking classifiers: containers of estimators that are checked too
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.utils._bunch.Bunch",
    # what a grid search remembers of how it chose: folds and measures, never used to predict
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.metrics._scorer._Scorer",
    "sklearn.metrics._ranking.roc_auc_score",
    "sklearn.metrics._ranking.average_precision_score",
    "sklearn.metrics._classification.accuracy_score",
    "sklearn.metrics._classification.balanced_accuracy_score",
    "sklearn.metrics._classification.brier_score_loss",
    "sklearn.metrics._classification.f1_score",
    "sklearn.metrics._classification.log_loss",
    "sklearn.utils._metadata_requests.MetadataRequest",
    "sklearn.utils._metadata_requests.MethodMetadataRequest",
    # a neural network's training state: step sizes and moments
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
)

XGBOOST = (".json", ".ubj")
LIGHTGBM = (".txt", ".lgb")
PICKLE = (".pkl", ".pickle", ".joblib")
ENDINGS = ".skops (scikit-learn), .json or .ubj (XGBoost), .txt or .lgb (LightGBM)"


def load_model(path: Path | str, *, trust: Sequence[str] = ()) -> Any:
    """The estimator in a file: skops, or XGBoost's and LightGBM's own formats, by the ending.

    A skops file may hold scikit-learn's own types and a short list of harmless ones (`TRUSTED`);
    any other type is named and refused unless `trust` names it too. A pickle runs code from the
    file when it is loaded, so it needs `trust=["pickle"]`.

    >>> load_model("model.onnx")
    Traceback (most recent call last):
    standfast.errors.InputError: there is no file 'model.onnx'; check the path
    """
    path = Path(path)
    _check_readable(path)
    suffix = path.suffix.lower()
    if suffix == ".skops":
        return _load_skops(path, trust)
    if suffix in XGBOOST:
        return _load_xgboost(path)
    if suffix in LIGHTGBM:
        return _load_lightgbm(path)
    if suffix in PICKLE:
        return _load_pickle(path, trust)
    raise InputError(f"'{path}' does not say which kind of model it is; expected {ENDINGS}")


def save_model(estimator: Any, path: Path | str) -> None:
    """Write a fitted estimator whole, in the format of the path's ending.

    >>> from sklearn.linear_model import LogisticRegression
    >>> save_model(LogisticRegression(), "model.pkl")
    Traceback (most recent call last):
    standfast.errors.InputError: cannot write 'model.pkl': end it in .skops (scikit-learn), .json \
or .ubj (XGBoost), .txt or .lgb (LightGBM)
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".skops":
        skops = importlib.import_module("skops.io")
        _write(path, lambda file: skops.dump(estimator, file))
    elif suffix in XGBOOST:
        xgboost = _library("xgboost", path)
        _check_kind(estimator, (xgboost.XGBClassifier, xgboost.Booster), path)
        _write(path, lambda file: estimator.save_model(file))
    elif suffix in LIGHTGBM:
        lightgbm = _library("lightgbm", path)
        _check_kind(estimator, (lightgbm.LGBMClassifier, lightgbm.Booster), path)
        _write(path, lambda file: _booster(estimator, path).save_model(file))
    else:
        raise InputError(f"cannot write '{path}': end it in {ENDINGS}")


# reading


def _check_readable(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"'{path}' is a folder; name the model's file in it")
    if not path.exists():
        raise InputError(f"there is no file '{path}'; check the path")
    try:
        with path.open("rb") as stream:
            start = stream.read(2)
    except OSError as error:
        raise InputError(f"cannot read '{path}': {error.strerror or error}") from error
    if not start:
        raise InputError(f"'{path}' is empty; save the model again")
    if start[:1] == b"\x80" and path.suffix.lower() not in PICKLE:
        raise InputError(
            f"'{path}' is a pickle, whatever its ending says; save the model with "
            "standfast.save_model(model, 'model.skops')"
        )


def _load_skops(path: Path, trust: Sequence[str]) -> Any:
    skops = importlib.import_module("skops.io")
    try:
        unknown = [t for t in skops.get_untrusted_types(file=path) if t not in (*TRUSTED, *trust)]
    except Exception as error:  # a broken file fails in a dozen ways: zip, JSON, missing parts
        raise _unreadable(path, "a skops file", error) from error
    if unknown:
        consent = " ".join(f"--trust {name}" for name in unknown)
        raise InputError(
            f"'{path}' holds {listing(unknown, 99)}, which standfast does not trust by itself: "
            "such a type may run its own code; if you trust whoever made the file, add "
            f"{consent} (in Python: load_model(path, trust=[...]))"
        )
    try:
        model = skops.load(path, trusted=[*TRUSTED, *trust])
    except Exception as error:
        raise _unreadable(path, "a skops file", error) from error
    if not all(map(is_sound, parts(model))):
        raise InputError(
            f"'{path}' holds a tree whose nodes point nowhere; the file is damaged: save the model "
            "again"
        )
    return model


def _load_xgboost(path: Path) -> Any:
    xgboost = _library("xgboost", path)
    if path.suffix.lower() == ".ubj" and not is_whole(path.read_bytes()):
        raise InputError(
            f"'{path}' is no XGBoost model, or only the beginning of one; save it again with "
            "model.save_model(path)"
        )
    model = xgboost.XGBClassifier()
    try:
        model.load_model(path)
        objective = str(model.objective)
    except Exception as error:
        raise _unreadable(path, "an XGBoost classifier", error) from error
    _check_objective(path, objective, ("binary:", "multi:", "reg:logistic"))
    return model


def _load_lightgbm(path: Path) -> Any:
    lightgbm = _library("lightgbm", path)
    text = path.read_text(encoding="utf-8", errors="replace")
    # LightGBM reads past the end of a file that was cut off, and takes the process down with it
    if not text.startswith("tree") or "\nend of trees" not in text:
        raise InputError(
            f"'{path}' is no LightGBM model, or only the beginning of one; save it again with "
            "booster.save_model(path)"
        )
    found = re.search(r"^objective=(.*)$", text, re.MULTILINE)
    _check_objective(
        path, found[1] if found else "", ("binary", "multiclass", "cross_entropy", "xentropy")
    )
    try:
        return lightgbm.Booster(model_file=str(path))
    except Exception as error:
        raise _unreadable(path, "a LightGBM model", error) from error


def _load_pickle(path: Path, trust: Sequence[str]) -> Any:
    if "pickle" not in trust:
        raise InputError(
            f"'{path}' is a pickle, and loading a pickle runs code from the file; save the model "
            "with standfast.save_model(model, 'model.skops') instead, or, if you trust whoever "
            "made the file, add --trust pickle (in Python: load_model(path, trust=['pickle']))"
        )
    joblib = importlib.import_module("joblib")
    try:
        return joblib.load(path)
    except Exception as error:
        raise _unreadable(path, "a pickle", error) from error


def _check_objective(path: Path, objective: str, allowed: tuple[str, ...]) -> None:
    if not objective.startswith(allowed):
        raise InputError(
            f"'{path}' was trained with the objective '{objective}', which tells no two classes "
            "apart; train a classifier"
        )


def _unreadable(path: Path, kind: str, error: Exception) -> InputError:
    return InputError(
        f"cannot read '{path}' as {kind} ({_reason(error)}); it may be cut off, or another kind of "
        "file: save the model again"
    )


def _reason(error: Exception) -> str:
    """The first line an error says, without XGBoost's time stamp and source line."""
    lines = re.sub(r"^\[[\d:]+\] \S+:\d+: ", "", str(error).strip("'\" \n")).splitlines()
    return lines[0].strip(" :") if lines else type(error).__name__


def _library(name: str, path: Path) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(
            f"'{path}' needs {name}, which is not installed; run pip install 'standfast[boosting]'"
        ) from error


# writing


def _write(path: Path, write: Callable[[Path], object]) -> None:
    try:
        write_whole(path, write)
    except InputError:
        raise
    except Exception as error:  # what a library cannot write, it says in its own kind of error
        raise InputError(f"cannot save the model as '{path}' ({_reason(error)})") from error


def _check_kind(estimator: Any, kinds: tuple[type, ...], path: Path) -> None:
    if not isinstance(estimator, kinds):
        raise InputError(
            f"a {type(estimator).__name__} cannot be written as '{path}', which is for "
            f"{' and '.join(kind.__name__ for kind in kinds)}; end the path in .skops"
        )


def _booster(estimator: Any, path: Path) -> Any:
    classes = getattr(estimator, "classes_", None)
    if classes is not None and list(classes) != [0, 1]:
        raise InputError(
            f"LightGBM's own format forgets the classes {np.asarray(classes).tolist()}; fit on 0 "
            f"and 1, or end '{path}' in .skops"
        )
    return getattr(estimator, "booster_", estimator)
