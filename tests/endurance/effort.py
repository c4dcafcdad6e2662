"""How much of a randomised test is run: the one place that decides it.

A test asks for the fixture ``effort`` and says its three sizes where it loops:

    for number in effort.rounds("kills", change=40, nightly=10_000, release=50_000):
        chance = effort.random(number)

With the other tests it runs at the change's size, always with the same seed. ``./dev endure`` runs
the nightly and the release size with seeds of its own; there a test ends at its number of rounds
or when its share of the time is over, whichever comes first.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

__all__ = ["Effort", "Options"]

Size = Literal["change", "nightly", "release"]
PREFIX = "TABLEWRIGHT_EFFORT"


@dataclass(frozen=True)
class Options:
    """What the environment says of a run: the same for all of its tests."""

    size: Size = "change"
    seed: int = 1
    first: int = 0  # The round to begin with, where a failure is looked at again.
    seconds: float | None = None  # For all tests of the run together.
    report: Path | None = None

    @classmethod
    def from_environment(cls) -> Options:
        def value(name: str, default: str) -> str:
            return os.environ.get(f"{PREFIX}_{name}", default)

        size = os.environ.get(PREFIX, "change")
        assert size in ("change", "nightly", "release"), f"{PREFIX} is {size}"
        seconds, report = value("SECONDS", ""), value("REPORT", "")
        return cls(
            size,  # type: ignore[arg-type]  # It was compared above.
            int(value("SEED", "1")),
            int(value("FIRST", "0")),
            float(seconds) if seconds else None,
            Path(report) if report else None,
        )

    def environment(self) -> dict[str, str]:
        """What makes another process read these options."""
        named = {
            "": self.size,
            "_SEED": str(self.seed),
            "_FIRST": str(self.first),
            "_SECONDS": "" if self.seconds is None else str(self.seconds),
            "_REPORT": str(self.report or ""),
        }
        return {PREFIX + name: value for name, value in named.items()}


@dataclass
class Effort:
    """The size of one test, and what it has done so far."""

    options: Options
    trial: str
    test: str
    seconds: float | None = None
    figures: dict[str, float] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    current: int | None = None

    def __post_init__(self) -> None:
        self.started = time.monotonic()

    @property
    def seed(self) -> int:
        return self.options.seed

    @property
    def size(self) -> Size:
        return self.options.size

    @property
    def is_over(self) -> bool:
        """Whether the time of this test has run out."""
        return self.seconds is not None and time.monotonic() - self.started > self.seconds

    def pick(self, change: int, nightly: int, release: int) -> int:
        """The number of this size."""
        return {"change": change, "nightly": nightly, "release": release}[self.size]

    def rounds(self, what: str, *, change: int, nightly: int, release: int) -> Iterator[int]:
        """The numbers of the rounds to run; what they are called is for the report."""
        count = self.pick(change, nightly, release)
        self.asked[what] = self.asked.get(what, 0) + count
        self.figures.setdefault(what, 0)
        for number in range(self.options.first, count):
            if self.is_over and number > self.options.first:
                return
            self.current = number
            yield number
            self.figures[what] += 1

    def budget(self, *, change: float, nightly: float, release: float) -> float:
        """For how many seconds to go on, where time is what is asked for."""
        wanted = {"change": change, "nightly": nightly, "release": release}[self.size]
        self.asked["seconds"] = self.asked.get("seconds", 0) + round(wanted)
        given = wanted if self.seconds is None else min(wanted, self.seconds)
        self.record(seconds=round(given, 1))
        return given

    def random(self, *names: object) -> random.Random:
        """Chance that is the same whenever this seed, this test and these names meet again."""
        return random.Random(f"{self.seed} {self.test} {names}")

    def record(self, **figures: float) -> None:
        """Add to what the report tells of this test."""
        for name, number in figures.items():
            self.figures[name] = self.figures.get(name, 0) + number

    def record_most(self, **figures: float) -> None:
        """Let the report tell the largest of these."""
        for name, number in figures.items():
            self.figures[name] = max(self.figures.get(name, number), number)

    @property
    def replay(self) -> str:
        """The one command that runs this test again as it was run."""
        name = self.test.rpartition("::")[2]
        first = f" --first {self.current}" if self.current else ""
        return (
            f"./dev endure --only {self.trial} --size {self.size} --seed {self.seed}{first}"
            f" -- -k '{name.partition('[')[0]}'"
        )

    def write(self, outcome: str) -> None:
        """Add a line to the report, if there is one."""
        if self.options.report is None:
            return
        line: dict[str, Any] = {
            "trial": self.trial,
            "test": self.test,
            "outcome": outcome,
            "seconds": round(time.monotonic() - self.started, 2),
            "asked": self.asked,
            "figures": self.figures,
        }
        with self.options.report.open("a", encoding="utf-8") as report:
            report.write(json.dumps(line) + "\n")
