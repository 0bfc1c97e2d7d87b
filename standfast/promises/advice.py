"""Open promises as recommendations again, for whatever judges advice."""

import numpy as np
import pandas as pd

from standfast.errors import InputError, listing
from standfast.promises.promise import Promises
from standfast.recommendations import Outcome, Recommendations
from standfast.recommendations.provenance import Model, Provenance


def advice_of(promises: Promises) -> Recommendations:
    """The points that were promised, as recommendations labelled by the promises' numbers.

    The promises know the model that made them, but not others that searched or chose.

    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema, recommend
    >>> people = pd.DataFrame({"late": [0, 1, 2, 3]})
    >>> best = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(people))
    >>> advice_of(Promises.of(recommend(best, Linear([-1.0], 1.5), people)))
    <Recommendations: 2 people on open promises: 2 minimal>
    """
    facts = promises.facts
    if not len(facts):
        raise InputError("there are no open promises on this day, so there is no advice to judge")
    made = dict.fromkeys(facts["model"].astype(str))
    known = {one.value for one in Outcome}
    outcome = [one if one in known else Outcome.FOUND.value for one in facts["outcome"].astype(str)]
    results = pd.DataFrame(
        {
            "outcome": [Outcome(one) for one in outcome],
            "cause": None,
            "cost": facts["cost"].to_numpy(dtype=np.float64),
            "lower_bound": np.nan,
            "seconds": 0.0,
            "binding": [()] * len(facts),
        },
        index=facts.index,
    )
    schema = promises.schema
    return Recommendations(
        schema,
        schema.table(promises.factual, facts.index),
        schema.table(promises.point, facts.index),
        results,
        Provenance(
            method=listing(dict.fromkeys(facts["method"].astype(str))),
            data="open promises",
            schema=schema.digest,
            model=next(iter(made)) if len(made) == 1 else "",
            models=tuple(Model(digest) for digest in made if digest),
        ),
    )
