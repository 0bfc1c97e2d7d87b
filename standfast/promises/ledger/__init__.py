"""The ledger of promises: an append-only record in a database, tamper-evident and private."""

from standfast.errors import InputError

try:
    from standfast.promises.ledger.keys import new_key
    from standfast.promises.ledger.ledger import Ledger
    from standfast.promises.ledger.terms import Evidence, Issued, Terms
except ModuleNotFoundError as missing:
    if (missing.name or "").split(".")[0] not in ("sqlalchemy", "alembic", "cryptography"):
        raise
    raise InputError(
        f"a ledger needs {missing.name}, which is not installed; run pip install "
        "'standfast[promises]'"
    ) from missing

__all__ = ["Evidence", "Issued", "Ledger", "Terms", "new_key"]
