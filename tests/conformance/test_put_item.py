"""PutItem over HTTP."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from .calls import error_code, error_message, index, number, refused, text, without_metadata

NO_SUCH = "no-such-table-anywhere"


def stored(boto: Any, table: str, key: dict[str, Any]) -> Any:
    """The stored item with this key, or None."""
    return boto.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")


# Serialization


# JSON of another type than declared is refused before anything is validated.
# API_PutItem, "Request Parameters", has the types.
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("TableName", 5),
        ("TableName", {"x": 1}),
        ("Item", "x"),
        ("Item", [1]),
        ("Item", {"pk": "x"}),
        ("Item", {"pk": ["x"]}),
        ("ConditionExpression", 5),
        ("ExpressionAttributeNames", "x"),
        ("ExpressionAttributeNames", {"#a": 1}),
        ("ExpressionAttributeValues", ["x"]),
        ("ExpressionAttributeValues", {":a": 1}),
        ("ReturnValues", {"x": 1}),
        ("ReturnConsumedCapacity", ["TOTAL"]),
        ("ReturnItemCollectionMetrics", {}),
    ],
)
def test_a_member_of_the_wrong_json_type_is_refused(
    post: Any, plain: str, pk: str, member: str, value: Any
) -> None:
    request = {"TableName": plain, "Item": {"pk": text(pk)}, member: value}
    assert error_code(post("PutItem", request)) == "SerializationException"


# API_AttributeValue: S and N are strings, BOOL and NULL booleans, sets arrays of strings, L an
# array of values, M an object.
@pytest.mark.parametrize(
    "value",
    [
        {"S": 5},
        {"S": ["x"]},
        {"N": 5},
        {"N": {"x": 1}},
        {"B": 5},
        {"BOOL": "x"},
        {"NULL": "x"},
        {"SS": "x"},
        {"SS": [5]},
        {"NS": [5]},
        {"BS": {"x": 1}},
        {"L": "x"},
        {"L": [5]},
        {"L": {"S": "x"}},
        {"M": "x"},
        {"M": [1]},
        {"M": {"a": 5}},
        {"L": [{"S": 5}]},
        {"M": {"a": {"N": 5}}},
    ],
    ids=str,
)
def test_an_attribute_value_of_the_wrong_json_type_is_refused(
    post: Any, plain: str, pk: str, value: Any
) -> None:
    request = {"TableName": plain, "Item": {"pk": text(pk), "a": value}}
    assert error_code(post("PutItem", request)) == "SerializationException"


# API_AttributeValue, B: "a base64-encoded binary data object".
@pytest.mark.parametrize("value", [{"B": "x"}, {"B": "a?=="}, {"BS": ["AA==", "x"]}], ids=str)
def test_what_is_not_base64_is_refused(post: Any, plain: str, pk: str, value: Any) -> None:
    request = {"TableName": plain, "Item": {"pk": text(pk), "a": value}}
    assert error_code(post("PutItem", request)) == "SerializationException"


# A set has no null in it. DynamoDB Local answers so of strings, and fails for binaries.
def test_a_null_in_a_set_is_refused(post: Any, plain: str, pk: str) -> None:
    words = "An string set may not have a null string as a member"
    for value in ({"SS": ["a", None]}, {"L": [{"SS": [None]}]}):
        answer = post("PutItem", {"TableName": plain, "Item": {"pk": text(pk), "a": value}})
        assert error_code(answer) == "ValidationException"
        assert words in error_message(answer)


# Members that the API does not have are ignored; null is the same as absent. Both hold for
# AWS's JSON protocol in general; DynamoDB Local answers so.
def test_unknown_members_and_nulls_are_ignored(post: Any, plain: str, pk: str) -> None:
    request = {
        "TableName": plain,
        "Item": {"pk": text(pk)},
        "NoSuchMember": {"deep": [1]},
        "ConditionExpression": None,
        "ExpressionAttributeNames": None,
        "ReturnValues": None,
    }
    assert post("PutItem", request) == (200, {})


# Validation


# API_PutItem: TableName and Item are required.
def test_all_that_is_missing_is_reported(boto: Any, plain: str) -> None:
    with refused("ValidationException", "Value null at 'item'", "Member must not be null"):
        boto.put_item(TableName=plain)
    with refused("ValidationException", "ableName"):
        boto.put_item(Item={"pk": text("x")})


# API_PutItem, TableName: 1 to 1024 characters; a name that is no ARN has 3 to 255.
@pytest.mark.parametrize("name", ["", "ab", "a b c", "a/b/c", "a" * 256])
def test_a_bad_table_name_is_refused(boto: Any, name: str) -> None:
    with refused("ValidationException"):
        boto.put_item(TableName=name, Item={"pk": text("x")})


# Failures of constraints are reported together, each with what was given and what is allowed.
# API_PutItem, "Valid Values".
def test_all_constraints_that_fail_are_reported(boto: Any, plain: str) -> None:
    with refused(
        "ValidationException",
        "4 validation errors detected",
        "Value 'A' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy "
        "enum value set: [INDEXES, TOTAL, NONE]",
        "Value 'B' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must "
        "satisfy enum value set: [SIZE, NONE]",
        "Value 'C' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value "
        "set",
        "Value null at 'item' failed to satisfy constraint: Member must not be null",
    ):
        boto.put_item(
            TableName=plain,
            ReturnConsumedCapacity="A",
            ReturnItemCollectionMetrics="B",
            ReturnValues="C",
        )


# API_PutItem, ReturnValues: "PutItem does not recognize any values other than NONE or ALL_OLD."
@pytest.mark.parametrize("values", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_only_the_old_item_can_be_returned(boto: Any, plain: str, pk: str, values: str) -> None:
    with refused("ValidationException", "Return values set to invalid value"):
        boto.put_item(TableName=plain, Item={"pk": text(pk)}, ReturnValues=values)


# API_PutItem, ReturnValuesOnConditionCheckFailure: "ALL_OLD | NONE".
def test_the_item_of_a_failure_is_old_or_none(boto: Any, plain: str, pk: str) -> None:
    with refused("ValidationException", "Value 'ALL_NEW' at 'returnValuesOnConditionCheckFailure'"):
        boto.put_item(
            TableName=plain,
            Item={"pk": text(pk)},
            ReturnValuesOnConditionCheckFailure="ALL_NEW",
        )


# API_PutItem, Errors: ResourceNotFoundException; the request itself is checked first.
def test_a_table_that_is_not_there_is_not_found(boto: Any) -> None:
    with refused("ResourceNotFoundException"):
        boto.put_item(TableName=NO_SUCH, Item={"pk": text("x")})
    with refused("ValidationException", "cannot be converted"):
        boto.put_item(TableName=NO_SUCH, Item={"pk": {"N": "x"}})
    with refused("ValidationException", "Syntax error"):
        boto.put_item(TableName=NO_SUCH, Item={"pk": text("x")}, ConditionExpression="a =")


# API_AttributeValue: each value has exactly one type.
@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, "Supplied AttributeValue is empty, must contain exactly one of the supported"),
        ({"X": "x"}, "Supplied AttributeValue is empty, must contain exactly one of the supported"),
        ({"S": "x", "N": "1"}, "Supplied AttributeValue has more than one datatypes set"),
        ({"S": None}, "Supplied AttributeValue is empty, must contain exactly one of the"),
        ({"L": [{}]}, "Supplied AttributeValue is empty"),
        ({"M": {"a": {"S": "x", "BOOL": True}}}, "has more than one datatypes set"),
    ],
    ids=str,
)
def test_a_value_has_exactly_one_type(
    post: Any, plain: str, pk: str, value: Any, words: str
) -> None:
    request = {"TableName": plain, "Item": {"pk": text(pk), "a": value}}
    answer = post("PutItem", request)
    assert error_code(answer) == "ValidationException"
    assert words in error_message(answer)


# "Data types", Sets: not empty, without duplicates; numbers are the same by value. Null: true
# is its only value.
@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"NULL": False}, "Null attribute value types must have the value of true"),
        ({"SS": []}, "An string set  may not be empty"),
        ({"NS": []}, "An number set  may not be empty"),
        ({"BS": []}, "Binary sets should not be empty"),
        ({"SS": ["a", "b", "a"]}, "Input collection [a, b, a] contains duplicates"),
        ({"NS": ["1", "1.0"]}, "Input collection contains duplicates"),
        ({"NS": ["1", "x"]}, "cannot be converted"),
        ({"BS": [b"a", b"a"]}, "contains duplicates"),
        ({"L": [{"SS": []}]}, "An string set  may not be empty"),
        ({"M": {"a": {"NS": ["0", "-0"]}}}, "Input collection contains duplicates"),
    ],
    ids=str,
)
def test_a_value_that_its_type_does_not_have_is_refused(
    boto: Any, plain: str, pk: str, value: Any, words: str
) -> None:
    with refused("ValidationException", words):
        boto.put_item(TableName=plain, Item={"pk": text(pk), "a": value})
    assert stored(boto, plain, {"pk": text(pk)}) is None


# API_PutItem, Item: "you must provide all of the attributes for the primary key", of the types
# in the table's attribute definitions.
def test_an_item_has_the_key_of_its_table(boto: Any, pairs: str, pk: str) -> None:
    invalid = "One or more parameter values were invalid"
    with refused("ValidationException", invalid, "Missing the key pk in the item"):
        boto.put_item(TableName=pairs, Item={})
    with refused("ValidationException", invalid, "Missing the key sk in the item"):
        boto.put_item(TableName=pairs, Item={"pk": text(pk)})
    with refused("ValidationException", invalid, "Type mismatch for key pk expected: S actual: N"):
        boto.put_item(TableName=pairs, Item={"pk": number(1), "sk": text("a")})
    with refused("ValidationException", "Type mismatch for key sk expected: S actual: NULL"):
        boto.put_item(TableName=pairs, Item={"pk": text(pk), "sk": {"NULL": True}})


# API_PutItem: "Empty String and Binary attribute values are allowed" except in keys.
def test_a_key_is_not_empty(boto: Any, pairs: str, binaries: str, pk: str) -> None:
    with refused("ValidationException", "cannot contain an empty string value. Key: pk"):
        boto.put_item(TableName=pairs, Item={"pk": text(""), "sk": text("a")})
    with refused("ValidationException", "cannot contain an empty string value. Key: sk"):
        boto.put_item(TableName=pairs, Item={"pk": text(pk), "sk": text("")})
    with refused("ValidationException", "cannot contain an empty binary value. Key: b"):
        boto.put_item(TableName=binaries, Item={"pk": text(pk), "b": {"B": b""}})


# API_PutItem: "the attributes of an index key must match what is defined", and the same for
# empty values (GSI, "Considerations"; API_PutItem, ValidationException).
def test_an_index_key_has_its_type_and_is_not_empty(boto: Any, indexed: str, pk: str) -> None:
    key = {"pk": text(pk), "sk": text("a")}
    with refused("ValidationException", "Type mismatch for Index Key g Expected: S Actual: N"):
        boto.put_item(TableName=indexed, Item=key | {"g": number(1)})
    with refused("ValidationException", "Type mismatch for Index Key l Expected: N Actual: NULL"):
        boto.put_item(TableName=indexed, Item=key | {"l": {"NULL": True}})
    with refused("ValidationException", "secondary index key is not supported", "empty string"):
        boto.put_item(TableName=indexed, Item=key | {"g": text("")})
    assert stored(boto, indexed, key) is None


# AWS goes through the indexes by their names, of whatever kind they are.
def test_of_several_indexes_the_first_by_name_is_reported(
    boto: Any, new_table: Callable[..., str], pk: str
) -> None:
    table = new_table(
        "pk",
        "sk",
        LocalSecondaryIndexes=[index("second", ["pk", "g"], "ALL")],
        GlobalSecondaryIndexes=[index("third", ["g"], "ALL"), index("first", ["g"], "ALL")],
    )
    for value in (number(1), text("")):
        with refused("ValidationException", "IndexName: first"):
            boto.put_item(TableName=table, Item={"pk": text(pk), "sk": text("a"), "g": value})


# API_PutItem, ExpressionAttributeNames and ExpressionAttributeValues: placeholders are for
# expressions, and each is used. DynamoDB Local has the sentences.
@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"ExpressionAttributeNames": {"#a": "a"}},
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
        (
            {"ExpressionAttributeValues": {":a": text("a")}},
            (
                "ExpressionAttributeValues can only be specified when using expressions: "
                "ConditionExpression is null"
            ),
        ),
        (
            {"ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeNames": {}},
            "ExpressionAttributeNames must not be empty",
        ),
        (
            {"ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeValues": {}},
            "ExpressionAttributeValues must not be empty",
        ),
        (
            {
                "ConditionExpression": "attribute_exists(pk)",
                "ExpressionAttributeNames": {"#a": "a"},
            },
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}",
        ),
        (
            {
                "ConditionExpression": "attribute_exists(pk)",
                "ExpressionAttributeValues": {":a": text("a")},
            },
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:a}",
        ),
        (
            {"ConditionExpression": ""},
            "Invalid ConditionExpression: The expression can not be empty",
        ),
    ],
)
def test_placeholders_are_for_expressions(
    boto: Any, plain: str, pk: str, more: dict[str, Any], words: str
) -> None:
    with refused("ValidationException", words):
        boto.put_item(TableName=plain, Item={"pk": text(pk)}, **more)


# "Legacy conditional parameters": they and expressions exclude each other.
def test_expressions_and_legacy_parameters_exclude_each_other(
    boto: Any, plain: str, pk: str
) -> None:
    with refused(
        "ValidationException",
        "Can not use both expression and non-expression parameters in the same request",
        "Non-expression parameters: {Expected}",
        "Expression parameters: {ConditionExpression}",
    ):
        boto.put_item(
            TableName=plain,
            Item={"pk": text(pk)},
            Expected={"a": {"Exists": False}},
            ConditionExpression="attribute_exists(pk)",
        )


# Behaviour


EVERY_TYPE = {
    "s": {"S": "text é 🌍"},
    "empty": {"S": ""},
    "n": {"N": "-12.5"},
    "b": {"B": b"\x00\xff"},
    "no bytes": {"B": b""},
    "yes": {"BOOL": True},
    "no": {"BOOL": False},
    "nothing": {"NULL": True},
    "l": {"L": [{"S": "a"}, {"N": "1"}, {"L": []}, {"M": {}}]},
    "m": {"M": {"a": {"M": {"b": {"L": [{"NULL": True}]}}}, "with space": {"BOOL": True}}},
    "a.b": {"S": "a name with a dot"},
}


# "Data types": what is put is what is got, of every type; lists keep their order, empty strings,
# lists and maps are values.
def test_every_type_comes_back_as_it_was_put(boto: Any, plain: str, pk: str) -> None:
    item = {"pk": text(pk), **EVERY_TYPE}
    assert without_metadata(boto.put_item(TableName=plain, Item=item)) == {}
    assert stored(boto, plain, {"pk": text(pk)}) == item


# "Data types", Sets: the order is not kept. Texts and bytes come by their bytes, numbers by value.
def test_the_members_of_a_set_are_in_order(boto: Any, plain: str, pk: str) -> None:
    key = {"pk": text(pk)}
    sets = {
        "ss": {"SS": ["c", "é", "a", "B", "aa"]},
        "ns": {"NS": ["10", "-2", "3.5", "100"]},
        "bs": {"BS": [b"b", b"ab", b"a"]},
    }
    boto.put_item(TableName=plain, Item=key | sets)
    boto.update_item(
        TableName=plain,
        Key=key,
        UpdateExpression="ADD ss :text, ns :number",
        ExpressionAttributeValues={":text": {"SS": [""]}, ":number": {"NS": ["4"]}},
    )
    assert stored(boto, plain, key) == {
        **key,
        "ss": {"SS": ["", "B", "a", "aa", "c", "é"]},
        "ns": {"NS": ["-2", "3.5", "4", "10", "100"]},
        "bs": {"BS": [b"a", b"ab", b"b"]},
    }


# API_PutItem: "the new item completely replaces the existing item".
def test_a_put_replaces_the_whole_item(boto: Any, plain: str, pk: str) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), "a": number(1), "b": number(2)})
    boto.put_item(TableName=plain, Item={"pk": text(pk), "c": number(3)})
    assert stored(boto, plain, {"pk": text(pk)}) == {"pk": text(pk), "c": number(3)}


# API_PutItem, ReturnValues, ALL_OLD: the old item if one was overwritten; else there is no
# Attributes at all.
def test_the_old_item_is_returned_if_asked_for(boto: Any, plain: str, pk: str) -> None:
    first = {"pk": text(pk), "a": number(1)}
    answer = boto.put_item(TableName=plain, Item=first, ReturnValues="ALL_OLD")
    assert "Attributes" not in answer
    answer = boto.put_item(TableName=plain, Item={"pk": text(pk)}, ReturnValues="ALL_OLD")
    assert answer["Attributes"] == first
    answer = boto.put_item(TableName=plain, Item=first, ReturnValues="NONE")
    assert "Attributes" not in answer


# API_PutItem, ConditionExpression: attribute_not_exists of the key puts only what is new.
def test_a_condition_guards_an_existing_item(boto: Any, plain: str, pk: str) -> None:
    request = {"TableName": plain, "ConditionExpression": "attribute_not_exists(pk)"}
    boto.put_item(Item={"pk": text(pk), "a": number(1)}, **request)
    with refused("ConditionalCheckFailedException", "The conditional request failed"):
        boto.put_item(Item={"pk": text(pk), "a": number(2)}, **request)
    assert stored(boto, plain, {"pk": text(pk)})["a"] == number(1)


# API_PutItem, ReturnValuesOnConditionCheckFailure: the item comes with the failure if there is
# one and it was asked for.
def test_a_failed_condition_shows_the_item_if_asked(boto: Any, plain: str, pk: str) -> None:
    item = {"pk": text(pk), "a": {"M": {"b": number(1)}}}
    request = {
        "TableName": plain,
        "Item": {"pk": text(pk)},
        "ConditionExpression": "attribute_exists(nothing)",
    }
    with pytest.raises(ClientError) as caught:
        boto.put_item(**request, ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert "Item" not in caught.value.response
    boto.put_item(TableName=plain, Item=item)
    with pytest.raises(ClientError) as caught:
        boto.put_item(**request, ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert caught.value.response["Item"] == item
    for asked in ({}, {"ReturnValuesOnConditionCheckFailure": "NONE"}):
        with pytest.raises(ClientError) as caught:
            boto.put_item(**request, **asked)
        assert "Item" not in caught.value.response


# Keys are told apart by their bytes, numbers by their value ("Naming rules", "Data types").
def test_keys_are_the_same_when_their_values_are(
    boto: Any, pairs: str, numbers: str, pk: str
) -> None:
    for sk in ("a", "A", "a ", "á", "a\u0301"):
        boto.put_item(TableName=pairs, Item={"pk": text(pk), "sk": text(sk)})
    query = {
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": text(pk)},
    }
    assert boto.query(TableName=pairs, **query)["Count"] == 5
    for n in ("1", "1.0", "1e0", "+1", "01", "0.1E1"):
        boto.put_item(TableName=numbers, Item={"pk": text(pk), "n": {"N": n}})
    answer = boto.query(TableName=numbers, **query)
    assert answer["Items"] == [{"pk": text(pk), "n": {"N": "1"}}]


# "Capacity unit consumption": a unit per KB of the larger of the old and the new item, rounded
# up; one at least.
@pytest.mark.parametrize(
    ("old", "new", "units"), [(0, 0, 1.0), (0, 3000, 3.0), (3000, 0, 3.0), (100, 2000, 2.0)]
)
def test_a_put_costs_the_larger_item(
    boto: Any, plain: str, pk: str, old: int, new: int, units: float
) -> None:
    if old:
        boto.put_item(TableName=plain, Item={"pk": text(pk), "a": text("x" * old)})
    answer = boto.put_item(
        TableName=plain,
        Item={"pk": text(pk), "a": text("x" * new)},
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["ConsumedCapacity"] == {"TableName": plain, "CapacityUnits": units}


# "Item sizes and formats": exactly 1024 bytes with names cost one unit, a byte more costs two.
@pytest.mark.parametrize(("size", "units"), [(1024, 1.0), (1025, 2.0)])
def test_units_are_rounded_up_from_the_exact_size(
    boto: Any, plain: str, pk: str, size: int, units: float
) -> None:
    filler = "x" * (size - len("pk") - len(pk) - len("a"))
    answer = boto.put_item(
        TableName=plain,
        Item={"pk": text(pk), "a": text(filler)},
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["ConsumedCapacity"]["CapacityUnits"] == units


# API_PutItem, ReturnConsumedCapacity: INDEXES tells the table from its indexes, NONE tells
# nothing. GSI, "Write capacity units": each index that an item enters costs a write.
def test_the_cost_of_indexes_is_reported_separately(boto: Any, indexed: str, pk: str) -> None:
    item = {"pk": text(pk), "sk": text("a"), "g": text("x"), "h": number(1), "l": number(1)}
    answer = boto.put_item(TableName=indexed, Item=item, ReturnConsumedCapacity="INDEXES")
    unit = {"CapacityUnits": 1.0}
    assert answer["ConsumedCapacity"] == {
        "TableName": indexed,
        "CapacityUnits": 7.0,
        "Table": unit,
        "LocalSecondaryIndexes": dict.fromkeys(("by_l", "by_l_keys", "by_l_some"), unit),
        "GlobalSecondaryIndexes": dict.fromkeys(("by_g", "by_g_keys", "by_g_some"), unit),
    }
    bare = {"pk": text(pk), "sk": text("b")}
    answer = boto.put_item(TableName=indexed, Item=bare, ReturnConsumedCapacity="INDEXES")
    assert answer["ConsumedCapacity"] == {
        "TableName": indexed,
        "CapacityUnits": 1.0,
        "Table": unit,
    }
    answer = boto.put_item(TableName=indexed, Item=bare, ReturnConsumedCapacity="NONE")
    assert "ConsumedCapacity" not in answer


# GSI, "Write capacity units": a changed index key costs a delete and a put; an update of a
# projected attribute one write; an entry that stays as it is nothing.
def test_an_index_costs_what_changes_in_it(boto: Any, indexed: str, pk: str) -> None:
    item = {"pk": text(pk), "sk": text("a"), "g": text("x"), "h": number(1)}

    def cost(**changes: Any) -> dict[str, float]:
        answer = boto.put_item(
            TableName=indexed, Item=item | changes, ReturnConsumedCapacity="INDEXES"
        )
        indexes = answer["ConsumedCapacity"].get("GlobalSecondaryIndexes", {})
        return {name: used["CapacityUnits"] for name, used in indexes.items()}

    assert cost() == {"by_g": 1.0, "by_g_keys": 1.0, "by_g_some": 1.0}
    assert cost(h=number(2)) == {"by_g": 2.0, "by_g_keys": 2.0, "by_g_some": 2.0}
    assert cost(h=number(2), a=text("x")) == {"by_g": 1.0, "by_g_some": 1.0}
    assert cost(h=number(2), a=text("x"), c=text("x")) == {"by_g": 1.0}


# API_PutItem, ItemCollectionMetrics: "If the table does not have any local secondary indexes,
# this information is not returned".
def test_item_collections_are_measured_where_there_are_local_indexes(
    boto: Any, indexed: str, plain: str, pk: str
) -> None:
    answer = boto.put_item(
        TableName=indexed,
        Item={"pk": text(pk), "sk": text("a")},
        ReturnItemCollectionMetrics="SIZE",
    )
    assert answer["ItemCollectionMetrics"]["ItemCollectionKey"] == {"pk": text(pk)}
    low, high = answer["ItemCollectionMetrics"]["SizeEstimateRangeGB"]
    assert 0 <= low < high <= 1
    answer = boto.put_item(
        TableName=plain, Item={"pk": text(pk)}, ReturnItemCollectionMetrics="SIZE"
    )
    assert "ItemCollectionMetrics" not in answer


# API_PutItem, TableName: "You can also provide the Amazon Resource Name (ARN) of the table".
def test_the_table_may_be_named_by_its_arn(boto: Any, plain: str, pk: str) -> None:
    arn = boto.describe_table(TableName=plain)["Table"]["TableArn"]
    boto.put_item(TableName=arn, Item={"pk": text(pk)})
    assert stored(boto, plain, {"pk": text(pk)}) == {"pk": text(pk)}


# A put that is refused for the item's size, its index keys or its condition leaves the old item
# and no ghost of the new one.
def test_a_refused_put_changes_nothing(boto: Any, indexed: str, pk: str) -> None:
    key = {"pk": text(pk), "sk": text("a")}
    for more in ({"g": number(1)}, {"a": text("x" * 410_000)}):
        with refused("ValidationException"):
            boto.put_item(TableName=indexed, Item=key | more)
        assert stored(boto, indexed, key) is None
    boto.put_item(TableName=indexed, Item=key | {"old": number(1)})
    for more in ({"g": number(1)}, {"a": text("x" * 410_000)}):
        with refused("ValidationException"):
            boto.put_item(TableName=indexed, Item=key | more)
        assert stored(boto, indexed, key) == key | {"old": number(1)}


# API_AttributeValue, B: the bytes, however the base64 was written on the wire.
def test_bytes_are_answered_in_base64(post: Any, plain: str, pk: str) -> None:
    encoded = base64.b64encode(bytes(range(256))).decode()
    post("PutItem", {"TableName": plain, "Item": {"pk": text(pk), "a": {"B": encoded}}})
    status, body = post("GetItem", {"TableName": plain, "Key": {"pk": text(pk)}})
    assert (status, body["Item"]["a"]) == (200, {"B": encoded})
