"""A fitted pipeline read column by column: which input each of its columns stems from, and how."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from standfast.readers.columns.code import Binned, Exceeding, Filled, Marked, Named, Tabled
from standfast.readers.columns.encoding import is_lacking, read_encoder
from standfast.readers.columns.splined import Basis, Splined
from standfast.readers.columns.step import (
    Applied,
    Clipped,
    Powered,
    Raised,
    Ranked,
    Scaled,
    Step,
    Stretched,
)
from standfast.readers.unreadable import UnreadableError


@dataclass(frozen=True)
class Column:
    """One column inside a pipeline: the input it stems from and the steps that led to it.

    `name` is its name as long as the pipeline passes tables along. Of a column that still holds
    text, `words` are what it holds for each code of the input and, last, for a gap. `gapped` says
    that the input's values may be missing.
    """

    input: int
    steps: tuple[Step, ...] = ()
    name: str | None = None
    words: tuple[object, ...] | None = None
    gapped: bool = False

    def then(self, *steps: Step) -> "Column":
        """The column after further steps, which leave it without a name, as numbers."""
        return Column(self.input, self.steps + steps, gapped=self.gapped)


Columns = list[Column]


def read_columns(transformer: Any, columns: Columns) -> Columns:
    """The columns after a fitted transformer; unreadable if one of them may mix several inputs.

    Only scikit-learn's own classes are read: a subclass may do anything.
    """
    if transformer is None or (isinstance(transformer, str) and transformer == "passthrough"):
        return columns
    if isinstance(transformer, str):  # "drop"
        return []
    kind = type(transformer)
    reader = READERS.get(kind.__name__) if kind.__module__.startswith("sklearn.") else None
    if reader is None:
        raise UnreadableError(f"the step {kind.__name__} may mix columns")
    if kind.__name__ not in TAKES_WORDS and any(c.words is not None for c in columns):
        raise UnreadableError(f"the step {kind.__name__} is given text")
    return reader(transformer, columns)


def _each(columns: Columns, *parameters: Any) -> Iterator[tuple[Any, ...]]:
    return zip(columns, *parameters, strict=True)


def _scaled(columns: Columns, center: Any, scale: Any) -> Columns:
    """The columns after subtracting and dividing, each where there is something to do it by."""
    centers = np.zeros(len(columns)) if center is None else center
    scales = np.ones(len(columns)) if scale is None else scale
    return [c.then(Scaled(float(m), float(s))) for c, m, s in _each(columns, centers, scales)]


def _standard(t: Any, columns: Columns) -> Columns:
    return _scaled(columns, t.mean_ if t.with_mean else None, t.scale_ if t.with_std else None)


def _robust(t: Any, columns: Columns) -> Columns:
    center = t.center_ if t.with_centering else None
    return _scaled(columns, center, t.scale_ if t.with_scaling else None)


def _min_max(t: Any, columns: Columns) -> Columns:
    clip = (Clipped(*map(float, t.feature_range)),) if t.clip else ()
    return [
        c.then(Stretched(float(a), float(b)), *clip) for c, a, b in _each(columns, t.scale_, t.min_)
    ]


def _max_abs(t: Any, columns: Columns) -> Columns:
    clip = (Clipped(-1.0, 1.0),) if getattr(t, "clip", False) else ()
    return [c.then(Scaled(0.0, float(s)), *clip) for c, s in _each(columns, t.scale_)]


def _power(t: Any, columns: Columns) -> Columns:
    powered = [c.then(Powered(t.method, float(p))) for c, p in _each(columns, t.lambdas_)]
    return _standard(t._scaler, powered) if t.standardize else powered


def _quantile(t: Any, columns: Columns) -> Columns:
    normal = t.output_distribution == "normal"
    return [
        c.then(Ranked(np.array(q), np.array(t.references_), normal))
        for c, q in _each(columns, t.quantiles_.T)
    ]


def _spline(t: Any, columns: Columns) -> Columns:
    if t.degree == 0:  # scikit-learn's own continuation is broken there
        raise UnreadableError("the step SplineTransformer has degree 0")
    out: Columns = []
    for c, spline in _each(columns, t.bsplines_):
        basis = Basis(spline.t, spline.c, spline.k, t.extrapolation)
        unit = np.eye(spline.c.shape[1])
        kept = unit if t.include_bias else unit[:-1]
        out += [c.then(Splined(basis, amounts)) for amounts in kept]
    return out


def _bins(t: Any, columns: Columns) -> Columns:
    out: Columns = []
    for c, edges in _each(columns, t.bin_edges_):
        bins = Binned(np.array(edges[1:-1], dtype=np.float64), t.dtype == np.float32)
        if t.encode == "ordinal":
            out.append(c.then(bins))
        else:
            out += [c.then(bins, Tabled(unit)) for unit in np.eye(bins.codes)]
    return out


def _encoder(t: Any, columns: Columns) -> Columns:
    blocks = read_encoder(t, [c.words for c in columns])
    return [c.then(*steps) for c, block in _each(columns, blocks) for steps in block]


def _binarizer(t: Any, columns: Columns) -> Columns:
    return [c.then(Exceeding(float(t.threshold))) for c in columns]


def _imputer(t: Any, columns: Columns) -> Columns:
    fills = np.asarray(t.statistics_, dtype=object)
    kept = t.keep_empty_features | ~pd.isna(fills)
    out = [_filled(c, t, fill) for c, fill, stays in _each(columns, fills, kept) if stays]
    for k in t.indicator_.features_ if t.add_indicator else ():
        out.append(_marked(columns[k], t))
    return out


def _filled(c: Column, t: Any, fill: object) -> Column:
    """One column with its missing values filled in."""
    if c.words is not None:
        lacking = is_lacking(c.words, t.missing_values)
        words = tuple(fill if gone else w for w, gone in zip(c.words, lacking, strict=True))
        return replace(c, words=words, name=None)
    marker = _number(t.missing_values)
    return c if _whole(c, marker) else c.then(Filled(marker, _number(fill)))


def _marked(c: Column, t: Any) -> Column:
    """The column that says where another one's values are missing."""
    if c.words is not None:
        lacking = np.array(is_lacking(c.words, t.missing_values), dtype=np.float64)
        return c.then(Named(lacking[:-1], float(lacking[-1])))
    marker = _number(t.missing_values)
    return c.then(Stretched(0.0) if _whole(c, marker) else Marked(marker))


