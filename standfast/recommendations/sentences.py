"""Advice in plain words, with the very numbers that were checked."""

import numpy as np
from numpy.typing import NDArray

from standfast.schema import Feature, Schema

# the remark on advice of a method whose published search knows nothing but what may change
RULES_LEFT_ASIDE = (
    "Searched as published, without the schema's bounds, steps, directions and relations: some of "
    "these values may be impossible."
)


def advice(
    schema: Schema, factual: NDArray[np.float64], counterfactual: NDArray[np.float64]
) -> str:
    """What one person should change.

    >>> schema = Schema((Feature("DebtRatio", "positive", step=0.01),))
    >>> advice(schema, np.array([0.613]), np.array([0.42]))
    'Lower debt ratio from 0.61 to 0.42.'
    """
    moves = [
        move(feature, a, b)
        for feature, a, b in zip(schema, factual, counterfactual, strict=True)
        if a != b
    ]
    if not moves:
        return "Change nothing."
    text = moves[0] if len(moves) == 1 else f"{', '.join(moves[:-1])} and {moves[-1]}"
    return f"{text[0].upper()}{text[1:]}."


def move(feature: Feature, a: float, b: float) -> str:
    """One change: its direction, where the person stands and where to go."""
    verb = "change" if feature.kind == "binary" else "lower" if b < a else "raise"
    start, goal = feature.shown(a), feature.shown(b)
    if start == goal:  # the person's own value has more decimals than the step
        start = repr(float(a))
    return f"{verb} {feature.words} from {start} to {goal}"
