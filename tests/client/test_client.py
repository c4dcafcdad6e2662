"""The in-process client has boto3's interface: methods, values, errors, paginators, waiters."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError, WaiterError

import tablewright
from tablewright.client.client import METHODS, STREAMS_METHODS, Client, StreamsClient
from tablewright.client.client_errors import MODELED, PlainClientError
from tablewright.client.waiters import Waiter
from tablewright.engine.operations import NAMES

TABLE = {
    "TableName": "Journal",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture
def client(database: Any) -> Client:
    return Client(database)


@pytest.fixture
def table(client: Client) -> Client:
    client.create_table(**TABLE)
    return client


@pytest.fixture(scope="session")
def boto3_client() -> Iterator[Any]:
    created = boto3.client(
        "dynamodb", "us-east-1", aws_access_key_id="x", aws_secret_access_key="x"
    )
    yield created
    created.close()


def put(client: Client, number: int, **more: Any) -> None:
    client.put_item(TableName="Journal", Item={"pk": {"S": "a"}, "sk": {"N": str(number)}, **more})


def numbers(page: dict[str, Any]) -> list[int]:
    return [int(item["sk"]["N"]) for item in page["Items"]]


QUERY: dict[str, Any] = {
    "TableName": "Journal",
    "KeyConditionExpression": "pk = :a",
    "ExpressionAttributeValues": {":a": {"S": "a"}},
}


def test_every_operation_has_a_method_and_every_method_is_boto3_s(boto3_client: Any) -> None:
    assert {*METHODS.values(), *STREAMS_METHODS.values()} == set(NAMES)
    mapping = boto3_client.meta.method_to_api_mapping
    for method, operation in METHODS.items():
        assert mapping[method] == operation
        assert inspect.isfunction(getattr(Client, method))


def test_the_streams_of_a_database_have_boto3_s_other_client(table: Client) -> None:
    specification = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    [name] = table.list_tables()["TableNames"]
    table.update_table(TableName=name, StreamSpecification=specification)
    [found] = table.streams.list_streams()["Streams"]
    arn = found["StreamArn"]
    described = table.streams.describe_stream(StreamArn=arn)["StreamDescription"]
    shard = described["Shards"][0]["ShardId"]
    iterator = table.streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    assert table.streams.get_records(ShardIterator=iterator)["Records"] == []
    assert all(inspect.isfunction(getattr(StreamsClient, name)) for name in STREAMS_METHODS)


def test_the_modeled_exceptions_are_boto3_s(boto3_client: Any) -> None:
    for name in MODELED:
        assert hasattr(boto3_client.exceptions, name)


def test_an_answer_has_metadata_as_boto3_s(table: Client) -> None:
    metadata = table.list_tables()["ResponseMetadata"]
    assert metadata["HTTPStatusCode"] == 200
    assert set(metadata) == {"RequestId", "HTTPStatusCode", "HTTPHeaders", "RetryAttempts"}


def test_parameters_are_named_never_positional(table: Client) -> None:
    with pytest.raises(TypeError):
        table.get_item("Journal")  # type: ignore[call-arg]


def test_binary_values_go_in_and_come_out_as_bytes(table: Client) -> None:
    values = {
        "one": {"B": b"\x00\xff"},
        "text": {"B": "text"},
        "set": {"BS": [b"a", bytearray(b"b")]},
        "deep": {"M": {"B": {"L": [{"B": memoryview(b"c")}]}}},
        "B": {"S": "an attribute called B"},
        "BS": {"L": [{"S": "not binary"}]},
    }
    put(table, 1, **values)
    item = table.get_item(TableName="Journal", Key={"pk": {"S": "a"}, "sk": {"N": "1"}})["Item"]
    assert item["one"] == {"B": b"\x00\xff"}
    assert item["text"] == {"B": b"text"}
    assert item["set"] == {"BS": [b"a", b"b"]}
    assert item["deep"] == {"M": {"B": {"L": [{"B": b"c"}]}}}
    assert item["B"] == {"S": "an attribute called B"}
    assert item["BS"] == {"L": [{"S": "not binary"}]}


def test_the_callers_request_is_left_alone(table: Client) -> None:
    item = {"pk": {"S": "a"}, "sk": {"N": "1"}, "b": {"B": b"x"}}
    table.put_item(TableName="Journal", Item=item)
    assert item["b"] == {"B": b"x"}


def test_times_are_datetimes(table: Client) -> None:
    created = table.describe_table(TableName="Journal")["Table"]["CreationDateTime"]
    age = datetime.now(UTC) - created
    assert abs(age.total_seconds()) < 60


def test_a_refusal_is_botocore_s_client_error(table: Client) -> None:
    with pytest.raises(ClientError) as caught:
        table.get_item(TableName="Journal", Key={})
    assert caught.value.response["Error"]["Code"] == "ValidationException"
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert caught.value.operation_name == "GetItem"
    assert str(caught.value).startswith(
        "An error occurred (ValidationException) when calling the GetItem operation: "
    )


def test_a_failed_condition_has_its_class_and_carries_the_item(table: Client) -> None:
    put(table, 1, b={"B": b"x"})
    with pytest.raises(table.exceptions.ConditionalCheckFailedException) as caught:
        table.put_item(
            TableName="Journal",
            Item={"pk": {"S": "a"}, "sk": {"N": "1"}},
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert isinstance(caught.value, ClientError)
    assert caught.value.response["Item"]["b"] == {"B": b"x"}  # type: ignore[typeddict-item]
    assert "message" not in caught.value.response


def test_a_canceled_transaction_carries_its_reasons(table: Client) -> None:
    check = {
        "TableName": "Journal",
        "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
        "ConditionExpression": "attribute_exists(pk)",
    }
    with pytest.raises(table.exceptions.TransactionCanceledException) as caught:
        table.transact_write_items(TransactItems=[{"ConditionCheck": check}])
    response = caught.value.response  # type: ignore[attr-defined]
    reasons = response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["ConditionalCheckFailed"]
    assert "Message" in response
    assert "message" not in response


def test_an_exception_that_boto3_does_not_model_is_no_attribute(table: Client) -> None:
    with pytest.raises(AttributeError, match="ConditionalCheckFailedException"):
        _ = table.exceptions.ValidationException


def test_without_botocore_a_stand_in_looks_the_same() -> None:
    response: Any = {"Error": {"Code": "C", "Message": "m"}}
    ours, theirs = PlainClientError(response, "Op"), ClientError(response, "Op")
    assert str(ours) == str(theirs)
    assert ours.response is response
    assert ours.operation_name == theirs.operation_name


@pytest.mark.parametrize("depth", [40, 200, 100_000])
def test_deep_nesting_is_refused_not_a_crash(table: Client, depth: int) -> None:
    value: dict[str, Any] = {"S": "bottom"}
    for _ in range(depth):
        value = {"L": [value]}
    with pytest.raises(ClientError, match=r"ValidationException|SerializationException"):
        put(table, 1, deep=value)
    while "L" in value:  # Taken apart by hand: freeing it at once would be deep recursion as well.
        value = value["L"].pop()


def test_a_paginator_walks_every_page(table: Client) -> None:
    for number in range(7):
        put(table, number)
    pages = list(table.get_paginator("query").paginate(**QUERY, PaginationConfig={"PageSize": 3}))
    assert [numbers(page) for page in pages] == [[0, 1, 2], [3, 4, 5], [6]]


@pytest.mark.parametrize("most", range(1, 9))
def test_a_paginator_stops_at_max_items_and_resumes(table: Client, most: int) -> None:
    for number in range(7):
        put(table, number)
    paginator = table.get_paginator("query")
    results: list[int] = []
    token = None
    for _ in range(10):
        config = {"MaxItems": most, "PageSize": 3, "StartingToken": token}
        result = paginator.paginate(**QUERY, PaginationConfig=config).build_full_result()
        assert len(result["Items"]) <= most
        results += numbers(result)
        token = result.get("NextToken")
        if token is None:
            break
    assert results == list(range(7))


def test_a_full_result_adds_counts(table: Client) -> None:
    for number in range(5):
        put(table, number)
    pages = table.get_paginator("scan").paginate(
        TableName="Journal", PaginationConfig={"PageSize": 2}
    )
    result = pages.build_full_result()
    assert (result["Count"], result["ScannedCount"], len(result["Items"])) == (5, 5, 5)


def test_a_bad_starting_token_is_a_value_error(table: Client) -> None:
    with pytest.raises(ValueError, match="Bad starting token"):
        table.get_paginator("scan").paginate(PaginationConfig={"StartingToken": "?"})


def test_only_what_pages_can_be_paginated(table: Client) -> None:
    assert table.can_paginate("list_tables")
    assert not table.can_paginate("put_item")
    with pytest.raises(ValueError, match="put_item"):
        table.get_paginator("put_item")


def test_waiters_return_when_the_table_is_there_or_gone(table: Client) -> None:
    table.get_waiter("table_exists").wait(TableName="Journal")
    table.delete_table(TableName="Journal")
    table.get_waiter("table_not_exists").wait(TableName="Journal")


def test_a_waiter_gives_up_after_its_attempts(client: Client) -> None:
    slept: list[float] = []
    waiter = Waiter("table_exists", client.describe_table, slept.append)
    with pytest.raises(WaiterError, match="Max attempts"):
        waiter.wait(TableName="Absent", WaiterConfig={"Delay": 3, "MaxAttempts": 4})
    assert slept == [3, 3, 3]


def test_connect_opens_a_file_that_outlives_the_client(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/app.db"
    with tablewright.connect(url) as first:
        first.create_table(**TABLE)
        put(first, 1)
    with tablewright.connect(url) as second:
        assert second.scan(TableName="Journal")["Count"] == 1
        assert second.meta.endpoint_url == url


def test_importing_tablewright_imports_neither_the_engine_nor_the_sdk() -> None:
    program = "import sys, tablewright; print(*sys.modules)"
    modules = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout.split()
    assert not {"apsw", "orjson", "botocore", "typer", "httptools"} & set(modules)
