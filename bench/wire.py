"""``./dev bench wire``: what a request costs the endpoint, plain and compiled, without sockets.

Requests are given to connections as the event loop would give them, sixteen at a time, and answers
are thrown away; the store is in memory. Two processes, one with ``TABLEWRIGHT_PURE``, take turns.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import subprocess
import sys
import time
from typing import Any

from rich.console import Console
from rich.table import Table

import engine
import load
from tablewright import Database
from tablewright.wire.connection import Connection
from tablewright.wire.lifecycle import run
from tablewright.wire.server import Server

CONNECTIONS = 16
REQUESTS = 960
ROUNDS = 12  # Of one process; the quickest counts.
TURNS = 5
LOOP_TURNS = 5  # After so many all are answered: a write is gathered, run, committed and told.


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench wire", description=__doc__)
    parser.add_argument("--here", action="store_true", help="measure this process; prints JSON")
    if parser.parse_args().here:
        print(json.dumps(run(measure())))  # For the process that asked.
        return
    plain: dict[str, float] = {}
    compiled: dict[str, float] = {}
    for _ in range(TURNS):
        for best, environment in (plain, {"TABLEWRIGHT_PURE": "1"}), (compiled, {}):
            for race, cost in measured_elsewhere(environment).items():
                best[race] = min(cost, best.get(race, cost))
    shown = Table("µs of a request, without sockets", "plain Python", "compiled", "less")
    for race, cost in plain.items():
        less = 1 - compiled[race] / cost
        shown.add_row(race, f"{cost:.1f}", f"{compiled[race]:.1f}", f"{less:.0%}")
    Console(highlight=False).print(shown)


def measured_elsewhere(environment: dict[str, str]) -> dict[str, float]:
    told = subprocess.run(
        [sys.executable, __file__, "--here"],
        check=True,
        capture_output=True,
        env=os.environ | environment,
    )
    costs: dict[str, float] = json.loads(told.stdout)
    return costs


class Sink:
    """A transport that throws away what is written."""

    def __init__(self) -> None:
        self.answers: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.answers.append(data)

    def is_closing(self) -> bool:
        return False


async def measure() -> dict[str, float]:
    """What each race costs in µs a request."""
    with Database.open() as database:
        database.call("CreateTable", engine.TABLE)
        for entry in engine.stage():
            database.call("PutItem", {"TableName": "Bench", "Item": entry})
        server = Server(database)
        await server.start()
        sinks = [Sink() for _ in range(CONNECTIONS)]
        lines = [Connection(server.service) for _ in sinks]
        for line, sink in zip(lines, sinks, strict=True):
            line.connection_made(sink)  # type: ignore[arg-type]  # What a connection needs of one.
        gc.collect()
        gc.freeze()
        costs = {}
        for race, operation, request, _ in engine.RACES:
            shot = load.dynamodb(operation, json.dumps(request, separators=(",", ":")))
            costs[race] = min(
                [await cost_of(lines, sinks, requests(shot, done)) for done in range(ROUNDS)]
            )
        for line in lines:
            line.connection_lost(None)
        await server.stop()
        return costs


def requests(shot: load.Shot, done: int) -> list[bytes]:
    """The requests of a round, after so many others."""
    return [as_bytes(shot, number, done * REQUESTS + number) for number in range(REQUESTS)]


def as_bytes(shot: load.Shot, n: int, m: int) -> bytes:
    body = load.filled(shot.body, n, m).encode()
    fields = shot.headers | {"Host": "127.0.0.1:8000", "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{shot.method} {shot.path} HTTP/1.1\r\n{head}\r\n".encode() + body


async def cost_of(lines: list[Connection], sinks: list[Sink], sent: list[Any]) -> float:
    started = time.perf_counter()
    for start in range(0, len(sent), CONNECTIONS):
        for line, request in zip(lines, sent[start : start + CONNECTIONS], strict=True):
            line.data_received(request)
        for _ in range(LOOP_TURNS):
            await asyncio.sleep(0)
    spent = time.perf_counter() - started
    answers = [answer for sink in sinks for answer in sink.answers]
    assert len(answers) == len(sent)
    assert all(answer.startswith(b"HTTP/1.1 200") for answer in answers)
    for sink in sinks:
        sink.answers.clear()
    return spent / len(sent) * 1e6


if __name__ == "__main__":
    main()
