"""Break it on purpose: a design with a mistake, its finding, the fix, and then the pattern runs."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.studio.lint.test_lint_fix import DESIGN, MENDED

CHROMIUM = shutil.which("chromium")
COMMAND = "import typer; from tablewright.cli.studio import studio; typer.run(studio)"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")


@contextmanager
def studio_of(design: str) -> Iterator[str]:
    """The link that the command prints."""
    command = [sys.executable, "-c", COMMAND, design]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            url = re.search(r"http://\S+", line)
            assert url is not None, line
            yield url[0]
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
        assert process.returncode == 0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "league.py"
    path.write_text(DESIGN, "utf-8")
    return path


@pytest.fixture
def page(file: Path) -> Iterator[Any]:
    """A tab that opened the studio of the design; a word on the console fails the test."""
    from playwright.sync_api import sync_playwright

    messages: list[str] = []
    with studio_of(f"{file}:T") as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        tab.on("pageerror", lambda error: messages.append(str(error)))
        tab.on("console", lambda message: messages.append(message.text))
        tab.goto(url)
        yield tab
        browser.close()
    assert messages == []


def rail(page: Any, name: str) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()


def test_a_range_over_a_partition_key_is_found_fixed_and_run(page: Any, file: Path) -> None:
    rail(page, "Lint")
    finding = page.locator(".finding.error")
    assert "range over a partition key" in finding.inner_text()
    assert "GSI1PK BETWEEN … fails with ValidationException" in finding.inner_text()
    assert "def matches_between" in finding.inner_text()
    finding.get_by_role("link", name="Show fix").click()
    patch = page.locator(".patch")
    assert 'byDay=("CLUB#{club}#DAY#{day}"' in patch.locator(".drop").inner_text()
    assert 'byDay=("CLUB#{club}", "DAY#{day}#' in patch.locator(".add").inner_text()
    assert file.read_text("utf-8") == DESIGN
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("heading", name="No findings").wait_for()
    assert file.read_text("utf-8") == MENDED
    page.get_by_role("button", name="Recreate the samples").click()
    page.get_by_text("The samples were recreated.").wait_for()
    rail(page, "Collections")
    page.get_by_role("link", name="byDay GSI1PK").click()
    club = page.locator(".pk").first.inner_text().removeprefix("CLUB#")
    rail(page, "Design")
    page.get_by_role("link", name="matches_between").click()
    page.get_by_label("club").fill(club)
    page.get_by_label("day from").fill("2026-01-01")
    page.get_by_label("day to").fill("2026-12-31")
    page.get_by_role("button", name="Run").click()
    result = page.get_by_role("region", name="Result")
    assert result.locator("tbody tr").count() >= 1
    assert "Match" in result.inner_text()
    assert "BETWEEN" in page.get_by_role("region", name="Request").inner_text()


def test_a_file_that_is_edited_beside_the_studio_is_loaded_again(page: Any, file: Path) -> None:
    file.write_text(DESIGN.replace("served()\n", "served(\n", 1), "utf-8")
    rail(page, "Lint")
    page.get_by_role("button", name="Reload").first.click()
    page.get_by_role("heading", name="The design cannot be loaded").wait_for()
    assert "'(' was never closed" in page.locator("main").inner_text()
    assert page.locator(".caret").count() == 1
    file.write_text(MENDED, "utf-8")
    page.locator("main").get_by_role("button", name="Reload").click()
    page.get_by_role("heading", name="No findings").wait_for()
