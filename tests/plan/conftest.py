"""The library of `library.py`, empty, on a database in memory."""

from __future__ import annotations

import pytest

from tablewright.engine.database import Database

from .library import Runner


@pytest.fixture
def runner(database: Database) -> Runner:
    created = Runner(database)
    created.make_tables()
    return created
