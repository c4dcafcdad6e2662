"""Failures: their form, their codes, and which comes first."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import httpx2
import pytest

from tablewright.errors import (
    Conflict,
    CursorInvalid,
    ItemInvalid,
    KeyValueInvalid,
    StoreUnavailable,
    Throttled,
    ValidationError,
)
from tablewright.web.http.problems import (
    GENERAL_CODES,
    FieldError,
    Problem,
    existing,
    invalid,
    problem_of,
)
from tests.web.serving import Caller, Server

ID = "00000000-0000-4000-8000-000000000000"


def told(reply: httpx2.Response) -> tuple[int, str]:
    """A problem's status and code, once its form is right."""
    body = reply.json()
    assert reply.headers["content-type"] == "application/problem+json"
    assert body["type"] == "about:blank"
    assert body["status"] == reply.status_code
    assert body["title"] == HTTPStatus(reply.status_code).phrase
    assert body["detail"]
    assert ("errors" in body) == (reply.status_code == 400)
    return body["status"], body["code"]


def fields(reply: httpx2.Response) -> list[str]:
    assert told(reply) == (400, "invalid_request")
    return [error["field"] for error in reply.json()["errors"]]


@pytest.mark.parametrize("status", GENERAL_CODES)
def test_every_status_has_its_general_code_and_a_sentence(status: int) -> None:
    problem = Problem(status)
    assert problem.body["code"] == GENERAL_CODES[status]
    assert problem.body["detail"].endswith(".") or status in (400, 410, 429, 502)


def test_what_is_missing_is_named() -> None:
    assert existing("", "game") == ""
    with pytest.raises(Problem) as refused:
        existing(None, "game")
    assert (refused.value.status, refused.value.detail) == (404, "No such game.")


def test_an_unknown_route_is_404(server: Server) -> None:
    assert told(server.root.get("/nope")) == (404, "not_found")
    assert told(server.guest().get("/nope")) == (404, "not_found")
    assert server.root.get("/nope").json()["detail"] == "Unknown path."


def test_an_impossible_id_in_a_path_is_404_before_the_token_is_looked_at(server: Server) -> None:
    guest = server.guest()
    for bad in ("1", ID.upper().replace("0", "A"), f"{ID}x", f"{ID}%0A", f"{ID}%23", "%2e%2e", ""):
        assert told(guest.get(f"/notes/{bad}"))[0] in (404, 401 if bad == "" else 404)
    assert told(guest.get(f"/notes/{ID}")) == (401, "unauthorized")


def test_a_wrong_method_is_405_before_the_token_and_names_the_right_ones(server: Server) -> None:
    reply = server.guest().post(f"/notes/{ID}")
    assert told(reply) == (405, "method_not_allowed")
    assert reply.headers["allow"] == "DELETE, GET, PATCH"
    assert server.guest().put("/notes").headers["allow"] == "GET, POST"


def test_a_missing_token_is_401_before_the_body_is_looked_at(server: Server) -> None:
    reply = server.guest().post("/notes", content=b"{")
    assert told(reply) == (401, "unauthorized")
    assert reply.headers["www-authenticate"] == "Bearer"


def test_a_body_over_the_limit_is_413_before_all_else(server: Server) -> None:
    large = b"x" * ((1 << 20) + 1)

    async def endless() -> Any:
        for _ in range(20):
            yield b"x" * 100_000

    assert told(server.root.post("/nope", content=large)) == (413, "payload_too_large")
    assert told(server.guest().post("/notes", content=large)) == (413, "payload_too_large")
    assert told(server.guest().post("/notes", content=endless())) == (413, "payload_too_large")
    assert told(server.guest().post("/notes", content=large[:-1])) == (401, "unauthorized")


def test_a_row_over_the_limit_is_413(server: Server, ann: Caller) -> None:
    reply = ann.post("/notes", json={"title": "large", "text": "ä" * 300_000})
    assert told(reply) == (413, "payload_too_large")
    assert ann.get("/notes").json()["items"] == []


def test_bad_input_is_400_before_the_resource_is_looked_at(ann: Caller) -> None:
    assert fields(ann.patch(f"/notes/{ID}", json={})) == ["body"]
    assert told(ann.patch(f"/notes/{ID}", json={"title": "x"})) == (404, "not_found")


def test_a_systems_code_takes_the_place_of_the_general_one(ann: Caller, bob: Caller) -> None:
    made = ann.post("/notes", json={"title": "mine"}).json()
    assert told(bob.get(f"/notes/{made['noteId']}")) == (403, "not_yours")


def test_a_bug_is_500_without_a_word_about_itself(server: Server) -> None:
    reply = server.guest().get("/broken")
    assert told(reply) == (500, "internal_error")
    assert "secret" not in reply.text
    assert reply.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Conflict([]), 409),
        (CursorInvalid(""), 400),
        (KeyValueInvalid("user_id", "is empty"), 400),
        (StoreUnavailable("gone"), 502),
        (Throttled("slow"), 502),
        (ValidationError("Item size has exceeded the maximum allowed size"), 413),
        (ValidationError("Item size to update has exceeded the maximum allowed size"), 413),
        (ValidationError("create Note: Item size has exceeded the maximum allowed size"), 413),
        (ValidationError("something else"), 500),
        (ItemInvalid("Note", "title", "is gone"), 500),
        (ValueError("x"), 500),
    ],
)
def test_errors_of_the_layers_below_have_a_status(error: Exception, status: int) -> None:
    assert problem_of(error).status == status


def test_a_key_that_cannot_be_names_its_field_as_json_does() -> None:
    assert problem_of(KeyValueInvalid("user_id", "is empty")).errors[0].field == "userId"


def test_several_fields_are_told_together() -> None:
    problem = invalid(FieldError("a", "is wrong"), FieldError("b", "is worse"))
    assert [error["field"] for error in problem.body["errors"]] == ["a", "b"]


def test_fastapi_s_own_validation_is_a_400_too() -> None:
    from fastapi.exceptions import RequestValidationError

    error = RequestValidationError([{"loc": ("query", "n"), "msg": "Field required", "type": "x"}])
    problem = problem_of(error)
    assert (problem.status, problem.errors[0].field) == (400, "n")
