"""Where a ledger lives: a SQLite file or a PostgreSQL database, and its transactions."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import URL, ColumnElement, Connection, Engine, event
from sqlalchemy.pool import StaticPool

from standfast.errors import InputError, first_line, type_of

BUSY = 30.0  # seconds to wait for another writer before saying so
MANY = 5000  # rows handed to the driver at a time
CACHE = 64 * 1024  # KiB of a SQLite file's pages held in memory
DRIVERS = {"sqlite": "sqlite+pysqlite", "postgresql": "postgresql+psycopg"}
EXAMPLES = "'promises.db', 'sqlite:///promises.db' or 'postgresql+psycopg://user@host/name'"


@dataclass(frozen=True, eq=False)
class Store:
    """One database: `reading` sees one state of it, `writing` is all or nothing, one at a time."""

    engine: Engine
    where: str

    @classmethod
    def at(cls, url: Any) -> "Store":
        """The database at a path or an address; nothing is opened yet."""
        address = address_of(url)
        where = address.render_as_string(hide_password=True)
        if address.get_backend_name() == "sqlite":
            return cls(_sqlite(address), address.database or where)
        try:
            engine = sa.create_engine(address, hide_parameters=True)
        except (ModuleNotFoundError, sa.exc.ArgumentError, TypeError, ValueError) as error:
            raise _undriven(error, where) from error
        return cls(engine, where)

    @property
    def file(self) -> Path | None:
        """The SQLite file, if the ledger is one and not in memory."""
        name = self.engine.url.database
        if self.engine.dialect.name != "sqlite" or not name or name == ":memory:":
            return None
        return None if name.startswith("file:") else Path(name)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state of the ledger, whatever others write meanwhile."""
        with speaking(self.where), self.engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection whose work is kept as a whole or not at all; other writers wait."""
        with speaking(self.where), self.engine.connect() as connection:
            connection = connection.execution_options(standfast_writes=True)
            with connection.begin():
                yield connection

    def vacuum(self) -> None:
        """Clear away what was deleted; SQLite has overwritten it already."""
        if self.engine.dialect.name == "postgresql":
            with speaking(self.where), self.engine.connect() as connection:
                bare = connection.execution_options(isolation_level="AUTOCOMMIT")
                bare.execute(sa.text("VACUUM keys"))

    @contextmanager
    def closed_on_error(self) -> Iterator["Store"]:
        """The store itself; if something goes wrong, the database is let go of."""
        try:
            yield self
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()


def insert(connection: Connection, table: sa.Table, rows: Sequence[Sequence[Any]]) -> None:
    """Many rows in the order of the table's columns, as the driver takes them."""
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    names = ", ".join(column.name for column in table.columns)
    marks = ", ".join([mark] * len(table.columns))
    command = f"INSERT INTO {table.name} ({names}) VALUES ({marks})"
    for start in range(0, len(rows), MANY):
        connection.exec_driver_sql(command, [tuple(row) for row in rows[start : start + MANY]])


def among(connection: Connection, column: Any, values: Sequence[int]) -> ColumnElement[bool]:
    """Whether a column's whole number is one of many: more than a statement has room to list."""
    if connection.dialect.name == "sqlite":
        listed = sa.func.json_each(json.dumps(list(values))).table_valued("value")
        return column.in_(sa.select(listed.c.value))  # type: ignore[no-any-return]
    from sqlalchemy.dialects.postgresql import ARRAY

    given = sa.cast(sa.literal(list(values), ARRAY(sa.BigInteger)), ARRAY(sa.BigInteger))
    return column == sa.any_(given)  # type: ignore[no-any-return]


def address_of(url: Any) -> URL:
    """What a path or an address names; what is neither is refused with a sentence."""
    if not isinstance(url, str | Path):
        raise InputError(f"the ledger's address is {type_of(url)}; give {EXAMPLES}")
    bare = isinstance(url, Path)
    url = str(url)
    if not url.strip() or any("\ud800" <= c <= "\udfff" or c == "\x00" for c in url):
        raise InputError(f"the ledger's address is empty or unprintable; give {EXAMPLES}")
    if bare or "://" not in url:
        return _of_path(url)
    try:
        address = sa.make_url(url)
        backend, driver = address.get_backend_name(), address.drivername
    except (sa.exc.ArgumentError, ValueError, TypeError) as error:
        raise InputError(f"the ledger's address cannot be read; give {EXAMPLES}") from error
    if backend not in DRIVERS or driver not in (backend, DRIVERS[backend]):
        raise InputError(
            f"the ledger's address asks for {driver!r}; standfast keeps ledgers in SQLite and "
            f"PostgreSQL: give {EXAMPLES}"
        )
    return address.set(drivername=DRIVERS[backend])


def _of_path(path: str) -> URL:
    if len(path) < 6 and ":" in path and not Path(path).suffix:
        raise InputError(f"{path!r} is not a ledger's address; give {EXAMPLES}")
    return URL.create(DRIVERS["sqlite"], database=path)


def _undriven(error: Exception, where: str) -> InputError:
    if isinstance(error, ModuleNotFoundError):
        return InputError(
            f"a ledger in PostgreSQL needs {error.name}, which is not installed; run pip install "
            "'standfast[postgresql]'"
        )
    return InputError(f"the ledger's address '{where}' cannot be used; give {EXAMPLES}")


def _sqlite(address: URL) -> Engine:
    """An engine whose transactions begin as they should, and whose deletions leave no bytes."""
    memory = address.database in (None, "", ":memory:")
    settings: dict[str, Any] = {"connect_args": {"timeout": BUSY}, "hide_parameters": True}
    if "timeout" in address.query:
        settings["connect_args"] = {}
    if memory:
        settings |= {"poolclass": StaticPool}
        settings["connect_args"]["check_same_thread"] = False
    try:
        engine = sa.create_engine(address, **settings)
    except (sa.exc.ArgumentError, TypeError, ValueError) as error:
        raise _undriven(error, address.render_as_string()) from error

    @event.listens_for(engine, "connect")
    def prepared(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # we say ourselves where a transaction begins
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA cache_size = -{CACHE}")

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get("standfast_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


# what a complaint contains, and what it means for who reads it
MEANINGS = (
    (("is locked", "lock timeout"), "another process is writing to it; try again when it is done"),
    (("readonly", "read-only"), "it is read-only; nothing was written"),
    (("disk is full", "no space left", "disk full", "could not extend"), "the disk is full; "
     "nothing of this step was kept: make room and do it again"),
    (("not a database",), "it is not a ledger: the file is not a database"),
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
