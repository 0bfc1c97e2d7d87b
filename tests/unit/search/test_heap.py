import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.kernels import callable_from_python

from standfast.search.exact import heap

pop, push = callable_from_python(heap.pop), callable_from_python(heap.push)


@given(st.lists(st.one_of(st.none(), st.integers(0, 9).map(float)), max_size=60))
@settings(deadline=None)
def test_the_least_key_leaves_first_whatever_comes_and_goes(steps):
    keys, boxes = np.empty(len(steps) + 1), np.empty(len(steps) + 1, np.int32)
    n, inside = 0, {}
    for box, key in enumerate(steps):
        if key is not None:
            n = push(keys, boxes, n, key, box)
            inside[box] = key
        elif inside:
            least, taken, n = pop(keys, boxes, n)
            assert least == min(inside.values())
            assert inside.pop(taken) == least
        assert n == len(inside)
    while n:
        least, taken, n = pop(keys, boxes, n)
        assert least == min(inside.values())
        assert inside.pop(taken) == least
    assert not inside
