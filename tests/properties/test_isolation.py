"""Many clients at once see one order of things: linearizable items, serializable transactions.

Threads in this process, connections over HTTP, and both together write the same items of a
database; what each was told is judged by `histories`. Engines with a planted fault are judged too,
and must be found out.
"""

from __future__ import annotations

import http.client
import json
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tablewright.engine.command_context import Tx
from tablewright.engine.commits import Command, Emit
from tablewright.engine.database import Database
from tablewright.engine.requests.api_operation import Operation
from tablewright.engine.sqlite.rows import Row, Session
from tablewright.engine.sqlite.storage import Durability, Storage
from tablewright.engine.state import State
from tablewright.errors import ServiceError
from tablewright.wire.lifecycle import ThreadedServer
from tests.endurance.effort import Effort

from .histories import (
    Append,
    ListRead,
    Read,
    Swap,
    Transaction,
    Write,
    append_faults,
    register_faults,
    transaction_faults,
)

CLIENTS = 6
TABLE = "shared"
ACCOUNTS, BALANCE = 5, 100
SEEDS_TO_FIND = range(1, 21)  # A planted fault shows only if threads meet; nearly always at once.

HEAD = {
    "Content-Type": "application/x-amz-json-1.0",
    "Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=0",
}

Json = dict[str, Any]


class Refused(Exception):
    """An answer that is an error, by either way."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Unanswered(Exception):
    """Nobody knows whether the operation happened."""


Call = Callable[[str, Json], Json]
Story = Callable[[list[Call], int], list[str]]


def caller_of_database(database: Database) -> Call:
    def call(operation: str, request: Json) -> Json:
        try:
            return database.call(operation, request)
        except ServiceError as error:
            raise Refused(error.code) from error

    return call


def caller_of_server(url: str, stack: ExitStack) -> Call:
    """A connection of its own."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    stack.enter_context(closing(connection))

    def call(operation: str, request: Json) -> Json:
        target = {"X-Amz-Target": f"DynamoDB_20120810.{operation}"}
        connection.request("POST", "/", json.dumps(request), HEAD | target)
        reply = connection.getresponse()
        body: Json = json.loads(reply.read())
        if reply.status != 200:
            raise Refused(body["__type"].rpartition("#")[2])
        return body

    return call


def rude_caller_of_server(url: str) -> Call:
    """Hangs up as soon as a write is sent."""

    def call(operation: str, request: Json) -> Json:
        with ExitStack() as stack:
            if operation == "GetItem":
                return caller_of_server(url, stack)(operation, request)
            connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
            head = HEAD | {"X-Amz-Target": f"DynamoDB_20120810.{operation}"}
            connection.request("POST", "/", json.dumps(request), head)
            connection.close()
        raise Unanswered

    return call


class Place(NamedTuple):
    """Where a story runs: one caller for each client."""

    callers: list[Call]
    name: str


WAYS = [
    *("threads, full", "threads, relaxed", "threads, memory"),
    *("http, full", "http, relaxed", "http, memory"),
    *("both, full", "both, relaxed"),
]


