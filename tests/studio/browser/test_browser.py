"""The studio in a real browser: one story for each screen, on demo data of two systems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.studio.shell.gate import Sessions
from tests.studio.browsing import needs_chromium, studio_server, studio_tab
from tests.web.serving import LiveServer

SYSTEMS = ["roll-model", "stayon"]
SESSIONS = Sessions()

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with studio_server(SYSTEMS, SESSIONS) as opened:
        yield opened


@pytest.fixture
def page(browser: Any, server: LiveServer) -> Iterator[Any]:
    with studio_tab(browser, server, SESSIONS) as tab:
        yield tab


def rail(page: Any, name: str) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()


@pytest.mark.parametrize("system", SYSTEMS)
def test_start_reaches_a_coloured_table_in_two_clicks(page: Any, system: str) -> None:
    page.get_by_role("link", name=system).click()
    page.get_by_role("heading", name=system).wait_for()
    page.get_by_role("link", name="Collections Items grouped").click()
    assert page.locator(".collection").count() > 1
    assert page.locator(".items .chip").count() > 3


@pytest.mark.parametrize(
    ("system", "pattern", "entity"),
    [
        ("roll-model", "list_own_entries", "Entry"),
        ("stayon", "get_page", "Shareable"),
    ],
)
def test_the_map_lights_the_path_of_a_pattern(
    page: Any, system: str, pattern: str, entity: str
) -> None:
    page.goto(f"./{system}/map")
    box = page.locator(f'[id="pattern:{pattern}"]')
    box.focus()
    lit = page.locator(".box.on")
    assert 2 < lit.count() < page.locator(".box").count()
    assert f"entity:{entity}" in lit.evaluate_all("all => all.map(one => one.id)")
    box.press("Enter")
    page.get_by_role("heading", name=pattern).wait_for()


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_map_is_also_a_chart_a_table_and_markdown(page: Any, system: str) -> None:
    page.goto(f"./{system}/")
    rail(page, "Map")
    page.get_by_role("link", name="Entity chart").click()
    assert page.locator("tbody .key").count() > 4
    page.get_by_role("link", name="Pattern table").click()
    assert page.get_by_role("columnheader", name="Key condition").is_visible()
    page.get_by_role("link", name="Markdown").click()
    assert "| Entity |" in page.locator("pre").inner_text()


@pytest.mark.parametrize("system", SYSTEMS)
def test_collections_load_more_in_place_and_open_one_item(page: Any, system: str) -> None:
    page.goto(f"./{system}/")
    rail(page, "Collections")
    before = page.locator(".collection").count()
    more = page.get_by_role("link", name="More partitions")
    if more.count():
        url = page.url
        more.click()
        page.locator(".collection").nth(before).wait_for()
        assert page.url == url
    page.locator(".items .where > a").first.click()
    page.get_by_role("heading", name="Attributes").wait_for()
    assert page.get_by_role("heading", name="Typed JSON").is_visible()


def test_a_link_leads_from_an_item_to_another_collection_and_back(page: Any) -> None:
    page.goto("./roll-model/collections?pk=USER%23ben")
    page.locator(".links a", has_text="ENTRY#").first.click()
    assert page.locator(".pk").inner_text().startswith("ENTRY#")
    page.locator(".links a", has_text="USER#ben").first.click()
    assert page.locator(".pk").inner_text() == "USER#ben"


def test_a_pattern_is_run_and_its_request_copied_three_ways(page: Any) -> None:
    page.goto("./roll-model/")
    page.keyboard.press("g")
    page.keyboard.press("p")
    page.get_by_role("heading", name="Access patterns").wait_for()
    page.get_by_role("searchbox").fill("own_ent")
    page.get_by_role("link", name="list_own_entries").click()
    page.get_by_label("athlete_id").fill("ben")
    page.get_by_role("button", name="Run").click()
    result = page.get_by_role("region", name="Result")
    assert result.locator("tbody tr").count() > 3
    assert "per million calls" in page.get_by_role("region", name="Measured cost").inner_text()
    request = page.get_by_role("region", name="Request")
    request.get_by_role("tab", name="boto3").click()
    assert "client.query(" in request.inner_text()
    request.get_by_role("tab", name="CLI").click()
    assert "aws dynamodb query" in request.inner_text()


def test_a_stayon_pattern_finds_a_shared_page(page: Any) -> None:
    page.goto("./stayon/collections")
    page.locator(".pk").first.click()
    page.get_by_text("Read by").wait_for()
    page.locator(".ends a").first.click()
    page.get_by_role("heading", name="Plan").wait_for()


def test_a_write_shows_its_transaction_before_it_runs(page: Any) -> None:
    page.goto("./roll-model/writes/create.CoachLink")
    text = page.get_by_label("CoachLink").input_value()
    page.get_by_label("CoachLink").fill(text.replace('"abc"', '"walt"'))
    page.get_by_role("button", name="Preview").click()
    transaction = page.get_by_role("region", name="The transaction")
    assert "AthleteLink" in transaction.inner_text()
    assert "for the item above" in transaction.inner_text()
    page.get_by_role("button", name="Write it").click()
    page.get_by_text("Written.").wait_for()
    page.goto("./roll-model/collections?pk=USER%23walt")
    assert "CoachLink" in page.locator(".collection").inner_text()


def test_an_item_is_edited_as_typed_json_with_its_difference_first(page: Any) -> None:
    page.goto("./roll-model/collections?pk=USER%23dana")
    page.locator(".items tr", has_text="Entry").locator(".where > a").first.click()
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_role("link", name="Typed JSON").click()
    field = page.get_by_label("Item")
    changed = field.input_value()
    start = changed.index('"giOrNoGi"')
    value = "no-gi" if '"gi"' in changed[start : start + 60] else "gi"
    old = "gi" if value == "no-gi" else "no-gi"
    field.fill(changed[:start] + changed[start:].replace(f'"{old}"', f'"{value}"', 1))
    page.get_by_role("button", name="Preview").click()
    assert "1 attribute will change" in page.get_by_role("region", name="Differences").inner_text()
    page.get_by_role("button", name="Write it").click()
    page.get_by_text("Written.").wait_for()
    page.get_by_role("link", name="Look at the item.").click()
    assert f'"{value}"' in page.locator("[data-panel]").first.inner_text()


@pytest.mark.parametrize("system", SYSTEMS)
def test_lint_shows_what_stands_and_what_is_explained(page: Any, system: str) -> None:
    page.goto(f"./{system}/lint")
    page.get_by_role("heading", name="No findings").wait_for()
    if page.locator(".finding").count():
        page.locator(".finding .code").first.click()
        page.get_by_text("Suppress").wait_for()


@pytest.mark.parametrize("path", ["", "map", "collections", "patterns", "lint"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_page_is_wider_than_a_phone(page: Any, system: str, path: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"./{system}/{path}")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
