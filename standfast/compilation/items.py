"""Variables and items of arrays, written down for LLVM as a C programmer would have."""

from collections import defaultdict
from typing import Any

from llvmlite import ir as llvm  # type: ignore[import-untyped]
from numba.core import cgutils, ir, types
from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs
from numba.core.lowering import Lower
from numba.np.arrayobj import load_item, store_item

from standfast.compilation.struct import DATA, SHAPE, WORD, StructType
from standfast.compilation.unwritten import Items, Slice, Unwritten, View


def assigned_once(blocks: dict[int, Any]) -> set[str]:
    """The variables that are assigned once, before whatever uses them: they never change."""
    home: dict[str, int] = {}
    again = set()
    for label, block in blocks.items():
        for assign in block.find_insts(ir.Assign):
            name = assign.target.name
            if name in home:
                again.add(name)
            home[name] = label
    dominators = compute_cfg_from_blocks(blocks).dominators()
    found = home.keys() - again
    for label, names in compute_use_defs(blocks).usemap.items():
        before = dominators.get(label, ())
        # blocks are written down by their labels, and a value must be there before its use
        found -= {n for n in names if n in found and (home[n] >= label or home[n] not in before)}
    return found


class ItemLower(Lower):  # type: ignore[misc]
    """Numba's writer, with shorter words for variables and for items and parts of arrays."""

    def _find_singly_assigned_variable(self) -> None:
        """Which variables are values, without a place in memory."""
        super()._find_singly_assigned_variable()
        self._becomes: dict[str, list[str]] = defaultdict(list)
        self._steps: dict[str, list[str]] = defaultdict(list)
        self._fields: set[str] = set()
        self._natural: dict[int, Any] = {}  # numbers known not to be negative
        for block in self.blocks.values():
            for assign in block.find_insts(ir.Assign):
                if isinstance(assign.value, ir.Var):
                    self._becomes[assign.value.name].append(assign.target.name)
                elif self._reads_field(assign.value):
                    self._fields.add(assign.target.name)
                elif isinstance(assign.value, ir.Expr) and assign.value.op == "iternext":
                    self._steps[assign.value.value.name].append(assign.target.name)
        if not self.func_ir.func_id.is_generator:
            once = assigned_once(self.blocks)
            self._singly_assigned_vars |= {name for name in once if not self._counted(name)}

    def _reads_field(self, value: Any) -> bool:
        """Whether a value is a field of a struct: an array in it is kept alive by Python."""
        read = isinstance(value, ir.Expr) and value.op == "getattr"
        return read and isinstance(self.typeof(value.value.name), StructType)

    def _counted(self, name: str) -> bool:
        """Whether references to a variable's value are counted."""
        if not self.context.enable_nrt or name in self._fields:
            return False
        return bool(self.context.data_model_manager[self.typeof(name)].contains_nrt_meminfo())

    def _stays_unwritten(self, name: str) -> bool:
        """Whether a variable and all that it is assigned to are values."""
        return name in self._singly_assigned_vars and all(
            self._stays_unwritten(other) for other in self._becomes[name]
        )

    def known(self, name: str) -> Any:
        """What a variable stands for, written down or not."""
        found = self._blk_local_varmap.get(name)
        return self.loadvar(name) if found is None else found

    def loadvar(self, name: str) -> Any:
        """A variable's value, written down."""
        value = super().loadvar(name)
        return value.written(self) if isinstance(value, Unwritten) else value

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:
        """Assign a value to a variable."""
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
            return
        if isinstance(value, Unwritten):
            value = value.written(self)
        if self._counted(name):
            super().storevar(value, name, argidx)
        else:
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        """A variable is not needed any more: where references are counted, there is one less."""
        if self._counted(name) and not isinstance(self._blk_local_varmap.get(name), Unwritten):
            super().delvar(name)

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        """A variable's place in memory."""
        # numba also works out the size of every variable, for debuggers
        return cgutils.alloca_once(self.builder, lltype, name=name)

    def _is_natural(self, value: Any) -> bool:
        if isinstance(value, llvm.Constant):
            return isinstance(value.constant, int) and value.constant >= 0
        return id(value) in self._natural

    # items of arrays

    def _view(self, name: str) -> View | None:
        """An array as address and lengths, if its items are numbers side by side."""
        known = self.known(name)
        if isinstance(known, View):
            return known
        typ, builder = self.typeof(name), self.builder
        if not isinstance(typ, types.Array) or typ.layout != "C" or not typ.aligned:
            return None
        if not isinstance(typ.dtype, types.Number | types.Boolean) or typ.ndim == 0:
            return None
        shape = tuple(builder.extract_value(known, [SHAPE, k]) for k in range(typ.ndim))
        return View(typ, builder.extract_value(known, DATA), shape)

    def _indices(self, indexed: Any) -> list[Any] | None:
        """What an array is indexed with: numbers with their types, and slices; None if more."""
        constant = indexed.index
        if not isinstance(constant, ir.Var):
            parts = constant if isinstance(constant, tuple) else (constant,)
            if all(type(part) is int for part in parts):
                return [(types.intp, WORD(part)) for part in parts]
            if indexed.index_var is None:
                return None
        name = (constant if isinstance(constant, ir.Var) else indexed.index_var).name
        typ, known = self.typeof(name), self.known(name)
        found = (
            list(zip(typ, known.values, strict=True))
            if isinstance(known, Items)
            else [(typ, known)]
        )
        usable = all(isinstance(t, types.Integer) or isinstance(v, Slice) for t, v in found)
        return found if usable else None

    def _index(self, typ: Any, value: Any, length: Any) -> Any:
        """A place along one axis, counted from its end if it is negative."""
        builder, wanted = self.builder, types.intp if typ.signed else types.uintp
        place = self.context.cast(builder, value, typ, wanted)
        # a literal becomes a constant only now
        if not typ.signed or self._is_natural(value) or self._is_natural(place):
            return place
        wrapped = builder.add(place, length)
        if isinstance(place, llvm.Constant):
            return wrapped
        return builder.select(builder.icmp_signed("<", place, WORD(0)), wrapped, place)

    def _within(self, view: View, indices: list[Any]) -> View:
        """What is left of a view after its first axes are indexed with numbers."""
        builder, offset = self.builder, None
        for k, (typ, value) in enumerate(indices):
            term, step = self._index(typ, value, view.shape[k]), None
            for length in view.shape[k + 1 :]:
                step = length if step is None else builder.mul(step, length)
            term = term if step is None else builder.mul(term, step)
            offset = term if offset is None else builder.add(offset, term)
        data = view.data if offset is None else builder.gep(view.data, [offset])
        return View(view.typ, data, view.shape[len(indices) :])

    def _bound(self, value: Any, length: Any) -> Any:
        """A slice's end within an axis."""
        builder = self.builder
        if not self._is_natural(value):
            value = self._index(types.intp, value, length)
            value = builder.select(builder.icmp_signed("<", value, WORD(0)), WORD(0), value)
        return builder.select(builder.icmp_signed("<", value, length), value, length)

    def _between(self, view: View, cut: Slice) -> View:
        """The part of a view with one axis that a slice cuts out."""
        builder, length = self.builder, view.shape[0]
        stop = length if cut.stop is None else self._bound(cut.stop, length)
        if cut.start is None:
            return View(view.typ, view.data, (stop,))
        start = self._bound(cut.start, length)
        empty, size = builder.icmp_signed("<", stop, start), builder.sub(stop, start)
        size = builder.select(empty, WORD(0), size)
        return View(view.typ, builder.gep(view.data, [start]), (size,))

    def _found(self, name: str, indexed: Any) -> View | None:
        """The item or the part of an array that an index stands for; None if numba must look."""
        indices = self._indices(indexed) if isinstance(self.typeof(name), types.Array) else None
        view = None if indices is None else self._view(name)
        if view is None or indices is None or len(indices) > len(view.shape):
            return None
        cut = indices[-1][1]
        numbers = indices[:-1] if isinstance(cut, Slice) else indices
        if any(isinstance(value, Slice) for _, value in numbers):
            return None
        if isinstance(cut, Slice):
            last = len(indices) == len(view.shape)
            return self._between(self._within(view, numbers), cut) if last else None
        return self._within(view, numbers)

    def _part(self, ty: Any, expr: Any) -> View | None:
        """A part of an array that nobody refers to but Python."""
        name = expr.value.name
        if self._counted(name) and not isinstance(self.known(name), View):
            return None
        found = self._found(name, expr)
        return found and View(ty, found.data, found.shape)

    def _item(self, resty: Any, expr: Any) -> Any:
        """One number of an array; None if the expression is about something else."""
        known = self.known(expr.value.name)
        if isinstance(known, Items) and type(expr.index) is int:
            value = known.values[expr.index]
            value = value.written(self) if isinstance(value, Unwritten) else value
            return self.context.cast(self.builder, value, known.typ[expr.index], resty)
        if isinstance(resty, types.Array):
            return None
        typ, found = self.typeof(expr.value.name), self._found(expr.value.name, expr)
        if found is None or found.shape:
            return None
        return self.context.cast(self.builder, self._load(found), typ.dtype, resty)

    def _load(self, view: View) -> Any:
        return load_item(self.context, self.builder, view.typ, view.data)

    def _put(self, inst: Any) -> bool:
        """Assign a number to an item or to every item of a part; False if it is something else."""
        typ, given = self.typeof(inst.target.name), self.typeof(inst.value.name)
        if not isinstance(given, types.Number | types.Boolean):
            return False
        found = self._found(inst.target.name, inst)
        if found is None or len(found.shape) > 1:
            return False
        value, wanted = self.loadvar(inst.value.name), self.fndesc.calltypes[inst].args[2]
        value = self.context.cast(self.builder, value, given, wanted)
        value = self.context.cast(self.builder, value, wanted, typ.dtype)
        if not found.shape:
            store_item(self.context, self.builder, typ, value, found.data)
            return True
        with cgutils.for_range(self.builder, found.shape[0]) as loop:
            item = self.builder.gep(found.data, [loop.index])
            store_item(self.context, self.builder, typ, value, item)
        return True
