"""Races between real threads, through real sockets, on a server under uvicorn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from tablewright.systems.stayon.app import SYSTEM
from tests.systems.threads import drift_of, together
from tests.web.serving import LiveServer, live

from .desk import BOTH, CHECKLIST, EVENT, POLL, place, vote_body

Call = Callable[[], httpx2.Response]


@pytest.fixture
def server() -> Iterator[LiveServer]:
    with live(SYSTEM) as made:
        yield made
        assert drift_of(made) == []


def made(server: LiveServer, body: dict[str, Any], **more: Any) -> dict[str, Any]:
    reply = server.guest().post("/pages", json={**body, **more})
    assert reply.status_code == 201, reply.text
    page: dict[str, Any] = reply.json()
    return page


def call(server: LiveServer, method: str, path: str, **options: Any) -> Call:
    return lambda: server.guest().request(method, path, **options)


def statuses(replies: list[httpx2.Response]) -> list[int]:
    return sorted(reply.status_code for reply in replies)


def test_fifty_pages_at_once_have_fifty_ids(server: LiveServer) -> None:
    replies = together([call(server, "POST", "/pages", json=CHECKLIST)] * 50)
    assert statuses(replies) == [201] * 50
    assert len({reply.json()["shortId"] for reply in replies}) == 50


def test_one_key_makes_one_page(server: LiveServer) -> None:
    key = {"Idempotency-Key": "k" * 20}
    replies = together([call(server, "POST", "/pages", json=CHECKLIST, headers=key)] * 5)
    assert statuses(replies) == [201] * 5
    assert len({reply.json()["shortId"] for reply in replies}) == 1
    replayed = [r for r in replies if r.headers.get("idempotency-replayed") == "true"]
    assert len(replayed) == 4


def test_closing_and_voting_at_once_lose_no_vote(server: LiveServer) -> None:
    for _ in range(3):
        page = made(server, POLL)
        vote = call(server, "POST", f"{place(page)}/votes", json=vote_body(page, 0))
        close = call(server, "POST", f"{place(page)}/close")
        replies = together([*[vote] * 10, close, *[vote] * 10])
        assert replies.pop(10).status_code == 200
        assert set(statuses(replies)) <= {201, 409}
        counted = server.guest().get(f"{place(page)}/results").json()["voters"]
        assert counted == statuses(replies).count(201)
        assert vote().status_code == 409


def test_of_two_changes_of_one_version_one_wins(server: LiveServer) -> None:
    for _ in range(5):
        page = made(server, CHECKLIST)
        changes = [
            call(
                server,
                "PUT",
                place(page),
                json={"name": name, "items": [{"name": "Tea"}]},
                headers={"If-Match": '"1"'},
            )
            for name in ("One", "Two")
        ]
        replies = together(changes)
        assert statuses(replies) == [200, 412]
        [won] = [reply.json() for reply in replies if reply.status_code == 200]
        assert server.guest().get(place(page)).json() == won


def test_wrong_passcodes_at_once_are_counted_all(server: LiveServer) -> None:
    page = made(server, CHECKLIST, **BOTH)
    guess = {"level": "view", "passcode": "wrong-one"}
    login = f"{place(page)}/login"
    replies = together([call(server, "POST", login, json=guess)] * 16)
    assert statuses(replies) == [401] * 10 + [429] * 6
    right = {"level": "view", "passcode": BOTH["viewPasscode"]}
    assert server.guest().post(login, json=right).status_code == 429


def test_no_answer_outlives_its_page(server: LiveServer) -> None:
    page = made(server, EVENT)
    answer = {"name": "Ann", "response": "going"}
    rsvp = call(server, "POST", f"{place(page)}/rsvps", json=answer)
    replies = together([*[rsvp] * 12, call(server, "DELETE", place(page)), *[rsvp] * 12])
    assert replies.pop(12).status_code == 204
    assert set(statuses(replies)) <= {201, 404}
    assert rsvp().status_code == 404
