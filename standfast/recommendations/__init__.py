"""The result table: one row per person, whatever the search found."""

from standfast.recommendations.outcome import Outcome
from standfast.recommendations.provenance import Model, Provenance
from standfast.recommendations.reasons import Note, Reason
from standfast.recommendations.recommendations import Recommendations

__all__ = ["Model", "Note", "Outcome", "Provenance", "Reason", "Recommendations"]
