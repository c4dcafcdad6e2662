"""Fuzzing: expressions, statements, DynamoDB's JSON, the wire. Nothing may break, hang or grow.

Each runs for a moment with the tests; ``./dev endure --only T10 --hours 1`` for an hour together.
"""

from __future__ import annotations

import asyncio
import json
import resource
import time
from collections.abc import Callable

import orjson
import pytest

from tablewright.engine.database import Database
from tablewright.engine.operations import NAMES, find_operation
from tablewright.errors import ServiceError, ValidationError
from tablewright.expressions import parser
from tablewright.expressions.binding import Placeholders
from tablewright.partiql.statements import parse_statement
from tablewright.values.attributes import Item
from tablewright.wire.server import Server
from tests.endurance.effort import Effort, Options
from tests.engine.sample_tables import make_table

from .mutating import Mutator

ROUNDS_MIN = 100  # However slow the machine is.
SLOWEST_SECONDS = 2.0
GROWTH_KIB_MAX = 256 * 1024

EXPRESSIONS = [
    "a = :v AND (b > :w OR NOT contains(c.d[0], :v))",
    "attribute_exists(#n) AND size(a) BETWEEN :v AND :w",
    "a IN (:v, :w) OR begins_with(b, :v)",
    "SET a = if_not_exists(b, :v) + :w, c[1] = list_append(d, :v) REMOVE e.f ADD g :w DELETE h :v",
    "SET a = :v",
    "a, b.c, d[0].e",
    "pk = :v AND sk BETWEEN :v AND :w",
]
STATEMENTS = [
    "SELECT * FROM \"things\".\"by_g\" WHERE pk = 'a' AND sk BETWEEN '1' AND '2' ORDER BY sk DESC",
    "SELECT a, b.c[0] FROM things WHERE pk IN ['a', 'b'] AND NOT (n > 1.5 OR contains(s, 'x'))",
    "INSERT INTO things VALUE {'pk': 'a', 'sk': ?, 'l': [1, {'m': <<'x', 'y'>>}], 'z': null}",
    "UPDATE things SET n = n + 1, s = set_add(s, <<1>>) REMOVE l[0] WHERE pk = 'a' AND sk = '1'",
    "DELETE FROM things WHERE pk = 'a' AND sk = '1' RETURNING ALL OLD *",
    "EXISTS(SELECT * FROM things WHERE pk = 'a' AND sk = '1' AND g IS NOT MISSING)",
]
ITEM = {"pk": {"S": "a"}, "sk": {"S": "1"}, "n": {"N": "1.5"}, "m": {"M": {"l": {"L": []}}}}
REQUESTS = [
    json.dumps({"TableName": "things", "Item": {**ITEM, "s": {"SS": ["x"]}, "b": {"B": "YQ=="}}}),
    json.dumps({"TableName": "things", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}}),
    json.dumps({"TableName": "things", "KeyConditionExpression": "pk = :v", "Limit": 1}),
    json.dumps({"RequestItems": {"things": {"Keys": [{"pk": {"S": "a"}, "sk": {"S": "1"}}]}}}),
    json.dumps({"TransactItems": [{"Put": {"TableName": "things", "Item": ITEM}}]}),
    json.dumps({"TableName": "things", "Expected": {"n": {"ComparisonOperator": "NULL"}}}),
    json.dumps({"Statement": STATEMENTS[2], "Parameters": [{"S": "x"}]}),
    json.dumps({"TableName": "other", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}),
]
HEAD = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\n"
WIRE = [
    f"{HEAD}X-Amz-Target: DynamoDB_20120810.{name}\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    for name, body in (("PutItem", REQUESTS[0]), ("GetItem", REQUESTS[1]), ("ListTables", "{}"))
]
WIRE += [
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    f"{HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n",
]


def seconds_of(effort: Effort) -> float:
    return effort.budget(change=1.5, nightly=1800, release=8 * 3600)


