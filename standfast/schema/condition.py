"""Conditions on the inputs of a row, such as income >= 1200 and age >= 18.

Three answers are possible: a condition holds, it does not, or it cannot be judged because a value
it asks about is missing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from standfast.schema.categories import UNKNOWN, Category
from standfast.schema.feature import Feature
from standfast.schema.values import is_number

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Bools = NDArray[np.bool_]
# 1 where a condition holds, −1 where it does not, 0 where that cannot be judged
Truth = NDArray[np.int8]
Sign = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"]

HOLDS, UNJUDGED, FAILS = 1, 0, -1
KEYWORDS = ("if", "then", "and", "or", "not", "in", "missing")
NEGATED: dict[Sign, Sign] = {"!=": "==", "not in": "in"}
WORD = re.compile(r"[^\s`'\"()<>=!,]+")


@dataclass(frozen=True)
class Comparison:
    """An input compared with a value, or with several of which it is one."""

    name: str
    sign: Sign
    values: tuple[Category, ...]

    def __str__(self) -> str:
        shown = ", ".join(written_value(value) for value in self.values)
        listed = f"({shown})" if self.sign.endswith("in") else shown
        return f"{written_name(self.name)} {self.sign} {listed}"

    def codes(self, feature: Feature) -> Vector:
        """The values as they stand in a matrix."""
        code = float if feature.coder is None else feature.coder.of
        return np.array([code(value) for value in self.values], dtype=np.float64)

    def truth(self, column: Vector, feature: Feature) -> Truth:
        """Whether the comparison holds for values of the input."""
        codes, lacking = self.codes(feature), feature.is_missing(column)
        known = ~lacking & ~((column == UNKNOWN) & (feature.coder is not None))
        match self.sign:
            case "<":
                found = column < codes[0]
            case "<=":
                found = column <= codes[0]
            case ">":
                found = column > codes[0]
            case ">=":
                found = column >= codes[0]
            case _:
                found = np.isin(column, codes)
                known = ~lacking | found  # a declared token may be asked for by its name
                found = found != (self.sign in NEGATED)
        return np.where(known, np.where(found, HOLDS, FAILS), UNJUDGED).astype(np.int8)


@dataclass(frozen=True)
class IsMissing:
    """Whether an input's value is missing."""

    name: str

    def __str__(self) -> str:
        return f"missing({written_name(self.name)})"

    def truth(self, column: Vector, feature: Feature) -> Truth:
        """Whether values of the input are missing; that can always be judged."""
        return np.where(feature.is_missing(column), HOLDS, FAILS).astype(np.int8)


Atom = Comparison | IsMissing


@dataclass(frozen=True)
class Not:
    """The contrary of a condition."""

    part: "Expression"

    def __str__(self) -> str:
        return f"not {self.part}" if isinstance(self.part, IsMissing) else f"not ({self.part})"


@dataclass(frozen=True)
class Every:
    """Conditions that must all hold."""

    parts: tuple["Expression", ...]

    def __str__(self) -> str:
        loose = (Some, Every, Implication)
        return " and ".join(f"({p})" if isinstance(p, loose) else str(p) for p in self.parts)


@dataclass(frozen=True)
class Some:
    """Conditions of which at least one must hold."""

    parts: tuple["Expression", ...]

    def __str__(self) -> str:
        loose = (Some, Implication)
        return " or ".join(f"({p})" if isinstance(p, loose) else str(p) for p in self.parts)


@dataclass(frozen=True)
class Implication:
    """If one condition holds, so must another."""

    given: "Expression"
    then: "Expression"

    def __str__(self) -> str:
        given, then = (
            f"({p})" if isinstance(p, Implication) else str(p) for p in (self.given, self.then)
        )
        return f"if {given} then {then}"


Expression = Comparison | IsMissing | Not | Every | Some | Implication


