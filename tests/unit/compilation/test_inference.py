"""Types are found in one go, and asked for again where they have changed."""

from typing import Any

import numba
import numpy as np
import pytest

from standfast.compilation import inner
from standfast.compilation.compiler import KernelCompiler
from standfast.compilation.inference import KernelInferer

compiled = numba.njit(pipeline_class=KernelCompiler)


def test_a_variable_that_turns_into_another_kind_of_number_takes_others_with_it() -> None:
    @compiled
    def chain(n: int) -> Any:
        a, b, c = 0, 0, 0
        for i in range(n):
            c = b  # three steps behind what a becomes at the end of the loop
            b = a
            a = a + 0.5 if i > 1 else a + 1
        return a, b, c, max(a, n), min(b, n, 7)

    assert chain(5) == chain.py_func(5)
    (made,) = chain.overloads.values()
    assert made.signature.return_type == numba.types.UniTuple(numba.float64, 5)


def test_steps_are_asked_again_only_where_something_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    resolve = KernelInferer.resolve_call

    def noted(self: Any, fnty: Any, args: Any, kws: Any) -> Any:
        asked.append((fnty, tuple(args)))
        return resolve(self, fnty, args, kws)

    monkeypatch.setattr(KernelInferer, "resolve_call", noted)

    @compiled
    def product(x: float, y: float) -> float:
        return x * y

    assert product(2.0, 3.0) == 6.0
    assert len(asked) == 1


def test_what_has_no_type_is_an_error_that_names_it() -> None:
    @compiled
    def nonsense(x: Any) -> Any:
        return x.no_such_attribute

    with pytest.raises(numba.errors.TypingError, match="no_such_attribute"):
        nonsense(1.0)


def test_an_inner_function_cannot_return_an_array() -> None:
    @inner
    def same(values: Any) -> Any:
        return values

    @compiled
    def first(values: Any) -> float:
        return float(same(values)[0])

    with pytest.raises(numba.errors.NumbaError, match="cannot return an array"):
        first(np.ones(3))
