"""A real PostgreSQL server on a local socket, for tests; nobody else sees it."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

ABSENT = "no PostgreSQL server is installed here"


def binaries() -> Path | None:
    """The folder of initdb and pg_ctl, if there is a server on this machine."""
    asked = []
    if shutil.which("pg_config"):
        said = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True)
        asked.append(Path(said.stdout.strip()))
    usual = Path("/usr/lib/postgresql")
    asked += sorted(usual.glob("*/bin"), reverse=True) if usual.is_dir() else []
    if found := shutil.which("initdb"):
        asked.append(Path(found).resolve().parent)
    return next((p for p in asked if (p / "initdb").exists() and (p / "pg_ctl").exists()), None)


def _as_nobody() -> list[str]:
    """PostgreSQL refuses to run as root: another user starts it then."""
    if os.getuid() != 0:
        return []
    user = "postgres" if _exists("postgres") else "nobody"
    entry = pwd.getpwnam(user)
    return [
        *("setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"),
    ]


def _exists(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True


@contextmanager
def running() -> Iterator[str | None]:
    """The address of a server's empty database; None where no server can be started."""
    folder = binaries()
    as_nobody = _as_nobody()
    if folder is None or (as_nobody and shutil.which("setpriv") is None):
        yield None
        return
    home = Path(tempfile.mkdtemp(prefix="standfast-pg-"))  # short: a socket's path may not be long
    if as_nobody:
        shutil.chown(home, user="postgres" if _exists("postgres") else "nobody")
    data = home / "data"

    def run(name: str, *arguments: object) -> None:
        command = [*as_nobody, str(folder / name), *map(str, arguments)]
        subprocess.run(command, check=True, capture_output=True, cwd=home)

    try:
        run("initdb", "-D", data, "-U", "keeper", "-A", "trust", "--no-sync", "-E", "UTF8")
        asked = f"-c listen_addresses='' -c unix_socket_directories='{home}' -c fsync=off"
        run("pg_ctl", "-D", data, "-l", home / "log", "-w", "-o", asked, "start")
        try:
            yield f"postgresql+psycopg://keeper@/postgres?host={quote(str(home), safe='')}"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)
