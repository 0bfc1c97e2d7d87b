"""The fits of candidates: done once, whichever reference they are compared with."""

from typing import Any, ClassVar

import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import standfast as sf
from standfast.rivals.candidate_fits import CandidateFits
from standfast.rivals.level_set_among import level_set_among

TRAIN, TEST = sf.datasets.twin("heloc", n=500, seed=0).split(0.7, seed=0)
X = TRAIN.table * 1.0
REFERENCES = (
    RandomForestClassifier(6, max_depth=4, random_state=0).fit(X, TRAIN.labels),
    LogisticRegression(solver="newton-cholesky").fit(X, TRAIN.labels),
)


class Counted(DecisionTreeClassifier):
    """A tree that counts how often trees are fitted."""

    fits: ClassVar[list[int]] = []

    def fit(self, *given: Any, **more: Any) -> "Counted":
        self.fits.append(1)
        fitted: Counted = super().fit(*given, **more)
        return fitted


def grid() -> dict[str, Any]:
    return {f"depth {depth}": Counted(max_depth=depth, min_samples_leaf=9) for depth in (2, 3, 5)}


@pytest.mark.parametrize("on", ["cross-validation", "training", TEST], ids=["cv", "train", "held"])
def test_a_second_reference_finds_the_candidates_fitted_and_the_same_level_set(on: Any) -> None:
    tolerance = sf.Tolerance(0.5, on=on)  # everybody is inside
    fits = CandidateFits.of(grid(), TRAIN, seed=3)
    Counted.fits.clear()
    shared = []
    for reference in REFERENCES:
        shared.append(level_set_among(fits, reference=reference, epsilon=tolerance, merge=None))
        assert len(Counted.fits) == 3 * (6 if on == "cross-validation" else 1)
    for reference, found in zip(REFERENCES, shared, strict=True):
        alone = sf.level_set(
            grid(), TRAIN, reference=reference, epsilon=tolerance, merge=None, seed=3
        )
        pd.testing.assert_frame_equal(found.candidates, alone.candidates, check_exact=True)
        assert found.digest == alone.digest
        assert found.provenance == alone.provenance


def test_who_is_inside_for_the_second_reference_alone_is_fitted_then() -> None:
    fits = CandidateFits.of(grid(), TRAIN)
    names: list[set[str]] = []
    for epsilon in (0.0, 0.5):
        with_risks = sf.Tolerance(epsilon)
        try:
            level_set_among(fits, reference=REFERENCES[0], epsilon=with_risks, merge=None)
        except sf.InputError as error:
            assert "no candidate is at most 0 worse" in str(error)  # noqa: PT017
        names.append({name for name, *what in fits.done if what == ["everybody"]})
    assert names[0] < names[1] == set(grid())


def test_progress_ends_at_its_total_for_both_references() -> None:
    fits = CandidateFits.of(grid(), TRAIN)
    for reference in REFERENCES:
        seen: list[tuple[int, int]] = []
        level_set_among(
            fits, reference=reference, epsilon=0.5, progress=lambda *at, seen=seen: seen.append(at)
        )
        assert seen[-1][0] == seen[-1][1] == 5 * (1 + 3) + 3
        assert seen == sorted(seen)
