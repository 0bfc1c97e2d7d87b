"""What is refused before a search, and answers that a method of one's own did not get right."""

from typing import Any

import numpy as np
import pandas as pd

from standfast.errors import InputError, check_positive, check_whole, listing, type_of
from standfast.methods.method import Answers
from standfast.recommendations import Cause, Outcome
from standfast.scores import Score

# what every method has
DUTIES = ("name", "schema", "domain", "percentiles", "settings", "price", "prepare")


def check_options(seed: int, jobs: int, time_limit: float | None, total_time: float | None) -> None:
    """Refuse a seed, a number of threads or a limit that is none."""
    check_whole(least=0, seed=seed)
    check_whole(jobs=jobs)
    for what, seconds in (("time_limit", time_limit), ("total_time", total_time)):
        if seconds is not None:
            check_positive(of=" of seconds", **{what: seconds})


def check_method(method: object) -> None:
    """Refuse what is no method, and one that lacks something."""
    if isinstance(method, type) or not callable(getattr(method, "prepare", None)):
        raise InputError(
            f"the method is {type_of(method)}; the method comes first and the model after it, such "
            "as recommend(MinimalCost(schema, percentiles), model, people)"
        )
    lacking = [duty for duty in DUTIES if not hasattr(method, duty)]
    if lacking:
        raise InputError(
            f"the method is {type_of(method)} without {listing(lacking)}; a method has "
            f"{listing(DUTIES, len(DUTIES))} (docs/extending.md)"
        )


def check_people(people: object) -> None:
    """Refuse what is no table."""
    if not isinstance(people, pd.DataFrame):
        raise InputError(
            f"the people are {type_of(people)}; give a table, a pandas DataFrame with the schema's "
            "columns and one row per person"
        )


def check_verdicts(model: Score, verdicts: Any, n: int) -> None:
    """Refuse a score of one's own that does not give one verdict for each row."""
    found = np.asarray(verdicts)
    if found.shape != (n,) or found.dtype != bool:
        raise InputError(
            f"accepts() of {type_of(model)} gave {found.dtype} values of shape {found.shape} for "
            f"{n} rows; it must give True or False for each row"
        )


def check_answers(method: str, answers: Any, n: int, inputs: int) -> None:
    """Refuse answers that are not about everybody who was asked about, or of other types."""
    said = f"the search of the method '{method}'"
    if not isinstance(answers, Answers):
        raise InputError(f"{said} gave {type_of(answers)}; advise() must give Answers")
    if np.shape(answers.points) != (n, inputs):
        raise InputError(
            f"{said} gave points of shape {np.shape(answers.points)} for {n} people with {inputs} "
            "inputs; it must give one row for each person, NaN where there is no advice"
        )
    for what in ("outcomes", "causes", "lower_bounds"):
        if len(getattr(answers, what)) != n:
            given = f"{len(getattr(answers, what))} {what}"
            raise InputError(f"{said} gave {given} for {n} people; it must give one for each")
    for what, allowed, meant in (
        ("outcomes", Outcome, "an Outcome"),
        ("causes", Cause | None, 'a cause such as Note("…"), or None'),
    ):
        for kind in set(map(type, getattr(answers, what))):
            if not issubclass(kind, allowed):
                raise InputError(
                    f"{said} gave {what} of type {kind.__name__}; each must be {meant}"
                )
