"""Starting the server: a free port, an address with a token, a browser if there is one."""

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from standfast.errors import InputError
from standfast_command import loading

if TYPE_CHECKING:
    from standfast.workbench.service import Service

LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
LEAST_TOKEN = 16  # characters


@dataclass(frozen=True)
class Place:
    """Where the server listens: loopback and a free port unless given otherwise."""

    host: str = LOOPBACK
    port: int = 0
    token: str = ""

    def __post_init__(self) -> None:
        if self.token and (len(self.token) < LEAST_TOKEN or not self.token.isalnum()):
            raise InputError(
                f"the token must be at least {LEAST_TOKEN} letters and digits; leave it out for a "
                "random one"
            )

    def bind(self) -> socket.socket:
        """A socket that listens there; a port that is taken is refused with a sentence."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((self.host, self.port))
            listening.listen(128)
        except OSError as error:
            listening.close()
            raise InputError(
                f"cannot listen on {self.host} port {self.port} ({error.strerror}); choose another "
                "with --port, or leave it out for a free one"
            ) from error
        return listening


def serve(
    make: "Callable[[], Service]",
    place: Place,
    say: Callable[[str], object],
    *,
    browser: bool = True,
) -> None:
    """Serve the page until Ctrl-C; `say` is given the address, and what else there is to say.

    The browser takes its time to start and to load the page: `make` makes what it shows meanwhile.
    What can fail should be made before.
    """
    with place.bind() as listening:
        port = listening.getsockname()[1]
        token = place.token or secrets.token_urlsafe(24)
        hosts = hosts_of(place.host, port)
        address = f"http://{_written(place.host)}:{port}/?token={token}"
        say(f"the workbench is at {address}")
        if place.host != LOOPBACK:
            say("it can be reached from other machines; whoever has this address can use it")
        say("stop it with Ctrl-C; nothing is written")
        if browser and not _opened(address):
            say("no browser was found; open the address yourself")
        made = _made(make)
        import uvicorn

        from standfast.workbench.server import application

        config = uvicorn.Config(
            application(made.result, token, hosts),
            log_level="error",
            access_log=False,
            timeout_keep_alive=30,
            h11_max_incomplete_event_size=2**16,
            lifespan="off",
            ws="none",
            server_header=False,
        )
        uvicorn.Server(config).run(sockets=[listening])


def _made(make: "Callable[[], Service]") -> "Future[Service]":
    """The service, once it is there; a failure is raised to everybody who asks for it."""
    made: Future[Service] = Future()

    def run() -> None:
        with loading():
            try:
                made.set_result(make())
            except BaseException as error:
                made.set_exception(error)

    threading.Thread(target=run, name="making", daemon=True).start()
    return made


def hosts_of(host: str, port: int) -> frozenset[str]:
    """The names under which the server may be addressed."""
    names = {LOOPBACK, "localhost", "[::1]", _written(host)}
    if host in EVERYWHERE:
        with suppress(OSError):  # a machine that does not know its own name
            known = socket.getaddrinfo(socket.gethostname(), port)
            names |= {_written(str(one[4][0])) for one in known}
    return frozenset(f"{name}:{port}" for name in names)


def _written(host: str) -> str:
    """The host as an address has it; who listens everywhere is known by the machine's name."""
    if host in EVERYWHERE:
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _opened(address: str) -> bool:
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
