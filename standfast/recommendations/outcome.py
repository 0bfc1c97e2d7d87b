"""The ways a search can end, each with a sentence for people."""

from enum import StrEnum


class Outcome(StrEnum):
    """How the search for one person's advice ended.

    Examples
    --------
    >>> Outcome("found").advises, Outcome.INFEASIBLE.advises
    (True, False)
    """

    MINIMAL = "minimal"
    WITHIN_GAP = "within_gap"
    FOUND = "found"
    ALREADY_FAVOURABLE = "already_favourable"
    INFEASIBLE = "infeasible"
    EXHAUSTED = "exhausted"
    OUTSIDE_SCHEMA = "outside_schema"
    UNSOUND = "unsound"

    @property
    def advises(self) -> bool:
        """Whether the person got a recommendation."""
        return self in (Outcome.MINIMAL, Outcome.WITHIN_GAP, Outcome.FOUND)

    @property
    def sentence(self) -> str:
        """What the outcome means."""
        return SENTENCES[self]


SENTENCES = {
    Outcome.MINIMAL: "Proven cheapest of all that the schema admits.",
    Outcome.WITHIN_GAP: "Accepted; it costs at most the reported gap more than the cheapest.",
    Outcome.FOUND: "Accepted; this method does not prove that nothing is cheaper.",
    Outcome.ALREADY_FAVOURABLE: "Nothing to change: the model accepts already.",
    Outcome.INFEASIBLE: "Proven: no admissible change is accepted.",
    Outcome.EXHAUSTED: "No accepted change was found before the search ended.",
    Outcome.OUTSIDE_SCHEMA: "The person's own values contradict the schema.",
    Outcome.UNSOUND: "The answer failed its re-check and is withheld.",
}

ON_ITS_GRID = "Proven cheapest on its action grid; other admissible values were not tried."
