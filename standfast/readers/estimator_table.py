"""The table that an estimator was fitted on, from rows in schema order: names, gaps, dtypes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from standfast.schema import Feature
from standfast.schema.categories import MISSING, Coder
from standfast.scores.score import Matrix


@dataclass(frozen=True)
class EstimatorTable:
    """Rows in schema order as a DataFrame of the columns an estimator reads, in its own order.

    Codes become the names they stand for, missing values empty cells, as a CSV file has them: NaN,
    or what `gaps` says of the column, where the estimator knows that instead. `levels[k]` are the
    categories, in their order, of a column that the estimator knows as a pandas category, or None.
    """

    features: tuple[Feature, ...]
    inputs: tuple[int, ...]
    names: tuple[str, ...]
    levels: tuple[Sequence[object] | None, ...]
    gaps: Mapping[str, object] = field(default_factory=dict)

    def __call__(self, X: Matrix) -> pd.DataFrame:
        """The rows as the estimator wants them."""
        columns: dict[str, object] = {}
        for name, j, levels in zip(self.names, self.inputs, self.levels, strict=True):
            feature, values = self.features[j], X[:, j]
            if feature.coder is None:
                columns[name] = np.where(values == -np.inf, np.nan, values)
            elif levels is None:
                columns[name] = self._words(feature, values)
            else:
                places = np.append(level_places(feature, levels), -1)
                known = (values >= 0) & (values < len(places) - 1)
                at = places[np.where(known, values, -1).astype(np.intp)]
                columns[name] = pd.Categorical.from_codes(at, categories=pd.Index(list(levels)))
        return pd.DataFrame(columns)

    def _words(self, feature: Feature, values: Matrix) -> object:
        assert feature.coder is not None
        gap = self.gaps.get(feature.name, np.nan)
        if gap in feature.coder.code:
            code = feature.coder.of(gap)
            return feature.coder.decode(np.where(values == MISSING, code, values))
        found = feature.coder.decode(values)
        if isinstance(found, pd.arrays.IntegerArray):
            return found.to_numpy(dtype=np.float64, na_value=np.nan)
        if found.dtype != object or gap is None:
            return pd.Series(found)
        return np.where([one is None for one in found], np.nan, found)


def level_places(
    feature: Feature, levels: Sequence[object]
) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The place of each of a feature's codes among an estimator's levels; −1 if it is not there."""
    assert feature.coder is not None
    known = Coder(tuple(levels))  # type: ignore[arg-type]
    places = [known.of(name) for name in feature.coder.names]
    return np.array([int(p) if np.isfinite(p) else -1 for p in places], dtype=np.intp)
