"""A system's OpenAPI document as a page: every endpoint, with a call to begin with."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import orjson

from tablewright.studio.system.example_bodies import example_of
from tablewright.studio.system.system_documents import Described
from tablewright.web.http.docs_page import Field, Operation, Told

__all__ = ["OpenApiView", "body_of", "curl_of", "openapi_view", "parameter_example"]


@dataclass(frozen=True)
class FieldView:
    """A parameter, or a field of a body."""

    name: str
    place: str
    type: str
    schema: str  # The name of the schema to go on reading at; empty where there is none.
    note: str
    description: str
    is_required: bool


@dataclass(frozen=True)
class AnswerView:
    """An answer by its status: what it holds, or which codes it has."""

    status: str
    phrase: str
    type: str
    schema: str
    codes: tuple[str, ...]


@dataclass(frozen=True)
class OperationView:
    """One endpoint."""

    method: str
    path: str
    anchor: str
    summary: str
    description: str
    needs_token: bool
    parameters: tuple[FieldView, ...]
    body: str
    body_is_required: bool
    fields: tuple[FieldView, ...]
    answers: tuple[AnswerView, ...]
    refusals: tuple[AnswerView, ...]
    curl: str


@dataclass(frozen=True)
class TagView:
    """Endpoints of one tag."""

    name: str
    anchor: str
    operations: tuple[OperationView, ...]


@dataclass(frozen=True)
class SchemaView:
    """An object that bodies and answers are made of."""

    name: str
    fields: tuple[FieldView, ...]


@dataclass(frozen=True)
class OpenApiView:
    """The page."""

    title: str
    description: str
    path: str
    tags: tuple[TagView, ...]
    schemas: tuple[SchemaView, ...]
    endpoints: int


def openapi_view(described: Described, base_url: str) -> OpenApiView:
    """The page; its calls go to a server at an address."""
    view = described.view
    return OpenApiView(
        title=view.title,
        description=view.description,
        path=view.url,
        tags=tuple(
            TagView(
                group.name,
                group.anchor,
                tuple(_operation(described, one, base_url) for one in group.operations),
            )
            for group in view.groups
        ),
        schemas=tuple(
            SchemaView(name, tuple(map(_field, fields))) for name, fields in view.schemas.items()
        ),
        endpoints=len(described.operations),
    )


def _operation(described: Described, told: Operation, base_url: str) -> OperationView:
    needed = {one.name: f"{{{one.name}}}" for one in told.parameters if one.place == "path"}
    query = {
        one.name: parameter_example(described, told, one.name)
        for one in told.parameters
        if one.place == "query" and one.is_required
    }
    url = f"{base_url}{described.view.url}{told.path.format(**needed)}"
    body = body_of(described, told)
    return OperationView(
        method=told.method,
        path=told.path,
        anchor=told.anchor,
        summary=told.summary,
        description=told.description,
        needs_token=told.needs_token,
        parameters=tuple(map(_field, told.parameters)),
        body=told.body,
        body_is_required=told.body_is_required,
        fields=tuple(map(_field, told.fields)),
        answers=tuple(map(_answer, told.answers)),
        refusals=tuple(map(_answer, told.refusals)),
        curl=curl_of(told.method, url, query, {}, body, has_token=told.needs_token),
    )


def _field(told: Field) -> FieldView:
    return FieldView(
        name=told.name,
        place=told.place,
        type=told.kind.text,
        schema=told.kind.schema,
        note=told.kind.note,
        description=told.description,
        is_required=told.is_required,
    )


def _answer(told: Told) -> AnswerView:
    kind = told.kind
    return AnswerView(
        told.status,
        told.phrase,
        kind.text if kind is not None else "",
        kind.schema if kind is not None else "",
        told.codes,
    )


def body_of(described: Described, told: Operation) -> str:
    """A body that an endpoint may be sent, as JSON; empty where it takes none."""
    if not told.body:
        return ""
    schemas = described.document["components"]["schemas"]
    return orjson.dumps(
        example_of(schemas[told.body], schemas), option=orjson.OPT_INDENT_2
    ).decode()


def parameter_example(described: Described, told: Operation, name: str) -> str:
    """What a parameter can look like."""
    operation = described.document["paths"][told.path][told.method.lower()]
    schemas = described.document["components"]["schemas"]
    schema = next(one["schema"] for one in operation["parameters"] if one["name"] == name)
    return str(example_of(schema, schemas))


def curl_of(
    method: str,
    url: str,
    query: Mapping[str, str],
    headers: Mapping[str, str],
    body: str,
    *,
    has_token: bool,
) -> str:
    """A request as a command; a token is named, never told."""
    address = f"{url}?{urlencode(query)}" if query else url
    lines = [f"curl -X {method} {shlex.quote(address)}"]
    if has_token:
        lines.append('-H "Authorization: Bearer $TOKEN"')
    told: dict[str, Any] = dict(headers)
    if body:
        told = {"Content-Type": "application/json", **told}
    lines += [f"-H {shlex.quote(f'{name}: {text}')}" for name, text in told.items()]
    if body:
        lines.append(f"--data-raw {shlex.quote(body)}")
    return " \\\n  ".join(lines)
