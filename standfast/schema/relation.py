"""Relations between inputs that must always hold, each a half-space such as a <= b."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.schema.values import as_number, as_text, described

# a name in backticks, those inside it doubled; or a word
TOKEN = re.compile(r"`((?:[^`]|``)+)`(?!`)|(\S+)")
SIGNS = ("<", ">", "=", "==", "<=", ">=", "+", "-", "*")
HOW = "write it like 'a <= b' or '2 * a + b <= 10', with spaces around every sign"


@dataclass(frozen=True)
class Relation:
    """A law between inputs: the sum of coefficient × value is at most `bound`.

    >>> Relation.parse("recent_inquiries <= inquiries")
    Relation('recent_inquiries <= inquiries')
    """

    terms: tuple[tuple[str, float], ...]
    bound: float = 0.0

    def __post_init__(self) -> None:
        here = "a relation"
        if not isinstance(self.terms, list | tuple) or not self.terms:
            raise InputError(f"{here} needs at least one pair of a name and a coefficient")
        terms: list[tuple[str, float]] = []
        for term in self.terms:
            if not isinstance(term, list | tuple) or len(term) != 2:
                raise InputError(
                    f"{here} holds {described(term)}; it takes pairs of a name and a coefficient"
                )
            name = as_text(term[0], f"{here}: a name")
            terms.append((name, _finite(term[1], f"{here}: the coefficient of '{name}'")))
        names = [name for name, _ in terms]
        if len(set(names)) < len(names) or not all(coefficient for _, coefficient in terms):
            raise InputError(
                f"{here} over {listing(names)} must name each input once, and not by 0"
            )
        # in the order of the text, so that what is read back is equal
        object.__setattr__(self, "terms", tuple(sorted(terms, key=lambda term: term[1] < 0)))
        object.__setattr__(self, "bound", _finite(self.bound, f"{here}: the bound") + 0.0)

    @classmethod
    def parse(cls, text: str) -> "Relation":
        """Read 'a <= b', '2 * a + b <= 10' or '`a name` >= b'; names with spaces in backticks."""
        sides: list[dict[str, float]] = [{}]
        constants = [0.0]
        compared, sign, factor, wants_term = "", 1.0, 1.0, True
        if not isinstance(text, str):
            raise InputError(f"a relation is {described(text)}; {HOW}")
        tokens = [
            (quoted.replace("``", "`") or bare, bool(quoted))
            for quoted, bare in TOKEN.findall(text)
        ]
        position = 0
        while position < len(tokens):
            token, quoted = tokens[position]
            following = tokens[position + 1][0] if position + 1 < len(tokens) else ""
            if not quoted and token in ("<=", ">=") and not compared and not wants_term:
                compared, sign, wants_term = token, 1.0, True
                sides.append({})
                constants.append(0.0)
            elif not quoted and token in ("+", "-") and (not wants_term or token == "-"):
                sign, wants_term = (sign if token == "+" else -sign), True
            elif not quoted and wants_term and _number(token) is not None and following == "*":
                factor *= _number(token) or 0.0
                position += 1
            elif not quoted and wants_term and _number(token) is not None:
                constants[-1] += sign * factor * (_number(token) or 0.0)
                sign, factor, wants_term = 1.0, 1.0, False
            elif wants_term and (quoted or token not in SIGNS):
                sides[-1][token] = sides[-1].get(token, 0.0) + sign * factor
                sign, factor, wants_term = 1.0, 1.0, False
            else:
                raise InputError(
                    f"cannot read the relation {described(text)} at {described(token)}; {HOW}"
                )
            position += 1
        if not compared or wants_term:
            raise InputError(f"cannot read the relation {described(text)}; {HOW}")
        flip = 1.0 if compared == "<=" else -1.0
        names = list(dict.fromkeys([*sides[0], *sides[1]]))
        terms = [(n, flip * (sides[0].get(n, 0.0) - sides[1].get(n, 0.0))) for n in names]
        terms = [(name, coefficient) for name, coefficient in terms if coefficient]
        if not terms:
            raise InputError(
                f"the relation {described(text)} says nothing about any input; drop it"
            )
        return cls(tuple(terms), flip * (constants[1] - constants[0]))

    def __str__(self) -> str:
        left = [(n, c) for n, c in self.terms if c > 0]
        right = [(n, -c) for n, c in self.terms if c < 0]
        least = not left  # '-a <= -3' reads better as 'a >= 3'
        ends = (right, left) if least else (left, right)
        bound = -self.bound if least else self.bound
        tail = _side(ends[1], bound)
        return f"{_side(ends[0], 0.0)} {'>=' if least else '<='} {tail}"

    def __repr__(self) -> str:
        return f"Relation({str(self)!r})"


def _number(token: str) -> float | None:
    try:
        return float(token)
    except ValueError:
        return None


def _finite(value: object, where: str) -> float:
    number = float(as_number(value, where))
    if not math.isfinite(number):
        raise InputError(
            f"{where} is {number}; it must be finite (a name such as `inf` needs backticks)"
        )
    return number


def _side(terms: Sequence[tuple[str, float]], constant: float) -> str:
    words = []
    for name, coefficient in terms:
        plain = not re.search(r"[\s`]", name) and _number(name) is None and name not in SIGNS
        quoted = name if plain else f"`{name.replace('`', '``')}`"
        words.append(quoted if coefficient == 1 else f"{coefficient!r} * {quoted}")
    side = " + ".join(words)
    if not side:
        return _shown(constant)
    return f"{side} {'-' if constant < 0 else '+'} {_shown(abs(constant))}" if constant else side


def _shown(constant: float) -> str:
    return repr(constant).removesuffix(".0")


@dataclass(frozen=True)
class HalfSpaces:
    """Relations as rows A x ≤ b over the schema's columns."""

    A: NDArray[np.float64]
    b: NDArray[np.float64]

    @classmethod
    def build(cls, relations: Sequence[Relation], names: Sequence[str]) -> "HalfSpaces":
        """Rows for the relations; a name the schema does not hold is refused."""
        column = {name: j for j, name in enumerate(names)}
        A = np.zeros((len(relations), len(names)))
        for row, relation in enumerate(relations):
            unknown = [name for name, _ in relation.terms if name not in column]
            if unknown:
                raise InputError(
                    f"the relation '{relation}' names {listing(unknown)}, which the schema does "
                    f"not hold; it holds {listing(names)}"
                )
            for name, coefficient in relation.terms:
                A[row, column[name]] = coefficient
        return cls(A, np.array([relation.bound for relation in relations]))

    def excess(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far each point (rows) breaks each relation (columns); 0 where it holds."""
        if not len(self.b):
            return np.zeros((*points.shape[:-1], 0))
        excess = points @ self.A.T - self.b
        # sums of decimals such as 0.1 + 0.2 <= 0.3 must not break by their last bit
        tolerance = 1e-9 * (1.0 + np.abs(points) @ np.abs(self.A).T)
        return np.where(excess > tolerance, excess, 0.0)


def never_broken(
    columns: Mapping[str, NDArray[np.float64]], least_surprise: float = 0.01
) -> tuple[Relation, ...]:
    """The relations a <= b that a table never breaks although chance alone would.

    A pair is proposed only if independent columns with the same values would break it in at least
    `least_surprise` of the rows: 'age <= income' is no law. Relations that follow from two others
    are left out.
    """
    names = list(columns)
    values = np.array([columns[name] for name in names])
    ordered = np.sort(values, axis=1)
    d, n = values.shape
    few = np.ascontiguousarray(values[:, :: max(1, n // 256)])  # most pairs break here already
    holds = np.zeros((d, d), dtype=bool)
    for i in range(d):
        for j in np.flatnonzero((few[i] <= few).all(axis=1)):
            # what chance could break at most; mostly 0, where one column lies below the other
            above = 1.0 - np.searchsorted(ordered[i], ordered[j, 0], side="right") / n
            beneath = np.searchsorted(ordered[j], ordered[i, -1], side="left") / n
            if i == j or min(above, beneath) < least_surprise:
                continue
            if (values[i] <= values[j]).all():
                below = np.searchsorted(ordered[j], ordered[i], side="left")
                holds[i, j] = below.mean() / n >= least_surprise
    strict = (holds & ~holds.T).astype(np.float32)
    keep = holds & ~(strict @ strict > 0)
    return tuple(
        Relation(((names[i], 1.0), (names[j], -1.0)))
        for i, j in zip(*np.nonzero(keep), strict=True)
    )
