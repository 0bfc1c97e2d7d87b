"""Shares, counts and inputs' values as the page writes them; other numbers are the figures'."""

from collections.abc import Callable, Iterable
from math import isfinite, isnan

from standfast.figures.wording import MISSING, counted, number

THIN = "\u202f"  # a narrow space that does not break, between a number and its unit


def value(given: float) -> str:
    """An input's value: whole numbers as such, others with at least two decimals.

    >>> value(3.0), value(2.766), value(0.00423), value(-0.13)
    ('3', '2.77', '0.0042', '−0.13')
    """
    digits = ".0f" if given % 1 == 0 else ".2f" if abs(given) >= 0.01 else ".2g"
    return f"{given:{digits}}".replace("-", "−")


def exact(given: float) -> str:
    """An input's value with every digit that was checked.

    >>> exact(0.1 + 0.2), exact(2700.0)
    ('0.3', '2700')
    """
    return f"{given:.12g}".replace("-", "−")


def share(part: float) -> str:
    """A share in per cent; never 0 or 100 for what is not.

    >>> share(0.466).replace(THIN, " "), share(0.001).replace(THIN, " "), share(float("inf"))
    ('47 %', '<1 %', '–')
    """
    if not isfinite(part):
        return MISSING
    if 0 < part < 0.005:
        return f"<1{THIN}%"
    if 0.995 <= part < 1:
        return f">99{THIN}%"
    return f"{round(100 * part)}{THIN}%"


def points(difference: float) -> str:
    """A difference of two shares, in percentage points.

    >>> points(0.204), points(-0.05), points(-0.001)
    ('+20', '−5', '+0')
    """
    if not isfinite(difference):
        return MISSING
    return f"{round(100 * difference):+d}".replace("-", "−")


def whole(n: float) -> str:
    """A count, or that there is none.

    >>> whole(12.0), whole(float("nan"))
    ('12', '–')
    """
    return f"{n:.0f}" if isfinite(n) else MISSING


def span(values: Iterable[float], write: Callable[[float], str] = number) -> str:
    """One number, or the lowest and the highest of several.

    >>> span([0.31, 0.52], share).replace(THIN, " "), span([7, 7], whole), span([])
    ('31 to 52 %', '7', '–')
    """
    given = [value for value in values if not isnan(value)]
    if not given:
        return MISSING
    low, high = write(min(given)), write(max(given))
    return low if low == high else f"{low.removesuffix(f'{THIN}%')} to {high}"


def people(*counts: float) -> str:
    """How many people, or the fewest and the most.

    >>> people(1), people(9, 11)
    ('1 person', '9 to 11 people')
    """
    few, many = int(min(counts)), int(max(counts))
    return counted(few, "person", "people") if few == many else f"{few} to {many} people"
