"""What tests of the studio share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.studio.browsing import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened
