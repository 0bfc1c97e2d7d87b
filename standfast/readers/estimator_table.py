"""The table that an estimator was fitted on, from rows in schema order: names, gaps, dtypes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from standfast.schema import Feature
from standfast.scores.score import Matrix


@dataclass(frozen=True)
class EstimatorTable:
    """Rows in schema order as a DataFrame of the columns an estimator reads, in its own order.

    Codes become the names they stand for, missing values empty cells. `levels[k]` are the
    categories, in their order, of a column that the estimator knows as a pandas category, or None.
    """

    features: tuple[Feature, ...]
    inputs: tuple[int, ...]
    names: tuple[str, ...]
    levels: tuple[Sequence[object] | None, ...]

    def __call__(self, X: Matrix) -> pd.DataFrame:
        """The rows as the estimator wants them."""
        columns: dict[str, object] = {}
        for k, (name, j) in enumerate(zip(self.names, self.inputs, strict=True)):
            feature, values, levels = self.features[j], X[:, j], self.levels[k]
            if feature.coder is None:
                columns[name] = np.where(values == -np.inf, np.nan, values)
            elif levels is None:
                columns[name] = feature.coder.decode(values)
            else:
                columns[name] = pd.Categorical(
                    pd.Series(feature.coder.decode(values)), categories=list(levels)
                )
        return pd.DataFrame(columns)
