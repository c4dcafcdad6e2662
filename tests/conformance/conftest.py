"""Fixtures of the conformance tests: two endpoints and the tables on them.

Every test runs on Tablewright and on Amazon's DynamoDB Local, or with ``--endpoint-url`` on any
other endpoint. Where DynamoDB Local does not follow AWS's documentation, `differences.py` lists the
test, which must then fail there. Tables are created once per session and never cleaned: tests use
random keys.
"""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import urllib3

from .calls import definitions, index, key_names, key_schema
from .differences import DIFFERENCES, HANGS

HERE = Path(__file__).parent
OURS, AMAZONS, GIVEN = "tablewright", "dynamodb-local", "given"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "endpoint" not in metafunc.fixturenames:
        return
    names: list[Any] = [OURS, pytest.param(AMAZONS, marks=pytest.mark.dynamodb_local)]
    if metafunc.config.getoption("--endpoint-url"):
        names = [GIVEN]
    metafunc.parametrize("endpoint", names, indirect=True, scope="session")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Expect a test to fail where DynamoDB Local is known to differ.

    The marker xfail would do the same, but prints an unread traceback for each: that
    takes longer than the tests.
    """
    reason = known_difference(pyfuncitem)
    if reason is None:
        return (yield)
    if reason == HANGS:
        pytest.xfail(reason)
    with contextlib.suppress(Exception, pytest.fail.Exception):
        yield
        reason = None
    if reason is None:
        pytest.fail("DynamoDB Local no longer differs here: take this out of differences.py")
    pytest.xfail(reason)


def known_difference(item: pytest.Function) -> str | None:
    """The known difference of DynamoDB Local for this test, if it runs there."""
    test, _, parameters = item.name.partition("[")
    if item.path.parent != HERE or AMAZONS not in parameters:
        return None
    rest = parameters[:-1].replace(AMAZONS, "").strip("-")
    name = f"{item.path.name}::{test}"
    return DIFFERENCES.get(name) or DIFFERENCES.get(f"{name}[{rest}]")


@pytest.fixture(scope="session")
def endpoint(request: pytest.FixtureRequest) -> str:
    """The URL of the endpoint under test."""
    if request.param == AMAZONS:
        return str(request.getfixturevalue("dynamodb_local"))
    if request.param == OURS:
        return str(request.getfixturevalue("wire_server").url)
    return str(request.config.getoption("--endpoint-url"))


@pytest.fixture
def wire_endpoint(request: pytest.FixtureRequest, endpoint: str) -> Iterator[str]:
    """The endpoint's URL; our database must pass its self-check when the test ends."""
    if request.node.callspec.params["endpoint"] != OURS:
        yield endpoint
        return
    server = request.getfixturevalue("wire_server")
    yield endpoint
    assert server.database.check() == []


@pytest.fixture
def is_ours(request: pytest.FixtureRequest) -> bool:
    """Whether the endpoint is Tablewright."""
    return bool(request.node.callspec.params["endpoint"] == OURS)


@pytest.fixture
def post(wire_endpoint: str) -> Iterator[Callable[..., tuple[int, dict[str, Any]]]]:
    """``post("Query", body)``: the status and JSON of a body that boto3 would not send.

    Bytes and text are sent unchanged, anything else as JSON.
    """
    credential = "test/20260101/us-east-1/dynamodb/aws4_request"
    headers = {
        "Content-Type": "application/x-amz-json-1.0",
        "Authorization": f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders=, Signature=0",
    }
    with urllib3.PoolManager(retries=False) as pool:

        def ask(operation: str, body: object) -> tuple[int, dict[str, Any]]:
            answer = pool.request(
                "POST",
                wire_endpoint,
                body=body if isinstance(body, bytes | str) else json.dumps(body),
                headers=headers | {"X-Amz-Target": f"DynamoDB_20120810.{operation}"},
            )
            return answer.status, json.loads(answer.data)

        yield ask


@pytest.fixture(scope="session")
def new_table(endpoint: str, boto_of: Callable[[str], Any]) -> Iterator[Callable[..., str]]:
    """Creates a table that is deleted when the session ends: ``new_table("pk", "sk", …)``.

    Takes the names of its key attributes, whose types are in `calls.TYPES`, and other parameters of
    CreateTable. Returns the table's name once it is active.
    """
    client = boto_of(endpoint)
    created: list[str] = []

    def make(*key: str, **settings: Any) -> str:
        name = settings.setdefault("TableName", f"conformance-{uuid.uuid4().hex}")
        settings.setdefault("KeySchema", key_schema(*key))
        if "AttributeDefinitions" not in settings:
            settings["AttributeDefinitions"] = definitions(*key_names(settings))
        if "ProvisionedThroughput" not in settings:
            settings.setdefault("BillingMode", "PAY_PER_REQUEST")
        client.create_table(**settings)
        created.append(name)
        client.get_waiter("table_exists").wait(
            TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 120}
        )
        return str(name)

    yield make
    pages = client.get_paginator("list_tables").paginate()
    remaining = {name for page in pages for name in page["TableNames"]}
    for name in remaining.intersection(created):
        client.delete_table(TableName=name)


@pytest.fixture(scope="session")
def plain(new_table: Callable[..., str]) -> str:
    """A table with the partition key pk (S) and nothing else."""
    return new_table("pk")


@pytest.fixture(scope="session")
def pairs(new_table: Callable[..., str]) -> str:
    """A table with pk (S) and sk (S)."""
    return new_table("pk", "sk")


@pytest.fixture(scope="session")
def numbers(new_table: Callable[..., str]) -> str:
    """A table with pk (S) and the sort key n (N)."""
    return new_table("pk", "n")


@pytest.fixture(scope="session")
def binaries(new_table: Callable[..., str]) -> str:
    """A table with pk (S) and the sort key b (B)."""
    return new_table("pk", "b")


@pytest.fixture(scope="session")
def indexed(new_table: Callable[..., str]) -> str:
    """A table with pk and sk (S), and six indexes.

    Global ones on g (S) and h (N): by_g holds all, by_g_keys the keys, by_g_some the attribute a.
    Local ones on l (N): by_l holds all, by_l_keys the keys, by_l_some the attribute a.
    """
    return new_table(
        "pk",
        "sk",
        GlobalSecondaryIndexes=[
            index("by_g", ["g", "h"], "ALL"),
            index("by_g_keys", ["g", "h"], "KEYS_ONLY"),
            index("by_g_some", ["g", "h"], "INCLUDE", "a"),
        ],
        LocalSecondaryIndexes=[
            index("by_l", ["pk", "l"], "ALL"),
            index("by_l_keys", ["pk", "l"], "KEYS_ONLY"),
            index("by_l_some", ["pk", "l"], "INCLUDE", "a"),
        ],
    )


@pytest.fixture
def pk() -> str:
    """A partition key that no other test uses."""
    return uuid.uuid4().hex
