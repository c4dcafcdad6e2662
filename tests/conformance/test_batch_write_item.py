"""BatchWriteItem over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .calls import error_code, error_message, number, refused, text, without_metadata

NO_SUCH = "no-such-table-anywhere"


def put(item: dict[str, Any]) -> dict[str, Any]:
    return {"PutRequest": {"Item": item}}


def delete(key: dict[str, Any]) -> dict[str, Any]:
    return {"DeleteRequest": {"Key": key}}


# Serialization


# API_BatchWriteItem, "Request Parameters", has the types.
@pytest.mark.parametrize(
    "items",
    [
        "x",
        [1],
        {"Journal": "x"},
        {"Journal": {"PutRequest": {}}},
        {"Journal": ["x"]},
        {"Journal": [{"PutRequest": "x"}]},
        {"Journal": [{"PutRequest": {"Item": "x"}}]},
        {"Journal": [{"PutRequest": {"Item": {"pk": "x"}}}]},
        {"Journal": [{"PutRequest": {"Item": {"pk": {"S": 5}}}}]},
        {"Journal": [{"DeleteRequest": "x"}]},
        {"Journal": [{"DeleteRequest": {"Key": {"pk": "x"}}}]},
    ],
    ids=str,
)
def test_a_member_of_the_wrong_json_type_is_refused(post: Any, items: Any) -> None:
    answer = post("BatchWriteItem", {"RequestItems": items})
    assert error_code(answer) == "SerializationException"


# Validation


# API_BatchWriteItem, RequestItems: required, 1 to 25 tables with 1 to 25 requests.
def test_there_is_something_to_write(boto: Any, post: Any, plain: str) -> None:
    missing = post("BatchWriteItem", {})
    assert error_code(missing) == "ValidationException"
    assert "Value null at 'requestItems'" in error_message(missing)
    with refused(
        "ValidationException", "The requestItems parameter is required for BatchWriteItem"
    ):
        boto.batch_write_item(RequestItems={})
    with refused("ValidationException"):
        boto.batch_write_item(RequestItems={plain: []})


# API_BatchWriteItem: "there are more than 25 requests in the batch" rejects the whole.
def test_twenty_five_requests_are_the_most(boto: Any, plain: str, pairs: str, pk: str) -> None:
    items = [{"pk": text(f"{pk}{n}")} for n in range(26)]
    with refused("ValidationException"):
        boto.batch_write_item(RequestItems={plain: [put(item) for item in items]})
    with refused("ValidationException", "Too many items requested for the BatchWriteItem call"):
        boto.batch_write_item(
            RequestItems={
                plain: [put(item) for item in items[:13]],
                pairs: [put(item | {"sk": text("a")}) for item in items[:13]],
            }
        )
    boto.batch_write_item(RequestItems={plain: [put(item) for item in items[:25]]})


# API_WriteRequest: a PutRequest or a DeleteRequest, exactly one.
@pytest.mark.parametrize(
    "request_",
    [{}, {"Other": {}}, put({"pk": text("x")}) | delete({"pk": text("x")})],
    ids=["none", "other", "both"],
)
def test_a_request_is_a_put_or_a_delete(post: Any, plain: str, request_: dict[str, Any]) -> None:
    answer = post("BatchWriteItem", {"RequestItems": {plain: [request_]}})
    assert error_code(answer) == "ValidationException"
    assert error_message(answer)


# API_PutRequest, API_DeleteRequest: Item and Key are required.
def test_a_put_has_an_item_and_a_delete_a_key(boto: Any, plain: str) -> None:
    with refused("ValidationException", "putRequest.item'", "must not be null"):
        boto.batch_write_item(RequestItems={plain: [{"PutRequest": {}}]})
    with refused("ValidationException", "deleteRequest.key'", "must not be null"):
        boto.batch_write_item(RequestItems={plain: [{"DeleteRequest": {}}]})


# API_BatchWriteItem: "You try to perform multiple operations on the same item in the same
# BatchWriteItem request"; numbers are the same by their value.
def test_an_item_is_written_once(boto: Any, plain: str, numbers: str, pk: str) -> None:
    words = "Provided list of item keys contains duplicates"
    one = {"pk": text(pk)}
    for requests in ([put(one), put(one | {"a": text("x")})], [put(one), delete(one)]):
        with refused("ValidationException", words):
            boto.batch_write_item(RequestItems={plain: requests})
    with refused("ValidationException", words):
        boto.batch_write_item(
            RequestItems={numbers: [put(one | {"n": {"N": n}}) for n in ("1", "1e0")]}
        )
    assert "Item" not in boto.get_item(TableName=plain, Key=one)


# API_BatchWriteItem: "One or more tables specified [...] does not exist": the whole is refused.
def test_a_missing_table_refuses_the_whole(boto: Any, plain: str, pk: str) -> None:
    one = {"pk": text(pk)}
    with refused("ResourceNotFoundException"):
        boto.batch_write_item(RequestItems={plain: [put(one)], NO_SUCH: [put(one)]})
    assert "Item" not in boto.get_item(TableName=plain, Key=one)


# API_BatchWriteItem: "Primary key attributes specified on an item in the request do not match
# those in the corresponding table's primary key schema": the whole is refused.
@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (put({"pk": text("x")}), "The provided key element does not match the schema"),
        (
            put({"pk": number(1), "sk": text("x")}),
            "The provided key element does not match the schema",
        ),
        (put({"pk": text(""), "sk": text("x")}), "empty string value"),
        (delete({"pk": text("x")}), "The provided key element does not match the schema"),
        (
            delete({"pk": text("x"), "sk": text("x"), "a": text("x")}),
            "The provided key element does not match the schema",
        ),
        (put({"pk": text("x"), "sk": text("x"), "a": {"SS": []}}), "may not be empty"),
        (put({"pk": text("x"), "sk": text("x"), "a": {"N": "x"}}), "cannot be converted"),
    ],
    ids=["missing", "type", "empty", "part", "more", "set", "number"],
)
def test_a_bad_request_refuses_the_whole(
    boto: Any, pairs: str, pk: str, request_: dict[str, Any], words: str
) -> None:
    good = {"pk": text(pk), "sk": text("a")}
    with refused("ValidationException", words):
        boto.batch_write_item(RequestItems={pairs: [put(good), request_]})
    assert "Item" not in boto.get_item(TableName=pairs, Key=good)


# API_BatchWriteItem: "Any individual item in a batch exceeds 400 KB".
def test_an_item_that_is_too_large_refuses_the_whole(boto: Any, plain: str, pk: str) -> None:
    with refused("ValidationException", "Item size has exceeded the maximum allowed size"):
        boto.batch_write_item(
            RequestItems={
                plain: [
                    put({"pk": text(pk)}),
                    put({"pk": text(f"{pk}2"), "a": text("x" * 410_000)}),
                ]
            }
        )
    assert "Item" not in boto.get_item(TableName=plain, Key={"pk": text(pk)})


# GSI: an index key of a wrong type is refused in a batch as well.
def test_an_index_key_has_its_type(boto: Any, indexed: str, pk: str) -> None:
    item = {"pk": text(pk), "sk": text("a"), "g": number(1)}
    with refused("ValidationException", "Type mismatch for Index Key"):
        boto.batch_write_item(RequestItems={indexed: [put(item)]})


# Behaviour


# API_BatchWriteItem: puts and deletes of one or more tables.
def test_puts_and_deletes_of_several_tables(boto: Any, plain: str, pairs: str, pk: str) -> None:
    gone = {"pk": text(f"{pk}-gone")}
    boto.put_item(TableName=plain, Item=gone)
    old = {"pk": text(pk), "sk": text("a"), "old": number(1)}
    boto.put_item(TableName=pairs, Item=old)
    new = {"pk": text(pk), "sk": text("a"), "new": number(1)}
    answer = boto.batch_write_item(
        RequestItems={
            plain: [put({"pk": text(pk)}), delete(gone), delete({"pk": text(f"{pk}-never")})],
            pairs: [put(new)],
        }
    )
    assert without_metadata(answer) == {"UnprocessedItems": {}}
    assert "Item" in boto.get_item(TableName=plain, Key={"pk": text(pk)})
    assert "Item" not in boto.get_item(TableName=plain, Key=gone)
    key = {"pk": text(pk), "sk": text("a")}
    assert boto.get_item(TableName=pairs, Key=key)["Item"] == new


# "Capacity unit consumption": each request is rounded up by itself; one entry a table.
def test_capacity_is_returned_by_table(boto: Any, plain: str, indexed: str, pk: str) -> None:
    item = {"pk": text(pk), "sk": text("a"), "g": text("x"), "h": number(1)}
    answer = boto.batch_write_item(
        RequestItems={
            plain: [
                put({"pk": text(pk), "a": text("x" * 1500)}),
                put({"pk": text(f"{pk}2")}),
                delete({"pk": text(f"{pk}3")}),
            ],
            indexed: [put(item)],
        },
        ReturnConsumedCapacity="INDEXES",
    )
    consumed = {used["TableName"]: used for used in answer["ConsumedCapacity"]}
    unit = {"CapacityUnits": 1.0}
    assert consumed == {
        plain: {"TableName": plain, "CapacityUnits": 4.0, "Table": {"CapacityUnits": 4.0}},
        indexed: {
            "TableName": indexed,
            "CapacityUnits": 4.0,
            "Table": unit,
            "GlobalSecondaryIndexes": dict.fromkeys(("by_g", "by_g_keys", "by_g_some"), unit),
        },
    }


# API_BatchWriteItem, ItemCollectionMetrics: by table, of those with local indexes.
def test_item_collections_are_measured_by_table(
    boto: Any, indexed: str, plain: str, pk: str
) -> None:
    answer = boto.batch_write_item(
        RequestItems={
            indexed: [put({"pk": text(pk), "sk": text(sk)}) for sk in ("a", "b")],
            plain: [put({"pk": text(pk)})],
        },
        ReturnItemCollectionMetrics="SIZE",
    )
    metrics = answer["ItemCollectionMetrics"]
    assert set(metrics) == {indexed}
    assert {"pk": text(pk)} in [each["ItemCollectionKey"] for each in metrics[indexed]]


# API_BatchWriteItem, RequestItems: an ARN is taken as well.
def test_a_table_may_be_named_by_its_arn(boto: Any, plain: str, pk: str) -> None:
    arn = boto.describe_table(TableName=plain)["Table"]["TableArn"]
    boto.batch_write_item(RequestItems={arn: [put({"pk": text(pk)})]})
    assert "Item" in boto.get_item(TableName=plain, Key={"pk": text(pk)})
