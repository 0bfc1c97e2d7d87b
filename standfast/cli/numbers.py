"""Numbers as options take them: what is allowed is said before any work."""

import math
from collections.abc import Callable
from typing import Any

from typer import CallbackParam

from standfast.errors import InputError

MANY = 1_000_000  # of people, models or steps: more is a slip of the hand
SEEDS = 2**32 - 1  # the largest that every library takes
WORKERS = 1024
MODELS = 100_000  # to fit
WAYS = 1000  # to offer one person
PROMISES = 2**63 - 1  # what a database counts up to
BOXES = 10**12  # more would not be opened in a lifetime


Check = Callable[[CallbackParam, Any], Any]


def _check(allowed: Callable[[float], bool], why: str) -> Check:
    """A callback that lets through what is not given, and numbers that are allowed."""

    def check(option: CallbackParam, value: Any) -> Any:
        for one in value if isinstance(value, list) else [value]:
            if one is not None and not allowed(one):
                raise InputError(f"{option.opts[0]} is {one}; {why}")
        return value

    return check


finite = _check(math.isfinite, "it must be a finite number")
price = _check(lambda x: 0 <= x < math.inf, "it must be 0 or a positive number")
positive = _check(lambda x: 0 < x < math.inf, "it must be positive and finite")
seconds = _check(lambda x: 0 < x < math.inf, "it must be a positive number of seconds")
share = _check(lambda x: 0 < x < 1, "it must lie between 0 and 1, e.g. 0.9")
largest_share = _check(lambda x: 0 < x <= 1, "it must lie above 0 and be at most 1, e.g. 0.9")
drift = _check(lambda x: 0 <= x <= 5, "it must lie between 0 and 5, e.g. 0.5")
