"""Who got advice: every figure about advice is over these people, and needs at least one."""

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.recommendations import Outcome, Recommendations

Matrix = NDArray[np.float64]


def advised_points(
    recommendations: Recommendations,
) -> tuple[NDArray[np.bool_], Matrix, Matrix]:
    """Who got advice, where these people stand, and where it sends them; at least one must have."""
    if not isinstance(recommendations, Recommendations):
        raise InputError(
            f"expected Recommendations, got {type(recommendations).__name__}; make them with "
            "recommend(method, model, people)"
        )
    found = recommendations.found.to_numpy(dtype=bool)
    if not found.any():
        raise InputError(_nobody(recommendations))
    X = recommendations.factual.to_numpy(dtype=np.float64)[found]
    Y = recommendations.counterfactual.to_numpy(dtype=np.float64, na_value=np.nan)[found]
    return found, X, Y


def _nobody(recommendations: Recommendations) -> str:
    counts = recommendations.counts()
    n = len(recommendations)
    if counts.get(str(Outcome.ALREADY_FAVOURABLE), 0) == n:
        return (
            f"the reference refuses none of the {n} people, so nobody was advised (n_E = 0); raise "
            "its threshold, train it with class_weight='balanced', or ask about people it refuses"
        )
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    return (
        f"nobody got a recommendation (n_E = 0: {told}); the sentences of the table say why: ask "
        "more people, loosen the schema, or give the search more time"
    )
