"""DeleteItem over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from .calls import error_code, number, refused, text, without_metadata

NO_SUCH = "no-such-table-anywhere"


# Serialization


# API_DeleteItem, "Request Parameters", has the types.
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("TableName", 5),
        ("Key", "x"),
        ("Key", {"pk": 5}),
        ("ConditionExpression", 5),
        ("ExpressionAttributeNames", []),
        ("ExpressionAttributeValues", "x"),
        ("ReturnValues", {}),
        ("ReturnConsumedCapacity", []),
        ("ReturnItemCollectionMetrics", {"x": 1}),
    ],
)
def test_a_member_of_the_wrong_json_type_is_refused(
    post: Any, plain: str, member: str, value: Any
) -> None:
    request = {"TableName": plain, "Key": {"pk": text("x")}, member: value}
    assert error_code(post("DeleteItem", request)) == "SerializationException"


# Validation


# API_DeleteItem: TableName and Key are required, the others have their valid values; all that
# fails is reported together.
def test_all_constraints_that_fail_are_reported(boto: Any, plain: str) -> None:
    with refused(
        "ValidationException",
        "4 validation errors detected",
        "Value 'A' at 'returnConsumedCapacity'",
        "Value 'B' at 'returnItemCollectionMetrics'",
        "Value 'C' at 'returnValues'",
        "Value null at 'key' failed to satisfy constraint: Member must not be null",
    ):
        boto.delete_item(
            TableName=plain,
            ReturnConsumedCapacity="A",
            ReturnItemCollectionMetrics="B",
            ReturnValues="C",
        )


# API_DeleteItem, ReturnValues: "DeleteItem does not recognize any values other than NONE or
# ALL_OLD."
@pytest.mark.parametrize("values", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_only_the_old_item_can_be_returned(boto: Any, plain: str, pk: str, values: str) -> None:
    with refused("ValidationException", "Return values set to invalid value"):
        boto.delete_item(TableName=plain, Key={"pk": text(pk)}, ReturnValues=values)


# API_DeleteItem, Key: all of the key attributes, of the table's types, and nothing else.
@pytest.mark.parametrize(
    "key",
    [
        {},
        {"pk": text("x")},
        {"pk": text("x"), "sk": number(1)},
        {"pk": text("x"), "sk": text("x"), "a": text("x")},
    ],
    ids=str,
)
def test_a_key_has_the_schema_of_the_table(boto: Any, pairs: str, key: dict[str, Any]) -> None:
    with refused("ValidationException", "The provided key element does not match the schema"):
        boto.delete_item(TableName=pairs, Key=key)


# API_DeleteItem, Errors: ResourceNotFoundException; the request itself is checked first.
def test_a_table_that_is_not_there_is_not_found(boto: Any) -> None:
    with refused("ResourceNotFoundException"):
        boto.delete_item(TableName=NO_SUCH, Key={"pk": text("x")})
    with refused("ValidationException", "Invalid ConditionExpression: Syntax error"):
        boto.delete_item(TableName=NO_SUCH, Key={"pk": text("x")}, ConditionExpression="a = = :b")


# API_DeleteItem, ExpressionAttributeNames and Values: for the condition, and each is used.
def test_placeholders_are_for_the_condition(boto: Any, plain: str) -> None:
    request = {"TableName": plain, "Key": {"pk": text("x")}}
    with refused("ValidationException", "when using expressions: ConditionExpression is null"):
        boto.delete_item(**request, ExpressionAttributeValues={":a": text("x")})
    with refused("ValidationException", "ExpressionAttributeNames can only be specified"):
        boto.delete_item(**request, ExpressionAttributeNames={"#a": "a"})
    with refused("ValidationException", "unused in expressions: keys: {:b}"):
        boto.delete_item(
            **request,
            ConditionExpression="a = :a",
            ExpressionAttributeValues={":a": text("x"), ":b": text("x")},
        )
    with refused("ValidationException", "{Expected}", "{ConditionExpression}"):
        boto.delete_item(
            **request,
            ConditionExpression="attribute_exists(pk)",
            Expected={"a": {"Exists": False}},
        )


# Behaviour


# API_DeleteItem: "Unless you specify conditions, the DeleteItem is an idempotent operation".
def test_an_item_is_deleted_and_deleting_it_again_does_nothing(
    boto: Any, pairs: str, pk: str
) -> None:
    keys = [{"pk": text(pk), "sk": text(sk)} for sk in ("a", "b")]
    for key in keys:
        boto.put_item(TableName=pairs, Item=key | {"x": number(1)})
    for _ in range(2):
        answer = boto.delete_item(TableName=pairs, Key=keys[0])
        assert without_metadata(answer) == {}
        assert "Item" not in boto.get_item(TableName=pairs, Key=keys[0])
    assert "Item" in boto.get_item(TableName=pairs, Key=keys[1])


# API_DeleteItem, ReturnValues, ALL_OLD: "The content of the old item is returned"; where there
# was none, there is no Attributes.
def test_the_old_item_is_returned_if_asked_for(boto: Any, plain: str, pk: str) -> None:
    item = {"pk": text(pk), "a": {"L": [number(1)]}}
    boto.put_item(TableName=plain, Item=item)
    request = {"TableName": plain, "Key": {"pk": text(pk)}, "ReturnValues": "ALL_OLD"}
    assert boto.delete_item(**request)["Attributes"] == item
    assert "Attributes" not in boto.delete_item(**request)


# API_DeleteItem, ConditionExpression, on an item that is there and one that is not; the item
# comes with the failure if it was asked for.
def test_a_condition_must_hold(boto: Any, plain: str, pk: str) -> None:
    item = {"pk": text(pk), "a": number(1)}
    request = {
        "TableName": plain,
        "Key": {"pk": text(pk)},
        "ConditionExpression": "a = :a",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    with pytest.raises(ClientError) as caught:
        boto.delete_item(**request, ExpressionAttributeValues={":a": number(1)})
    assert caught.value.response["Error"]["Code"] == "ConditionalCheckFailedException"
    assert "Item" not in caught.value.response
    boto.put_item(TableName=plain, Item=item)
    with pytest.raises(ClientError) as caught:
        boto.delete_item(**request, ExpressionAttributeValues={":a": number(2)})
    assert caught.value.response["Item"] == item
    boto.delete_item(**request, ExpressionAttributeValues={":a": number(1)})
    assert "Item" not in boto.get_item(TableName=plain, Key={"pk": text(pk)})


# "Write conditions": a condition that holds for nothing lets a delete of nothing pass.
def test_a_condition_may_hold_for_nothing(boto: Any, plain: str, pk: str) -> None:
    boto.delete_item(
        TableName=plain, Key={"pk": text(pk)}, ConditionExpression="attribute_not_exists(pk)"
    )


# "Capacity unit consumption": a delete costs what the item's size is; of nothing, one unit.
def test_a_delete_costs_the_size_of_the_item(boto: Any, plain: str, pk: str) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), "a": text("x" * 2500)})
    for units in (3.0, 1.0):
        answer = boto.delete_item(
            TableName=plain, Key={"pk": text(pk)}, ReturnConsumedCapacity="TOTAL"
        )
        assert answer["ConsumedCapacity"] == {"TableName": plain, "CapacityUnits": units}


# GSI, "Write capacity units": one write to delete the entry of each index that has the item.
def test_a_delete_costs_its_index_entries(boto: Any, indexed: str, pk: str) -> None:
    key = {"pk": text(pk), "sk": text("a")}
    boto.put_item(TableName=indexed, Item=key | {"g": text("x"), "h": number(1)})
    answer = boto.delete_item(TableName=indexed, Key=key, ReturnConsumedCapacity="INDEXES")
    unit = {"CapacityUnits": 1.0}
    assert answer["ConsumedCapacity"] == {
        "TableName": indexed,
        "CapacityUnits": 4.0,
        "Table": unit,
        "GlobalSecondaryIndexes": dict.fromkeys(("by_g", "by_g_keys", "by_g_some"), unit),
    }


# API_DeleteItem, ItemCollectionMetrics: of tables with local indexes only.
def test_item_collections_are_measured_where_there_are_local_indexes(
    boto: Any, indexed: str, plain: str, pk: str
) -> None:
    key = {"pk": text(pk), "sk": text("a")}
    boto.put_item(TableName=indexed, Item=key)
    answer = boto.delete_item(TableName=indexed, Key=key, ReturnItemCollectionMetrics="SIZE")
    assert answer["ItemCollectionMetrics"]["ItemCollectionKey"] == {"pk": text(pk)}
    assert len(answer["ItemCollectionMetrics"]["SizeEstimateRangeGB"]) == 2
    answer = boto.delete_item(
        TableName=plain, Key={"pk": text(pk)}, ReturnItemCollectionMetrics="SIZE"
    )
    assert "ItemCollectionMetrics" not in answer
