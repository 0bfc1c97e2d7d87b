"""Structs: kernels read and write the very arrays that Python holds."""

import pickle
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from standfast.compilation import Struct, inner, kernel


class Part(NamedTuple):
    table: NDArray[np.float64]
    value: NDArray[np.int32]


class Whole(NamedTuple):
    count: int
    part: Part
    rate: float
    flags: NDArray[np.bool_]
    marked: bool


@inner
def weighted(part: Part, row: int) -> float:
    total = 0.0
    for j in range(part.table.shape[1]):
        total += part.table[row, j] * part.value[j]
    return total


@kernel
def totals(whole: Whole) -> NDArray[np.float64]:
    found = np.empty(len(whole.part.table))
    for i in range(len(found)):
        found[i] = weighted(whole.part, i) * whole.rate + whole.count
        if whole.flags[i] or whole.marked:
            found[i] = -found[i]
    for i in range(len(found)):
        whole.part.value[i] += 1
    return found


@kernel
def sums(part: Part) -> float:
    return part.table.sum() + part.value.sum()


def whole(rows: int = 3) -> Whole:
    rng = np.random.default_rng(rows)
    part = Part(rng.normal(size=(rows, rows)), np.arange(rows, dtype=np.int32))
    return Whole(-7, part, 0.5, rng.random(rows) < 0.5, False)


def expected(given: Whole) -> NDArray[np.float64]:
    found = given.part.table @ given.part.value * given.rate + given.count
    return np.where(given.flags | given.marked, -found, found)


def test_a_kernel_reads_nested_arrays_and_numbers_and_writes_into_the_callers_own():
    given = whole()
    before = given.part.value.copy()
    found = expected(given)
    assert totals(Struct(given)) == pytest.approx(found)
    assert (given.part.value == before + 1).all()


def test_fields_can_be_read_and_put_between_calls():
    struct = Struct(whole())
    assert struct.count == -7
    assert struct.part.value.dtype == np.int32
    larger = whole(5)
    struct.update(part=larger.part, flags=larger.flags, marked=True, rate=2.0)
    found = expected(larger._replace(marked=True, rate=2.0))
    assert totals(struct) == pytest.approx(found)
    assert struct.marked is True


def test_a_part_goes_to_kernels_that_read_no_more_and_follows_the_whole():
    given = whole()
    struct = Struct(given)
    part = struct.part_of("part")
    assert sums(part) == pytest.approx(given.part.table.sum() + given.part.value.sum())
    larger = whole(4)
    struct.update(part=larger.part)
    assert sums(part) == pytest.approx(larger.part.table.sum() + larger.part.value.sum())


def test_what_would_read_wrong_memory_is_refused():
    struct = Struct(whole())
    with pytest.raises(TypeError, match="rate is a float64"):
        struct.update(rate=1)
    with pytest.raises(TypeError, match="flags is a array"):
        struct.update(flags=np.zeros(3))
    with pytest.raises(TypeError, match="must be contiguous"):
        Struct(whole()._replace(flags=np.zeros(6, dtype=bool)[::2]))


def test_the_name_of_a_type_is_short_and_tells_fields_apart():
    one, same = Struct(whole())._numba_type_, Struct(whole(4))._numba_type_
    other = Struct(whole()._replace(part=whole().part._replace(value=np.zeros(3))))._numba_type_
    assert one == same
    assert one != other
    assert len(one.name) < 40


def test_a_type_is_kept_without_its_named_tuple():
    typ = Struct(Part(np.zeros((2, 2)), np.zeros(2, np.int32)))._numba_type_
    kept = pickle.dumps(typ)
    assert b"test_struct" not in kept
    assert pickle.loads(kept) == typ
