"""A few people and how their searches ended, one of each kind."""

from dataclasses import replace

import numpy as np
import pandas as pd

from standfast import Feature, Note, Outcome, Recommendations, Schema
from standfast.recommendations import Provenance

SCRIPT = "<script>alert(1)</script>"
SCHEMA = Schema(
    (
        Feature(
            "income",
            "positive",
            step=0.5,
            label="monthly income",
            labels={"de": "Monatseinkommen"},
            when_missing="fill",
        ),
        Feature("late", "count", label="late payments", labels={"de": "verspätete Zahlungen"}),
        Feature("age", "count", mutable=False, valid=(0, 120), labels={"de": "Alter"}),
        Feature(
            "job",
            "nominal",
            categories=("none", SCRIPT),
            labels={"de": "Beruf"},
            category_labels={"de": {"none": "keiner", SCRIPT: SCRIPT}},
        ),
    ),
    relations=("late <= age",),
).complete(pd.DataFrame({"income": [0.0, 9e4], "late": [0, 9], "age": [0, 99], "job": "none"}))

# income, late, age, job; where advice sends them
PEOPLE = {
    Outcome.MINIMAL: ((1234.5, 3, 40, "none"), (2500.0, 1, 40, "none")),
    Outcome.WITHIN_GAP: ((np.nan, 3, 40, "none"), (1500.5, 3, 40, SCRIPT)),
    Outcome.FOUND: ((900.0, 0, 40, "none"), (901.0, 0, 40, "none")),
    Outcome.ALREADY_FAVOURABLE: ((9000.0, 0, 40, "none"), None),
    Outcome.INFEASIBLE: ((0.0, 0, 40, "none"), None),
    Outcome.EXHAUSTED: ((0.0, 0, 40, "none"), None),
    Outcome.OUTSIDE_SCHEMA: ((0.0, 0, 130, "pilot<br>"), None),
    Outcome.UNSOUND: ((0.0, 0, 40, "none"), None),
}


def advice_for(people, index=None):
    """Recommendations as a search might leave them, one person per outcome."""
    names, index = list(SCHEMA.names), pd.Index(index or [str(one) for one in people])
    own = [own for own, _ in people.values()]
    goal = [(np.nan, np.nan, np.nan, None) if g is None else g for _, g in people.values()]
    advised = np.array([g is not None for _, g in people.values()])
    results = pd.DataFrame(
        {
            "outcome": [str(outcome) for outcome in people],
            "cause": pd.Series([None] * len(people), index, dtype=object),
            "cost": np.where(advised, 1.0, np.nan),
            "lower_bound": np.where(advised, 0.875, np.nan),
            "seconds": 0.0,
            "binding": pd.Series([()] * len(people), index, dtype=object),
        },
        index,
    )
    origin = Provenance(standfast="0.1.0", model="ab" * 32)
    table, goals = (pd.DataFrame(rows, index, names) for rows in (own, goal))
    return Recommendations(SCHEMA, table, goals, results, origin)


def marked_up():
    """Somebody whose label and whose note hold markup."""
    found = advice_for({Outcome.WITHIN_GAP: PEOPLE[Outcome.WITHIN_GAP]}, [SCRIPT])
    noted = pd.Series([Note(f"see\n{SCRIPT}")], found.index, dtype=object)
    return replace(found, results=found.results.assign(cause=noted))
