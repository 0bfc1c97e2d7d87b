"""Inputs that a fitted estimator knows by words or categories: numbers cannot ask it about those.

Every library has its own way to keep silent about it: an encoder takes a number for an unknown
category, LightGBM and XGBoost take it for the place of a category in a list the table does not
show, interpret takes it for a missing level.
"""

import json
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from standfast.errors import InputError, listing
from standfast.readers.asking import taken_apart, unwrapped
from standfast.readers.columns.encoding import are_numbers
from standfast.readers.columns.read_columns import places
from standfast.readers.own_names import library_of, own_names, same_inputs
from standfast.schema import Feature
from standfast.schema.categories import Coder

# an input's name, or None where a pipeline has made other columns of it; and what is known of it
Label = str | None
Found = tuple[Label, Sequence[object]]
Labels = Sequence[Label]


def check_numeric_inputs(
    estimator: Any, found: Sequence[Found], named: Container[str | None]
) -> None:
    """Refuse an estimator that was fitted on text or categories, as was found of its inputs.

    Inputs that are `named` categories in the schema may be.
    """
    for label, known in found:
        if label in named or _own_name(label) in named:
            continue
        where = "one of its inputs" if label is None else f"the column '{label}'"
        such = f" such as {listing(known, 3)}" if len(known) else ""
        raise InputError(
            f"{type(estimator).__name__} was fitted on text or categories{such} in {where}, and a "
            "table of numbers cannot say which number stands for which; declare the column as "
            "nominal with its categories in the schema, or fit the model again with numeric codes "
            "there"
        )


def _own_name(label: Label) -> Any:
    """A column's own name, which a pipeline that passes its table along may call 'words__job'."""
    return None if label is None else label.rpartition("__")[2]


def category_levels(
    estimator: Any, inputs: Sequence[str], named: Container[str]
) -> tuple[Sequence[object] | None, ...]:
    """For each input the levels of the pandas category it was fitted on, as far as is known."""
    by_name: dict[str | None, Sequence[object] | None] = {}
    for model, direct in _innermost(estimator):
        own = own_names(model).names or ()
        places = list(inputs) if direct else [_own_name(name) for name in own]
        likely = [k for k, name in enumerate(places) if name in named]
        found = levels_by_place(model, len(places), likely)
        by_name |= {n: known for n, known in zip(places, found, strict=True) if known is not None}
    return tuple(by_name.get(name) for name in inputs)


def _innermost(estimator: Any, direct: bool = True) -> Iterator[tuple[Any, bool]]:
    """The models that are asked in the end, and whether each gets the table as it is."""
    model = taken_apart(estimator)[1]
    direct = direct and model is unwrapped(estimator)
    inside = same_inputs(model)
    if not inside:
        yield model, direct
    for part in inside:
        yield from _innermost(part, direct)


def levels_by_place(
    model: Any, width: int, named: Sequence[int]
) -> tuple[Sequence[object] | None, ...]:
    """For each column of a model the levels of the pandas category it knows, or None.

    `named` are the columns of named inputs: where LightGBM does not say which of its columns are
    categories, since it never used one, these are.
    """
    if library_of(model) not in ("lightgbm", "xgboost"):
        return (None,) * width
    found = list(_of_library(model, [str(k) for k in range(width)]))
    if any(label is None for label, _ in found) and len(found) == len(named):
        found = [(str(k), known) for k, (_, known) in zip(named, found, strict=True)]
    by_place = dict(found)
    types = _xgboost_types(model) if library_of(model) == "xgboost" else []
    for k in named:
        if types[k : k + 1] == ["c"] and not by_place.get(str(k)):
            raise InputError(
                "the XGBoost model keeps the numbers of its categories only, not which name has "
                "which number; fit it again with XGBoost 3.1 or later"
            )
    return tuple(list(by_place.get(str(k), ())) or None for k in range(width))


