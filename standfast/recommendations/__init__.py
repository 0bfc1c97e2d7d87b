"""The result table: one row per person, whatever the search found."""

from standfast.recommendations.causes import Cause, Note
from standfast.recommendations.outcome import Outcome
from standfast.recommendations.provenance import Model, Provenance
from standfast.recommendations.recommendations import Recommendations

__all__ = ["Cause", "Model", "Note", "Outcome", "Provenance", "Recommendations"]
