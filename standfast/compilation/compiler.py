"""Numba's compiler without the work that kernels do not need.

Numba makes every function ready to be called on its own: with all that it calls, it is optimised
and turned into machine code. For functions that only kernels call, that is work thrown away, since
the kernels take in their code and optimise it as a whole.
"""

from types import CodeType
from typing import Any

import numba
from numba.core import compiler, ir, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.ir_utils import fixup_var_define_in_scope
from numba.core.typed_passes import NativeLowering, NopythonRewrites, NopythonTypeInference
from numba.core.untyped_passes import InlineClosureLikes

from standfast.compilation.inference import Typing
from standfast.compilation.lowering import KernelLower

# Whether this is the numba whose passes ours take the place of. With any other one, kernels are
# compiled by its own passes, which takes twice as long: what lies inside it may have moved.
FAMILIAR = numba.__version__.startswith("0.68.")


class Flags(compiler.Flags):
    """Numba's flags, compared quickly: they are part of a key that every operator looks up."""

    def __hash__(self) -> int:
        return hash(frozenset(self._values))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and bool(self._values == other._values)


class Code(JITCodeLibrary):
    """The code of a kernel, optimised once.

    Numba first goes through the whole code to bring references to memory side by side, which
    kernels hardly count.
    """

    def _optimize_functions(self, module: Any) -> None:
        """Simplify each function by itself; what is only declared leaves nothing to simplify."""
        if not FAMILIAR:
            super()._optimize_functions(module)
            return
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        if not FAMILIAR:
            super()._optimize_final_module()
            return
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class Part(Code):
    """The code of an inner function, for kernels to take in as it was written down."""

    def _optimize_final_module(self) -> None: ...

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """No function of a part can be called by itself."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> "Part":
        """Who is handed the function's Python objects."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Python objects are for errors that quote values, which no inner function raises."""


@register_pass(mutates_CFG=True, analysis_only=False)
class Writing(NativeLowering):
    """Numba's last pass, with a writer of few words."""

    _name = "standfast_writing"

    @property
    def lowering_class(self) -> Any:
        """Who writes."""
        return KernelLower


@register_pass(mutates_CFG=True, analysis_only=False)
class Fusing(NopythonRewrites):
    """Numba's pass that joins operations on whole arrays, for kernels that have some."""

    _name = "standfast_fusing"

    def run_pass(self, state: Any) -> bool:
        """Whether anything was joined."""
        made = (
            state.typemap[assign.target.name]
            for block in state.func_ir.blocks.values()
            for assign in block.find_insts(ir.Assign)
            if isinstance(assign.value, ir.Expr) and assign.value.op not in READS
        )
        arrays = any(isinstance(typ, types.Array) for typ in made)
        return arrays and bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class Enclosing(InlineClosureLikes):
    """Numba's pass that takes in functions inside functions, for kernels that have some."""

    _name = "standfast_enclosing"

    def run_pass(self, state: Any) -> bool:
        """Whether anything was taken in."""
        if any(isinstance(constant, CodeType) for constant in state.func_id.code.co_consts):
            return bool(super().run_pass(state))
        fixup_var_define_in_scope(state.func_ir.blocks)
        return False


# expressions that give an array without making one
READS = ("getattr", "getitem", "static_getitem", "cast", "phi")
INSTEAD = {
    NativeLowering: Writing,
    NopythonTypeInference: Typing,
    NopythonRewrites: Fusing,
    InlineClosureLikes: Enclosing,
}


class KernelCompiler(compiler.Compiler):
    """The compiler of kernels."""

    def __init__(
        self,
        typing: Any,
        target: Any,
        library: Any,
        args: Any,
        returns: Any,
        flags: Any,
        local: Any,
    ) -> None:
        if library is None and FAMILIAR:
            library = Code(target.codegen(), "kernel")
            library.enable_object_caching()
        super().__init__(typing, target, library, args, returns, Flags(flags), local)

    def define_pipelines(self) -> list[Any]:
        """Numba's passes, with ours in the place of some; debuggers need numba's own."""
        managers: list[Any] = super().define_pipelines()
        flags = self.state.flags
        own = FAMILIAR and not (flags.debuginfo or flags.boundscheck)
        for manager in managers if own else ():
            manager.passes = [(INSTEAD.get(step, step), what) for step, what in manager.passes]
            manager.finalize()
        return managers


class PartCompiler(KernelCompiler):
    """The compiler of inner functions: the code goes to a part."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, Part(target.codegen(), "part"), *rest)
