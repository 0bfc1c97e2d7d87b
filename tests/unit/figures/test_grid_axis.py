"""The axis along a grid: the setting that grows along it, or its runs, or plain places."""

import numpy as np

from standfast.figures.grid_axis import grid_axis
from standfast.rivals import grids


def test_the_linear_grid_is_told_by_powers_of_ten():
    names = list(grids.linear())
    axis = grid_axis(names, np.arange(50.0))
    assert axis.texts == ["0.001", "0.1", "10", "1000"] or axis.texts == [
        "10⁻⁴",
        "0.01",
        "1",
        "100",
    ]
    values = [float(name.rpartition(" ")[2]) for name in names]
    for at, text in zip(axis.at, axis.texts, strict=True):
        wanted = 1e-4 if text == "10⁻⁴" else float(text)
        assert np.isclose(values[round(at)], wanted)


def test_the_forest_grid_is_told_by_its_depths():
    axis = grid_axis(list(grids.forests()), np.arange(12.0))
    assert list(axis.texts) == ["3", "5", "7"]
    assert list(axis.at) == [1.5, 5.5, 9.5]
    assert list(axis.ends) == [3.5, 7.5]
    assert axis.label == "depth; within each: trees, split"


def test_rivals_that_left_the_level_set_leave_gaps():
    names = list(grids.forests())[:2] + list(grids.forests())[8:]
    axis = grid_axis(names, np.array([0.0, 1, 8, 9, 10, 11]))
    assert list(axis.ends) == [4.5]


def test_names_without_settings_are_counted():
    assert not grid_axis(["mine", "yours"], np.arange(2.0)).at
    assert not grid_axis(["mine"], np.arange(1.0)).at
    assert grid_axis(["lr, C = 1"], np.arange(1.0)).texts == ["C 1"]
