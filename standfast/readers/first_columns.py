"""The columns that a model reads, from the table to the model, each with what became of it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from standfast.readers.asking import taken_apart
from standfast.readers.columns.code import Named
from standfast.readers.columns.read_columns import Column, Columns, read_columns
from standfast.readers.estimator_table import EstimatorTable, level_places
from standfast.readers.own_names import library_of
from standfast.readers.text_inputs import levels_by_place
from standfast.readers.unreadable import UnreadableError
from standfast.schema import Schema
from standfast.scores.prediction import Prediction


def columns_before(prediction: Prediction, schema: Schema) -> tuple[Columns, Any]:
    """What reaches the final model of a pipeline, column by column, and that model."""
    transformers, model = taken_apart(prediction.estimator)
    columns = _of_table(prediction, schema)
    recoding = getattr(model, "_preprocessor", None)  # of histogram boosting
    for transformer in [*transformers, *([] if recoding is None else [recoding])]:
        columns = read_columns(transformer, columns)
    if library_of(model) == "catboost":
        return _as_hashes(columns, model, schema), model
    return _as_levels(columns, model, schema), model


def _of_table(prediction: Prediction, schema: Schema) -> Columns:
    names: Sequence[str | None] = prediction.names or [None] * len(prediction.inputs)
    table = prediction.columns
    gaps = table.gaps if isinstance(table, EstimatorTable) else {}
    gapped = set(schema.gapped)
    columns = []
    for j, name in zip(prediction.inputs, names, strict=True):
        coder = schema.features[j].coder
        column = Column(j, (), name, gapped=j in gapped)
        if coder is None:
            columns.append(column)
        elif all(not isinstance(known, str) for known in coder.names):
            gap = gaps.get(schema.names[j])
            filled = np.nan if gap is None else float(gap)  # type: ignore[arg-type]
            steps = (Named(np.array(coder.names, dtype=np.float64), filled),)
            columns.append(replace(column, steps=steps))
        else:
            words = (*coder.names, gaps.get(schema.names[j], np.nan))
            columns.append(replace(column, words=words))
    return columns


def _as_levels(columns: Columns, model: Any, schema: Schema) -> Columns:
    """The columns with the places of categories where the model knows them as such."""
    named = [k for k, c in enumerate(columns) if schema.features[c.input].coder is not None]
    levels = levels_by_place(model, len(columns), named)
    # XGBoost refuses what it does not know, LightGBM takes it for missing
    unknown = np.inf if library_of(model) == "xgboost" else np.nan
    out = []
    for column, known in zip(columns, levels, strict=True):
        feature = schema.features[column.input]
        if known is None or feature.coder is None or len(column.steps) > 1:
            out.append(column)
            continue
        places = level_places(feature, known).astype(np.float64)
        steps = (Named(np.where(places < 0, unknown, places), np.nan),)
        out.append(replace(column, steps=steps, words=None))
    return out


def _as_hashes(columns: Columns, model: Any, schema: Schema) -> Columns:
    """The columns with the numbers that CatBoost hashes the names of categories to."""
    from standfast.readers.read_catboost import hashes_of

    out = list(columns)
    for k in model.get_cat_feature_indices():
        words = columns[k].words
        coder = schema.features[columns[k].input].coder
        if words is None and coder is not None and len(columns[k].steps) == 1:
            words = (*coder.names, np.nan)
        if words is None:
            raise UnreadableError("it knows a column as categories, which reaches it as numbers")
        hashes = hashes_of(model, words)
        # it refuses an empty cell
        gap = np.inf if isinstance(words[-1], float) or words[-1] is None else float(hashes[-1])
        out[k] = replace(columns[k], steps=(Named(hashes[:-1], gap),), words=None)
    return out