def fuzz(effort: Effort, once: Callable[[], None]) -> None:
    """Call it until the time is over, and often; it must never take long, nor the process grow."""
    end = time.monotonic() + seconds_of(effort)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    count = 0
    while (started := time.monotonic()) < end or count < ROUNDS_MIN:
        once()
        assert time.monotonic() - started < SLOWEST_SECONDS
        count += 1
    effort.record(inputs=count)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < GROWTH_KIB_MAX


def require_refusal(error: ServiceError, asked: object) -> None:
    """A request may be refused, but must not fail."""
    assert error.code != "InternalServerError", asked


@pytest.mark.trial("T10")
def test_no_expression_breaks_the_parser(effort: Effort) -> None:
    fuzz_expressions(effort)


def fuzz_expressions(effort: Effort) -> None:
    mutator = Mutator(effort.seed, EXPRESSIONS)
    values = {":v": {"S": "x"}, ":w": {"N": "1"}}
    item: Item = {"a": {"S": "x"}, "c": {"M": {"d": {"L": []}}}, "n": {"N": "1"}}

    def once() -> None:
        text = mutator.text()
        bound = Placeholders({"#n": "n"}, values)
        for read in (
            lambda: bound.condition(text).matches(item),
            lambda: bound.update(text).apply(item),
            lambda: bound.projection(text).apply(item),
            lambda: bound.key_condition(text),
        ):
            try:
                read()
            except ValidationError:
                continue

    fuzz(effort, once)


@pytest.mark.trial("T10")
def test_no_statement_breaks_the_parser(effort: Effort) -> None:
    mutator = Mutator(effort.seed, STATEMENTS)
    with Database.open() as database:
        make_table(database)

        def once() -> None:
            text = mutator.text()
            parameters = [{"S": "x"}] * text.count("?")
            try:
                parse_statement(text, parameters)
                asked = {"Statement": text, **({"Parameters": parameters} if parameters else {})}
                database.call("ExecuteStatement", asked)
            except ServiceError as error:
                require_refusal(error, text)

        fuzz(effort, once)
        assert database.check() == []


@pytest.mark.trial("T10")
def test_no_request_breaks_an_operation(effort: Effort) -> None:
    mutator, chance = Mutator(effort.seed, REQUESTS), effort.random()
    names = [name for name in NAMES if not name.startswith(("DeleteTable", "Restore"))]
    with Database.open() as database:
        make_table(database)

        def once() -> None:
            try:
                request = orjson.loads(mutator.data())
            except orjson.JSONDecodeError:
                return
            name = chance.choice(names)
            try:
                find_operation(name).prepare(request)
                database.call(name, request)
            except ServiceError as error:
                require_refusal(error, (name, request))

        fuzz(effort, once)
        assert database.check() == []


@pytest.mark.trial("T10")
def test_no_bytes_break_the_wire(effort: Effort) -> None:
    mutator = Mutator(effort.seed, WIRE)

    async def served() -> int:
        with Database.open() as database:
            make_table(database)
            server = Server(database)
            await server.start()
            try:
                end = time.monotonic() + seconds_of(effort)
                count = 0
                while time.monotonic() < end or count < ROUNDS_MIN:
                    await asyncio.wait_for(_sent(server.port, mutator.data()), 10)
                    count += 1
                # After all of it a good request has its answer.
                assert b" 200 OK" in await _sent(server.port, WIRE[3].encode())
            finally:
                await server.stop()
            assert database.check() == []
            return count

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    count = asyncio.run(served())
    effort.record(inputs=count)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < GROWTH_KIB_MAX


async def _sent(port: int, data: bytes) -> bytes:
    """What comes back for some bytes, up to the end of the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        writer.write_eof()
        found = b""
        while part := await reader.read(65536):
            found += part
        return found
    except ConnectionError:
        return b""
    finally:
        writer.close()


def test_a_parser_that_breaks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str) -> object:
        raise KeyError(text)

    monkeypatch.setattr(parser, "tokenise", broken)
    with pytest.raises(KeyError):
        fuzz_expressions(Effort(Options(), "T10", "planted"))
