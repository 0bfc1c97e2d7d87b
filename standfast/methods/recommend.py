"""prepare() and recommend(): the two ways to ask a method for advice under a model."""

import time
from typing import Any, TypedDict, Unpack

import numpy as np
import pandas as pd

from standfast.errors import InputError, listing
from standfast.methods.advisor import Advisor, Progress
from standfast.methods.checks import check_method, check_options, check_people
from standfast.methods.keep import Inputs, kept_inputs
from standfast.methods.method import Method
from standfast.readers import as_score
from standfast.recommendations import Recommendations
from standfast.scores import Score


def prepare(method: Method, model: Any) -> Advisor:
    """An advisor: the method prepared for a model, to be asked about one person after another.

    What does not depend on people is done here, once; a model that the method cannot read is
    refused here.

    Parameters
    ----------
    method : Method
        What searches, such as `MinimalCost(schema, percentiles)`.
    model : Score or estimator
        A score, or an estimator whose classes are −1 and +1.

    Returns
    -------
    Advisor
        Its `recommend(people)` answers.

    Examples
    --------
    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema
    >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3]})
    >>> method = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(table))
    >>> advisor = prepare(method, Linear([-1.0], 1.5))
    >>> [advisor.recommend(table.loc[[i]]).sentences().item() for i in (2, 4)]
    ['Nothing to change: the model accepts already.', 'Lower late from 3 to 1.']
    """
    check_method(method)
    return Advisor(method, model if isinstance(model, Score) else _with_signs(model, method))


class Options(TypedDict, total=False):
    """What `recommend` and `Advisor.recommend` can be asked for besides the people."""

    seed: int
    jobs: int
    time_limit: float | None
    total_time: float | None
    progress: Progress | None
    keep: Inputs | None
    only: Inputs | None


def recommend(
    method: Method, model: Any, people: pd.DataFrame, **options: Unpack[Options]
) -> Recommendations:
    """Advice for everyone in a table: one row per person, every answer re-checked.

    Answers do not depend on company, order, blocks or workers unless a clock strikes. Ctrl-C
    returns what is finished, marked as interrupted. Who asks often about one model calls
    `prepare(method, model)` once.

    Parameters
    ----------
    method : Method
        What searches, such as `MinimalCost(schema, percentiles)`.
    model : Score or estimator
        A score, or an estimator whose classes are −1 and +1.
    people : DataFrame
        One row per person, with the schema's columns; its index labels them.
    seed, jobs : int, optional
        The seed of methods that draw, 0 unless given, and how many threads search.
    time_limit, total_time : float, optional
        Seconds per person (a block searched in lockstep gets that times its people), and for the
        call; people not reached are `exhausted`.
    progress : callable, optional
        `progress(done, total)` is called as people are finished.
    keep, only : names, or a Series or mapping from people's labels to names, optional
        The inputs that stay as they are, {"income"}, and those that alone may change; for everybody
        or for each.

    Returns
    -------
    Recommendations
        One row per person, found or not.

    Examples
    --------
    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema
    >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3]}, index=["ann", "bob", "cem", "dua", "eve"])
    >>> method = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(table))
    >>> recs = recommend(method, Linear([-1.0], 1.5), table)
    >>> recs
    <Recommendations: 5 people: 2 minimal, 3 already_favourable>
    >>> recs.sentences()["eve"]
    'Lower late from 3 to 1.'
    """
    limits = options.get("time_limit"), options.get("total_time")
    check_options(options.get("seed", 0), options.get("jobs", 1), *limits)
    check_method(method)
    check_people(people)
    kept_inputs(method.schema, people.index, options.get("keep"), options.get("only"))
    began = time.monotonic()
    advisor = prepare(method, model)
    if limits[1] is not None:
        options["total_time"] = max(limits[1] - (time.monotonic() - began), 1e-9)
    return advisor.recommend(people, **options)


def _with_signs(model: Any, method: Method) -> Score:
    classes = getattr(getattr(model, "best_estimator_", model), "classes_", None)
    if classes is not None and sorted(map(str, classes)) != ["-1", "1"]:
        known = listing(np.asarray(classes).tolist())
        raise InputError(
            f"the model's classes are {known}, so it is not clear which one is favourable; "
            "use as_score(model, schema, favourable=...)"
        )
    return as_score(model, method.schema, favourable=1)
