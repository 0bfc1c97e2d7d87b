"""Which promises a model breaks, and the one check of what repair is given."""

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError, listing, type_of
from standfast.promises.promise import Promises
from standfast.schema import Schema
from standfast.scores import Score
from standfast.scores.acceptance import accepted
from standfast.scores.score import check_score

Bools = NDArray[np.bool_]


def broken_by(model: Score, promises: Promises, what: str = "the model") -> Bools:
    """Which promises the model breaks: it refuses the advice itself, by its own prediction.

    >>> import pandas as pd
    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, recommend
    >>> people = pd.DataFrame({"late": [0, 1, 2, 3]})
    >>> best = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(people))
    >>> promised = Promises.of(recommend(best, Linear([-1.0], 1.5), people))
    >>> broken_by(Linear([-1.0], 0.5), promised)
    array([ True,  True])
    """
    check_promises(promises)
    check_score(model, what, len(promises.schema))
    return ~accepted(model, promises.point)


def check_promises(promises: object) -> None:
    """Refuse what are no promises, or none at all."""
    if not isinstance(promises, Promises):
        raise InputError(
            f"the promises are {type_of(promises)}; make them with Promises.of(recommendations), "
            "or ask the ledger for its open promises"
        )
    if not len(promises):
        raise InputError("there are no promises, so there is nothing to repair")


def check_same_inputs(promises: Promises, schema: Schema, whose: str) -> None:
    """Refuse promises about other inputs, or about other categories of an input."""
    ours, theirs = promises.schema, schema
    if ours.names != theirs.names:
        raise InputError(
            f"the promises are about {listing(ours.names)} and {whose} about "
            f"{listing(theirs.names)}; use one schema for both"
        )
    for a, b in zip(ours, theirs, strict=True):
        if (a.kind, a.categories) != (b.kind, b.categories):
            raise InputError(
                f"the input '{a.name}' is another one in {whose} than in the promises; use one "
                "schema for both"
            )
