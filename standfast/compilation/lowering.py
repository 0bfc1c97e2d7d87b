"""Kernels written down for LLVM in few words.

Numba writes every step of a kernel down as if nothing were known about it: an item of a table takes
some forty instructions, a loop sixty, and LLVM spends much of its time taking them away again. What
kernels do most often is written down here as a C programmer would have; the rest is left to numba.
"""

import operator
from typing import Any

from llvmlite import ir as llvm  # type: ignore[import-untyped]
from numba.core import cgutils, ir, types
from numba.cpython.builtins import do_minmax

from standfast.compilation.items import ItemLower
from standfast.compilation.struct import WORD, read_array, read_field
from standfast.compilation.unwritten import Items, Next, Range, Slice, Unwritten, View, Walk


class KernelLower(ItemLower):
    """The writer of kernels: shorter words for loops, fields and calls, too."""

    def lower_inst(self, inst: Any) -> None:
        """Write down a statement."""
        if isinstance(inst, ir.Assign):
            value = self.lower_assign(self.typeof(inst.target.name), inst)
            self.storevar(value, inst.target.name)
        elif isinstance(inst, ir.Del):
            self.delvar(inst.value)
        elif not (isinstance(inst, ir.SetItem | ir.StaticSetItem) and self._put(inst)):
            super().lower_inst(inst)

    def lower_assign(self, ty: Any, inst: Any) -> Any:
        """The value that is assigned."""
        value = inst.value
        if isinstance(value, ir.Var):
            known = self.known(value.name)
            if isinstance(known, Unwritten) and ty == self.typeof(value.name):
                return known
        if isinstance(value, ir.Expr) and self._stays_unwritten(inst.target.name):
            found = self._unwritten(inst.target.name, ty, value)
            if found is not None:
                return found
        return super().lower_assign(ty, inst)

    def _unwritten(self, target: str, ty: Any, expr: Any) -> Any:
        """An expression's value, if it need not be written down yet; else None."""
        if expr.op == "build_tuple":
            return self._tuple(ty, expr)
        if expr.op == "exhaust_iter":
            known = self.known(expr.value.name)
            return known if isinstance(known, Items) and ty == known.typ else None
        if expr.op == "getiter":
            return self._walk(target, expr.value.name)
        if expr.op == "iternext":
            return self._next(expr.value.name)
        if expr.op == "call":
            return self._range_or_slice(ty, expr)
        if expr.op == "getattr" and self._reads_field(expr) and isinstance(ty, types.Array):
            typ, pointer = self.typeof(expr.value.name), self.loadvar(expr.value.name)
            return View(ty, *read_array(self.context, self.builder, typ, pointer, expr.attr))
        if expr.op in ("getitem", "static_getitem") and isinstance(ty, types.Array):
            return self._part(ty, expr)
        return None

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """An expression's value."""
        if expr.op in ("getitem", "static_getitem"):
            found = self._item(resty, expr)
        elif expr.op in ("pair_first", "pair_second"):
            at = self.known(expr.value.name)
            found = None
            if isinstance(at, Next):
                found = at.item if expr.op == "pair_first" else at.there
        elif expr.op == "getattr" and self._reads_field(expr):
            typ, pointer = self.typeof(expr.value.name), self.loadvar(expr.value.name)
            found = read_field(self.context, self.builder, typ, pointer, expr.attr)
        else:
            found = None
        return super().lower_expr(resty, expr) if found is None else found

    # loops

    def _tuple(self, ty: Any, expr: Any) -> Any:
        names = [item.name for item in expr.items]
        if any(map(self._counted, names)) or [self.typeof(name) for name in names] != list(ty):
            return None
        return Items(ty, tuple(self.known(name) for name in names))

    def _range_or_slice(self, ty: Any, expr: Any) -> Any:
        made = getattr(self.typeof(expr.func.name), "typing_key", None)
        if made not in (range, slice) or expr.kws or expr.vararg:
            return None
        names, signature = [arg.name for arg in expr.args], self.fndesc.calltypes[expr]
        values: list[Any] = [
            None if wanted == types.none else self._cast_var(arg, wanted)
            for arg, wanted in zip(expr.args, signature.args, strict=True)
        ]
        if made is slice:
            if ty != types.slice2_type or len(values) == 1:
                return None
            return Slice(ty, values[0], values[1])
        step = 1
        if len(values) == 3:
            step = getattr(self.typeof(names[2]), "literal_value", 0)
        start = values[0] if len(values) > 1 else values[0].type(0)
        stop = values[1] if len(values) > 1 else values[0]
        return Range(ty, start, stop, step) if step else None

    def _walk(self, target: str, name: str) -> Any:
        """A loop's start; None where some step of it needs numba's own kind of loop."""
        through = self.known(name)
        if not all(map(self._stays_unwritten, self._steps_of(target))):
            return None
        if isinstance(through, Range):
            start = through.start
        elif not self._counted(name) and (view := self._view(name)) and len(view.shape) == 1:
            through, start = view, WORD(0)
        else:
            return None
        place = cgutils.alloca_once(self.builder, start.type)
        self.builder.store(start, place)
        return Walk(through, place)

    def _steps_of(self, name: str) -> list[str]:
        """The variables that hold where a loop stands."""
        return self._steps[name] + [
            step for other in self._becomes[name] for step in self._steps_of(other)
        ]

    def _next(self, name: str) -> Any:
        walk, builder = self.known(name), self.builder
        if not isinstance(walk, Walk):
            return None
        at, through = builder.load(walk.place), walk.through
        if isinstance(through, Range):
            compared = builder.icmp_signed if through.typ.dtype.signed else builder.icmp_unsigned
            there = compared("<" if through.step > 0 else ">", at, through.stop)
            flags = ["nsw"] if through.typ.dtype.signed else []
            item, following = at, builder.add(at, at.type(through.step), flags=flags)
            if through.step > 0 and self._is_natural(through.start):
                self._natural[id(item)] = item
        else:
            there = builder.icmp_signed("<", at, through.shape[0])
            before = builder.block
            with builder.if_then(there):
                item = View(through.typ, builder.gep(through.data, [at]), ())
                loaded = self._load(item)
                inside = builder.block
            item = builder.phi(loaded.type)
            item.add_incoming(llvm.Constant(loaded.type, llvm.Undefined), before)
            item.add_incoming(loaded, inside)
            following = builder.add(at, WORD(1), flags=["nsw"])
        builder.store(following, walk.place)
        return Next(item, there)

    # calls

    def _lower_call_normal(self, fnty: Any, expr: Any, signature: Any) -> Any:
        if isinstance(fnty, types.Dispatcher):
            made = fnty.dispatcher.overloads.get(signature.args)
            if made is not None and not isinstance(made.fndesc.restype, types.Optional):
                given = self.fold_call_args(fnty, signature, expr.args, expr.vararg, expr.kws)
                return self._call(made, given)
        elif (extreme := getattr(fnty, "typing_key", None)) in (max, min):
            if signature.pysig is None:
                given = [
                    self._cast_var(*pair) for pair in zip(expr.args, signature.args, strict=True)
                ]
                compared = operator.gt if extreme is max else operator.lt
                return do_minmax(self.context, self.builder, signature.args, given, compared)
        elif getattr(fnty, "typing_key", None) is len:
            view = self._view(expr.args[0].name)
            if view is not None:
                return view.shape[0]
        return super()._lower_call_normal(fnty, expr, signature)

    def _call(self, made: Any, given: list[Any]) -> Any:
        """Call another kernel or inner function; errors, if it has any, go to who called us."""
        builder, context, fndesc = self.builder, self.context, made.fndesc
        function = context.declare_function(builder.module, fndesc)
        arguments = context.call_conv._get_arg_packer(fndesc.argtypes).as_arguments(builder, given)
        result = cgutils.alloca_once(builder, function.args[0].type.pointee)
        code = builder.call(function, [result, self.function.args[1], *arguments])
        if not getattr(made.library, "never_fails", False):
            with cgutils.if_unlikely(builder, builder.icmp_signed("!=", code, code.type(0))):
                builder.ret(code)
        context.add_linking_libs((made.library,))
        return context.get_returned_value(builder, fndesc.restype, builder.load(result))

    def lower(self) -> None:
        """Write down the function, and note whether it ever gives an error."""
        super().lower()
        ends = [block.terminator for block in self.function.blocks]
        codes = [end.operands[0] for end in ends if isinstance(end, llvm.Ret)]
        self.library.never_fails = all(
            isinstance(code, llvm.Constant) and code.constant == 0 for code in codes
        )
