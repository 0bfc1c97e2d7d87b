"""The file of read structures in a folder of models: checked when written, and when read."""

import re
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from standfast.digests import digest_of_file
from standfast.readers.agreement import probes
from standfast.readers.read_trees import rows_on_splits
from standfast.readers.stored import Stored, StoredPrediction
from standfast.readers.structures import Packed, pack, unpack
from standfast.readers.trusted_types import TRUSTED
from standfast.rivals.fitting import AGREEMENT
from standfast.schema import Schema
from standfast.scores.black_box import BlackBox
from standfast.scores.prediction import Prediction
from standfast.scores.score import Matrix, Score
from standfast.scores.tree_ensemble import TreeEnsemble

FILE = "structures.npz"
# what names a type or a function in the description of a skops file
NAMED = re.compile(rb'"(?:__class__|__module__|__loader__|module_path|function|type)": "[^"]*"')


def write_structures(
    folder: Path,
    scores: Sequence[Score],
    predictions: Sequence[Prediction],
    entries: Sequence[Mapping[str, Any]],
    schema: Schema,
) -> dict[str, Any]:
    """Write the structures of the models just written, each compared with its estimator once more.

    What the header is to know: the file, its SHA-256, and for each model its structure, on how many
    rows that was compared with the estimator's own prediction and how far it was off at most; None
    for a model that is to be read from its own file.
    """
    trusted = _Trusted(folder)
    checks = [
        _checked(score, prediction, schema)
        if not isinstance(score, BlackBox) and trusted(entry["file"])
        else None
        for score, prediction, entry in zip(scores, predictions, entries, strict=True)
    ]
    packed = _faithful(
        [score if check else None for score, check in zip(scores, checks, strict=True)]
    )
    np.savez(folder / FILE, **packed.arrays)  # type: ignore[arg-type]
    models = [
        None if about is None or check is None else {**about, "checked": check}
        for about, check in zip(packed.about, checks, strict=True)
    ]
    sha256 = digest_of_file(folder / FILE)
    return {"file": FILE, "sha256": sha256, "models": models}


def read_structures(
    folder: Path, about: Mapping[str, Any] | None, stored: Sequence[Stored]
) -> list[Score | None]:
    """The models whose structures were saved, as they were; None for those to be read anew.

    The model file is what counts: where structures are missing, as in folders of version 0.1.0, or
    damaged, or not those of the models in the header, the files are read.
    """
    nothing: list[Score | None] = [None] * len(stored)
    if about is None:
        return nothing
    try:
        file = folder / FILE
        if digest_of_file(file) != about["sha256"]:
            return nothing
        with np.load(file, allow_pickle=False) as arrays:
            found = unpack(about["models"], dict(arrays), [StoredPrediction(s) for s in stored])
    except Exception:  # damaged in whatever way: the files are read
        return nothing
    return [
        score if score is not None and score.digest == one.entry["score"] else None
        for score, one in zip(found, stored, strict=True)
    ]


def _faithful(scores: Sequence[Score | None]) -> Packed:
    """The packed structures of those that come back with the same fingerprint."""
    packed = pack(scores)
    back = unpack(packed.about, packed.arrays, [None] * len(scores))
    same = [
        score if score is not None and one is not None and score.digest == one.digest else None
        for score, one in zip(scores, back, strict=True)
    ]
    return packed if same == list(scores) else pack(same)


def _checked(score: Score, prediction: Prediction, schema: Schema) -> dict[str, Any] | None:
    """On how many rows structure and estimator were compared, and how far they were apart.

    The rows are made up, within the schema's bounds and on the splits; None if they differ, or if
    the estimator refuses such rows, which a structure may not know.
    """
    threshold = float(score.threshold)  # type: ignore[attr-defined]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # probes are not the user's rows
        X = _rows(score, schema)
        try:
            X = X[np.isfinite(score.score(X))]
            apart = np.abs(score.score(X) - (prediction(X) - threshold))
        except Exception:  # whatever an estimator does about rows that we made up
            return None
    if not len(X) or not apart.max() <= AGREEMENT:
        return None
    return {"rows": len(X), "difference": float(apart.max())}


def _rows(score: Score, schema: Schema) -> Matrix:
    """Made-up rows; for trees also rows on their splits, and right above them."""
    X = probes(schema)
    if not isinstance(score, TreeEnsemble):
        return X
    on = rows_on_splits(score.trees, X[0])
    return np.concatenate([X, on, np.nextafter(on, np.inf)])


class _Trusted:
    """Whether a file just written can be read without anybody's trust.

    Only then is its structure kept: whether --trust is needed must not depend on whether a search
    comes close enough to a threshold to ask the estimator.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[frozenset[bytes], bool] = {}

    def __call__(self, name: str) -> bool:
        """Whether the folder's file of this name holds only types that standfast trusts."""
        file = self.folder / name
        if file.suffix != ".skops":
            return True
        with zipfile.ZipFile(file) as parts:
            types = frozenset(NAMED.findall(parts.read("schema.json")))
        if types not in self.known:  # asking skops takes as long as writing the file
            import skops.io

            unknown = skops.io.get_untrusted_types(file=file)
            self.known[types] = all(one in TRUSTED for one in unknown)
        return self.known[types]
