"""What kernels write down in few words does what Python does."""

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from standfast.compilation import Struct, compiler, inner
from standfast.compilation.compiler import KernelCompiler

Vector = NDArray[np.float64]


class Tables(NamedTuple):
    line: Vector
    table: NDArray[np.float64]
    cube: NDArray[np.int16]
    flags: NDArray[np.bool_]
    order: NDArray[np.uint8]
    offset: int


def tables() -> Tables:
    return Tables(
        np.arange(5) + 0.5,
        np.arange(12.0).reshape(3, 4),
        np.arange(24, dtype=np.int16).reshape(2, 3, 4),
        np.array([True, False, True]),
        np.array([2, 0, 1], dtype=np.uint8),
        -2,
    )


@inner
def item(line: Vector, k: int) -> float:
    return line[k]


def items(t: Tables, k: int) -> float:
    """Items counted from either end, by literals, signed, unsigned and computed numbers."""
    total = t.line[0] + 2 * t.line[-1] + 3 * t.line[t.offset] + 4 * t.line[k]
    total += t.table[1, 2] + 2 * t.table[-1, k] + 3 * t.table[k, -1] + t.table[t.order[0], k]
    total += t.cube[1, 2, 3] + 2 * t.cube[-1, -2, k] + 3 * t.cube[k, k, k]
    total += t.flags[0] + 2 * t.flags[-1] + 4 * t.flags[np.uint64(1)]
    # a literal, handed on, is a number of its own
    return total + item(t.line, 0) + 5 * item(t.line, -2) + 7 * item(t.line, k)


def parts(t: Tables, k: int) -> float:
    """Rows, slices of rows, and slices whose ends are out of reach."""
    total, cube = 0.0, t.cube[k]
    for j in range(3):
        row = t.table[j]
        total += row[k] * (j + 1) + len(row) + cube[j][-1] + t.cube[1, j][2]
    for start in range(-7, 8):
        for stop in range(-7, 8):
            total += len(t.line[start:stop]) * (20 * start + stop)
            for value in t.line[start:stop]:
                total += value * start
            for value in t.table[k, :stop]:
                total -= value * stop
            for value in t.table[-1, start:]:
                total += 3 * value
    return total


def loops(t: Tables, k: int) -> float:
    """Loops up and down, in steps, over arrays, over nothing; the last number stays."""
    total = 0.0
    for i in range(len(t.line)):
        total += t.line[i] * i
    for i in range(k, -3, -2):
        total = 3 * total + i
    for i in range(-4, 11, 3):
        total = 2 * total - i
    for i in range(np.uint64(2), np.uint64(5)):
        total += t.line[i]
    for i in range(3, k):
        total += 1000 * i
    for flag in t.flags:
        total = 2 * total + flag
    for value in t.line:
        if value > 2.0:
            break
        if value > 1.0:
            continue
        total += value
    for i, j in ((1, 2), (3, 4)):
        total += i * j
    for _ in range(3):
        for value in t.line[: k + 1]:
            total += value
    return total + i


def assignments(t: Tables, k: int) -> float:
    """Items and parts are assigned, conversions are made, tuples are taken apart."""
    a, b, c, d = k, 2.5, t.table, t.flags[k]
    for value in (1.0, 2.0):
        a, b = b, a + value
    t.cube[k, -1, 0] = 7
    t.cube[0, 1, :2] = 9
    t.line[k:] = b
    t.line[-1] += 1
    t.table[k, 1:-1] = a
    t.flags[-1] = False
    t.flags[0] = d and k > 5
    t.order[1] = 250 + k
    total = 0.0
    for j in range(3):
        for i in range(4):
            total = 1.1 * total + c[j, i] + t.cube[0, j, i]
    x, y, z, w = t.line[0], t.line[1], t.line[2], t.line[3]
    return total + x - y + 2 * z - 3 * w + 5 * t.line[4] + t.order[1] + t.flags[0]


def extremes(t: Tables, k: int) -> float:
    """`max` and `min` of numbers of several kinds; the first counts beside what is no number."""
    nan = np.nan * t.line[0]
    total = max(k, t.line[3]) + 2 * min(k, t.line[3], -1.5) + max(k, 2) + min(t.order[0], k)
    total += max(t.cube[1, 1, 1], k) + min(np.float32(0.5), t.offset)
    total += 10.0 if max(1.0, nan) == 1.0 else 0.0
    total += 20.0 if np.isnan(max(nan, 1.0)) else 0.0
    return total + (40.0 if min(2.0, nan) == 2.0 else 0.0)


@pytest.mark.parametrize("function", [items, parts, loops, assignments, extremes])
@pytest.mark.parametrize("way", ["kernel", "inner", "by another numba's own passes"])
def test_a_kernel_gives_what_python_gives(
    function: Any, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    namespace = function.__globals__
    if way.endswith("passes"):
        monkeypatch.setattr(compiler, "FAMILIAR", False)
        monkeypatch.setitem(namespace, "item", inner(item.py_func))
    compiled = numba.njit(pipeline_class=KernelCompiler)(function)
    if way == "inner":
        part = inner(function)

        @numba.njit(pipeline_class=KernelCompiler)
        def compiled(t: Tables, k: int) -> float:
            return part(t, k)

    for k in (1, 0):
        mine, theirs = tables(), tables()
        struct = Struct(theirs)
        namespace["item"], kept = item.py_func, namespace["item"]
        expected = function(mine, k)
        namespace["item"] = kept
        assert compiled(struct, k) == pytest.approx(expected, rel=1e-13)
        for one, other in zip(mine[:5], theirs[:5], strict=True):
            assert np.array_equal(one, other)


def test_arrays_that_are_no_fields_are_read_and_made() -> None:
    @numba.njit(pipeline_class=KernelCompiler)
    def turned(X: Any, k: int) -> Any:
        made = np.empty((X.shape[1], len(X)))
        for i in range(len(X)):
            row = X[i]
            for j in range(len(row)):
                made[j, i] = row[j] if j != k else -row[-1]
        last = made[-1] if k > 0 else made[0]
        return made, last[1:], made.T, X[::2, 1]

    for X in (np.arange(12.0).reshape(3, 4), np.arange(24).reshape(4, 6)[:, ::2]):
        for k in (1, 0):
            for found, expected in zip(turned(X, k), turned.py_func(X, k), strict=True):
                assert np.array_equal(found, expected)


def test_an_error_inside_reaches_python() -> None:
    @inner
    def ratio(a: int, b: int) -> int:
        return a // b

    @inner
    def ratios(t: Tables, b: int) -> int:
        total = 0
        for a in t.order:
            total += ratio(a, b)
        return total

    @numba.njit(pipeline_class=KernelCompiler)
    def outside(t: Tables, b: int) -> int:
        return ratios(t, b) + 1

    assert outside(Struct(tables()), 2) == 2
    with pytest.raises(ZeroDivisionError):
        outside(Struct(tables()), 0)
