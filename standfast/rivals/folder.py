"""Several models in one folder: each in its own safe format, and a header that knows them all."""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from standfast.digests import digest_of_file
from standfast.errors import InputError, type_of
from standfast.files import write_folder, write_table
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


def write(models: Collection, path: Path) -> None:
    """Write the folder whole, or not at all."""
    estimators = [
        saved_prediction(score) for score in models.scores
    ]  # refused before anything is made
    write_folder(path, lambda part: _fill(part, models, estimators))


def _fill(part: Path, models: Collection, estimators: Sequence[Prediction]) -> None:
    table = TABLES[models.kind]
    content = {
        "kind": models.kind,
        "schema": models.schema.to_toml(),
        **write_models(part, models.scores, estimators, models.schema),
        table: models.table.to_dict(orient="list"),
        "about": dict(models.about),
    }
    text = json.dumps(with_digest(content), indent=1)
    (part / HEADER).write_text(text + "\n", encoding="utf-8")
    for ending in (".csv", ".parquet"):
        write_table(models.table, part / f"{table}{ending}")


def write_models(
    folder: Path, scores: Sequence[Score], estimators: Sequence[Prediction], schema: Schema
) -> dict[str, Any]:
    """Write each model into a file of its own; what a header is to know of them."""
    entries = [
        _write_model(folder, k, score, prediction)
        for k, (score, prediction) in enumerate(zip(scores, estimators, strict=True))
    ]
    structures = write_structures(folder, scores, estimators, entries, schema)
    return {"models": entries, "structures": structures}


def read(path: Path, kind: str, trust: Sequence[str]) -> Collection:
    """What was written, if no file is missing or changed."""
    content = read_header(path, kind)
    with reading(path / HEADER, REMEDY):
        schema = Schema.from_toml(content["schema"])
    scores = read_models(path, content, schema, trust)
    return Collection(kind, schema, scores, pd.DataFrame(content["table"]), content["about"])


def read_models(
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


def saved_prediction(score: Score) -> Prediction:
    """The estimator behind a score, which is what a folder keeps of it."""
    prediction = own_prediction(score)
    if prediction is None:
        raise InputError(
            f"{type_of(score)} that was not made from a fitted estimator cannot be saved; "
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
        "sha256": digest_of_file(file),
        "position": prediction.position,
        "threshold": float(score.threshold),  # type: ignore[attr-defined]
        "score": None if isinstance(score, BlackBox) else score.digest,
    }
