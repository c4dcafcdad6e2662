"""Fixtures that every test may ask for.

A database is checked after each test that used it: no test can pass and leave a broken index.
``--endpoint-url`` points the tests that speak HTTP at any other DynamoDB endpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import pytest
from hypothesis import settings

import peers

if TYPE_CHECKING:
    from tablewright.engine.database import Database
    from tablewright.wire.lifecycle import ThreadedServer

pytest_plugins = ["tests.endurance.plugin"]

# How long an example takes depends on what else the machine does; that is what benchmarks are for.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--endpoint-url",
        help="run the tests that speak HTTP against this DynamoDB endpoint instead of our own",
    )


@pytest.hookimpl(tryfirst=True)  # Before -m selects by markers.
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in ("dynamodb_local", "browser"):
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(fixture)
        if "dynamodb-local" in item.name:  # A parameter whose fixture is asked for later.
            item.add_marker("dynamodb_local")
        if "plain" in item.keywords and is_compiled():
            item.add_marker(pytest.mark.skip("changes modules that are compiled here"))


def is_compiled() -> bool:
    """Whether compiled modules are what is tested."""
    from tablewright.values import sizes

    return not sizes.__file__.endswith(".py")


@pytest.fixture
def database() -> Iterator[Database]:
    """A database in memory; its self-check must find nothing when the test ends."""
    from tablewright.engine.database import Database

    opened = Database.open("sqlite://:memory:")
    try:
        yield opened
        assert opened.check() == []
    finally:
        opened.close()


@pytest.fixture(scope="session")
def wire_server() -> Iterator[ThreadedServer]:
    """Our server on a free loopback port, on a database in memory; one for each worker."""
    from tablewright.engine.database import Database
    from tablewright.wire.lifecycle import ThreadedServer

    opened = Database.open("sqlite://:memory:")
    try:
        with ThreadedServer(opened) as server:
            yield server
    finally:
        opened.close()


@pytest.fixture
def wire_endpoint(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of the endpoint under test: ours, or what ``--endpoint-url`` says."""
    other = request.config.getoption("--endpoint-url")
    if other:
        yield other
        return
    server: ThreadedServer = request.getfixturevalue("wire_server")
    yield server.url
    assert server.database.check() == []


@pytest.fixture(scope="session")
def boto_of() -> Iterator[Callable[[str], Any]]:
    """Makes a boto3 client of a URL that leaves every check to the server.

    Clients are kept by URL: making one takes longer than most tests.
    """
    clients: dict[str, Any] = {}

    def client_of(url: str) -> Any:
        if url not in clients:
            clients[url] = boto_client(url)
        return clients[url]

    yield client_of
    for client in clients.values():
        client.close()


@pytest.fixture
def boto(wire_endpoint: str, boto_of: Callable[[str], Any]) -> Any:
    """A boto3 client of the endpoint under test."""
    return boto_of(wire_endpoint)


@pytest.fixture
def streams(wire_endpoint: str) -> Iterator[Any]:
    """A boto3 client of the streams of the endpoint under test."""
    client = boto_client(wire_endpoint, "dynamodbstreams")
    yield client
    client.close()


def boto_client(url: str, service: Literal["dynamodb", "dynamodbstreams"] = "dynamodb") -> Any:
    import boto3
    from botocore.config import Config

    return boto3.client(
        service,
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(
            parameter_validation=False,
            retries={"total_max_attempts": 1},
            max_pool_connections=32,
        ),
    )


@pytest.fixture(scope="session")
def dynamodb_local() -> Iterator[str]:
    """The URL of Amazon's DynamoDB Local, started for this worker on a free loopback port."""
    try:
        peer = peers.dynamodb_local()
    except peers.Missing as reason:
        pytest.skip(f"DynamoDB Local: {reason}")
    with peers.running(peer) as url:
        yield url
