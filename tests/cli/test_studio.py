"""``tablewright studio`` on a user's design, valid or with errors."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

DESIGN = '''
from __future__ import annotations
from datetime import date
from tablewright import Get, Index, Model, Design, Query, Range, Table, pattern, served

T = Table("Squash", "PK", "SK", indexes=[Index("byDate", "day", "SK")])


@T.entity("MATCH#{matchId}", "META", byDate=("{day}", "META"))
class Match(Model):
    """One match."""

    match_id: str
    day: date
    winner: str


class Squash(Design, tables=[T]):
    @pattern()
    def get_match(self, match_id: str) -> Get[Match]:
        """One match."""
        return served()

    @pattern(index="byDate")
    def matches_of(self, day: DAY) -> Query[Match]:
        """The matches of a day."""
        return served()
'''
COMMAND = "import typer; from tablewright.cli.studio import studio; typer.run(studio)"


@contextmanager
def studio_of(*arguments: str) -> Iterator[httpx2.Client]:
    """A browser session with the studio that the command starts."""
    command = [sys.executable, "-c", COMMAND, *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            url = re.search(r"http://\S+", line)
            assert url is not None, line
            base, _, token = url[0].partition("?")
            with httpx2.Client(base_url=base, follow_redirects=True) as client:
                assert client.get(f"?{token}").status_code == 200
                yield client
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
        assert process.returncode == 0


def view(client: httpx2.Client, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()["view"]


def test_a_user_s_design_opens_with_sample_items(tmp_path: Path) -> None:
    file = tmp_path / "squash.py"
    file.write_text(DESIGN.replace("DAY", "date"))
    with studio_of(f"{file}:T") as client:
        rows = [
            r for c in view(client, "squash/collections.json")["collections"] for r in c["rows"]
        ]
        assert {row["chip"]["name"] for row in rows} == {"Match"}
        assert len(rows) == 3
        page = view(client, "squash/patterns/matches_of.json?day=2026-01-02&run=1")
        assert page["result"]["rows"]
        assert view(client, "squash/lint.json")["errors"] == 0


def test_a_design_with_errors_is_shown_with_them_and_runs_once_it_is_fixed(
    tmp_path: Path,
) -> None:
    file = tmp_path / "squash.py"
    # A range over a partition key: DynamoDB allows equality only.
    file.write_text(DESIGN.replace("DAY", "Range[date]"))
    with studio_of(str(file)) as client:
        [finding] = [
            f for f in view(client, "squash/lint.json")["findings"] if f["severity"] == "error"
        ]
        assert finding["subject"] == "matches_of"
        assert finding["code"].startswith("TW2")
        assert any("matches_of" in line["text"] for line in finding["source"])
        drawn = client.get("squash/map").text
        assert "1 error" in drawn
    file.write_text(DESIGN.replace("DAY", "date"))
    with studio_of(str(file)) as client:
        assert view(client, "squash/lint.json")["errors"] == 0
        assert view(client, "squash/patterns/matches_of.json?day=2026-01-02&run=1")["result"][
            "rows"
        ]


@pytest.mark.parametrize("design", ["nothing.py", "no-such-system", "os.path"])
def test_an_unknown_design_exits_with_a_message(design: str) -> None:
    command = [sys.executable, "-c", COMMAND, design]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
