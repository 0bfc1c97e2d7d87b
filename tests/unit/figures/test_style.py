"""The look: one colour and one shape per method, readable in grey and on white."""

import numpy as np
from matplotlib.colors import to_rgb

from standfast.figures import COLOURS
from standfast.figures.frontier import ORDER
from standfast.figures.style import STYLES, deep, drawing, page, scale
from standfast.studies.names import GOOD, METHODS, REFUSED


def test_every_method_and_group_has_a_colour_of_its_own():
    assert set(COLOURS) == {*METHODS, *ORDER, GOOD, REFUSED}
    assert len(set(COLOURS.values())) == len(COLOURS)


def test_methods_differ_in_shape_or_dash_too():
    methods = {*METHODS, *ORDER}
    assert len({STYLES[method].marker for method in methods}) == len(methods)


def test_what_makes_no_recommendation_is_grey_and_dashed():
    for method in METHODS[-2:]:
        assert len(set(to_rgb(COLOURS[method]))) == 1
        assert STYLES[method].dash != "-"
    assert all(STYLES[method].dash == "-" for method in METHODS[:-2])


def test_colours_stay_apart_for_readers_who_see_no_red():
    """Deuteranopia after Viénot, Brettel and Mollon (1999), on linear light."""
    linear = {name: np.array(to_rgb(colour)) ** 2.2 for name, colour in COLOURS.items()}
    sight = np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]])
    seen = {name: np.clip(sight @ light, 0, 1) ** (1 / 2.2) for name, light in linear.items()}
    names = [*METHODS[:-2], *(method for method in ORDER if method not in METHODS)]
    for k, one in enumerate(names):
        for other in names[:k]:
            assert np.abs(seen[one] - seen[other]).max() > 0.1, (one, other)


def test_letters_in_a_methods_colour_can_be_read_on_white():
    """The contrast that the web's accessibility guidelines (WCAG, level AA) ask for."""
    for colour in COLOURS.values():
        luminance = np.array(deep(colour)) ** 2.2 @ (0.2126, 0.7152, 0.0722)
        assert 1.05 / (luminance + 0.05) >= 4.499


def test_costs_far_apart_are_compared_in_powers_of_ten():
    with drawing():
        near, far = page(2.0).subplots(), page(2.0).subplots()
        scale(near, [0.5, 2.0, np.nan])
        scale(far, [0.5, 200.0, np.inf])
    assert near.get_xscale() == "linear"
    assert near.get_xlim()[0] < 0 < 2.0 < near.get_xlim()[1]
    assert far.get_xscale() == "log"
    assert far.get_xlim()[0] < 0.5 < 200.0 < far.get_xlim()[1]
