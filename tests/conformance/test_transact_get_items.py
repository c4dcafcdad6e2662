"""TransactGetItems over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from .calls import error_code, number, refused, text, without_metadata

NO_SUCH = "no-such-table-anywhere"


def get(table: str, key: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"Get": {"TableName": table, "Key": key, **more}}


def read(boto: Any, *gets: dict[str, Any], **more: Any) -> Any:
    return boto.transact_get_items(TransactItems=list(gets), **more)


# Serialization


# API_TransactGetItems and API_Get have the types.
@pytest.mark.parametrize(
    "items",
    [
        "x",
        {"x": 1},
        ["x"],
        [{"Get": "x"}],
        [{"Get": {"TableName": 5}}],
        [{"Get": {"Key": "x"}}],
        [{"Get": {"Key": {"pk": "x"}}}],
        [{"Get": {"ProjectionExpression": 5}}],
        [{"Get": {"ExpressionAttributeNames": ["x"]}}],
    ],
    ids=str,
)
def test_a_member_of_the_wrong_json_type_is_refused(post: Any, items: Any) -> None:
    answer = post("TransactGetItems", {"TransactItems": items})
    assert error_code(answer) == "SerializationException"


# Validation


# API_TransactGetItems, TransactItems: required, "Minimum number of 1 item. Maximum number of 100
# items."
def test_there_are_1_to_100_items(boto: Any, plain: str, pk: str) -> None:
    with refused("ValidationException", "'transactItems'", "Member must not be null"):
        boto.transact_get_items()
    with refused("ValidationException", "'transactItems'", "length greater than or equal to 1"):
        read(boto)
    gets = [get(plain, {"pk": text(f"{pk}{n}")}) for n in range(101)]
    with refused("ValidationException", "Member must have length less than or equal to 100"):
        read(boto, *gets)
    assert read(boto, *gets[:100])["Responses"] == [{}] * 100


# API_TransactGetItem: Get is required; API_Get: Key and TableName are.
def test_what_is_missing_is_reported(boto: Any, plain: str, pk: str) -> None:
    with refused("ValidationException", "'transactItems.1.member.get'", "must not be null"):
        read(boto, {})
    with refused("ValidationException", "'transactItems.2.member.get.key'", "must not be null"):
        read(boto, get(plain, {"pk": text(pk)}), {"Get": {"TableName": plain}})
    with refused("ValidationException", "'transactItems.1.member.get.tableName'"):
        read(boto, {"Get": {"Key": {"pk": text(pk)}}})


# "Transaction request cannot include multiple operations on one item" holds for reads as well.
# DynamoDB Local answers so.
def test_an_item_is_asked_for_once(boto: Any, plain: str, pk: str) -> None:
    with refused("ValidationException", "cannot include multiple operations on one item"):
        read(boto, get(plain, {"pk": text(pk)}), get(plain, {"pk": text(pk)}))


# API_TransactGetItems, Errors: ResourceNotFoundException.
def test_a_table_that_is_not_there_is_not_found(boto: Any, plain: str, pk: str) -> None:
    with refused("ResourceNotFoundException"):
        read(boto, get(plain, {"pk": text(pk)}), get(NO_SUCH, {"pk": text(pk)}))


# API_Get, ProjectionExpression and ExpressionAttributeNames, as of GetItem.
def test_a_bad_projection_refuses_the_whole(boto: Any, plain: str, pk: str) -> None:
    key = {"pk": text(pk)}
    with refused("ValidationException", "Invalid ProjectionExpression: Syntax error"):
        read(boto, get(plain, key, ProjectionExpression="a b"))
    with refused("ValidationException", "unused in expressions: keys: {#a}"):
        read(
            boto,
            get(plain, key, ProjectionExpression="a", ExpressionAttributeNames={"#a": "a"}),
        )


# AWS refuses them in GetItem, but not here.
def test_names_without_a_projection_are_ignored(boto: Any, plain: str, pk: str) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk)})
    answer = read(boto, get(plain, {"pk": text(pk)}, ExpressionAttributeNames={"#a": "a"}))
    assert answer["Responses"] == [{"Item": {"pk": text(pk)}}]


# API_PutItem: a key is not empty. DynamoDB Local refuses the whole request.
def test_an_empty_key_refuses_the_whole(boto: Any, plain: str, pk: str) -> None:
    with refused("ValidationException", "cannot contain an empty string value. Key: pk"):
        read(boto, get(plain, {"pk": text(pk)}), get(plain, {"pk": text("")}))


# API_TransactGetItems, TransactionCanceledException: "There is a user error, such as an invalid
# data format", with a reason for each item in order.
@pytest.mark.parametrize(
    "key",
    [{"pk": number(1)}, {}, {"sk": text("x")}, {"pk": text("x"), "sk": text("x")}],
    ids=["type", "none", "other", "more"],
)
def test_a_key_that_does_not_fit_cancels_the_transaction(
    boto: Any, plain: str, pk: str, key: dict[str, Any]
) -> None:
    with pytest.raises(ClientError) as caught:
        read(boto, get(plain, {"pk": text(pk)}), get(plain, key))
    assert caught.value.response["Error"]["Code"] == "TransactionCanceledException"
    reasons = caught.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ValidationError"]
    assert reasons[1]["Message"] == "The provided key element does not match the schema"
    with pytest.raises(ClientError) as caught:
        read(boto, get(plain, {}), get(plain, {"pk": text(pk)}))
    reasons = caught.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["ValidationError", "None"]


# Behaviour


# API_TransactGetItems, Responses: "The ItemResponse object at each position corresponds to the
# TransactGetItem object at the same position"; "If a requested item could not be retrieved, the
# corresponding ItemResponse object is Null".
def test_items_come_in_the_order_of_the_request(boto: Any, plain: str, pairs: str, pk: str) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), "a": number(1), "b": number(2)})
    for sk in ("a", "b"):
        boto.put_item(TableName=pairs, Item={"pk": text(pk), "sk": text(sk)})
    answer = read(
        boto,
        get(pairs, {"pk": text(pk), "sk": text("b")}),
        get(plain, {"pk": text(f"{pk}-")}),
        get(
            plain,
            {"pk": text(pk)},
            ProjectionExpression="#b",
            ExpressionAttributeNames={"#b": "b"},
        ),
        get(pairs, {"pk": text(pk), "sk": text("a")}, ProjectionExpression="nothing"),
    )
    assert without_metadata(answer) == {
        "Responses": [
            {"Item": {"pk": text(pk), "sk": text("b")}},
            {},
            {"Item": {"b": number(2)}},
            {"Item": {}},
        ]
    }


# "Capacity management for transactions": two reads of every item; of one that is not there, too.
def test_a_transaction_costs_double(boto: Any, plain: str, pairs: str, pk: str) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), "a": text("x" * 5000)})
    answer = read(
        boto,
        get(plain, {"pk": text(pk)}),
        get(plain, {"pk": text(f"{pk}-")}),
        get(pairs, {"pk": text(pk), "sk": text("a")}),
        ReturnConsumedCapacity="TOTAL",
    )
    consumed = {used["TableName"]: used["CapacityUnits"] for used in answer["ConsumedCapacity"]}
    assert consumed == {plain: 6.0, pairs: 2.0}


# API_ConsumedCapacity, ReadCapacityUnits: a transaction tells what it read; INDEXES tells of the
# table.
def test_what_was_read_is_reported(boto: Any, indexed: str, pk: str) -> None:
    answer = read(
        boto,
        get(indexed, {"pk": text(pk), "sk": text("a")}),
        ReturnConsumedCapacity="INDEXES",
    )
    units = {"CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}
    assert answer["ConsumedCapacity"] == [{"TableName": indexed, **units, "Table": units}]


# API_TransactGetItems: "The aggregate size of the items in the transaction exceeded 4 MB" rejects
# the request.
def test_four_megabytes_are_the_most(boto: Any, plain: str, pk: str) -> None:
    keys = [{"pk": text(f"{pk}{n}")} for n in range(11)]
    for key in keys:
        boto.put_item(TableName=plain, Item=key | {"a": text("x" * 390_000)})
    with refused("ValidationException"):
        read(boto, *(get(plain, key, ProjectionExpression="pk") for key in keys))
    answer = read(boto, *(get(plain, key, ProjectionExpression="pk") for key in keys[:10]))
    assert answer["Responses"] == [{"Item": key} for key in keys[:10]]
