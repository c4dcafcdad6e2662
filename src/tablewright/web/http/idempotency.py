"""Idempotency-Key: a repeated request has one effect, and the answer of the first.

A route asks for it as a dependency (`IdempotencyKeys.once`) and hands `Once` to the service, which
puts the row with the answer into the transaction of the effect. So there is no moment at which one
is stored without the other. Without the header `Once` does nothing.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Annotated, Any, Final

import orjson
from fastapi import Header, Request
from fastapi.responses import Response

from tablewright.errors import Conflict
from tablewright.plan.changes.write_transaction import AlreadyDone, Unit
from tablewright.plan.operation import Op
from tablewright.web.http.answers import as_json
from tablewright.web.http.preconditions import etag
from tablewright.web.http.problems import Problem, field_problem
from tablewright.web.http.row_size import require_small
from tablewright.web.http.stored_answer import StoredAnswer
from tablewright.web.services.services import Services

__all__ = ["IdempotencyKey", "IdempotencyKeys", "Once", "Replay"]

LIFE: Final = timedelta(hours=24)
KEY_CHARS_MAX: Final = 128
# What the contract checks before a key that was used for another body.
_BEFORE_CONFLICTS: Final = (400, 401, 403, 404, 410, 412, 413, 429)

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="A repeated request with the same key and body has one effect.",
        json_schema_extra={"minLength": 1, "maxLength": KEY_CHARS_MAX, "pattern": '^[!-"$-~]+$'},
    ),
]


class Replay(Exception):  # It is no failure: the stored answer is sent again.
    """Ends a request that was answered before."""

    def __init__(self, response: Response) -> None:
        super().__init__("this request was answered before")
        self.response = response


class Once:
    """One request with an Idempotency-Key, or without: then it does nothing."""

    def __init__(self, row: Callable[[bytes, int | None], StoredAnswer] | None = None) -> None:
        self._row = row
        self.is_taken = False

    @property
    def is_keyed(self) -> bool:
        """Whether the request has a key, so that its answer is stored."""
        return self._row is not None

    def add(self, unit: Unit, answer: Any, status: int | None = None) -> Unit:
        """Put the row with this answer into the unit that has the effect.

        ``answer`` may be a function that builds the answer: it is called only if there is a key.
        ``status`` is the route's own unless it is given.
        """
        self.require_free()
        if self._row is None:
            return unit
        content = answer() if callable(answer) else answer
        return unit.once(self._row(as_json(content), status))

    def require_free(self) -> None:
        """Raise 409 for a key that was used for another body.

        `add` does it, too. A service calls it before work that no transaction takes back.
        """
        if self.is_taken:
            raise conflict()


def conflict() -> Problem:
    return Problem(
        409, "idempotency_conflict", "This Idempotency-Key was used for another request."
    )


class IdempotencyKeys:
    """The keys of one system: where their rows are, and how stored answers are sent again."""

    def __init__(
        self,
        purpose: str,
        make_row: Callable[[dict[str, Any]], Any],
        find: Callable[[str, str], Op[Any]],
        *,
        chars_min: int = 1,
        replay: Callable[[Request, StoredAnswer], Any] | None = None,
    ) -> None:
        """``make_row`` makes a row of a `StoredAnswer`'s values and ``now``; ``find`` reads it.

        ``replay`` builds the response for a stored answer, where it is not sent as it is.
        """
        self._purpose = purpose
        self._make_row = make_row
        self._find = find
        self._chars_min = chars_min
        self._replay = replay

    @asynccontextmanager
    async def once(
        self,
        request: Request,
        caller: str | None,
        key: str | None,
        permitted: Callable[[], Awaitable[object]] | None = None,
    ) -> AsyncIterator[Once]:
        """What a request says about being repeated; raises `Replay` if it was answered before.

        ``permitted`` raises what the caller may no longer do: then there is no replay.
        """
        if key is None:
            yield Once()
            return
        services: Services = request.app.state.services
        key = self._checked(key.strip())
        # The body as it was sent, not as it was understood. Endpoints without one ignore it.
        content = as_json(getattr(request.state, "json", None), is_sorted=True)
        scope_text = f"{caller or '-'}\n{request.method}\n{request.url.path}"
        scope = hashlib.sha256(scope_text.encode()).hexdigest()
        secret = services.secret.key(f"{self._purpose} idempotency")
        request_hash = hmac.new(secret, content, hashlib.sha256).hexdigest()
        usual_status = request.scope["route"].status_code or 200

        def row(body: bytes, status: int | None) -> StoredAnswer:
            used = usual_status if status is None else status
            return self._stored(services, scope, key, request_hash, used, body)

        once = Once(row)
        stored = await services.store.run(self._find(scope, key))
        if stored is not None:
            if permitted is not None:
                await permitted()
            await self._require_other(request, stored, request_hash)
            once.is_taken = True
        try:
            yield once
        except AlreadyDone as done:
            await self._require_other(request, done.row, request_hash)
            raise conflict() from None
        except (Conflict, Problem) as error:
            # Perhaps what stood in the way is this request's own effect, by its twin.
            stored = await services.store.run(self._find(scope, key))
            if stored is None:
                raise
            await self._require_other(request, stored, request_hash)
            if isinstance(error, Problem) and error.status in _BEFORE_CONFLICTS:
                raise
            raise conflict() from None

    def dependency(self, caller: Any) -> Callable[..., AsyncIterator[Once]]:
        """`once` as a dependency of routes; ``caller`` annotates who calls: a ``user_id``."""

        async def dependency(
            request: Request, caller: Any, idempotency_key: str | None = None
        ) -> AsyncIterator[Once]:
            async with self.once(request, caller.user_id, idempotency_key) as once:
                yield once

        # FastAPI reads annotations as they are here, where ``caller`` is known.
        dependency.__annotations__ = {
            "request": Request,
            "caller": caller,
            "idempotency_key": IdempotencyKey,
        }
        return dependency

    def _checked(self, key: str) -> str:
        is_good = all(" " <= character <= "~" and character != "#" for character in key)
        if not is_good or not self._chars_min <= len(key) <= KEY_CHARS_MAX:
            raise field_problem(
                "Idempotency-Key",
                f"must have {self._chars_min} to {KEY_CHARS_MAX} printable ASCII characters"
                " without #",
            )
        return key

    def _stored(
        self, services: Services, scope: str, key: str, request_hash: str, status: int, body: bytes
    ) -> StoredAnswer:
        now = services.clock.now()
        values = {
            "scope": scope,
            "key": key,
            "request_hash": request_hash,
            "response_status_code": status,
            "response_body": body.decode(),
            "expires_at": now + LIFE,
            "now": now,
        }
        row: StoredAnswer = self._make_row(values)
        require_small(row)
        return row

    async def _require_other(
        self, request: Request, stored: StoredAnswer, request_hash: str
    ) -> None:
        """Raise `Replay` if the stored answer is that of the same request."""
        if not hmac.compare_digest(stored.request_hash, request_hash):
            return
        response = stored_response(stored)
        if self._replay is not None:
            response = await self._replay(request, stored)
            response.headers["Idempotency-Replayed"] = "true"
        raise Replay(response)


def stored_response(stored: StoredAnswer) -> Response:
    """A stored answer as it was."""
    headers = {"Idempotency-Replayed": "true"}
    version = orjson.loads(stored.response_body).get("version")
    if isinstance(version, int):
        headers["ETag"] = etag(version)
    return Response(
        stored.response_body,
        stored.response_status_code,
        headers=headers,
        media_type="application/json",
    )
