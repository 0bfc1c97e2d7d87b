"""Values of which a kernel mostly uses parts: written down when one is asked for as a whole."""

from dataclasses import dataclass
from typing import Any

from standfast.compilation.struct import WORD, whole_array


class Unwritten:
    """A value that LLVM has not been told yet."""

    def written(self, lower: Any) -> Any:
        """The value as numba hands it on."""
        raise TypeError(f"a {type(self).__name__.lower()} is never handed on as a whole")


@dataclass(frozen=True, eq=False)
class View(Unwritten):
    """An array whose items lie side by side: the address of the first, and its lengths.

    Somebody else keeps it alive.
    """

    typ: Any
    data: Any
    shape: tuple[Any, ...]

    def written(self, lower: Any) -> Any:
        """The array as numba hands it on."""
        return whole_array(lower.context, lower.builder, self.typ, self.data, self.shape)


@dataclass(frozen=True, eq=False)
class Items(Unwritten):
    """A tuple."""

    typ: Any
    values: tuple[Any, ...]

    def written(self, lower: Any) -> Any:
        """The tuple as numba hands it on."""
        values = [v.written(lower) if isinstance(v, Unwritten) else v for v in self.values]
        return lower.context.make_tuple(lower.builder, self.typ, values)


@dataclass(frozen=True, eq=False)
class Slice(Unwritten):
    """The items from `start` on that come before `stop`; None stands for the array's ends."""

    typ: Any
    start: Any
    stop: Any

    def written(self, lower: Any) -> Any:
        """The slice as numba hands it on."""
        made = lower.context.make_helper(lower.builder, self.typ)
        made.start = WORD(0) if self.start is None else self.start
        made.stop = WORD(2**63 - 1) if self.stop is None else self.stop
        made.step = WORD(1)
        return made._getvalue()


@dataclass(frozen=True, eq=False)
class Range(Unwritten):
    """Whole numbers from `start` on that come before `stop`, in steps of a constant."""

    typ: Any
    start: Any
    stop: Any
    step: int

    def written(self, lower: Any) -> Any:
        """The range as numba hands it on."""
        made = lower.context.make_helper(lower.builder, self.typ)
        made.start, made.stop = self.start, self.stop
        made.step = self.start.type(self.step)
        return made._getvalue()


@dataclass(frozen=True, eq=False)
class Walk(Unwritten):
    """A loop under way through a range or an array: where it stands is kept in `place`."""

    through: Range | View
    place: Any


@dataclass(frozen=True, eq=False)
class Next(Unwritten):
    """Where a loop stands: the item, and whether there is one."""

    item: Any
    there: Any
