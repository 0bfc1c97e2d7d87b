"""Numbers as options take them: what is allowed is said before any work."""

import math

from typer import CallbackParam

from standfast.errors import InputError

MANY = 1_000_000  # of people, models or steps: more is a slip of the hand
SEEDS = 2**32 - 1  # the largest that every library takes
WORKERS = 1024
MODELS = 100_000  # to fit
WAYS = 1000  # to offer one person
BOXES = 10**12  # more would not be opened in a lifetime


def price(option: CallbackParam, value: float | None) -> float | None:
    """Zero or a positive number."""
    if value is not None and not 0 <= value < math.inf:
        raise _refused(option, value, "it must be 0 or a positive number")
    return value


def seconds(option: CallbackParam, value: float | None) -> float | None:
    """A positive number of seconds."""
    if value is not None and not 0 < value < math.inf:
        raise _refused(option, value, "it must be a positive number of seconds")
    return value


def positive(option: CallbackParam, value: float | None) -> float | None:
    """A positive number."""
    if value is not None and not 0 < value < math.inf:
        raise _refused(option, value, "it must be positive and finite")
    return value


def share(option: CallbackParam, value: float | None) -> float | None:
    """A number between 0 and 1, without the ends."""
    if value is not None and not 0 < value < 1:
        raise _refused(option, value, "it must lie between 0 and 1, e.g. 0.9")
    return value


def largest_share(option: CallbackParam, value: float | None) -> float | None:
    """A number above 0 and at most 1."""
    if value is not None and not 0 < value <= 1:
        raise _refused(option, value, "it must lie above 0 and be at most 1, e.g. 0.9")
    return value


def finite(option: CallbackParam, value: float | None) -> float | None:
    """A number, not infinity and not NaN."""
    if value is not None and not math.isfinite(value):
        raise _refused(option, value, "it must be a finite number")
    return value


def all_finite(option: CallbackParam, values: list[float] | None) -> list[float] | None:
    """Several numbers, each finite."""
    for value in values or []:
        finite(option, value)
    return values


def _refused(option: CallbackParam, value: float, why: str) -> InputError:
    return InputError(f"{option.opts[0]} is {value}; {why}")
