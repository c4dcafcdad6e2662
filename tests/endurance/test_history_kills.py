"""Clients in processes of their own see one order of things, though the server is killed.

What each client did and was told is judged by `histories`: single items must be linearizable,
transactions strictly serializable. The server is killed and started again meanwhile, without chaos
and with it.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tests.attacks.servers import dynamodb
from tests.properties.histories import (
    NEVER,
    Append,
    ListRead,
    Transaction,
    append_faults,
    transaction_faults,
)
from tests.properties.test_isolation import caller_of_database, create_table

from .effort import Effort
from .plugin import ROOT

CLIENTS = 4
Json = dict[str, Any]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def start_client(folder: Path, url: str, number: int, seed: str, steps: int, care: str) -> Any:
    """A client that writes its history into a file."""
    command = [sys.executable, "-m", "tests.endurance.historian", url, str(number), seed]
    with (folder / f"history{number}.ndjson").open("w") as history:
        return subprocess.Popen([*command, str(steps), care], cwd=ROOT, stdout=history)


def record_history(
    folder: Path,
    chance: random.Random,
    steps: int,
    *options: str,
    kills: bool = True,
    care: str = "careful",
) -> tuple[list[Json], int]:
    """What clients did and were told, while their server was killed so many times."""
    with Database.open(str(folder / "wire.db")) as database:
        create_table(caller_of_database(database))
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    clients: list[Any] = []
    killed = 0
    try:
        while not clients or any(client.poll() is None for client in clients):
            with dynamodb(folder, "--port", str(port), *options) as server:
                if not clients:
                    clients = [
                        start_client(folder, url, n, str(chance.random()), steps, care)
                        for n in range(CLIENTS)
                    ]
                end = time.monotonic() + (chance.uniform(0.2, 1.5) if kills else 120)
                while time.monotonic() < end and any(one.poll() is None for one in clients):
                    time.sleep(0.01)
                if kills and any(client.poll() is None for client in clients):
                    server.stop(signal.SIGKILL)
                    killed += 1
        assert [client.returncode for client in clients] == [0] * CLIENTS
    finally:
        for client in clients:
            client.kill()
            client.wait(30)
    files = [folder / f"history{n}.ndjson" for n in range(CLIENTS)]
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
    return [json.loads(line) for line in lines], killed


def judge(history: Iterable[Json]) -> list[str]:
    """What is wrong with a history: no order explains it."""
    lists: dict[str, list[Append | ListRead]] = {}
    blocks: dict[str, list[Transaction]] = {}
    for done in history:
        start, end = done["start"], NEVER if done["end"] is None else done["end"]
        if done["kind"] == "transaction":
            reads = {key: tuple(seen) for key, seen in done["reads"].items()}
            block = next(iter({**reads, **done["appends"]})).partition(".")[0]
            found = Transaction(reads, done["appends"], start, end)
            blocks.setdefault(block, []).append(found)
        elif done["kind"] == "append":
            seen = None if done["seen"] is None else tuple(done["seen"])
            lists.setdefault(done["key"], []).append(Append(done["value"], start, end, seen))
        else:
            lists.setdefault(done["key"], []).append(ListRead(tuple(done["seen"]), start, end))
    faults = [f"{key}: {fault}" for key, done in lists.items() for fault in append_faults(done)]
    # Lists of different blocks have no transaction in common.
    return faults + [
        f"block {block}: {fault}"
        for block, done in blocks.items()
        for fault in transaction_faults(done)
    ]


@pytest.mark.crash
@pytest.mark.trial("T3", weight=2)
@pytest.mark.parametrize("chaos", [False, True], ids=["calm", "chaos"])
def test_clients_see_one_order_though_the_server_is_killed(
    tmp_path: Path, effort: Effort, chaos: bool
) -> None:
    steps = effort.pick(change=150, nightly=2_000, release=5_000)
    for number in effort.rounds("histories", change=1, nightly=250, release=1_000):
        place = tmp_path / str(number)
        place.mkdir()
        options = ("--chaos", "aws", "--chaos-seed", str(effort.seed)) if chaos else ()
        history, killed = record_history(place, effort.random(number), steps, *options)
        assert judge(history) == []
        assert len(history) > steps
        effort.record(operations=len(history), kills=killed)
        shutil.rmtree(place)


# The checker itself is checked: who repeats a transaction without its token does it twice.
@pytest.mark.crash
def test_transactions_that_are_repeated_without_a_token_are_found_out(tmp_path: Path) -> None:
    history, _ = record_history(
        tmp_path, random.Random(1), 100, "--chaos", "evil", kills=False, care="careless"
    )
    assert judge(history) != []
