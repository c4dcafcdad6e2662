"""Idempotency-Key: one effect, one answer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tablewright import Unit
from tablewright.errors import Conflict
from tablewright.web.http import idempotency
from tablewright.web.http.problems import Problem
from tests.stores.opening import endpoint_url
from tests.web.example import KEYS, SYSTEM, P
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


@pytest.fixture
def raced(monkeypatch: pytest.MonkeyPatch) -> list[Exception]:
    """Errors that the service of notes raises, each once, behind what it has read."""
    errors: list[Exception] = []
    add = idempotency.Once.add

    def failing(self: idempotency.Once, *arguments: Any) -> Any:
        unit = add(self, *arguments)
        if errors:
            raise errors.pop()
        return unit

    monkeypatch.setattr(idempotency.Once, "add", failing)
    return errors


@pytest.mark.parametrize("error", [Conflict([]), Problem(409, "taken"), Problem(404)])
def test_what_a_twin_has_done_is_not_a_refusal(
    server: Server, raced: list[Exception], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    ann = server.as_("ann")
    first = ann.post("/notes", json={"title": "a"}, headers=KEY)
    find, answers = KEYS._find, [P.get_done("none", "none")]
    # The row is not there yet when the request arrives, and is when it fails.
    monkeypatch.setattr(
        KEYS, "_find", lambda scope, key: answers.pop() if answers else find(scope, key)
    )
    raced.append(error)
    second = ann.post("/notes", json={"title": "a"}, headers=KEY)
    assert second.headers["idempotency-replayed"] == "true"
    assert second.json() == first.json()


def test_a_refusal_without_a_twin_stays_one(server: Server, raced: list[Exception]) -> None:
    raced.append(Problem(409, "taken"))
    reply = server.as_("ann").post("/notes", json={"title": "a"}, headers=KEY)
    assert told(reply) == (409, "taken")


def test_a_resource_is_checked_before_a_key_used_for_another_body(server: Server) -> None:
    async def taken(request: Any, problem: Problem | None) -> None:
        async with KEYS.once(request, "ann", "k1") as once:
            if problem is not None:
                raise problem
            once.require_free()

    server.as_("ann").post("/notes", json={"title": "a"}, headers=KEY)
    request = SimpleNamespace(
        app=SimpleNamespace(state=SimpleNamespace(services=server.services)),
        state=SimpleNamespace(json={"title": "b"}),
        method="POST",
        url=SimpleNamespace(path="/example/notes"),
        scope={"route": SimpleNamespace(status_code=201)},
    )
    for problem, status in ((Problem(404), 404), (Problem(403), 403), (None, 409)):
        with pytest.raises(Problem) as raised:
            server.loop.run(taken(request, problem))
        assert raised.value.status == status
    assert raised.value.code == "idempotency_conflict"


def test_a_row_that_is_too_large_is_413_in_a_transaction_too(anywhere: Server) -> None:
    ann = anywhere.as_("ann")
    large = {"title": "large", "text": "ä" * 210_000}
    assert told(ann.post("/notes", json=large, headers=KEY)) == (413, "payload_too_large")
    assert told(ann.post("/notes", json=large)) == (413, "payload_too_large")
    assert titles(ann) == []
    assert ann.post("/notes", json={"title": "small"}, headers=KEY).status_code == 201


def test_an_answer_is_built_for_a_key_only() -> None:
    unit = Unit()

    def build() -> None:
        raise AssertionError

    assert idempotency.Once().add(unit, build) is unit
