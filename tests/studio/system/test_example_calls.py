"""The OpenAPI page: every endpoint, links that lead somewhere, bodies that are taken."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tablewright.studio.shell.mount import system_designs
from tablewright.studio.system.example_bodies import example_of
from tablewright.studio.system.example_calls import curl_of, example_body
from tablewright.studio.system.system_documents import SystemDocuments, placeholder_services
from tablewright.systems.registry import PACKAGES, find_systems
from tablewright.web.http.problems import Problem
from tablewright.web.http.route_index import all_routes
from tests.studio.studios import Visitor, opened

SYSTEMS = list(PACKAGES)


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    with opened(*system_designs(PACKAGES)) as visitor:
        yield visitor


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_page_has_every_endpoint_of_the_document(visitor: Visitor, name: str) -> None:
    document = SystemDocuments(None).of(name).content  # type: ignore[arg-type]
    endpoints = {(m.upper(), path) for path, methods in document["paths"].items() for m in methods}
    view = visitor.json(f"/{name}/openapi.json")
    operations = [operation for tag in view["tags"] for operation in tag["operations"]]
    assert {(operation["method"], operation["path"]) for operation in operations} == endpoints
    assert view["endpoints"] == len(endpoints)
    assert all(
        operation["curl"].startswith(f"curl -X {operation['method']} ") for operation in operations
    )
    assert all(operation["refusals"] for operation in operations)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_link_inside_the_page_leads_somewhere(visitor: Visitor, name: str) -> None:
    text = visitor.get(f"/{name}/openapi").text
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_body_that_is_proposed_is_one_that_is_taken(name: str) -> None:
    document = SystemDocuments(None).of(name)  # type: ignore[arg-type]
    app = find_systems([name])[name].create_app(placeholder_services(None))  # type: ignore[arg-type]
    bodies = [
        parameter.field_info.annotation
        for route in all_routes(app.routes)
        for parameter in route.dependant.body_params
    ]
    models = {model.__name__: model for model in bodies if isinstance(model, type)}
    assert models
    refused = set()
    for operation in document.operations.values():
        if operation.body:
            body = json.loads(example_body(document, operation))
            try:
                models[operation.body].model_validate(body)
            except Problem as problem:
                refused.add((operation.body, str(problem)))
    assert refused == set()


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "minLength": 6}, "textxx"),
        ({"type": "string", "maxLength": 2}, "te"),
        ({"type": "string", "pattern": "^[0-9]{6}$"}, "100001"),
        ({"type": "string", "format": "date"}, "2026-01-31"),
        ({"type": "string", "default": ""}, "text"),
        ({"type": "integer", "minimum": 3}, 3),
        ({"type": "integer", "minimum": 3.0}, 3),
        ({"type": "boolean"}, True),
        ({"type": "array", "items": {"const": "a"}, "minItems": 2}, ["a", "a"]),
        ({"anyOf": [{"type": "null"}, {"enum": ["x", "y"]}]}, "x"),
        ({"properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]}, {"a": 1}),
        ({"properties": {n: {"const": n} for n in "abcd"}}, {"a": "a", "b": "b", "c": "c"}),
        ({"$ref": "#/components/schemas/Loop"}, None),
    ],
)
def test_an_example_is_as_small_as_its_schema_allows(schema: object, value: object) -> None:
    schemas = {"Loop": {"$ref": "#/components/schemas/Loop"}}
    example = example_of(schema, schemas)  # type: ignore[arg-type]
    assert (type(example), example) == (type(value), value)


def test_a_command_quotes_what_a_shell_would_read() -> None:
    command = curl_of(
        "POST", "http://h/x", {"q": "a b&c"}, {"If-Match": '"3"'}, "{'$(x)'}", has_token=True
    )
    assert command.splitlines() == [
        "curl -X POST 'http://h/x?q=a+b%26c' \\",
        '  -H "Authorization: Bearer $TOKEN" \\',
        "  -H 'Content-Type: application/json' \\",
        "  -H 'If-Match: \"3\"' \\",
        "  --data-raw '{'\"'\"'$(x)'\"'\"'}'",
    ]
