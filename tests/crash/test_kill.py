"""No acknowledged write is lost when the process is killed, no transaction is ever half there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

VICTIM = "tests.crash.victim"
ROOT = Path(__file__).parent.parent.parent
CYCLES = int(os.environ.get("TABLEWRIGHT_KILL_CYCLES", "200"))


def kill(folder: Path, cycles: int, seed: int, acknowledgement: str) -> dict[str, Any]:
    command = [sys.executable, "-m", VICTIM, str(folder), str(cycles), str(seed), acknowledgement]
    print("replay:", " ".join(command))  # noqa: T201  # Shown when the test fails.
    ended = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert ended.returncode == 0, ended.stderr
    report: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return report


@pytest.mark.crash
def test_nothing_acknowledged_is_lost_when_writers_are_killed(tmp_path: Path) -> None:
    report = kill(tmp_path, CYCLES, 1, "late")
    assert report["problems"] == []
    assert report["cycles"] == CYCLES
    assert report["acked"] > CYCLES
    assert report["slowest_open"] < 1.0


# The checker itself is checked: a writer that acknowledges before its commit must be caught.
@pytest.mark.crash
def test_a_writer_that_acknowledges_too_early_is_caught(tmp_path: Path) -> None:
    report = kill(tmp_path, 60, 2, "early")
    assert any("lost" in problem for problem in report["problems"])