def check_categories(found: Sequence[Found], features: Sequence[Feature]) -> None:
    """Refuse a schema whose categories are spelt otherwise than the estimator's, or all unknown.

    A category that only the schema has is otherwise left to the estimator, which may refuse it; one
    that only the estimator has is never advised.
    """
    known: dict[str, set[str]] = {}
    for label, words in found:
        if label is not None and len(words) > 1:
            known.setdefault(label, set()).update({*map(str, words)} - {"nan", "None"})
    for feature in features:
        theirs = known.get(feature.name)
        if feature.categories is None or not theirs:
            continue
        spelt = [str(category) for category in feature.categories]
        strange = [one for one in spelt if one not in theirs]
        coder = Coder(tuple(sorted(theirs)))
        for one in strange:
            if hint := coder.nearest(one):
                raise InputError(
                    f"the model does not know the category '{one}' of '{feature.name}'{hint}; "
                    "spell it in the schema as in the table that the model was fitted on"
                )
        if len(strange) == len(spelt):
            raise InputError(
                f"the model knows none of the schema's categories of '{feature.name}' "
                f"({listing(spelt)}); it was fitted on {listing(sorted(theirs))}: correct them"
            )


def words_for_gaps(found: Sequence[Found], features: Sequence[Feature]) -> dict[str, object]:
    """What stands for an empty cell, where NaN does not: a token of the schema's, or None.

    A model that was fitted on "unknown" for empty cells is asked with that.
    """
    gaps: dict[str, object] = {}
    of = {feature.name: feature for feature in features if feature.coder is not None}
    for label, words in found:
        feature = of.get(label or "")
        if feature is None or "nan" in words or len(words) == 1:
            continue
        # CatBoost does not say which words it knows, but never takes an empty cell
        tokens = [t for t in feature.missing if not words or str(t) in words]
        if tokens:
            gaps[feature.name] = tokens[0]
        elif "None" in words and "None" not in feature.coder.names:  # type: ignore[union-attr]
            gaps[feature.name] = None
    return gaps


def text_inputs(estimator: Any, labels: Labels) -> Iterator[Found]:
    """Each input that is known by something else than numbers, with what is known of it."""
    labels = _relabelled(estimator, labels)
    if library_of(estimator) not in ("sklearn", "imblearn"):
        yield from _of_library(estimator, labels)
    elif hasattr(estimator, "steps"):
        yield from _of_pipeline(estimator, labels)
    elif hasattr(estimator, "transformers_"):
        yield from _of_column_transformer(estimator, labels)
    elif hasattr(estimator, "transformer_list"):
        for _, part in estimator.transformer_list:
            yield from text_inputs(part, labels)
    else:
        yield from _of_transformer(estimator, labels)
        for part in same_inputs(estimator):
            yield from text_inputs(part, labels)


def _relabelled(estimator: Any, labels: Labels) -> Labels:
    """The labels, or the estimator's own names where a pipeline's columns have lost theirs."""
    own = own_names(estimator)
    known = labels and all(label is not None for label in labels)
    if known and own.count in (None, len(labels)):
        return labels
    return own.names if own.names and not own.made_up else [None] * (own.count or 0)


def _of_pipeline(pipeline: Any, labels: Labels) -> Iterator[Found]:
    """Step by step, up to one that may make words of numbers itself."""
    for _, step in pipeline.steps:
        if step is None or isinstance(step, str):
            continue
        yield from text_inputs(step, labels)
        if _may_translate(step):
            return
        labels = labels if type(step).__name__ == "SimpleImputer" else []


def _may_translate(step: Any) -> bool:
    """Whether a step can turn numbers into text: of scikit-learn's own, only a function can."""
    if library_of(step) != "sklearn":
        return not isinstance(step, str) and step is not None
    if type(step).__name__ == "FunctionTransformer":
        return step.func is not None
    inner = [part for _, part in getattr(step, "steps", None) or ()]
    inner += [part for _, part in getattr(step, "transformer_list", None) or ()]
    inner += [part for _, part, _ in getattr(step, "transformers_", None) or ()]
    return any(map(_may_translate, inner))


def _of_column_transformer(transformer: Any, labels: Labels) -> Iterator[Found]:
    names = [str(name) for name in getattr(transformer, "feature_names_in_", ())]
    for _, part, chosen in transformer.transformers_:
        if part is not None and not isinstance(part, str):
            own = [labels[k] for k in places(chosen, names, len(labels))]
            if own:  # a part without columns was never fitted
                yield from text_inputs(part, own)


