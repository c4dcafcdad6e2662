"""Limits of so many in a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.errors import StoreUnavailable
from tests.stores.opening import endpoint_url
from tests.web.example import SYSTEM, NoteService, P
from tests.web.http.test_problems import told
from tests.web.serving import Caller, Server, served


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
    assert guest.post("/tries?name=a").status_code == 429


def test_guesses_sent_at_once_are_judged_as_few_as_one_after_another(anywhere: Server) -> None:
    guest = anywhere.guest()
    replies = anywhere.together(guest.ask("POST", "/guesses?right=false") for _ in range(60))
    assert sorted(reply.status_code for reply in replies) == [401] * 5 + [429] * 55
    assert guest.post("/guesses?right=true").status_code == 429
    anywhere.advance(60)
    assert guest.post("/guesses?right=true").status_code == 204


def test_what_is_right_is_given_back_and_begins_no_window(server: Server) -> None:
    guest = server.guest()
    assert {guest.post("/guesses?right=true").status_code for _ in range(20)} == {204}
    row = server.run(P.get_counter("guesses"))
    assert row is not None
    assert row.count == 0
    server.advance(59)
    wrong = [guest.post("/guesses?right=false").status_code for _ in range(6)]
    assert wrong == [401] * 5 + [429]
    server.advance(59)  # A window that the right ones had begun would be over by now.
    assert guest.post("/guesses?right=false").status_code == 429


def test_a_refused_guess_extends_nothing(server: Server) -> None:
    guest = server.guest()
    for _ in range(5):
        guest.post("/guesses?right=false")
    before = server.run(P.get_counter("guesses"))
    server.advance(50)
    assert guest.post("/guesses?right=false").status_code == 429
    assert server.run(P.get_counter("guesses")) == before
    server.advance(10)
    assert guest.post("/guesses?right=true").status_code == 204


def test_what_was_taken_in_a_window_that_is_over_is_not_given_back_to_the_next(
    server: Server,
) -> None:
    window = NoteService(server.services).window("x")
    taken = server.loop.run(window.take())
    server.advance(61)
    server.loop.run(window.take())
    server.loop.run(window.give_back(taken))
    row = server.run(P.get_counter("x"))
    assert row is not None
    assert row.count == 1


def test_exactly_so_many_are_let_through_at_the_same_moment(anywhere: Server) -> None:
    guest: Caller = anywhere.guest()
    replies = anywhere.together(guest.ask("POST", "/tries") for _ in range(30))
    assert sorted(reply.status_code for reply in replies) == [204] * 5 + [429] * 25
    anywhere.advance(61)
    replies = anywhere.together(guest.ask("POST", "/tries") for _ in range(30))
    assert sorted(reply.status_code for reply in replies) == [204] * 5 + [429] * 25


def test_a_store_that_fails_lets_pass_where_that_is_wanted(server: Server) -> None:
    window = NoteService(server.services).window("x")

    async def fail(op: object) -> None:
        raise StoreUnavailable("gone")

    window._store = type("Store", (), {"run": staticmethod(fail)})()  # type: ignore[assignment]
    server.loop.run(window.count_if_possible())
    with pytest.raises(StoreUnavailable):
        server.loop.run(window.count())
    with pytest.raises(StoreUnavailable):
        server.loop.run(window.take())
    server.loop.run(window.give_back(0))  # It stays counted, and what was right is told so.


def test_counting_in_a_window_that_has_begun_is_one_write(server: Server) -> None:
    window = NoteService(server.services).window("x")
    assert server.loop.run(window.count()) == 1
    sent: list[str] = []
    call = server.services.store.call

    async def noted(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        sent.append(operation)
        return await call(operation, request)

    server.services.store.send = noted  # type: ignore[method-assign]
    assert server.loop.run(window.count()) == 2
    assert sent == ["UpdateItem"]
