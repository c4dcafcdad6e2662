"""The page behind a mailed link, as it is served and in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.systems.threefc.app import SYSTEM
from tests.web.serving import LiveServer, live

from .club import Club, refused

CHROMIUM = shutil.which("chromium")
in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
PHONE: Any = {"width": 390, "height": 844}


def test_the_link_leads_to_a_page_and_opening_it_uses_nothing_up(club: Club) -> None:
    token, guest = club.token("ann@x.org"), club.server.guest()
    page = guest.get("/sign-in", params={"token": token})
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert token not in page.text
    for name in ("sign-in.js", "sign-in.css"):
        assert f"static/{name}" in page.text
        assert guest.get(f"/static/{name}").status_code == 200
    refused(guest.get("/static/api.py"), 404, "not_found")
    refused(guest.get("/static/..%2fapi.py"), 404, "not_found")
    assert club.complete(token).status_code == 200


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with live(SYSTEM) as opened:
        yield opened


@pytest.fixture
def page(server: LiveServer) -> Iterator[Any]:
    """A tab on a phone; a script's error fails the test."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_context(viewport=PHONE, base_url=f"{server.url}/3fc/").new_page()
        errors: list[str] = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        yield tab
        browser.close()
        assert errors == []


@in_a_browser
@pytest.mark.browser
def test_people_ask_for_a_link_sign_in_with_it_and_sign_out(server: LiveServer, page: Any) -> None:
    page.goto("sign-in")
    page.get_by_label("Your e-mail address").fill("Ann@x.org")
    page.get_by_role("button", name="Send me a link").click()
    page.get_by_text("A link is on its way to Ann@x.org").wait_for()
    [mail] = server.root.get("/dev/outbox", params={"to": "ann@x.org"}).json()["items"]
    [link] = [line for line in mail["text"].split("\n") if line.startswith("http")]
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("You are signed in as ann@x.org").wait_for()
    assert "token" not in page.url
    page.goto("sign-in")
    page.get_by_text("You are signed in as ann@x.org").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_text("You are signed out.").wait_for()
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("This link cannot be used. Ask for a new one.").wait_for()
    page.get_by_label("Your e-mail address").wait_for()
