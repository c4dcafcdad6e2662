"""A server with the example system, on a database in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .example import SYSTEM
from .serving import Caller, Server, served


@pytest.fixture
def server() -> Iterator[Server]:
    with served(SYSTEM) as opened:
        yield opened


@pytest.fixture
def ann(server: Server) -> Caller:
    return server.as_("ann")


@pytest.fixture
def bob(server: Server) -> Caller:
    return server.as_("bob")
