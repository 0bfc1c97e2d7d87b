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


def test_several_grids_together_give_the_neighbours_that_each_gives_alone() -> None:
    grids = [Grid(0.1, 1), Grid(0.0, 0), Grid(50.0, 0), Grid(0.001, 3)]
    X = np.random.default_rng(0).normal(0.0, 200.0, (300, len(grids)))
    X[:100] = X[:100].round(1)  # some stand on the grid
    X[0], X[1] = -np.inf, 1e300
    for columns, grid in Grid.of_all(grids):
        together = grid.around(X[:, columns])
        for place, j in enumerate(columns):
            alone = grids[j].below(X[:, j]), grids[j].above(X[:, j])
            for found, expected in zip(together, alone, strict=True):
                assert found[:, place].tolist() == expected.tolist()
                values = grid.values(found)[:, place]
                assert values.tolist() == grids[j].values(expected).tolist()


def test_no_value_on_a_grid_and_no_printed_one_is_a_negative_zero() -> None:
    feature = Feature("a", "real", lower=-1.0, upper=1.0, step=0.01)
    point = Schema((feature,)).project(np.array([-0.3]), np.array([[-0.004]]))
    assert not np.signbit(point).any()
    assert not np.signbit(callable_from_python(on_grid)(-0.004, 0.01, 100.0))
    assert not np.signbit(Grid(0.01, 2).values(Grid(0.01, 2).keys([-0.004]))).any()
    assert feature.shown(-0.0) == "0"
    assert feature.shown(-0.004) == "-0.004"  # between two steps: somebody's own value
    assert Feature("b", "real", step=0).shown(-0.0) == "0"
