"""No acknowledged write is lost when the process is killed, no transaction is ever half there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.endurance.effort import Effort

VICTIM = "tests.crash.victim"
ROOT = Path(__file__).parent.parent.parent
KILLS_PER_FILE = 20


def kill(folder: Path, cycles: int, seed: int, acknowledgement: str) -> dict[str, Any]:
    """Kill writers of one file; returns what is known of it then."""
    folder.mkdir()
    command = [sys.executable, "-m", VICTIM, str(folder), str(cycles), str(seed), acknowledgement]
    ended = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert ended.returncode == 0, ended.stderr
    report: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return report


@pytest.mark.crash
@pytest.mark.trial("T1", weight=2)
def test_nothing_acknowledged_is_lost_when_writers_are_killed(
    tmp_path: Path, effort: Effort
) -> None:
    for number in effort.rounds("files", change=1, nightly=400, release=2_000):
        seed = effort.random(number).getrandbits(32)
        report = kill(tmp_path / str(number), KILLS_PER_FILE, seed, "late")
        assert report["problems"] == []
        assert report["acknowledged"] > KILLS_PER_FILE
        assert report["slowest_open"] < 1.0
        shutil.rmtree(tmp_path / str(number))
        effort.record(kills=KILLS_PER_FILE, acknowledged=report["acknowledged"], lost=0)


# The checker itself is checked: a writer that acknowledges before its commit must be caught.
@pytest.mark.crash
def test_a_writer_that_acknowledges_too_early_is_caught(tmp_path: Path) -> None:
    report = kill(tmp_path / "early", 60, 2, "early")
    assert any("lost" in problem for problem in report["problems"])
