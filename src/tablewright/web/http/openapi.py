"""The OpenAPI of a system: FastAPI's, with the refusals that follow from routes and permissions."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, get_args

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import get_flat_params
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.convertors import Convertor, register_url_convertor

from tablewright.web.http.field_types import (
    ULID_PATTERN,
    USER_ID_PATTERN,
    UUID_PATTERN,
    PatchBody,
)
from tablewright.web.http.problems import GENERAL_CODES
from tablewright.web.http.request_body import has_required
from tablewright.web.http.route_index import all_routes
from tablewright.web.identity.permission_matrix import Matrix

__all__ = ["Responses", "codes", "document", "register_form"]

Schema = dict[str, Any]
Responses = dict[int | str, Schema]  # As FastAPI takes them, by status.
_CODES: Final = "codes"

# Forms of path ids.

_FORMS: dict[str, Schema] = {}


class _Text(Convertor[str]):
    """A part of a path that has a form; it stays text."""

    normalize: Callable[[str], str]

    def convert(self, value: str) -> str:
        return self.normalize(value)

    def to_string(self, value: str) -> str:
        return value


def register_form(
    name: str,
    pattern: str,
    *,
    normalize: Callable[[str], str] = str,
    chars_max: int | None = None,
    **schema: Any,
) -> None:
    """A form that ids in paths can have: ``{id:name}`` matches only texts of the pattern.

    The route is given the text that ``normalize`` returns.
    """
    regex = pattern
    if chars_max is not None:
        regex = f"(?=[^/]{{1,{chars_max}}}(?:/|$)){pattern}"
        schema["maxLength"] = chars_max
    members = {"regex": regex, "normalize": staticmethod(normalize)}
    register_url_convertor(name, type("Form", (_Text,), members)())
    _FORMS[name] = {"type": "string", "pattern": f"^{pattern}$", **schema}


register_form("uuidtext", UUID_PATTERN, format="uuid")
register_form("ulid", ULID_PATTERN)
register_form("userid", USER_ID_PATTERN)
register_form("segment", "[^/]+")


# Refusals.


def codes(*names: str) -> Schema:
    """The particular codes of a refusal: ``responses={409: codes("game_finished")}``."""
    return {"description": "", _CODES: list(names)}


def _refusals(
    route: APIRoute, declared: Mapping[int, list[str]], permissions: Mapping[int, list[str]]
) -> dict[int, list[str]]:
    """The codes of each status that a route may answer with.

    Most follow from what the route takes, and from who may call it; a route declares the others.
    """
    refusals = {status: list(names) for status, names in declared.items()}
    for status, names in permissions.items():
        refusals[status] = [*names, *refusals.get(status, ())]
    for status, names in _refusals_of_dependencies(route.dependant).items():
        refusals[status] = [*refusals.get(status, ()), *names]
    parameters = {field.alias.lower() for field in get_flat_params(route.dependant)}
    parameters -= {field.alias.lower() for field in route.dependant.path_params}
    if route.body_field is not None or parameters - {"if-match"}:
        refusals.setdefault(400, [])
    if route.body_field is not None:
        refusals.setdefault(413, [])
    if "{" in route.path:
        refusals.setdefault(404, [])
    if "if-match" in parameters:
        refusals.setdefault(412, [])
        refusals.setdefault(409, [])
    if "idempotency-key" in parameters:
        refusals[409] = [*refusals.get(409, ()), "idempotency_conflict"]
    refusals.setdefault(500, [])
    for status, names in refusals.items():
        # These stay possible beside what a system calls them: by form, and by lost races.
        if not names or (status in (400, 404, 409) and GENERAL_CODES[status] not in names):
            names.append(GENERAL_CODES[status])
    return {status: list(dict.fromkeys(names)) for status, names in refusals.items()}


def _refusals_of_dependencies(dependant: Dependant) -> dict[int, list[str]]:
    """The statuses that dependencies have in an attribute ``refusals``."""
    refusals: dict[int, list[str]] = {}
    for inner in dependant.dependencies:
        refusals |= getattr(inner.call, "refusals", {}) | _refusals_of_dependencies(inner)
    return refusals


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


_ETAG: Final = {"ETag": {"description": "The version.", "schema": {"type": "string"}}}


def document(app: FastAPI, *, permissions: Matrix | None = None, cookie: str | None = None) -> None:
    """Give an app its OpenAPI.

    ``permissions`` says how each endpoint refuses callers. ``cookie`` names a cookie that may
    replace a token.
    """

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app, permissions)
            if cookie is not None:
                _add_cookie(app.openapi_schema, cookie)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _document(app: FastAPI, permissions: Matrix | None) -> dict[str, Any]:
    with warnings.catch_warnings():
        # FastAPI hands pydantic the aliases of parameters, and silences this around its own code.
        warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)
        document = get_openapi(
            title=app.title,
            version=app.version,
            openapi_version="3.1.0",
            description=app.description,
            routes=app.routes,
        )
    refusals = {} if permissions is None else permissions.refusals
    operations = document.get("paths", {})
    paths: dict[str, dict[str, Any]] = {}
    document["paths"] = paths
    for route in all_routes(app.routes):
        if not route.include_in_schema:
            continue
        path = _camel_path(route.path_format)
        for method in route.methods or ():
            operation = operations[route.path_format][method.lower()]
            _complete(operation, route, refusals.get((method, path), {}))
            paths.setdefault(path, {})[method.lower()] = operation
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = _PROBLEM
    return document


def _camel_path(path: str) -> str:
    return re.sub(r"\w+(?=\})", lambda match: to_camel(match[0]), path)


def _complete(operation: Schema, route: APIRoute, permissions: Mapping[int, list[str]]) -> None:
    """Add to an operation what FastAPI does not know of it."""
    responses = operation["responses"]
    responses.pop("422", None)
    declared = {
        int(status): response.pop(_CODES)
        for status, response in responses.items()
        if _CODES in response
    }
    for status, names in sorted(_refusals(route, declared, permissions).items()):
        responses[str(status)] = _refusal(status, names)
    if _is_versioned(route.response_model):
        for status, response in responses.items():
            if status.startswith("2"):
                response["headers"] = _ETAG
    if (body := operation.get("requestBody")) is not None:
        body["required"] = _needs_body(route.body_field.field_info.annotation)  # type: ignore[union-attr]
    summary, _, rest = (route.endpoint.__doc__ or route.name).strip().partition("\n")
    operation["summary"] = summary.rstrip(".")
    operation.pop("description", None)
    if rest.strip():
        operation["description"] = rest.strip()
    for parameter in operation.get("parameters", ()):
        parameter["schema"] = _plain_schema(parameter["schema"])
    _add_forms(operation, dict(re.findall(r"\{(\w+):(\w+)\}", route.path)))


def _plain_schema(schema: Schema) -> Schema:
    """The schema of a parameter: one that is left out is absent, and never null."""
    kinds = schema.get("anyOf", [{}])
    [kind] = [kind for kind in kinds if kind != {"type": "null"}]
    rest = {name: schema[name] for name in schema.keys() - {"anyOf", "description", "title"}}
    return {**kind, **rest}


def _needs_body(model: Any) -> bool:
    if not isinstance(model, type) or not issubclass(model, BaseModel):
        return True
    return issubclass(model, PatchBody) or has_required(model)


def _is_versioned(model: Any) -> bool:
    models = get_args(model) or (model,)
    return any("version" in getattr(kind, "model_fields", {}) for kind in models)


def _add_cookie(document: dict[str, Any], cookie: str) -> None:
    """Add a cookie as another way to authenticate."""
    schemes = document["components"].setdefault("securitySchemes", {})
    schemes["session"] = {"type": "apiKey", "in": "cookie", "name": cookie}
    for methods in document["paths"].values():
        for operation in methods.values():
            if "security" in operation:
                operation["security"] = [*operation["security"], {"session": []}]


def _add_forms(operation: dict[str, Any], forms: Mapping[str, str]) -> None:
    """Name path parameters as JSON names fields, and say what they look like."""
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            form = forms.get(parameter["name"], "")
            parameter["schema"] = _FORMS.get(form, {"type": "string"})
            parameter["name"] = to_camel(parameter["name"])
