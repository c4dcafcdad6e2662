"""Editing, staging and committing in a real browser, on demo data of two systems."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.studio.shell.gate import Sessions
from tests.studio.browsing import needs_chromium, studio_server, studio_tab
from tests.web.serving import LiveServer

SYSTEMS = ["roll-model", "hold-that-thought"]
# An entity that people edit, and one of its texts.
STORIES = {
    "roll-model": ("Profile", "displayName"),
    "hold-that-thought": ("Comment", "commentText"),
}
SESSIONS = Sessions()

pytestmark = needs_chromium
both = pytest.mark.parametrize("system", SYSTEMS)


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with studio_server(SYSTEMS, SESSIONS) as opened:
        yield opened


@pytest.fixture
def page(browser: Any, server: LiveServer) -> Iterator[Any]:
    with studio_tab(browser, server, SESSIONS) as tab:
        yield tab


def editors(page: Any, system: str, entity: str) -> list[str]:
    """The addresses of the editors of some items of an entity."""
    addresses: list[str] = []
    start = ""
    while True:
        view = page.request.get(f"./{system}/collections.json{start}").json()["view"]
        addresses += [
            f"./{system}/items/{row['table']}/{row['address']}/edit"
            for collection in view["collections"]
            for row in collection["rows"]
            if row["chip"]["name"] == entity
        ]
        if not view["next"]:
            return addresses
        start = f"?start={view['next']}"


def text_field(page: Any, system: str) -> Any:
    return page.locator(f'.sheet [name="s.{STORIES[system][1]}"]')


@both
def test_items_are_edited_in_the_form_staged_and_committed_together(page: Any, system: str) -> None:
    entity, name = STORIES[system]
    first, second, *_ = editors(page, system, entity)
    for address in (first, second):
        page.goto(address)
        assert page.get_by_role("link", name="Form").get_attribute("aria-current") == "true"
        text_field(page, system).fill("Changed <i>here</i>")
        page.get_by_role("button", name="Preview").click()
        assert "Changed <i>here</i>" in page.get_by_role("region", name="Differences").inner_text()
        page.get_by_role("button", name="Add to the stage").click()
        page.get_by_role("heading", name="Stage", exact=True).wait_for()
    assert page.locator(".staged").count() == 2
    transaction = page.get_by_role("region", name="The transaction")
    assert transaction.get_by_text(f"save {entity}").count() >= 2
    request = page.get_by_role("region", name="Copy as request")
    request.get_by_role("tab", name="CLI").click()
    assert "transact-write-items" in request.inner_text()
    page.get_by_role("button", name="Commit all 2").click()
    page.get_by_text("Committed.").wait_for()
    assert page.get_by_role("heading", name="The stage is empty").is_visible()
    page.goto(second.removesuffix("/edit"))
    row = page.locator(".attributes tr", has=page.get_by_text(name, exact=True))
    assert "Changed <i>here</i>" in row.inner_text()


@both
def test_a_conflict_is_told_and_what_was_edited_is_put_on_top(page: Any, system: str) -> None:
    entity, _ = STORIES[system]
    address = editors(page, system, entity)[-1]
    page.goto(address)
    text_field(page, system).fill("Mine")
    page.get_by_role("button", name="Add to the stage").click()
    page.get_by_role("heading", name="Stage", exact=True).wait_for()
    # Somebody else, in another browser, saves another version of the item.
    other = page.context.browser.new_context(base_url=re.sub("/studio/.*", "/studio/", page.url))
    tab = other.new_page()
    tab.goto(f"./?token={SESSIONS.new_token()}")
    tab.goto(f"{address}?tab=json")
    item = json.loads(tab.get_by_label("Item").input_value())
    item["updatedAt"] = {"S": "2031-01-01T00:00:00.000Z"}
    tab.get_by_label("Item").fill(json.dumps(item))
    tab.get_by_role("button", name="Preview").click()
    tab.get_by_role("button", name="Write it").click()
    tab.get_by_text("Written.").wait_for()
    other.close()
    page.get_by_role("button", name="Commit it").click()
    page.get_by_role("heading", name="Nothing was written").wait_for()
    assert page.get_by_text("changed since read").is_visible()
    page.get_by_role("button", name="Read them again").click()
    page.get_by_text("was read again").wait_for()
    page.get_by_role("button", name="Commit it").click()
    page.get_by_text("Committed.").wait_for()
    page.goto(f"{address}?tab=json")
    stored = json.loads(page.get_by_label("Item").input_value())
    assert stored["updatedAt"] == {"S": "2031-01-01T00:00:00.000Z"}
    assert stored[STORIES[system][1]] == {"S": "Mine"}


@both
def test_an_item_is_made_and_another_is_deleted_and_both_are_dropped(
    page: Any, system: str
) -> None:
    entity, _ = STORIES[system]
    page.goto(f"./{system}/stage")
    page.get_by_role("heading", name="Nothing is staged").wait_for()
    page.get_by_role("region", name="New item").get_by_role("link", name=entity).click()
    page.get_by_role("heading", name=f"New {entity}").wait_for()
    page.get_by_role("button", name="Add to the stage").click()
    page.get_by_role("heading", name="Stage", exact=True).wait_for()
    page.goto(editors(page, system, entity)[0])
    page.get_by_role("button", name="Stage its deletion").click()
    page.get_by_role("heading", name="Stage", exact=True).wait_for()
    assert page.locator(".staged .tag").all_inner_texts() == ["create", "delete"]
    page.get_by_role("button", name="Drop this item").first.click()
    page.get_by_text("1 item of 100").wait_for()
    page.get_by_role("button", name="Drop everything").click()
    page.get_by_role("heading", name="Nothing is staged").wait_for()


def test_a_derived_item_leads_to_its_source_instead(page: Any) -> None:
    entry = editors(page, "roll-model", "Entry")[0].removesuffix("/edit")
    [first, *_] = page.request.get(f"{entry}.json").json()["view"]["derived"]
    page.goto(f"./roll-model/items/{first['table']}/{first['address']}/edit")
    page.get_by_role("heading", name="Edit its Entry instead").wait_for()
    assert page.get_by_role("button", name="Add to the stage").count() == 0


@both
@pytest.mark.parametrize("tab", ["form", "json"])
def test_the_editor_and_the_stage_fit_a_phone(page: Any, system: str, tab: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    address = editors(page, system, STORIES[system][0])[0]
    page.goto(f"{address}?tab={tab}")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.goto(address)
    text_field(page, system).fill("Thumbed")
    page.get_by_role("button", name="Add to the stage").click()
    page.get_by_role("heading", name="Stage", exact=True).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
