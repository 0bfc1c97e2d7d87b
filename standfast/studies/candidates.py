"""The models that may replace a reference: some of both grids, fitted once per data set."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from standfast.datasets import Dataset
from standfast.rivals import grids
from standfast.rivals.candidate_fits import CandidateFits
from standfast.studies.names import FORESTS, LINEAR
from standfast.studies.settings import Settings

SHARE = 0.8  # of the people to fit on, as in the paper


@dataclass(frozen=True, eq=False)
class Candidates:
    """What the scenes of one data set share: who is held out, and candidates fitted on the others.

    The references of a data set have the same candidates, so that these are fitted once.
    """

    data: Dataset
    settings: Settings

    @cached_property
    def parts(self) -> tuple[Dataset, Dataset]:
        """Those to fit on, and those held out."""
        return self.data.split(SHARE, seed=self.settings.seed)

    @cached_property
    def members(self) -> dict[str, tuple[str, int, Any]]:
        """The candidates by name: their grid, their place along it, the unfitted estimator."""
        s, schema = self.settings, self.data.schema
        linear = grids.linear(balanced=s.balanced, seed=s.seed, schema=schema)
        forests = grids.forests(balanced=s.balanced, seed=s.seed, schema=schema)
        whole = {LINEAR: (linear, s.sizes.linear), FORESTS: (forests, s.sizes.forests)}
        found = {}
        for grid, (members, count) in whole.items():
            names = list(members)
            for k in np.unique(np.linspace(0, len(names) - 1, count).round().astype(int)):
                found[names[k]] = (grid, int(k), members[names[k]])
        return found

    @cached_property
    def fits(self) -> CandidateFits:
        """The candidates with the fits done so far."""
        models = {name: model for name, (_, _, model) in self.members.items()}
        return CandidateFits.of(models, self.parts[0], self.settings.seed, self.settings.jobs)
