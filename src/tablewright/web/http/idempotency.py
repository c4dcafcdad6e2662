"""Idempotency-Key: a repeated request has one effect, and the answer of the first.

The row that says so is written in the transaction of the effect (`plan.unit.Unit.once`), so there
is no moment at which one of them is there without the other.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any, Final, Protocol, TypeVar

import orjson
from fastapi import Request
from fastapi.responses import Response
from pydantic import BaseModel

from tablewright.errors import Conflict
from tablewright.plan.write_transaction import AlreadyDone, Unit
from tablewright.web.http.answers import as_json
from tablewright.web.http.preconditions import etag
from tablewright.web.http.problems import Problem, field_problem
from tablewright.web.services.clock import Clock

__all__ = ["Idempotency", "Once", "Stored"]

LIFE: Final = timedelta(hours=24)
R = TypeVar("R")


class Stored(Protocol):
    """What a system's idempotency row has."""

    @property
    def request_hash(self) -> str: ...
    @property
    def response_status_code(self) -> int: ...
    @property
    def response_body(self) -> str: ...


class Once:
    """One request with an Idempotency-Key, or without: then it does nothing."""

    def __init__(
        self,
        key: str | None,
        scope: str,
        request_hash: str,
        clock: Clock,
        make_row: Callable[[dict[str, Any]], Any],
    ) -> None:
        self.key = key
        self.scope = scope
        self.request_hash = request_hash
        self._clock = clock
        self._make_row = make_row

    def add(
        self, unit: Unit, status: int, body: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    ) -> Unit:
        """Put the row with this answer into the unit that has the effect.

        ``body`` may be a function that makes the answer: it is asked only if there is a key.
        """
        if self.key is None:
            return unit
        told = body() if callable(body) else body
        row = self._make_row(
            {
                "scope": self.scope,
                "key": self.key,
                "request_hash": self.request_hash,
                "response_status_code": status,
                "response_body": as_json(told).decode(),
                "expires_at": self._clock.now() + LIFE,
                "now": self._clock.now(),
            }
        )
        return unit.once(row)

    def replay(self, row: Stored) -> Response:
        """The stored answer; 409 if the key was used for another request."""
        if not hmac.compare_digest(row.request_hash, self.request_hash):
            raise Problem(
                409, "idempotency_conflict", "This Idempotency-Key was used for another request."
            )
        headers = {"Idempotency-Replayed": "true"}
        version = orjson.loads(row.response_body).get("version")
        if isinstance(version, int):
            headers["ETag"] = etag(version)
        return Response(
            row.response_body,
            row.response_status_code,
            headers=headers,
            media_type="application/json",
        )


class Idempotency:
    """Reads the header and runs an effect at most once."""

    def __init__(
        self,
        secret: bytes,
        clock: Clock,
        *,
        find: Callable[[str, str], Awaitable[Any]],
        make_row: Callable[[dict[str, Any]], Any],
        chars_min: int = 1,
    ) -> None:
        """``find(scope, key)`` reads a row, ``make_row`` makes one of the values of `Once.add`."""
        self._secret = secret
        self._clock = clock
        self._find = find
        self._make_row = make_row
        self._chars_min = chars_min

    def once(self, request: Request, caller: str | None, body: BaseModel | None) -> Once:
        """What a request says; 400 for a key of the wrong form.

        Without a body of its endpoint, whatever was sent as one does not matter.
        """
        given = request.headers.get("idempotency-key")
        if given is None:
            return Once(None, "", "", self._clock, self._make_row)
        key = self._checked(given.strip())
        told = f"{caller or '-'}\n{request.method}\n{request.url.path}"
        scope = hashlib.sha256(told.encode()).hexdigest()
        content = None if body is None else request.state.json  # As sent, not as understood.
        text = as_json(content, is_sorted=True)
        request_hash = hmac.new(self._secret, text, hashlib.sha256).hexdigest()
        return Once(key, scope, request_hash, self._clock, self._make_row)

    def _checked(self, key: str) -> str:
        is_good = all(" " <= character <= "~" and character != "#" for character in key)
        if not is_good or not self._chars_min <= len(key) <= 128:
            raise field_problem(
                "Idempotency-Key",
                f"must have {self._chars_min} to 128 printable ASCII characters without #",
            )
        return key

    async def is_repeated(self, once: Once) -> bool:
        """Whether the same request has its answer already.

        For checks of what may have changed since: they are for the first time only.
        """
        if once.key is None:
            return False
        row = await self._find(once.scope, once.key)
        return row is not None and hmac.compare_digest(row.request_hash, once.request_hash)

    async def run(
        self,
        once: Once,
        effect: Callable[[], Awaitable[Response]],
        permitted: Callable[[], Awaitable[object]] | None = None,
    ) -> Response:
        """The effect's answer, or the stored one of a request that was here before.

        ``permitted`` raises what the effect would refuse: that goes before a key used twice.
        """
        try:
            return await self._run(once, effect)
        except Problem as problem:
            if problem.code == "idempotency_conflict" and permitted is not None:
                await permitted()
            raise

    async def _run(self, once: Once, effect: Callable[[], Awaitable[Response]]) -> Response:
        if once.key is None:
            return await effect()
        row = await self._find(once.scope, once.key)
        if row is not None:
            return once.replay(row)
        try:
            return await effect()
        except AlreadyDone as done:
            return once.replay(done.row)
        except (Conflict, Problem):
            # Perhaps what stood in the way is this very request's effect, made by its twin.
            row = await self._find(once.scope, once.key)
            if row is None:
                raise
            return once.replay(row)
