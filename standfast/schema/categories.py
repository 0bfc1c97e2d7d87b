"""Named values of an input: which there are, how they are coded, and what a change costs.

Inside, a category is its position as a float64, and a missing value is minus infinity: it equals
itself, lies below every value and on no grid, so that nothing but the border has to know about it.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.schema.values import as_language, as_number, as_text, described

Category = str | bool | int | float
# (from, ((to, price or None), …)) for every category that may change
Transitions = tuple[tuple[Category, tuple[tuple[Category, float | None], ...]], ...]

MISSING = -math.inf  # a value that is not known
UNKNOWN = math.inf  # a value that the schema does not know

# a column with more different values is no category, and not searched
MOST_CATEGORIES = 10_000
# A percentile of codes means nothing. Averaged over all orders of the categories, the percentile
# shift from a to b is 1/3 + (π_a + π_b)/6: about a half, whichever the categories are.
CHANGE_OF_CATEGORY = 0.5


def as_category(value: object, where: str) -> Category:
    """The plain text, number or truth value that names a category."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return as_text(value, where)
    if isinstance(value, int | float) and not (isinstance(value, float) and math.isnan(value)):
        number = as_number(value, where)
        if math.isfinite(number):
            return int(number) if float(number).is_integer() else float(number)
    raise InputError(
        f"{where} is {described(value)}; it must be a text, a number or true or false "
        "(missing values are declared by when_missing)"
    )


