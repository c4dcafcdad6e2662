"""Hold That Thought over HTTP, without sockets: on SQLite, and scenarios on DynamoDB Local too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.stores.opening import endpoint_url

from .family import Family, opened


@pytest.fixture
def family() -> Iterator[Family]:
    """Nobody has been here yet."""
    with opened() as made:
        yield made


@pytest.fixture(params=["sqlite", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def each_family(request: pytest.FixtureRequest) -> Iterator[Family]:
    """The same on each kind of store."""
    store = "sqlite://:memory:"
    if request.param != "sqlite":
        store = endpoint_url(request.param, request.getfixturevalue)
    with opened(store) as made:
        yield made
