"""Kernels that only kernels call, made callable from a test."""

import numba


def callable_from_python(inner):
    """The same kernel with a way in from Python."""
    return numba.njit(inner.py_func)
