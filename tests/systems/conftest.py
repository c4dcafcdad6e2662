"""The systems' tables on each kind of store; after each test nothing may have drifted.

Tables are made once for each worker and kind of store. Each test finds them empty.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from tablewright.care.fsck import drift
from tablewright.engine.database import Database
from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore, EmbeddedStore
from tablewright.stores.urls import open_async_store, open_store
from tests.stores.opening import endpoint_url

from .designs import SYSTEMS, TABLES
from .faces import AT, AsyncFace, Clock, Face, SyncFace

KINDS = ("embedded", "embedded-async", "dynamodb-local", "dynamodb-local-async")
EACH_KIND = [
    pytest.param(kind, marks=pytest.mark.dynamodb_local if "local" in kind else ())
    for kind in KINDS
]


@pytest.fixture(scope="session")
def open_face() -> Iterator[Callable[[str, pytest.FixtureRequest], Face]]:
    """Opens the face of a kind with all tables, once."""
    opened: dict[str, Face] = {}

    def open_once(kind: str, request: pytest.FixtureRequest) -> Face:
        if kind not in opened:
            opened[kind] = _opened(kind, request)
            opened[kind].ensure_tables(TABLES)
        return opened[kind]

    yield open_once
    # The tables of DynamoDB Local go with it: it was started for this worker.
    for face in opened.values():
        store = face.store
        if isinstance(store, EmbeddedStore | AsyncEmbeddedStore):
            assert store.database.check() == []
        face.close()


def _opened(kind: str, request: pytest.FixtureRequest) -> Face:
    clock = Clock()
    if kind == "embedded":
        database = Database.open(clock=clock)
        return SyncFace(EmbeddedStore(database, clock=clock, closes_database=True), clock)
    if kind == "embedded-async":
        database = Database.open(clock=clock)
        made = AsyncEmbeddedStore(database, clock=clock, closes_database=True)
        return AsyncFace(made, clock, asyncio.Runner())
    url = endpoint_url("dynamodb-local", request.getfixturevalue)
    if kind == "dynamodb-local":
        return SyncFace(open_store(url, clock=clock), clock)
    loop = asyncio.Runner()
    return AsyncFace(loop.run(open_async_store(url, clock=clock)), clock, loop)


def _used(face: Face, folder: str) -> Iterator[Face]:
    """The face with empty tables; what a test leaves must hold, and is deleted."""
    tables = SYSTEMS[folder].__design__.tables if folder in SYSTEMS else TABLES
    face.clock.now = AT
    face.is_drift_checked = True
    try:
        yield face
        if face.is_drift_checked:
            assert drift(face, tables) == []
    finally:
        for table in tables:
            face.empty(table)


@pytest.fixture(params=EACH_KIND)
def face(
    request: pytest.FixtureRequest, open_face: Callable[[str, pytest.FixtureRequest], Face]
) -> Iterator[Face]:
    """Each kind of store in turn."""
    yield from _used(open_face(request.param, request), request.path.parent.name)


@pytest.fixture
def embedded(
    request: pytest.FixtureRequest, open_face: Callable[[str, pytest.FixtureRequest], Face]
) -> Iterator[Face]:
    """The engine in this process."""
    yield from _used(open_face("embedded", request), request.path.parent.name)
