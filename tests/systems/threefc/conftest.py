"""A league with a season, a session and a game: what most of 3FC hangs on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.stores.opening import endpoint_url
from tests.systems.faces import Face

from . import rows
from .club import Club, opened


def filled(face: Face) -> Face:
    face.create(rows.league())
    face.create(rows.season())
    face.create(rows.session())
    face.create(rows.game())
    return face


@pytest.fixture
def played(face: Face) -> Face:
    """On each kind of store."""
    return filled(face)


@pytest.fixture
def scored(embedded: Face) -> Face:
    """On the engine in this process."""
    return filled(embedded)


# Over HTTP, without sockets: on SQLite, and for scenarios on DynamoDB Local too.


@pytest.fixture
def club() -> Iterator[Club]:
    """Nobody has been here yet."""
    with opened() as made:
        yield made


@pytest.fixture
def game(club: Club) -> dict[str, Any]:
    """A scheduled game of Ann's league, with two players in each team."""
    return club.furnished()


@pytest.fixture(params=["sqlite", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def each_club(request: pytest.FixtureRequest) -> Iterator[Club]:
    """The same on each kind of store."""
    store = "sqlite://:memory:"
    if request.param != "sqlite":
        store = endpoint_url(request.param, request.getfixturevalue)
    with opened(store) as made:
        yield made
