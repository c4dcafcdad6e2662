"""The studio in a real browser: the server, the browser, and a tab that was let in."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tablewright.studio.history.retention import keep_changes
from tablewright.studio.shell.gate import Sessions
from tablewright.studio.shell.mount import studio_system, system_designs
from tablewright.systems.registry import find_fill, find_systems
from tablewright.web.services.services import Services
from tests.web.serving import LiveServer, live

__all__ = ["CHROMIUM", "Tab", "chromium", "needs_chromium", "studio_server", "studio_tab"]

CHROMIUM = shutil.which("chromium")
Tab = Any  # A page of Playwright, which has no types of its own here.

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")


@contextmanager
def studio_server(
    systems: Sequence[str],
    sessions: Sessions,
    *,
    folder: Path | None = None,
    recorded: Collection[str] = (),
) -> Iterator[LiveServer]:
    """Systems with demo data, and their studio; those ``recorded`` keep their changes."""
    by_name = find_systems(systems)

    async def fill(services: Services) -> None:
        for name in systems:
            if name in recorded:
                await keep_changes(services.store, [table.name for table in by_name[name].tables])
            make = find_fill(name)
            assert make is not None
            await make(services)

    studio = studio_system(
        lambda: system_designs(systems), sessions, systems=tuple(systems), folder=folder
    )
    with live(*by_name.values(), studio, fill=fill) as server:
        yield server


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def studio_tab(browser: Any, server: LiveServer, sessions: Sessions) -> Iterator[Tab]:
    """A tab that opened the studio by its link; a word on the console is a failure."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, base_url=f"{server.url}/studio/"
    )
    tab = context.new_page()
    messages: list[str] = []
    tab.on("pageerror", lambda error: messages.append(str(error)))
    tab.on("console", lambda message: messages.append(message.text))
    tab.goto(f"./?token={sessions.new_token()}")
    assert "token" not in tab.url
    yield tab
    context.close()
    assert messages == []
