"""Roll Model over HTTP, without sockets: on SQLite, and for scenarios on DynamoDB Local too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.stores.opening import endpoint_url

from .journal import Journal, opened


@pytest.fixture
def journal() -> Iterator[Journal]:
    """Nobody has been here yet."""
    with opened() as made:
        yield made


@pytest.fixture(params=["sqlite", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def each_journal(request: pytest.FixtureRequest) -> Iterator[Journal]:
    """The same on each kind of store."""
    store = "sqlite://:memory:"
    if request.param != "sqlite":
        store = endpoint_url(request.param, request.getfixturevalue)
    with opened(store) as made:
        yield made
