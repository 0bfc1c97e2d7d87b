"""Who may ask: the right host, origin and token, and no more than so many bytes."""

import hmac
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 2**16  # of a request's body
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
STRANGER = "This page needs the address that 'standfast workbench' printed, with its token."


@dataclass(frozen=True)
class Guard:
    """Middleware that lets in only who opened the printed address, from this very page.

    `hosts` are the names under which the server may be addressed, with its port: another name that
    leads here is another site's doing. The token comes once in the address, and then in a cookie
    that no other site's page can send.
    """

    app: ASGIApp
    token: str
    hosts: frozenset[str]

    @property
    def cookie(self) -> str:
        """The cookie's name: cookies are shared by the ports of a host."""
        return f"standfast_{min(self.hosts).rpartition(':')[2]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer by oneself, or pass the request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers) or self._welcome(scope, headers)
        if answer is not None:
            answer.headers.update(HEADERS)
            await answer(scope, receive, send)
            return
        await self.app(scope, _bounded(receive), _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        if headers.get("host", "") not in self.hosts:
            return refusal(421, "This server does not go by that name.")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc not in self.hosts:
            return refusal(403, "Requests from other sites are refused.")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            # a link that somebody was sent may open the page itself
            opened = headers.get("sec-fetch-mode") == "navigate" and scope["path"] == "/"
            if not opened or scope["method"] != "GET":
                return refusal(403, "Requests from other sites are refused.")
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return refusal(405, "Only GET and POST are answered.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            return refusal(413, f"A request may hold at most {MOST_BYTES} bytes.")
        return None

    def _welcome(self, scope: Scope, headers: Headers) -> Response | None:
        """The page's own address with the token: kept in a cookie, and gone from the address."""
        known = cookie_parser(headers.get("cookie", "")).get(self.cookie, "")
        if self._is_token(known) or self._is_token(headers.get("x-standfast-token", "")):
            return None
        query = scope["query_string"].decode("latin-1")
        given = parse_qs(query).get("token", [""])[0] if len(query) < 1000 else ""
        if scope["path"] != "/" or not self._is_token(given):
            return refusal(401, STRANGER)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
        return answer

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())


def refusal(status: int, sentence: str) -> JSONResponse:
    """A refusal in one sentence."""
    return JSONResponse({"error": sentence}, status)


class TooLargeError(Exception):
    """A body that goes on beyond its bound."""


def _bounded(receive: Receive) -> Receive:
    """The body, as long as it keeps within its bound: its length may not have been stated."""
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST_BYTES:
            raise TooLargeError
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            message["headers"] += [
                (name.lower().encode(), value.encode())
                for name, value in HEADERS.items()
                if name.lower().encode() not in present
            ]
        await send(message)

    return sending
