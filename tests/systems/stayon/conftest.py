"""StayOn over HTTP, without sockets: on SQLite, and for scenarios on DynamoDB Local too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tablewright.systems.stayon.services import passcodes
from tests.stores.opening import endpoint_url

from .desk import Desk, opened


@pytest.fixture(autouse=True)
def cheap_passcodes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passcodes a thousand times faster, but where hashing is what is tested."""
    if request.path.name != "test_passcodes.py":
        monkeypatch.setattr(passcodes, "_COST", 4)


@pytest.fixture
def desk() -> Iterator[Desk]:
    """Nobody has been here yet."""
    with opened() as made:
        yield made


@pytest.fixture(params=["sqlite", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def each_desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    """The same on each kind of store."""
    store = "sqlite://:memory:"
    if request.param != "sqlite":
        store = endpoint_url(request.param, request.getfixturevalue)
    with opened(store) as made:
        yield made
