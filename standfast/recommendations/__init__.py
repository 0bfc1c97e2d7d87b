"""The result table: one row per person, whatever the search found."""

from standfast.recommendations.outcome import Outcome
from standfast.recommendations.recommendations import Recommendations

__all__ = ["Outcome", "Recommendations"]