def as_categories(values: object, where: str, *, in_order: bool) -> tuple[Category, ...]:
    """Distinct categories; sorted unless their order means something."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise InputError(f"{where} is {described(values)}; it must be a list of names")
    found = [as_category(value, f"{where}: an entry") for value in values]
    twice = {c for i, c in enumerate(found) if c in found[:i]} if len(found) < 2000 else set()
    if twice or len(set(found)) < len(found):
        raise InputError(f"{where} names {listing(sorted(map(str, twice)))} more than once")
    if len(found) > MOST_CATEGORIES:
        raise InputError(
            f"{where} has {len(found):,} entries, more than {MOST_CATEGORIES:,}; group rare ones, "
            "or leave the column out if it is an identifier"
        )
    return tuple(found) if in_order else tuple(sorted(found, key=_rank))


def _rank(category: Category) -> tuple[int, float, str]:
    number = not isinstance(category, str)
    return (0, float(category), "") if number else (1, 0.0, str(category))


def as_transitions(
    value: object, categories: Sequence[Category], usual: float | None, where: str
) -> Transitions | None:
    """Which category may become which: {from: [to, …]}, or {from: {to: price}}.

    The usual price stands where prices are given for a category but not for this change.
    """
    if value is None:
        return None
    pairs = dict(value) if isinstance(value, tuple) else value
    if not isinstance(pairs, Mapping):
        raise InputError(
            f"{where} is {described(value)}; write which category may become which, such as "
            "{rent = ['own', 'family']}, or with prices {rent = {own = 0.8}}"
        )
    coder = Coder(tuple(categories))
    found = []
    for source, targets in pairs.items():
        if isinstance(targets, tuple) and all(
            isinstance(t, tuple) and len(t) == 2 for t in targets
        ):
            targets = dict(targets)
        if isinstance(targets, str) or not isinstance(targets, Mapping | Sequence):
            raise InputError(f"{where}: {described(source)} needs a list of categories")
        priced = targets if isinstance(targets, Mapping) else dict.fromkeys(targets)
        row: dict[Category, float | None] = {}
        for target, price in priced.items():
            to = coder.known(target, where)
            if price is not None:
                price = as_price(price, f"{where}: the price from {source} to {target}")
            if to != coder.known(source, where):
                row[to] = price
        if any(price is not None for price in row.values()):
            row = {to: usual or CHANGE_OF_CATEGORY if p is None else p for to, p in row.items()}
        found.append((coder.known(source, where), tuple(sorted(row.items(), key=_first_rank))))
    return tuple(sorted(found, key=_first_rank))


def _first_rank(pair: tuple[Category, Any]) -> tuple[int, float, str]:
    return _rank(pair[0])


def as_category_labels(
    value: object, categories: Sequence[Category], where: str
) -> tuple[tuple[str, tuple[tuple[Category, str], ...]], ...]:
    """What categories are called in a language: {"de": {"rent": "zur Miete"}}."""
    pairs = dict(value) if isinstance(value, tuple) else value
    if not isinstance(pairs, Mapping):
        raise InputError(
            f"{where} is {described(value)}; write a text per language and category, such as "
            "{de = {rent = 'zur Miete'}}"
        )
    coder, found = Coder(tuple(categories)), []
    for language, texts in pairs.items():
        as_language(language, f"{where}: a language")
        named = dict(texts) if isinstance(texts, tuple) else texts
        if not isinstance(named, Mapping):
            raise InputError(f"{where}: {described(language)} needs a text per category")
        row: dict[Category, str] = {}
        for name, text in named.items():
            category = coder.known(name, where)
            row[category] = as_text(text, f"{where}: the text for {described(name)}")
            if not row[category].strip():
                raise InputError(f"{where}: the text for {described(name)} is empty; leave it out")
        found.append((str(language), tuple(sorted(row.items(), key=_first_rank))))
    return tuple(sorted(found))


def as_price(value: object, where: str) -> float:
    """A price of a change: a positive share, on the scale of percentile shifts."""
    price = float(as_number(value, where))
    if not 0.0 < price <= 1.0:
        raise InputError(
            f"{where} is {price:g}; it must be above 0 and at most 1, the scale of percentile "
            "shifts (a half by default)"
        )
    return price


class Coder:
    """Names to codes and back: categories first, then the tokens that stand for a missing value."""

    def __init__(self, names: tuple[Category, ...]) -> None:
        self.names = names
        self.code: dict[Category, int] = {name: i for i, name in enumerate(names)}
        # 1 and "1" are one category unless both are declared: a CSV file cannot keep them apart
        self.spelt = {_spelling(name): i for i, name in reversed(list(enumerate(names)))}

    def of(self, value: object) -> float:
        """The code of one value; UNKNOWN for one that is not declared."""
        if isinstance(value, np.generic):
            value = value.item()
        try:
            found = self.code.get(value)  # type: ignore[call-overload]
        except TypeError:  # a list, say
            return UNKNOWN
        if found is None:
            found = self.spelt.get(_spelling(value))
        return UNKNOWN if found is None else float(found)

    def known(self, value: object, where: str) -> Category:
        """The declared category that a value names."""
        code = self.of(value)
        if code == UNKNOWN:
            raise InputError(
                f"{where} names {described(value)}, which is not a category{self.nearest(value)}; "
                f"there are {listing(self.names)}"
            )
        return self.names[int(code)]

    def nearest(self, value: object) -> str:
        """A question about the category that differs in case or white space only, if there is."""
        folded = "".join(str(value).split()).casefold()
        alike = [n for n in self.names if "".join(str(n).split()).casefold() == folded]
        return f" (did you mean {described(alike[0])}?)" if alike else ""

    def encode(self, column: "pd.Series[Any]") -> NDArray[np.float64]:
        """The codes of a column: MISSING for an empty cell, UNKNOWN for what is not declared."""
        numbers, distinct = pd.factorize(column, use_na_sentinel=True)
        codes = np.array([*(self.of(value) for value in distinct), MISSING])
        return codes[numbers]

    def decode(self, codes: NDArray[np.float64]) -> Any:
        """The names of codes, as a column; anything else is missing."""
        known = np.isfinite(codes)
        where = np.where(known, codes, 0.0).astype(np.intp)
        kinds = {type(name) for name in self.names}
        if known.all() and kinds == {bool}:
            return np.array(self.names)[where]
        if kinds <= {int, float} and kinds:
            values = np.where(known, np.array(self.names, dtype=np.float64)[where], np.nan)
            if kinds == {float} or float in kinds:
                return values
            if known.all():
                return values.astype(np.int64)
            return pd.arrays.IntegerArray(np.where(known, values, 0).astype(np.int64), ~known)
        names = np.array(self.names, dtype=object)[where]
        names[~known] = None
        return names


def _spelling(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)
