"""The system's screens in a real browser: who may do what, acting as somebody, going anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tablewright.studio.shell.gate import Sessions
from tests.studio.browsing import needs_chromium, studio_server, studio_tab
from tests.web.serving import LiveServer

SYSTEMS = ["roll-model", "hold-that-thought"]
SESSIONS = Sessions()

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("project")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[LiveServer]:
    with studio_server(SYSTEMS, SESSIONS, folder=folder) as opened:
        yield opened


@pytest.fixture
def page(browser: Any, server: LiveServer) -> Iterator[Any]:
    with studio_tab(browser, server, SESSIONS) as tab:
        yield tab


@pytest.mark.parametrize(
    ("system", "words", "who", "code"),
    [
        ("roll-model", "GET /export", "linked coach", "role_required"),
        ("hold-that-thought", "GET /admin/users", "member", "admin_required"),
    ],
)
def test_a_cell_of_the_matrix_tells_why_and_leads_to_the_try(
    page: Any, system: str, words: str, who: str, code: str
) -> None:
    page.goto(f"./{system}/")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="System").click()
    page.get_by_role("searchbox", name="Endpoint").fill(words)
    page.get_by_role("button", name="Show").click()
    url = page.url
    page.get_by_role("link", name=f"{who}: 403 {code}").first.click()
    why = page.locator("#why .because")
    why.wait_for()
    assert page.url == url
    assert "Refused" in why.inner_text()
    assert code in why.inner_text()
    why.get_by_role("link", name="Try it").click()
    page.get_by_role("button", name="Send").wait_for()
    assert words.partition(" ")[2] in page.locator(".act .route").inner_text()


@pytest.mark.parametrize(
    ("system", "op", "allowed", "refused", "code"),
    [
        ("roll-model", "GET /athletes", "cleo", "ann", "role_required"),
        ("hold-that-thought", "GET /drafts", "ben", "eve", "approval_required"),
    ],
)
def test_one_person_is_let_in_and_another_refused(
    page: Any, system: str, op: str, allowed: str, refused: str, code: str
) -> None:
    page.goto(f"./{system}/system/act")
    page.get_by_label("Endpoint").select_option(label=op)
    page.locator(".act .route", has_text=op.partition(" ")[2]).wait_for()
    outcome = page.get_by_role("region", name="Outcome")
    for who, words in ((allowed, "Allowed"), (refused, code)):
        page.get_by_label("as", exact=True).select_option(who)
        page.get_by_role("button", name="Send").click()
        outcome.get_by_text(words, exact=False).first.wait_for()
    command = page.get_by_role("region", name="As a command").inner_text()
    assert f"tablewright token {refused}" in command
    assert "$TOKEN" in command


def test_an_endpoint_of_the_openapi_opens_by_its_address(page: Any) -> None:
    page.goto("./roll-model/openapi#post-entries")
    details = page.locator("#post-entries .told")
    details.wait_for()
    assert "curl -X POST" in details.inner_text()
    details.get_by_role("link", name="MetricsBody").click()
    page.locator("#schema-MetricsBody .told").wait_for()


@pytest.mark.parametrize(
    ("system", "typed", "heading"),
    [
        ("roll-model", "USER#ben", "Item collections"),
        ("hold-that-thought", "list_letters", "list_letters"),
    ],
)
def test_the_palette_goes_anywhere_by_the_keyboard(
    page: Any, system: str, typed: str, heading: str
) -> None:
    page.goto(f"./{system}/system")
    page.keyboard.press("Control+k")
    box = page.get_by_role("dialog", name="Find")
    box.get_by_role("option", name="Collections").wait_for()
    page.keyboard.press("Escape")
    box.wait_for(state="hidden")
    page.keyboard.press("Control+k")
    with page.expect_response(lambda answer: answer.url.endswith(f"?q={quote(typed)}")):
        page.keyboard.type(typed)
    box.get_by_role("option", selected=True).filter(has_text=typed).wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    chosen = box.get_by_role("option", selected=True)
    assert typed in chosen.inner_text()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=heading).wait_for()


def test_a_query_is_saved_and_found_again(page: Any, folder: Path) -> None:
    page.goto("./roll-model/saved?pattern=list_own_entries&athlete_id=ben&limit=3")
    page.get_by_label("name").fill("lately")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="lately").wait_for()
    assert (folder / ".tablewright/queries/lately.toml").is_file()
    page.keyboard.press("Control+k")
    page.keyboard.type("lately")
    page.get_by_role("option", name="lately").wait_for()
    page.keyboard.press("Enter")
    result = page.get_by_role("region", name="Result")
    result.wait_for()
    assert result.locator("tbody tr").count() == 3


@pytest.mark.parametrize("path", ["system", "openapi", "system/act", "find?q=e", "saved"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_page_is_wider_than_a_phone(page: Any, system: str, path: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"./{system}/{path}")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_every_page_works_without_scripts(browser: Any, server: LiveServer) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=f"{server.url}/studio/")
    tab = context.new_page()
    tab.goto(f"./?token={SESSIONS.new_token()}")
    tab.goto("./roll-model/system?q=export")
    tab.get_by_role("link", name="guest: 401 unauthorized").click()
    assert "A valid token is needed." in tab.locator("#why").inner_text()
    tab.goto("./roll-model/system/act")
    tab.get_by_label("Endpoint").select_option(label="GET /export")
    tab.get_by_role("button", name="Choose").click()
    tab.get_by_role("button", name="Send").click()
    assert "Refused" in tab.get_by_role("region", name="Outcome").inner_text()
    tab.goto("./roll-model/find")
    tab.get_by_role("searchbox").fill("USER#ann")
    tab.get_by_role("button", name="Find").click()
    tab.get_by_role("link", name="USER#ann").click()
    assert tab.locator(".collection").count() == 1
    context.close()
