"""Who got advice: every figure about advice is over these people, and needs at least one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.recommendations import Outcome, Recommendations
from standfast.recommendations.recommendations import check_recommendations

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Advised:
    """Who got advice (`found`), where these people stand (`X`) and where it sends them (`Y`)."""

    outcome: "pd.Series[str]"
    found: Bools
    X: Matrix
    Y: Matrix

    @property
    def index(self) -> pd.Index:
        """The labels of the people who got advice."""
        return self.outcome.index[self.found]

    def table(self, columns: Mapping[str, Any]) -> pd.DataFrame:
        """Everybody's outcome, and these numbers of the advised; the others have none."""
        table = pd.DataFrame({"outcome": self.outcome, "advised": self.found})
        for name, values in columns.items():
            table[name] = pd.Series(values, index=self.index).reindex(table.index)
        return table


def advised_points(recommendations: Recommendations) -> Advised:
    """The people who got advice; at least one must have."""
    check_recommendations(recommendations)
    found = recommendations.found.to_numpy(dtype=bool)
    if not found.any():
        raise InputError(_nobody(recommendations))
    X, Y = (matrix[found] for matrix in recommendations.matrices())
    return Advised(recommendations.outcome, found, X, Y)


def _nobody(recommendations: Recommendations) -> str:
    counts = recommendations.counts()
    n = len(recommendations)
    if counts.get(str(Outcome.ALREADY_FAVOURABLE), 0) == n:
        return (
            f"the reference refuses none of the {n} people, so nobody was advised (n_E = 0); raise "
            "its threshold, train it with class_weight='balanced', or ask about people it refuses"
        )
    ends = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    return (
        f"nobody got a recommendation (n_E = 0: {ends}); the sentences of the table say why: ask "
        "more people, loosen the schema, or give the search more time"
    )
