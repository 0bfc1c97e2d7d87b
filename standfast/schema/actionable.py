"""Inputs that people can hardly act on, as far as a column's name says so."""

from standfast.schema.named_columns import words_of

WHO = {
    *("age", "birth", "born", "sex", "gender", "race", "ethnicity", "nationality", "citizenship"),
    "dependents",
}
PAST = {
    *("late", "lateness", "delay", "delays", "delinquent", "delinquency", "delinquencies", "delq"),
    *("derog", "derogatory", "default", "defaults", "bankruptcy", "bankruptcies", "overdue"),
    *("arrears", "past", "previous", "prior", "history", "inquiry", "inquiries", "inq", "last"),
}


def why_fixed(name: str) -> str:
    """Why nobody can act on an input of this name; '' if the name does not say so clearly.

    >>> why_fixed("MonthsSinceLastDelay")
    'time passes by itself: it may not move; if advice may ask to wait, direction = "up"'
    """
    words = set(words_of(name))
    if words & WHO:
        return "who somebody is: it may not move"
    if "since" in words:
        return 'time passes by itself: it may not move; if advice may ask to wait, direction = "up"'
    if "ever" in words:
        return "what ever happened stays: it may not move"
    return ""


def doubtful(name: str) -> str:
    """What to consider about an input whose name speaks of the past; '' if it does not."""
    if PAST & set(words_of(name)):
        return "seems to be about the past: say mutable = false if people cannot act on it"
    return ""
