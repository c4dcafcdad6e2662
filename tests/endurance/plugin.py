"""What pytest knows of trials: the fixture ``effort``, shares of time, and how to see it again.

``@pytest.mark.trial("T3", weight=2)`` says which trial of the programme a test belongs to and how
much of that trial's time it takes beside its other tests.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from .effort import Effort, Options

__all__ = ["Clock", "commit", "effort"]

ROOT = Path(__file__).parents[2]
EFFORT = pytest.StashKey[Effort]()
CLOCK = pytest.StashKey["Clock"]()


class Clock:
    """Shares the time of a run out among the tests that ask for it."""

    def __init__(self, seconds: float, weights: dict[str, float]) -> None:
        self._end = time.monotonic() + seconds
        self._weights = weights

    def share(self, test: str) -> float:
        """What this test may take of the time that is left; the rest is for those after it."""
        whole = sum(self._weights.values())
        weight = self._weights.pop(test, 1.0)
        return max(0.0, self._end - time.monotonic()) * weight / max(whole, weight)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "trial(name, weight=1): belongs to this trial of ./dev endure"
    )


def pytest_collection_finish(session: pytest.Session) -> None:
    seconds = Options.from_environment().seconds
    if seconds is not None:
        weights = {
            item.nodeid: trial_of(item)[1]
            for item in session.items
            if "effort" in getattr(item, "fixturenames", ())
        }
        session.config.stash[CLOCK] = Clock(seconds, weights)


def trial_of(item: pytest.Item) -> tuple[str, float]:
    """The trial's name, and the weight of a test in it."""
    marker = item.get_closest_marker("trial")
    assert marker is not None, f"{item.nodeid} asks for effort, but names no trial"
    return marker.args[0], float(marker.kwargs.get("weight", 1))


@pytest.fixture
def effort(request: pytest.FixtureRequest) -> Effort:
    """How much of this test to run."""
    options = Options.from_environment()
    clock = request.config.stash.get(CLOCK, None)
    seconds = None if clock is None else clock.share(request.node.nodeid)
    made = Effort(options, trial_of(request.node)[0], request.node.nodeid, seconds)
    request.node.stash[EFFORT] = made
    return made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
    report: pytest.TestReport = yield
    effort = item.stash.get(EFFORT, None)
    if effort is not None and call.when == "call":
        effort.write(report.outcome)
        if report.failed:
            options = f"SEED={effort.seed} SIZE={effort.size} COMMIT={commit()}"
            report.sections.append(("to see it again", f"{options}\n{effort.replay}"))
    return report


def commit() -> str:
    """The commit that is tested, with a + if there are changes besides."""
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return "unknown"
    return found.stdout.strip() or "unknown"
