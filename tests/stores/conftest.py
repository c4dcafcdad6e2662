"""The same tests on all stores: ``store`` and ``astore`` are each kind in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

import pytest

from tablewright.stores.async_store import AsyncStore
from tablewright.stores.store import Store

from .opening import KINDS, opened, opened_async

T = TypeVar("T")
Scenario = Callable[[AsyncStore], Awaitable[T]]

EACH_KIND = [
    pytest.param(kind, marks=pytest.mark.dynamodb_local if kind == "dynamodb-local" else ())
    for kind in KINDS
]


@pytest.fixture(params=EACH_KIND)
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """A store of each kind, with no tables."""
    with opened(request.param, request.getfixturevalue) as store:
        yield store


@pytest.fixture(params=EACH_KIND)
def astore(request: pytest.FixtureRequest) -> Callable[[Scenario[T]], T]:
    """Runs a coroutine function on a store of each kind, with no tables, on a loop of its own."""
    # Servers are started by fixtures that know no loops.
    kind = request.param
    if kind in ("wire", "dynamodb-local"):
        request.getfixturevalue("wire_server" if kind == "wire" else "dynamodb_local")

    def run(scenario: Scenario[T]) -> T:
        async def main() -> T:
            async with opened_async(kind, request.getfixturevalue) as store:
                return await scenario(store)

        return asyncio.run(main())

    return run
