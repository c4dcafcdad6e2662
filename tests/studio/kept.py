"""A store of Roll Model that keeps all its changes, by a clock that stands until it is moved."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from tablewright.engine.database import Database
from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore
from tablewright.studio.history.retention import keep_changes
from tablewright.studio.shell.request_log import LoggedStore

from .studios import roll_model

__all__ = ["NOON", "TABLE", "KeptStore", "kept_store", "link"]

NOON = 1_794_830_400.0  # 2026-11-16T12:00:00Z.
TABLE = "RollModel"
R = TypeVar("R")


def link(athlete: str, coach: str = "carl", **more: Any) -> dict[str, Any]:
    """A CoachLink as it is stored."""
    texts = {
        "PK": f"USER#{athlete}",
        "SK": f"COACH#{coach}",
        "entityType": "COACH_LINK",
        "athleteId": athlete,
        "coachId": coach,
        "status": "active",
        "createdAt": "2026-01-02T03:04:05.678Z",
        "updatedAt": "2026-01-02T03:05:05.678Z",
        "createdBy": athlete,
    } | more
    return {name: {"S": text} for name, text in texts.items()} | {"version": {"N": "1"}}


class KeptStore:
    """What tests do with it."""

    def __init__(self) -> None:
        self.now = NOON
        self.design = roll_model()
        self.database = Database.open(clock=lambda: self.now)
        self._loop = asyncio.Runner()
        self.store = AsyncEmbeddedStore(self.database)
        self.run(self.store.ensure_tables(self.design.tables))

    def run(self, work: Coroutine[Any, Any, R]) -> R:
        return self._loop.run(work)

    def keep(self) -> None:
        self.run(keep_changes(self.store, [TABLE]))

    def logged_store(self) -> LoggedStore:
        return LoggedStore(self.store)

    def put(self, item: dict[str, Any]) -> None:
        self.database.call("PutItem", {"TableName": TABLE, "Item": item})

    def delete(self, item: dict[str, Any]) -> None:
        key = {name: item[name] for name in ("PK", "SK")}
        self.database.call("DeleteItem", {"TableName": TABLE, "Key": key})

    def together(self, *items: dict[str, Any]) -> None:
        puts = [{"Put": {"TableName": TABLE, "Item": item}} for item in items]
        self.database.call("TransactWriteItems", {"TransactItems": puts})

    def close(self) -> None:
        self.run(self.store.close())
        self.database.close()
        self._loop.close()


@contextmanager
def kept_store(*, keeps: bool = True) -> Iterator[KeptStore]:
    store = KeptStore()
    try:
        if keeps:
            store.keep()
        yield store
    finally:
        store.close()
