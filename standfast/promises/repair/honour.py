"""Honour: exceptions for people whose promise a model breaks, and what they risk."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.evaluation.intervals import mean
from standfast.promises.promise import Promises
from standfast.promises.repair.broken import broken_by
from standfast.scores import Score

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Honoured:
    """The promises that a model breaks and that are honoured all the same.

    `exceptions` is what a decision system looks up: promise (index), subject, `until` when, and the
    model's own `risk` of this person at the promised point, 1 − p, where it has a probability.
    `expiry` says how many exceptions are open after each day on which some end; those without an
    end stay open. `summary` has the counts, the mean risk, the expected number of bad outcomes, and
    the mean risk of the promises that the model keeps, to compare with.
    """

    exceptions: pd.DataFrame
    expiry: pd.DataFrame
    summary: "pd.Series[float]"

    @property
    def sentence(self) -> str:
        """What it means to honour them, in words."""
        s = self.summary
        if not s["exceptions"]:
            return f"The model keeps all {s['promises']:.0f} promises: no exception is needed."
        said = f"{s['exceptions']:.0f} of {s['promises']:.0f} promises would need an exception"
        if np.isnan(s["mean_risk"]):
            return f"{said}; the model has no probability, so it does not say what they risk."
        return (
            f"{said}; by the model's own word {s['expected_bad']:.1f} of them will end badly "
            f"(mean risk {s['mean_risk']:.1%}, against {s['kept_risk']:.1%} of the kept ones)."
        ).replace("nan%", "none")

    def __repr__(self) -> str:
        return f"<Honoured: {self.sentence}>"


def honour(promises: Promises, model: Score, *, on: Any = None) -> Honoured:
    """The exceptions that keep every promise the model breaks, and what they risk under it.

    `on` is the day from which they hold: promises that have ended by then need none.

    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema, recommend
    >>> from standfast.scores.score import LOGISTIC
    >>> people = pd.DataFrame({"late": [0, 1, 2, 3]}, index=list("abcd"))
    >>> best = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(people))
    >>> promised = Promises.of(recommend(best, Linear([-1.0], 1.5), people))
    >>> honour(promised, Linear([-1.0], 0.5, LOGISTIC, 0.5)).exceptions["risk"].round(3).tolist()
    [0.622, 0.622]
    """
    broken = broken_by(model, promises)
    if on is not None:
        still = promises.lasting(_day(on))
        promises, broken = promises[still], broken[still]
    ends = promises.ends
    risk = _risk(model, promises)
    exceptions = pd.DataFrame(
        {
            "subject": promises.facts["subject"][broken],
            "until": promises.facts["valid_until"][broken],
            "risk": risk[broken],
        }
    )
    summary = pd.Series(
        {
            "promises": len(promises),
            "exceptions": int(broken.sum()),
            "without_end": int(ends[broken].isna().sum()),
            "mean_risk": mean(risk[broken]),
            "expected_bad": float(risk[broken].sum()) if broken.any() else 0.0,
            "kept_risk": mean(risk[~broken]),
        },
        name="honour",
    )
    return Honoured(exceptions, _expiry(ends[broken], risk[broken]), summary)


def _risk(model: Score, promises: Promises) -> Vector:
    """1 − p at the promised points; missing where the model has no probability."""
    threshold = getattr(model, "threshold", None)
    if not model.probability or threshold is None or not len(promises):
        return np.full(len(promises), np.nan)
    return 1.0 - np.clip(model.score(promises.point) + float(threshold), 0.0, 1.0)


def _day(on: Any) -> pd.Timestamp:
    try:
        day = pd.Timestamp(on)
    except (TypeError, ValueError) as error:
        raise InputError(f"on is {on!r}; give a date such as 2026-12-31") from error
    if pd.isna(day):
        raise InputError(f"on is {on!r}; give a date such as 2026-12-31")
    return day.tz_localize("UTC") if day.tz is None else day.tz_convert("UTC")


def _expiry(ends: "pd.Series[Any]", risk: Vector) -> pd.DataFrame:
    """After each day on which exceptions end: how many are open, and their expected bad ends."""
    days = ends.dt.floor("D")
    gone = pd.DataFrame({"day": days, "ended": 1, "risk": risk}).dropna(subset="day")
    by_day = gone.groupby("day", sort=True).sum()
    return pd.DataFrame(
        {
            "ended": by_day["ended"].astype("int64"),
            "open": len(ends) - by_day["ended"].cumsum().astype("int64"),
            "expected_bad": float(risk.sum()) - by_day["risk"].cumsum(),
        }
    )
