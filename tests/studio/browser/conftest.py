"""What tests of the studio share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.studio.browsing import chromium

HERE = Path(__file__).parent
# The system whose pages are tried on every change; with the others, a test is slow.
FIRST = "roll-model"
FIRST_ELSEWHERE = {"test_accessibility.py": "stayon"}  # It has a third of the screens.


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE and isinstance(item, pytest.Function):
            callspec = getattr(item, "callspec", None)
            system = callspec.params.get("system") if callspec else None
            if system not in (None, FIRST_ELSEWHERE.get(item.path.name, FIRST)):
                item.add_marker("slow")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened
