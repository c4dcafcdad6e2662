"""A league with a season, a session and a game: what most of 3FC hangs on."""

from __future__ import annotations

import pytest

from tests.systems.faces import Face

from .rows import game, league, season, session


def filled(face: Face) -> Face:
    face.create(league())
    face.create(season())
    face.create(session())
    face.create(game())
    return face


@pytest.fixture
def played(face: Face) -> Face:
    """On each kind of store."""
    return filled(face)


@pytest.fixture
def scored(embedded: Face) -> Face:
    """On the engine in this process."""
    return filled(embedded)
