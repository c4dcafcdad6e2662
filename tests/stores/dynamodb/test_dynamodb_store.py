"""The transports to DynamoDB, against an endpoint that loses, damages and refuses."""

from __future__ import annotations

import asyncio
import select
import shutil
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ConditionalCheckFailed, SerializationError, StoreUnavailable
from tablewright.plan.operation import Op
from tablewright.stores.dynamodb.aws_session import Access
from tablewright.stores.dynamodb.dynamodb_async_store import AsyncDynamoDBStore
from tablewright.stores.dynamodb.dynamodb_store import DynamoDBStore
from tablewright.stores.embedded.embedded_store import EmbeddedStore
from tests.stores.endpoint import Endpoint
from tests.stores.operations import Ask, Things, get, key, number, put, thing

Run = Callable[..., list[Any]]

ADD = {
    "TableName": "things",
    "Key": key("p"),
    "UpdateExpression": "ADD n :one",
    "ExpressionAttributeValues": {":one": number(1)},
}


@pytest.fixture
def endpoint(database: Database) -> Iterator[Endpoint]:
    EmbeddedStore(database).ensure_tables([Things()])
    with Endpoint(database) as endpoint:
        yield endpoint


@pytest.fixture(params=["threads", "loop"])
def run(request: pytest.FixtureRequest, endpoint: Endpoint) -> Run:
    """Runs operations one after another on one store that never sleeps; returns the results."""
    access = Access(endpoint.url, "eu-central-1", None)

    def run_sync(*ops: Op[Any]) -> list[Any]:
        with DynamoDBStore(access, sleep=lambda _: None) as store:
            return [store.run(op) for op in ops]

    def run_async(*ops: Op[Any]) -> list[Any]:
        async def sleep(_: float) -> None: ...

        async def main() -> list[Any]:
            async with AsyncDynamoDBStore(access, sleep=sleep) as store:
                return [await store.run(op) for op in ops]

        return asyncio.run(main())

    return run_sync if request.param == "threads" else run_async


def test_requests_are_signed_and_share_a_connection(run: Run, endpoint: Endpoint) -> None:
    result = run(put(thing("p")), get(key("p")), get(key("p")))
    assert result[1] == {"Item": thing("p")}
    assert endpoint.connections == 1
    operation, request, headers = endpoint.seen[0]
    assert (operation, request) == ("PutItem", {"TableName": "things", "Item": thing("p")})
    assert headers["Content-Type"] == "application/x-amz-json-1.0"
    assert headers["Host"] == endpoint.url.removeprefix("http://")
    assert "/eu-central-1/dynamodb/aws4_request" in headers["Authorization"]


@pytest.mark.parametrize(
    "fault", ["dropped", "lost", "damaged", "garbage", "throttled", "broken", "chunked", "last"]
)
def test_a_put_survives_every_fault(run: Run, endpoint: Endpoint, fault: str) -> None:
    endpoint.faults = [fault, fault]
    run(put(thing("p", n=number(1))), put(thing("q")))
    endpoint.faults = [fault]
    result = run(get(key("p")), get(key("q")))
    assert result == [{"Item": thing("p", n=number(1))}, {"Item": thing("q")}]


@pytest.mark.parametrize("fault", ["lost", "damaged", "garbage", "broken"])
def test_an_addition_whose_reply_is_lost_is_told_and_not_repeated(
    run: Run, endpoint: Endpoint, fault: str
) -> None:
    endpoint.faults = [fault]
    with pytest.raises(StoreUnavailable, match="may or may not have been applied"):
        run(Ask("UpdateItem", ADD))
    assert run(get(key("p")))[0]["Item"]["n"] == number(1)


@pytest.mark.parametrize("fault", ["lost", "damaged", "garbage", "broken"])
def test_a_transaction_whose_reply_is_lost_happens_once(
    run: Run, endpoint: Endpoint, fault: str
) -> None:
    endpoint.faults = [fault, fault]
    request = {"TransactItems": [{"Update": ADD}], "ClientRequestToken": "t"}
    run(Ask("TransactWriteItems", request))
    assert [seen[1] for seen in endpoint.seen] == [request] * 3
    assert run(get(key("p")))[0]["Item"]["n"] == number(1)


def test_a_throttled_addition_is_repeated(run: Run, endpoint: Endpoint) -> None:
    endpoint.faults = ["throttled", "throttled"]
    run(Ask("UpdateItem", ADD))
    assert run(get(key("p")))[0]["Item"]["n"] == number(1)