def judged(expression: Expression, atoms: dict[Atom, Truth]) -> Truth:
    """An expression's answers from those of its atoms (Kleene's logic of three values)."""
    match expression:
        case Comparison() | IsMissing():
            return atoms[expression]
        case Not(part):
            return -judged(part, atoms)
        case Every(parts):
            return np.asarray(np.minimum.reduce([judged(part, atoms) for part in parts]))
        case Some(parts):
            return np.asarray(np.maximum.reduce([judged(part, atoms) for part in parts]))
        case Implication(given, then):
            return np.maximum(-judged(given, atoms), judged(then, atoms))


def atoms_of(expression: Expression) -> Iterator[Atom]:
    """The comparisons of an expression, in the order of its text."""
    match expression:
        case Comparison() | IsMissing():
            yield expression
        case Not(part):
            yield from atoms_of(part)
        case Every(parts) | Some(parts):
            for part in parts:
                yield from atoms_of(part)
        case Implication(given, then):
            yield from atoms_of(given)
            yield from atoms_of(then)


@dataclass(frozen=True)
class Condition:
    """A condition on rows of a schema's columns; equal to one that reads the same.

    `and`, `or`, `not`, comparisons with numbers and categories, `in (…)`, `missing(…)` and
    `if … then …`. Values may be quoted, columns with odd names stand in backticks. A comparison
    with a missing value cannot be judged, unless it names the very word or code that stands for a
    missing value; what cannot be judged neither holds nor is broken.

    >>> features = (Feature("income"), Feature("job", "nominal", categories=("clerk", "nurse")))
    >>> condition = Condition.parse("income>=1200 and job == 'nurse'", features)
    >>> str(condition), condition.holds(np.array([[1500.0, 1.0], [1500.0, 0.0]]))
    ('income >= 1200 and job == nurse', array([ True, False]))
    """

    expression: Expression
    features: tuple[Feature, ...] = field(compare=False, repr=False)

    @classmethod
    def parse(cls, text: str, features: Sequence[Feature]) -> "Condition":
        """Read a condition on these features; what cannot be read is marked in the text."""
        from standfast.schema.condition_text import parse

        return cls(parse(text, features), tuple(features))

    def of(self, features: Sequence[Feature]) -> "Condition":
        """The same condition on other features: read anew, so that every name is checked."""
        return self if self.features is features else Condition.parse(str(self), features)

    def __str__(self) -> str:
        return str(self.expression)

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """The comparisons, each once."""
        return tuple(dict.fromkeys(atoms_of(self.expression)))

    @cached_property
    def columns(self) -> dict[str, int]:
        """The columns that the condition reads, by name."""
        places = {feature.name: j for j, feature in enumerate(self.features)}
        return {atom.name: places[atom.name] for atom in self.atoms}

    @property
    def parts(self) -> tuple["Condition", ...]:
        """The conditions that must all hold, one by one."""
        if not isinstance(self.expression, Every):
            return (self,)
        return tuple(Condition(part, self.features) for part in self.expression.parts)

    def truth(self, X: Matrix) -> Truth:
        """For each row of a matrix in codes 1 if the condition holds, −1 if not, else 0."""
        X = np.asarray(X, dtype=np.float64)
        found = {
            atom: atom.truth(
                X[..., self.columns[atom.name]], self.features[self.columns[atom.name]]
            )
            for atom in self.atoms
        }
        return judged(self.expression, found)

    def holds(self, X: Matrix) -> Bools:
        """Where the condition surely holds."""
        return np.asarray(self.truth(X) == HOLDS)

    def broken(self, X: Matrix) -> Bools:
        """Where the condition surely does not hold."""
        return np.asarray(self.truth(X) == FAILS)


def written_name(name: str) -> str:
    """A column's name as a condition spells it."""
    plain = WORD.fullmatch(name) and name not in KEYWORDS and not is_number(name)
    return name if plain else f"`{name.replace('`', '``')}`"


def written_value(value: Category) -> str:
    """A value as a condition spells it."""
    if not isinstance(value, str):
        return repr(value).removesuffix(".0")
    if re.fullmatch(r"[^\W\d][\w.-]*", value) and value not in KEYWORDS and not is_number(value):
        return value
    return "'" + value.replace("'", "''") + "'"
