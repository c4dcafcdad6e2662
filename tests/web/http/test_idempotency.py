"""Idempotency-Key: one effect, one answer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.responses import Response

from tablewright import Unit
from tablewright.errors import Conflict
from tablewright.web.http.idempotency import Idempotency, Once
from tablewright.web.http.problems import Problem
from tablewright.web.services.clock import Clock
from tests.stores.opening import endpoint_url
from tests.web.example import SYSTEM, P
from tests.web.http.test_problems import fields, told
from tests.web.serving import Caller, Server, served

KEY = {"Idempotency-Key": "k1"}


@pytest.fixture(params=["embedded", "dynamodb-local"])
def anywhere(request: pytest.FixtureRequest) -> Iterator[Server]:
    """The server on each kind of store."""
    url = "sqlite://:memory:"
    if request.param != "embedded":
        url = endpoint_url(request.param, request.getfixturevalue)
    with served(SYSTEM, store=url) as opened:
        yield opened


def titles(caller: Caller) -> list[str]:
    return [note["title"] for note in caller.get("/notes").json()["items"]]


def test_a_repeated_request_has_one_effect_and_the_first_ones_answer(ann: Caller) -> None:
    first = ann.post("/notes", json={"title": "a", "stars": 2}, headers=KEY)
    again = ann.post("/notes", content=b'{ "stars":2, "title":"a" }', headers=KEY)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["etag"] == first.headers["etag"] == '"1"'
    assert titles(ann) == ["a"]


def test_the_same_key_with_another_body_is_409(ann: Caller) -> None:
    ann.post("/notes", json={"title": "a"}, headers=KEY)
    other = ann.post("/notes", json={"title": "b"}, headers=KEY)
    assert told(other) == (409, "idempotency_conflict")
    assert titles(ann) == ["a"]


@pytest.mark.parametrize("other", [{"title": " a "}, {"title": "a", "stars": None}])
def test_a_body_that_means_the_same_is_another_body(ann: Caller, other: dict[str, Any]) -> None:
    ann.post("/notes", json={"title": "a"}, headers=KEY)
    again = ann.post("/notes", json=other, headers=KEY)
    assert told(again) == (409, "idempotency_conflict")


def test_keys_belong_to_their_caller(ann: Caller, bob: Caller) -> None:
    ann.post("/notes", json={"title": "a"}, headers=KEY)
    assert bob.post("/notes", json={"title": "b"}, headers=KEY).status_code == 201
    assert titles(bob) == ["b"]


def test_only_successes_are_kept(ann: Caller) -> None:
    assert ann.post("/notes", json={"title": ""}, headers=KEY).status_code == 400
    assert ann.post("/notes", json={"title": "a"}, headers=KEY).status_code == 201


def test_a_key_is_forgotten_after_a_day(server: Server) -> None:
    server.as_("ann").post("/notes", json={"title": "a"}, headers=KEY)
    server.advance(86_400 + 1)
    ann = server.as_("ann")
    assert ann.post("/notes", json={"title": "b"}, headers=KEY).status_code == 201
    assert titles(ann) == ["a", "b"]


def test_without_a_key_every_request_has_its_effect(ann: Caller) -> None:
    for _ in range(2):
        ann.post("/notes", json={"title": "a"})
    assert titles(ann) == ["a", "a"]


@pytest.mark.parametrize("key", ["", "   ", "a#b", "ä", "a\tb", "x" * 129])
def test_a_key_of_another_form_is_400(ann: Caller, key: str) -> None:
    reply = ann.post("/notes", json={"title": "a"}, headers={"Idempotency-Key": key.encode()})
    assert fields(reply) == ["Idempotency-Key"]


def test_a_key_is_trimmed(ann: Caller) -> None:
    ann.post("/notes", json={"title": "a"}, headers={"Idempotency-Key": "  k 1 "})
    again = ann.post("/notes", json={"title": "a"}, headers={"Idempotency-Key": "k 1"})
    assert again.headers["idempotency-replayed"] == "true"
    assert ann.post(
        "/notes", json={"title": "x"}, headers={"Idempotency-Key": "~" * 128}
    ).is_success


def test_a_row_is_found_by_the_hash_of_caller_method_and_path(server: Server) -> None:
    server.as_("ann").post("/notes", json={"title": "a"}, headers=KEY)
    scope = hashlib.sha256(b"ann\nPOST\n/example/notes").hexdigest()
    row = server.run(P.get_done(scope, "k1"))
    assert row is not None
    assert row.response_status_code == 201
    assert len(row.request_hash) == 64


def test_parallel_equal_requests_have_one_effect_and_equal_answers(anywhere: Server) -> None:
    ann = anywhere.as_("ann")
    replies = anywhere.together(
        ann.ask("POST", "/notes", json={"title": "a"}, headers=KEY) for _ in range(20)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.text for reply in replies}) == 1
    assert sum("idempotency-replayed" not in reply.headers for reply in replies) == 1
    assert titles(ann) == ["a"]


class _Row:
    request_hash = "h"
    response_status_code = 201
    response_body = "{}"


@pytest.mark.parametrize("error", [Conflict([]), Problem(409, "taken"), Problem(404)])
def test_what_a_twin_has_done_is_not_a_refusal(server: Server, error: Exception) -> None:
    rows: list[Any] = [None, _Row()]

    async def find(scope: str, key: str) -> Any:
        return rows.pop(0)

    async def effect() -> Response:
        raise error

    idempotency = Idempotency(b"x" * 32, Clock(), find=find, make_row=dict)
    once = Once("k", "s", "h", Clock(), dict)
    reply = server.loop.run(idempotency.run(once, effect))
    assert reply.headers["idempotency-replayed"] == "true"


def test_a_request_is_repeated_if_the_same_was_answered(server: Server) -> None:
    rows: list[Any] = [_Row(), _Row(), None]

    async def find(scope: str, key: str) -> Any:
        return rows.pop(0)

    idempotency = Idempotency(b"x" * 32, Clock(), find=find, make_row=dict)

    def is_repeated(key: str | None, request_hash: str = "h") -> bool:
        once = Once(key, "s", request_hash, Clock(), dict)
        return server.loop.run(idempotency.is_repeated(once))

    assert is_repeated("k")
    assert not is_repeated("k", "another")
    assert not is_repeated("k")
    assert not is_repeated(None)


def test_a_refusal_without_a_twin_stays_one(server: Server) -> None:
    async def find(scope: str, key: str) -> Any:
        return None

    async def effect() -> Response:
        raise Problem(409, "taken")

    idempotency = Idempotency(b"x" * 32, Clock(), find=find, make_row=dict)
    with pytest.raises(Problem, match="taken"):
        server.loop.run(idempotency.run(Once("k", "s", "h", Clock(), dict), effect))


def test_a_row_that_is_too_large_is_413_in_a_transaction_too(anywhere: Server) -> None:
    ann = anywhere.as_("ann")
    large = {"title": "large", "text": "ä" * 210_000}
    assert told(ann.post("/notes", json=large, headers=KEY)) == (413, "payload_too_large")
    assert told(ann.post("/notes", json=large)) == (413, "payload_too_large")
    assert titles(ann) == []
    assert ann.post("/notes", json={"title": "small"}, headers=KEY).status_code == 201


def test_an_answer_is_made_for_a_key_only() -> None:
    made: list[str] = []

    def body() -> dict[str, str]:
        made.append("made")
        return {"a": "b"}

    unit = Unit()
    assert Once(None, "", "", Clock(), dict).add(unit, 201, body) is unit
    assert made == []
