"""Web pages as callers: pages of this machine are allowed, others are rejected.

The headers are those of the Fetch standard, "CORS protocol". DynamoDB allows all pages, because
requests are signed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tablewright.wire.admission import Access
from tablewright.wire.lifecycle import ThreadedServer
from tablewright.wire.signatures import Verifier

from .raw_client import Response, ask, connect, engine, is_closed, post

OWN, FOREIGN = "http://localhost:3000", "https://evil.example"


@contextmanager
def line_to(**options: Any) -> Iterator[Any]:
    with ThreadedServer(engine(), **options) as server, connect(server) as opened:
        yield opened


@pytest.fixture
def line() -> Iterator[Any]:
    with line_to() as opened:
        yield opened


def preflight(origin: str, *more: str) -> bytes:
    head = [
        "OPTIONS / HTTP/1.1",
        "Host: localhost",
        f"Origin: {origin}",
        "Access-Control-Request-Method: POST",
        *more,
    ]
    return "\r\n".join([*head, "", ""]).encode()


def cors(answer: Response) -> list[str]:
    return sorted(name for name in answer.headers if name.startswith("access-control-"))


@pytest.mark.parametrize("origin", [OWN, "https://127.0.0.1", "http://[::1]:8080"])
def test_a_page_of_this_machine_may_call_and_read(line: Any, origin: str) -> None:
    for operation, status in (("Echo", 200), ("Refuse", 400), ("Nothing", 400)):
        answer = ask(line, post(b"{}", operation, f"Origin: {origin}"))
        assert answer.status == status
        assert answer.headers["access-control-allow-origin"] == origin
        assert answer.headers["vary"] == "Origin"
        exposed = answer.headers["access-control-expose-headers"].lower().split(", ")
        assert exposed == ["x-amzn-requestid", "x-amzn-errortype", "x-amz-crc32", "date"]
        assert "access-control-allow-credentials" not in answer.headers


def test_a_page_may_also_read_health_and_errors(line: Any) -> None:
    for request, status in (
        (f"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: {OWN}\r\n\r\n".encode(), 200),
        (f"PUT / HTTP/1.1\r\nHost: localhost\r\nOrigin: {OWN}\r\n\r\n".encode(), 404),
        (post(b"{}", "Echo", f"Origin: {OWN}").replace(b"json", b"yaml"), 404),
    ):
        answer = ask(line, request)
        assert answer.status == status
        assert answer.headers["access-control-allow-origin"] == OWN


def test_a_preflight_request_gets_the_allowed_methods_and_headers(line: Any) -> None:
    names = "authorization,content-type,x-amz-date,x-amz-target"
    answer = ask(line, preflight(OWN, f"Access-Control-Request-Headers: {names}"))
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["access-control-allow-origin"] == OWN
    assert "POST" in answer.headers["access-control-allow-methods"].split(", ")
    assert answer.headers["access-control-allow-headers"] == names
    assert int(answer.headers["access-control-max-age"]) == 172_800
    assert ask(line, post(b"{}", "Echo", f"Origin: {OWN}")).status == 200


def test_a_foreign_page_is_refused_and_nothing_is_done(line: Any) -> None:
    for operation in ("Echo", "Fail"):
        answer = ask(line, post(b"{}", operation, f"Origin: {FOREIGN}"))
        assert answer.status == 403
        body = json.loads(answer.body)
        assert body["__type"] == "com.amazon.coral.service#AccessDeniedException"
        assert FOREIGN in body["message"]
        assert "--allow-origin" in body["message"]
        assert cors(answer) == []


def test_a_foreign_page_s_first_question_is_refused(line: Any) -> None:
    answer = ask(line, preflight(FOREIGN, "Access-Control-Request-Headers: x-amz-target"))
    assert answer.status == 403
    assert cors(answer) == []


# A form can be sent to anybody without asking first, but only as one of these types.
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_a_form_cannot_call(line: Any, kind: str) -> None:
    form = post().replace(b"application/x-amz-json-1.0", kind.encode())
    assert ask(line, form).status == 404
    foreign = post(b"{}", "Echo", f"Origin: {FOREIGN}")
    assert ask(line, foreign.replace(b"application/x-amz-json-1.0", kind.encode())).status == 403


def test_a_foreign_page_may_ask_for_health_but_not_read_the_answer(line: Any) -> None:
    request = f"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: {FOREIGN}\r\n\r\n".encode()
    answer = ask(line, request)
    assert answer.status == 200
    assert cors(answer) == []


def test_clients_that_are_no_pages_get_no_such_headers(line: Any) -> None:
    answer = ask(line, post())
    assert cors(answer) == []
    assert "vary" not in answer.headers
    assert ask(line, b"OPTIONS / HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 404


def test_pages_that_are_allowed_may_call() -> None:
    with line_to(access=Access.of(["https://app.example"])) as line:
        answer = ask(line, post(b"{}", "Echo", "Origin: https://app.example"))
        assert answer.headers["access-control-allow-origin"] == "https://app.example"
        assert ask(line, post(b"{}", "Echo", f"Origin: {OWN}")).status == 200
        assert ask(line, post(b"{}", "Echo", f"Origin: {FOREIGN}")).status == 403


def test_a_star_allows_every_page() -> None:
    with line_to(access=Access.of(["*"])) as line:
        answer = ask(line, post(b"{}", "Echo", f"Origin: {FOREIGN}"))
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == FOREIGN
        assert ask(line, preflight(FOREIGN)).headers["access-control-allow-origin"] == FOREIGN


def named(host: str) -> bytes:
    return post().replace(b"Host: localhost", f"Host: {host}".encode())


# DNS rebinding: a page's own name resolves to 127.0.0.1 when it calls, so to the browser the call
# stays at home, and only Host tells.
@pytest.mark.parametrize("request_", [named("evil.example:8000"), named("127.0.0.1.evil.example")])
def test_a_name_that_is_not_this_machine_s_is_not_answered_to(line: Any, request_: bytes) -> None:
    answer = ask(line, request_)
    assert answer.status == 403
    assert b"evil.example" in answer.body
    assert is_closed(line)


def test_a_client_that_waits_for_permission_is_refused_before_it_sends(line: Any) -> None:
    request = named("evil.example").replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n")
    assert ask(line, request[:-2]).status == 403
    assert is_closed(line)


def test_the_host_is_checked_in_every_request_of_a_connection(line: Any) -> None:
    assert ask(line, named("localhost:8000")).status == 200
    assert ask(line, named("127.0.0.1:8000")).status == 200
    assert ask(line, named("[::1]:8000")).status == 200
    assert ask(line, named("evil.example")).status == 403


def test_a_health_check_by_another_name_is_refused_too(line: Any) -> None:
    assert ask(line, b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").status == 403


def test_a_client_without_a_name_is_no_browser(line: Any) -> None:
    assert ask(line, post().replace(b"Host: localhost\r\n", b"")).status == 200


def test_where_signatures_are_verified_any_name_will_do() -> None:
    verifier = Verifier({"k": "s"}, region="us-east-1", clock=lambda: 0.0)
    with line_to(access=Access(verifier=verifier)) as line:
        answer = ask(line, named("db.example"))
        assert b"MissingAuthenticationTokenException" in answer.body
