"""The gate: what a candidate model would do to open promises, and whether it may."""

from standfast.promises.gate.gate import GateSettings, gate
from standfast.promises.gate.report import GateReport

__all__ = ["GateReport", "GateSettings", "gate"]
