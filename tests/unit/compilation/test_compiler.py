"""Compiling without waste: inner functions belong to kernels, and garbage waits."""

import gc
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import compiler, event
from numpy.typing import NDArray

from standfast.compilation import inner
from standfast.compilation.compiler import Flags

Vector = NDArray[np.float64]


@inner
def halved(x: float) -> float:
    return x / 2.0


@inner
def sum_of_halves(values: Vector) -> float:
    total = 0.0
    for value in values[1:]:
        total += halved(value)
    return total


@numba.njit  # not kept: from the cache it would come without its inner functions
def half_of_rest(n: int) -> float:
    values = np.arange(float(n))
    return sum_of_halves(values)


def test_a_kernel_takes_in_inner_functions_of_which_no_machine_code_is_made() -> None:
    assert half_of_rest(5) == 5.0
    for function in (halved, sum_of_halves):
        (made,) = function.overloads.values()  # type: ignore[attr-defined]
        assert made.library.get_pointer_to_function(made.fndesc.llvm_func_name) == 0


def test_an_inner_function_cannot_ask_for_memory() -> None:
    @inner
    def zeros(n: int) -> Vector:
        return np.zeros(n)

    @numba.njit
    def first(n: int) -> float:
        return float(zeros(n)[0])

    with pytest.raises(numba.errors.NumbaError, match="Failed in nopython mode"):
        first(3)


def test_flags_are_equal_where_the_options_set_are() -> None:
    one, same, other = Flags(), Flags(), Flags()
    one.nrt = same.nrt = True
    other.nrt = False
    assert one == same
    assert hash(one) == hash(same)
    assert hash(one.copy()) == hash(one)
    assert one.copy() == one
    assert one != other
    assert one != compiler.Flags(one)  # numba's own are another key


class Watch(event.Listener):
    """Whether garbage is collected whenever a function begins to be compiled."""

    def __init__(self) -> None:
        self.collecting: list[bool] = []

    def on_start(self, event: Any) -> None:
        self.collecting.append(gc.isenabled())

    def on_end(self, event: Any) -> None: ...


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch()
    event.register("numba:compile", watch)  # type: ignore[no-untyped-call]
    yield watch
    event.unregister("numba:compile", watch)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("before", [True, False])
def test_garbage_is_not_collected_while_compiling_and_as_before_afterwards(
    watch: Watch, before: bool
) -> None:
    @inner
    def plus_one(x: int) -> int:
        return x + 1

    @numba.njit
    def plus_two(x: int) -> int:
        return plus_one(plus_one(x))

    (gc.enable if before else gc.disable)()
    try:
        assert plus_two(40) == 42
        assert gc.isenabled() == before
    finally:
        gc.enable()
    assert watch.collecting == [False, False]
