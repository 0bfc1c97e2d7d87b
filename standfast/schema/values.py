"""Single values as a user gave them: checked, made plain, and named in a sentence."""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np

from standfast.errors import InputError

LONGEST = 60
LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")  # de, pt-BR


def described(value: object) -> str:
    """A value as a sentence shows it: short, and safe to print whatever it is.

    >>> described("low"), described(10**400), described([[[]]])
    ("'low'", 'a whole number of more than 30 digits', 'a list')
    """
    if isinstance(value, str):
        shown = repr(str.__str__(value))
        return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**30:
        return "a whole number of more than 30 digits"
    if value is None or isinstance(value, bool | int | float | np.number | np.bool_):
        return str(value)
    if isinstance(value, list | tuple):
        return "a list"
    return "a table" if isinstance(value, dict) else f"a value of type {type(value).__name__}"


def as_number(value: object, where: str) -> int | float:
    """The plain number that was given, if a float can hold it; `where` begins the sentence."""
    if isinstance(value, np.floating | np.integer):
        value = value.item() if not isinstance(value, np.longdouble) else float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{where} is {described(value)}; it must be a number")
    if isinstance(value, float):
        if math.isnan(value):
            raise InputError(f"{where} is not a number (NaN); leave it out or give one")
        return float(value)
    try:
        exact = float(value) == value
    except OverflowError:
        exact = False
    if not exact:
        raise InputError(
            f"{where} is {described(value)}, which is larger than can be calculated with exactly; "
            "round it, or measure the column in larger units"
        )
    return int(value)


def is_number(text: str) -> bool:
    """Whether a text spells a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_text(value: object, where: str) -> str:
    """The plain text that was given, if files can hold it."""
    if not isinstance(value, str):
        raise InputError(f"{where} is {described(value)}; it must be a text")
    text = str.__str__(value)
    for character in text:
        category = unicodedata.category(character)
        if category in ("Cc", "Cs"):
            what = "a control character" if category == "Cc" else "half of a character"
            raise InputError(
                f"{where} is {described(text)}; {character!a} in it is {what}, which files "
                "cannot hold: take it out"
            )
    return text


def as_labels(value: object, where: str) -> tuple[tuple[str, str], ...]:
    """Texts by language, {"de": "Alter"}, in the order of the languages."""
    paired = isinstance(value, tuple) and all(isinstance(p, tuple) and len(p) == 2 for p in value)
    pairs = dict(value) if paired else value  # type: ignore[call-overload]
    if not isinstance(pairs, Mapping):
        raise InputError(
            f"{where} is {described(value)}; write a text per language, such as {{de = 'Alter'}}"
        )
    for language, text in pairs.items():
        as_language(language, f"{where}: a language")
        if not as_text(text, f"{where}: the text for {described(language)}").strip():
            raise InputError(f"{where}: the text for {described(language)} is empty; leave it out")
    return tuple(sorted((str(language), str(text)) for language, text in pairs.items()))


def as_language(value: object, where: str) -> str:
    """A language by its code."""
    if not isinstance(value, str) or not LANGUAGE.fullmatch(value):
        raise InputError(f"{where} is {described(value)}; it must be a code such as de or pt-BR")
    return str(value)


def as_choice(value: object, allowed: Sequence[str], where: str) -> str:
    """The word that was given, if it is one of those allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise InputError(f"{where} is {described(value)}; allowed: {', '.join(allowed)}")
    return str.__str__(value)


def as_truth(value: object, where: str) -> bool:
    """The yes or no that was given."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{where} is {described(value)}; allowed: true, false")
    return bool(value)


def as_range(value: object, where: str) -> tuple[float | None, float | None] | None:
    """A pair of ends, each a number or open (None, or infinite); None where both are open."""
    if value is None:
        return None
    if not isinstance(value, list | tuple) or len(value) != 2:
        found = f"a list of {len(value)}" if isinstance(value, list | tuple) else described(value)
        raise InputError(
            f"{where} is {found}; it must be a pair of the least and the greatest possible value, "
            "such as [0, 120], or [0, inf] where one end is open"
        )
    ends: list[float | None] = []
    for end, open_end, what in zip(
        value, (-math.inf, math.inf), ("least", "greatest"), strict=True
    ):
        number = open_end if end is None else float(as_number(end, f"{where}: the {what} value"))
        if number == -open_end:
            raise InputError(f"{where}: the {what} value is {number}; no number is possible then")
        ends.append(None if number == open_end else number + 0.0)  # −0.0 is 0.0
    low, high = ends
    if low is not None and high is not None and low > high:
        raise InputError(f"{where}: {low:g} is above {high:g}; write the lesser one first")
    return None if low is None and high is None else (low, high)
