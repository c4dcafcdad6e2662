"""Capacity in a real browser: what if, partitions, heat and limits, for two systems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tablewright.studio.shell.gate import Sessions
from tests.studio.browsing import needs_chromium, studio_server, studio_tab
from tests.web.serving import LiveServer

SYSTEMS = ["roll-model", "hold-that-thought"]
PARTS = ["", "?view=partitions", "?view=heat", "?view=limits"]
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


def part(page: Any, name: str) -> None:
    page.get_by_role("navigation", name="Parts of capacity").get_by_role("link", name=name).click()


@pytest.mark.parametrize(
    ("system", "first"),
    [("roll-model", "RollModel, its quota"), ("hold-that-thought", "HoldThatThought, its quota")],
)
def test_a_design_is_taken_to_internet_scale(page: Any, system: str, first: str) -> None:
    page.goto(f"./{system}/")
    page.keyboard.press("g")
    page.keyboard.press("h")
    verdict = page.get_by_role("region", name="The first limit that breaks")
    assert first in verdict.inner_text()
    assert "holds" in verdict.inner_text()
    page.get_by_role("link", name="10 billion internet scale").click()
    assert "broken" in verdict.inner_text()
    assert "times less than here" in verdict.inner_text()
    verdict.get_by_role("link").click()
    page.get_by_role("heading", name="Plan").wait_for()


def test_numbers_are_typed_and_only_they_stand_in_the_address(page: Any) -> None:
    page.goto("./hold-that-thought/capacity")
    page.get_by_label("Peak factor").fill("20")
    page.get_by_label("Calls a day of list_letters", exact=True).fill("2G")
    page.get_by_role("button", name="Calculate").first.click()
    page.wait_for_url("**peak=20**")
    assert parse_qs(urlsplit(page.url).query) == {"peak": ["20"], "c.list_letters": ["2G"]}
    verdict = page.get_by_role("region", name="The first limit that breaks")
    assert "LETTERS" in verdict.inner_text()
    assert "list_letters" in verdict.inner_text()
    page.get_by_label("Peak factor").fill("many")
    page.get_by_role("button", name="Calculate").first.click()
    assert "'many' is not a number" in page.get_by_role("alert").inner_text()
    assert page.get_by_label("Peak factor").input_value() == "many"
    page.get_by_role("link", name="Start over").click()
    assert page.get_by_role("alert").count() == 0


def test_how_many_keys_there_are_moves_the_limit_of_a_partition(page: Any) -> None:
    page.goto("./roll-model/capacity?calls=100M")
    assert page.get_by_role("region", name="The first limit of the design").count() == 0
    page.get_by_label("USER#{userId}").fill("12")
    page.get_by_role("button", name="Calculate").first.click()
    region = page.get_by_role("region", name="The first limit that breaks")
    assert "of one partition, USER#{userId}" in region.inner_text()
    assert "12 keys" in region.inner_text()


@pytest.mark.parametrize("system", SYSTEMS)
def test_partitions_lead_to_their_items(page: Any, system: str) -> None:
    page.goto(f"./{system}/capacity")
    part(page, "Partitions")
    rows = page.locator(".partitions tbody tr")
    assert rows.count() > 10
    key = rows.first.locator(".key").inner_text()
    rows.first.get_by_role("link").click()
    assert page.locator(".pk").inner_text() == key


def test_a_run_heats_its_partition_and_the_page_follows(page: Any) -> None:
    page.goto("./roll-model/capacity?view=heat")
    chosen = page.get_by_role("link", name="Writes", exact=True)
    chosen.focus()
    other = page.context.new_page()
    other.goto("./roll-model/patterns/list_own_entries?athlete_id=dana&run=1")
    other.close()
    # The page asks again by itself, and leaves the reader where they are.
    page.locator("#heat table", has_text="USER#dana").wait_for()
    assert page.locator(".heat .s5").count() == 1
    assert chosen.evaluate("one => one === document.activeElement")
    chosen.click()
    page.get_by_role("heading", name="No such units in the last hour").wait_for()


@pytest.mark.parametrize("system", SYSTEMS)
def test_limits_lead_to_what_is_largest(page: Any, system: str) -> None:
    page.goto(f"./{system}/capacity")
    part(page, "Limits")
    largest = page.get_by_role("region", name="Largest item")
    assert "of 400 KB" in largest.inner_text()
    largest.get_by_role("link").click()
    page.get_by_role("heading", name="Attributes").wait_for()


def test_capacity_works_without_scripts(browser: Any, server: LiveServer) -> None:
    context = browser.new_context(base_url=f"{server.url}/studio/", java_script_enabled=False)
    tab = context.new_page()
    tab.goto(f"./?token={SESSIONS.new_token()}")
    tab.goto("./roll-model/capacity")
    tab.get_by_label("Look ahead").fill("1")
    tab.get_by_role("button", name="Calculate").first.click()
    assert "a month after 1 month:" in tab.locator(".stats").inner_text()
    context.close()


@pytest.mark.parametrize("path", PARTS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_part_is_wider_than_a_phone(page: Any, system: str, path: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"./{system}/capacity{path}")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
