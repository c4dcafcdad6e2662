"""Limits of so many in a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.errors import StoreUnavailable
from tests.stores.opening import endpoint_url

from .example import SYSTEM, Desk, P
from .serving import Caller, Server, served
from .test_problems import told


@pytest.fixture(params=["embedded", "emulated", "dynamodb-local"])
def anywhere(request: pytest.FixtureRequest) -> Iterator[Server]:
    """The server on each kind of store."""
    url = "sqlite://:memory:"
    if request.param == "dynamodb-local":
        url = endpoint_url(request.param, request.getfixturevalue)
    elif request.param == "emulated":
        url = endpoint_url("wire", request.getfixturevalue) + "&transactions=emulated"
    with served(SYSTEM, store=url) as opened:
        yield opened


def test_so_many_are_let_through_and_the_next_is_429(server: Server) -> None:
    guest = server.guest()
    assert [guest.post("/tries").status_code for _ in range(7)] == [204] * 5 + [429] * 2
    reply = guest.post("/tries")
    assert told(reply) == (429, "too_many_requests")
    assert 59 <= int(reply.headers["retry-after"]) <= 60


def test_a_window_is_fixed_and_begins_with_the_first(server: Server) -> None:
    guest = server.guest()
    guest.post("/tries")
    server.advance(30)
    for _ in range(5):
        guest.post("/tries")
    reply = guest.post("/tries")
    assert reply.status_code == 429
    seconds = int(reply.headers["retry-after"])
    assert 29 <= seconds <= 30
    server.advance(seconds)
    assert [guest.post("/tries").status_code for _ in range(6)] == [204] * 5 + [429]


def test_a_window_that_is_over_is_replaced_whether_its_row_is_swept_or_not(server: Server) -> None:
    guest = server.guest()
    for _ in range(6):
        guest.post("/tries")
    server.advance(100_000)
    assert guest.post("/tries").status_code == 204
    row = server.run(P.get_counter("any"))
    assert row is not None
    assert row.count == 1


def test_counters_are_apart(server: Server) -> None:
    guest = server.guest()
    for _ in range(6):
        guest.post("/tries?name=a")
    assert guest.post("/tries?name=b").status_code == 204
    assert guest.get("/tries?name=a").status_code == 429
    assert guest.get("/tries?name=b").status_code == 204


def test_asking_counts_nothing(server: Server) -> None:
    guest = server.guest()
    assert {guest.get("/tries").status_code for _ in range(9)} == {204}
    assert server.run(P.get_counter("any")) is None


def test_exactly_so_many_are_let_through_at_the_same_moment(anywhere: Server) -> None:
    guest: Caller = anywhere.guest()
    replies = anywhere.together(guest.ask("POST", "/tries") for _ in range(30))
    assert sorted(reply.status_code for reply in replies) == [204] * 5 + [429] * 25
    anywhere.advance(61)
    replies = anywhere.together(guest.ask("POST", "/tries") for _ in range(30))
    assert sorted(reply.status_code for reply in replies) == [204] * 5 + [429] * 25


def test_a_store_that_fails_lets_pass_where_that_is_wanted(server: Server) -> None:
    window = Desk(server.kit).window("x")

    async def fail(op: object) -> None:
        raise StoreUnavailable("gone")

    window._store = type("Store", (), {"run": staticmethod(fail)})()  # type: ignore[assignment]
    server.loop.run(window.count_if_possible())
    with pytest.raises(StoreUnavailable):
        server.loop.run(window.count())


def test_counting_in_a_window_that_has_begun_is_one_write(server: Server) -> None:
    window = Desk(server.kit).window("x")
    assert server.loop.run(window.count()) == 1
    sent: list[str] = []
    call = server.kit.store.call

    async def noted(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        sent.append(operation)
        return await call(operation, request)

    server.kit.store.send = noted  # type: ignore[method-assign]
    assert server.loop.run(window.count()) == 2
    assert sent == ["UpdateItem"]
