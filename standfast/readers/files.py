"""Models as files: read without running what a file brings along, written whole."""

import functools
import importlib
import io
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from standfast.errors import InputError, first_line, listing, type_of
from standfast.files import read_bytes, write_whole
from standfast.readers.inert import inert
from standfast.readers.lightgbm_text import checked_text
from standfast.readers.model_document import ModelDocument
from standfast.readers.pmml.model import PmmlModel
from standfast.readers.sound_trees import is_sound, parts
from standfast.readers.trusted_types import CHECKED_LATER, TRUSTED
from standfast.readers.xgboost_document import checked_json, checked_ubj

XGBOOST = (".json", ".ubj")
LIGHTGBM = (".txt", ".lgb")
PMML, ONNX, CATBOOST = ".pmml", ".onnx", ".cbm"
PICKLE = (".pkl", ".pickle", ".joblib")
OWN = ".skops (scikit-learn), .json or .ubj (XGBoost), .txt or .lgb (LightGBM)"  # read and written
ENDINGS = f"{OWN}, .pmml, .onnx"
MOST = 2 * 2**30  # bytes of a file, and of what a skops file unpacks to


def load_model(path: Path | str, *, trust: Sequence[str] = ()) -> Any:
    """The model in a file: skops, XGBoost's and LightGBM's own formats, PMML, ONNX, by the ending.

    Settings that act beyond the model, such as a cache's folder or a number of processes, are set
    back (`standfast.readers.inert`). PMML and ONNX describe a model's structure, which `as_score`
    reads; there is no estimator behind them.

    Parameters
    ----------
    path : path
        The file.
    trust : sequence of str
        Types that a skops file may hold besides scikit-learn's own and a short list of harmless
        ones (`TRUSTED`); any other is named and refused. A pickle runs code from the file when it
        is loaded, so it needs `trust=["pickle"]`.

    Returns
    -------
    estimator or document
        What `as_score` takes.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.linear_model import LogisticRegression
    >>> path = Path(tempfile.mkdtemp()) / "model.skops"
    >>> save_model(LogisticRegression().fit([[0.0], [1.0]], [0, 1]), path)
    >>> load_model(path).predict([[5.0]])
    array([1])
    >>> load_model("model.onnx")
    Traceback (most recent call last):
    standfast.errors.InputError: there is no file 'model.onnx'; check the path
    """
    path = Path(path)
    suffix = path.suffix.lower()
    data = _read(path)
    if suffix == ".skops":
        return inert(_load_skops(path, data, trust))
    if suffix in XGBOOST:
        return _load_xgboost(path, data)
    if suffix in LIGHTGBM:
        return _load_lightgbm(path, data)
    if suffix in (PMML, ONNX):
        return _load_document(path, data, suffix[1:].upper())
    if suffix in PICKLE:
        return inert(_load_pickle(path, data, trust))
    if suffix == CATBOOST:
        raise InputError(
            f"'{path}': CatBoost's own format is not read; give the fitted classifier as a pickle "
            "(model.pkl) with --trust pickle; in Python, as_score takes the classifier itself"
        )
    raise InputError(f"'{path}' does not say which kind of model it is; expected {ENDINGS}")


def save_model(estimator: Any, path: Path | str) -> None:
    """Write a fitted estimator whole, in the format of the path's ending.

    Parameters
    ----------
    estimator : estimator
        The fitted model.
    path : path
        Ends in .skops (scikit-learn), .json or .ubj (XGBoost), .txt or .lgb (LightGBM).

    Examples
    --------
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
        raise InputError(f"cannot write '{path}': end it in {OWN}")


# reading


def _read(path: Path) -> bytes:
    """The file's bytes, read once, so that what is checked is what is loaded."""
    if path.is_dir():
        raise InputError(f"'{path}' is a folder; name the model's file in it")
    if not path.exists():
        raise InputError(f"there is no file '{path}'; check the path")
    data = read_bytes(path, MOST, "a model")
    if not data:
        raise InputError(f"'{path}' is empty; save the model again")
    if data[:1] == b"\x80" and path.suffix.lower() not in PICKLE:
        raise InputError(
            f"'{path}' is a pickle, whatever its ending says; save the model with "
            "standfast.save_model(model, 'model.skops')"
        )
    return data


