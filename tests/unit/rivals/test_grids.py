import numpy as np
import pytest
from sklearn.base import clone

import standfast as sf
from standfast.rivals.candidates import check_unfitted, family


def test_the_linear_grid_is_the_paper_s() -> None:
    grid = sf.grids.linear()
    strengths = [estimator[-1].C for estimator in grid.values()]
    np.testing.assert_allclose(strengths, np.logspace(-4, 3, 50))
    assert {family(one) for one in grid.values()} == {"LogisticRegression"}


def test_the_forest_grid_is_the_paper_s() -> None:
    settings = {
        (f.max_depth, f.min_samples_leaf, f.min_samples_split, f.n_estimators)
        for f in sf.grids.forests().values()
    }
    assert settings == {(d, 5, s, n) for d in (3, 5, 7) for s in (4, 10) for n in (50, 100)}


def test_the_twelve_forests_are_twelve_models_and_follow_the_seed() -> None:
    people = sf.datasets.twin("heloc", n=150, seed=0)

    def digests(seed: int) -> list[str]:
        grid = sf.grids.forests(seed=seed)
        small = [
            one.set_params(n_estimators=2).fit(people.table, people.labels) for one in grid.values()
        ]
        return [sf.as_score(one, people.schema, favourable=1).digest for one in small]

    assert len(set(digests(0))) == 12
    assert digests(0) == digests(0)
    assert not set(digests(0)) & set(digests(1))


GRIDS = {"linear": sf.grids.linear, "forests": sf.grids.forests, "boosting": sf.grids.boosting}


@pytest.mark.parametrize("name", GRIDS)
def test_every_estimator_is_unfitted_seeded_and_weighs_the_classes_if_asked(name: str) -> None:
    for balanced, weights in ((False, None), (True, "balanced")):
        for label, estimator in GRIDS[name](balanced=balanced, seed=7).items():
            check_unfitted(estimator, label)
            settings = clone(estimator).get_params()
            ends = {key.split("__")[-1]: value for key, value in settings.items()}
            assert ends["random_state"] == 7 or name == "forests"
            assert ends["class_weight"] == weights


@pytest.mark.parametrize("name", GRIDS)
def test_a_grid_fits_and_is_read_as_a_structure(name: str) -> None:
    people = sf.datasets.twin("heloc", n=200, seed=0)
    estimator = next(iter(GRIDS[name]().values()))
    estimator.fit(people.table * 1.0, people.labels)
    score = sf.as_score(estimator, people.schema, favourable=1)
    assert isinstance(score, sf.Linear if name == "linear" else sf.TreeEnsemble)
