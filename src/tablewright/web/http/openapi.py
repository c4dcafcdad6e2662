"""The OpenAPI of a system: every endpoint with its fields, its answers and its error codes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from pydantic.json_schema import models_json_schema
from starlette.convertors import Convertor, register_url_convertor

from tablewright.web.http.field_types import ULID_PATTERN, USER_ID_PATTERN, UUID_PATTERN
from tablewright.web.http.problems import GENERAL_CODES
from tablewright.web.http.route_list import all_routes

__all__ = [
    "Codes",
    "Endpoint",
    "Queries",
    "document",
    "endpoints_of",
    "has_required",
    "operation",
    "register_form",
]

Schema = dict[str, Any]
Codes = Mapping[int, Sequence[str]]
Queries = Mapping[str, Mapping[str, Any]]

# Forms of path ids.

_FORMS: dict[str, Schema] = {}


class _Text(Convertor[str]):
    """A part of a path that has a form; it stays text."""

    made: Callable[[str], str]

    def convert(self, value: str) -> str:
        return self.made(value)

    def to_string(self, value: str) -> str:
        return value


def register_form(
    name: str, pattern: str, *, made: Callable[[str], str] = str, **schema: Any
) -> None:
    """A form that ids in paths can have: ``{id:name}`` matches only texts of the pattern.

    The route is given what is ``made`` of the text.
    """
    members = {"regex": pattern, "made": staticmethod(made)}
    register_url_convertor(name, type("Form", (_Text,), members)())
    _FORMS[name] = {"type": "string", "pattern": f"^{pattern}$", **schema}


register_form("uuidtext", UUID_PATTERN, format="uuid")
register_form("ulid", ULID_PATTERN)
register_form("userid", USER_ID_PATTERN)
register_form("segment", "[^/]+")


# One endpoint.


@dataclass(frozen=True)
class Endpoint:
    """What an endpoint takes, gives and refuses."""

    method: str
    path: str
    answers: Mapping[int, type[BaseModel] | None]
    body: type[BaseModel] | None = None
    refuses: Codes = field(default_factory=dict)
    query: Queries = field(default_factory=dict)
    is_public: bool = False
    is_paged: bool = False
    is_idempotent: bool = False
    is_versioned: bool = False
    media_type: str = "application/json"


def endpoints_of(function: Any) -> list[Endpoint]:
    """What was told of the routes that a function serves."""
    found: list[Endpoint] = getattr(function, "__endpoints__", [])
    return found


_PAGE_PARAMETERS: Final = (
    {
        "name": "limit",
        "in": "query",
        "description": "How many at most.",
        "schema": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50},
    },
    {
        "name": "cursor",
        "in": "query",
        "description": "Where the page before ended.",
        "schema": {"type": "string"},
    },
)
_IDEMPOTENCY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "A repeated request with the same key and body has one effect.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 128, "pattern": '^[!-"$-~]+$'},
}
_IF_MATCH: Final = {
    "name": "If-Match",
    "in": "header",
    "description": 'Only if this is the current version: `"3"`, or `*`.',
    "schema": {"type": "string"},
}
_ETAG: Final = {"ETag": {"description": "The version.", "schema": {"type": "string"}}}


def operation(told: Endpoint) -> tuple[dict[int | str, Schema], Schema]:
    """What FastAPI is to say of an endpoint: its responses, and the rest of the operation."""
    responses: dict[int | str, Schema] = {}
    for status, model in told.answers.items():
        responses[status] = _success(status, model, told)
    for status, codes in sorted(_refusals(told).items()):
        responses[status] = _refusal(status, codes)
    extra: Schema = {}
    if told.body is not None:
        reference = {"$ref": f"#/components/schemas/{told.body.__name__}"}
        extra["requestBody"] = {
            "required": has_required(told.body),
            "content": {"application/json": {"schema": reference}},
        }
    parameters = [*_query(told.query)]
    named = {parameter["name"] for parameter in parameters}
    if told.is_paged:
        parameters += [one for one in _PAGE_PARAMETERS if one["name"] not in named]
    if told.is_idempotent:
        parameters.append(_IDEMPOTENCY)
    if told.is_versioned and told.method in ("PUT", "PATCH", "DELETE"):
        parameters.append(_IF_MATCH)
    if parameters:
        extra["parameters"] = parameters
    if not told.is_public:
        extra["security"] = [{"bearer": []}]
    return responses, extra


def has_required(model: type[BaseModel]) -> bool:
    """Whether a body cannot be left out."""
    return any(about.is_required() for about in model.model_fields.values())


def _query(query: Mapping[str, Mapping[str, Any]]) -> list[Schema]:
    return [
        {"name": name, "in": "query", "required": False, **about} for name, about in query.items()
    ]


def _success(status: int, model: type[BaseModel] | None, told: Endpoint) -> Schema:
    made: Schema = {"description": "Done."}
    if model is not None:
        made["model"] = model
        if told.media_type != "application/json":
            made["content"] = {told.media_type: {}}  # Beside JSON, which the model describes.
        if told.is_versioned:
            made["headers"] = _ETAG
    elif status not in (202, 204):
        made["content"] = {told.media_type: {}}
    return made


def _refusals(told: Endpoint) -> dict[int, list[str]]:
    """The codes of each status; those that need no saying are added."""
    found = {status: list(codes) for status, codes in told.refuses.items()}
    if told.body is not None or told.query or told.is_paged or told.is_idempotent:
        found.setdefault(400, [])
    if told.body is not None:
        found.setdefault(413, [])
    if not told.is_public:
        found.setdefault(401, [])
    if "{" in told.path:
        found.setdefault(404, [])
    if told.is_versioned and told.method in ("PUT", "PATCH", "DELETE"):
        found.setdefault(412, [])
        found.setdefault(409, [])
    if told.is_idempotent:
        found[409] = [*found.get(409, ()), "idempotency_conflict"]
    found.setdefault(500, [])
    for status, codes in found.items():
        # These stay possible beside what a system calls them: by form, and by lost races.
        if not codes or (status in (400, 404, 409) and GENERAL_CODES[status] not in codes):
            codes.append(GENERAL_CODES[status])
    return {status: list(dict.fromkeys(codes)) for status, codes in found.items()}


def _refusal(status: int, codes: Iterable[str]) -> Schema:
    names = list(codes)
    schema = {
        "allOf": [
            {"$ref": "#/components/schemas/Problem"},
            {"properties": {"status": {"const": status}, "code": {"enum": names}}},
        ]
    }
    return {
        "description": ", ".join(f"`{name}`" for name in names),
        "content": {"application/problem+json": {"schema": schema}},
    }


# The whole document.

_PROBLEM: Final = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"const": "about:blank"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "errors": {
            "type": "array",
            "description": "Of a 400: what is wrong with which field.",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}


def document(app: FastAPI, *, cookie: str | None = None) -> None:
    """Give an app an OpenAPI that knows the bodies which its routes read themselves.

    ``cookie`` names one that is as good as a token.
    """

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(
                title=app.title,
                version=app.version,
                openapi_version="3.1.0",
                description=app.description,
                routes=app.routes,
            )
            app.openapi_schema = _completed(made, _bodies(app), _forms(app))
            if cookie is not None:
                _tell_cookie(app.openapi_schema, cookie)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _bodies(app: FastAPI) -> list[type[BaseModel]]:
    """The bodies that the routes of an app read."""
    routes = all_routes(app.routes)
    found = [told.body for route in routes for told in endpoints_of(route.endpoint)]
    return list(dict.fromkeys(body for body in found if body is not None))


def _forms(app: FastAPI) -> dict[str, str]:
    """The names of ids in paths with their forms; one name has one form in a system."""
    return {
        name: form
        for route in all_routes(app.routes)
        for name, form in re.findall(r"\{(\w+):(\w+)\}", route.path)
    }


def _completed(
    made: dict[str, Any], bodies: list[type[BaseModel]], forms: Mapping[str, str]
) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for path, methods in made.get("paths", {}).items():
        shown = paths.setdefault(re.sub(r"\w+(?=\})", lambda m: to_camel(m[0]), path), {})
        for method, told in methods.items():
            shown[method] = told
            told.get("responses", {}).pop("422", None)
            if told.get("description", "").rstrip(".") == told.get("summary"):
                del told["description"]
            _tell_forms(told, forms)
    made["paths"] = paths
    components = made.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for name, schema in _schemas_of(bodies).items():
        assert schemas.get(name, schema) == schema, f"a body and an answer are both called {name}"
        schemas[name] = schema
    schemas["Problem"] = _PROBLEM
    components["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
    }
    return made


def _tell_cookie(made: dict[str, Any], cookie: str) -> None:
    """Say that a cookie is another way to be known."""
    schemes = made["components"]["securitySchemes"]
    schemes["session"] = {"type": "apiKey", "in": "cookie", "name": cookie}
    for methods in made["paths"].values():
        for told in methods.values():
            if "security" in told:
                told["security"] = [*told["security"], {"session": []}]


def _tell_forms(told: dict[str, Any], forms: Mapping[str, str]) -> None:
    """Name path parameters as JSON names fields, and say what they look like."""
    for parameter in told.get("parameters", ()):
        if parameter["in"] == "path":
            form = forms.get(parameter["name"], "")
            parameter["schema"] = _FORMS.get(form, {"type": "string"})
            parameter["name"] = to_camel(parameter["name"])


def _schemas_of(bodies: list[type[BaseModel]]) -> dict[str, Any]:
    if not bodies:
        return {}
    _, defined = models_json_schema(
        [(model, "validation") for model in bodies], ref_template="#/components/schemas/{model}"
    )
    found: dict[str, Any] = defined.get("$defs", {})
    assert {body.__name__ for body in bodies} <= set(found), "two bodies have one name"
    return found
