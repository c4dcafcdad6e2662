"""Dev mode's endpoints, the clock and the ids."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tablewright.web.services.clock import Clock
from tablewright.web.services.ids import Ids
from tests.web.http.test_problems import fields
from tests.web.serving import Server


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, ["sub"]),
        ({"sub": "a#b"}, ["sub"]),
        ({"sub": ""}, ["sub"]),
        ({"sub": "a", "email": "x"}, ["email"]),
        ({"sub": "a", "name": "x" * 101}, ["name"]),
        ({"sub": "a", "groups": "admin"}, ["groups"]),
        ({"sub": "a", "groups": ["x"] * 51}, ["groups"]),
        ({"sub": "a", "groups": ["x", ""]}, ["groups.1"]),
        ({"sub": "a", "groups": ["x" * 65]}, ["groups.0"]),
        ({"sub": "a", "admin": True}, ["admin"]),
    ],
)
def test_a_token_is_made_only_of_what_can_be(server: Server, body: Any, named: list[str]) -> None:
    assert fields(server.root.post("/dev/token", json=body)) == named


def test_what_is_empty_or_null_in_a_tokens_request_is_absent(server: Server) -> None:
    body = {"sub": "a", "email": "", "name": None, "groups": None}
    assert server.root.post("/dev/token", json=body).status_code == 200


def test_the_clock_goes_forward_only(server: Server) -> None:
    before = server.root.get("/dev/clock").json()["now"]
    assert len(before) == 24
    after = server.advance(86_400)
    assert after > before
    assert server.root.get("/dev/clock").json()["now"] >= after
    for wrong in (-1, 100_000_001, "1", 1.5, True, None):
        reply = server.root.post("/dev/clock", json={"advanceSeconds": wrong})
        assert fields(reply) == ["advanceSeconds"]
    assert server.advance(0) >= after
    with pytest.raises(ValueError, match="back"):
        server.services.clock.advance(-1)


def test_the_machines_clock_being_set_back_is_waited_out() -> None:
    times = [100.0, 50.0, 60.0, 101.0]
    clock = Clock(lambda: times.pop(0))
    assert [clock.seconds() for _ in range(4)] == [100.0, 100.0, 100.0, 101.0]


def test_rows_of_the_future_expire_by_the_same_clock(server: Server) -> None:
    server.guest().post("/tries?name=a")
    server.advance(62)
    assert server.services.store.context.now() == pytest.approx(
        server.services.clock.seconds(), abs=5
    )
    database: Any = server.services.store
    assert database.database.sweep_expired() == 1


def test_a_mail_is_in_the_outbox_newest_first(server: Server) -> None:
    ann = server.as_("ann", email="ann@example.org")
    for _ in range(201):
        assert ann.post("/mail").status_code == 204
    told = server.root.get("/dev/outbox", params={"to": "ANN@example.org"}).json()
    assert len(told["items"]) == 200
    first = told["items"][0]
    assert set(first) == {"to", "subject", "text", "createdAt"}
    assert (first["to"], first["subject"]) == ("ann@example.org", "Hello there")
    times = [mail["createdAt"] for mail in told["items"]]
    assert times == sorted(times, reverse=True)
    assert server.root.get("/dev/outbox?to=bob@example.org").json() == {"items": []}
    assert fields(server.root.get("/dev/outbox")) == ["to"]


def test_failures_of_the_assistant_are_ordered(server: Server) -> None:
    assert server.root.post("/dev/ai", json={"failNext": 3}).json() == {"failNext": 3}
    assert server.services.ai.fail_next == 3
    assert fields(server.root.post("/dev/ai", json={"failNext": 101})) == ["failNext"]


def test_ulids_sort_as_they_were_made_and_tell_their_time() -> None:
    ids = Ids()
    first, later = (datetime(2026, 3, 1, 10, 0, 0, n, tzinfo=UTC) for n in (1000, 2000))
    made = [ids.ulid(first) for _ in range(1000)]
    other = ids.ulid(later)
    made += [ids.ulid(first) for _ in range(10)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert other > made[-1]
    assert {one[:10] for one in made} == {made[0][:10]}
    from tablewright.keys.codecs import ulid_time

    assert ulid_time(made[0]) == first
    assert ids.uuid() != ids.uuid()
