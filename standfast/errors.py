"""The one kind of error standfast raises when something handed to it cannot be used."""

import re
from numbers import Integral, Real


class InputError(ValueError):
    """Something handed to standfast cannot be used; the message says what to do next.

    Examples
    --------
    >>> raise InputError("column 'age' is missing; add it to the table")
    Traceback (most recent call last):
    standfast.errors.InputError: column 'age' is missing; add it to the table
    """


def listing(names: object, most: int = 5) -> str:
    """Names as people write them: the first few, quoted, and how many more there are.

    >>> listing(["age", "income"])
    "'age', 'income'"
    >>> listing(range(9), most=3)
    '0, 1, 2 and 6 more'
    """
    items = [repr(name) for name in names]  # type: ignore[attr-defined]
    more = len(items) - most
    return ", ".join(items[:most]) + (f" and {more} more" if more > 0 else "")


def with_article(word: str) -> str:
    """A word with its article, as it is spoken; words of capitals are spelled out.

    >>> [with_article(word) for word in ("int", "Unanimous", "XGBClassifier", "count")]
    ['an int', 'a Unanimous', 'an XGBClassifier', 'a count']
    """
    if len(word) > 1 and word[:2].isupper():
        vowel = word[0] in "AEFHILMNORSX"
    else:
        spoken = word.lower()
        vowel = spoken[:1] in tuple("aeiou") and not spoken.startswith(("una", "uni", "use", "one"))
    return f"{'an' if vowel else 'a'} {word}"


def type_of(value: object) -> str:
    """What type of thing a value is, as a sentence says it.

    >>> type_of(3), type_of(None)
    ('an int', 'a NoneType')
    """
    return with_article(type(value).__name__)


def first_line(error: BaseException) -> str:
    """What another library's error says, in its first line; its type if it says nothing.

    XGBoost begins with the time and a line of its source, which are left out.

    >>> first_line(ValueError("no such row\\nTraceback …")), first_line(KeyError())
    ('no such row', 'KeyError')
    """
    said = re.sub(r"^\[[\d:]+\] \S+:\d+: ", "", str(error).strip())
    return next(iter(said.splitlines()), type(error).__name__)


def typed_line(error: BaseException) -> str:
    """An error's type, and its first line if it says anything.

    >>> typed_line(ValueError("no such row")), typed_line(KeyError())
    ('ValueError: no such row', 'KeyError')
    """
    kind, said = type(error).__name__, str(error).strip()
    return f"{kind}: {said.splitlines()[0]}" if said else kind


def check_whole(least: int = 1, **given: object) -> None:
    """Refuse what is no whole number from `least` on.

    >>> check_whole(jobs="2")
    Traceback (most recent call last):
    standfast.errors.InputError: jobs is '2'; it must be a whole number, 1 or above
    """
    for what, value in given.items():
        if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
            raise InputError(f"{what} is {value!r}; it must be a whole number, {least} or above")


def check_positive(of: str = "", **given: object) -> None:
    """Refuse what is no finite number above zero.

    >>> check_positive(of=" of seconds", time_limit=0)
    Traceback (most recent call last):
    standfast.errors.InputError: time_limit is 0; it must be a positive number of seconds
    """
    for what, value in given.items():
        if (
            not isinstance(value, Real)
            or isinstance(value, bool)
            or not 0 < float(value) < float("inf")
        ):
            raise InputError(f"{what} is {value!r}; it must be a positive number{of}")
