"""Routes, bodies as clients send them, and the document of the endpoints."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

import httpx2
import pytest
from fastapi import Depends, FastAPI, Header
from fastapi.responses import Response

from tablewright.web.http.field_types import Answer, Body
from tablewright.web.http.problems import Problem, install_problems
from tablewright.web.http.routing import Router
from tablewright.web.server.app import add_routes
from tests.web.http.test_problems import fields
from tests.web.serving import Caller, Server


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"   ",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"1",
        b"\xff\xfe",
        b'\xef\xbb\xbf{"title":"x"}',
        b'{"title": NaN}',
        b'{"title": "\\ud800"}',
        b"[" * 100_000,
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
    ],
)
def test_what_is_no_json_object_is_refused_as_a_whole(ann: Caller, raw: bytes) -> None:
    assert fields(ann.post("/notes", content=raw)) == ["body"]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, ["title"]),
        ({"title": "x", "owner": "bob"}, ["owner"]),
        ({"title": "x", "version": 7, "PK": "x"}, ["version", "PK"]),
        ({"title": 1}, ["title"]),
        ({"title": "x" * 21}, ["title"]),
        ({"title": "x", "stars": "5"}, ["stars"]),
        ({"title": "x", "stars": 5.5}, ["stars"]),
        ({"title": "x", "stars": True}, ["stars"]),
        ({"title": "x", "stars": 6}, ["stars"]),
        ({"title": "a\nb", "stars": -1}, ["title", "stars"]),
    ],
)
def test_wrong_fields_are_named(ann: Caller, body: Any, named: list[str]) -> None:
    assert fields(ann.post("/notes", json=body)) == named


def test_huge_numbers_and_many_or_long_names_are_refused_briefly(ann: Caller) -> None:
    assert fields(ann.post("/notes", content=b'{"title":"x","stars":1' + b"0" * 1000 + b"}"))
    many = ann.post("/notes", json={f"f{n}": 1 for n in range(20_000)})
    assert len(fields(many)) == 50
    long = ann.post("/notes", json={"title": "x", "y" * 100_000: 1})
    assert len(fields(long)[0]) == 200


def test_the_last_of_two_equal_names_counts(ann: Caller) -> None:
    made = ann.post("/notes", content=b'{"title":"a","title":"b"}')
    assert made.json()["title"] == "b"


def test_optional_fields_without_a_value_are_null_in_answers(ann: Caller) -> None:
    made = ann.post("/notes", json={"title": " x ", "text": ""}).json()
    assert made["title"] == "x"
    assert (made["text"], made["pictureUrl"], made["stars"]) == (None, None, 0)
    assert len(made["createdAt"]) == 24


def test_the_document_lists_every_endpoint_field_and_code(server: Server) -> None:
    told = server.guest().get("/openapi.json").json()
    assert told["openapi"] == "3.1.0"
    assert told["servers"] == [{"url": "/example"}]
    assert set(told["paths"]) == {
        "/notes",
        "/sorted",
        "/notes/{noteId}",
        "/pictures",
        "/tries",
        "/guesses",
        "/me",
        "/mail",
        "/broken",
    }
    patch = told["paths"]["/notes/{noteId}"]["patch"]
    assert patch["parameters"][0]["schema"]["format"] == "uuid"
    assert [one["name"] for one in patch["parameters"]] == ["noteId", "If-Match"]
    codes = {
        status: response["content"]["application/problem+json"]["schema"]["allOf"][1]["properties"][
            "code"
        ]["enum"]
        for status, response in patch["responses"].items()
        if status != "200"
    }
    assert codes == {
        "400": ["invalid_request"],
        "401": ["unauthorized"],
        "403": ["not_yours"],
        "404": ["not_found"],
        "409": ["conflict"],
        "412": ["precondition_failed"],
        "413": ["payload_too_large"],
        "500": ["internal_error"],
    }
    post = told["paths"]["/notes"]["post"]
    assert post["responses"]["409"]["description"] == "`idempotency_conflict`, `conflict`"
    body = told["components"]["schemas"]["NewNote"]
    assert body["required"] == ["title"]
    assert body["properties"]["title"] == {
        "maxLength": 20,
        "minLength": 1,
        "title": "Title",
        "type": "string",
    }
    assert "422" not in str(told)
    assert "HTTPValidationError" not in told["components"]["schemas"]


def test_health_document_and_page_need_no_token(server: Server) -> None:
    for caller in (server.root, server.guest()):
        assert caller.get("/health").json() == {"status": "ok"}
    assert server.guest().get("/openapi.json").status_code == 200
    assert server.guest().get("/docs").status_code == 200


def answered(router: Router, path: str, **options: Any) -> httpx2.Response:
    app = FastAPI()
    install_problems(app)
    add_routes(app, router)
    transport = httpx2.ASGITransport(app)

    async def send() -> httpx2.Response:
        async with httpx2.AsyncClient(transport=transport, base_url="http://x") as client:
            return await client.request(options.pop("method", "GET"), path, **options)

    return asyncio.run(send())


class Thing(Body):
    name: str


class ThingAnswer(Answer):
    name: str
    version: int = 1


def refuse(status: int) -> Any:
    def check() -> None:
        raise Problem(status)

    return Depends(check)


def test_parameters_are_resolved_from_left_to_right() -> None:
    router = Router()

    @router.post("/caller-first")
    async def caller_first(caller: Annotated[None, refuse(401)], body: Thing) -> None:
        raise AssertionError

    @router.post("/body-first")
    async def body_first(body: Thing, caller: Annotated[None, refuse(401)]) -> None:
        raise AssertionError

    for content, first in ((b"{", 400), (b'{"name": "x"}', 401)):
        assert answered(router, "/caller-first", method="POST", content=content).status_code == 401
        reply = answered(router, "/body-first", method="POST", content=content)
        assert reply.status_code == first


SEEN: list[str] = []


async def resource() -> AsyncIterator[str]:
    SEEN.append("entered")
    try:
        yield "resource"
    except LookupError:
        SEEN.append("failed")
        raise Problem(404) from None
    SEEN.append("left")


def user(resource: Annotated[str, Depends(resource)]) -> str:
    SEEN.append("used")
    return resource


def test_dependencies_are_called_once_and_left_in_reverse() -> None:
    SEEN.clear()
    router = Router()

    @router.get("/things/{name:segment}")
    async def thing(
        name: str,
        first: Annotated[str, Depends(user)],
        second: Annotated[str, Depends(resource)],
    ) -> ThingAnswer:
        if name == "missing":
            raise LookupError
        return ThingAnswer(name=f"{name} {first} {second}")

    reply = answered(router, "/things/x")
    assert reply.json() == {"name": "x resource resource", "version": 1}
    assert reply.headers["etag"] == '"1"'
    assert SEEN == ["entered", "used", "left"]
    assert answered(router, "/things/missing").status_code == 404
    assert SEEN[3:] == ["entered", "used", "failed"]


def test_a_response_parameter_sets_status_and_headers() -> None:
    router = Router()

    @router.put("/things", status_code=201)
    async def put(response: Response, is_new: bool = True) -> ThingAnswer:
        response.headers["X-Thing"] = "yes"
        if not is_new:
            response.status_code = 200
        return ThingAnswer(name="x")

    new = answered(router, "/things", method="PUT")
    old = answered(router, "/things?is_new=false", method="PUT")
    assert (new.status_code, old.status_code) == (201, 200)
    assert new.headers["x-thing"] == old.headers["x-thing"] == "yes"
    assert new.json() == {"name": "x", "version": 1}


def test_dependencies_of_a_router_come_first() -> None:
    router = Router(dependencies=[refuse(403)])

    @router.post("/things")
    async def add(body: Thing) -> None:
        raise AssertionError

    assert answered(router, "/things", method="POST", content=b"{").status_code == 403


def test_headers_that_come_twice_are_one_list() -> None:
    router = Router()

    @router.get("/things")
    async def get(if_match: Annotated[str | None, Header()] = None) -> ThingAnswer:
        return ThingAnswer(name=if_match or "none")

    twice = [("If-Match", '"1"'), ("If-Match", '"2"')]
    assert answered(router, "/things", headers=twice).json()["name"] == '"1", "2"'
    assert answered(router, "/things").json()["name"] == "none"


def test_a_handler_must_be_async() -> None:
    router = Router()
    with pytest.raises(AssertionError, match="must be async"):

        @router.get("/things")
        def get() -> None: ...


def test_a_body_of_too_many_values_is_refused_as_one(server: Server) -> None:
    ann = server.as_("ann")
    for body in (
        {f"{number:x}": 0 for number in range(20_001)},
        {"title": [[]] * 20_001},
        {"title": {"a": [1] * 10_001, "b": [1] * 10_000}},
    ):
        reply = ann.post("/notes", json=body)
        assert fields(reply) == ["body"]
        assert "20000 values" in reply.json()["detail"]
    many = {f"{number:x}": 0 for number in range(5_000)}
    assert "body" not in fields(ann.post("/notes", json=many | {"title": "x" * 40_000}))
