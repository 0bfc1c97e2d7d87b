"""Moments and periods, and what is none."""

import datetime as dt

import pandas as pd
import pytest

from standfast.errors import InputError
from standfast.promises.ledger.times import instant, later, months_between, said, stamp


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-17",
        dt.date(2026, 11, 17),
        pd.Timestamp("2026-11-17"),
        "2026-11-17T00:00+00:00",
        "2026-11-16T19:00-05:00",
        dt.datetime(2026, 11, 17, tzinfo=dt.UTC),
    ],
)
def test_one_moment_has_one_number(value: object) -> None:
    assert instant(value) == 1_794_873_600_000_000  # type: ignore[arg-type]
    assert said(instant(value)) == "2026-11-17 00:00:00 UTC"  # type: ignore[arg-type]


ODD = ("2026-11-17T14:00", dt.datetime(2026, 11, 17, 14), "soon", "", 7, True, pd.NaT, "1066-10-14")


@pytest.mark.parametrize("value", ODD)
def test_what_is_no_moment_is_refused(value: object) -> None:
    with pytest.raises(InputError, match=r"^on is"):
        instant(value)  # type: ignore[arg-type]


def test_periods_follow_the_calendar() -> None:
    start = instant("2024-02-29")
    assert stamp(later(start, "1 year")) == pd.Timestamp("2025-02-28", tz="UTC")
    assert stamp(later(start, "25 months")) == pd.Timestamp("2026-03-29", tz="UTC")
    assert stamp(later(start, pd.Timedelta(days=365))) == pd.Timestamp("2025-02-28", tz="UTC")
    assert months_between(start, later(start, "12 months")) == pytest.approx(12, abs=0.1)
