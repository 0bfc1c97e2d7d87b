"""One rounding to a grid: schema, keys and kernels give the very same numbers."""

import numpy as np
import pytest
from samples.kernels import callable_from_python

from standfast.schema import Feature, Schema
from standfast.schema.grid import Grid, multiple
from standfast.schema.projection import on_grid


@pytest.mark.parametrize(("step", "decimals"), [(0.1, 1), (0.05, 2), (0.001, 3), (50.0, 0)])
def test_values_bounds_and_kernels_round_alike(step: float, decimals: int) -> None:
    values = np.random.default_rng(0).uniform(-1e4, 1e4, 500) * step
    grid, power = Grid(step, decimals), 10.0**decimals
    expected = grid.values(grid.keys(values))
    rounded = callable_from_python(on_grid)
    assert [rounded(value, step, power) for value in values] == expected.tolist()
    assert multiple(np.rint(values / step), step, power).tolist() == expected.tolist()
    assert [float(f"{value:.{decimals}f}") for value in expected] == expected.tolist()
    schema = Schema((Feature("a", "real", lower=-1e5 * step, upper=1e5 * step, step=step),))
    assert schema.admits(np.zeros(1), expected[:, None]).all()
    assert schema.project(np.zeros(1), values[:, None]).ravel().tolist() == expected.tolist()