def _number(value: Any) -> float:
    """What marks or fills a missing number; no number does not, whatever it is."""
    if value is None or value is pd.NA:
        return np.nan
    if not isinstance(value, int | float | np.number):
        raise UnreadableError(f"the step SimpleImputer fills numbers with {value!r}")
    return float(value)


def _whole(column: Column, marker: float) -> bool:
    """Whether nothing can be missing: the table's numbers are there, and stay numbers."""
    return (not column.gapped and np.isnan(marker)) and all(
        isinstance(s, Scaled | Stretched | Clipped | Binned | Exceeding) for s in column.steps
    )


def _polynomial(t: Any, columns: Columns) -> Columns:
    powers = np.asarray(t.powers_)
    if (np.count_nonzero(powers, axis=1) > 1).any():
        raise UnreadableError("the step PolynomialFeatures multiplies columns")
    return [columns[int(row.argmax())].then(Raised(int(row.max()))) for row in powers]


def _function(t: Any, columns: Columns) -> Columns:
    if t.func is None or _only_checks(t.func):
        return columns
    refused = UnreadableError("the step FunctionTransformer may mix columns")
    if any(c.words is not None for c in columns):
        raise refused
    refuses = "missing" if t.validate else "nothing"
    step = Applied(t.func, dict(t.kw_args or {}), None, 0, refuses)  # type: ignore[arg-type]
    if step.elementwise:
        return [replace(c, steps=(*c.steps, step)) for c in columns]
    if len(columns) != 1:  # what it does to several columns at once cannot be known
        raise refused
    step = replace(step, name=None if t.validate else columns[0].name)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            count = step.outputs(np.array([1.0, 2.0])).shape[1]
    except Exception as error:  # the function is the user's: it may fail in any way on our values
        raise refused from error
    return [columns[0].then(replace(step, output=k)) for k in range(count)]


