"""What databases complain about, as sentences that name no person and no password."""

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from standfast.errors import InputError, first_line

# what a complaint contains, and what it means for who reads it
MEANINGS = (
    (("is locked", "lock timeout"), "another process is writing to it; try again when it is done"),
    (("readonly", "read-only"), "it is read-only; nothing was written"),
    (("disk is full", "no space left", "disk full", "could not extend"), "the disk is full; "
     "nothing of this step was kept: make room and do it again"),
    (("not a database",), "it is not a ledger: the file is no database"),
    (("malformed", "disk i/o error", "corrupt", "could not decode", "invalid page"), "the database "
     "is damaged; restore a copy and check it with 'standfast ledger verify'"),
    (("unable to open",), "it cannot be opened; check the path and who may read it"),
    (("password authentication", "no password"), "the password or the user is wrong"),
    (("permission denied", "not authorized"), "this user may not do that in the database"),
    (("role",), "this user does not exist there"),
    (("connection refused", "connection failed", "could not translate", "timeout", "no such file",
      "is the server running", "failed to resolve", "connection is bad"),
     "the server does not answer; check the address"),
    (("does not exist", "no such table", "no such column"), "it does not hold what a ledger "
     "holds; make one with 'standfast ledger init'"),
)  # fmt: skip


@contextmanager
def speaking(where: str) -> Iterator[None]:
    """A database's complaint within becomes one sentence that names the ledger."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        raise InputError(f"ledger '{where}': {meaning(error)}") from error
    except (sa.exc.SQLAlchemyError, UnicodeError) as error:
        said = first_line(error)
        raise InputError(f"ledger '{where}' cannot be used: {said}") from error


def meaning(error: sa.exc.DBAPIError) -> str:
    """What a complaint means; what we do not know is given in the database's own words."""
    said = first_line(error.orig) if error.orig is not None else first_line(error)
    low = said.lower()
    for signs, sentence in MEANINGS:
        if any(sign in low for sign in signs):
            return sentence
    return f"the database says: {said}"
