"""Store URLs: each form opens its store, and anything else is told clearly."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import StorageError, StoreUnavailable, StoreUrlInvalid
from tablewright.stores.alternator.emulated_transactions import (
    AsyncEmulatedTransactions,
    EmulatedTransactions,
)
from tablewright.stores.dynamodb.aws_session import find_access
from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore, EmbeddedStore
from tablewright.stores.urls import Place, open_async_store, open_store, parse_url

from .endpoint import Endpoint
from .operations import Things, get, key, put, thing


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("sqlite:///app.db", Place(file="sqlite:///app.db")),
        ("sqlite:////var/app.db", Place(file="sqlite:////var/app.db")),
        ("sqlite://:memory:", Place(file="sqlite://:memory:")),
        ("dynamodb://eu-central-1", Place(region="eu-central-1")),
        ("dynamodb://us-gov-west-1?prefix=x-", Place(region="us-gov-west-1", prefix="x-")),
        ("dynamodb+http://127.0.0.1:8000", Place(endpoint="http://127.0.0.1:8000")),
        ("dynamodb+http://[::1]:8000/", Place(endpoint="http://[::1]:8000")),
        (
            "dynamodb+https://db.example?region=eu-west-1&prefix=a.b&transactions=emulated",
            Place(None, "eu-west-1", "https://db.example", "a.b", emulates_transactions=True),
        ),
    ],
)
def test_urls_are_understood(url: str, place: Place) -> None:
    assert parse_url(url) == place


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "not a store URL"),
        ("app.db", "not a store URL. Use sqlite:///FILE"),
        ("mysql://host", "not a store"),
        ("sqlite://app.db", "write sqlite:///FILE"),
        ("sqlite:///", "write sqlite:///FILE"),
        ("sqlite:///app.db?mode=ro", "takes no parameters"),
        ("dynamodb://", "the region is missing"),
        ("dynamodb://?prefix=x", "the region is missing"),
        ("dynamodb://Frankfurt", "'Frankfurt' is not an AWS region"),
        ("dynamodb://eu-central-1?region=eu-west-1", "unknown parameter 'region'"),
        ("dynamodb://eu-central-1?prefx=a", "unknown parameter 'prefx'. Known: prefix"),
        ("dynamodb://eu-central-1?prefix=a&prefix=b", "given twice"),
        ("dynamodb://eu-central-1?prefix=", "a prefix may contain only letters"),
        ("dynamodb://eu-central-1?prefix=a/b", "a prefix may contain only letters"),
        (
            "dynamodb://eu-central-1?transactions=yes",
            "the only value of transactions is 'emulated'",
        ),
        ("dynamodb://eu-central-1/table", "only parameters such as"),
        ("dynamodb+http://", "the host is missing"),
        ("dynamodb+http://host:port", "the port is not a number"),
        ("dynamodb+http://user:word@host:1", "only parameters such as"),
        ("dynamodb+http://host:1?region=x", "'x' is not an AWS region"),
    ],
)
def test_a_malformed_url_is_invalid_and_not_unavailable(url: str, reason: str) -> None:
    with pytest.raises(StoreUrlInvalid) as failure:
        parse_url(url)
    assert reason in str(failure.value)
    assert not isinstance(failure.value, StoreUnavailable)


def test_a_file_keeps_what_was_stored(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/app.db"
    with open_store(url) as store:
        assert isinstance(store, EmbeddedStore)
        store.ensure_tables([Things()])
        store.run(put(thing("p")))
    with open_store(url) as store:
        assert store.run(get(key("p")))["Item"] == thing("p")
    with pytest.raises(StorageError), open_store(f"sqlite:///{tmp_path}"):
        pass


def test_the_clock_reaches_store_and_engine() -> None:
    with open_store("sqlite://:memory:", clock=lambda: 5.0) as store:
        assert store.context.now() == 5.0
        store.ensure_tables([Things()])
        described = store.call("DescribeTable", {"TableName": "things"})["Table"]
        assert described["CreationDateTime"] == 5.0


def test_files_for_event_loops(tmp_path: Path) -> None:
    async def main() -> None:
        async with await open_async_store(f"sqlite:///{tmp_path}/app.db") as store:
            assert isinstance(store, AsyncEmbeddedStore)
            await store.ensure_tables([Things()])

    asyncio.run(main())


@pytest.fixture
def plain_endpoint(database: Database) -> Any:
    """An endpoint that knows no transactions, as Alternator."""
    with Endpoint(database, unknown={"TransactWriteItems", "TransactGetItems"}) as endpoint:
        yield endpoint


def test_an_endpoint_without_transactions_is_refused(plain_endpoint: Endpoint) -> None:
    url = f"dynamodb+{plain_endpoint.url}?prefix=x-"
    with pytest.raises(StoreUnavailable, match="prefix=x-&transactions=emulated"):
        open_store(url)

    async def main() -> None:
        with pytest.raises(StoreUnavailable, match="prefix=x-&transactions=emulated"):
            await open_async_store(url)

    asyncio.run(main())


def test_an_endpoint_without_transactions_can_have_them_emulated(
    plain_endpoint: Endpoint, database: Database
) -> None:
    url = f"dynamodb+{plain_endpoint.url}?prefix=x-&transactions=emulated"
    wish = {"TransactItems": [{"Put": {"TableName": "things", "Item": thing("p")}}]}
    with open_store(url) as store:
        assert isinstance(store, EmulatedTransactions)
        store.ensure_tables([Things()])
        store.call("TransactWriteItems", wish)
        assert store.run(get(key("p")))["Item"] == thing("p")

    async def main() -> None:
        async with await open_async_store(url) as store:
            assert isinstance(store, AsyncEmulatedTransactions)
            await store.call("TransactWriteItems", wish)

    asyncio.run(main())
    assert sorted(table.name for table in database.tables) == ["x-tablewright-intents", "x-things"]


def test_an_endpoint_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("random.random", lambda: 0.0)  # No pause between tries.
    with pytest.raises(StoreUnavailable, match="cannot connect to 127.0.0.1:1 "):
        open_store("dynamodb+http://127.0.0.1:1")


def test_a_region_has_its_endpoint_and_needs_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "A")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "S")
    access = find_access("eu-central-1")
    assert access.url == "https://dynamodb.eu-central-1.amazonaws.com"
    assert access.region == "eu-central-1"
    assert access.keys() == ("A", "S", None)
    assert not access.must_renew
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    with pytest.raises(StoreUnavailable, match="no AWS credentials"):
        find_access("eu-central-1")
    assert find_access(url="http://127.0.0.1:8000").keys() == ("local", "local", None)
