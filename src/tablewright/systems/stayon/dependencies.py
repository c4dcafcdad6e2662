"""What StayOn's routes take: ids of paths, bodies by entity, pages, services, Idempotency-Keys."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, Final, Self, TypeVar

import orjson
from fastapi import Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field, RootModel
from pydantic import ValidationError as ModelError

from tablewright.plan.operation import Op
from tablewright.systems.stayon.design import Idempotency, P
from tablewright.systems.stayon.schemas import (
    BODIES,
    CHANGES,
    CODE_PATTERN,
    NewPage,
    PageAnswer,
    PageChange,
    VoteBody,
)
from tablewright.systems.stayon.services.guess_limits import GuessLimits
from tablewright.systems.stayon.services.page_lists import PageLists
from tablewright.systems.stayon.services.page_rights import Grant, Rights, Tokens, grant_of
from tablewright.systems.stayon.services.responses import Responses
from tablewright.systems.stayon.services.shareables import GRANT, Shareables, require_entity
from tablewright.systems.stayon.services.short_ids import (
    SHORT_ID_PATTERN,
    ShortIdPool,
    parse_short_id,
)
from tablewright.web.http import idempotency
from tablewright.web.http.answers import answer
from tablewright.web.http.dependencies import Provided, service
from tablewright.web.http.idempotency import IdempotencyKey, IdempotencyKeys, stored_response
from tablewright.web.http.openapi import register_form
from tablewright.web.http.problems import Problem, field_problem, model_problem
from tablewright.web.http.request_body import read_json
from tablewright.web.http.stored_answer import StoredAnswer
from tablewright.web.identity.client_address import client_name
from tablewright.web.identity.origins import Origins
from tablewright.web.services.budgets import Budget
from tablewright.web.services.rate_limits import Rate
from tablewright.web.services.services import Services

T = TypeVar("T")
B = TypeVar("B", bound=BaseModel)
KEY_CHARS_MIN: Final = 16
CREATION_RATE: Final = Rate(2_000, 3600)  # Pages that one client creates; it takes no account.

PageService = Annotated[Shareables, Depends(service(Shareables))]
ListService = Annotated[PageLists, Depends(service(PageLists))]
ResponseService = Annotated[Responses, Depends(service(Responses))]
TokenService = Annotated[Tokens, Depends(service(Tokens))]


def provide(services: Services) -> Provided:
    """The services of the app."""
    is_https = services.settings.base_url.startswith("https:")
    origins = Origins(services.settings)
    key = services.secret.key("stayon tokens")
    tokens = Tokens(key, services.clock, origins, is_https=is_https)
    attempts = GuessLimits(services)
    pages = Shareables(services, tokens, ShortIdPool(services), attempts)
    creations = Budget(services.clock, CREATION_RATE)
    return Provided(
        tokens, attempts, pages, PageLists(services, pages), Responses(services), creations
    )


# Ids of paths. Any other form is 404.
register_form("pageid", SHORT_ID_PATTERN, normalize=lambda text: parse_short_id(text) or text)
register_form("code", CODE_PATTERN)


def _client(request: Request) -> str:
    provided: Provided = request.app.state.provided
    name = client_name(request, request.app.state.services.settings)
    return provided.get(GuessLimits).client(name)


Client = Annotated[str, Depends(_client)]


def count_creation(request: Request) -> None:
    """Count one more page of a client; 429 for one too many."""
    provided: Provided = request.app.state.provided
    provided.get(Budget).spend(client_name(request, request.app.state.services.settings))


# Bodies whose form depends on the entity.


class NewPageBody(RootModel[Annotated[NewPage, Field(discriminator="entity")]]):
    """A new page."""

    @classmethod
    async def read_from(cls, request: Request) -> Self:
        content = await read_json(request)
        return cls.model_construct(root=_by_entity(BODIES, content.get("entity"), content))


class PageChangeBody(RootModel[PageChange]):
    """A page's new content; its entity is the page's."""

    @classmethod
    async def read_from(cls, request: Request) -> Self:
        content = await read_json(request)
        pages: Shareables = request.app.state.provided.get(Shareables)
        try:
            page = (await pages.find(request, request.path_params["short_id"])).page
        except Problem:
            # What was sent comes before whether the page exists.
            _require_any(CHANGES, content)
            raise
        return cls.model_construct(root=_by_entity(CHANGES, page.entity, content))


def _by_entity(models: Mapping[str, type[B]], entity: object, content: dict[str, Any]) -> B:
    if not isinstance(entity, str) or entity not in models:
        raise field_problem("entity", f"must be one of {', '.join(models)}")
    try:
        return models[entity].model_validate(content)
    except ModelError as error:
        raise model_problem(error) from None


def _require_any(models: Mapping[str, type[B]], content: dict[str, Any]) -> None:
    """Raise 400 for a body that fits no entity, or not the one that it names."""
    if "entity" in content:
        _by_entity(models, content["entity"], content)
        return
    problems = []
    for entity in models:
        try:
            _by_entity(models, entity, content)
        except Problem as problem:
            problems.append(problem)
    if len(problems) == len(models):
        raise min(problems, key=lambda problem: len(problem.errors))


# Pages that the caller may see.


async def _event(request: Request, short_id: str, pages: PageService) -> Rights:
    return await pages.visible(request, short_id, "event")


async def _poll(request: Request, short_id: str, body: VoteBody, pages: PageService) -> Rights:
    return await pages.visible(request, short_id, "poll", body)


async def _managed(request: Request, short_id: str, pages: PageService) -> Rights:
    return await pages.managed(request, short_id)


VisibleEvent = Annotated[Rights, Depends(_event)]
VisiblePoll = Annotated[Rights, Depends(_poll)]
Managed = Annotated[Rights, Depends(_managed)]


async def by_code(
    request: Request,
    find: Op[T | None],
    short_id: str,
    entity: str,
    vote: VoteBody | None = None,
) -> tuple[Rights, T]:
    """What a code finds on a visible page; 404 for an unknown one, which counts as a guess."""
    provided: Provided = request.app.state.provided
    pages = provided.get(Shareables)
    rights = await pages.find(request, short_id)

    async def judge() -> T | None:
        require_entity(rights.page, entity)
        pages.require_visible(rights, vote)
        row: T | None = await request.app.state.services.store.run(find)
        return row

    row = await provided.get(GuessLimits).code(short_id, _client(request), judge)
    if row is None:
        raise Problem(404, detail="No such code.")
    return rights, row


async def has_voted(request: Request, rights: Rights, code: str) -> bool:
    """Whether a code is that of a vote; an unknown one counts as a wrong guess."""
    short_id = rights.page.short_id

    async def judge() -> object | None:
        rights.require_view()
        vote: object | None = await request.app.state.services.store.run(P.get_vote(short_id, code))
        return vote

    attempts: GuessLimits = request.app.state.provided.get(GuessLimits)
    return await attempts.code(short_id, _client(request), judge) is not None


# Repeated requests.


def _keyhash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _row(values: dict[str, Any]) -> Idempotency:
    return Idempotency.model_validate({**values, "keyhash": _keyhash(values["key"])})


async def _replayed(request: Request, stored: StoredAnswer) -> Response:
    """A stored answer; that of a creation with a new token, for the passcode of the creation.

    Once that passcode is changed the token opens nothing: a repeated request gets no more than the
    first one.
    """
    if request.scope["route"].response_model is not PageAnswer:
        return stored_response(stored)
    content = orjson.loads(stored.response_body)
    tokens: Tokens = request.app.state.provided.get(Tokens)
    page = await request.app.state.services.store.run(P.get_page(content["shortId"]))
    grant = None if (held := content.pop(GRANT, None)) is None else Grant(*held)
    token = None if page is None or grant is None else tokens.token(page, grant)
    members = {} if token is None else orjson.loads(token.to_json())
    fresh = PageAnswer.model_validate(content | members)
    response = answer(fresh, stored.response_status_code)
    is_current = page is not None and grant is not None and grant == grant_of(page, grant.level)
    if token is not None and is_current:
        tokens.set_cookie(response, page, token.level, token.access_token)
    return response


_KEYS = IdempotencyKeys(
    "stayon",
    _row,
    lambda scope, key: P.get_idempotency(scope, _keyhash(key)),
    chars_min=KEY_CHARS_MIN,
    replay=_replayed,
)


async def _once(
    request: Request, idempotency_key: IdempotencyKey = None
) -> AsyncIterator[idempotency.Once]:
    async with _KEYS.once(request, None, idempotency_key) as once:
        yield once


Once = Annotated[idempotency.Once, Depends(_once)]
