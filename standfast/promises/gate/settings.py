"""What a gate is given beside promises and models: where promises are kept, and how it runs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import pandas as pd

from standfast.errors import InputError, check_whole
from standfast.promises.gate.judging import NODES
from standfast.promises.promise import Promises
from standfast.promises.verdict import GateRecord

BLOCK = 50_000

Repairs = Callable[[Promises, Promises], pd.DataFrame]


@runtime_checkable
class Ledger(Protocol):
    """What the gate asks of a ledger."""

    def blocks(self, on: Any = None, size: int = BLOCK) -> Iterator[Promises]:
        """The open promises, so many at a time."""
        ...

    def record_gate(self, record: GateRecord) -> str:
        """Write down a gate run; the Merkle root."""
        ...


@dataclass(frozen=True, kw_only=True)
class GateSettings:
    """How a gate runs and what its report says beside the findings.

    `jobs` threads judge blocks; each branch and bound opens at most `nodes` nodes; intervals are at
    `confidence`. `name` and `address` say which candidate this is and where it came from,
    `approver` who answers for the decision. `repairs` is a table of what repair would cost, or a
    function that makes it of the promises that are not kept and of some that stand for all: every
    one, or a thousand at most, at even distances. With `record` a ledger writes the run down.
    """

    jobs: int = 1
    nodes: int = NODES
    confidence: float = 0.95
    name: str = "candidate"
    address: str = ""
    approver: str = ""
    repairs: pd.DataFrame | Repairs | None = None
    record: bool = True

    def __post_init__(self) -> None:
        check_whole(jobs=self.jobs, nodes=self.nodes)
        if not 0.0 < self.confidence < 1.0:
            raise InputError(f"confidence is {self.confidence!r}; it must lie between 0 and 1")


USUAL = GateSettings()
