"""How a ledger's tables come about, version by version."""

import os
from pathlib import Path

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

FOLDERS = [Path(__file__).parent / "versions"]


def upgrade(connection: Connection) -> None:
    """Bring the tables to the newest version, within the connection's transaction.

    Who calls this for a ledger that holds something writes an event with the fingerprint of the
    tables afterwards. A column that a migration adds to people or decisions is not part of the
    hashes of earlier batches.
    """
    config = Config()
    folders = os.pathsep.join(str(folder) for folder in FOLDERS)
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("version_locations", folders.replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    script = ScriptDirectory.from_config(config)

    def steps(revision: object, context: object) -> object:
        return script._upgrade_revs("head", revision)  # type: ignore[arg-type]

    with EnvironmentContext(config, script, fn=steps) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()
