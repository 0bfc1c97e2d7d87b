"""The gate: what a candidate model would do to open promises, and whether it may."""

from standfast.promises.gate.gate import gate
from standfast.promises.gate.report import GateReport
from standfast.promises.gate.settings import GateSettings

__all__ = ["GateReport", "GateSettings", "gate"]
