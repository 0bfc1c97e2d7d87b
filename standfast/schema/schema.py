"""The schema: all inputs in order, what holds between them, and what advice may do with them."""

from collections.abc import Collection, Iterator
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
from standfast.schema.bounds import Bounds, bounds_of
from standfast.schema.columns import Columns
from standfast.schema.condition import Condition
from standfast.schema.draft import Draft
from standfast.schema.feature import Feature
from standfast.schema.grid import Rules
from standfast.schema.naming import as_features
from standfast.schema.passing import check_drifts, moved_on
from standfast.schema.relation import HalfSpaces, Relation

Matrix = NDArray[np.float64]

# of a schema's file; ten thousand columns with all comments take a tenth of it
MOST_BYTES = 2**24


@dataclass(frozen=True)
class Schema:
    """The inputs of a model in their order, and what holds between them.

    What a rule, a relation or a change says about a missing value cannot be judged, and does not
    hold anybody back.

    Parameters
    ----------
    features : tuple of Feature
        The columns, in the model's order.
    relations : tuple of Relation or str
        Laws about numbers, "2*a - b <= c": nobody breaks them, and people whose own row does are
        outside the schema.
    draft : Draft, optional
        What `infer` was not sure of.
    rules : tuple of str
        Conditions that advice must satisfy, "if housing == rent then mortgage == 0"; people whose
        own row breaks one are advised all the same, to somewhere that keeps it.
    changes : tuple of str
        Moves that go together, "age == tenure": what is added to one input is added to the other.

    Examples
    --------
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
        features = as_features(self.features)
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

    @property
    def category_names(self) -> dict[str, list[str]]:
        """The texts that name categories, or missing values among them, column by column."""
        named = {f.name: f.coder.names for f in self.features if f.coder is not None}
        return {name: [c for c in found if isinstance(c, str)] for name, found in named.items()}

    @cached_property
    def _labels(self) -> pd.Index:
        return pd.Index(self.names)

    @cached_property
    def columns(self) -> Columns:
        """What the features say column by column, as arrays."""
        return Columns(self.features)

    @property
    def mutable(self) -> NDArray[np.bool_]:
        """Which columns advice may change."""
        return self.columns.mutable

    @property
    def gapped(self) -> tuple[int, ...]:
        """The columns in which values may be missing."""
        return self.columns.gapped

    @property
    def drift(self) -> Matrix:
        """What passes by itself in a month, column by column."""
        return self.columns.drift

    @property
    def grid(self) -> tuple[Matrix, Matrix]:
        """Each column's step, and the power of ten that makes the step's decimals whole."""
        return self.columns.grid

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
        return border.judged(people, self)

    def table(self, matrix: ArrayLike, index: pd.Index | None = None) -> pd.DataFrame:
        """A matrix as a table: codes as names, whole kinds as integers, gaps as missing values."""
        values = np.array(matrix, dtype=np.float64, order="F").reshape(-1, len(self))
        columns = border.decoded(values, self.features)
        return border.frame(columns, self._labels, index)

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
        return Schema(tuple(f.loosened() for f in self.features))

    def moved_on(self, X: Matrix, months: ArrayLike) -> Matrix:
        """Where people will stand after so many months if they change nothing."""
        return moved_on(self, X, months)

    def bounds(
        self, X: Matrix, kept: Collection[int] = (), months: ArrayLike | None = None
    ) -> Bounds:
        """For each person (row) where advice may go, on the grid; inputs `kept` stay as they are.

        Directions, immutability and the least perceptible moves included, and, with `months`, how
        far things can move in this time.
        """
        return bounds_of(self, X, kept, months)

    def lacking(self, X: Matrix) -> NDArray[np.bool_]:
        """Which cells are missing, empty or by a declared token."""
        return self.columns.lacking(X)

    def project(self, x: ArrayLike, points: ArrayLike, bounds: Bounds | None = None) -> Matrix:
        """For each point the nearest one the schema admits for person x (or persons, row by row).

        Nearest input by input, hence in any weighted L1 or L2; a tie stays put. Where this breaks a
        relation, the point is walked back by the cheapest steps in units of each input's range:
        exact for one relation with coefficients ±1 over one grid, near otherwise, and admitted
        always (the person's own values if nothing else is).
        """
        from standfast.schema.reach import project

        return project(self, np.asarray(x, np.float64), np.asarray(points, np.float64), bounds)

    def reach(
        self,
        own: Matrix,
        bounds: Bounds | None = None,
        home: Matrix | None = None,
    ) -> Any:
        """Where people may go, as the projection kernels read it; within their own bounds.

        `home`: where they stand, if `own` is other advice, from which a search sets out.
        """
        from standfast.schema.reach import reach_of

        return reach_of(self, own, bounds, home)

    @cached_property
    def kernel_rules(self) -> Rules:
        """What holds for everybody, as the projection kernels read it."""
        from standfast.schema.reach import kernel_rules

        return kernel_rules(self)

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
        features = []
        for f in self:
            label, labels = other[f.name].label, other[f.name].labels
            categories = other[f.name].category_labels
            features.append(replace(f, label=label, labels=labels, category_labels=categories))
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
        return self._toml

    @cached_property
    def _toml(self) -> str:
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
