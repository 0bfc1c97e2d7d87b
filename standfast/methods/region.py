"""region(): the room around an answer in which every model still says yes."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.methods import exact
from standfast.methods.method import Matrix, Vector
from standfast.percentiles import Percentiles
from standfast.recommendations import Recommendations
from standfast.recommendations.boxes import Boxes
from standfast.schema import Feature, Schema
from standfast.schema.kinds import WHOLE
from standfast.scores import Score
from standfast.search.problem.price import Price
from standfast.search.problem.program import Program
from standfast.search.region.units import share_below
from standfast.search.region.widener import Widened, Widener

REFUSED = "The model given refuses this advice, so no region surrounds it."


@dataclass(frozen=True, eq=False)
class Regions:
    """For each person a box: a least and a greatest value of every input, all accepted in between.

    `lower` and `upper` bound the box, `least` and `greatest` what the schema leaves the person at
    all. A nominal input has no bounds: `categories` are those in the box, `reachable` all that this
    person may have. All six are empty for people without advice, whose sentence says why. `gained`
    is the share of the percentile width that the box adds to the bare answer, of all that there is.
    `boxes` has the same boxes in codes, of the people who have one, in their order.
    """

    schema: Schema
    lower: pd.DataFrame
    upper: pd.DataFrame
    least: pd.DataFrame
    greatest: pd.DataFrame
    categories: pd.DataFrame
    reachable: pd.DataFrame
    gained: pd.Series
    explanations: pd.Series
    provenance: Mapping[str, Any]
    boxes: Boxes

    def __len__(self) -> int:
        return len(self.gained)

    @property
    def index(self) -> pd.Index:
        """The people."""
        return self.gained.index

    @property
    def found(self) -> pd.Series:
        """Whether each person has a box."""
        return self.gained.notna().rename("found")

    def to_frame(self) -> pd.DataFrame:
        """A long table with one row per person and input: the box, and all that was admissible."""
        n, d = len(self), len(self.schema)
        named = any(f.coder is not None for f in self.schema)
        columns = {
            name: getattr(self, name).astype(object).to_numpy().ravel()
            if named
            else getattr(self, name).to_numpy(dtype=np.float64, na_value=np.nan).ravel()
            for name in ("lower", "upper", "least", "greatest")
        }
        if len(self.categories.columns):
            for name in ("categories", "reachable"):
                sets = getattr(self, name).reindex(columns=list(self.schema.names))
                columns[name] = sets.astype(object).where(sets.notna(), None).to_numpy().ravel()
        people = self.index[np.repeat(np.arange(n), d)]
        return pd.DataFrame({"person": people, "feature": list(self.schema.names) * n, **columns})

    def sentences(self) -> pd.Series:
        """For each person the box in plain words, or why there is none.

        What may take any value that the schema admits is not mentioned.
        """
        boxes = [
            _codes(getattr(self, name), self.schema)
            for name in ("lower", "upper", "least", "greatest")
        ]
        sets = [self.categories.to_dict("records"), self.reachable.to_dict("records")]
        texts = [
            _sentence(self.schema, *box) if found else why
            for found, why, *box in zip(self.found, self.explanations, *sets, *boxes, strict=True)
        ]
        return pd.Series(texts, index=self.index, name="sentence", dtype=object)

    def __repr__(self) -> str:
        found = int(self.found.sum())
        gain = f", {self.gained.mean():.0%} of the percentile width gained on average"
        return f"<Regions: {len(self)} people, {found} with a box{gain if found else ''}>"


def region(recommendations: Recommendations, model: Score, percentiles: Percentiles) -> Regions:
    """Widen each answer into a box every admissible point of which all models provably accept.

    Proven in the worst case, never sampled: over the box, each tree is taken at the worst leaf that
    holds an admissible value, a weighted sum at the worst value of every input, and the total must
    exceed what the model asks for, with the search's own clearance. Points that break a relation
    are not admissible and do not count (but hold a side back if the bounds meet them).

    A box begins as the answer alone. The side whose next values hold the largest share of the
    reference table, Q_j(new) − Q_j(old), is extended first, and so on until no side can take one
    more admissible value. A unit is the run of values up to the next tree threshold, or, where a
    sum reads the input, the next value (the next hundredth of the table if there are over a
    thousand). An input without a step stays as advised where a scorecard bends both ways. Of a
    nominal input the box holds a set of categories, which grows by one at a time.

    Parameters
    ----------
    recommendations : Recommendations
        The advice.
    model : Score
        What must accept: add the `support` or a margin of the search with `Unanimous`.
    percentiles : Percentiles
        The reference table.

    Returns
    -------
    Regions
        `lower`, `upper` and `categories`, a table each; `sentences()`.

    Examples
    --------
    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema, recommend
    >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3], "lines": [1, 2, 3, 4, 5]})
    >>> schema = Schema((Feature("late", "count", label="late payments"), Feature("lines")))
    >>> model, q = Linear([-1.0, 0.0], 1.5), Percentiles.fit(table)
    >>> recs = recommend(MinimalCost(schema, q), model, table.tail(1))
    >>> region(recs, model, q).sentences().tolist()
    ['Keep late payments 0 or 1.']
    """
    domain = recommendations.schema
    if not isinstance(model, Score):
        raise InputError(
            f"{type(model).__name__} is not a score; turn it into one with as_score(...)"
        )
    if model.width != len(domain):
        raise InputError(
            f"the model reads {model.width} inputs and the recommendations have {len(domain)}; "
            "build both with one schema"
        )
    percentiles = percentiles.of(domain)
    models, margins = zip(*exact.members(model, 0.0), strict=True)
    # what breaks a rule is not admissible and need not be accepted
    program = Program.build(models, margins, domain, percentiles, Price(), rules=())
    found = recommendations.found.to_numpy()
    X, Y = (matrix[found] for matrix in recommendations.matrices())
    odd = ~domain.admits(X, Y) if len(X) else np.empty(0, dtype=bool)
    if odd.any():
        raise InputError(
            f"the schema of the recommendations does not admit its advice for "
            f"{listing(recommendations.index[found][odd], 3)}; make them anew with recommend(...)"
        )
    boxes, kept = _boxes(Widener(program, X, Y), model, Y)
    rows, index = np.flatnonzero(found)[kept], recommendations.index
    explanations = recommendations.sentences().where(~recommendations.found, REFUSED)

    def ends(name: str) -> pd.DataFrame:
        return _spread(domain, [getattr(box, name) for box in boxes], rows, index)

    def sets(name: str) -> pd.DataFrame:
        return _named(domain, [getattr(box, name) for box in boxes], rows, index)

    return Regions(
        domain,
        ends("lower"),
        ends("upper"),
        ends("least"),
        ends("greatest"),
        sets("inside"),
        sets("reachable"),
        _gained(percentiles, Y[kept], boxes, rows, index),
        explanations,
        {
            "standfast": version("standfast"),
            "model": model.digest,
            "schema": domain.digest,
            "reference": percentiles.digest,
            "recommendations": dict(recommendations.provenance),
        },
        _coded(domain, boxes),
    )


def _coded(schema: Schema, boxes: list[Widened]) -> Boxes:
    lower, upper = (
        np.array([getattr(box, end) for box in boxes]).reshape(-1, len(schema))
        for end in ("lower", "upper")
    )
    return Boxes.of_sets(schema, lower, upper, [box.inside for box in boxes])


def _boxes(widener: Widener, model: Score, Y: Matrix) -> tuple[list[Widened], NDArray[np.bool_]]:
    """The boxes of the people whose advice the model accepts, and who they are."""
    widened = [widener.widen(i) for i in range(len(Y))]
    kept = np.array([w.proven for w in widened], dtype=bool)
    if not kept.all():
        # within the clearance of the boundary nothing is proven, but the estimator has the last
        # word about the point itself
        kept[~kept] = model.accepts(Y[~kept])
    return [w for w, k in zip(widened, kept, strict=True) if k], kept


def _spread(
    schema: Schema, ends: list[Vector], rows: NDArray[np.intp], index: pd.Index
) -> pd.DataFrame:
    """Ends of the boxes as a table; nominal inputs have none."""
    values = np.full((len(index), len(schema)), np.nan)
    values[rows] = np.array(ends).reshape(-1, len(schema))
    values[:, [f.kind == "nominal" for f in schema]] = np.nan
    table = schema.table(values, index)
    for feature, column in zip(schema, values.T, strict=True):
        if np.isinf(column).any() and feature.when_missing == "refuse":  # an open end
            table[feature.name] = column
    return table


def _named(
    schema: Schema, sets: list[Mapping[int, Vector]], rows: NDArray[np.intp], index: pd.Index
) -> pd.DataFrame:
    """Sets of categories by name; a gap that stays one is called missing."""
    columns = {}
    for j, feature in enumerate(schema):
        if feature.kind == "nominal":
            cells = np.full(len(index), None, dtype=object)
            for i, codes in zip(rows, sets, strict=True):
                cells[i] = tuple(feature.shown(code) for code in codes[j])
            columns[feature.name] = cells
    return pd.DataFrame(columns, index=index, dtype=object)


def _codes(table: pd.DataFrame, schema: Schema) -> Matrix:
    """A table of ends as numbers: codes for names, minus infinity for a gap or an open end."""
    columns = [
        table[f.name].to_numpy(dtype=np.float64, na_value=-np.inf)
        if f.coder is None
        else f.coder.encode(table[f.name])
        for f in schema
    ]
    found: Matrix = np.column_stack(columns)
    return np.where(np.isnan(found), -np.inf, found)


def _gained(
    percentiles: Percentiles,
    Y: Matrix,
    boxes: list[Widened],
    rows: NDArray[np.intp],
    index: pd.Index,
) -> pd.Series:
    """Σ_j (width of the box − width of the point) / Σ_j (width of the range − width of the point).

    A width is the share of the reference table from one value to another, both included, or the
    share that has one of a set of categories. Where nobody stands on anything that could be gained,
    all of it is.
    """
    gained = pd.Series(np.nan, index=index, name="gained")
    for i, y, box in zip(rows, Y, boxes, strict=True):
        point = _width(percentiles, y, y, {j: y[[j]] for j in box.inside})
        room = _width(percentiles, box.least, box.greatest, box.reachable) - point
        width = _width(percentiles, box.lower, box.upper, box.inside) - point
        gained.iloc[i] = width / room if room > 0 else 1.0
    return gained


def _width(
    percentiles: Percentiles, low: Vector, high: Vector, sets: Mapping[int, Vector]
) -> float:
    total = 0.0
    for j in range(len(low)):
        first, last = (sets[j], sets[j]) if j in sets else (low[[j]], high[[j]])
        shares = percentiles.rank_of(j, last) - share_below(percentiles, j, first)
        total += float(shares.sum())
    return total


def _sentence(
    schema: Schema,
    inside: Mapping[Any, tuple[str, ...]],
    reachable: Mapping[Any, tuple[str, ...]],
    *ends: Vector,
) -> str:
    parts = []
    for feature, a, b, low, high in zip(schema, *ends, strict=True):
        if feature.name in inside:
            names = inside[feature.name]
            if len(names) < len(reachable[feature.name]):
                one_of = "one of " * (len(names) > 1)
                parts.append(f"{feature.words} {one_of}{', '.join(names)}")
        elif a > low or b < high:
            parts.append(f"{feature.words} {_words(feature, a, b, low, high)}")
    if not parts:
        return "Any admissible values will do."
    text = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"Keep {text}."


def _words(feature: Feature, a: float, b: float, least: float, greatest: float) -> str:
    """One input's bounds: exactly 3, 0 or 1, at most 0.42, at least 2, between 2 and 7."""
    first, last = _shown(feature, a), _shown(feature, b)
    if a == b:
        return f"exactly {first}"
    if feature.kind in WHOLE and b - a == feature.step:
        return f"{first} or {last}"
    if a == least:
        return f"at most {last}"
    return f"at least {first}" if b == greatest else f"between {first} and {last}"


def _shown(feature: Feature, value: float) -> str:
    """A bound with the decimals of its step; a person's own value may have more."""
    text = feature.shown(value)
    if feature.coder is not None or not np.isfinite(value):
        return text
    return text if float(text) == value else repr(float(value)).removesuffix(".0")