def _load_skops(path: Path, data: bytes, trust: Sequence[str]) -> Any:
    skops = importlib.import_module("skops.io")
    exceptions = importlib.import_module("skops.io.exceptions")
    allowed = [*TRUSTED, *CHECKED_LATER, *trust]
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
        if unpacked > MOST:
            raise ValueError(f"it unpacks to more than {MOST:,} bytes")
        # skops reads every type of the file, and refuses those not allowed, before it makes any
        model = skops.loads(data, trusted=allowed)
    except exceptions.UntrustedTypesFoundException as error:
        unknown = [t for t in skops.get_untrusted_types(data=data) if t not in allowed]
        consent = " ".join(f"--trust {name}" for name in unknown)
        raise InputError(
            f"'{path}' holds {listing(unknown, 99)}, which standfast does not trust by itself: "
            "such a type may run its own code; if you trust the file's author, add "
            f"{consent} (in Python: trust={[*trust, *unknown]})"
        ) from error
    except Exception as error:  # a broken file fails in a dozen ways: zip, JSON, missing parts
        raise _unreadable(path, "a skops file", error) from error
    if "functools.partial" not in trust and any(map(_is_foreign_partial, parts(model))):
        raise InputError(
            f"'{path}' holds a function with settings of its own (functools.partial), which "
            "standfast does not trust by itself; if you trust the file's author, add --trust "
            "functools.partial (in Python: trust=['functools.partial'])"
        )
    if not all(map(is_sound, parts(model))):
        raise InputError(
            f"'{path}' holds a tree whose nodes point nowhere; the file is damaged: save the model "
            "again"
        )
    return model


def _is_foreign_partial(thing: Any) -> bool:
    """Whether this would call another function than scikit-learn's check of arrays."""
    from sklearn.utils import check_array

    return isinstance(thing, functools.partial) and thing.func is not check_array


def _load_xgboost(path: Path, data: bytes) -> Any:
    xgboost = _library("xgboost", path)
    check = checked_ubj if path.suffix.lower() == ".ubj" else checked_json
    try:
        sound = check(data)
    except InputError as error:
        raise InputError(
            f"cannot read '{path}' as an XGBoost classifier: it is not an XGBoost model, or only "
            f"the beginning of one, or damaged ({error}); save it again with model.save_model(path)"
        ) from None
    model = xgboost.XGBClassifier()
    try:
        model.load_model(bytearray(sound))
        objective = str(model.objective)
    except Exception as error:
        raise _unreadable(path, "an XGBoost classifier", error) from error
    _check_objective(path, objective, ("binary:", "multi:", "reg:logistic"))
    return model


def _load_lightgbm(path: Path, data: bytes) -> Any:
    lightgbm = _library("lightgbm", path)
    try:
        text = checked_text(data)
    except InputError as error:
        raise InputError(
            f"'{path}' is not a LightGBM model, or only the beginning of one, or damaged "
            f"({error}); save it again with booster.save_model(path)"
        ) from None
    found = re.search(r"^objective=(.*)$", text, re.MULTILINE)
    _check_objective(
        path, found[1] if found else "", ("binary", "multiclass", "cross_entropy", "xentropy")
    )
    try:
        return lightgbm.Booster(model_str=text)
    except Exception as error:
        raise _unreadable(path, "a LightGBM model", error) from error


def _load_document(path: Path, data: bytes, kind: str) -> ModelDocument:
    from standfast.readers.onnx.model import OnnxModel

    try:
        return PmmlModel.of(data) if kind == "PMML" else OnnxModel.of(data)
    except InputError as error:
        raise InputError(f"cannot read '{path}' as {kind}: {error}") from None


def _load_pickle(path: Path, data: bytes, trust: Sequence[str]) -> Any:
    if "pickle" not in trust:
        raise InputError(
            f"'{path}' is a pickle, and loading a pickle runs code from the file; save the model "
            "with standfast.save_model(model, 'model.skops') instead, or, if you trust "
            "the file's author, add --trust pickle (in Python: trust=['pickle'])"
        )
    joblib = importlib.import_module("joblib")
    try:
        return joblib.load(io.BytesIO(data))
    except Exception as error:
        raise _unreadable(path, "a pickle", error) from error


def _check_objective(path: Path, objective: str, allowed: tuple[str, ...]) -> None:
    if not objective.startswith(allowed):
        raise InputError(
            f"'{path}' was trained with the objective '{objective}', which separates no two "
            "classes; train a classifier"
        )


def _unreadable(path: Path, kind: str, error: Exception) -> InputError:
    return InputError(
        f"cannot read '{path}' as {kind} ({_reason(error)}); it may be cut off, or another kind of "
        "file: save the model again"
    )


def _reason(error: Exception) -> str:
    """What a library says, without quotes around it."""
    return first_line(error).strip("'\" :")


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
            f"{type_of(estimator)} cannot be written as '{path}', which is for "
            f"{' and '.join(kind.__name__ for kind in kinds)}; end the path in .skops"
        )


def _booster(estimator: Any, path: Path) -> Any:
    classes = getattr(estimator, "classes_", None)
    if classes is not None and list(classes) != [0, 1]:
        raise InputError(
            f"LightGBM's own format does not keep the classes {np.asarray(classes).tolist()}; "
            f"fit on 0 and 1, or end '{path}' in .skops"
        )
    return getattr(estimator, "booster_", estimator)
