"""A server that is killed while clients write has lost nothing that it acknowledged to them."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablewright.care.fsck import drift
from tablewright.engine.database import Database
from tests.attacks.servers import dynamodb, serve
from tests.crash.victim import create, look, transaction
from tests.systems.designs import TABLES

from .effort import Effort
from .talking import Connection, all_at_once, connect, visit_until
from .visitors import Unanswered, Visitor, visitors

CLIENTS = 4


# The wire endpoint.


class Writer:
    """A client that writes transactions and notes which were acknowledged."""

    def __init__(self, number: int, *, is_early: bool) -> None:
        self.name = f"t{number}"
        self.acknowledged: list[tuple[str, str]] = []
        self._is_early = is_early
        self._written = 0

    def write(self, connection: Connection) -> None:
        """Write until the server is gone."""
        while True:
            self._written += 1
            number = f"0.{self.name}.{self._written}"
            if self._is_early:
                self.acknowledged.append((self.name, number))
            try:
                connection.call("TransactWriteItems", transaction(self.name, number))
            except Unanswered:
                return
            if not self._is_early:
                self.acknowledged.append((self.name, number))


def kill_wire_server(folder: Path, writers: list[Writer], seconds: float) -> list[str]:
    """Kill the server of a folder while clients write; returns what is wrong with its file then."""
    with dynamodb(folder) as server:
        connections = connect(server.url, len(writers))
        threads = all_at_once(
            [
                lambda writer=writer, connection=connection: writer.write(connection)  # type: ignore[misc]
                for writer, connection in zip(writers, connections, strict=True)
            ]
        )
        time.sleep(seconds)  # It is killed at some moment; this is it.
        server.stop(signal.SIGKILL)
        for thread in threads:
            thread.join(30)
        for connection in connections:
            connection.close()
    acknowledged = [written for writer in writers for written in writer.acknowledged]
    return look(str(folder / "wire.db"), acknowledged)[1]


def make_wire_file(folder: Path) -> None:
    folder.mkdir()
    with Database.open(str(folder / "wire.db")) as database:
        create(database)


@pytest.mark.crash
@pytest.mark.trial("T1")
def test_a_wire_server_that_is_killed_loses_nothing_acknowledged(
    tmp_path: Path, effort: Effort
) -> None:
    place = tmp_path
    writers: list[Writer] = []
    for number in effort.rounds("kills", change=3, nightly=1_000, release=5_000):
        if number % 20 == 0 or not writers:
            place = tmp_path / str(number)
            make_wire_file(place)
            writers = [Writer(n, is_early=False) for n in range(CLIENTS)]
        before = sum(len(writer.acknowledged) for writer in writers)
        assert kill_wire_server(place, writers, effort.random(number).uniform(0.0, 0.5)) == []
        after = sum(len(writer.acknowledged) for writer in writers)
        effort.record(acknowledged=after - before, lost=0)


# The checker itself is checked: what was never acknowledged by the server is found missing.
@pytest.mark.crash
def test_a_client_that_counts_on_too_much_is_found_out(tmp_path: Path) -> None:
    make_wire_file(tmp_path / "early")
    writers = [Writer(n, is_early=True) for n in range(CLIENTS)]
    problems = kill_wire_server(tmp_path / "early", writers, 0.3)
    assert any("lost" in problem for problem in problems)


# The systems.


def kill_systems_server(
    folder: Path, people: Callable[[str], list[Visitor]], seconds: float
) -> list[str]:
    """Kill the server of a folder while people use it; returns what is wrong with its file then."""
    with serve(folder) as server:
        found = people(server.url)
        wrong = [fault for visitor in found for fault in visitor.faults()]
        is_over = threading.Event()
        threads = all_at_once(
            [lambda visitor=visitor: visit_until(visitor, is_over.is_set) for visitor in found]  # type: ignore[misc]
        )
        time.sleep(seconds)  # It is killed at some moment; this is it.
        server.stop(signal.SIGKILL)
        is_over.set()
        for thread in threads:
            thread.join(30)
    wrong += [broken for visitor in found for broken in visitor.broken]
    return wrong + drift_in(folder / "tablewright.db")


def drift_in(file: Path) -> list[str]:
    """What the self-check finds in a file, and what has drifted."""
    with Database.open(str(file)) as database:
        return database.check() + drift(database, TABLES)


class People:
    """Visitors that outlive the servers they use."""

    def __init__(self, effort: Effort, number: int) -> None:
        self.connections: list[Connection] = []
        self._chance = effort.random("people", number)
        self._visitors: list[Visitor] = []

    def of(self, url: str) -> list[Visitor]:
        """All of them, with connections to a server that was started anew."""
        if not self._visitors:

            def connection() -> Any:
                self.connections.append(Connection(url))
                return self.connections[-1].send

            self._visitors = visitors(connection, self._chance, each=1)
        for one in self.connections:
            one.url = url
        return self._visitors

    @property
    def acknowledged(self) -> int:
        return sum(visitor.acknowledged for visitor in self._visitors)

    def leave(self) -> None:
        for connection in self.connections:
            connection.close()


def lost(people: People, url: str) -> list[str]:
    """What people miss of what they were told."""
    return [fault for visitor in people.of(url) for fault in visitor.faults()]


@pytest.mark.crash
@pytest.mark.trial("T1")
def test_a_server_of_the_systems_that_is_killed_loses_nothing_acknowledged(
    tmp_path: Path, effort: Effort
) -> None:
    place, people = tmp_path, People(effort, 0)
    for number in effort.rounds("kills", change=3, nightly=1_000, release=5_000):
        if number % 20 == 0:
            people.leave()
            people = People(effort, number)
            place = tmp_path / str(number)
            place.mkdir()
        seconds = effort.random(number).uniform(0.1, 1.2)
        before = people.acknowledged
        assert kill_systems_server(place, people.of, seconds) == []
        effort.record(acknowledged=people.acknowledged - before, lost=0)
    with serve(place) as server:
        assert lost(people, server.url) == []
    people.leave()


# The checker itself is checked: a mirror that is gone is drift, and a row that is gone is missed by
# whoever wrote it.
@pytest.mark.trial("T1", weight=0.1)
def test_rows_that_are_gone_after_a_kill_are_missed(tmp_path: Path, effort: Effort) -> None:
    people = People(effort, 0)
    with serve(tmp_path) as server:
        for visitor in people.of(server.url):
            while len(visitor.rows) < 3:
                visitor.visit()
        assert lost(people, server.url) == []
    file = tmp_path / "tablewright.db"
    delete_items(file, every=2)
    assert drift_in(file) != []
    delete_items(file, every=1)
    with serve(tmp_path) as server:
        assert len(lost(people, server.url)) >= len(TABLES)
    people.leave()


def delete_items(file: Path, every: int) -> None:
    """Delete every so many of a file's items."""
    with Database.open(str(file)) as database:
        for table in TABLES:
            names = [part.name for part in table.primary.attributes]
            for item in database.call("Scan", {"TableName": table.name})["Items"][::every]:
                key = {name: item[name] for name in names}
                database.call("DeleteItem", {"TableName": table.name, "Key": key})
