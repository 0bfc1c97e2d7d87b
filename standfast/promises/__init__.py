"""What people were promised, and what keeps it: ledger, gate, repair."""

from standfast.promises.promise import Promises

__all__ = ["Promises"]
