import numpy as np
import pytest

from standfast.scores import BlackBox, Linear, Link, Score
from standfast.scores.score import IDENTITY, LOGISTIC


@pytest.mark.parametrize(
    ("link", "lowest"), [(IDENTITY, -20.0), (LOGISTIC, -20.0), (Link("isolation", 9.5), 0.1)]
)
def test_a_link_never_falls_and_its_inverse_undoes_it(link, lowest):
    raw = np.linspace(lowest, 20.0, 401)
    values = link.apply(raw)
    assert (np.diff(values) > 0).all()
    back = [link.invert(float(v)) for v in values]
    np.testing.assert_allclose(back, raw, rtol=0, atol=1e-6)


def test_a_link_is_infinitely_far_from_what_it_never_reaches():
    assert LOGISTIC.invert(1.0) == np.inf
    assert LOGISTIC.invert(0.0) == -np.inf
    assert Link("isolation").invert(0.0) == np.inf
    assert Link("isolation").invert(-1.0) == -np.inf


def test_the_logistic_link_does_not_overflow():
    assert LOGISTIC.apply(np.array([-1e9, -np.inf, 0.0, 1e9])).tolist() == [0.0, 0.0, 0.5, 1.0]


def test_our_models_are_scores_and_an_estimator_is_not():
    from sklearn.linear_model import LogisticRegression

    assert isinstance(Linear([1.0], 0.0), Score)
    assert isinstance(BlackBox(np.ravel, 0.0, 1), Score)
    assert not isinstance(LogisticRegression(), Score)
