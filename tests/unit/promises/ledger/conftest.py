from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from samples import server


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """A server's address; tests are skipped where there is none."""
    with server.running() as address:
        if address is None:
            pytest.skip(server.ABSENT)
        yield address


@pytest.fixture
def database(postgresql: str) -> str:
    """An empty database of the server."""
    engine = sa.create_engine(postgresql, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        taken = set(connection.execute(sa.text("SELECT datname FROM pg_database")).scalars())
        name = next(f"ledger{k}" for k in range(1000) if f"ledger{k}" not in taken)
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return postgresql.replace("/postgres?", f"/{name}?")


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new ledger can be made, in both kinds of database."""
    if request.param == "SQLite":
        return f"sqlite:///{tmp_path / 'promises.db'}"
    return str(request.getfixturevalue("database"))
