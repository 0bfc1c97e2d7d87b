"""Moments and periods: kept as whole microseconds UTC, so that every database orders them alike."""

import re
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pandas as pd

from standfast.errors import InputError, type_of

Moment = str | date | datetime | pd.Timestamp | None
Period = str | pd.Timedelta | Any

PERIOD = re.compile(r"\s*(\d{1,6})\s*(hour|day|week|month|year)s?\s*", re.IGNORECASE)
DAY = re.compile(r"\s*\d{4}-\d{2}-\d{2}\s*")
FIRST, LAST = pd.Timestamp("1900-01-01", tz="UTC"), pd.Timestamp("2200-01-01", tz="UTC")


def instant(value: Moment, what: str = "on") -> int:
    """Microseconds since 1970 UTC; now if nothing is given.

    A day without a time is its first moment in UTC. A time without its zone is refused: it means
    another moment on another machine.

    >>> instant("2026-11-17") == instant("2026-11-17T01:00+01:00")
    True
    """
    if value is None:
        return _microseconds(pd.Timestamp(datetime.now(UTC)))
    bare = isinstance(value, date) and not isinstance(value, datetime)
    if isinstance(value, bool) or not isinstance(value, str | date | pd.Timestamp):
        raise InputError(
            f"{what} is {type_of(value)}; give a day such as '2026-11-17' or a time with its zone"
        )
    try:
        found = pd.Timestamp(value)
    except (ValueError, OverflowError, TypeError) as error:
        raise InputError(
            f"{what} is {value!r}, which is not a date; write a day such as 2026-11-17, or a time "
            "with its zone, 2026-11-17T14:00+01:00"
        ) from error
    if pd.isna(found):
        raise InputError(f"{what} is empty; write a day such as 2026-11-17")
    if found.tzinfo is None:
        day = bare or (
            DAY.fullmatch(value) if isinstance(value, str) else found == found.floor("D")
        )
        if not day:
            raise InputError(
                f"{what} is {value!s} without a time zone; add it, as in 2026-11-17T14:00+00:00"
            )
        found = found.tz_localize("UTC")
    if not FIRST <= found <= LAST:
        raise InputError(f"{what} is {value!s}; a date lies between the years 1900 and 2200")
    return _microseconds(found)


def _microseconds(found: pd.Timestamp) -> int:
    return int(found.tz_convert("UTC").as_unit("us").asm8.astype(np.int64))


def stamp(at: int) -> pd.Timestamp:
    """A kept moment as a timestamp in UTC."""
    return pd.Timestamp(at, unit="us", tz="UTC").as_unit("us")


def said(at: int) -> str:
    """A kept moment as people read it.

    >>> said(instant("2026-11-17T14:00+01:00"))
    '2026-11-17 13:00:00 UTC'
    """
    return f"{stamp(at):%Y-%m-%d %H:%M:%S} UTC"


def later(start: int, period: Period, what: str = "valid_for") -> int:
    """A kept moment so much later: "365 days", "25 months", "3 years", or a pandas offset.

    >>> said(later(instant("2026-01-31"), "1 month"))
    '2026-02-28 00:00:00 UTC'
    """
    offset = _offset(period, what)
    try:
        found = stamp(start) + offset
        moment = _microseconds(found)
    except (ValueError, OverflowError, TypeError, AttributeError) as error:
        raise InputError(f"{what} is {period!r}, which leads out of the calendar") from error
    if moment <= start:
        raise InputError(f"{what} is {period!r}; a promise must be valid for some time")
    if found > LAST:
        raise InputError(f"{what} is {period!r}, which leads beyond the year 2200")
    return moment


def _offset(period: Period, what: str) -> Any:
    if isinstance(period, str):
        parts = PERIOD.fullmatch(period)
        if parts is None:
            raise InputError(
                f"{what} is {period!r}; write a number and a unit, such as '365 days', '25 months' "
                "or '3 years'"
            )
        return pd.DateOffset(**{f"{parts[2].lower()}s": int(parts[1])})  # type: ignore[arg-type]
    if isinstance(period, pd.DateOffset):
        return period
    try:
        found: Any = pd.Timedelta(period)
    except (ValueError, TypeError):
        found = None
    if found is None or pd.isna(found):
        raise InputError(
            f"{what} is {type_of(period)}; write a period such as '365 days' or '25 months'"
        )
    return found


def months_between(start: int, end: int) -> float:
    """How many months lie between two moments; the twelfth of a mean year is one.

    >>> round(months_between(instant("2026-01-01"), instant("2027-01-01")), 2)
    11.99
    """
    return (end - start) / (365.2425 / 12 * 86_400_000_000)