@pytest.fixture(params=WAYS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A database with an empty table and its clients, checked afterwards."""
    how, durability = request.param.split(", ")
    with ExitStack() as stack:
        if request.param == "http, memory":
            server: ThreadedServer = request.getfixturevalue("wire_server")
            database = server.database
        else:
            url = ":memory:" if durability == "memory" else str(tmp_path / "test.db")
            durability = "relaxed" if durability == "memory" else durability
            database = stack.enter_context(Database.open(url, durability=durability))
            server = stack.enter_context(ThreadedServer(database))
        yield Place(
            [
                caller_of_database(database)
                if how == "threads" or (how == "both" and client % 2)
                else caller_of_server(server.url, stack)
                for client in range(CLIENTS)
            ],
            request.param,
        )
        assert database.check() == []


@pytest.fixture(autouse=True)
def _threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(before)


def succeeds(call: Call, operation: str, request: Json) -> bool:
    """Whether a write was made; anything but a condition that is false is raised."""
    try:
        call(operation, request)
    except Refused as refused:
        if refused.code in ("ConditionalCheckFailedException", "TransactionCanceledException"):
            return False
        raise
    return True


# Requests.


def at(key: str) -> Json:
    return {"TableName": TABLE, "Key": {"p": {"S": key}}}


def create_table(call: Call) -> None:
    request = {
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
    }
    call("CreateTable", request)


def append(key: str, value: str) -> Json:
    return at(key) | {
        "UpdateExpression": "SET l = list_append(if_not_exists(l, :none), :new)",
        "ExpressionAttributeValues": {":none": {"L": []}, ":new": {"L": [{"S": value}]}},
    }


def read(key: str) -> Json:
    return at(key) | {"ConsistentRead": True}


def list_in(item: Json) -> tuple[str, ...]:
    return tuple(value["S"] for value in item.get("l", {"L": []})["L"])


def run_clients(
    callers: list[Call], seed: int, client: Callable[[Call, random.Random, int], list[Any]]
) -> list[Any]:
    """Run one client on each caller, all at once; returns what all of them noted."""
    with ThreadPoolExecutor(len(callers)) as threads:
        running = [
            threads.submit(client, call, random.Random(f"{seed} {number}"), number)
            for number, call in enumerate(callers)
        ]
        return [noted for one in running for noted in one.result()]


# Stories: each returns what is wrong with what its clients saw.


def append_story(callers: list[Call], seed: int, steps: int = 50) -> list[str]:
    """Clients append to a few lists and read them."""
    keys = ["a", "b"]

    def client(call: Call, chance: random.Random, number: int) -> list[Any]:
        noted: list[tuple[str, Append | ListRead]] = []
        for step in range(steps):
            key, value = chance.choice(keys), f"{number}.{step}"
            start = time.perf_counter()
            if chance.random() < 0.5:
                item = call("GetItem", read(key)).get("Item", {})
                noted.append((key, ListRead(list_in(item), start, time.perf_counter())))
            else:
                try:
                    reply = call("UpdateItem", append(key, value) | {"ReturnValues": "ALL_NEW"})
                except Unanswered:
                    noted.append((key, Append(value, start)))
                    continue
                seen = list_in(reply["Attributes"])
                noted.append((key, Append(value, start, time.perf_counter(), seen)))
        return noted

    noted = run_clients(callers, seed, client)
    start = time.perf_counter()
    for key in keys:
        item = callers[0]("GetItem", read(key)).get("Item", {})
        noted.append((key, ListRead(list_in(item), start, time.perf_counter())))
    return [
        f"SEED={seed} {key}: {fault}"
        for key in keys
        for fault in append_faults(done for place, done in noted if place == key)
    ]


def swap_story(callers: list[Call], seed: int, steps: int = 50) -> list[str]:
    """Clients write, read and conditionally write one register."""

    def client(call: Call, chance: random.Random, number: int) -> list[Any]:
        noted: list[Write | Read | Swap] = []
        for _ in range(steps):
            expected, new = str(chance.randrange(4)), str(chance.randrange(4))
            item = {"p": {"S": "r"}, "v": {"S": new}}
            put: Json = {"TableName": TABLE, "Item": item}
            condition = {
                "ConditionExpression": "v = :old",
                "ExpressionAttributeValues": {":old": {"S": expected}},
            }
            kind = chance.choice(["read", "write", "swap", "swap"])
            start = time.perf_counter()
            if kind == "read":
                result = call("GetItem", read("r")).get("Item", {}).get("v", {}).get("S")
                noted.append(Read(result, start, time.perf_counter()))
            elif kind == "write":
                call("PutItem", put)
                noted.append(Write(new, start, time.perf_counter()))
            else:
                succeeded = succeeds(call, "PutItem", put | condition)
                noted.append(Swap(expected, new, succeeded, start, time.perf_counter()))
        return noted

    return [f"SEED={seed} {fault}" for fault in register_faults(run_clients(callers, seed, client))]


def transaction_story(callers: list[Call], seed: int, steps: int = 25) -> list[str]:
    """Clients append to several lists at once, some only if what they read is still so."""
    keys = ["w", "x", "y", "z"]

    def read_all(call: Call, wanted: list[str]) -> Transaction:
        start = time.perf_counter()
        reply = call("TransactGetItems", {"TransactItems": [{"Get": at(key)} for key in wanted]})
        lists = [list_in(one.get("Item", {})) for one in reply["Responses"]]
        return Transaction(dict(zip(wanted, lists, strict=True)), {}, start, time.perf_counter())

    def client(call: Call, chance: random.Random, number: int) -> list[Any]:
        noted: list[Transaction] = []
        for step in range(steps):
            first, second = chance.sample(keys, 2)
            value = f"{number}.{step}"
            if chance.random() < 0.3:
                noted.append(read_all(call, keys))
            if chance.random() < 0.3:
                writes = [{"Update": append(key, value)} for key in (first, second)]
                appends = {first: value, second: value}
                reads: dict[str, tuple[str, ...]] = {}
            else:
                # Reads two lists, then appends to one of them if both are as they were.
                before = read_all(call, [first, second])
                noted.append(before)
                reads, appends = dict(before.reads), {second: value}
                writes = [
                    {"ConditionCheck": at(first) | still(reads[first])},
                    {"Update": merged(append(second, value), still(reads[second]))},
                ]
            start = time.perf_counter()
            if succeeds(call, "TransactWriteItems", {"TransactItems": writes}):
                noted.append(Transaction(reads, appends, start, time.perf_counter()))
        return noted

    history = run_clients(callers, seed, client)
    history.append(read_all(callers[0], keys))
    assert any(done.reads and done.appends for done in history)
    return [f"SEED={seed} {fault}" for fault in transaction_faults(history)]


def still(seen: tuple[str, ...]) -> Json:
    """The condition that a list is as it was read: lists only grow, so its size tells."""
    if not seen:
        return {"ConditionExpression": "attribute_not_exists(l)"}
    return {
        "ConditionExpression": "size(l) = :size",
        "ExpressionAttributeValues": {":size": {"N": str(len(seen))}},
    }


def merged(update: Json, condition: Json) -> Json:
    values = "ExpressionAttributeValues"
    return update | condition | {values: update[values] | condition.get(values, {})}


def bank_story(callers: list[Call], seed: int, steps: int = 25) -> list[str]:
    """Clients move money between accounts; every look at all of them sees the same sum."""
    names = [f"account{n}" for n in range(ACCOUNTS)]
    for name in names:
        item = {"p": {"S": name}, "n": {"N": str(BALANCE)}}
        callers[0]("PutItem", {"TableName": TABLE, "Item": item})

    def change(name: str, amount: int, condition: str | None = None) -> Json:
        values = {":n": {"N": str(amount)}}
        request = at(name) | {"UpdateExpression": "ADD n :n", "ExpressionAttributeValues": values}
        if condition is not None:
            request["ConditionExpression"] = condition
            values[":least"] = {"N": str(-amount)}
        return {"Update": request}

    def look(call: Call) -> list[int]:
        reply = call("TransactGetItems", {"TransactItems": [{"Get": at(name)} for name in names]})
        return [int(one["Item"]["n"]["N"]) for one in reply["Responses"]]

    def client(call: Call, chance: random.Random, number: int) -> list[Any]:
        noted = []
        for _ in range(steps):
            source, target = chance.sample(names, 2)
            amount = chance.randrange(1, 60)
            actions = [change(source, -amount, "n >= :least"), change(target, amount)]
            succeeds(call, "TransactWriteItems", {"TransactItems": actions})
            noted.append(look(call))
        return noted

    looks = [*run_clients(callers, seed, client), look(callers[0])]
    return [
        f"SEED={seed} {balances} sum to {sum(balances)}"
        for balances in looks
        if sum(balances) != ACCOUNTS * BALANCE or min(balances) < 0
    ]


def claim_story(callers: list[Call], seed: int, steps: int = 25) -> list[str]:
    """Clients claim the same names, by a put or in a transaction: each is won exactly once."""

    def client(call: Call, chance: random.Random, number: int) -> list[Any]:
        won = []
        for step in range(steps):
            put: Json = {
                "TableName": TABLE,
                "Item": {"p": {"S": f"name{step}"}, "owner": {"S": str(number)}},
                "ConditionExpression": "attribute_not_exists(p)",
            }
            if chance.random() < 0.5:
                has_won = succeeds(call, "PutItem", put)
            else:
                mine = {"Update": append(f"owner{number}", f"name{step}")}
                actions = [{"Put": put}, mine]
                has_won = succeeds(call, "TransactWriteItems", {"TransactItems": actions})
            if has_won:
                won.append((f"name{step}", str(number)))
        return won

    winners: dict[str, list[str]] = {}
    for name, owner in run_clients(callers, seed, client):
        winners.setdefault(name, []).append(owner)
    faults = []
    for step in range(steps):
        name = f"name{step}"
        stored = callers[0]("GetItem", read(name))["Item"]["owner"]["S"]
        if winners.get(name) != [stored]:
            faults.append(f"SEED={seed} {name}: won by {winners.get(name)}, stored for {stored}")
    return faults


def find_faults(story: Story, callers: list[Call], seeds: Iterable[int]) -> list[str]:
    """What is wrong in the first story that goes wrong."""
    for seed in seeds:
        create_table(callers[0])
        try:
            faults = story(callers, seed)
        finally:
            callers[0]("DeleteTable", {"TableName": TABLE})
        if faults:
            return faults
    return []


STORIES: list[Story] = [append_story, swap_story, transaction_story, bank_story, claim_story]


def seeds_of(effort: Effort) -> Iterator[int]:
    """A seed for each of so many histories of some hundred operations."""
    for number in effort.rounds("histories", change=3, nightly=500, release=2_000):
        yield effort.random(number).getrandbits(32)


@pytest.mark.trial("T3", weight=0.1)
@pytest.mark.parametrize("story", STORIES)
def test_clients_at_once_see_one_order(place: Place, story: Story, effort: Effort) -> None:
    assert find_faults(story, place.callers, seeds_of(effort)) == []


@pytest.mark.trial("T3", weight=0.1)
@pytest.mark.parametrize("durability", ["full", "relaxed"])
def test_clients_that_hang_up_harm_nobody_else(
    tmp_path: Path, durability: Durability, effort: Effort
) -> None:
    with ExitStack() as stack:
        database = Database.open(str(tmp_path / "test.db"), durability=durability)
        stack.enter_context(database)
        url = stack.enter_context(ThreadedServer(database)).url
        polite = [caller_of_server(url, stack) for _ in range(CLIENTS - 2)]
        rude = [rude_caller_of_server(url) for _ in range(2)]
        assert find_faults(append_story, polite + rude, seeds_of(effort)) == []
        assert database.check() == []


# The stories themselves are checked: engines with a planted fault must be found out.


@pytest.fixture
def threads(tmp_path: Path) -> Iterator[list[Call]]:
    """Clients of a database that may be broken: nothing is checked afterwards."""
    with Database.open(str(tmp_path / "test.db")) as database:
        yield [caller_of_database(database) for _ in range(CLIENTS)]


class DrySession:
    """Reads for a command that writes nothing, and remembers what it read."""

    def __init__(self, reader: Session, rows: dict[Any, Row | None]) -> None:
        self._reader = reader
        self._rows = rows

    def get(self, *key: Any) -> Row | None:
        self._rows[key] = self._reader.get(*key)
        return self._rows[key]

    def put(self, *_: Any) -> None:
        pass


class LateSession:
    """Writes what a command made of rows that were read some time ago."""

    def __init__(self, writer: Session, rows: dict[Any, Row | None]) -> None:
        self.put = writer.put
        self._rows = rows

    def get(self, *key: Any) -> Row | None:
        return self._rows[key]


def plant_a_read_outside_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Database._run

    def read_then_queue(self: Database, operation: Operation, command: Command, emit: Emit) -> Any:
        if operation.mode != "write":
            return run(self, operation, command, emit)
        rows: dict[Any, Row | None] = {}

        def dry(tx: Tx) -> None:
            reader = tx.session
            tx.session = DrySession(reader, rows)  # type: ignore[assignment]
            try:
                command(tx)
            finally:
                tx.session = reader

        def late(tx: Tx) -> Any:
            tx.session = LateSession(tx.session, rows)  # type: ignore[assignment]
            return command(tx)

        self.run_read(dry, emit)
        return run(self, operation, late, emit)

    monkeypatch.setattr(Database, "_run", read_then_queue)


@pytest.mark.plain
@pytest.mark.parametrize("story", STORIES)
def test_reads_outside_the_turn_are_found_out(
    threads: list[Call], monkeypatch: pytest.MonkeyPatch, story: Story
) -> None:
    plant_a_read_outside_the_turn(monkeypatch)
    assert find_faults(story, threads, SEEDS_TO_FIND) != []


@pytest.mark.plain
@pytest.mark.parametrize("story", [transaction_story, bank_story])
def test_transactions_that_read_item_by_item_are_found_out(
    threads: list[Call], monkeypatch: pytest.MonkeyPatch, story: Story
) -> None:
    get = Session.get

    def get_slowly(session: Session, *key: Any) -> Row | None:
        time.sleep(0)  # Somebody else's turn.
        return get(session, *key)

    monkeypatch.setattr(Session, "begin_snapshot", lambda _: None)
    monkeypatch.setattr(Session, "get", get_slowly)
    assert find_faults(story, threads, SEEDS_TO_FIND) != []


@pytest.mark.plain
@pytest.mark.parametrize("story", [append_story, swap_story])
def test_readers_that_keep_an_old_snapshot_are_found_out(
    threads: list[Call], monkeypatch: pytest.MonkeyPatch, story: Story
) -> None:
    take = Storage.take_reader

    def take_old(storage: Storage) -> Session:
        session = take(storage)
        if not session.connection.in_transaction:
            session.begin_snapshot()
        return session

    def keep(state: State, view: Tx) -> None:
        state.storage.return_reader(view.session)

    monkeypatch.setattr(Storage, "take_reader", take_old)
    monkeypatch.setattr(State, "close_view", keep)
    assert find_faults(story, threads, SEEDS_TO_FIND) != []


@pytest.mark.plain
def test_conditions_that_are_not_checked_are_found_out(
    threads: list[Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tablewright.expressions.conditions import Condition

    monkeypatch.setattr(Condition, "matches", lambda *_: True)
    assert find_faults(claim_story, threads, SEEDS_TO_FIND) != []
