"""``./dev endure``: every trial for its share of the hours, and a table of what came of it.

First come the trials that take as long as they take, then those that need no quiet, two at a time,
then the others alone. A trial ends at the number of rounds of its size or when its share of the
time is over; what it saves goes to those after it.
Options after ``--`` go to pytest.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from .effort import Options
from .plugin import ROOT, commit
from .trials import TRIALS, Trial

PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
COLUMNS = ("trial", "what", "asked", "done", "result", "seconds", "seed")
SHARE_MIN = 5.0  # However little time is left.
LATE_SECONDS = 900.0  # How much longer than its share a trial may take before it counts as hung.
FOUND_NO_TESTS = 5  # pytest's exit code.
STOP_SECONDS = 15.0  # How long a trial may take to stop the servers that it started.


@dataclass
class Outcome:
    """What came of one trial."""

    trial: Trial
    seed: int
    result: str = "not run"
    seconds: float = 0.0
    done: dict[str, float] = field(default_factory=dict)
    output: str = ""
    size: str = "nightly"

    @property
    def cells(self) -> tuple[str, ...]:
        done = "; ".join(f"{value:,.12g} {name}" for name, value in self.done.items())
        asked = self.trial.sizes[("change", "nightly", "release").index(self.size)]
        row = (self.trial.name, self.trial.title, asked, done or "–")
        return (*row, self.result, f"{self.seconds:,.0f}", str(self.seed))


class Programme:
    """A run of some trials."""

    def __init__(self, trials: Sequence[Trial], options: Options, rest: Sequence[str]) -> None:
        self.options = options
        self.rest = rest
        self.outcomes = {
            trial.name: Outcome(trial, options.seed, size=options.size) for trial in trials
        }
        self.running: dict[str, subprocess.Popen[str]] = {}
        self.is_stopped = False
        self.console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)

    def run(self) -> None:
        """Run the trials in phases: what takes as long as it takes, two at a time, and alone."""
        seconds = self.options.seconds
        end = None if seconds is None else time.monotonic() + seconds
        trials = [outcome.trial for outcome in self.outcomes.values()]
        fixed = [trial for trial in trials if not trial.weight]
        together = [trial for trial in trials if trial.weight and not trial.is_alone]
        alone = [trial for trial in trials if trial.weight and trial.is_alone]
        phases = [[fixed], balanced(together), [alone]]
        with self.console.status("") as status:
            for number, lanes in enumerate(phases):
                until = None
                if end is not None:
                    left = max(0.0, end - time.monotonic())
                    weights = [max(map(weight_of, some)) for some in phases[number:]]
                    until = time.monotonic() + left * weights[0] / max(sum(weights), 1e-9)
                self._phase(lanes, until, lambda: status.update(self._progress(end)))

    def _phase(
        self, lanes: Sequence[Sequence[Trial]], end: float | None, tell: Callable[[], None]
    ) -> None:
        """Run lanes beside each other until all of them have ended."""
        threads = [threading.Thread(target=self._lane, args=(lane, end)) for lane in lanes]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            try:
                tell()
                time.sleep(0.5)
            except KeyboardInterrupt:
                self._stop()

    def _stop(self) -> None:
        """End what is running, and begin nothing more."""
        self.is_stopped = True
        running = list(self.running.values())
        for process in running:
            process.send_signal(signal.SIGINT)
        for process in running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(STOP_SECONDS)
            end_session(process)

    def _progress(self, end: float | None) -> str:
        left = "" if end is None else f", {max(0.0, end - time.monotonic()) / 60:,.0f} min left"
        return f"{' and '.join(self.running) or 'nothing'} running{left}"

    def _lane(self, trials: Sequence[Trial], end: float | None) -> None:
        """Run trials one after another, each for its share of the time that is left."""
        for number, trial in enumerate(trials):
            if self.is_stopped:
                return
            share = None
            if end is not None and trial.weight:
                left = max(0.0, end - time.monotonic())
                share = max(SHARE_MIN, left * trial.weight / weight_of(trials[number:]))
            self._try(trial, share)

    def _try(self, trial: Trial, share: float | None) -> None:
        limit = "" if share is None else f" for up to {share:,.0f} s"
        self.console.print(f"{trial.name:4} {trial.title}{limit}")
        outcome = self.outcomes[trial.name]
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            options = replace(self.options, seconds=share, report=Path(folder) / "report.ndjson")
            outcome.result, outcome.output = self._pytest(trial, options)
            outcome.done = done_in(options.report)
        outcome.seconds = time.monotonic() - started
        self.console.print(f"{trial.name:4} {outcome.result} after {outcome.seconds:,.0f} s")
        if outcome.result != "passed":
            self.console.print(outcome.output, markup=False)

    def _pytest(self, trial: Trial, options: Options) -> tuple[str, str]:
        """Run a trial's tests; returns the result in a word, and what pytest printed."""
        workers = "0" if trial.weight else "2"
        tests = [name for name in trial.tests if (ROOT / name).exists()]
        if not tests:
            return "missing", f"{', '.join(trial.tests)}: not there"
        command = [sys.executable, "-m", "pytest", "-q", "-n", workers, "-p", "no:cacheprovider"]
        process = subprocess.Popen(
            [*command, *tests, *self.rest],
            cwd=ROOT,
            env=os.environ | options.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.running[trial.name] = process
        try:
            output, _ = process.communicate(timeout=(options.seconds or 3600) + LATE_SECONDS)
        except subprocess.TimeoutExpired:
            end_session(process)
            output, _ = process.communicate()
            return "hung", output
        finally:
            del self.running[trial.name]
            end_session(process)
        if self.is_stopped:
            return "stopped", output
        if process.returncode == FOUND_NO_TESTS:
            return "no tests", output
        if process.returncode:
            return "FAILED", output
        return "passed", output

    # Showing.

    def show(self) -> None:
        table = Table(*COLUMNS)
        for outcome in self.outcomes.values():
            table.add_row(*outcome.cells)
        self.console.print(table)
        self.console.print(self.heading)

    @property
    def heading(self) -> str:
        hours = "no limit" if self.options.seconds is None else f"{self.options.seconds / 3600:g} h"
        day = datetime.now(UTC).date().isoformat()
        return f"{day}, commit {commit()}, size {self.options.size}, time {hours}."

    def write(self, page: Path) -> None:
        """Put the table where the page has its results."""
        lines = [
            self.heading,
            "",
            "| " + " | ".join(COLUMNS) + " |",
            "|" + "---|" * len(COLUMNS),
            *("| " + " | ".join(outcome.cells) + " |" for outcome in self.outcomes.values()),
        ]
        text = page.read_text("utf-8")
        before, rest = text.split(BEGIN)
        after = rest.split(END)[1]
        page.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}", "utf-8")

    @property
    def has_passed(self) -> bool:
        return all(outcome.result == "passed" for outcome in self.outcomes.values())


