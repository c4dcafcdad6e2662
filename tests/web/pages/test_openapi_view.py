"""The view model of an OpenAPI document."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.web.pages.openapi_view import AnswerView, FieldView, OpenApiView, openapi_view

PROBLEM = {"allOf": [{}, {"properties": {"code": {"enum": ["not_yours", "not_found"]}}}]}
DOCUMENT: dict[str, Any] = {
    "info": {"title": "Notes", "description": "Notes of a team."},
    "servers": [{"url": "/notes/"}],
    "paths": {
        "/notes/{id}": {
            "get": {
                "tags": ["Everything", "Notes"],
                "summary": "Read a note",
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"format": "uuid"}},
                    {"name": "at", "in": "query", "description": "When.", "schema": {}},
                ],
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/x/Note"}}}},
                    "304": {},
                    "404": {"content": {"application/problem+json": {"schema": PROBLEM}}},
                },
            },
            "put": {
                "security": [{"token": []}],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/x/Note"}}},
                },
                "responses": {"200": {"content": {"image/png": {}}}},
            },
        }
    },
    "components": {
        "schemas": {
            "Note": {"properties": {"text": {"type": "string"}}, "required": ["text"]},
            "Level": {"enum": ["view", "admin"]},
        }
    },
}


@pytest.fixture
def view() -> OpenApiView:
    return openapi_view(DOCUMENT)


def test_endpoints_are_grouped_by_their_most_specific_tag(view: OpenApiView) -> None:
    assert [(tag.name, tag.anchor) for tag in view.tags] == [
        ("Notes", "notes"),
        ("Endpoints", "endpoints"),
    ]
    assert [operation.anchor for operation in view.operations] == ["get-notes-id", "put-notes-id"]
    assert view.endpoints == 2


def test_the_path_is_the_server_prefix_without_a_slash_at_the_end(view: OpenApiView) -> None:
    assert view.path == "/notes"


def test_parameters_have_their_place_type_and_description(view: OpenApiView) -> None:
    get, put = view.operations
    assert get.parameters == (
        FieldView("id", "path", "uuid", "", "", "", is_required=True),
        FieldView("at", "query", "anything", "", "", "When.", is_required=False),
    )
    assert put.parameters == ()


def test_problems_are_refusals_with_their_codes(view: OpenApiView) -> None:
    get, put = view.operations
    assert get.answers == (
        AnswerView("200", "OK", "Note", "Note"),
        AnswerView("304", "Not Modified"),
    )
    assert get.refusals == (AnswerView("404", "Not Found", codes=("not_yours", "not_found")),)
    assert put.answers == (AnswerView("200", "OK", "image/png"),)


def test_a_body_has_its_schema_and_the_fields_of_it(view: OpenApiView) -> None:
    get, put = view.operations
    assert (get.body, get.fields, get.needs_token) == ("", (), False)
    assert (put.body, put.body_is_required, put.needs_token) == ("Note", True, True)
    assert put.fields == (FieldView("text", "", "string", "", "", "", is_required=True),)


def test_schemas_are_sorted_and_one_that_is_no_object_has_one_nameless_field(
    view: OpenApiView,
) -> None:
    level, note = view.schemas
    assert (level.name, note.name) == ("Level", "Note")
    assert [(field.name, field.type) for field in level.fields] == [("", '"view" | "admin"')]


@pytest.mark.parametrize(
    ("schema", "text", "link", "note"),
    [
        (
            {"anyOf": [{"type": "string", "minLength": 1, "maxLength": 9}, {"type": "null"}]},
            "string or null",
            "",
            "1–9 characters",
        ),
        (
            {"type": "array", "items": {"$ref": "#/components/schemas/B"}, "maxItems": 3},
            "list of B",
            "B",
            "0–3 values",
        ),
        ({"enum": ["x", "y"]}, '"x" | "y"', "", ""),
        ({"type": "integer", "minimum": 1, "default": 2}, "integer", "", "from 1, default 2"),
        ({"type": "integer", "maximum": 9}, "integer", "", "to 9"),
        ({"const": True}, "true", "", ""),
    ],
)
def test_types_are_described_in_words(
    schema: dict[str, Any], text: str, link: str, note: str
) -> None:
    document = {
        "info": {"title": "T"},
        "paths": {},
        "components": {"schemas": {"A": {"properties": {"a": schema}}}},
    }
    field = openapi_view(document).schemas[0].fields[0]
    assert (field.type, field.schema, field.note) == (text, link, note)
