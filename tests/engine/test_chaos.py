"""Fault injection: each fault occurs, DynamoDB allows all of them, and a seed repeats them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tablewright
from tablewright import Chaos
from tablewright.engine.chaos import PROFILES, ChaosDatabase, Rates
from tablewright.errors import InternalError, ServiceError, Throttled, TransactionCanceled
from tablewright.wire.lifecycle import ThreadedServer
from tests.conftest import boto_client
from tests.engine.sample_tables import make_table

KEY = {"pk": {"S": "a"}, "sk": {"S": "1"}}


def only(**rates: float) -> Chaos:
    """Chaos with one kind of fault."""
    created = Chaos("evil", seed=1)
    created.rates = Rates(**{name: rates.get(name, 0.0) for name in Rates.__slots__})
    return created


@pytest.fixture
def opened() -> Any:
    created: list[ChaosDatabase] = []

    def open_with(chaos: Chaos) -> ChaosDatabase:
        database = ChaosDatabase.open(chaos=only())
        make_table(database)
        for sort in range(10):
            item = {"pk": {"S": "a"}, "sk": {"S": str(sort)}, "g": {"S": "g"}, "h": {"N": "1"}}
            database.call("PutItem", {"TableName": "things", "Item": item})
        for _ in range(10):
            database.call("GetItem", {"TableName": "things", "Key": KEY})
        database.chaos = chaos
        created.append(database)
        return database

    yield open_with
    for database in created:
        assert database.check() == []
        database.close()


Open = Callable[[Chaos], ChaosDatabase]


def update(database: ChaosDatabase, value: int) -> None:
    database.call(
        "UpdateItem",
        {
            "TableName": "things",
            "Key": KEY,
            "UpdateExpression": "SET n = :n",
            "ExpressionAttributeValues": {":n": {"N": str(value)}},
        },
    )


def value(database: ChaosDatabase, *, consistent: bool) -> str | None:
    request = {"TableName": "things", "Key": KEY, "ConsistentRead": consistent}
    item = database.call("GetItem", request).get("Item", {})
    result: str | None = item.get("n", {}).get("N")
    return result


def test_an_eventually_consistent_read_may_be_of_what_was(opened: Open) -> None:
    database = opened(only(stale_read=1.0))
    update(database, 1)
    update(database, 2)
    assert value(database, consistent=True) == "2"
    assert value(database, consistent=False) == "1"
    for _ in range(10):
        value(database, consistent=True)
    assert value(database, consistent=False) == "2"  # But not for ever.


def test_a_write_may_happen_although_its_reply_is_lost(opened: Open) -> None:
    database = opened(only(lost_reply=1.0))
    with pytest.raises(InternalError):
        update(database, 7)
    assert value(database, consistent=True) == "7"


def test_a_table_may_be_asked_too_much(opened: Open) -> None:
    database = opened(only(throttle=1.0))
    for operation in ("GetItem", "DeleteItem"):
        with pytest.raises(Throttled, match="provisioned throughput"):
            database.call(operation, {"TableName": "things", "Key": KEY})
    database.chaos = only()
    assert "Item" in database.call("GetItem", {"TableName": "things", "Key": KEY})
    database.call("DescribeTable", {"TableName": "things"})


def test_transactions_may_collide(opened: Open) -> None:
    database = opened(only(conflict=1.0))
    put = {"Put": {"TableName": "things", "Item": {**KEY, "n": {"N": "9"}}}}
    with pytest.raises(TransactionCanceled) as cancelled:
        database.call("TransactWriteItems", {"TransactItems": [put]})
    assert cancelled.value.reasons[0]["Code"] == "TransactionConflict"
    with pytest.raises(ServiceError, match="Transaction is ongoing"):
        update(database, 9)
    assert value(database, consistent=True) is None


def test_a_transaction_repeated_under_its_token_never_collides(opened: Open) -> None:
    database = opened(only())
    put = {"Put": {"TableName": "things", "Item": {**KEY, "n": {"N": "9"}}}}
    request = {"TransactItems": [put], "ClientRequestToken": "once"}
    database.call("TransactWriteItems", request)
    database.chaos = only(conflict=1.0)
    database.call("TransactWriteItems", request)
    with pytest.raises(TransactionCanceled):
        database.call("TransactWriteItems", {**request, "ClientRequestToken": "other"})


def pages(database: ChaosDatabase, operation: str, **asked: Any) -> list[list[str]]:
    results: list[list[str]] = []
    more: dict[str, Any] = {}
    while len(results) < 200:
        page = database.call(operation, {"TableName": "things", **asked, **more})
        results.append([item["sk"]["S"] for item in page["Items"]])
        if "LastEvaluatedKey" not in page:
            return results
        more = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    raise AssertionError("no end")


PARTITION = {
    "KeyConditionExpression": "pk = :p",
    "ExpressionAttributeValues": {":p": {"S": "a"}},
}


def test_pages_may_be_short_or_empty_and_lose_nothing(opened: Open) -> None:
    database = opened(only(short_page=1.0, empty_page=0.5))
    seen: list[list[str]] = []
    for operation, asked in (("Query", PARTITION), ("Scan", {})) * 5:
        result = pages(database, operation, **asked)
        assert sorted(sort for page in result for sort in page) == [str(at) for at in range(10)]
        seen += result
    assert len(seen) > 20
    assert [] in seen


def test_batches_may_be_done_in_part(opened: Open) -> None:
    database = opened(only(unprocessed=1.0))
    keys = [{"pk": {"S": "a"}, "sk": {"S": str(sort)}} for sort in range(10)]
    request: Any = {"things": {"Keys": keys}}
    results: list[str] = []
    rounds = 0
    while request:
        reply = database.call("BatchGetItem", {"RequestItems": request})
        results += [item["sk"]["S"] for item in reply["Responses"].get("things", [])]
        request = reply["UnprocessedKeys"]
        rounds += 1
    assert sorted(results) == [str(sort) for sort in range(10)]
    assert rounds > 1
    left: Any = {"things": [{"DeleteRequest": {"Key": key}} for key in keys]}
    while left:
        left = database.call("BatchWriteItem", {"RequestItems": left})["UnprocessedItems"]
    assert database.call("Scan", {"TableName": "things"})["Count"] == 0


def test_entries_of_global_indexes_may_come_late(opened: Open) -> None:
    database = opened(only(late_entry=1.0))
    fresh = {"pk": {"S": "b"}, "sk": {"S": "new"}, "g": {"S": "fresh"}, "h": {"N": "1"}}
    database.call("PutItem", {"TableName": "things", "Item": fresh})
    request = {
        "TableName": "things",
        "IndexName": "by_g",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": {"S": "fresh"}},
    }
    assert database.call("Query", request)["Count"] == 0
    key = {"pk": {"S": "b"}, "sk": {"S": "new"}}
    assert "Item" in database.call("GetItem", {"TableName": "things", "Key": key})
    for _ in range(10):
        database.call("GetItem", {"TableName": "things", "Key": KEY})
    assert database.call("Query", request)["Count"] == 1


def story(seed: int) -> list[Any]:
    """The outcomes of a fixed sequence of requests."""
    replies: list[Any] = []
    with ChaosDatabase.open(chaos=Chaos("evil", seed=seed)) as database:
        make_table(database)
        for number in range(60):
            try:
                update(database, number)
                replies.append(value(database, consistent=False))
            except ServiceError as error:
                replies.append(error.code)
        assert database.check() == []
    return replies


def test_the_same_seed_is_the_same_chaos() -> None:
    assert story(1) == story(1)
    assert story(1) != story(2)


def test_the_profile_of_aws_is_milder() -> None:
    for name in Rates.__slots__:
        assert 0 < getattr(PROFILES["aws"], name) < getattr(PROFILES["evil"], name)


def test_bad_requests_are_refused_as_ever(opened: Open) -> None:
    database = opened(only(unprocessed=1.0, short_page=1.0, empty_page=1.0, stale_read=1.0))
    for operation, request in (
        ("BatchGetItem", {"RequestItems": {"things": {"Keys": "x"}}}),
        ("BatchWriteItem", {"RequestItems": {}}),
        ("Query", {"TableName": "things", "Limit": -1}),
        ("Scan", {"TableName": "things", "ExclusiveStartKey": {"x": {"S": "y"}}}),
        ("GetItem", {"TableName": "things", "Key": 5}),
        ("PutItem", {"TableName": "things"}),
    ):
        with pytest.raises(ServiceError):
            database.call(operation, request)


def test_a_client_in_process_meets_chaos() -> None:
    with tablewright.connect("sqlite://:memory:", chaos=only(throttle=1.0)) as client:
        client.create_table(
            TableName="Chaotic",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        with pytest.raises(client.exceptions.ProvisionedThroughputExceededException):
            client.get_item(TableName="Chaotic", Key={"pk": {"S": "a"}})


def test_the_endpoint_meets_chaos() -> None:
    with ChaosDatabase.open(chaos=only()) as database:
        make_table(database)
        with ThreadedServer(database) as server:
            client = boto_client(server.url)
            database.chaos = only(throttle=1.0)
            for call in (client.get_item, client.delete_item):
                with pytest.raises(client.exceptions.ProvisionedThroughputExceededException):
                    call(TableName="things", Key=KEY)
            client.close()
