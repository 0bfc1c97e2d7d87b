"""Numba's compiler without the work that kernels do not need.

Numba makes every function ready to be called on its own: with all that it calls, it is optimised
and turned into machine code. For functions that only kernels call, that is work thrown away, since
the kernels take in their code and optimise it as a whole.
"""

from typing import Any

from numba.core import compiler
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

from standfast.compilation.lowering import KernelLower


class Flags(compiler.Flags):
    """Numba's flags, compared quickly: they are part of a key that every operator looks up."""

    def __hash__(self) -> int:
        return hash(frozenset(self._values))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and bool(self._values == other._values)


class Part(JITCodeLibrary):
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


INSTEAD = {NativeLowering: Writing}


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
        super().__init__(typing, target, library, args, returns, Flags(flags), local)

    def define_pipelines(self) -> list[Any]:
        """Numba's passes, with ours in the place of some; debuggers need numba's own."""
        managers: list[Any] = super().define_pipelines()
        flags = self.state.flags
        for manager in managers if not (flags.debuginfo or flags.boundscheck) else ():
            manager.passes = [(INSTEAD.get(step, step), what) for step, what in manager.passes]
            manager.finalize()
        return managers


class PartCompiler(KernelCompiler):
    """The compiler of inner functions: the code goes to a part."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, Part(target.codegen(), "part"), *rest)
