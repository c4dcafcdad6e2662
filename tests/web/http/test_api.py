"""Bodies as clients send them, and the document that tells of the endpoints."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from fastapi import Depends, Request
from fastapi.responses import Response

from tablewright.web.http.answers import answer
from tablewright.web.http.api import Api
from tablewright.web.http.problems import Problem
from tablewright.web.server.app import add_routes, system_app
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


def test_a_route_that_depends_on_more_is_asked_all_of_it() -> None:
    def refuse() -> None:
        raise Problem(403)

    guarded = Api(dependencies=[Depends(refuse)])
    plain = Api()
    for api in (guarded, plain):

        @api.endpoint("GET", "/things/{thing_id:segment}", public=True)
        async def thing(request: Request, thing_id: str) -> Response:
            return answer({"id": thing_id, "method": request.method})

        @api.endpoint("GET", "/counted", public=True)
        async def counted(request: Request, count: int = 1) -> Response:
            return answer({"count": count, "method": request.method})

    def asked(api: Api, path: str) -> httpx2.Response:
        app = system_app("Things", "")
        add_routes(app, api)
        transport = httpx2.ASGITransport(app)

        async def get() -> httpx2.Response:
            async with httpx2.AsyncClient(transport=transport, base_url="http://x") as client:
                return await client.get(path)

        return asyncio.run(get())

    assert asked(plain, "/things/7").json() == {"id": "7", "method": "GET"}
    assert asked(plain, "/counted?count=3").json() == {"count": 3, "method": "GET"}
    assert asked(guarded, "/things/7").status_code == 403
    assert asked(guarded, "/counted").status_code == 403


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
