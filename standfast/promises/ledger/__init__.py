"""The ledger of promises: an append-only record in a database, tamper-evident and private."""

from standfast.errors import InputError

try:
    from standfast.promises.ledger.checking import Checked
    from standfast.promises.ledger.keys import new_key
    from standfast.promises.ledger.ledger import Ledger
    from standfast.promises.ledger.states import State
    from standfast.promises.ledger.terms import Evidence, Issued, Terms
    from standfast.promises.ledger.verifying import Verified
except ModuleNotFoundError as missing:
    if (missing.name or "").split(".")[0] not in ("sqlalchemy", "alembic", "cryptography"):
        raise
    raise InputError(
        f"a ledger needs {missing.name}, which is not installed; run pip install "
        "'standfast[promises]'"
    ) from missing

__all__ = ["Checked", "Evidence", "Issued", "Ledger", "State", "Terms", "Verified", "new_key"]