def _of_transformer(part: Any, labels: Labels) -> Iterator[Found]:
    """What scikit-learn's encoders, imputers, vectorizers and histogram boosting remember."""
    for label, known in zip(labels, getattr(part, "categories_", ()), strict=False):
        if not are_numbers(known):
            yield label, [str(one) for one in known]
    for label, filling in zip(labels, np.ravel(getattr(part, "statistics_", ())), strict=False):
        if isinstance(filling, str):
            yield label, [filling]
    if isinstance(getattr(part, "vocabulary_", None), dict):
        yield (labels[0] if len(labels) == 1 else None), sorted(map(str, part.vocabulary_))
    recoding = getattr(part, "_preprocessor", None)  # of histogram boosting
    if recoding is not None:
        yield from text_inputs(recoding, labels)


def _of_library(model: Any, labels: Labels) -> Iterator[Found]:
    for ancestor in type(model).__mro__:
        reader = READERS.get(ancestor.__module__.partition(".")[0])
        if reader is not None:
            yield from reader(model, labels)
            return


def _of_lightgbm(model: Any, labels: Labels) -> Iterator[Found]:
    booster = getattr(model, "booster_", model)
    lists = getattr(booster, "pandas_categorical", None)
    if not lists:
        return
    header = booster.model_to_string(num_iteration=1).partition("\nTree=")[0]
    infos = dict(line.partition("=")[::2] for line in header.splitlines()).get("feature_infos", "")
    # a range of numbers is in brackets, categories are not, and 'none' was never split on
    sorts = [k for k, info in enumerate(infos.split(" ")) if info[:1] not in "[" and info != "none"]
    unused = len(sorts) != len(lists)
    for n, known in enumerate(lists):
        yield (None if unused else labels[sorts[n]]), known


def _xgboost_types(model: Any) -> list[str]:
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    return list(getattr(booster, "feature_types", None) or [])


def _of_xgboost(model: Any, labels: Labels) -> Iterator[Found]:
    types = _xgboost_types(model)
    if "c" not in types:
        return
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    saved = json.loads(bytes(booster.save_raw(raw_format="json")))["learner"]["gradient_booster"]
    kept = saved.get("gbtree", saved).get("model", {}).get("cats")
    for k, kind in enumerate(types):
        # with codes from an array the list is empty; before version 3.1 there is none to look at
        levels = _kept_levels(kept, k) if kind == "c" and kept is not None else ()
        if kind == "c" and (kept is None or levels):
            yield labels[k], levels


def _kept_levels(kept: Any, k: int) -> Sequence[object]:
    """The names of a column's categories, in the order of their numbers."""
    written = (kept.get("enc") or [])[k : k + 1]
    if not written:
        return ()
    values = written[0].get("values") or []
    if "offsets" not in written[0]:
        return list(values)
    if min(values, default=0) < 0:  # it counts letters where it should count bytes
        raise InputError(
            "XGBoost does not keep the names of categories whole that have letters beyond A to Z, "
            "such as ä or é; rename these categories and fit the model again"
        )
    text = bytes(values).decode()
    return [text[a:b] for a, b in pairwise(written[0]["offsets"])]


def _of_catboost(model: Any, labels: Labels) -> Iterator[Found]:
    for asked in ("cat", "text", "embedding"):
        for k in getattr(model, f"get_{asked}_feature_indices")():
            yield labels[k], ()


def _of_interpret(model: Any, labels: Labels) -> Iterator[Found]:
    bins = getattr(model, "bins_", None)
    for k, kind in enumerate(getattr(model, "feature_types_in_", None) or ()):
        if kind == "continuous":
            continue
        levels = bins[k][0] if bins is not None else None
        known = list(levels) if isinstance(levels, dict) else []
        if not known or not all(map(_written_as_a_number, known)):
            yield labels[k], known


def _of_optbinning(model: Any, labels: Labels) -> Iterator[Found]:
    process = getattr(model, "binning_process_", model)
    for label, name in zip(labels, process.variable_names, strict=False):
        binned = process.get_binned_variable(name)
        known = [value for group in binned.splits for value in np.ravel(group)]
        if binned.dtype == "categorical" and any(isinstance(value, str) for value in known):
            yield label, known


def _written_as_a_number(level: str) -> bool:
    """Whether interpret writes some number like this: 2.0 as '2', 0.5 as '0.5', never '007'."""
    try:
        value = float(level)
    except ValueError:
        return False
    whole = value.is_integer() and abs(value) < 2**53
    return level == (str(int(value)) if whole else repr(value))


READERS = {
    "lightgbm": _of_lightgbm,
    "xgboost": _of_xgboost,
    "catboost": _of_catboost,
    "interpret": _of_interpret,
    "optbinning": _of_optbinning,
}
