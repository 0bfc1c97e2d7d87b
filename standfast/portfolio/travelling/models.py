"""Models as a folder keeps them: a tree of what they are made of, and their leaves as files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from standfast.digests import digest_of_file
from standfast.errors import InputError, type_of
from standfast.readers.stored import own_prediction
from standfast.readers.structures import pack, unpack
from standfast.rivals.folder import read_models, saved_prediction, write_models
from standfast.schema import Schema
from standfast.scores import (
    Additive,
    BlackBox,
    Linear,
    LinearLevelSet,
    Paired,
    Rule,
    Segmented,
    TreeEnsemble,
    Unanimous,
)
from standfast.scores.score import Score

NUMBERS = "numbers.npz"  # of models that were read from no estimator
PLAIN = (Linear, Additive, TreeEnsemble, Paired)


@dataclass
class Leaves:
    """The models at the ends of the trees while a folder is being written, each once."""

    estimators: list[Score] = field(default_factory=list)
    structures: list[Score] = field(default_factory=list)

    def described(self, score: Score) -> dict[str, Any]:
        """What a score is made of, in plain values; its leaves are kept by their number."""
        if isinstance(score, Unanimous):
            margin = list(score.margin) if isinstance(score.margin, tuple) else score.margin
            members = [self.described(member) for member in score.scores]
            return {
                "kind": "unanimous",
                "members": members,
                "margin": margin,
                "names": list(score.names),
            }
        if isinstance(score, Segmented):
            decides = [
                {"name": s.names[0], "model": self.described(s.model)}
                for s in score.segments
                if not s.other
            ]
            others = [self.described(s.model) for s in score.segments if s.other]
            return {
                "kind": "segmented",
                "column": score.column,
                "segments": decides,
                "otherwise": others[0] if others else None,
            }
        if isinstance(score, Rule):
            return {"kind": "rule", "text": score.text}
        if own_prediction(score) is not None:
            return {"kind": "estimator", "number": _place(score, self.estimators)}
        if type(score) in PLAIN and getattr(score, "prediction", None) is None:
            return {"kind": "structure", "number": _place(score, self.structures)}
        raise InputError(_refusal(score))

    def write(self, folder: Path, schema: Schema) -> dict[str, Any]:
        """Write the leaves into files; what the header is to know of them."""
        predictions = [saved_prediction(score) for score in self.estimators]
        found = write_models(folder, self.estimators, predictions, schema)
        packed = pack(self.structures)
        for score, about in zip(self.structures, packed.about, strict=True):
            if about is None:
                raise InputError(_refusal(score))
        np.savez(folder / NUMBERS, **packed.arrays)  # type: ignore[arg-type]
        sha256 = digest_of_file(folder / NUMBERS)
        return {**found, "numbers": {"sha256": sha256, "models": packed.about}}


def _place(score: Score, known: list[Score]) -> int:
    for k, one in enumerate(known):
        if one is score:
            return k
    known.append(score)
    return len(known) - 1


def _refusal(score: Score) -> str:
    if isinstance(score, LinearLevelSet):
        return (
            "a LinearLevelSet holds its training people and does not travel in a folder; advise "
            "with sf.recommend, or under the members of level_set(grids.linear(), ...)"
        )
    if isinstance(score, BlackBox | Additive | Linear | TreeEnsemble | Paired):
        return (
            f"{type_of(score)} that was made from a function cannot travel in a folder, for no "
            "file can hold the function; make it with as_score(estimator, ...)"
        )
    return (
        f"{type_of(score)} cannot travel in a folder; use models made with as_score(estimator, "
        "...), rules, and Unanimous or Segmented of them"
    )


def read_leaves(
    path: Path, content: Mapping[str, Any], schema: Schema, trust: Sequence[str]
) -> tuple[tuple[Score, ...], tuple[Score, ...]]:
    """The leaves from estimators and those from structures alone, if no file was changed."""
    estimators = read_models(path, content, schema, trust)
    file, about = path / NUMBERS, content["numbers"]
    damaged = InputError(f"'{file}' is missing or was changed; save the advisor again")
    try:
        if digest_of_file(file) != about["sha256"]:
            raise damaged
        with np.load(file, allow_pickle=False) as arrays:
            found = unpack(about["models"], dict(arrays), [None] * len(about["models"]))
    except InputError:
        raise
    except Exception as error:  # whatever numpy makes of it
        raise damaged from error
    return estimators, tuple(score for score in found if score is not None)


def restored(
    about: Mapping[str, Any], leaves: tuple[tuple[Score, ...], tuple[Score, ...]], schema: Schema
) -> Score:
    """The score that a description is of; whatever does not fit is any kind of exception."""
    match about["kind"]:
        case "unanimous":
            members = tuple(restored(one, leaves, schema) for one in about["members"])
            margin = about["margin"]
            margins = tuple(margin) if isinstance(margin, list) else margin
            return Unanimous(members, margins, tuple(about["names"]))
        case "segmented":
            models = {s["name"]: restored(s["model"], leaves, schema) for s in about["segments"]}
            rest = about["otherwise"]
            otherwise = None if rest is None else restored(rest, leaves, schema)
            return Segmented(about["column"], models, schema, otherwise=otherwise)
        case "rule":
            return Rule(about["text"], schema)
        case "estimator" | "structure":
            score: Score = leaves[about["kind"] == "structure"][about["number"]]
            return score
        case other:
            raise InputError(f"{other!r} is no kind of model")
