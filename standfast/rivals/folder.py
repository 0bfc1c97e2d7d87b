"""Several models in one folder: each in its own safe format, and a header that knows them all."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from standfast.errors import InputError
from standfast.files import write_table
from standfast.readers.files import save_model
from standfast.readers.stored import Stored, own_prediction
from standfast.rivals.header import HEADER, REMEDY, TABLES, read_header, with_digest
from standfast.rivals.saved_structures import read_structures, write_structures
from standfast.schema import Schema
from standfast.scores.black_box import BlackBox
from standfast.scores.prediction import Prediction
from standfast.scores.score import Score
from standfast.structure import reading


@dataclass(frozen=True)
class Collection:
    """What a folder holds: which kind of models, their scores in order, their table, the rest."""

    kind: str
    schema: Schema
    scores: tuple[Score, ...]
    table: pd.DataFrame
    about: Mapping[str, Any]


def check_free(path: Path | str) -> Path:
    """The path, if a new folder can be made there; asked before any long work starts."""
    path = Path(path)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"cannot write '{path}': there is something already; name a new folder")
    if not path.parent.is_dir():
        raise InputError(f"cannot write '{path}': the folder '{path.parent}' does not exist")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"cannot write '{path}': no permission; choose another path")
    return path


def write(models: Collection, path: Path) -> None:
    """Fill a folder beside `path`, then move it into place: never half a collection."""
    path, table = check_free(path), TABLES[models.kind]
    estimators = [_prediction(score) for score in models.scores]  # refused before anything is made
    part = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}-"))
    try:
        entries = [
            _write_model(part, k, score, prediction)
            for k, (score, prediction) in enumerate(zip(models.scores, estimators, strict=True))
        ]
        content = {
            "kind": models.kind,
            "schema": models.schema.to_toml(),
            "models": entries,
            "structures": write_structures(part, models.scores, estimators, entries, models.schema),
            table: models.table.to_dict(orient="list"),
            "about": dict(models.about),
        }
        text = json.dumps(with_digest(content), indent=1)
        (part / HEADER).write_text(text + "\n", encoding="utf-8")
        for ending in (".csv", ".parquet"):
            write_table(models.table, part / f"{table}{ending}")
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o777 & ~mask)  # mkdtemp made it private; a result is an ordinary folder
        os.replace(part, path)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def read(path: Path, kind: str, trust: Sequence[str]) -> Collection:
    """What was written, if no file is missing or changed."""
    content = read_header(path, kind)
    with reading(path / HEADER, REMEDY):
        schema = Schema.from_toml(content["schema"])
    scores = _read_models(path, content, schema, trust)
    return Collection(kind, schema, scores, pd.DataFrame(content["table"]), content["about"])


def _read_models(
    path: Path, content: Mapping[str, Any], schema: Schema, trust: Sequence[str]
) -> tuple[Score, ...]:
    """The models of unchanged files: from the structures saved beside them, if they fit."""
    stored = [
        Stored(path.resolve() / Path(entry["file"]).name, entry, schema, tuple(trust))
        for entry in content["models"]
    ]
    with ThreadPoolExecutor(4) as pool:  # hashing lets other threads run
        list(pool.map(Stored.check_unchanged, stored))
    saved = read_structures(path, content.get("structures"), stored)
    return tuple(
        one.score() if score is None else score for one, score in zip(stored, saved, strict=True)
    )


def _prediction(score: Score) -> Prediction:
    prediction = own_prediction(score)
    if prediction is None:
        raise InputError(
            f"a {type(score).__name__} that was not made from a fitted estimator cannot be saved; "
            "make it with as_score(estimator, ...)"
        )
    if isinstance(prediction.position, tuple):
        raise InputError(
            "a model with several favourable classes cannot be saved with others; fit it on labels "
            "that say favourable or not"
        )
    return prediction


def _write_model(folder: Path, k: int, score: Score, prediction: Prediction) -> dict[str, Any]:
    estimator = prediction.estimator
    library, kind = type(estimator).__module__.split(".")[0], type(estimator).__name__
    ending = ".skops"
    if library == "xgboost" and kind == "XGBClassifier":
        ending = ".ubj"
    elif library == "lightgbm":
        # the booster knows its classes by place only; so does the header
        ending, estimator = ".txt", getattr(estimator, "booster_", estimator)
    file = folder / f"{k:03d}{ending}"
    save_model(estimator, file)
    return {
        "file": file.name,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "position": prediction.position,
        "threshold": float(score.threshold),  # type: ignore[attr-defined]
        "score": None if isinstance(score, BlackBox) else score.digest,
    }
