"""Numbers and counts as people write them: every one rounded, with its unit, no plural slips."""

from collections.abc import Callable, Iterable, Sequence
from math import isfinite, isinf, isnan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

THIN = "\u202f"  # a narrow space that does not break, between a number and its unit
NOTHING = "–"


def floats(values: "pd.Series[float]") -> NDArray[np.float64]:
    """A column as numbers; whatever is none is missing."""
    numbers: NDArray[np.float64] = pd.to_numeric(values, errors="coerce").to_numpy(dtype=float)
    return numbers


def finite(values: "pd.Series[float]") -> NDArray[np.float64]:
    """The numbers of a column that are there and finite."""
    numbers = floats(values)
    return numbers[np.isfinite(numbers)]


def known(values: "pd.Series[float]") -> NDArray[np.float64]:
    """The numbers of a column that are there; ∞ is one."""
    numbers = floats(values)
    return numbers[~np.isnan(numbers)]


def number(value: float) -> str:
    """A number with about two digits that matter.

    >>> number(0.04567), number(0.4567), number(12.345), number(-2701.4), number(3.0)
    ('0.046', '0.46', '12.3', '−2701', '3')
    """
    if isnan(value):
        return NOTHING
    if isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if value == int(value):
        text = f"{size:.0f}"
    else:
        decimals = next((d for least, d in ((100, 0), (10, 1), (0.1, 2)) if size >= least), 3)
        text = f"{size:.{decimals}f}" if size >= 0.001 else f"{size:.1g}"
    return f"−{text}" if value < 0 and float(text) != 0 else text


def value(given: float) -> str:
    """An input's value: whole numbers as such, others with at least two decimals.

    >>> value(3.0), value(2.766), value(0.00423), value(-0.13)
    ('3', '2.77', '0.0042', '−0.13')
    """
    if not isfinite(given):
        return number(given)
    size = abs(given)
    text = f"{size:.0f}" if given == int(given) else f"{size:.2f}"
    if given != int(given) and size < 0.01:
        text = f"{size:.2g}"
    return f"−{text}" if given < 0 else text


def exact(given: float) -> str:
    """An input's value with every digit that was checked.

    >>> exact(0.1 + 0.2), exact(2700.0)
    ('0.3', '2700')
    """
    return f"{given:.12g}".replace("-", "−")


def share(part: float) -> str:
    """A share in per cent; never 0 or 100 for what is not.

    >>> share(0.466).replace(THIN, " "), share(0.001).replace(THIN, " ")
    ('47 %', '<1 %')
    """
    if isnan(part):
        return NOTHING
    if 0 < part < 0.005:
        return f"<1{THIN}%"
    if 0.995 <= part < 1:
        return f">99{THIN}%"
    return f"{number(float(round(100 * part)))}{THIN}%"


def span(values: Iterable[float], write: Callable[[float], str] = number) -> str:
    """One number, or the lowest and the highest of several.

    >>> span([0.31, 0.52], share).replace(THIN, " "), span([7, 7])
    ('31 to 52 %', '7')
    """
    given = list(values)
    low, high = write(min(given)), write(max(given))
    return low if low == high else f"{low.removesuffix(f'{THIN}%')} to {high}"


def factor(ratio: float) -> str:
    """How many times, to about two digits.

    >>> factor(1.0444), factor(3.21), factor(25.4)
    ('1.04', '3.21', '25.4')
    """
    return f"{ratio:.{2 if ratio < 10 else 1 if ratio < 100 else 0}f}"


def count(n: float, noun: str, plural: str = "") -> str:
    """So many of a thing.

    >>> count(1, "rival"), count(12, "person", "people")
    ('1 rival', '12 people')
    """
    return f"{n:.0f} {noun if n == 1 else plural or noun + 's'}"


def people(*counts: float) -> str:
    """How many people, or the fewest and the most.

    >>> people(1), people(9, 11)
    ('1 person', '9 to 11 people')
    """
    few, many = min(counts), max(counts)
    return count(few, "person", "people") if few == many else f"{few:.0f} to {many:.0f} people"


def enumeration(items: Sequence[str]) -> str:
    """Items as a sentence lists them.

    >>> enumeration(["GS"]), enumeration(["GS", "AR", "C-CHVAE"])
    ('GS', 'GS, AR and C-CHVAE')
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