@pytest.mark.parametrize("fault", ["dropped", "lost", "damaged", "broken"])
def test_a_conditional_put_recognises_its_own_work(
    run: Run, endpoint: Endpoint, fault: str
) -> None:
    endpoint.faults = [fault]
    created = put(
        thing("p", by={"N": "7.0"}),
        ConditionExpression="attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    assert run(created) == [{}]
    with pytest.raises(ConditionalCheckFailed):
        run(created)


@pytest.mark.parametrize("fault", ["dropped", "lost", "damaged", "broken"])
@pytest.mark.parametrize("returns", ["NONE", "ALL_NEW"])
def test_a_conditional_update_recognises_its_own_work(
    run: Run, endpoint: Endpoint, fault: str, returns: str
) -> None:
    run(put(thing("p", v=number(1), gone=number(1))))
    update = Ask(
        "UpdateItem",
        {
            "TableName": "things",
            "Key": key("p"),
            "UpdateExpression": "SET #v = :two, nick = :name REMOVE gone",
            "ConditionExpression": "#v = :one",
            "ExpressionAttributeNames": {"#v": "v"},
            "ExpressionAttributeValues": {
                ":one": number(1),
                ":two": {"N": "2.0"},
                ":name": {"S": "x"},
            },
            "ReturnValues": returns,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
    )
    endpoint.faults = [fault]
    reply = run(update)[0]
    stored = run(get(key("p")))[0]["Item"]
    assert stored == thing("p", v=number(2), nick={"S": "x"})
    assert reply == ({} if returns == "NONE" else {"Attributes": stored})
    with pytest.raises(ConditionalCheckFailed):
        run(update)


@pytest.mark.parametrize("fault", ["dropped", "lost", "damaged", "broken"])
def test_a_conditional_delete_recognises_its_own_work(
    run: Run, endpoint: Endpoint, fault: str
) -> None:
    run(put(thing("p", v=number(1))))
    delete = {
        "TableName": "things",
        "Key": key("p"),
        "ConditionExpression": "v = :one",
        "ExpressionAttributeValues": {":one": number(1)},
    }
    shown = {**delete, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    endpoint.faults = [fault]
    assert run(Ask("DeleteItem", shown)) == [{}]
    assert run(get(key("p"))) == [{}]
    with pytest.raises(ConditionalCheckFailed):
        run(Ask("DeleteItem", shown))
    run(put(thing("p", v=number(2))))
    endpoint.faults = ["broken"]  # Another's item is there: nothing was deleted, nor is it.
    with pytest.raises((StoreUnavailable, ConditionalCheckFailed)):
        run(Ask("DeleteItem", shown))
    assert run(get(key("p")))[0]["Item"]["v"] == number(2)


def test_a_conditional_update_does_not_take_another_s_work_for_its_own(
    run: Run, endpoint: Endpoint
) -> None:
    run(put(thing("p", v=number(2), nick={"S": "other"})))
    update = {
        "TableName": "things",
        "Key": key("p"),
        "UpdateExpression": "SET v = :two, nick = :name",
        "ConditionExpression": "v = :one",
        "ExpressionAttributeValues": {":one": number(1), ":two": number(2), ":name": {"S": "x"}},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    endpoint.faults = ["broken"]
    with pytest.raises((StoreUnavailable, ConditionalCheckFailed)):
        run(Ask("UpdateItem", update))
    assert run(get(key("p")))[0]["Item"]["nick"] == {"S": "other"}


def test_a_conditional_write_does_not_take_its_own_work_for_another_s(
    run: Run, endpoint: Endpoint
) -> None:
    update = {
        "TableName": "things",
        "Key": key("p"),
        "UpdateExpression": "SET v = :two",
        "ConditionExpression": "attribute_not_exists(v) OR v = :one",
        "ExpressionAttributeValues": {":one": number(1), ":two": number(2)},
    }
    endpoint.faults = ["lost"]
    with pytest.raises(StoreUnavailable, match="may or may not have been applied"):
        run(Ask("UpdateItem", update))
    assert run(get(key("p")))[0]["Item"]["v"] == number(2)


def test_faults_that_last_end_in_unavailable(run: Run, endpoint: Endpoint) -> None:
    endpoint.faults = ["dropped"] * 8
    with pytest.raises(StoreUnavailable, match="failed 8 times"):
        run(get(key("p")))
    assert len(endpoint.seen) == 8


def test_a_large_item_passes(run: Run, endpoint: Endpoint) -> None:
    item = thing("p", long={"S": "ß" * 150_000})
    assert run(put(item), get(key("p")))[1]["Item"] == item


def test_what_is_not_json_is_refused_before_it_is_sent(run: Run, endpoint: Endpoint) -> None:
    with pytest.raises(SerializationError):
        run(put({"pk": object()}))
    assert endpoint.seen == []


def test_connections_that_ended_meanwhile_are_replaced(endpoint: Endpoint) -> None:
    access = Access(endpoint.url, "eu-central-1", None)
    with DynamoDBStore(access, sleep=lambda _: None) as store:
        endpoint.faults = ["last"]
        store.run(put(thing("p")))
        assert select.select(store._connections._idle, [], [], 5)[0]  # Its end has arrived.
        # Not repeatable: it must not meet the old connection's end.
        store.run(Ask("UpdateItem", ADD))
    assert endpoint.connections == 2


def test_threads_have_connections_of_their_own(endpoint: Endpoint) -> None:
    access = Access(endpoint.url, "eu-central-1", None)
    with DynamoDBStore(access) as store:

        def work(number_of: int) -> None:
            for n in range(20):
                item = thing(f"{number_of}", f"{n}")
                store.run(put(item))
                assert store.run(get(key(f"{number_of}", f"{n}"))) == {"Item": item}

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(endpoint.seen) == 160


def test_requests_of_a_loop_overlap(endpoint: Endpoint) -> None:
    access = Access(endpoint.url, "eu-central-1", None)

    async def main() -> None:
        async with AsyncDynamoDBStore(access) as store:
            await asyncio.gather(*(store.run(put(thing(f"{n}"))) for n in range(30)))
            result = await asyncio.gather(*(store.run(get(key(f"{n}"))) for n in range(30)))
        assert all("Item" in reply for reply in result)

    asyncio.run(main())


def test_silence_is_a_lost_reply(endpoint: Endpoint) -> None:
    access = Access(endpoint.url, "eu-central-1", None)
    with endpoint.database.writer.turn:  # Nobody can write: the reply does not come.
        with (
            DynamoDBStore(access, timeout_seconds=0.05) as store,
            pytest.raises(StoreUnavailable, match="may or may not"),
        ):
            store.run(Ask("UpdateItem", ADD))

        async def main() -> None:
            async with AsyncDynamoDBStore(access, timeout_seconds=0.05) as store:
                with pytest.raises(StoreUnavailable, match="may or may not"):
                    await store.run(Ask("UpdateItem", ADD))

        asyncio.run(main())


class Renewable:
    """Credentials that run out; as botocore's, with a refresh."""

    def __init__(self) -> None:
        self.is_old = True
        self.renewed_by: list[str] = []

    def refresh_needed(self) -> bool:
        return self.is_old

    def get_frozen_credentials(self) -> tuple[str, str, str]:
        if self.is_old:
            self.is_old = False
            self.renewed_by.append(threading.current_thread().name)
        return ("A", "S", "T")


def test_credentials_are_renewed_off_the_loop(endpoint: Endpoint) -> None:
    credentials = Renewable()

    async def main() -> None:
        access = Access(endpoint.url, "eu-central-1", credentials)
        async with AsyncDynamoDBStore(access) as store:
            await store.run(put(thing("p")))

    asyncio.run(main())
    assert endpoint.seen[0][2]["X-Amz-Security-Token"] == "T"
    assert len(credentials.renewed_by) == 1
    assert credentials.renewed_by != [threading.main_thread().name]


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1, and its key, in one file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is missing")
    folder = tmp_path_factory.mktemp("tls")
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"]
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run([*make, *names, *files], check=True, capture_output=True)
    return folder


@pytest.fixture
def tls_endpoint(database: Database, certificate: Path) -> Iterator[Endpoint]:
    EmbeddedStore(database).ensure_tables([Things()])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    with Endpoint(database, tls=context) as endpoint:
        yield endpoint


def test_connections_are_encrypted_and_kept(tls_endpoint: Endpoint, certificate: Path) -> None:
    access = Access(tls_endpoint.url, "eu-central-1", None, f"{certificate}/cert.pem")
    with DynamoDBStore(access, sleep=lambda _: None) as store:
        for n in range(5):
            store.run(put(thing(f"{n}", t={"S": "x" * 50_000})))
            assert "Item" in store.run(get(key(f"{n}")))
    assert tls_endpoint.connections == 1

    async def main() -> None:
        async with AsyncDynamoDBStore(access) as store:
            assert "Item" in await store.run(get(key("1")))

    asyncio.run(main())


def test_a_certificate_that_nobody_vouches_for_is_refused(tls_endpoint: Endpoint) -> None:
    access = Access(tls_endpoint.url, "eu-central-1", None)
    with (
        DynamoDBStore(access, sleep=lambda _: None) as store,
        pytest.raises(StoreUnavailable, match="CERTIFICATE_VERIFY_FAILED"),
    ):
        store.run(put(thing("p")))

    async def sleep(_: float) -> None: ...

    async def main() -> None:
        async with AsyncDynamoDBStore(access, sleep=sleep) as store:
            with pytest.raises(StoreUnavailable, match="CERTIFICATE_VERIFY_FAILED"):
                await store.run(put(thing("p")))

    asyncio.run(main())
    assert tls_endpoint.seen == []
