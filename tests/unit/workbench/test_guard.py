"""Who is let in, and what everybody else is told."""

import json
import socket

import pytest
from samples.workbench import TOKEN

from standfast.workbench.security import HEADERS, MOST_BYTES
from standfast.workbench.serve import hosts_of

JSON = {"Content_Type": "application/json"}
KNOWN = {"X_Standfast_Token": TOKEN}


def sentence(text: bytes) -> str:
    shown = json.loads(text)["error"]
    assert shown[0].isupper()
    assert shown.endswith(".")
    assert "\n" not in shown
    assert "Traceback" not in shown
    return shown


@pytest.mark.parametrize("path", ["/", "/assets/app.js", "/api/world", "/export/advice.csv"])
def test_nothing_is_shown_without_the_token(server, path):
    status, headers, text = server.send("GET", path)
    assert status == 401
    assert "needs the address" in sentence(text)
    assert "set-cookie" not in {name.lower() for name in headers}


@pytest.mark.parametrize("token", ["", "x", TOKEN[:-1], TOKEN + "x", "%00", "é"])
def test_a_wrong_token_opens_nothing(server, token):
    from urllib.parse import quote

    assert server.send("GET", f"/?token={quote(token)}")[0] == 401


def test_the_address_gives_a_cookie_and_the_cookie_the_page(server):
    status, headers, _ = server.send("GET", f"/?token={TOKEN}")
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    status, headers, text = server.send("GET", "/", Cookie=cookie.partition(";")[0])
    assert status == 200
    assert b"standfast workbench" in text
    for name, value in HEADERS.items():
        assert headers[name.lower()] == value


def test_the_policy_lets_nothing_in_from_elsewhere():
    policy = HEADERS["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "localhost:1"])
def test_another_name_for_this_server_is_refused(server, host):
    status, _, text = server.send("GET", "/api/world", Host=host, **KNOWN)
    assert status == 421
    sentence(text)


def test_who_listens_everywhere_is_known_by_the_machines_names():
    known = hosts_of("0.0.0.0", 8000)
    assert {f"{socket.gethostname()}:8000", "127.0.0.1:8000", "localhost:8000"} <= known
    assert hosts_of("192.0.2.7", 80) == {
        *("127.0.0.1:80", "localhost:80", "[::1]:80", "192.0.2.7:80")
    }


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "\\"])
def test_requests_from_other_origins_are_refused(server, origin):
    body = json.dumps({"person": 1}).encode()
    status, _, text = server.send("POST", "/api/person", body, Origin=origin, **JSON, **KNOWN)
    assert status == 403
    sentence(text)


def test_a_request_that_another_site_caused_is_refused(server):
    shown = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors", **KNOWN}
    assert server.send("GET", "/api/world", **shown)[0] == 403
    shown["Sec_Fetch_Mode"] = "navigate"
    assert server.send("GET", "/export/advice.csv", **shown)[0] == 403
    assert server.send("GET", "/", **shown)[0] == 200  # a link to the page itself


def test_its_own_origin_is_let_in(server):
    body = json.dumps({"person": 1}).encode()
    origin = f"http://127.0.0.1:{server.port}"
    assert server.send("POST", "/api/person", body, Origin=origin, **JSON, **KNOWN)[0] == 200


def test_a_large_body_is_refused_before_it_is_read(server):
    status, _, text = server.send("POST", "/api/person", b"x" * (MOST_BYTES + 1), **JSON, **KNOWN)
    assert status == 413
    sentence(text)


def test_a_body_without_a_length_is_bounded_too(server):
    def endless():
        for _ in range(2 * MOST_BYTES // 1024):
            yield b"x" * 1024

    try:
        status, _, text = server.send("POST", "/api/person", endless(), **JSON, **KNOWN)
    except (BrokenPipeError, ConnectionResetError):
        return  # cut off while it was still sending
    assert status == 413
    sentence(text)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH"])
def test_other_methods_are_refused(server, method):
    assert server.send(method, "/api/person", **KNOWN)[0] == 405


@pytest.mark.parametrize(
    "path",
    [
        "/assets/..%2f..%2fworld.py",
        "/assets/nothing.js",
        "/assets/__init__.py",
        "/etc/passwd",
        "/api/nothing",
        "//",
    ],
)
def test_nothing_else_is_served(server, path):
    status, text = server.get(path)
    assert status == 404
    sentence(text.encode())


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_only_json_is_read(server, kind):
    status, _, text = server.send("POST", "/api/person", b"{}", Content_Type=kind, **KNOWN)
    assert status == 415
    sentence(text)
