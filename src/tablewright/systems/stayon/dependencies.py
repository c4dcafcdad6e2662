"""What StayOn's routes share: the services, and how a request is read."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import orjson
from fastapi import Request
from fastapi.responses import Response
from pydantic import BaseModel
from pydantic import ValidationError as ModelError

from tablewright.systems.stayon.design import Idempotency as IdempotencyRow
from tablewright.systems.stayon.design import P, Shareable
from tablewright.systems.stayon.services.guess_limits import Attempts
from tablewright.systems.stayon.services.page_rights import Grant, Rights, Tokens, grant_of
from tablewright.systems.stayon.services.responses import Answering
from tablewright.systems.stayon.services.shareables import GRANT, Shareables
from tablewright.systems.stayon.services.short_ids import Pool, parse_short_id
from tablewright.systems.stayon.shapes import page_answer
from tablewright.web.http.answers import answer
from tablewright.web.http.api import read_json
from tablewright.web.http.idempotency import Idempotency, Once
from tablewright.web.http.paging import Paging
from tablewright.web.http.problems import Problem, field_problem, model_problem
from tablewright.web.identity.client_address import client_name
from tablewright.web.identity.origins import Origins
from tablewright.web.services.budgets import Budget
from tablewright.web.services.rate_limits import Rate
from tablewright.web.services.services import Services

__all__ = ["Codes", "Desk", "is_code", "read_by_entity"]

Codes = dict[int, tuple[str, ...]]
KEY_CHARS_MIN = 16
CREATION_RATE = Rate(2_000, 3600)  # Pages that one client makes; nobody needs an account for it.
is_code = re.compile("[0-9]{6}", re.ASCII).fullmatch


class Desk:
    """One for the app."""

    def __init__(self, services: Services) -> None:
        self.services = services
        is_https = services.settings.base_url.startswith("https:")
        self.tokens = Tokens(
            services.secret.key("stayon tokens"),
            services.clock,
            Origins(services.settings),
            is_https=is_https,
        )
        self.pool = Pool(services)
        self.attempts = Attempts(services)
        self.pages = Shareables(services, self.tokens, self.pool, self.attempts)
        self.answering = Answering(services)
        self._creations = Budget(services.clock, CREATION_RATE)
        self.idempotency = Idempotency(
            services.secret.key("stayon idempotency"),
            services.clock,
            find=lambda scope, key: services.store.run(P.get_idempotency(scope, _keyhash(key))),
            make_row=_row,
            chars_min=KEY_CHARS_MIN,
        )

    # Reading requests.

    @staticmethod
    def short_id(given: str) -> str:
        """A short id of a path; any other form is 404."""
        found = parse_short_id(given)
        if found is None:
            raise Problem(404)
        return found

    @staticmethod
    def code(given: str) -> str:
        """A code of a path; any other form is 404."""
        if not is_code(given):
            raise Problem(404)
        return given

    def client(self, request: Request) -> str:
        return self.attempts.client(client_name(request, self.services.settings))

    def count_creation(self, request: Request) -> None:
        """Count one more page of a client; 429 for one too many."""
        self._creations.spend(client_name(request, self.services.settings))

    def once(self, request: Request, body: BaseModel | None) -> Once:
        return self.idempotency.once(request, None, body)

    def paging(self, request: Request) -> Paging:
        return Paging.of(request, self.services.cursors)

    # Answers.

    def page(self, rights: Rights) -> Response:
        shown = page_answer(rights.page, rights, self.services.clock.now())
        return answer(shown, version=rights.page.version)

    def page_with_token(self, page: Shareable, status: int) -> Response:
        """A page as its owner sees it, with a token if it has a passcode."""
        token = self.tokens.members(page)
        shown = self.pages.shown_to_owner(page) | token
        response = answer(shown, status, version=page.version)
        if token:
            self.tokens.set_cookie(response, page, token)
        return response

    async def with_fresh_token(self, response: Response) -> Response:
        """A replayed answer: what is stored has no token, so a new one is given.

        It is for the passcode of the creation. Once that is changed it opens nothing: whoever
        repeats an old request gets no more than the first time.
        """
        if "idempotency-replayed" not in response.headers:
            return response
        stored = orjson.loads(response.body)
        page = await self.services.store.run(P.get_page(stored["shortId"]))
        grant = _stored_grant(stored.pop(GRANT, None))
        token = {} if page is None or grant is None else self.tokens.token(page, grant)
        headers = {
            name: value
            for name, value in response.headers.items()
            if name in ("idempotency-replayed", "etag")
        }
        fresh = answer(stored | token, response.status_code, headers=headers)
        if page is not None and grant is not None and grant == grant_of(page, grant.level):
            self.tokens.set_cookie(fresh, page, token)
        return fresh


def _stored_grant(stored: list[Any] | None) -> Grant | None:
    return None if stored is None else Grant(*stored)


def _keyhash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _row(values: dict[str, Any]) -> IdempotencyRow:
    return IdempotencyRow.model_validate({**values, "keyhash": _keyhash(values["key"])})


async def read_by_entity(
    request: Request, models: dict[str, Any], *, entity: str | None = None
) -> Any:
    """A body whose shape depends on its ``entity``, or on the page's."""
    content = await read_json(request)
    given = content.get("entity") if entity is None else entity
    if not isinstance(given, str) or given not in models:
        raise field_problem("entity", f"must be one of {', '.join(models)}")
    try:
        return models[given].model_validate(content)
    except ModelError as error:
        raise model_problem(error) from None
