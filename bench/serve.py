"""``./dev bench serve``: a load test of ``tablewright serve``, all five systems at once.

First the rate at which it is saturated: 64 connections, each with the next request as soon as the
last is answered. Then half of that rate, with requests at fixed times whether or not earlier ones
are answered; latency counts from the time at which a request was due, so that a stall is seen in
all the requests that it held up. Every write is on disk before it is answered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import load
import peers
from load import Shot
from systems import STAGES, Stage, server

CONNECTIONS = 64
SATURATING_SHARE = 0.2  # Of the time; the rest is measured at half of the rate that is found.
WRITES = 0.25
P99_MS_MAX = 50.0
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


@dataclass
class Figures:
    """How long requests of one kind took, in seconds."""

    seconds: list[float] = field(default_factory=list)

    def at(self, part: float) -> float:
        """A percentile, in milliseconds."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1000


Results = dict[str, Figures]


class Mix:
    """Requests of all systems in random order, a share of them writes."""

    def __init__(self, stage: Stage, host: str) -> None:
        races = [race for prepare in STAGES.values() for race in prepare(stage)]
        self._reads = [race for race in races if race.kind == "read"]
        self._writes = [race for race in races if race.kind == "write"]
        self._host = host
        self._chance = random.Random(1)
        self._numbers = count()

    def next(self) -> tuple[str, bytes]:
        """A system's name, and the bytes of a request to it."""
        is_write = self._chance.random() < WRITES
        race = self._chance.choice(self._writes if is_write else self._reads)
        return race.system, self._bytes(race.shot)

    def _bytes(self, shot: Shot) -> bytes:
        number = next(self._numbers)
        path, body = (
            load.filled(text, number % 900_000, number) for text in (shot.path, shot.body)
        )
        headers = shot.headers | {"Host": self._host, "Content-Length": str(len(body.encode()))}
        if shot.tokens:
            headers["Authorization"] = f"Bearer {shot.tokens[number % len(shot.tokens)]}"
        fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"{shot.method} {path} HTTP/1.1\r\n{fields}\r\n{body}".encode()


class Client:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def ask(self, request: bytes) -> None:
        """Send it and read the answer; raises Refused if that is an error."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = LENGTH.search(head)
        body = await self._reader.readexactly(int(length[1]) if length else 0)
        if head.split(b" ", 2)[1][:1] != b"2":
            raise load.Refused(f"{request.splitlines()[0]!r}: {body[:300]!r}")

    def close(self) -> None:
        self._writer.close()


async def clients(url: str) -> list[Client]:
    host, port = url.removeprefix("http://").split(":")
    return [Client(*await asyncio.open_connection(host, int(port))) for _ in range(CONNECTIONS)]


async def saturate(url: str, mix: Mix, seconds: float) -> tuple[float, Results]:
    """The rate of connections that are never idle."""
    results: Results = {}
    start = time.perf_counter()
    end = start + seconds

    async def work(client: Client) -> None:
        while (asked := time.perf_counter()) < end:
            system, request = mix.next()
            await client.ask(request)
            results.setdefault(system, Figures()).seconds.append(time.perf_counter() - asked)

    everybody = await clients(url)
    await asyncio.gather(*map(work, everybody))
    for client in everybody:
        client.close()
    done = sum(len(figures.seconds) for figures in results.values())
    return done / (time.perf_counter() - start), results


async def arrivals(rate: float, seconds: float) -> AsyncIterator[float]:
    """The times at which requests are due, each when it has come."""
    start = time.perf_counter()
    for number in range(int(rate * seconds)):
        due = start + number / rate
        wait = due - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        yield due


async def load_steadily(url: str, mix: Mix, rate: float, seconds: float) -> Results:
    """Requests at fixed times, each on the first connection that is free."""
    results: Results = {}
    due: asyncio.Queue[tuple[float, str, bytes] | None] = asyncio.Queue()

    async def work(client: Client) -> None:
        while (given := await due.get()) is not None:
            at, system, request = given
            await client.ask(request)
            results.setdefault(system, Figures()).seconds.append(time.perf_counter() - at)

    everybody = await clients(url)
    workers = [asyncio.create_task(work(client)) for client in everybody]
    async for at in arrivals(rate, seconds):
        due.put_nowait((at, *mix.next()))
    for _ in workers:
        due.put_nowait(None)
    await asyncio.gather(*workers)
    for client in everybody:
        client.close()
    return results


def rows(results: Results, seconds: float) -> Iterator[dict[str, Any]]:
    """Figures of each system, and of all together."""
    whole = Figures([one for figures in results.values() for one in figures.seconds])
    for name, figures in (*sorted(results.items()), ("all", whole)):
        yield {
            "system": name,
            "per_second": round(len(figures.seconds) / seconds, 1),
            "p50_ms": round(figures.at(0.5), 2),
            "p99_ms": round(figures.at(0.99), 2),
            "max_ms": round(figures.at(1.0), 2),
        }


def show(console: Console, title: str, found: list[dict[str, Any]]) -> None:
    shown = Table("system", title=title, title_justify="left")
    for name in ("requests/s", "p50 ms", "p99 ms", "max ms"):
        shown.add_column(name, justify="right")
    for row in found:
        cells = (f"{row[name]:,}" for name in ("per_second", "p50_ms", "p99_ms", "max_ms"))
        shown.add_row(row["system"], *cells)
    console.print(shown)


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench serve", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0, help="in all (300)")
    parser.add_argument("--json", type=Path, help="write the figures into this file as well")
    options = parser.parse_args()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    console.print(
        f"Python {platform.python_version()}, {os.cpu_count()} processors, "
        f"{CONNECTIONS} connections, {WRITES:.0%} writes"
    )
    saturating = options.seconds * SATURATING_SHARE
    measured = options.seconds - saturating
    with (
        tempfile.TemporaryDirectory(dir=peers.CACHE) as folder,
        peers.running(server(folder)) as url,
    ):
        mix = Mix(Stage(url), url.removeprefix("http://"))
        asyncio.run(saturate(url, mix, 2.0))  # Apps are made by the first request for them.
        rate, results = asyncio.run(saturate(url, mix, saturating))
        full = list(rows(results, saturating))
        load.settle()
        half = list(rows(asyncio.run(load_steadily(url, mix, rate / 2, measured)), measured))
    show(console, f"saturated: {rate:,.0f} requests/s", full)
    show(console, f"at half of that: {rate / 2:,.0f} requests/s", half)
    is_met = half[-1]["p99_ms"] <= P99_MS_MAX
    console.print(f"p99 ≤ {P99_MS_MAX:g} ms at half the rate: {'met' if is_met else 'MISSED'}")
    if options.json:
        options.json.write_text(json.dumps({"saturated": full, "half": half}, indent=1), "utf-8")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
