"""A library's comparison becomes a plain one, exact to the last bit."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from standfast.errors import InputError
from standfast.readers.library_trees import LibraryTree, LibraryTrees, canonical, last_left
from standfast.readers.read_lightgbm import in_double_precision_around_zero
from standfast.readers.read_sklearn_trees import in_double_precision, in_single_precision
from standfast.readers.read_xgboost import strictly_in_single_precision
from standfast.scores.score import Vector

numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)
scales = st.floats(1e-6, 1e6)


@given(
    thresholds=st.lists(numbers, min_size=1, max_size=5),
    shift=st.floats(-1e6, 1e6),
    scale=scales,
    tried=st.lists(st.floats(allow_nan=False), max_size=20),
    rule=st.sampled_from(
        [
            in_single_precision,
            in_double_precision,
            strictly_in_single_precision,
            in_double_precision_around_zero,
        ]
    ),
)
def test_the_last_number_that_goes_left_splits_as_the_library_does(
    thresholds: list[float], shift: float, scale: float, tried: list[float], rule: Any
) -> None:
    t = np.array(thresholds)

    def goes_left(x: Vector) -> Any:
        return rule((x - shift) / scale, t)

    with np.errstate(over="ignore"):
        split = last_left(goes_left, len(t))
        near = [split, np.nextafter(split, np.inf), np.nextafter(split, -np.inf)]
        far = [np.full(len(t), x) for x in [*tried, 0.0, -0.0, 1e-36, -1e-36]]
        for x in (x for x in [*near, *far] if np.isfinite(x).all()):
            np.testing.assert_array_equal(x <= split, goes_left(x))


def test_a_comparison_that_all_or_none_pass_has_an_infinite_split() -> None:
    split = last_left(lambda x: np.array([True, False]), 2)
    np.testing.assert_array_equal(split, [np.inf, -np.inf])


def stump(**changes: Any) -> LibraryTree:
    """One split, its children apart and a pruned node between them."""
    parts: dict[str, Any] = {
        "column": np.array([1, 0, 0, 0]),
        "threshold": np.array([0.5, 0.0, 9.0, 0.0]),
        "left": np.array([3, -1, 1, -1]),
        "right": np.array([1, -1, 3, -1]),
        "missing_left": np.array([False, False, False, False]),
        "value": np.array([9.0, 2.0, 9.0, 1.0]),
    }
    return LibraryTree(**{**parts, **changes})


def test_nodes_are_laid_out_level_by_level_with_siblings_side_by_side() -> None:
    trees = canonical(LibraryTrees([stump(), stump()], in_double_precision), [4, 7], None)
    assert trees.feature.tolist() == [7, 0, 0, 7, 0, 0]
    assert trees.left.tolist() == [1, 1, 2, 4, 4, 5]
    assert trees.split.tolist() == [0.5, np.inf, np.inf, 0.5, np.inf, np.inf]
    assert trees.value.tolist() == [0, 1, 2, 0, 1, 2]
    assert trees.missing_left.tolist() == [False, True, True, False, True, True]
    assert trees.roots.tolist() == [0, 3]
    assert trees.depths.tolist() == [1, 1]


def test_a_gap_that_the_pipeline_fills_goes_where_the_filling_goes() -> None:
    found = LibraryTrees([stump()], in_double_precision)

    def filled(value: float) -> Any:
        return lambda k, values: np.where(np.isnan(values), value, values)

    for value, goes_left in ((0.0, True), (1.0, False)):
        trees = canonical(found, [0, 1], filled(value))
        assert trees.missing_left[0] == goes_left


def test_trees_that_loop_are_refused_with_a_sentence() -> None:
    found = LibraryTrees([stump(left=np.array([0, -1, 1, -1]))], in_double_precision)
    with pytest.raises(InputError, match="loop back"):
        canonical(found, [0, 1], None)
