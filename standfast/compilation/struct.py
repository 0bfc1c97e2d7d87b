"""State that kernels share with Python: named arrays and numbers behind one pointer.

Numba hands a named tuple of arrays from kernel to kernel as hundreds of values and counts
references to each; compiling that takes most of a minute. A `Struct` is one pointer. Kernels read
its fields as Python does, `state.levels.cost[j]`; the arrays are the caller's own.
"""

import hashlib
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, models, register_model, unbox
from numba.np.numpy_support import as_dtype
from numpy.typing import NDArray

WORD = ir.IntType(64)
UNSIGNED = 2**64
# the places of an array's parts among those that numba hands on
DATA, SHAPE, STRIDES = 4, 5, 6


class StructType(types.Type):
    """The kernels' type of a struct: its fields in order, each a whole number of words.

    It knows its named tuple by name only: cached kernels keep their types, and must be readable,
    if only to be compiled anew, when the named tuple is gone after an upgrade.
    """

    def __init__(self, of: type, fields: dict[str, Any]) -> None:
        self.fields = fields
        self.places, words = {}, 0
        for name, field in fields.items():
            self.places[name] = words
            words += _words(field)
        self.words = words
        listed = ", ".join(f"{name}: {field}" for name, field in fields.items())
        # the name is part of the name of every function that reads the struct: so a short one
        digest = hashlib.sha256(f"{of.__module__}.{of.__qualname__}({listed})".encode())
        super().__init__(name=f"{of.__qualname__}_{digest.hexdigest()[:16]}")


class Struct:
    """A named tuple of arrays, numbers and further such tuples, for kernels to read and write.

    Kernels write into the arrays; the fields themselves change by `update` alone, between calls.
    """

    def __init__(self, value: Any) -> None:
        self._fields_ = value
        self._numba_type_ = _type_of(value)
        self._memory = np.array(_packed(value), dtype=np.uint64)
        self.address = _address(self._memory)

    def part_of(self, name: str) -> "Part":
        """A field that is a struct itself, for kernels that read no more than that."""
        typ = self._numba_type_
        return Part(typ.fields[name], self.address + 8 * typ.places[name], self)

    def update(self, **fields: Any) -> None:
        """Put other values of the same types into some fields; what is there already stays."""
        fields = {name: f for name, f in fields.items() if getattr(self._fields_, name) is not f}
        for name, field in fields.items():
            expected = self._numba_type_.fields[name]
            if _type_of(field) != expected:
                raise TypeError(f"{name} is a {expected}, not a {_type_of(field)}")
            words = _packed(field)
            start = self._numba_type_.places[name]
            self._memory[start : start + len(words)] = words
        if fields:
            self._fields_ = self._fields_._replace(**fields)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_fields_"], name)


class Part:
    """A struct inside another one, which it keeps alive."""

    def __init__(self, typ: StructType, address: int, whole: Struct) -> None:
        self._numba_type_, self.address, self._whole = typ, address, whole


def _type_of(value: Any) -> Any:
    if isinstance(value, tuple):
        return _struct_type(type(value), *map(_type_of, value))
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError("a kernel's array must be contiguous")
        return _array_type(value.dtype, value.ndim)
    if isinstance(value, bool | np.bool_):
        return types.boolean
    return types.int64 if isinstance(value, int | np.integer) else types.float64


@cache
def _struct_type(of: Any, *fields: Any) -> StructType:
    return StructType(of, dict(zip(of._fields, fields, strict=True)))


@cache
def _array_type(dtype: Any, dimensions: int) -> Any:
    return types.Array(numba.from_dtype(dtype), dimensions, "C")


def _words(field: Any) -> int:
    """An array takes its address, then its lengths; a number one word."""
    if isinstance(field, StructType):
        return field.words
    return 1 + field.ndim if isinstance(field, types.Array) else 1


def _packed(value: Any) -> list[int]:
    if isinstance(value, tuple):
        return [word for field in value for word in _packed(field)]
    if isinstance(value, np.ndarray):
        return [_address(value), *value.shape]
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return [int(value) % UNSIGNED]
    return [int(np.float64(value).view(np.uint64))]


def _address(array: NDArray[Any]) -> int:
    """Where the values are."""
    place: int = array.__array_interface__["data"][0]
    return place


@register_model(StructType)
class _Pointer(models.OpaqueModel):
    """A bare address: nothing to count."""


@unbox(StructType)
def _unbox(typ: Any, value: Any, c: Any) -> Any:
    address = c.pyapi.object_getattr_string(value, "address")
    number = c.pyapi.long_as_ulonglong(address)
    c.pyapi.decref(address)
    return NativeValue(c.builder.inttoptr(number, cgutils.voidptr_t))


@infer_getattr
class _Fields(AttributeTemplate):
    key = StructType

    def generic_resolve(self, typ: StructType, name: str) -> Any:
        return typ.fields.get(name)


@lower_getattr_generic(StructType)
def read_field(context: Any, builder: Any, typ: StructType, pointer: Any, name: str) -> Any:
    """A field of a struct."""
    field = typ.fields[name]
    if isinstance(field, StructType):
        return builder.bitcast(_place(builder, typ, pointer, name, 0), cgutils.voidptr_t)
    if isinstance(field, types.Array):
        parts = read_array(context, builder, typ, pointer, name)
        return whole_array(context, builder, field, *parts)
    if field == types.boolean:
        return builder.trunc(_load(builder, typ, pointer, name), ir.IntType(1))
    kind = ir.DoubleType() if field == types.float64 else WORD
    return _load(builder, typ, pointer, name, kind=kind)


def read_array(
    context: Any, builder: Any, typ: StructType, pointer: Any, name: str
) -> tuple[Any, tuple[Any, ...]]:
    """The address and the lengths of an array in a struct."""
    field = typ.fields[name]
    kind = context.get_data_type(field.dtype).as_pointer()
    data = _load(builder, typ, pointer, name, kind=kind)
    return data, tuple(_load(builder, typ, pointer, name, 1 + k) for k in range(field.ndim))


def _place(builder: Any, typ: StructType, pointer: Any, name: str, k: int) -> Any:
    words = builder.bitcast(pointer, WORD.as_pointer())
    return builder.gep(words, [WORD(typ.places[name] + k)])


def _load(
    builder: Any, typ: StructType, pointer: Any, name: str, k: int = 0, kind: Any = WORD
) -> Any:
    at = _place(builder, typ, pointer, name, k)
    found = builder.load(at if kind == WORD else builder.bitcast(at, kind.as_pointer()))
    # nothing changes a struct while a kernel runs, so loops need not read it again
    found.set_metadata("invariant.load", builder.module.add_metadata([]))
    return found


def whole_array(context: Any, builder: Any, typ: Any, data: Any, shape: tuple[Any, ...]) -> Any:
    """An array as numba hands it on, without an owner: Python keeps it, nothing is counted."""
    size = WORD(as_dtype(typ.dtype).itemsize)
    strides, items = [size], shape[0]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
        items = builder.mul(items, length)
    nobody = ir.Constant(cgutils.voidptr_t, None)
    whole = ir.Constant(context.get_value_type(typ), ir.Undefined)
    for k, part in enumerate((nobody, nobody, items, size, data)):
        whole = builder.insert_value(whole, part, k)
    for k, (length, stride) in enumerate(zip(shape, strides, strict=True)):
        whole = builder.insert_value(whole, length, [SHAPE, k])
        whole = builder.insert_value(whole, stride, [STRIDES, k])
    return whole
