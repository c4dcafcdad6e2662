"""StayOn's pages in a real browser: make, open, tick, answer, vote, manage. On a phone's screen."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.systems.stayon.app import SYSTEM
from tests.web.serving import LiveServer, live

from .desk import BOTH, CHECKLIST, EVENT, POLL

CHROMIUM = shutil.which("chromium")
PHONE = {"width": 390, "height": 844}

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with live(SYSTEM) as opened:
        yield opened


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any, server: LiveServer) -> Iterator[Any]:
    """A tab on a phone; a script's error fails the test."""
    context = browser.new_context(viewport=PHONE, base_url=f"{server.url}/stayon/")
    tab = context.new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    yield tab
    context.close()
    assert errors == []


def make(server: LiveServer, body: dict[str, Any]) -> dict[str, Any]:
    made = server.guest().post("/pages", json=body)
    assert made.status_code == 201
    server._client.cookies.clear()
    shown: dict[str, Any] = made.json()
    return shown


def test_a_checklist_is_made_and_its_ticks_stay(page: Any) -> None:
    page.goto("./")
    page.get_by_label("Name").fill("Weekend")
    items = page.get_by_label("Item", exact=True)
    items.nth(0).fill("Milk")
    items.nth(1).fill("Bread")
    page.get_by_role("button", name="Make the checklist").click()
    page.get_by_role("heading", name="Weekend").wait_for()
    page.get_by_label("Milk").check()
    assert "1 of 2 done" in page.locator("[data-progress-text]").inner_text()
    page.reload()
    assert page.get_by_label("Milk").is_checked()
    assert not page.get_by_label("Bread").is_checked()


def test_an_event_is_answered_and_the_answer_changed_by_its_code(
    page: Any, server: LiveServer
) -> None:
    made = make(server, EVENT)
    page.goto(f"./{made['shortId']}")
    page.get_by_label("Your name").fill("Ann")
    page.get_by_text("Maybe", exact=True).click()
    page.get_by_role("button", name="Send my answer").click()
    code = page.locator("[data-code] strong")
    code.wait_for()
    number = code.inner_text()
    assert number.isdigit()
    page.reload()
    assert page.locator(".people").inner_text().startswith("Ann")
    page.get_by_text("Change an answer").click()
    page.get_by_role("button", name="Find").click()
    page.locator("[data-withdraw]").wait_for()
    page.get_by_text("Yes", exact=True).click()
    page.get_by_role("button", name="Send my answer").click()
    page.get_by_text("Your answer is changed.").wait_for()
    stored = server.guest().get(f"/pages/{made['shortId']}/rsvps/{number}").json()
    assert stored["response"] == "going"


def test_a_vote_is_cast_and_the_results_show(page: Any, server: LiveServer) -> None:
    made = make(server, POLL)
    page.goto(f"./{made['shortId'].upper()}")
    page.get_by_label("Sat").check()
    page.get_by_role("button", name="Vote").click()
    page.get_by_text("1 vote", exact=True).wait_for()
    assert page.locator(".bars b").all_inner_texts() == ["1", "0"]


def test_a_passcode_opens_a_page_for_who_knows_it(page: Any, server: LiveServer) -> None:
    made = make(server, {**CHECKLIST, **BOTH})
    page.goto(f"./{made['shortId']}")
    page.get_by_label("Passcode").fill("wrong-one")
    page.get_by_role("button", name="Open").click()
    page.get_by_text("That passcode does not open this page.").wait_for()
    page.get_by_label("Passcode").fill(BOTH["viewPasscode"])
    page.get_by_role("button", name="Open").click()
    page.get_by_role("heading", name="Shopping").wait_for()
    assert page.locator("[data-manage]").count() == 0


def test_a_manager_renames_closes_and_deletes(page: Any, server: LiveServer) -> None:
    made = make(server, POLL)
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"./{made['shortId']}")
    page.locator("[data-manage] > summary").click()
    page.locator("[data-edit] [name=name]").fill("Which day?")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="Which day?").wait_for()
    page.locator("[data-manage] > summary").click()
    page.get_by_role("button", name="Close the poll").click()
    page.get_by_text("This poll is closed.").wait_for()
    page.locator("[data-manage] > summary").click()
    page.get_by_role("button", name="Delete the page").click()
    page.get_by_role("heading", name="What would you like to share?").wait_for()
    assert server.guest().get(f"/pages/{made['shortId']}").status_code == 404


def test_what_is_not_there_says_so_to_people(page: Any) -> None:
    answer = page.goto("./abc-def-00000")
    assert answer.status == 404
    page.get_by_role("heading", name="There is no such page").wait_for()


def test_nothing_is_wider_than_a_phone(page: Any, server: LiveServer) -> None:
    for body in (CHECKLIST, EVENT, POLL):
        made = make(server, {**body, "name": "A" * 180})
        page.goto(f"./{made['shortId']}")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
