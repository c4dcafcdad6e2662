"""A server under a steady load stays as it is: memory, descriptors, log, latency, and no drift.

``tablewright serve`` with all five systems gets fifty visits a second. Once a second its memory,
descriptors and log are noted as a line of NDJSON. After a third of the time caches are warm; from
then on nothing may grow. SQLite's page caches, which are bounded (64 MB for the writer, 16 MB for
a reader) but would take an hour of writing to fill, are small here, hence full at once.
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from tests.attacks import servers
from tests.attacks.servers import ServerProcess, serve

from .effort import Effort
from .plugin import ROOT
from .talking import Connection, all_at_once
from .test_kill_servers import drift_in
from .visitors import Json, Reply, Unanswered, Visitor, visitors

VISITS_PER_SECOND = 50
PEOPLE = 4  # Of each system.
GROWTH_MAX = 0.05
DESCRIPTORS_MAX = 5  # More or fewer, as connections come and go.
LOG_BYTES_MAX = 64 * 2**20
P99_MS_MAX = 50.0
SMALL_CACHES = """
from tablewright.engine.sqlite import storage
storage.WRITER_CACHE_KIB, storage.READER_CACHE_KIB = 1024, 256
from tablewright.cli import main
main()
"""
LONG_SECONDS = 120  # What is shorter is no time to see memory grow in: caches are still filling.


@dataclass(frozen=True)
class Sample:
    """A server at one moment."""

    second: float
    rss_bytes: int
    descriptors: int
    log_bytes: int
    file_bytes: int
    p99_ms: float
    calls: int
    slow_calls: int  # That took longer than P99_MS_MAX.


class Watch:
    """What clients had to wait for, and what the server took meanwhile."""

    def __init__(self, folder: Path, server: ServerProcess) -> None:
        self._folder = folder
        self._process = Path(f"/proc/{server.process.pid}")
        self._started = time.monotonic()
        self._milliseconds: list[float] = []
        self.samples: list[Sample] = []

    def timed(self, connection: Connection) -> Any:
        def send(method: str, path: str, body: Json | None, headers: Json) -> Reply:
            started = time.perf_counter()
            try:
                return connection.send(method, path, body, headers)
            finally:
                self._milliseconds.append((time.perf_counter() - started) * 1000)

        return send

    def sample(self) -> None:
        status = (self._process / "status").read_text("ascii")
        [rss] = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")]
        waited, self._milliseconds = self._milliseconds, []
        self.samples.append(
            Sample(
                round(time.monotonic() - self._started, 1),
                int(rss) * 1024,
                len(list((self._process / "fd").iterdir())),
                size_of(self._folder / "tablewright.db-wal"),
                size_of(self._folder / "tablewright.db"),
                percentile(waited, 0.99),
                len(waited),
                sum(1 for milliseconds in waited if milliseconds > P99_MS_MAX),
            )
        )

    def write(self, file: Path) -> None:
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(json.dumps(asdict(one)) + "\n" for one in self.samples), "utf-8")


def size_of(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def percentile(values: Sequence[float], part: float) -> float:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * part))], 2) if ordered else 0.0


def visit_steadily(visitor: Visitor, seconds: float, every: float, first: float) -> None:
    """Visit at fixed times, whether or not the last visit took longer."""
    start = time.monotonic()
    at = first
    while at < seconds:
        time.sleep(max(0.0, start + at - time.monotonic()))
        with contextlib.suppress(Unanswered):
            visitor.visit()
        at += every


def soak(folder: Path, effort: Effort, seconds: float) -> tuple[Watch, list[str]]:
    """Use a server for so long; returns what was seen, and what was lost or drifted."""
    with serve(folder) as server:
        watch = Watch(folder, server)
        connections: list[Connection] = []

        def connect() -> Any:
            connections.append(Connection(server.url))
            return watch.timed(connections[-1])

        people = visitors(connect, effort.random(), PEOPLE)
        every = len(people) / VISITS_PER_SECOND
        threads = all_at_once(
            [
                lambda visitor=visitor, first=n / VISITS_PER_SECOND: visit_steadily(  # type: ignore[misc]
                    visitor, seconds, every, first
                )
                for n, visitor in enumerate(people)
            ]
        )
        while any(thread.is_alive() for thread in threads):
            threading.Event().wait(1.0)
            watch.sample()
        lost = [fault for visitor in people for fault in (*visitor.faults(), *visitor.broken)]
        for connection in connections:
            connection.close()
        calls = sum(sum(visitor.statuses.values()) for visitor in people)
        effort.record(calls=calls, acknowledged=sum(one.acknowledged for one in people))
        server.stop()
    return watch, lost + drift_in(folder / "tablewright.db")


def faults_of(samples: Sequence[Sample]) -> Iterator[str]:
    """What grew, or took too long, after a third of the time."""
    warm = samples[len(samples) // 3 :]
    tenth = max(1, len(warm) // 10)
    first, last = warm[:tenth], warm[-tenth:]
    before, after = mean(one.rss_bytes for one in first), mean(one.rss_bytes for one in last)
    is_long = warm[-1].second >= LONG_SECONDS
    if after > before * (1 + GROWTH_MAX) and is_long:
        yield f"memory grew from {before / 2**20:.1f} to {after / 2**20:.1f} MB"
    low, high = (max(one.descriptors for one in some) for some in (first, last))
    if abs(high - low) > DESCRIPTORS_MAX:
        yield f"descriptors went from {low} to {high}"
    if max(one.log_bytes for one in samples) > LOG_BYTES_MAX:
        yield f"the log was {max(one.log_bytes for one in samples):,} bytes"
    # Then the 99th percentile of all calls is beyond it. A short run has other tests beside it.
    if slow_share(warm) > 0.01 and is_long:
        yield f"{slow_share(warm):.1%} of the calls took more than {P99_MS_MAX:g} ms"


def slow_share(samples: Sequence[Sample]) -> float:
    """The share of calls that took longer than nearly all may take."""
    return sum(one.slow_calls for one in samples) / max(1, sum(one.calls for one in samples))


@pytest.mark.trial("T16")
def test_a_server_under_a_steady_load_stays_as_it_is(
    tmp_path: Path, effort: Effort, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "START", [sys.executable, "-c", SMALL_CACHES])
    seconds = effort.budget(change=5, nightly=3600, release=24 * 3600)
    watch, lost = soak(tmp_path, effort, seconds)
    if effort.size != "change":
        watch.write(ROOT / ".cache" / "soak.ndjson")
    assert lost == []
    samples = watch.samples
    warm = samples[len(samples) // 3 :]
    effort.record(
        rss_MB_warm=round(warm[0].rss_bytes / 2**20, 1),
        rss_MB_end=round(warm[-1].rss_bytes / 2**20, 1),
        descriptors=warm[-1].descriptors,
        most_log_MB=round(max(one.log_bytes for one in samples) / 2**20, 1),
        percent_over_50_ms=round(100 * slow_share(warm), 2),
        drifted=0,
    )
    assert list(faults_of(samples)) == []


# The judge itself is judged.


def steady(**changes: float) -> list[Sample]:
    """A long time in which one thing grows by so much a second."""
    flat = {"rss_bytes": 100e6, "descriptors": 30.0, "log_bytes": 1e6, "slow_calls": 0.0}
    return [
        Sample(
            second=second,
            file_bytes=0,
            p99_ms=9.0,
            calls=50,
            **{name: value + second * changes.get(name, 0) for name, value in flat.items()},  # type: ignore[arg-type]
        )
        for second in range(600)
    ]


def test_a_server_that_grows_or_slows_down_is_found_out() -> None:
    assert list(faults_of(steady())) == []
    for name, growth in (
        ("rss_bytes", 20_000.0),
        ("descriptors", 0.05),
        ("log_bytes", 200_000.0),
        ("slow_calls", 0.01),
    ):
        assert len(list(faults_of(steady(**{name: growth})))) == 1, name
