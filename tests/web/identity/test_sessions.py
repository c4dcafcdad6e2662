"""One-time links, session cookies, and whose pages may change something."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import Response

from tablewright.web.http.openapi import document
from tablewright.web.http.problems import Problem
from tablewright.web.http.routing import Router
from tablewright.web.identity.bearer import Bearer
from tablewright.web.identity.origins import Origins
from tablewright.web.identity.sessions import LinkToken, SessionCookie, digest
from tablewright.web.server.app import add_routes
from tablewright.web.server.server_settings import Settings

COOKIE = SessionCookie("session", path="/x", seconds=60, is_https=True)


def asked(method: str = "POST", **headers: str) -> Request:
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope: dict[str, Any] = {"type": "http", "method": method, "headers": pairs}
    return Request(scope)


def test_a_token_is_read_back_and_fits_only_its_own_hash() -> None:
    token, other = LinkToken.new(), LinkToken.new()
    assert LinkToken.parse(str(token)) == token
    assert token.fits(digest(token.secret))
    assert not token.fits(digest(other.secret))
    assert digest("x") == hashlib.sha256(b"x").hexdigest()


@pytest.mark.parametrize(
    "text", ["", ".", "x.y", "0" * 32, f"{'0' * 32}.", f"{'g' * 32}.{'A' * 43}"]
)
def test_what_is_no_token_is_none(text: str) -> None:
    assert LinkToken.parse(text) is None


def test_a_cookie_is_given_read_and_taken() -> None:
    value, response = COOKIE.new(), Response()
    COOKIE.give(response, value)
    told = set(response.headers["set-cookie"].split("; "))
    rest = {"HttpOnly", "SameSite=Lax", "Secure", "Path=/x"}
    assert told == {f"session={value}", "Max-Age=60"} | rest
    assert COOKIE.id_of(asked(cookie=f"a=b; session={value}")) == digest(value)
    assert COOKIE.id_of(asked()) is None
    assert COOKIE.id_of(asked(cookie=f"session={'x' * 201}")) is None
    gone = Response()
    COOKIE.take(gone)
    assert "Max-Age=0" in gone.headers["set-cookie"]


def is_let(origins: Origins, request: Request) -> bool:
    try:
        origins.require(request)
    except Problem as problem:
        return (problem.status, problem.code) != (403, "forbidden_origin")
    return True


@pytest.mark.parametrize(
    ("origin", "is_known"),
    [
        ("https://own.example", True),
        ("https://OWN.example:443", True),
        ("https://app.example:8443", True),
        ("http://own.example", False),
        ("https://own.example:444", False),
        ("https://app.example", False),
        ("https://own.example.evil.example", False),
        ("https://evil.example", False),
        ("null", False),
        ("", False),
        ("https://own.example:x", False),
    ],
)
def test_only_known_origins_may_change_something(origin: str, is_known: bool) -> None:
    origins = Origins(
        Settings(public_url="https://own.example/base", allow_origins=("https://app.example:8443",))
    )
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert is_let(origins, asked(method, origin=origin)) == is_known
        assert is_let(origins, asked(method))
    assert is_let(origins, asked("GET", origin=origin))


def test_where_all_origins_are_allowed_cookies_still_need_a_known_one() -> None:
    origins = Origins(Settings(allow_origins=("*",)))
    assert is_let(origins, asked(origin="https://evil.example"))
    assert not is_let(origins, asked(origin="https://evil.example", cookie="session=x"))
    assert is_let(origins, asked(origin="http://127.0.0.1:8080", cookie="session=x"))


def test_a_server_on_a_loopback_address_is_known_by_its_names_there() -> None:
    local = Origins(Settings(port=8123))
    for host in ("localhost", "127.0.0.1", "[::1]"):
        assert is_let(local, asked(origin=f"http://{host}:8123"))
        assert not is_let(local, asked(origin=f"http://{host}:8124"))
        assert not is_let(local, asked(origin=f"https://{host}:8123"))
    public = Origins(Settings(public_url="http://own.example:8123"))
    assert not is_let(public, asked(origin="http://localhost:8123"))


def test_the_document_names_a_cookie_where_there_is_one() -> None:
    router = Router()

    @router.get("/own")
    async def own(caller: Bearer) -> None: ...

    @router.get("/open")
    async def anybody() -> None: ...

    app = FastAPI()
    document(app, cookie="session")
    add_routes(app, router)
    openapi = app.openapi()
    scheme = {"type": "apiKey", "in": "cookie", "name": "session"}
    assert openapi["components"]["securitySchemes"]["session"] == scheme
    assert openapi["paths"]["/own"]["get"]["security"] == [{"bearer": []}, {"session": []}]
    assert "security" not in openapi["paths"]["/open"]["get"]
