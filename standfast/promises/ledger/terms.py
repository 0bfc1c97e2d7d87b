"""What goes with promises when they are issued, and what is said when they were."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from standfast.certificate import Certificate
from standfast.evaluation.reasons import Reasons
from standfast.promises.ledger.times import Moment, Period

OPEN = "open"  # all open promises of a person


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was found out about the people besides advice: `certify`'s certificate, `reasons`.

    Each as it is or as the table that its `to_frame` gives.
    """

    certificate: Certificate | pd.DataFrame | None = None
    reasons: Reasons | pd.DataFrame | None = None


@dataclass(frozen=True, eq=False)
class Terms:
    """How promises are issued, beyond how long they are valid.

    `wording` is what people were sent, one text per person in `language`; without it, the
    sentences of the recommendations, in English. What is recorded is kept at least until
    `retain_for` after the promise ends. `replaces` gives for people the number of an earlier
    promise of theirs, which the new one supersedes, or, with `repairs`, repairs; "open" stands for
    all that are open. With `draft` promises are written down and not yet issued. `at` is when
    (now), `by` who did it.
    """

    wording: pd.Series | None = None
    language: str = "en"
    retain_for: Period = "3 years"
    replaces: Mapping[Any, int] | pd.Series | Literal["open"] | None = None
    repairs: bool = False
    draft: bool = False
    at: Moment = None
    by: str = ""


@dataclass(frozen=True, eq=False)
class Issued:
    """What an issue did: the number of each person's promise, and how many were new.

    `promises` has for each person of the recommendations the number of their promise, missing
    without advice. `new` counts the promises that were written, `already` those that were there,
    and `decisions` all decisions that were written, with and without advice.
    """

    promises: pd.Series
    new: int
    already: int
    decisions: int
    draft: bool = False

    @property
    def sentence(self) -> str:
        """What happened, in words."""
        word = "drafted" if self.draft else "issued"
        text = f"{word} {_counted(self.new, 'promise')}"
        if self.decisions > self.new:
            more = _counted(self.decisions - self.new, "decision")
            text += f" and recorded {more} without advice"
        if self.already:
            were = "was" if self.already == 1 else "were"
            text += f"; {_counted(self.already, 'promise')} {were} in the ledger already"
        return f"{text[0].upper()}{text[1:]}."

    def __repr__(self) -> str:
        return f"<Issued: {self.sentence}>"


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'s' * (n != 1)}"
