"""What a candidate model makes of promises, and the record that a gate leaves in the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError


class Verdict(IntEnum):
    """What a model makes of a promise: it accepts the whole box, a part of it, or not the advice.

    A promise is kept where every admissible point of its box is accepted, proven. It is at risk
    where the advice itself is accepted but some point of the box is refused, or where that could
    not be excluded. It is broken where the advice itself is refused.
    """

    KEPT = 0
    AT_RISK = 1
    BROKEN = 2

    @property
    def words(self) -> str:
        """The verdict as reports spell it: kept, at risk, broken."""
        return self.name.lower().replace("_", " ")


NAMES = tuple(verdict.name.lower() for verdict in Verdict)  # as tables spell them


def counted(groups: Any, verdicts: Any) -> pd.DataFrame:
    """How often each group has each verdict: a row per group, a column per verdict."""
    counts = pd.crosstab(groups, verdicts).reindex(columns=range(len(NAMES)), fill_value=0)
    return counts.set_axis(pd.Index(NAMES), axis=1)


@dataclass(frozen=True, eq=False)
class GateRecord:
    """One gate run as the ledger keeps it.

    `promises` are the numbers of the promises that were judged, `verdicts` what each got (values of
    `Verdict`), in the same order. `model` is the candidate's fingerprint, `address` where it came
    from (a path, a registry's address). `summary` are plain values: conditions, shares, settings.
    """

    model: str
    name: str
    address: str
    on: pd.Timestamp
    passed: bool
    promises: NDArray[np.int64]
    verdicts: NDArray[np.uint8]
    summary: Mapping[str, Any]

    def __post_init__(self) -> None:
        if len(self.promises) != len(self.verdicts):
            raise InputError("a gate's record needs one verdict per promise")
