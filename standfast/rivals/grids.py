"""Hypothesis classes as grids: named, unfitted estimators to choose rivals from.

Examples
--------
>>> from standfast import grids
>>> len(grids.linear()), len(grids.forests()), len(grids.boosting())
(50, 12, 8)
>>> len(grids.linear() | grids.forests())  # two hypothesis classes together
62
"""

from itertools import product
from typing import Any

import numpy as np

from standfast.rivals.encoding import encoded
from standfast.schema import Schema

__all__ = ["boosting", "forests", "linear"]


def linear(
    *, balanced: bool = False, seed: int = 0, schema: Schema | None = None
) -> dict[str, Any]:
    """Fifty logistic regressions behind a scaler: C from 10⁻⁴ to 10³ (the paper's linear grid).

    `balanced` weighs both classes alike. The inputs are scaled, which the paper's are not: one
    penalty then means the same for every input. Newton steps: with few inputs and many people each
    fit is a handful of passes over the table. With a `schema` that has categories or gaps the
    models stand behind what these need (also in the other grids).

    >>> len(linear()), list(linear())[0]
    (50, 'logistic regression, C = 0.0001')
    """
    from sklearn.linear_model import LogisticRegression

    weights = _weights(balanced)
    return {
        f"logistic regression, C = {float(f'{C:.3g}'):g}": encoded(
            LogisticRegression(
                C=float(C),
                class_weight=weights,
                solver="newton-cholesky",
                max_iter=1000,
                random_state=seed,
            ),
            schema,
            scaled=True,
        )
        for C in np.logspace(-4, 3, 50)
    }


def forests(
    *, balanced: bool = False, seed: int = 0, schema: Schema | None = None
) -> dict[str, Any]:
    """Twelve random forests (the paper's grid): depth 3, 5, 7; split 4, 10; 50 or 100 trees.

    Leaves hold at least 5 people, so a node of fewer than 10 is never split and both values of
    `split` mean the same. Each forest therefore has a random state of its own, drawn from `seed`:
    with one state for all, half of the grid would be copies of the other half.

    >>> len(forests()), list(forests())[0]
    (12, 'forest, 50 trees, depth 3, split 4')
    """
    from sklearn.ensemble import RandomForestClassifier

    return {
        f"forest, {trees} trees, depth {depth}, split {split}": encoded(
            RandomForestClassifier(
                trees,
                max_depth=depth,
                min_samples_split=split,
                min_samples_leaf=5,
                class_weight=_weights(balanced),
                random_state=int(state),
            ),
            schema,
        )
        for (depth, split, trees), state in zip(
            product((3, 5, 7), (4, 10), (50, 100)),
            np.random.SeedSequence(seed).generate_state(12),
            strict=True,
        )
    }


def boosting(
    *, balanced: bool = False, seed: int = 0, schema: Schema | None = None
) -> dict[str, Any]:
    """Eight gradient boostings on histograms: depth 3, 5; rate 0.05, 0.1; 50 or 100 rounds.

    Not in the paper; a hypothesis class that lenders use.

    >>> len(boosting()), list(boosting())[0]
    (8, 'boosting, 50 rounds, depth 3, rate 0.05')
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    return {
        f"boosting, {rounds} rounds, depth {depth}, rate {rate:g}": encoded(
            HistGradientBoostingClassifier(
                max_iter=rounds,
                max_depth=depth,
                learning_rate=rate,
                early_stopping=False,
                class_weight=_weights(balanced),
                random_state=seed,
            ),
            schema,
        )
        for depth, rate, rounds in product((3, 5), (0.05, 0.1), (50, 100))
    }


def _weights(balanced: bool) -> str | None:
    return "balanced" if balanced else None
