"""Example calls of a system's endpoints: request bodies, parameters and curl commands."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode

import orjson

from tablewright.studio.system.example_bodies import example_of
from tablewright.studio.system.system_documents import SystemDocument
from tablewright.web.pages.openapi_view import OpenApiView, OperationView

__all__ = ["curl_of", "example_body", "example_parameter", "view_with_commands"]


def view_with_commands(document: SystemDocument, base_url: str) -> OpenApiView:
    """The document's view model; each endpoint has a curl command for the server at base_url."""
    tags = tuple(
        replace(
            tag,
            operations=tuple(
                replace(operation, curl=_example_command(document, operation, base_url))
                for operation in tag.operations
            ),
        )
        for tag in document.view.tags
    )
    return replace(document.view, tags=tags)


def _example_command(document: SystemDocument, operation: OperationView, base_url: str) -> str:
    query = {
        parameter.name: example_parameter(document, operation, parameter.name)
        for parameter in operation.parameters
        if parameter.place == "query" and parameter.is_required
    }
    # Path parameters stay in braces: the reader fills them in.
    url = f"{base_url}{document.view.path}{operation.path}"
    body = example_body(document, operation)
    return curl_of(operation.method, url, query, {}, body, has_token=operation.needs_token)


def example_body(document: SystemDocument, operation: OperationView) -> str:
    """A request body that the endpoint accepts, as JSON; empty if it takes none."""
    if not operation.body:
        return ""
    schemas = document.content["components"]["schemas"]
    body = example_of(schemas[operation.body], schemas)
    return orjson.dumps(body, option=orjson.OPT_INDENT_2).decode()


def example_parameter(document: SystemDocument, operation: OperationView, name: str) -> str:
    """An example value of a parameter."""
    parameters = document.content["paths"][operation.path][operation.method.lower()]["parameters"]
    schemas = document.content["components"]["schemas"]
    schema = next(part["schema"] for part in parameters if part["name"] == name)
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
    """A request as a curl command; the token is a shell variable, never the token itself."""
    address = f"{url}?{urlencode(query)}" if query else url
    lines = [f"curl -X {method} {shlex.quote(address)}"]
    if has_token:
        lines.append('-H "Authorization: Bearer $TOKEN"')
    content_type = {"Content-Type": "application/json"} if body else {}
    for name, text in {**content_type, **headers}.items():
        lines.append(f"-H {shlex.quote(f'{name}: {text}')}")
    if body:
        lines.append(f"--data-raw {shlex.quote(body)}")
    return " \\\n  ".join(lines)
