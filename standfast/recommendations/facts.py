"""Causes and binding models in an advice file: one cell per person, and what older files have."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from standfast.errors import InputError
from standfast.recommendations import cells
from standfast.recommendations.causes import Cause, Note, from_json, to_json
from standfast.recommendations.outcome import Outcome
from standfast.recommendations.provenance import ASKED, SEPARATOR, SUPPORT, Model, Provenance
from standfast.structure import TEXT, Record, Several, check, parse, whole

Causes = list[Cause | None]
Binding = list[tuple[int, ...]]
Kept = list[tuple[str, ...]]

FACTS = Record({}, {"binding": Several("position", whole(0)), "kept": Several("input", TEXT)})


def written(results: pd.DataFrame) -> list[str]:
    """Each person's facts as JSON text; empty where there are none."""
    kept = results.get("kept_inputs", [()] * len(results))
    columns = zip(results["cause"], results["binding"], kept, strict=True)
    return [_cell(*known) for known in columns]


def _cell(cause: Cause | None, binding: Sequence[int], kept: Sequence[str]) -> str:
    known: dict[str, Any] = {} if cause is None else {"reason": to_json(cause)}
    known |= {"binding": list(binding)} if binding else {}
    known |= {"kept": list(kept)} if kept else {}
    return json.dumps(known) if known else ""


def read(frame: pd.DataFrame, column: str, models: int) -> tuple[Causes, Binding, Kept]:
    """Everybody's cause, binding models and kept inputs as they were written."""
    causes: Causes = []
    binding: Binding = []
    kept: Kept = []
    for k, text in enumerate(cells.texts(frame, column)):
        try:
            cause, positions, inputs = _facts(text, models)
        except InputError as error:
            raise InputError(f"'{column}' in row {k + 1} cannot be read: {error}") from error
        causes.append(cause)
        binding.append(positions)
        kept.append(inputs)
    return causes, binding, kept


def _facts(text: str, models: int) -> tuple[Cause | None, tuple[int, ...], tuple[str, ...]]:
    known = parse(text) if text else {}
    check(known, FACTS, "the cell")
    positions = tuple(known.get("binding", ()))
    if positions and max(positions) >= models:
        raise InputError(f"model {max(positions)} is said to bind, and there are {models} models")
    cause = from_json(known["reason"]) if "reason" in known else None
    return cause, positions, tuple(known.get("kept", ()))


# files of version 0.1.0


def noted(frame: pd.DataFrame, outcomes: Sequence[Outcome]) -> Causes:
    """Causes as notes: what follows the outcome's own sentence, and remarks, if there are any."""
    sentences = cells.texts(frame, "sentence")
    remarks = cells.texts(frame, "remark") if "remark" in frame else [""] * len(frame)
    texts = [
        remark if outcome.advises else sentence.removeprefix(outcome.sentence).strip()
        for outcome, sentence, remark in zip(outcomes, sentences, remarks, strict=True)
    ]
    return [Note(text) if text else None for text in texts]


def resolved(texts: Sequence[str], origin: Provenance) -> tuple[Provenance, Binding]:
    """Binding models by their positions; a name that the file does not explain is added to them."""
    if not origin.models and origin.model:
        origin = replace(origin, models=(Model(origin.model),))
    names = {name: k for k, name in enumerate(origin.names)}
    models, binding = list(origin.models), []
    for text in texts:
        found = [name for name in text.split(SEPARATOR) if name]
        for name in found:
            if name not in names:
                names[name] = len(models)
                role = SUPPORT if name == "the data support" else ASKED
                models.append(Model("", role, name))
        binding.append(tuple(names[name] for name in found))
    return replace(origin, models=tuple(models)), binding
