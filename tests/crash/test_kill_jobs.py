"""A job that is killed anywhere has been done or not, and has harmed nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.endurance.effort import Effort

ROOT = Path(__file__).parent.parent.parent
BROKEN_KILLS = 20


def kill(folder: Path, job: str, kills: int, seed: int, way: str = "whole") -> dict[str, Any]:
    """Kill a job some times; returns what is wrong then."""
    folder.mkdir()
    command = [sys.executable, "-m", "tests.crash.jobs", str(folder), job, str(kills), str(seed)]
    environment = os.environ | ({"TABLEWRIGHT_PURE": "1"} if way == "broken" else {})
    ended = subprocess.run(
        [*command, way],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=environment,
    )
    assert ended.returncode == 0, ended.stderr
    shutil.rmtree(folder)
    report: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return report


@pytest.mark.crash
@pytest.mark.trial("T1", weight=0.2)
@pytest.mark.parametrize(
    "job", ["checkpoint", "backup", "restore from a backup", "restore to a time", "index"]
)
def test_a_job_that_is_killed_is_done_or_not(tmp_path: Path, effort: Effort, job: str) -> None:
    kills = effort.pick(change=4, nightly=20, release=20)
    for number in effort.rounds("files", change=1, nightly=20, release=100):
        report = kill(tmp_path / str(number), job, kills, effort.random(number).getrandbits(32))
        assert report["problems"] == []
        assert report["calls"] > 5
        effort.record(kills=kills, lost=0)


# The judge itself is judged: a job that is no transaction must be found half done.
@pytest.mark.crash
@pytest.mark.parametrize("job", ["backup", "restore from a backup", "index"])
def test_a_job_that_is_no_transaction_is_found_half_done(tmp_path: Path, job: str) -> None:
    assert kill(tmp_path / "broken", job, BROKEN_KILLS, 1, "broken")["problems"] != []
