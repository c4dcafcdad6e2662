"""``GET /ready``: whether the server can do its work, for those who decide to send it requests.

``/health`` says that the process runs; this says that the store can be written. The answer is kept
for a second, so that asking often costs nothing.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from fastapi import APIRouter
from fastapi.responses import Response

from tablewright.errors import ServiceError, StoreUnavailable
from tablewright.stores.async_store import AsyncStore
from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore
from tablewright.web.http.answers import answer
from tablewright.web.http.problems import Problem

__all__ = ["readiness_routes"]

KEPT_SECONDS: Final = 1.0


def readiness_routes(store: AsyncStore) -> APIRouter:
    router = APIRouter()
    readiness = Readiness(store)

    @router.get("/ready")
    async def ready() -> Response:
        return answer({"status": "ready", "store": await readiness.require()})

    return router


class Readiness:
    """Whether a store can be written, asked at most once a second."""

    def __init__(self, store: AsyncStore) -> None:
        self._store = store
        self._asking: asyncio.Task[tuple[str, dict[str, Any]]] | None = None
        self._asked_at = 0.0

    async def require(self) -> dict[str, Any]:
        """What the store says of itself; a 503 if it cannot be written."""
        now = asyncio.get_running_loop().time()
        if self._asking is None or now - self._asked_at >= KEPT_SECONDS:
            self._asking, self._asked_at = asyncio.create_task(self._ask()), now
        problem, state = await asyncio.shield(self._asking)
        if problem:
            raise Problem(503, detail=problem, extra={"store": state})
        return state

    async def _ask(self) -> tuple[str, dict[str, Any]]:
        """What is wrong, or nothing, and the state of the store."""
        if isinstance(self._store, AsyncEmbeddedStore):
            health = await self._store.health()
            state = {
                "writable": health.is_writable,
                "recovered": health.is_recovered,
                "secondsSinceCommit": health.seconds_since_commit,
                "walBytes": health.wal_bytes,
            }
            # Why is for the log: it may name files.
            return "" if health.is_writable else "The store cannot be written.", state
        try:
            await self._store.call("ListTables", {"Limit": 1})
        except (ServiceError, StoreUnavailable):
            return "The store cannot be reached.", {"writable": False}
        return "", {"writable": True}
