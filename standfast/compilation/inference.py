"""The types of a kernel's variables, worked out once.

Numba asks again for the type of every step whenever it has learnt anything about any other one, and
goes through all that it knows about an operator each time. Here a step is asked again if the types
that it read have changed, and what an operator gives is remembered.
"""

from typing import Any

from numba.core import errors, typed_passes, typeinfer, types
from numba.core.compiler_machinery import register_pass
from numba.core.typing import signature

# what an operator gives, for the types it is given, by whether references are counted
_remembered: dict[Any, Any] = {}


class Variables(typeinfer.TypeVarMap):  # type: ignore[misc]
    """The types found so far; it notes who is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.asked.add(name)
        return super().__getitem__(name)


class Steps(typeinfer.ConstraintNetwork):  # type: ignore[misc]
    """The steps of a kernel, each of which says something about the types of some variables."""

    def __init__(self) -> None:
        super().__init__()
        self._read: dict[int, list[tuple[Any, Any]]] = {}

    def propagate(self, inferer: Any) -> list[Any]:
        """Ask the steps whose variables have changed; gives the errors that are left."""
        failures: list[Any] = []
        variables = inferer.typevars
        for step in self.constraints:
            read = self._read.get(id(step))
            if read is not None and all(variable.type is known for variable, known in read):
                continue
            variables.asked = set()
            try:
                step(inferer)
            except errors.ForceLiteralArg as error:
                failures.append(error)
            except errors.TypingError as error:
                failures.append(errors.TypingError(str(error), loc=step.loc, highlighting=False))
            else:
                found = [variables[name] for name in tuple(variables.asked)]
                self._read[id(step)] = [(variable, variable.type) for variable in found]
        return failures


class KernelInferer(typeinfer.TypeInferer):  # type: ignore[misc]
    """Numba's inference of types, with a memory."""

    def __init__(self, context: Any, func_ir: Any, warnings: Any, counts: bool) -> None:
        super().__init__(context, func_ir, warnings)
        self.typevars = Variables()
        self.typevars.set_context(context)
        self.constraints = Steps()
        self._counts = counts

    def resolve_call(self, fnty: Any, pos_args: Any, kw_args: Any) -> Any:
        """What a call gives: its signature."""
        if kw_args or (isinstance(fnty, types.Type) and not isinstance(fnty, types.Function)):
            return super().resolve_call(fnty, pos_args, kw_args)
        key = self._counts, fnty, tuple(pos_args)
        found = _remembered.get(key)
        if found is None:
            found = self._extreme(fnty, pos_args) or super().resolve_call(fnty, pos_args, kw_args)
            if found is not None:
                _remembered[key] = found
        return found

    def _extreme(self, fnty: Any, args: Any) -> Any:
        """The signature of `max` and `min` of numbers, which numba would compile apart."""
        if getattr(fnty, "typing_key", None) not in (max, min) or len(args) < 2:
            return None
        if not all(isinstance(arg, types.Integer | types.Float) for arg in args):
            return None
        plain = [types.unliteral(arg) for arg in args]
        return signature(self.context.unify_types(*plain), *plain)


@register_pass(mutates_CFG=True, analysis_only=False)
class Typing(typed_passes.NopythonTypeInference):  # type: ignore[misc]
    """Numba's pass that finds the types, with a memory."""

    _name = "standfast_typing"

    def run_pass(self, state: Any) -> bool:
        """Find the types of all variables and the signatures of all calls."""
        function, counts = state.func_id.func_name, state.targetctx.enable_nrt
        with typed_passes.fallback_context(state, f'Function "{function}" failed type inference'):
            warnings = errors.WarningsFixer(errors.NumbaWarning)
            inferer = KernelInferer(state.typingctx, state.func_ir, warnings, counts)
            frame = state.typingctx.callstack.register(
                state.targetctx.target, inferer, state.func_id, state.args
            )
            with frame, warnings, warnings.catch_warnings():
                for k, name in enumerate(state.func_ir.arg_names):
                    inferer.seed_argument(name, k, state.args[k])
                if state.return_type is not None:
                    inferer.seed_return(state.return_type)
                inferer.build_constraint()
                inferer.propagate()
                state.typemap, state.return_type, state.calltypes = inferer.unify()
            state.typing_errors = None
            if isinstance(state.return_type, types.Array) and not counts:
                raise errors.NumbaTypeError("an inner function cannot return an array")
        return True
