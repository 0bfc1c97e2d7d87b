"""The schema: all inputs in order, what holds between them, and what advice may do with them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from standfast.digests import digest
from standfast.errors import InputError, listing
from standfast.files import read_text, write_whole
from standfast.schema import border
from standfast.schema.categories import MISSING, UNKNOWN
from standfast.schema.condition import Condition
from standfast.schema.condition_tree import check_together
from standfast.schema.draft import Draft
from standfast.schema.feature import WHOLE, Feature, WhenMissing
from standfast.schema.grid import Reach, Rules, multiple
from standfast.schema.relation import HalfSpaces, Relation
from standfast.schema.values import as_text

Matrix = NDArray[np.float64]

# columns of the result table; a feature of that name would be shadowed there
RESULT_COLUMNS = (
    *("outcome", "sentence", "remark", "cost", "lower_bound", "gap", "seconds", "binding"),
    *("accepted_by", "person", "rank"),
)


# of a schema's file; ten thousand columns with all comments take a tenth of it
MOST_BYTES = 2**24
MOST_COEFFICIENTS = 2**24
# the bound of a half-space that cannot be judged
OUT_OF_REACH = 1e200


@dataclass(frozen=True)
class Schema:
    """The inputs of a model in their order, and what holds between them.

    `relations` such as "2*a - b <= c" are laws about numbers: nobody breaks them, and people whose
    own row does are outside the schema. `rules` such as "if housing == rent then mortgage == 0" are
    conditions that advice must satisfy; people whose own row breaks a rule are advised all the
    same, to somewhere that keeps it. `changes` such as "age == tenure" couple moves: what is added
    to one input is added to the other. What a rule, a relation or a change says about a missing
    value cannot be judged, and does not hold anybody back.

    >>> schema = Schema((Feature("late", "count"), Feature("very_late", "count")),
    ...                 ("very_late <= late",), rules=("if late >= 3 then very_late >= 1",))
    >>> schema.names
    ('late', 'very_late')
    >>> domain = schema.complete({"late": [0, 9], "very_late": [0, 9]})
    >>> domain.objections([0, 0], [3, 0])
    ("'if late >= 3 then very_late >= 1' does not hold",)
    """

    features: tuple[Feature, ...]
    relations: tuple[Relation, ...] = ()
    draft: Draft | None = field(default=None, compare=False, repr=False)
    rules: tuple[Condition, ...] = ()
    changes: tuple[Relation, ...] = ()

    def __post_init__(self) -> None:
        features = tuple(self.features) if isinstance(self.features, Iterable) else ()
        if not features or not all(isinstance(f, Feature) for f in features):
            raise InputError("a schema needs at least one Feature, and nothing but features")
        names = [f.name for f in features]
        twice = sorted(name for name, times in Counter(names).items() if times > 1)
        if twice:
            raise InputError(f"the schema names {listing(twice)} more than once; names are unique")
        taken = [name for name in names if name in RESULT_COLUMNS]
        if taken:
            raise InputError(
                f"the feature {listing(taken)} has the name of a result column; rename the column"
            )
        object.__setattr__(self, "features", features)
        for what, example in (("relations", "a <= b"), ("changes", "a == b")):
            texts = _texts(getattr(self, what), what, example)
            parsed = [t if isinstance(t, Relation) else Relation.parse(t, names) for t in texts]
            if len(parsed) * len(features) > MOST_COEFFICIENTS:
                raise InputError(
                    f"{len(parsed):,} {what} between {len(features):,} features are more than "
                    "can be held; leave out those that follow from others"
                )
            HalfSpaces.build(parsed, names)
            object.__setattr__(self, what, tuple(parsed))
        self._check_sizes()
        object.__setattr__(self, "rules", self._read_rules())

    def _check_sizes(self) -> None:
        unordered = {f.name for f in self.features if f.kind == "nominal"}
        for relation in (*self.relations, *self.changes):
            named = [name for name, _ in relation.terms if name in unordered]
            if named:
                raise InputError(
                    f"'{relation}' calculates with {listing(named)}, which is nominal: categories "
                    "have no size; write a rule instead"
                )

    def _read_rules(self) -> tuple[Condition, ...]:
        texts = _texts(self.rules, "rules", "if housing == rent then mortgage == 0")
        rules = tuple(
            t.of(self.features)
            if isinstance(t, Condition)
            else Condition.parse(as_text(t, "a rule"), self.features)
            for t in texts
        )
        if rules:
            check_together(rules)
        return rules

    def __len__(self) -> int:
        return len(self.features)

    def __iter__(self) -> Iterator[Feature]:
        return iter(self.features)

    def __getitem__(self, name: str) -> Feature:
        for feature in self.features:
            if feature.name == name:
                return feature
        raise InputError(f"the schema has no feature {name!r}; it has {listing(self.names)}")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns in order."""
        return tuple(f.name for f in self.features)

    @cached_property
    def mutable(self) -> NDArray[np.bool_]:
        """Which columns advice may change."""
        return np.array([f.mutable for f in self.features])

    @cached_property
    def half_spaces(self) -> HalfSpaces:
        """The relations as rows A x ≤ b."""
        return HalfSpaces.build(self.relations, self.names)

    @cached_property
    def couplings(self) -> HalfSpaces:
        """The changes that go together as rows A (x̃ − x) ≤ b."""
        return HalfSpaces.build(self.changes, self.names)

    @property
    def has_laws(self) -> bool:
        """Whether anything is said about inputs together."""
        return bool(self.relations or self.rules or self.changes)

    @cached_property
    def law_rows(self) -> Matrix:
        """The left side A of all half-spaces A x̃ ≤ b, relations first, then changes."""
        return np.vstack([self.half_spaces.A, self.couplings.A])

    def law_bounds(self, X: Matrix) -> Matrix:
        """For each person the right side b of the half-spaces A x̃ ≤ b.

        That of a change depends on where the person stands; it is out of reach where a value that
        it reads is missing.
        """
        shared = np.broadcast_to(self.half_spaces.b, (len(X), len(self.half_spaces.b)))
        if not self.changes:
            return np.array(shared)
        lacking = self.lacking(X) | ~np.isfinite(X)
        own = np.where(lacking, 0.0, X) @ self.couplings.A.T + self.couplings.b
        unjudged = lacking.astype(np.float64) @ (self.couplings.A != 0).T > 0
        return np.hstack([shared, np.where(unjudged, OUT_OF_REACH, own)])

    @cached_property
    def digest(self) -> str:
        """The schema's fingerprint; rules and changes count where there are some."""
        later = {"rules": [str(rule) for rule in self.rules], "changes": self.changes}
        return digest([self.features, self.relations, *[p for p in later.items() if p[1]]])

    # tables in, tables out

    def matrix(self, table: pd.DataFrame) -> Matrix:
        """The table's values in schema order, names as codes: the only way in for tables.

        A value that is missing where the schema has no place for that, or no category, is refused;
        `judged` lets everybody else in.
        """
        X = border.coded(table, self.features)
        border.refuse_gaps(X, table, self.features)
        return X

    def judged(self, people: pd.DataFrame) -> tuple[Matrix, list[str]]:
        """People's values as `matrix` gives them, and what is impossible about each; '' if nothing.

        One person's missing or unknown value is theirs alone.
        """
        X = border.coded(people, self.features)
        doubts = self.doubts(X)
        for j in np.flatnonzero((X == UNKNOWN).any(axis=0)):
            feature, column = self.features[j], people[self.names[j]]
            for i in np.flatnonzero(X[:, j] == UNKNOWN):
                why = f"{feature.name}: {border.unknown(feature, column.iloc[i])}"
                doubts[i] = f"{doubts[i]}; {why}" if doubts[i] else why
        return X, doubts

    def table(self, matrix: ArrayLike, index: pd.Index | None = None) -> pd.DataFrame:
        """A matrix as a table: codes as names, whole kinds as integers, gaps as missing values."""
        values = np.array(matrix, dtype=np.float64).reshape(-1, len(self))
        pairs = zip(self.features, values.T, strict=True)
        return pd.DataFrame({f.name: _column(f, column) for f, column in pairs}, index=index)

    # what advice may do

    def complete(self, reference: Any) -> "Schema":
        """The schema with every open bound and step filled in from a reference table.

        `reference` gives a column's values by its name: a DataFrame, or `Percentiles.values`.
        """
        if isinstance(reference, pd.DataFrame):
            columns = list(border.coded(reference[list(self.names)], self.features).T)
        else:
            columns = [np.asarray(reference[name], dtype=np.float64) for name in self.names]
        pairs = zip(self.features, columns, strict=True)
        return replace(self, features=tuple(f.complete(column) for f, column in pairs))

    def loosened(self) -> "Schema":
        """The schema that only knows who may move: no kinds, bounds, steps, directions, laws.

        The setting of methods as they were published, whose answers may be negative or fractional.
        """
        features = []
        for f in self.features:
            if f.categories is None:
                when: WhenMissing = "refuse" if f.when_missing == "refuse" else "keep"
                f = Feature(
                    *(f.name, "real", f.mutable, "any", -np.inf, np.inf, 0.0, f.label),
                    missing=f.missing,
                    when_missing=when,
                )
            features.append(f)
        return Schema(tuple(features))

    @cached_property
    def grid(self) -> tuple[Matrix, Matrix]:
        """Each column's step, and the power of ten that makes the step's decimals whole."""
        step, _, _ = self._limits
        return step, np.array([10.0**f.decimals for f in self.features])

    @cached_property
    def _limits(self) -> tuple[Matrix, Matrix, Matrix]:
        for f in self.features:
            if f.step is None or f.lower is None or f.upper is None:
                raise InputError(
                    f"feature '{f.name}' has an open bound or step; call schema.complete(table)"
                )
        columns = [[getattr(f, what) for f in self.features] for what in ("step", "lower", "upper")]
        step, lower, upper = (np.array(column, dtype=np.float64) for column in columns)
        return step, lower, upper

    def bounds(self, X: Matrix) -> tuple[Matrix, Matrix]:
        """For each person (row) the least and greatest value advice may propose, on the grid.

        Directions and immutability included; where no grid value is left, low exceeds high, and
        only the person's own value remains.
        """
        step, lower, upper = self._limits
        _, power = self.grid
        up = np.array([f.direction == "up" for f in self.features])
        down = np.array([f.direction == "down" for f in self.features])
        lacking = self.lacking(X)
        low = np.where(up & ~lacking, np.maximum(lower, X), lower)
        high = np.where(down & ~lacking, np.minimum(upper, X), upper)
        gridded = np.where(step > 0, step, 1.0)
        for bound, inwards in ((low, 1.0), (high, -1.0)):
            with np.errstate(invalid="ignore", over="ignore"):  # an infinite bound stays as it is
                k = np.rint(bound / gridded)
                k += inwards * (multiple(k, gridded, power) * inwards < bound * inwards)
                value = multiple(k, gridded, power)
            bound[...] = np.where((step > 0) & np.isfinite(bound), value, bound)
        fixed, kept = ~self.mutable, lacking & ~self.fills
        low, high = np.where(fixed, X, low), np.where(fixed, X, high)
        return np.where(kept, np.inf, low), np.where(kept, -np.inf, high)

    @cached_property
    def fills(self) -> NDArray[np.bool_]:
        """Which columns advice may fill in where they are missing."""
        return np.array([f.when_missing == "fill" and f.mutable for f in self.features])

    @cached_property
    def gapped(self) -> tuple[int, ...]:
        """The columns in which values may be missing."""
        return tuple(j for j, f in enumerate(self.features) if f.when_missing != "refuse")

    def lacking(self, X: Matrix) -> NDArray[np.bool_]:
        """Which cells are missing, empty or by a declared token."""
        lacking = X == MISSING
        for j, f in enumerate(self.features):
            if f.tokens:
                lacking[..., j] = f.is_missing(X[..., j])
        return np.asarray(lacking)

    def project(self, x: ArrayLike, points: ArrayLike) -> Matrix:
        """For each point the nearest one the schema admits for person x (or persons, row by row).

        Nearest input by input, hence in any weighted L1 or L2; a tie stays put. Where this breaks a
        relation, the point is walked back by the cheapest steps in units of each input's range:
        exact for one relation with coefficients ±1 over one grid, near otherwise, and admitted
        always (the person's own values if nothing else is).
        """
        from standfast.schema.projection import project_rows

        own = np.ascontiguousarray(np.atleast_2d(np.asarray(x, dtype=np.float64)))
        points = np.asarray(points, dtype=np.float64)
        rows = np.ascontiguousarray(np.atleast_2d(points))
        moved = project_rows(rows, self.reach(own))
        if self.rules:  # no walk leads back into a rule
            kept = self.keeps_rules(moved).all(axis=1, keepdims=True)
            moved = np.where(kept, moved, own)
        return moved.reshape(points.shape)

    def reach(
        self,
        own: Matrix,
        bounds: tuple[Matrix, Matrix] | None = None,
        home: Matrix | None = None,
    ) -> Any:
        """Where people may go, as the projection kernels read it; within their own bounds.

        `home`: where they stand, if `own` is other advice, from which a search sets out.
        """
        from standfast.compilation import Struct

        low, high = self.bounds(own) if bounds is None else bounds
        home = own if home is None else home
        own, low, high, home = (np.ascontiguousarray(part) for part in (own, low, high, home))
        b = np.ascontiguousarray(self.law_bounds(home))
        return Struct(Reach(own, low, high, b, home, self._shared))

    @cached_property
    def _shared(self) -> Rules:
        """What the projection kernels need besides a person's bounds: grid, laws, options."""
        from standfast.schema.options import options_of

        parts = (*self.grid, self.unit, self.law_rows)
        step, power, unit, A = (np.ascontiguousarray(part) for part in parts)
        return Rules(step, power, unit, A, options_of(self.features))

    @cached_property
    def unit(self) -> Matrix:
        """Each input's range, the unit in which moves of different inputs are compared."""
        _, lower, upper = self._limits
        with np.errstate(over="ignore"):
            span = upper - lower
        return np.where(np.isfinite(span) & (span > 0), span, 1.0)

    def admits(self, x: ArrayLike, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether person x may be sent to each point: bounds, steps, directions, laws and rules."""
        own, points = np.asarray(x, dtype=np.float64), np.asarray(points, dtype=np.float64)
        low, high = self.bounds(np.atleast_2d(own))
        low, high = low.reshape(own.shape), high.reshape(own.shape)
        moved = (points >= low) & (points <= high) & self._on_grid(points)
        moved &= ~self.lacking(points) & (self.fills | ~self.lacking(own))
        fits = (points == own) | (moved & self.mutable & self._allowed(own, points))
        admitted: NDArray[np.bool_] = fits.all(axis=-1) & self.lawful(own, points)
        return admitted

    def lawful(self, x: ArrayLike, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether each point keeps the relations, the rules, and the changes that go together."""
        own, points = np.asarray(x, dtype=np.float64), np.asarray(points, dtype=np.float64)
        held = (self._excess(points) == 0).all(axis=-1) & self.keeps_rules(points).all(axis=-1)
        if self.changes:
            held = held & (self._uncoupled(own, points) == 0).all(axis=-1)
        return np.asarray(held)

    def keeps_rules(self, points: ArrayLike) -> NDArray[np.bool_]:
        """For each point (rows) which rules (columns) it does not break."""
        points = np.asarray(points, dtype=np.float64)
        kept = np.ones((*points.shape[:-1], len(self.rules)), dtype=bool)
        for r, rule in enumerate(self.rules):
            kept[..., r] = ~rule.broken(points)
        return kept

    def _allowed(self, own: Matrix, points: Matrix) -> NDArray[np.bool_]:
        """Whether each category may become the other."""
        own, points = np.broadcast_arrays(own, points)
        allowed = np.ones(points.shape, dtype=bool)
        for j, f in enumerate(self.features):
            if f.transitions is not None:
                allowed[..., j] = np.isfinite(f.flat_price(own[..., j], points[..., j]))
        return allowed

    def _excess(self, points: Matrix) -> Matrix:
        """How far each relation is broken; one that reads a missing value cannot be judged."""
        if not self.relations:
            return self.half_spaces.excess(points)
        lacking = self.lacking(points)
        excess = self.half_spaces.excess(np.where(lacking, 0.0, points))
        return np.where(_reads(self.half_spaces, lacking), 0.0, excess)

    def _uncoupled(self, own: Matrix, points: Matrix) -> Matrix:
        """How far changes that go together are apart, where both values are known."""
        own, points = np.broadcast_arrays(own, points)
        lacking = self.lacking(points) | self.lacking(own) | ~np.isfinite(own)
        ends = [np.where(lacking, 0.0, values) for values in (points, own)]
        excess = self.couplings.excess(*ends)
        return np.where(_reads(self.couplings, lacking), 0.0, excess)

    def _on_grid(self, points: Matrix) -> NDArray[np.bool_]:
        step, power = self.grid
        gridded = np.where(step > 0, step, 1.0)
        with np.errstate(invalid="ignore", over="ignore"):
            on_grid = multiple(np.rint(points / gridded), gridded, power) == points
        fits: NDArray[np.bool_] = on_grid | (step == 0)
        return fits

    def objections(self, x: ArrayLike, point: ArrayLike) -> tuple[str, ...]:
        """Why person x may not be sent to a point, one sentence each; empty if they may."""
        own, point = np.asarray(x, dtype=np.float64), np.asarray(point, dtype=np.float64)
        _, lower, upper = self._limits
        on_grid = self._on_grid(point)
        found = []
        for j, f in enumerate(self.features):
            a, b = own[j], point[j]
            if a == b:
                continue
            move = f"goes from {_said(f, a)} to {_said(f, b)}"
            missing = bool(f.is_missing(a))
            if not f.mutable or (missing and not self.fills[j]):
                found.append(f"{f.name} may not change, but {move}")
            elif f.is_missing(b):
                found.append(f"{f.name} may not become missing, but {move}")
            elif f.direction == "up" and b < a and not missing:
                found.append(f"{f.name} may only rise, but {move}")
            elif f.direction == "down" and b > a and not missing:
                found.append(f"{f.name} may only fall, but {move}")
            elif f.transitions is not None and np.isinf(f.flat_price(a, b)):
                found.append(f"{f.name} may not change so, but {move}")
            elif not lower[j] <= b <= upper[j]:
                found.append(f"{f.name} is {b:g}, outside {f.lower:g} to {f.upper:g}")
            elif not on_grid[j]:
                found.append(f"{f.name} is {b:.12g}, no multiple of its step {f.step:g}")
        found += self._broken(point)
        kept = self.keeps_rules(point)
        found += [f"'{r}' does not hold" for r, k in zip(self.rules, kept, strict=True) if not k]
        if self.changes:
            excess = self._uncoupled(own, point)
            pairs = zip(self.changes, excess, strict=True)
            found += [f"'{c}' does not hold for what changes" for c, e in pairs if e > 0]
        return tuple(found)

    def _broken(self, point: Matrix) -> list[str]:
        excess = self._excess(point)
        return [
            f"'{r}' does not hold" for r, e in zip(self.relations, excess, strict=True) if e > 0
        ]

    def doubts(self, X: Matrix) -> list[str]:
        """What is impossible about each person's own values by the schema's word; '' if nothing.

        `valid`, the kinds and the relations judge people; `lower` and `upper` bound the advice, and
        rules hold for advice alone.
        """
        doubts: list[list[str]] = [[] for _ in X]
        for j, f in enumerate(self.features):
            low, high = f.possible
            column = X[:, j].copy()
            missing = f.is_missing(column)
            if missing.any() and f.when_missing == "refuse":
                for i in np.flatnonzero(missing):
                    doubts[i].append(f"{f.name} is missing, which the schema does not provide for")
            column[missing | (column == UNKNOWN)] = low if np.isfinite(low) else 0.0
            if f.coder is not None:
                continue
            tests: list[tuple[NDArray[np.bool_], str]] = [
                (column < low, f"below {low:g}, the least value that is valid"),
                (column > high, f"above {high:g}, the greatest value that is valid"),
            ]
            if f.kind in WHOLE:
                tests.append((column % 1 != 0, f"not a whole number, though a {f.kind}"))
            for wrong, why in tests:
                for i in np.flatnonzero(wrong):
                    doubts[i].append(f"{f.name} is {column[i]:g}, {why}")
        for i in np.flatnonzero((self._excess(np.where(X == UNKNOWN, 0.0, X)) > 0).any(axis=1)):
            doubts[i] += self._broken(np.where(X[i] == UNKNOWN, 0.0, X[i]))
        return ["; ".join(found) for found in doubts]

    # drafts and files

    @classmethod
    def infer(
        cls, table: pd.DataFrame, *, label: str | None = None, index: str | None = None
    ) -> "Schema":
        """A first draft from a table, for a person to edit: kinds, steps, and who is no input.

        `label` and `index` name the columns that say how people turned out and who they are; both
        are left out. Other columns that look like one of them may not move. Every guess, and the
        relations that the table never breaks, stand as comments in the TOML; none is enforced.
        """
        from standfast.schema.inference import infer

        return infer(table, label, index)

    def to_toml(self) -> str:
        """The schema as TOML that people can read and edit."""
        from standfast.schema.toml import dumps

        return dumps(self)

    @classmethod
    def from_toml(cls, text: str) -> "Schema":
        """A schema from TOML text; what cannot be read is named by its place."""
        from standfast.schema.toml import loads

        return loads(text)

    def write(self, path: Path | str) -> None:
        """Write the schema as a TOML file."""
        write_whole(path, lambda file: file.write_text(self.to_toml(), encoding="utf-8"))

    @classmethod
    def read(cls, path: Path | str) -> "Schema":
        """A schema from a TOML file."""
        text = read_text(path, MOST_BYTES, "the schema")
        try:
            return cls.from_toml(text)
        except InputError as error:
            raise InputError(f"schema '{path}': {error}") from error


def _texts(given: object, what: str, example: str) -> tuple[Any, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"{what} must be a list of texts such as '{example}'")
    return tuple(given)


def _reads(spaces: HalfSpaces, lacking: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which relations (columns) read a value that is missing."""
    rows = np.flatnonzero(np.diff(spaces.owner, prepend=-1))
    return np.asarray(lacking.astype(np.float64) @ (spaces.A[rows] != 0).T > 0)


def _said(feature: Feature, value: float) -> str:
    named = feature.coder is not None or value == MISSING
    return feature.shown(value) if named else f"{value:g}"


def _column(feature: Feature, values: NDArray[np.float64]) -> Any:
    """A column of a table: names for codes, a whole kind's values as integers unless fractional."""
    if feature.coder is not None:
        return feature.coder.decode(values)
    missing = np.isnan(values) | (values == MISSING)
    values = np.where(missing, np.nan, values)
    if feature.kind not in WHOLE or (values[~missing] % 1).any():
        return values
    if not missing.any():
        return values.astype(np.int64)
    return pd.arrays.IntegerArray(np.where(missing, 0.0, values).astype(np.int64), missing)
