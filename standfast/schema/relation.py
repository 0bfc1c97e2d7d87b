"""Relations between inputs that must always hold: half-spaces such as a <= b, and equalities."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.schema.values import as_number, as_text, as_truth, described

# a name in backticks, those inside it doubled; or a word
QUOTED = r"`((?:[^`]|``)+)`(?!`)"
SPACED = re.compile(rf"{QUOTED}|(\S+)")
# signs may also stand without blanks around them, and then end a word or a number
CLOSE = r"<=|>=|==|[<>=+*-]|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![^\s<>=+*-])|[^\s`<>=+*-]+"
SIGNS = ("<", ">", "=", "==", "<=", ">=", "+", "-", "*")
COMPARED = ("<=", ">=", "==")
# how far a relation may be off: sums of decimals such as 0.1 + 0.2 <= 0.3 must not break by their
# last bits, which are a share of what is added up; a cent in ten billions is no rounding
ABSOLUTE, RELATIVE = 1e-9, 1e-12
HOW = "write it like 'a <= b', '2 * a - b <= 10' or 'a == b + c', odd names in backticks"


@dataclass(frozen=True)
class Relation:
    """A law between inputs: the sum of coefficient × value is at most `bound`, or `equal` to it.

    Parameters
    ----------
    terms : tuple of (str, float)
        The inputs and their coefficients.
    bound, equal : float, bool
        What the sum is at most, or equal to.

    Examples
    --------
    >>> Relation.parse("recent_inquiries <= inquiries")
    Relation('recent_inquiries <= inquiries')
    >>> Relation.parse("income-rent>=2*debt")
    Relation('rent + 2.0 * debt <= income')
    """

    terms: tuple[tuple[str, float], ...]
    bound: float = 0.0
    equal: bool = False

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
        equal = as_truth(self.equal, f"{here}: equal")
        bound = _finite(self.bound, f"{here}: the bound")
        if equal and all(coefficient < 0 for _, coefficient in terms):  # as its text reads
            terms, bound = [(name, -coefficient) for name, coefficient in terms], -bound
        # in the order of the text, so that what is read back is equal
        object.__setattr__(self, "terms", tuple(sorted(terms, key=lambda term: term[1] < 0)))
        object.__setattr__(self, "bound", bound + 0.0)
        object.__setattr__(self, "equal", equal)

    @classmethod
    def parse(cls, text: str, names: Sequence[str] = ()) -> "Relation":
        """Read 'a <= b', '2*a - b <= 10', 'a == b' or '`a name` >= b'; odd names in backticks.

        Words between blanks are names, as 'co-debtor' in 'co-debtor <= b', unless `names` are given
        and this is none of them: then signs end a word.
        """
        if not isinstance(text, str):
            raise InputError(f"a relation is {described(text)}; {HOW}")
        try:
            found = cls._of(text, SPACED.findall(text))
        except InputError as error:
            found, trouble = None, error
        known = set(names)
        if found is not None and (not names or all(name in known for name, _ in found.terms)):
            return found
        odd = sorted((n for n in known if re.search(r"[<>=+*-]", n)), key=len, reverse=True)
        words = "|".join([*(rf"{re.escape(n)}(?![^\s<>=+*-])" for n in odd), CLOSE])
        try:
            return cls._of(text, re.findall(rf"{QUOTED}|({words})", text))
        except InputError:
            if found is not None:
                return found
            raise trouble from None

    @classmethod
    def _of(cls, text: str, words: Sequence[tuple[str, str]]) -> "Relation":
        sides: list[dict[str, float]] = [{}]
        constants = [0.0]
        compared, sign, factor, wants_term = "", 1.0, 1.0, True
        tokens = [(quoted.replace("``", "`") or bare, bool(quoted)) for quoted, bare in words]
        position = 0
        while position < len(tokens):
            token, quoted = tokens[position]
            following = tokens[position + 1][0] if position + 1 < len(tokens) else ""
            if not quoted and token in COMPARED and not compared and not wants_term:
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
        flip = -1.0 if compared == ">=" else 1.0
        names = list(dict.fromkeys([*sides[0], *sides[1]]))
        terms = [(n, flip * (sides[0].get(n, 0.0) - sides[1].get(n, 0.0))) for n in names]
        terms = [(name, coefficient) for name, coefficient in terms if coefficient]
        if not terms:
            raise InputError(
                f"the relation {described(text)} says nothing about any input; drop it"
            )
        return cls(tuple(terms), flip * (constants[1] - constants[0]), compared == "==")

    def __str__(self) -> str:
        left = [(n, c) for n, c in self.terms if c > 0]
        right = [(n, -c) for n, c in self.terms if c < 0]
        least = not left  # '-a <= -3' reads better as 'a >= 3'
        ends = (right, left) if least else (left, right)
        bound = -self.bound if least else self.bound
        tail = _side(ends[1], bound)
        sign = "==" if self.equal else ">=" if least else "<="
        return f"{_side(ends[0], 0.0)} {sign} {tail}"

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
    """Relations as rows A x ≤ b over the schema's columns; an equality has two rows.

    Row r belongs to relation `owner[r]`.
    """

    A: NDArray[np.float64]
    b: NDArray[np.float64]
    owner: NDArray[np.intp]

    @classmethod
    def build(cls, relations: Sequence[Relation], names: Sequence[str]) -> "HalfSpaces":
        """Rows for the relations; a name the schema does not hold is refused."""
        column = {name: j for j, name in enumerate(names)}
        signs = [(i, sign) for i, r in enumerate(relations) for sign in (1.0, -1.0)[: 1 + r.equal]]
        A = np.zeros((len(signs), len(names)))
        for row, (i, sign) in enumerate(signs):
            unknown = [name for name, _ in relations[i].terms if name not in column]
            if unknown:
                raise InputError(
                    f"the relation '{relations[i]}' names {listing(unknown)}, which the schema "
                    f"does not hold; it holds {listing(names)}"
                )
            for name, coefficient in relations[i].terms:
                A[row, column[name]] = sign * coefficient
        b = np.array([sign * relations[i].bound for i, sign in signs], dtype=np.float64)
        return cls(A, b, np.array([i for i, _ in signs], dtype=np.intp))

    def excess(
        self, points: NDArray[np.float64], start: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """How far each point (rows) breaks each relation (columns); 0 where it holds.

        With a start the relations are between changes: A (x − start) ≤ b.
        """
        if not len(self.b):
            return np.zeros((*points.shape[:-1], 0))
        excess = points @ self.A.T - self.b
        size = np.abs(points) @ self.sizes
        if start is not None:
            excess, size = excess - start @ self.A.T, size + np.abs(start) @ self.sizes
        by_row = np.where(excess > ABSOLUTE + RELATIVE * size, excess, 0.0)
        return np.asarray(np.maximum.reduceat(by_row, self.firsts, axis=-1))

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """|A| transposed."""
        return np.abs(self.A).T

    @cached_property
    def firsts(self) -> NDArray[np.intp]:
        """The first row of each relation."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))

    @cached_property
    def reads(self) -> NDArray[np.float64]:
        """1 where an input (rows) is read by a relation (columns), else 0."""
        return np.asarray((self.A[self.firsts] != 0).T, dtype=np.float64)


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
    ordered = [np.sort(row[~np.isnan(row)]) for row in values]
    d, n = values.shape
    few = np.ascontiguousarray(values[:, :: max(1, n // 256)])  # most pairs break here already
    holds = np.zeros((d, d), dtype=bool)
    for i in range(d):
        for j in np.flatnonzero(~(few[i] > few).any(axis=1)):
            # what chance could break at most; mostly 0, where one column lies below the other
            of_i, of_j = ordered[i], ordered[j]
            above = 1.0 - np.searchsorted(of_i, of_j[0], side="right") / len(of_i)
            beneath = np.searchsorted(of_j, of_i[-1], side="left") / len(of_j)
            if i == j or min(above, beneath) < least_surprise:
                continue
            if not (values[i] > values[j]).any():  # where both are known
                below = np.searchsorted(of_j, of_i, side="left")
                holds[i, j] = below.mean() / len(of_j) >= least_surprise
    strict = (holds & ~holds.T).astype(np.float32)
    keep = holds & ~(strict @ strict > 0)
    return tuple(
        Relation(((names[i], 1.0), (names[j], -1.0)))
        for i, j in zip(*np.nonzero(keep), strict=True)
    )
