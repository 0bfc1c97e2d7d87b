"""The one kind of error standfast raises when something handed to it cannot be used."""


class InputError(ValueError):
    """Something handed to standfast cannot be used; the message says what to do next.

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
