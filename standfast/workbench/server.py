"""The server: a few plain addresses, each answered on a thread, within bounds.

It stands before the library behind the answers is loaded, so that the browser loads the page
meanwhile: nothing here may import more than the server needs.
"""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import anyio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from standfast.errors import InputError, first_line
from standfast.person_view.assets import asset
from standfast.structure import parse
from standfast.workbench.refusals import BusyError, NotYetError
from standfast.workbench.security import Guard, TooLargeError, refusal

if TYPE_CHECKING:
    from standfast.workbench.service import Service

Making = Callable[[], "Service"]

WORKERS = 2  # threads that search
WAITING = 200  # requests that may wait for one
PATIENCE = 20.0  # seconds a request may wait

QUICK = ("person", "try")
SEARCHED = ("advise", "reasons", "models", "members", "price", "everybody")
PROMISED = ("promises", "gate", "repair")
EXPORTS: Mapping[str, tuple[str, str]] = {
    "advice.csv": ("text/csv; charset=utf-8", "attachment"),
    "letter.html": ("text/html; charset=utf-8", "inline"),
    "advice.py": ("text/x-python; charset=utf-8", "attachment"),
}
# a letter has its style in itself, and no script
LETTER_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox allow-modals"
)
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
}
log = logging.getLogger("standfast.workbench")


def application(made: Making, token: str, hosts: frozenset[str]) -> Starlette:
    """The page and its answers, for who has the token; answers wait until the service is made."""
    # verdicts wait for no search, and nobody for a ledger that is locked
    quick, line, slow = _Line(1), _Line(WORKERS), _Line(1)
    routes = [Route("/", partial(_file, "index.html")), Route("/assets/{name}", _asset)]
    routes.append(Route("/api/world", partial(_world, quick, made)))
    routes += [
        Route(f"/api/{name}", partial(_asked, lane, made, name), methods=["POST"])
        for lane, names in ((quick, QUICK), (line, SEARCHED), (slow, PROMISED))
        for name in names
    ]
    routes += [
        Route(f"/export/{name}", partial(_export, line, made, name, *how))
        for name, how in EXPORTS.items()
    ]
    guard = Middleware(Guard, token=token, hosts=hosts)
    handlers = {404: _unknown, 405: _unknown, Exception: _failed}
    return Starlette(routes=routes, middleware=[guard], exception_handlers=handlers)


class _Line:
    """The queue before the threads: bounded in length and in time."""

    def __init__(self, workers: int) -> None:
        self.free, self.waiting = anyio.Semaphore(workers), 0

    async def run(self, answer: Callable[[], Any]) -> Any:
        """An answer from a thread; a search bounds its own time."""
        if self.waiting >= WAITING:
            raise BusyError("Too many requests; try again in a moment.")
        self.waiting += 1
        try:
            with anyio.fail_after(PATIENCE):
                await self.free.acquire()
        finally:
            self.waiting -= 1
        try:
            return await anyio.to_thread.run_sync(answer)
        finally:
            self.free.release()


def _answer(made: Making, name: str, body: Any) -> Any:
    service = made()
    from standfast.workbench.answers import ANSWERS

    return ANSWERS[name](service, body)


async def _answered(line: _Line, made: Making, name: str, body: Any) -> Any:
    """The answer, or a refusal in one sentence."""
    try:
        return await line.run(partial(_answer, made, name, body))
    except InputError as error:
        return refusal(422, _sentence(str(error)))
    except NotYetError as error:
        return JSONResponse({"waiting": str(error)}, 202)
    except BusyError as error:
        return refusal(503, str(error))
    except TimeoutError:
        return refusal(504, f"Not answered within {PATIENCE:g} seconds; ask again.")
    except Exception as error:
        log.exception("a question was not answered")
        return refusal(500, f"{type(error).__name__}: {first_line(error)}")


async def _asked(line: _Line, made: Making, name: str, request: Request) -> Response:
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/json":
        return refusal(415, "Questions are asked in JSON.")
    try:
        text = (await request.body()).decode("utf-8")
        body = parse(text)
    except TooLargeError:
        return refusal(413, "The request is too large.")
    except (UnicodeDecodeError, InputError) as error:
        return refusal(400, _sentence(f"The request cannot be read: {first_line(error)}"))
    except ClientDisconnect:
        return refusal(400, "The request broke off.")
    found = await _answered(line, made, name, body)
    return found if isinstance(found, Response) else JSONResponse(found)


async def _world(line: _Line, made: Making, request: Request) -> Response:
    found = await _answered(line, made, "world", None)
    return found if isinstance(found, Response) else JSONResponse(found)


async def _export(
    line: _Line,
    made: Making,
    name: str,
    kind: str,
    shown: str,
    request: Request,
) -> Response:
    try:
        body = parse(request.query_params.get("q", "{}"))
    except InputError as error:
        return refusal(400, _sentence(f"The address cannot be read: {error}"))
    found = await _answered(line, made, name, body)
    if isinstance(found, Response):
        return found
    headers = {"Content-Disposition": f'{shown}; filename="{name}"'}
    if kind.startswith("text/html"):
        headers["Content-Security-Policy"] = LETTER_POLICY
    return Response(found, headers=headers, media_type=kind)


async def _file(name: str, request: Request) -> Response:
    return Response(_text(name), media_type=f"{TYPES[name[name.rindex('.') :]]}; charset=utf-8")


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _names():
        return refusal(404, "There is no such file.")
    return await _file(name, request)


def _names() -> list[str]:
    shipped = files("standfast.workbench") / "assets"
    return ["person.js", "person.css", *(one.name for one in shipped.iterdir())]


def _text(name: str) -> str:
    if name.startswith("person."):
        return asset(name)
    return (files("standfast.workbench") / "assets" / name).read_text(encoding="utf-8")


async def _unknown(request: Request, error: Exception) -> Response:
    return refusal(getattr(error, "status_code", 404), "There is nothing at this address.")


async def _failed(request: Request, error: Exception) -> Response:
    return refusal(500, f"{type(error).__name__}: {first_line(error)}")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"
