"""Score vectors, labels and constants that make no sense, each refused with one sentence."""

import numpy as np
import pytest

from standfast import InputError, Linear, bounds

F, G, Y = [-1.0, -0.5, 1.0], [-0.2, 0.5, 2.0], [-1, 1, 1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"f": [-1.0, np.nan, 1.0]}, r"f holds nan in 1 place \(first: 1\)"),
        ({"f": [-1.0, np.inf, 1.0]}, "f holds inf in 1 place"),
        ({"g": [1.0, 2.0]}, "g has 2 scores where the others have 3; score the same people"),
        ({"f": [[1.0]]}, r"f has the shape \(1, 1\)"),
        ({"f": ["a", "b", "c"]}, "f must be numbers"),
        ({"f": []}, r"f has the shape \(0,\)"),
        ({"y": [1, 2, 1]}, "the labels hold 1, 2; allowed are -1 and"),
        ({"y": [-1, 0, 1]}, "the labels hold -1, 0, 1; allowed"),
        ({"y": ["Good", "Bad", "Good"]}, "the labels hold 'Bad', 'Good'"),
        ({"y": [1.0, np.nan, -1.0]}, "the labels hold missing values"),
        ({"y": [1, -1]}, r"the labels have the shape \(2,\) where there are 3 scores"),
        ({"alpha": 0.0}, r"alpha is 0\.0; it must be positive and finite"),
        ({"alpha": -1.0}, r"alpha is -1\.0"),
        ({"alpha": np.inf}, "alpha is inf"),
        ({"alpha": np.nan}, "alpha is nan"),
        ({"alpha": "2"}, "alpha is '2'; it must be a number"),
        ({"gamma": 0.0}, r"gamma is 0\.0; it must lie above 0 and be at most 1"),
        ({"gamma": 1.5}, r"gamma is 1\.5"),
        ({"gamma": np.nan}, "gamma is nan"),
        ({"f": [1.0, 1.0, 1.0], "g": [2.0, 2.0, 2.0]}, "none of the 3 people is refused"),
    ],
)
def test_the_published_bound_refuses_with_a_sentence(change, sentence):
    with pytest.raises(InputError, match=sentence):
        bounds.published(**({"f": F, "g": G, "y": Y, "alpha": 1.0, "gamma": 1.0} | change))


def test_labels_of_zero_and_one_mean_the_same():
    ours = bounds.published(F, G, Y, 1.0)
    assert bounds.published(F, G, [0, 1, 1], 1.0).terms == ours.terms
    assert bounds.published(F, G, np.array([-1.0, 1.0, 1.0]), 1.0).total == ours.total


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ([], "no score vector was given"),
        (np.array([-1.0, 2.0]), "one vector was given; wrap it in a list"),
        ([F, G[:2]], "the vector of model 1 has 2 scores where the others have 3"),
        ([[1.0, 2.0]], "none of the 2 people is refused.*class_weight='balanced'"),
    ],
)
def test_the_residual_refuses_with_a_sentence(scores, sentence):
    with pytest.raises(InputError, match=sentence):
        bounds.residual(scores, 1.0)


@pytest.mark.parametrize(
    ("weights", "options", "sentence"),
    [
        ([], {}, "no weights were given"),
        ([1.0, 2.0], {}, "one vector was given; wrap it in a list"),
        ([[1.0], [1.0, 2.0]], {}, r"weights of 'model 1' have the shape \(2,\).*1 as for"),
        ([[np.nan]], {}, "give one finite number per input"),
        ({"f": [0.0, 0.0]}, {}, "model 'f' has no weight on anything that may move"),
        ([[1.0, 0.0]], {"mutable": np.array([False, True])}, "'model 0' has no weight"),
        ([[1.0, 0.0]], {"mutable": [False, False]}, "no input may move"),
        ([[1.0, 0.0]], {"mutable": [1, 0]}, "mutable must be 2 booleans"),
        ([[1.0, 0.0]], {"scale": [1.0, 0.0]}, "scale must be 2 positive numbers"),
        ([[1.0, 0.0]], {"norm": 3}, "norm is 3; allowed are 1, 2 and infinity"),
        ([[1.0], [-1.0]], {}, "'model 0' and 'model 1' oppose each other.*give offsets="),
        ([[1.0], [-1.0]], {"offsets": [1.0]}, "offsets must be 2 finite numbers"),
        ([len], {}, "one vector was given|not numbers"),
    ],
)
def test_hoffman_refuses_with_a_sentence(weights, options, sentence):
    with pytest.raises(InputError, match=sentence):
        bounds.hoffman(weights, **options)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"costs": None}, "score vectors need costs="),
        ({"box": None}, "score vectors need costs=.*box="),
        ({"box": 0.0}, r"box is 0\.0; it must be positive"),
        ({"box": 0.5}, "costs must lie between 0 and box"),
        ({"costs": [1.0, 1.0]}, "there are 2 costs for 6 people"),
        ({"costs": [-1.0] * 6}, "costs must lie between 0 and box"),
        ({"costs": [np.inf] * 6}, "0 refused people have an answer; calibration needs at least 3"),
        ({"beta": 1.0}, r"beta is 1\.0"),
        ({"gammas": ()}, "no gamma to choose from"),
        ({"gammas": (2.0,)}, r"gamma is 2\.0"),
        ({"models": []}, "no score vector was given"),
        ({"models": [np.ones(6)]}, "none of the 6 people is refused"),
    ],
)
def test_calibration_refuses_with_a_sentence(change, sentence):
    given = {"models": [-np.ones(6)], "costs": np.ones(6), "box": 2.0} | change
    models, costs = given.pop("models"), given.pop("costs")
    with pytest.raises(InputError, match=sentence):
        bounds.alpha_gamma(models, costs, **given)


def test_a_linear_model_that_opposes_another_brings_its_own_offsets():
    slab = bounds.hoffman([Linear([1.0], 1.0), Linear([-1.0], 1.0)])
    assert slab.total == pytest.approx(1.0)
    assert "weights cancel" in slab.note
    none = bounds.hoffman([Linear([1.0], -1.0), Linear([-1.0], -1.0)])
    assert none.total == np.inf
    assert bounds.alpha_gamma(none).alpha == np.inf
    assert "no point satisfies 'model 0' and 'model 1' together" in bounds.alpha_gamma(none).note
