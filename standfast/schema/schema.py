"""The schema: all inputs in order, what holds between them, and what advice may do with them."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from standfast.digests import digest
from standfast.errors import InputError, listing
from standfast.files import read_text, write_whole
from standfast.schema import admission, border, laws
from standfast.schema.bounds import Bounds, bounds_of, inwards_on_grid
from standfast.schema.categories import MISSING, UNKNOWN
from standfast.schema.condition import Condition
from standfast.schema.draft import Draft
from standfast.schema.feature import Feature
from standfast.schema.grid import Reach, Rules
from standfast.schema.kinds import WHOLE, WhenMissing
from standfast.schema.passing import check_drifts, moved_on
from standfast.schema.relation import HalfSpaces, Relation

Matrix = NDArray[np.float64]

# columns of the result table; a feature of that name would be shadowed there
RESULT_COLUMNS = (
    *("outcome", "sentence", "remark", "cost", "lower_bound", "gap", "seconds", "binding"),
    *("accepted_by", "kept_inputs", "after_months", "person", "rank"),
)


# of a schema's file; ten thousand columns with all comments take a tenth of it
MOST_BYTES = 2**24


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
            parsed = laws.relations_of(getattr(self, what), features, what, example)
            object.__setattr__(self, what, parsed)
        object.__setattr__(self, "rules", laws.rules_of(self.rules, features))
        equalities = [relation for relation in self.relations if relation.equal]
        together = [change for change in self.changes if change.bound == 0]
        laws.check_directions(features, (*equalities, *together))
        check_drifts(self)

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
    def _labels(self) -> pd.Index:
        return pd.Index(self.names)

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
        return laws.bounds(self, X)

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
        columns = border.decoded(values, self.features)
        table = pd.DataFrame(dict(enumerate(columns)), index=index)
        table.columns = self._labels.view()  # which takes long to make
        return table

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
                    labels=f.labels,
                    when_missing=when,
                )
            features.append(f)
        return Schema(tuple(features))

    @cached_property
    def grid(self) -> tuple[Matrix, Matrix]:
        """Each column's step, and the power of ten that makes the step's decimals whole."""
        step, _, _ = self.limits
        return step, np.array([10.0**f.decimals for f in self.features])

    @cached_property
    def limits(self) -> tuple[Matrix, Matrix, Matrix]:
        """Each column's step, lower and upper bound."""
        return admission.limits(self.features)

    @cached_property
    def inner_limits(self) -> tuple[Matrix, Matrix]:
        """Each column's least and greatest grid value within its bounds."""
        _, lower, upper = self.limits
        return inwards_on_grid(self, lower, 1.0), inwards_on_grid(self, upper, -1.0)

    @cached_property
    def least(self) -> Matrix:
        """Each column's least perceptible move; 0 where any move will do."""
        return np.array([f.least or 0.0 for f in self.features])

    @cached_property
    def drift(self) -> Matrix:
        """What passes by itself in a month, column by column."""
        return np.array([f.drift or 0.0 for f in self.features])

    @cached_property
    def pace(self) -> Matrix:
        """How far advice may move each column in a month; infinite where that is not said."""
        return np.array([np.inf if f.pace is None else f.pace for f in self.features])

    def moved_on(self, X: Matrix, months: ArrayLike) -> Matrix:
        """Where people will stand after so many months if they change nothing."""
        return moved_on(self, X, months)

    def bounds(self, X: Matrix, kept: Collection[int] = (), months: float | None = None) -> Bounds:
        """For each person (row) where advice may go, on the grid; inputs `kept` stay as they are.

        Directions, immutability and the least perceptible moves included, and, with `months`, how
        far things can move in this time.
        """
        return bounds_of(self, X, kept, months)

    @cached_property
    def one_way(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which columns may only rise, and which may only fall."""
        ways = np.array([f.direction for f in self.features])
        return ways == "up", ways == "down"

    @cached_property
    def possible(self) -> tuple[Matrix, Matrix, NDArray[np.bool_]]:
        """Each column's least and greatest possible value, and whether it holds whole numbers."""
        least, greatest = np.array([f.possible for f in self.features]).T
        return least, greatest, np.array([f.kind in WHOLE for f in self.features])

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

    def project(self, x: ArrayLike, points: ArrayLike, bounds: Bounds | None = None) -> Matrix:
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
        moved = project_rows(rows, self.reach(own, bounds))
        if self.rules:  # no walk leads back into a rule
            kept = self.keeps_rules(moved).all(axis=1, keepdims=True)
            moved = np.where(kept, moved, own)
        return moved.reshape(points.shape)

    def reach(
        self,
        own: Matrix,
        bounds: Bounds | None = None,
        home: Matrix | None = None,
    ) -> Any:
        """Where people may go, as the projection kernels read it; within their own bounds.

        `home`: where they stand, if `own` is other advice, from which a search sets out.
        """
        from standfast.compilation import Struct

        limits = self.bounds(own) if bounds is None else bounds
        home = own if home is None else home
        own, home, b = (np.ascontiguousarray(part) for part in (own, home, self.law_bounds(home)))
        low, high, below, above = map(np.ascontiguousarray, limits)
        return Struct(Reach(own, low, high, below, above, b, home, self._shared))

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
        _, lower, upper = self.limits
        with np.errstate(over="ignore"):
            span = upper - lower
        return np.where(np.isfinite(span) & (span > 0), span, 1.0)

    def admits(
        self, x: ArrayLike, points: ArrayLike, months: float | None = None
    ) -> NDArray[np.bool_]:
        """Whether person x may be sent to each point: bounds, steps, directions, laws and rules.

        With `months`: by then, when x has moved on.
        """
        own, points = np.asarray(x, dtype=np.float64), np.asarray(points, dtype=np.float64)
        if months is not None:
            own = self.moved_on(np.atleast_2d(own), months).reshape(own.shape)
        return admission.admits(self, own, points, months)

    def lawful(self, x: ArrayLike, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether each point keeps the relations, the rules, and the changes that go together."""
        own, points = np.asarray(x, dtype=np.float64), np.asarray(points, dtype=np.float64)
        return laws.hold(self, own, points)

    def keeps_rules(self, points: ArrayLike) -> NDArray[np.bool_]:
        """For each point (rows) which rules (columns) it does not break."""
        return laws.kept(self, np.asarray(points, dtype=np.float64))

    def objections(self, x: ArrayLike, point: ArrayLike) -> tuple[str, ...]:
        """Why person x may not be sent to a point, one sentence each; empty if they may."""
        own, point = np.asarray(x, dtype=np.float64), np.asarray(point, dtype=np.float64)
        return admission.objections(self, own, point)

    def doubts(self, X: Matrix) -> list[str]:
        """What is impossible about each person's own values by the schema's word; '' if nothing.

        `valid`, the kinds and the relations judge people; `lower` and `upper` bound the advice, and
        rules hold for advice alone.
        """
        return admission.doubts(self, X)

    def with_labels(self, other: "Schema") -> "Schema":
        """The schema with the labels that another one has for its inputs."""
        absent = [name for name in self.names if name not in other.names]
        if absent:
            raise InputError(f"there are no labels for {listing(absent)}; add these inputs")
        features = [
            replace(f, label=other[f.name].label, labels=other[f.name].labels) for f in self
        ]
        return replace(self, features=tuple(features))

    # drafts and files

    @classmethod
    def infer(
        cls,
        table: pd.DataFrame,
        *,
        label: str | None = None,
        index: str | None = None,
        labels: ArrayLike | None = None,
        favourable: object = None,
        step: Literal["auto", "decimals"] = "auto",
    ) -> "Schema":
        """A first draft from a table, for a person to edit: kinds, steps, and who is no input.

        `label` and `index` name the columns that say how people turned out and who they are; both
        are left out. Other columns that look like one of them may not move, nor what people cannot
        act on by its name, such as an age. With the `favourable` one of the `labels` (or of the
        column `label`) inputs get the direction that goes with it, where the data show a clear one.
        Steps are round numbers near one per cent of the inter-quartile range, or with
        `step="decimals"` as fine as the table's. Every guess, and the relations that the table
        never breaks, stand as comments in the TOML.
        """
        from standfast.schema.inference import infer

        return infer(table, (label, index), (labels, favourable), step)

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
