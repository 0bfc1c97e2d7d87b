"""The candidates of a study: fitted once per data set, and judged against each reference."""

import pandas as pd

from standfast.studies import Settings
from standfast.studies.candidates import Candidates
from standfast.studies.scene import Scene
from standfast.studies.steps import Steps

from .conftest import TINY


def test_the_references_of_a_data_set_share_the_fitted_candidates(credit, tmp_path):
    settings = Settings(sizes=TINY)
    shared = Candidates(credit, settings)
    scenes = [
        Scene(credit, name, settings, Steps(tmp_path), shared=shared)
        for name in settings.references
    ]
    first = scenes[0].rivals
    before = dict(shared.fits.done)
    assert len([key for key in before if key[1] == "fold"]) == 5 * len(shared.members)
    second = scenes[1].rivals
    assert all(shared.fits.done[key] is fitted for key, fitted in before.items())
    new = shared.fits.done.keys() - before.keys()
    assert not [key for key in new if key[1] == "fold"]
    assert set(first.names) | set(second.names) == {
        name for name, *what in shared.fits.done if what == ["everybody"]
    }
    alone = Scene(credit, settings.references[1], settings, Steps(tmp_path / "alone")).rivals
    pd.testing.assert_frame_equal(second.candidates, alone.candidates, check_exact=True)
    assert second.digest == alone.digest
