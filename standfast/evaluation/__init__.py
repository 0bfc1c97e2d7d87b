"""Measures: how models disagree, how advice fares under another model, and what it costs people."""

from standfast.evaluation.costs import Costs, costs
from standfast.evaluation.multiplicity import Multiplicity, multiplicity
from standfast.evaluation.reasons import PrincipalReason, Reasons, Refusal, reasons, reasons_of
from standfast.evaluation.repair import Repairs, repair
from standfast.evaluation.sense import Sense, sense
from standfast.evaluation.support import Neighbours, Support, support
from standfast.evaluation.surprise import Surprise, surprise
from standfast.evaluation.transfer import Transfer, transfer

__all__ = [
    "Costs",
    "Multiplicity",
    "Neighbours",
    "PrincipalReason",
    "Reasons",
    "Refusal",
    "Repairs",
    "Sense",
    "Support",
    "Surprise",
    "Transfer",
    "costs",
    "multiplicity",
    "reasons",
    "reasons_of",
    "repair",
    "sense",
    "support",
    "surprise",
    "transfer",
]
