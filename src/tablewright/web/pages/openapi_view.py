"""View model of an OpenAPI document, for pages that render it.

Pure: an OpenAPI document goes in, frozen dataclasses come out. Templates decide how it looks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, NamedTuple

__all__ = [
    "AnswerView",
    "FieldView",
    "OpenApiView",
    "OperationView",
    "SchemaView",
    "TagView",
    "openapi_view",
]

Schema = dict[str, Any]
_METHODS: Final = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class FieldView:
    """A parameter, or a field of an object."""

    name: str  # Empty for a schema that is not an object.
    place: str  # path, query, header or cookie; empty for a field of an object.
    type: str
    schema: str  # The schema that the type refers to; empty if there is none.
    note: str  # Limits and default.
    description: str
    is_required: bool


@dataclass(frozen=True)
class AnswerView:
    """A response: its status, with the type of its body or the error codes it can have."""

    status: str
    phrase: str
    type: str = ""
    schema: str = ""
    note: str = ""
    codes: tuple[str, ...] = ()


@dataclass(frozen=True)
class OperationView:
    """An endpoint."""

    method: str
    path: str
    anchor: str
    summary: str
    description: str
    needs_token: bool
    parameters: tuple[FieldView, ...]
    body: str  # The schema of the request body; empty if the endpoint takes none.
    body_is_required: bool
    fields: tuple[FieldView, ...]  # The fields of the request body.
    answers: tuple[AnswerView, ...]
    refusals: tuple[AnswerView, ...]
    curl: str = ""  # A command that calls the endpoint; set by pages that show one.


@dataclass(frozen=True)
class TagView:
    """The endpoints of a tag."""

    name: str
    anchor: str
    operations: tuple[OperationView, ...]


@dataclass(frozen=True)
class SchemaView:
    """A named schema of request and response bodies."""

    name: str
    fields: tuple[FieldView, ...]


@dataclass(frozen=True)
class OpenApiView:
    """A whole document."""

    title: str
    description: str
    path: str  # The prefix of all paths.
    tags: tuple[TagView, ...]
    schemas: tuple[SchemaView, ...]
    endpoints: int  # How many there are.

    @property
    def operations(self) -> tuple[OperationView, ...]:
        """All endpoints, in the order of the tags."""
        return tuple(operation for tag in self.tags for operation in tag.operations)


def openapi_view(document: Schema) -> OpenApiView:
    """The view model of an OpenAPI document."""
    schemas = document.get("components", {}).get("schemas", {})
    tags: dict[str, list[OperationView]] = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                # A router's tags come first; the route's own tag is the more specific.
                name = (methods[method].get("tags") or ["Endpoints"])[-1]
                operation = _operation(method, path, methods[method], schemas)
                tags.setdefault(name, []).append(operation)
    return OpenApiView(
        title=document["info"]["title"],
        description=document["info"].get("description", ""),
        path=document.get("servers", [{"url": ""}])[0]["url"].rstrip("/"),
        tags=tuple(
            TagView(name, _anchor(name), tuple(operations)) for name, operations in tags.items()
        ),
        schemas=tuple(SchemaView(name, _fields(schemas[name])) for name in sorted(schemas)),
        endpoints=sum(map(len, tags.values())),
    )


def _operation(
    method: str, path: str, operation: Schema, schemas: dict[str, Schema]
) -> OperationView:
    request_body = operation.get("requestBody", {})
    content = request_body.get("content", {}).get("application/json", {})
    body = _type(content["schema"]).schema if content else ""
    answers = [_answer(status, response) for status, response in operation["responses"].items()]
    return OperationView(
        method=method.upper(),
        path=path,
        anchor=_anchor(f"{method} {path}"),
        summary=operation.get("summary", ""),
        description=operation.get("description", ""),
        needs_token=bool(operation.get("security")),
        parameters=tuple(map(_parameter, operation.get("parameters", ()))),
        body=body,
        body_is_required=request_body.get("required", False),
        fields=_fields(schemas[body]) if body else (),
        answers=tuple(answer for answer in answers if not answer.codes),
        refusals=tuple(answer for answer in answers if answer.codes),
    )


def _answer(status: str, response: Schema) -> AnswerView:
    phrase = HTTPStatus(int(status)).phrase
    contents = response.get("content", {})
    problem = contents.get("application/problem+json")
    if problem is not None:
        codes = problem["schema"]["allOf"][1]["properties"]["code"]["enum"]
        return AnswerView(status, phrase, codes=tuple(codes))
    for media_type, content in contents.items():
        if content.get("schema"):
            return AnswerView(status, phrase, *_type(content["schema"]))
        return AnswerView(status, phrase, media_type)
    return AnswerView(status, phrase)


def _parameter(parameter: Schema) -> FieldView:
    return _field(
        parameter["name"],
        parameter.get("schema", {}),
        place=parameter["in"],
        description=parameter.get("description", ""),
        is_required=parameter.get("required", False),
    )


def _fields(schema: Schema) -> tuple[FieldView, ...]:
    """The fields of an object; a single field without a name for any other schema."""
    if "properties" not in schema:
        return (_field("", schema, is_required=True),)
    required = schema.get("required", ())
    return tuple(
        _field(name, part, description=part.get("description", ""), is_required=name in required)
        for name, part in schema["properties"].items()
    )


def _field(
    name: str, schema: Schema, *, place: str = "", description: str = "", is_required: bool
) -> FieldView:
    return FieldView(name, place, *_type(schema), description, is_required)


# Types in words.


class _Type(NamedTuple):
    text: str
    schema: str = ""
    note: str = ""


def _type(schema: Schema) -> _Type:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _Type(name, name)
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in schema:
            return _union([_type(part) for part in schema[keyword]])
    if "enum" in schema:
        return _Type(" | ".join(_literal(value) for value in schema["enum"]))
    if "const" in schema:
        return _Type(_literal(schema["const"]))
    if schema.get("type") == "array":
        item = _type(schema.get("items", {}))
        return _Type(f"list of {item.text}", item.schema, _length(schema, "Items", "values"))
    text = schema.get("format") or schema.get("type") or "anything"
    return _Type(str(text), note=_note(schema))


def _union(types: list[_Type]) -> _Type:
    texts = dict.fromkeys(part.text for part in types)
    schema = next((part.schema for part in types if part.schema), "")
    note = next((part.note for part in types if part.note), "")
    return _Type(" or ".join(texts), schema, note)


def _note(schema: Schema) -> str:
    """The limits and the default of a value."""
    notes = [_length(schema, "Length", "characters")]
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None or high is not None:
        notes.append(_range(low, high))
    if "default" in schema and schema["default"] is not None:
        notes.append(f"default {_literal(schema['default'])}")
    return ", ".join(note for note in notes if note)


def _length(schema: Schema, suffix: str, unit: str) -> str:
    low, high = schema.get(f"min{suffix}"), schema.get(f"max{suffix}")
    if low is None and high is None:
        return ""
    return f"{_range(low or 0, high)} {unit}"


def _range(low: Any, high: Any) -> str:
    if high is None:
        return f"from {low}"
    return f"to {high}" if low is None else f"{low}–{high}"


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _anchor(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
