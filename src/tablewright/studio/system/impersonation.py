"""Sends a request to a system as a chosen caller.

Tokens are issued for one request, expire after a minute and are never shown. If a system
issues tokens for passcodes instead, the passcode is exchanged first.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

import orjson
from pydantic import ValidationError as ModelError

from tablewright.studio.system.example_calls import curl_of, example_body, example_parameter
from tablewright.studio.system.in_process_client import (
    InProcessClient,
    InProcessRequest,
    InProcessResponse,
)
from tablewright.studio.system.permission_view import status_text
from tablewright.web.identity.auth import DEV_TOKEN_SECONDS, dev_token
from tablewright.web.server.dev_routes import TokenRequest

if TYPE_CHECKING:
    from tablewright.studio.system.system_documents import SystemDocument
    from tablewright.studio.system.system_view import ServerView
    from tablewright.web.identity.permission_matrix import Matrix, Person
    from tablewright.web.pages.openapi_view import OperationView
    from tablewright.web.services.services import Services

__all__ = ["ActView", "NotSent", "TargetSystem", "act_view", "chosen_operation", "send"]

TOKEN_SECONDS: Final = 60
GUEST: Final = "guest"
OTHER: Final = "other"
LEVELS: Final = ("view", "admin")


class NotSent(ValueError):
    """The form does not make a valid request."""


@dataclass(frozen=True)
class TargetSystem:
    """The system that requests are sent to."""

    name: str
    matrix: Matrix
    document: SystemDocument
    server: ServerView
    services: Services | None


@dataclass(frozen=True)
class Choice:
    """An endpoint, or a person, that can be chosen."""

    value: str
    label: str
    group: str = ""


@dataclass(frozen=True)
class ParameterInput:
    """A parameter with what was typed for it."""

    name: str
    place: str
    type: str
    description: str
    is_required: bool
    value: str
    example: str


@dataclass(frozen=True)
class Outcome:
    """The result of a request."""

    decision: str  # allowed, refused, or failed for another reason than who asked.
    status: str
    code: str
    why: str
    headers: tuple[tuple[str, str], ...]
    text: str
    milliseconds: float


@dataclass(frozen=True)
class ActView:
    """The page."""

    title: str
    server: ServerView
    endpoints: tuple[Choice, ...]
    people: tuple[Choice, ...]
    by_passcode: bool
    who: dict[str, str]  # What was typed of the caller, without a passcode.
    method: str
    path: str
    anchor: str
    summary: str
    parameters: tuple[ParameterInput, ...]
    has_body: bool
    body: str
    token_command: str
    curl: str
    outcome: Outcome | None
    error: str


def chosen_operation(document: SystemDocument, form: Mapping[str, str]) -> OperationView:
    """The endpoint that is meant, the first if none was chosen; raises LookupError."""
    if anchor := form.get("op", ""):
        return document.at(anchor)
    return next(iter(document.operations.values()))


async def send(target: TargetSystem, client: InProcessClient, form: Mapping[str, str]) -> Outcome:
    """Send what was filled in; raises NotSent where that is no request, and nothing happens."""
    if target.services is None or not target.server.can_act:
        raise NotSent(target.server.reason)
    operation = chosen_operation(target.document, form)
    filled = _filled(operation, form)
    headers = dict(filled.headers)
    if operation.body and form.get("body", "").strip():
        headers["content-type"] = "application/json"
    body = form.get("body", "").encode() if operation.body else b""
    token = await _token(target, client, form)
    if token:
        headers["authorization"] = f"Bearer {token}"
    request = InProcessRequest(
        operation.method, filled.path, urlencode(filled.query), headers, body
    )
    try:
        response = await client.call(target.services, target.name, request)
    except TimeoutError:
        raise NotSent("The system did not respond in time.") from None
    return _outcome(target.matrix, response)


# What was filled in.


@dataclass(frozen=True)
class _FilledRequest:
    path: str  # As it is read;
    quoted: str  # as it stands in a URL.
    query: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


def _filled(operation: OperationView, form: Mapping[str, str]) -> _FilledRequest:
    values: dict[str, dict[str, str]] = {"path": {}, "query": {}, "header": {}}
    for parameter in operation.parameters:
        value = form.get(f"{parameter.place}.{parameter.name}", "").strip()
        if not value and (parameter.is_required or parameter.place == "path"):
            raise NotSent(f"{parameter.name} is required.")
        if any(ord(char) < 32 for char in value) or (
            parameter.place == "header" and not value.isascii()
        ):
            raise NotSent(f"{parameter.name} contains characters that cannot be sent.")
        if value:
            values[parameter.place][parameter.name] = value
    quoted = {name: quote(value, safe="") for name, value in values["path"].items()}
    return _FilledRequest(
        operation.path.format(**values["path"]),
        operation.path.format(**quoted),
        values["query"],
        values["header"],
    )


def _person(matrix: Matrix, form: Mapping[str, str]) -> TokenRequest | None:
    """The caller to issue a token for; None for a guest. Raises NotSent."""
    chosen = form.get("who", GUEST)
    if chosen == GUEST:
        return None
    known = next((person for person in matrix.people if person.user_id == chosen), None)
    if known is None and chosen != OTHER:
        raise NotSent(f"The demo data has no person {chosen}.")
    groups = form.get("groups", "").replace(",", " ").split()
    content: dict[str, Any] = (
        {"sub": known.user_id, "email": known.email or None, "groups": list(known.groups)}
        if known is not None
        else {"sub": form.get("sub", ""), "email": form.get("email") or None, "groups": groups}
    )
    try:
        return TokenRequest.model_validate(content)
    except ModelError as error:
        first = error.errors(include_url=False)[0]
        place = "user id" if first["loc"][0] == "sub" else str(first["loc"][0])
        raise NotSent(f"{place}: {first['msg']}") from None


async def _token(
    target: TargetSystem, client: InProcessClient, form: Mapping[str, str]
) -> str | None:
    assert target.services is not None
    if target.matrix.login_path:
        return await _page_token(target, client, form)
    person = _person(target.matrix, form)
    if person is None:
        return None
    # Backdated, so that it expires in a minute.
    now = target.services.clock.seconds() - DEV_TOKEN_SECONDS + TOKEN_SECONDS
    return dev_token(
        target.services.secret, now, person.sub, person.email, person.name, person.groups
    )


async def _page_token(
    target: TargetSystem, client: InProcessClient, form: Mapping[str, str]
) -> str | None:
    """The token that a passcode is good for; None without one."""
    passcode, level = form.get("passcode", ""), form.get("who", GUEST)
    if level == GUEST or not passcode:
        return None
    if level not in LEVELS:
        raise NotSent(f"Unknown level {level}.")
    assert target.services is not None
    names = [part[1:-1] for part in target.matrix.login_path.split("/") if part.startswith("{")]
    ids = {name: form.get(f"path.{name}", "").strip() for name in names}
    if not all(ids.values()):
        raise NotSent(f"A passcode belongs to one page: {', '.join(names)} is required.")
    body = orjson.dumps({"level": level, "passcode": passcode})
    operation = {"content-type": "application/json"}
    path = target.matrix.login_path.format(**ids)
    response = await client.call(
        target.services, target.name, InProcessRequest("POST", path, "", operation, body)
    )
    content = response.content
    if response.status != 200 or not isinstance(content, dict):
        detail = content.get("detail", "") if isinstance(content, dict) else ""
        raise NotSent(f"The passcode was refused: {status_text(response.status)}. {detail}".strip())
    return str(content["accessToken"])


# What is shown.


def _outcome(matrix: Matrix, response: InProcessResponse) -> Outcome:
    content = response.content
    is_problem = response.status >= 400 and isinstance(content, dict)
    code = str(content.get("code", "")) if is_problem else ""
    detail = str(content.get("detail", "")) if is_problem else ""
    decision = "allowed"
    if response.status >= 400:
        decision = "refused" if response.status in (401, 403) else "failed"
    meant = matrix.codes.get(code, "") if decision == "refused" else ""
    return Outcome(
        decision=decision,
        status=status_text(response.status),
        code=code,
        why=" ".join(part for part in (detail, meant) if part),
        headers=response.headers,
        text=response.text,
        milliseconds=response.milliseconds,
    )


def act_view(
    target: TargetSystem, form: Mapping[str, str], outcome: Outcome | None = None, error: str = ""
) -> ActView:
    """The page; raises LookupError for an endpoint that is not there."""
    document = target.document
    operation = chosen_operation(document, form)
    parameters = tuple(
        ParameterInput(
            name=parameter.name,
            place=parameter.place,
            type=parameter.type,
            description=parameter.description,
            is_required=parameter.is_required or parameter.place == "path",
            value=form.get(f"{parameter.place}.{parameter.name}", ""),
            example=example_parameter(document, operation, parameter.name),
        )
        for parameter in operation.parameters
    )
    who = form.get("who", GUEST)
    return ActView(
        title=document.view.title,
        server=target.server,
        endpoints=tuple(
            Choice(
                endpoint.anchor,
                f"{endpoint.method} {endpoint.path}",
                document.tags[endpoint.anchor],
            )
            for endpoint in document.operations.values()
        ),
        people=_people(target.matrix),
        by_passcode=bool(target.matrix.login_path),
        who={name: form.get(name, "") for name in ("sub", "groups", "email")} | {"who": who},
        method=operation.method,
        path=operation.path,
        anchor=operation.anchor,
        summary=operation.summary,
        parameters=parameters,
        has_body=bool(operation.body),
        body=form.get("body", example_body(document, operation)),
        token_command=_token_command(target.matrix, form),
        curl=_curl(target, operation, form),
        outcome=outcome,
        error=error,
    )


def _people(matrix: Matrix) -> tuple[Choice, ...]:
    if matrix.login_path:
        return (
            Choice(GUEST, "no passcode"),
            Choice("view", "viewer, by passcode"),
            Choice("admin", "manager, by passcode"),
        )
    return (
        Choice(GUEST, "guest, without a token"),
        *[Choice(person.user_id, _label(person)) for person in matrix.people],
        Choice(OTHER, "another caller"),
    )


def _label(person: Person) -> str:
    groups = f" ({', '.join(person.groups)})" if person.groups else ""
    return f"{person.user_id}{groups}: {person.description}"


def _token_command(matrix: Matrix, form: Mapping[str, str]) -> str:
    """The command that issues the token for the curl command."""
    if matrix.login_path:
        return ""
    try:
        person = _person(matrix, form)
    except NotSent:
        return ""
    if person is None:
        return ""
    email = ["--email", person.email] if person.email else []
    groups = [word for group in person.groups for word in ("--group", group)]
    # It is pasted into a shell, and part of it comes from the URL: quote everything.
    return f"TOKEN=$({shlex.join(['tablewright', 'token', person.sub, *email, *groups])})"


def _curl(target: TargetSystem, operation: OperationView, form: Mapping[str, str]) -> str:
    names = {
        parameter.name: f"{{{parameter.name}}}"
        for parameter in operation.parameters
        if parameter.place == "path"
    }
    try:
        filled = _filled(operation, form)
    except NotSent:
        path = operation.path.format(**names)
        filled = _FilledRequest(path, path)
    base = target.server.url or f"http://127.0.0.1:8080/{target.name}"
    body = form.get("body", example_body(target.document, operation)) if operation.body else ""
    has_token = form.get("who", GUEST) != GUEST
    url = f"{base}{filled.quoted}"
    return curl_of(operation.method, url, filled.query, filled.headers, body, has_token=has_token)
