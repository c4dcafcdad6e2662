"""The stream and time travel in a real browser, on demo data of two systems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.studio.shell.gate import Sessions
from tablewright.studio.shell.mount import system_designs
from tests.studio.browsing import needs_chromium, studio_server, studio_tab
from tests.web.serving import LiveServer

KEPT = ["roll-model", "hold-that-thought"]
SYSTEMS = [*KEPT, "stayon"]  # The last keeps nothing until it is told to.
SESSIONS = Sessions()

pytestmark = needs_chromium
each_recorded_system = pytest.mark.parametrize("system", KEPT)


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with studio_server(SYSTEMS, SESSIONS, recorded=KEPT) as opened:
        yield opened


@pytest.fixture
def page(browser: Any, server: LiveServer) -> Iterator[Any]:
    with studio_tab(browser, server, SESSIONS) as tab:
        yield tab


def table_of(system: str) -> str:
    return str(system_designs([system])[0].tables[0].name)


def change_one(server: LiveServer, system: str, text: str) -> None:
    """Give the first item of a system an attribute."""
    database = server.services.store.database  # type: ignore[attr-defined]
    name = table_of(system)
    [item] = database.call("Scan", {"TableName": name, "Limit": 1})["Items"]
    changed = item | {"remark": {"S": text}}
    database.call("PutItem", {"TableName": name, "Item": changed})


@each_recorded_system
def test_changes_appear_as_they_happen_and_wait_while_paused(
    page: Any, server: LiveServer, system: str
) -> None:
    page.goto(f"./{system}/")
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.locator(".live.live").wait_for()
    assert page.locator(".together").count() > 0
    change_one(server, system, "seen at once")
    page.locator("#changes > li:first-child", has_text="seen at once").wait_for()
    page.get_by_role("button", name="Pause").click()
    page.locator(".live.paused").wait_for()
    before = page.locator("#changes > li").count()
    change_one(server, system, "seen later")
    page.get_by_role("button", name="Continue").click()
    page.locator("#changes > li:first-child", has_text="seen later").wait_for()
    assert page.locator("#changes > li").count() == before + 1


@each_recorded_system
def test_a_change_leads_to_the_table_before_it_and_back_to_now(
    page: Any, server: LiveServer, system: str
) -> None:
    change_one(server, system, "a mark")
    page.goto(f"./{system}/stream?op=modify")
    first = page.locator(".change").first
    first.locator("summary").click()
    assert "a mark" in first.locator("table").inner_text()
    first.get_by_role("link", name="The table just before").click()
    banner = page.get_by_text(re.compile("Showing .* UTC"))
    banner.wait_for()
    page.locator(".items .where > a").first.click()
    banner.wait_for()
    assert "as_of=" in page.url
    assert page.get_by_role("link", name="Edit", exact=True).count() == 0
    page.get_by_role("link", name="Back to now").click()
    page.get_by_role("heading", name="Attributes").wait_for()
    assert "as_of=" not in page.url
    assert page.get_by_text("Showing").count() == 0


@each_recorded_system
def test_the_history_of_an_item_shows_its_versions(
    page: Any, server: LiveServer, system: str
) -> None:
    change_one(server, system, "one")
    change_one(server, system, "two")
    page.goto(f"./{system}/stream?op=modify")
    page.locator(".change summary").first.click()
    page.get_by_role("link", name="Its history").locator("visible=true").click()
    newest = page.locator(".versions > li").first
    assert newest.locator("del").inner_text() == "S one"
    assert newest.locator("ins").inner_text() == "S two"
    page.locator(".versions > li").nth(1).get_by_role("link", name="See it as of then").click()
    page.get_by_text("Showing").wait_for()
    assert '"one"' in page.locator("[data-panel]").first.inner_text()


def test_the_clock_goes_to_a_moment_and_keeps_the_partition(page: Any, server: LiveServer) -> None:
    page.goto("./roll-model/collections?pk=USER%23ben")
    items = page.locator(".items tbody tr").count()
    # A field has whole seconds: so that the one it holds is behind all that was written.
    server.advance(5)
    page.goto("./roll-model/collections?pk=USER%23ben")
    page.locator(".clock summary").click()
    page.get_by_role("button", name="Go").click()
    page.get_by_text("Showing").wait_for()
    assert page.locator(".pk").inner_text() == "USER#ben"
    assert page.locator(".items tbody tr").count() == items


def test_a_stream_and_a_history_are_turned_on_by_buttons(page: Any, server: LiveServer) -> None:
    page.goto("./stayon/collections")
    page.locator(".clock summary").click()
    page.get_by_role("button", name="Start recording history").click()
    page.locator(".clock summary").click()
    assert "History starts at" in page.locator(".clock").inner_text()
    page.goto("./stayon/stream")
    while page.get_by_role("button", name="Turn the stream on").count():
        page.get_by_role("button", name="Turn the stream on").first.click()
    page.get_by_role("heading", name="No changes yet").wait_for()
    page.locator(".live.live").wait_for()
    change_one(server, "stayon", "the first")
    page.locator("#changes > li", has_text="the first").wait_for()
    assert page.get_by_role("heading", name="No changes yet").count() == 0


def test_without_scripts_the_stream_is_a_page_with_newer_and_older(
    browser: Any, server: LiveServer
) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=f"{server.url}/studio/")
    tab = context.new_page()
    tab.goto(f"./?token={SESSIONS.new_token()}")
    tab.goto("./roll-model/stream")
    assert tab.locator("#changes > li").count() > 5
    change_one(server, "roll-model", "read without scripts")
    tab.get_by_role("link", name="Newer").click()
    assert "read without scripts" in tab.locator("#changes").inner_text()
    tab.get_by_role("link", name="Older").click()
    tab.get_by_role("link", name="To the newest").click()
    assert "read without scripts" in tab.locator("#changes > li").first.inner_text()
    context.close()


@pytest.mark.parametrize("path", ["stream", "stream?op=insert", "collections", "patterns"])
@each_recorded_system
def test_no_page_of_the_stream_is_wider_than_a_phone(page: Any, system: str, path: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"./{system}/{path}")
    for each in page.locator(".change summary, .clock summary").all()[:4]:
        each.click()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