def end_session(process: subprocess.Popen[str]) -> None:
    """End whatever a trial's process has left running: servers of a test that was cut off."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def weight_of(trials: Iterable[Trial]) -> float:
    return sum(trial.weight for trial in trials)


def balanced(trials: Sequence[Trial]) -> list[list[Trial]]:
    """Two lists of about the same weight."""
    lanes: list[list[Trial]] = [[], []]
    for trial in sorted(trials, key=lambda trial: -trial.weight):
        min(lanes, key=weight_of).append(trial)
    return lanes


def done_in(report: Path | None) -> dict[str, float]:
    """The figures of a trial's tests, added up; the largest of those that are a most."""
    done: dict[str, float] = {}
    if report is None or not report.exists():
        return done
    for line in report.read_text("utf-8").splitlines():
        told: dict[str, Any] = json.loads(line)
        for name, value in told["figures"].items():
            is_most = name.startswith("most_")
            done[name] = max(done.get(name, 0), value) if is_most else done.get(name, 0) + value
    return {name.replace("_", " "): round(value, 2) for name, value in done.items()}


def argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="./dev endure", description=__doc__)
    parser.add_argument("--hours", type=float, help="for how long (as long as the size takes)")
    parser.add_argument("--size", choices=("change", "nightly", "release"), default="nightly")
    parser.add_argument("--only", help="some trials, as T1,T5")
    parser.add_argument("--seed", type=int, help="where chance begins (another each time)")
    parser.add_argument("--first", type=int, default=0, help="the round to begin with (0)")
    parser.add_argument("--write", action="store_true", help="put the table into docs")
    parser.add_argument("--list", action="store_true", help="list the trials and end")
    parser.add_argument("rest", nargs="*", help="options for pytest")
    return parser


def chosen(only: str | None) -> list[Trial]:
    """The trials of these names; raises SystemExit for one that there is not."""
    if only is None:
        return list(TRIALS)
    known = {trial.name: trial for trial in TRIALS}
    unknown = [name for name in only.split(",") if name not in known]
    if unknown:
        raise SystemExit(f"no trial is called {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in only.split(",")]


def main() -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # Either way there is a table.
    arguments = argument_parser().parse_args()
    trials = chosen(arguments.only)
    if arguments.list:
        table = Table("trial", "what", "change", "nightly", "release")
        for trial in trials:
            table.add_row(trial.name, trial.title, *trial.sizes)
        Console().print(table)
        return 0
    seed = random.SystemRandom().randrange(1, 10**6) if arguments.seed is None else arguments.seed
    seconds = None if arguments.hours is None else arguments.hours * 3600
    options = Options(arguments.size, seed, arguments.first, seconds)
    programme = Programme(trials, options, arguments.rest)
    programme.console.print(f"Seed {seed}, size {arguments.size}, commit {commit()}.")
    programme.run()
    programme.show()
    if arguments.write:
        programme.write(PAGE)
    return 0 if programme.has_passed else 1


if __name__ == "__main__":
    sys.exit(main())