def _only_checks(function: Any) -> bool:
    """Whether this is scikit-learn's check of an array, which histogram boosting applies."""
    from sklearn.utils import check_array

    return getattr(function, "func", None) is check_array and not function.args


def _selector(t: Any, columns: Columns) -> Columns:
    return [c for c, kept in _each(columns, t.get_support()) if kept]


def _pipeline(t: Any, columns: Columns) -> Columns:
    for _, step in t.steps:
        columns = read_columns(step, columns)
    return columns


def _union(t: Any, columns: Columns) -> Columns:
    parts = [(name, part, columns) for name, part in t.transformer_list]
    return _side_by_side(parts, t.transformer_weights)


def _column_transformer(t: Any, columns: Columns) -> Columns:
    names = list(getattr(t, "feature_names_in_", ()))
    parts = [
        (name, part, [columns[k] for k in places(chosen, names, len(columns))])
        for name, part, chosen in t.transformers_
    ]
    # a part without columns was never fitted, and adds none
    return _side_by_side([p for p in parts if p[2]], t.transformer_weights)


def _side_by_side(parts: Sequence[tuple[str, Any, Columns]], weights: Any) -> Columns:
    out: Columns = []
    for name, part, columns in parts:
        read = read_columns(part, columns)
        if name in (weights or {}):
            read = [c.then(Stretched(float(weights[name]), refuses="nothing")) for c in read]
        out += read
    return out


def places(chosen: Any, names: list[str], width: int) -> list[int]:
    """The positions a column selection stands for: names, numbers, a mask or a slice of either."""
    if isinstance(chosen, slice):
        start, stop = chosen.start, chosen.stop
        if isinstance(start, str) or isinstance(stop, str):  # a slice of names includes its end
            start = None if start is None else names.index(start)
            stop = None if stop is None else names.index(stop) + 1
        return list(range(*slice(start, stop, chosen.step).indices(width)))
    selection = list(np.atleast_1d(np.asarray(chosen, dtype=object)))
    if selection and all(isinstance(s, bool | np.bool_) for s in selection):
        return [int(k) for k in np.flatnonzero(np.asarray(selection, dtype=bool))]
    return [names.index(s) if isinstance(s, str) else int(s) % width for s in selection]


READERS: dict[str, Callable[[Any, Columns], Columns]] = {
    "StandardScaler": _standard,
    "RobustScaler": _robust,
    "MinMaxScaler": _min_max,
    "MaxAbsScaler": _max_abs,
    "PowerTransformer": _power,
    "QuantileTransformer": _quantile,
    "SplineTransformer": _spline,
    "KBinsDiscretizer": _bins,
    "OneHotEncoder": _encoder,
    "OrdinalEncoder": _encoder,
    "TargetEncoder": _encoder,
    "Binarizer": _binarizer,
    "SimpleImputer": _imputer,
    "PolynomialFeatures": _polynomial,
    "FunctionTransformer": _function,
    "Pipeline": _pipeline,
    "FeatureUnion": _union,
    "ColumnTransformer": _column_transformer,
    **dict.fromkeys(
        ("VarianceThreshold", "SelectKBest", "SelectPercentile", "SelectFromModel", "RFE"),
        _selector,
    ),
    **dict.fromkeys(("RFECV", "SelectFpr", "SelectFdr", "SelectFwe"), _selector),
}

# those that can be given text
TAKES_WORDS = frozenset(
    {"OneHotEncoder", "OrdinalEncoder", "TargetEncoder", "SimpleImputer", "FunctionTransformer"}
    | {"Pipeline", "FeatureUnion", "ColumnTransformer"}
)
