"""Around every request: headers that protect, other origins, ids, and the log."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator, MutableMapping
from typing import Any

import pytest
import structlog

from tablewright.web.http.middleware import App, Deferred, Message
from tablewright.web.server.app import System
from tablewright.web.server.logs import configure_logs
from tablewright.web.services.services import Services
from tests.web.example import SYSTEM, create_app
from tests.web.http.test_problems import told
from tests.web.serving import Caller, Server, served

ID = "00000000-0000-4000-8000-000000000000"


def test_every_answer_protects_the_client(server: Server, ann: Caller) -> None:
    for reply in (
        server.root.get("/health"),
        server.root.get("/nope"),
        server.guest().get("/docs"),
        server.guest().get("/notes"),
        server.guest().get("/broken"),
        server.root.post("/nope", content=b"x" * (1 << 21)),
        ann.post("/notes", json={"title": "a"}),
        ann.delete(f"/notes/{ID}"),
    ):
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
        assert "unsafe" not in reply.headers["content-security-policy"]
        assert reply.headers["cache-control"] == "no-store"
        assert "strict-transport-security" not in reply.headers
        assert "server" not in reply.headers


def test_behind_https_browsers_are_told_to_stay_there() -> None:
    with served(SYSTEM, public_url="https://localhost/") as server:
        assert server.root.get("/health").headers["strict-transport-security"]
        url = server.as_("ann").post("/pictures", json={"contentType": "image/png", "size": 1})
        assert url.json()["url"].startswith("https://localhost/blobs/")


def test_a_request_has_an_id_its_own_if_that_is_one(server: Server) -> None:
    ask = server.root.get
    assert ask("/health", headers={"X-Request-Id": "abc-1"}).headers["x-request-id"] == "abc-1"
    for wrong in ("a b", "x" * 65, "<script>"):
        made = ask("/health", headers={"X-Request-Id": wrong}).headers["x-request-id"]
        assert made != wrong


ORIGIN = {"Origin": "https://app.example"}
PREFLIGHT = {
    **ORIGIN,
    "Access-Control-Request-Method": "PATCH",
    "Access-Control-Request-Headers": "authorization, if-match, idempotency-key",
}


def test_other_origins_are_strangers_unless_they_are_named(server: Server) -> None:
    assert "access-control-allow-origin" not in server.root.get("/health", headers=ORIGIN).headers
    assert server.root.request("OPTIONS", "/health", headers=PREFLIGHT).status_code == 405


def test_an_origin_that_is_named_may_call_and_read() -> None:
    with served(SYSTEM, allow_origins=("https://app.example",)) as server:
        preflight = server.root.request("OPTIONS", "/example/notes", headers=PREFLIGHT)
        assert preflight.status_code == 200
        assert preflight.headers["access-control-allow-origin"] == "https://app.example"
        for path in ("/health", "/nope"):
            reply = server.root.get(path, headers=ORIGIN)
            assert reply.headers["access-control-allow-origin"] == "https://app.example"
            assert "ETag" in reply.headers["access-control-expose-headers"]
        large = server.root.post("/nope", content=b"x" * (1 << 21), headers=ORIGIN)
        assert large.headers["access-control-allow-origin"] == "https://app.example"
        other = {**PREFLIGHT, "Origin": "https://evil.example"}
        refused = server.root.request("OPTIONS", "/example/notes", headers=other)
        assert told(refused) == (403, "forbidden")
        assert "access-control-allow-origin" not in refused.headers


def test_any_origin_means_without_cookies() -> None:
    with served(SYSTEM, allow_origins=("*",)) as server:
        reply = server.root.get("/health", headers={**ORIGIN, "Cookie": "a=b"})
        assert "access-control-allow-credentials" not in reply.headers


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """What is logged, as JSON lines."""
    before, old = structlog.get_config(), logging.getLogger().handlers[:]
    level = logging.getLogger().level
    stream = io.StringIO()
    configure_logs(stream=stream)
    try:
        yield stream
    finally:
        structlog.configure(**before)
        logging.getLogger().handlers[:] = old
        logging.getLogger().setLevel(level)


def test_the_log_has_a_line_for_a_request_and_no_secrets(
    logged: io.StringIO, server: Server
) -> None:
    token = server.token("ann")
    headers = {"Authorization": f"Bearer {token}", "X-Request-Id": "r1"}
    server.guest().get("/notes?limit=1&cursor=hidden", headers=headers)
    server.guest().get("/broken")
    logging.getLogger("other").warning("from a library")
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    request = next(line for line in lines if line.get("request_id") == "r1")
    assert (request["method"], request["route"], request["status"]) == (
        "GET",
        "/example/notes",
        400,
    )
    assert request["timestamp"].endswith("Z")
    assert token not in logged.getvalue()
    assert "hidden" not in logged.getvalue()
    failed = [line for line in lines if line["event"] == "a request failed"]
    assert len(failed) == 1
    assert failed[0]["exception"][0]["exc_type"] == "RuntimeError"
    assert not any(frame.get("locals") for frame in failed[0]["exception"][0]["frames"])
    assert any(line["event"] == "from a library" for line in lines)


def test_an_app_on_demand_is_made_by_the_first_request_for_it() -> None:
    made = []

    def create(services: Services) -> Any:
        made.append(services)
        return create_app(services)

    with served(System("example", SYSTEM.tables, create, on_demand=True)) as server:
        assert server.root.get("/health").status_code == 200
        assert made == []
        for _ in range(2):
            assert server.guest().get("/docs").status_code == 200
        assert made == [server.services]


def test_an_app_is_made_once_for_all_who_wait_for_it() -> None:
    asked, made = [], []

    async def app(scope: MutableMapping[str, Any], *_: object) -> None:
        asked.append(scope["path"])

    def make() -> App:
        made.append(app)
        return app

    async def receive() -> Message:
        raise AssertionError

    async def send(_: Message) -> None:
        raise AssertionError

    async def story() -> None:
        deferred = Deferred(make)
        waiting = [
            asyncio.create_task(deferred({"path": path}, receive, send)) for path in ("a", "b", "c")
        ]
        await asyncio.sleep(0)
        waiting[0].cancel()  # Whose request had it made goes away.
        await asyncio.gather(*waiting, return_exceptions=True)

    asyncio.run(story())
    assert asked == ["b", "c"]
    assert made == [app]
