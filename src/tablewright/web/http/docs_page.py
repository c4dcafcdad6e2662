"""A system's OpenAPI as a page for reading: made here, without scripts, from nothing but our files.

What is shown is worked out as plain rows; how it looks is in ``templates/docs.html`` and
``static/docs.css``.
"""

from __future__ import annotations

import re
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from fastapi.responses import HTMLResponse, Response

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["docs_page", "docs_style", "view"]

Schema = dict[str, Any]
_METHODS = ("get", "post", "put", "patch", "delete")


class Kind(NamedTuple):
    """What a value is, in words; ``schema`` is the name of the schema to go on reading at."""

    text: str
    schema: str = ""
    note: str = ""


class Field(NamedTuple):
    """A field of an object, or a parameter."""

    name: str
    kind: Kind
    is_required: bool
    place: str = ""
    description: str = ""


class Told(NamedTuple):
    """An answer: its status, and what it holds or which codes it has."""

    status: str
    phrase: str
    kind: Kind | None = None
    codes: tuple[str, ...] = ()


class Operation(NamedTuple):
    method: str
    path: str
    anchor: str
    summary: str
    description: str
    needs_token: bool
    parameters: list[Field]
    body: str
    body_is_required: bool
    fields: list[Field]
    answers: list[Told]
    refusals: list[Told]


class Group(NamedTuple):
    name: str
    anchor: str
    operations: list[Operation]


class View(NamedTuple):
    """Everything the page shows."""

    title: str
    description: str
    url: str
    groups: list[Group]
    schemas: dict[str, list[Field]]


def docs_page(document: Schema) -> Response:
    """The page of a document."""
    return HTMLResponse(_template().render(view(document)._asdict()))


def docs_style() -> Response:
    """The page's style sheet."""
    text = files("tablewright.web.pages").joinpath("static/docs.css").read_text("utf-8")
    return Response(text, media_type="text/css", headers={"Cache-Control": "max-age=3600"})


@cache
def _template() -> Template:
    import jinja2

    loader = jinja2.PackageLoader("tablewright.web.pages")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["code"] = _code
    return environment.get_template("docs.html")


def _code(text: str) -> Any:
    """Text with `code` in it, as HTML."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704


def view(document: Schema) -> View:
    """What there is to show of a document."""
    schemas = document.get("components", {}).get("schemas", {})
    groups: dict[str, list[Operation]] = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                tag = (methods[method].get("tags") or ["Endpoints"])[0]
                groups.setdefault(tag, []).append(
                    _operation(method, path, methods[method], schemas)
                )
    return View(
        title=document["info"]["title"],
        description=document["info"].get("description", ""),
        url=document.get("servers", [{"url": ""}])[0]["url"].rstrip("/"),
        groups=[Group(name, _anchor(name), found) for name, found in groups.items()],
        schemas={name: _fields(schema) for name, schema in sorted(schemas.items())},
    )


def _operation(method: str, path: str, told: Schema, schemas: dict[str, Schema]) -> Operation:
    content = told.get("requestBody", {}).get("content", {}).get("application/json", {})
    body = _kind(content["schema"]).schema if content else ""
    responses = [_told(status, about) for status, about in told["responses"].items()]
    return Operation(
        method=method.upper(),
        path=path,
        anchor=_anchor(f"{method} {path}"),
        summary=told.get("summary", ""),
        description=told.get("description", ""),
        needs_token=bool(told.get("security")),
        parameters=[_parameter(one) for one in told.get("parameters", ())],
        body=body,
        body_is_required=told.get("requestBody", {}).get("required", False),
        fields=_fields(schemas[body]) if body else [],
        answers=[one for one in responses if not one.codes],
        refusals=[one for one in responses if one.codes],
    )


def _parameter(told: Schema) -> Field:
    return Field(
        told["name"],
        _kind(told.get("schema", {})),
        told.get("required", False),
        told["in"],
        told.get("description", ""),
    )


def _told(status: str, about: Schema) -> Told:
    phrase = HTTPStatus(int(status)).phrase
    problem = about.get("content", {}).get("application/problem+json")
    if problem is not None:
        codes = problem["schema"]["allOf"][1]["properties"]["code"]["enum"]
        return Told(status, phrase, codes=tuple(codes))
    for media_type, content in about.get("content", {}).items():
        if content.get("schema"):
            return Told(status, phrase, _kind(content["schema"]))
        return Told(status, phrase, Kind(media_type))
    return Told(status, phrase)


def _fields(schema: Schema) -> list[Field]:
    """The fields of an object; one without a name for a schema that is none."""
    if "properties" not in schema:
        return [Field("", _kind(schema), is_required=True)]
    needed = schema.get("required", ())
    return [
        Field(name, _kind(about), name in needed, description=about.get("description", ""))
        for name, about in schema["properties"].items()
    ]


def _kind(schema: Schema) -> Kind:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Kind(name, name)
    for joined in ("anyOf", "oneOf", "allOf"):
        if joined in schema:
            return _either([_kind(part) for part in schema[joined]])
    if "enum" in schema:
        return Kind(" | ".join(_literal(value) for value in schema["enum"]))
    if "const" in schema:
        return Kind(_literal(schema["const"]))
    if schema.get("type") == "array":
        inner = _kind(schema.get("items", {}))
        return Kind(f"list of {inner.text}", inner.schema, _length(schema, "Items", "values"))
    text = schema.get("format") or schema.get("type") or "anything"
    return Kind(str(text), note=_note(schema))


def _either(kinds: list[Kind]) -> Kind:
    texts = dict.fromkeys(kind.text for kind in kinds)
    schema = next((kind.schema for kind in kinds if kind.schema), "")
    note = next((kind.note for kind in kinds if kind.note), "")
    return Kind(" or ".join(texts), schema, note)


def _note(schema: Schema) -> str:
    """The limits of a value."""
    notes = [_length(schema, "Length", "characters")]
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None or high is not None:
        notes.append(_span(low, high))
    if "default" in schema and schema["default"] is not None:
        notes.append(f"default {_literal(schema['default'])}")
    return ", ".join(note for note in notes if note)


def _length(schema: Schema, of: str, unit: str) -> str:
    low, high = schema.get(f"min{of}"), schema.get(f"max{of}")
    if low is None and high is None:
        return ""
    return f"{_span(low or 0, high)} {unit}"


def _span(low: Any, high: Any) -> str:
    if high is None:
        return f"from {low}"
    return f"to {high}" if low is None else f"{low}–{high}"


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _anchor(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
