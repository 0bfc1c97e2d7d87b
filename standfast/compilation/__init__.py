"""Compiled kernels, and the state they share with Python."""

from standfast.compilation.arrays import zeros
from standfast.compilation.kernel import inner, kernel
from standfast.compilation.struct import Struct

__all__ = ["Struct", "inner", "kernel", "zeros"]
