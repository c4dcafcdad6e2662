"""UpdateItem over HTTP. The tests of expressions are in test_expressions.py."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from .calls import error_code, number, refused, text, without_metadata

NO_SUCH = "no-such-table-anywhere"


def update(boto: Any, table: str, key: dict[str, Any], expression: str, **more: Any) -> Any:
    """Update an item; keyword arguments that are values of the expression are in ``values``."""
    values = more.pop("values", None)
    if values is not None:
        more["ExpressionAttributeValues"] = values
    return boto.update_item(TableName=table, Key=key, UpdateExpression=expression, **more)


def stored(boto: Any, table: str, key: dict[str, Any]) -> Any:
    """The stored item with this key, or None."""
    return boto.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")


# Serialization


# API_UpdateItem, "Request Parameters", has the types.
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("TableName", 5),
        ("Key", "x"),
        ("Key", {"pk": 5}),
        ("UpdateExpression", 5),
        ("ConditionExpression", ["a"]),
        ("ExpressionAttributeNames", {"#a": {}}),
        ("ExpressionAttributeValues", {":a": "x"}),
        ("AttributeUpdates", "x"),
        ("ReturnValues", {}),
        ("ReturnConsumedCapacity", []),
        ("ReturnItemCollectionMetrics", {"x": 1}),
    ],
)
def test_a_member_of_the_wrong_json_type_is_refused(
    post: Any, plain: str, member: str, value: Any
) -> None:
    request = {"TableName": plain, "Key": {"pk": text("x")}, member: value}
    assert error_code(post("UpdateItem", request)) == "SerializationException"


# Validation


# API_UpdateItem: TableName and Key are required, the others have their valid values; all that
# fails is reported together.
def test_all_constraints_that_fail_are_reported(boto: Any, plain: str) -> None:
    with refused(
        "ValidationException",
        "4 validation errors detected",
        "Value 'A' at 'returnConsumedCapacity'",
        "Value 'B' at 'returnItemCollectionMetrics'",
        "Value 'C' at 'returnValues'",
        "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
        "Value null at 'key' failed to satisfy constraint: Member must not be null",
    ):
        boto.update_item(
            TableName=plain,
            ReturnConsumedCapacity="A",
            ReturnItemCollectionMetrics="B",
            ReturnValues="C",
        )


# API_UpdateItem, Key: all of the key attributes, of the table's types, and nothing else.
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
        update(boto, pairs, key, "REMOVE a")


# API_UpdateItem: the key of an item cannot be changed, by no clause ("You cannot use UpdateItem
# to update any primary key attributes", in "Working with items").
@pytest.mark.parametrize(
    "expression",
    ["SET pk = :a", "SET sk = :a", "REMOVE sk", "ADD sk :a", "DELETE sk :a", "SET sk.x = :a"],
)
def test_a_key_attribute_cannot_be_updated(boto: Any, pairs: str, pk: str, expression: str) -> None:
    value = {"SS": ["x"]} if expression.startswith(("ADD", "DELETE")) else text("x")
    values = {"values": {":a": value}} if ":a" in expression else {}
    with refused("ValidationException", "Cannot update attribute", "part of the key"):
        update(boto, pairs, {"pk": text(pk), "sk": text("a")}, expression, **values)


# API_UpdateItem, Errors: ResourceNotFoundException; the request itself is checked first.
def test_a_table_that_is_not_there_is_not_found(boto: Any) -> None:
    with refused("ResourceNotFoundException"):
        update(boto, NO_SUCH, {"pk": text("x")}, "REMOVE a")
    with refused("ValidationException", "Invalid UpdateExpression: Syntax error"):
        update(boto, NO_SUCH, {"pk": text("x")}, "REMOVE = a")


# API_UpdateItem, ExpressionAttributeNames and Values: for its two expressions, each is used.
@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"ExpressionAttributeValues": {":a": text("x")}},
            (
                "can only be specified when using expressions: UpdateExpression and "
                "ConditionExpression are null"
            ),
        ),
        ({"ExpressionAttributeNames": {"#a": "a"}}, "can only be specified when using"),
        ({"UpdateExpression": ""}, "Invalid UpdateExpression: The expression can not be empty"),
        (
            {"UpdateExpression": "REMOVE a", "ConditionExpression": ""},
            "Invalid ConditionExpression: The expression can not be empty",
        ),
        (
            {"UpdateExpression": "SET a = :a", "ExpressionAttributeValues": {}},
            "ExpressionAttributeValues must not be empty",
        ),
        (
            {
                "UpdateExpression": "SET a = :a",
                "ConditionExpression": "b = :b",
                "ExpressionAttributeValues": {":a": text("x"), ":b": text("x"), ":c": text("x")},
            },
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:c}",
        ),
        (
            {"UpdateExpression": "SET a = :a"},
            (
                "Invalid UpdateExpression: An expression attribute value used in expression is not "
                "defined; attribute value: :a"
            ),
        ),
        (
            {"UpdateExpression": "SET #a = #b"},
            (
                "An expression attribute name used in the document path is not defined; "
                "attribute name: #a"
            ),
        ),
        (
            {
                "UpdateExpression": "REMOVE a",
                "AttributeUpdates": {"a": {"Action": "DELETE"}},
            },
            (
                "Non-expression parameters: {AttributeUpdates} Expression parameters: "
                "{UpdateExpression}"
            ),
        ),
    ],
)
def test_parameters_that_do_not_fit_together_are_refused(
    boto: Any, plain: str, pk: str, more: dict[str, Any], words: str
) -> None:
    with refused("ValidationException", words):
        boto.update_item(TableName=plain, Key={"pk": text(pk)}, **more)


# GSI, and API_UpdateItem: an index key keeps its type and is not empty; the update is refused as
# a whole.
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("g", number(1), "attempted to update the secondary index key to unsupported type"),
        ("l", text("x"), "attempted to update the secondary index key to unsupported type"),
        ("g", {"NULL": True}, "secondary index key to unsupported type"),
        ("g", text(""), "secondary index key to a value that is not supported"),
        ("g", text("x" * 2049), "secondary index key beyond allowed size limits"),
    ],
    ids=["global", "local", "null", "empty", "long"],
)
def test_an_index_key_has_its_type_and_is_not_empty(
    boto: Any, indexed: str, pk: str, name: str, value: Any, words: str
) -> None:
    key = {"pk": text(pk), "sk": text("a")}
    with refused("ValidationException", words):
        update(boto, indexed, key, f"SET {name} = :v, z = :v", values={":v": value})
    assert stored(boto, indexed, key) is None


# Behaviour


# API_UpdateItem: "Edits an existing item's attributes, or adds a new item to the table if it does
# not already exist."
def test_an_item_is_made_or_changed(boto: Any, pairs: str, pk: str) -> None:
    key = {"pk": text(pk), "sk": text("a")}
    update(boto, pairs, key, "SET a = :a, b = :a", values={":a": number(1)})
    assert stored(boto, pairs, key) == key | {"a": number(1), "b": number(1)}
    update(boto, pairs, key, "SET a = :a REMOVE b ADD c :a", values={":a": number(2)})
    assert stored(boto, pairs, key) == key | {"a": number(2), "c": number(2)}


# API_UpdateItem: UpdateExpression is not required; without one an item is only made.
def test_an_update_of_nothing_makes_an_item(boto: Any, plain: str, pk: str) -> None:
    key = {"pk": text(pk)}
    answer = boto.update_item(TableName=plain, Key=key)
    assert without_metadata(answer) == {}
    assert stored(boto, plain, key) == key
    boto.put_item(TableName=plain, Item=key | {"a": number(1)})
    answer = boto.update_item(TableName=plain, Key=key, ReturnValues="ALL_NEW")
    assert answer["Attributes"] == key | {"a": number(1)}


# "Update expressions", REMOVE and DELETE take away; what is taken from nothing leaves nothing.
# A path into what is not there is no fault then.
@pytest.mark.parametrize(
    "expression",
    ["REMOVE a", "DELETE a :s", "REMOVE b DELETE a :s", "REMOVE a.b", "REMOVE a[0], b.c"],
)
def test_an_update_that_only_takes_away_makes_no_item(
    boto: Any, plain: str, pk: str, expression: str
) -> None:
    key = {"pk": text(pk)}
    values = {"values": {":s": {"SS": ["x"]}}} if ":s" in expression else {}
    answer = update(boto, plain, key, expression, ReturnValues="ALL_NEW", **values)
    assert stored(boto, plain, key) is None
    assert "Attributes" not in answer


# API_UpdateItem, ReturnValues: each of the five, on an item that is there. UPDATED_OLD and
# UPDATED_NEW are "only the updated attributes".
@pytest.mark.parametrize(
    ("values", "attributes"),
    [
        ("NONE", None),
        ("ALL_OLD", {"a": number(1), "b": number(2), "c": number(3)}),
        ("UPDATED_OLD", {"a": number(1), "b": number(2)}),
        ("ALL_NEW", {"a": number(5), "c": number(3), "d": number(5)}),
        ("UPDATED_NEW", {"a": number(5), "d": number(5)}),
    ],
)
def test_what_was_or_is_can_be_returned(
    boto: Any, plain: str, pk: str, values: str, attributes: dict[str, Any] | None
) -> None:
    key = {"pk": text(pk)}
    boto.put_item(TableName=plain, Item=key | {"a": number(1), "b": number(2), "c": number(3)})
    answer = update(
        boto,
        plain,
        key,
        "SET a = :v, d = :v REMOVE b",
        values={":v": number(5)},
        ReturnValues=values,
    )
    if attributes is not None and values.startswith("ALL"):
        attributes = key | attributes
    assert answer.get("Attributes") == attributes


# API_UpdateItem, ReturnValues, of an item that was not there: nothing old; all that is new.
@pytest.mark.parametrize("values", ["ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"])
def test_a_new_item_has_nothing_old(boto: Any, plain: str, pk: str, values: str) -> None:
    key = {"pk": text(pk)}
    answer = update(boto, plain, key, "SET a = :v", values={":v": number(5)}, ReturnValues=values)
    expected = {"ALL_NEW": key | {"a": number(5)}, "UPDATED_NEW": {"a": number(5)}}.get(values)
    assert answer.get("Attributes") == expected


# API_UpdateItem, ReturnValues: of a nested path only that path, in the containers around it.
@pytest.mark.parametrize(
    ("expression", "old", "new"),
    [
        (
            "SET m.a = :v",
            {"m": {"M": {"a": number(1)}}},
            {"m": {"M": {"a": number(9)}}},
        ),
        ("SET m.fresh = :v", None, {"m": {"M": {"fresh": number(9)}}}),
        ("REMOVE m.a", {"m": {"M": {"a": number(1)}}}, None),
        (
            "SET l[1] = :v",
            {"l": {"L": [number(11)]}},
            {"l": {"L": [number(9)]}},
        ),
        (
            "SET m.deep.x = :v",
            {"m": {"M": {"deep": {"M": {"x": number(3)}}}}},
            {"m": {"M": {"deep": {"M": {"x": number(9)}}}}},
        ),
        ("REMOVE nothing", None, None),
    ],
    ids=["set", "fresh", "remove", "element", "deep", "nothing"],
)
def test_a_nested_update_returns_only_its_path(
    boto: Any,
    plain: str,
    pk: str,
    expression: str,
    old: dict[str, Any] | None,
    new: dict[str, Any] | None,
) -> None:
    deep = {"M": {"x": number(3), "y": number(4)}}
    item = {
        "pk": text(pk),
        "m": {"M": {"a": number(1), "b": number(2), "deep": deep}},
        "l": {"L": [number(10), number(11), number(12)]},
    }
    values = {"values": {":v": number(9)}} if ":v" in expression else {}
    for wanted, expected in (("UPDATED_OLD", old), ("UPDATED_NEW", new)):
        boto.put_item(TableName=plain, Item=item)
        answer = update(boto, plain, {"pk": text(pk)}, expression, ReturnValues=wanted, **values)
        assert answer.get("Attributes") == expected


# API_UpdateItem, ConditionExpression, checked on the item before the update; the item comes with
# the failure if asked for.
def test_a_condition_sees_the_item_before(boto: Any, plain: str, pk: str) -> None:
    key = {"pk": text(pk)}
    request = {
        "expression": "SET a = :new",
        "ConditionExpression": "a = :old",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "values": {":new": number(2), ":old": number(1)},
    }
    with pytest.raises(ClientError) as caught:
        update(boto, plain, key, **request)
    assert caught.value.response["Error"]["Code"] == "ConditionalCheckFailedException"
    assert "Item" not in caught.value.response
    assert stored(boto, plain, key) is None
    boto.put_item(TableName=plain, Item=key | {"a": number(1)})
    update(boto, plain, key, **request)
    with pytest.raises(ClientError) as caught:
        update(boto, plain, key, **request)
    assert caught.value.response["Item"] == key | {"a": number(2)}


# A condition that fails is told even if the update could not be made, which is found out later.
# DynamoDB Local answers so.
def test_the_condition_comes_before_the_update(boto: Any, plain: str, pk: str) -> None:
    key = {"pk": text(pk)}
    boto.put_item(TableName=plain, Item=key | {"a": text("x")})
    request = {"expression": "SET a = a + :one", "values": {":one": number(1)}}
    with refused("ConditionalCheckFailedException"):
        update(boto, plain, key, ConditionExpression="attribute_exists(nothing)", **request)
    with refused("ValidationException", "incorrect data type"):
        update(boto, plain, key, ConditionExpression="attribute_exists(a)", **request)


# API_UpdateItem: an update that is refused changes nothing, also what its earlier clauses did.
def test_a_refused_update_changes_nothing(boto: Any, plain: str, pk: str) -> None:
    key = {"pk": text(pk)}
    with refused("ValidationException", "document path provided in the update expression"):
        update(boto, plain, key, "SET a = :v, b.c = :v", values={":v": number(1)})
    assert stored(boto, plain, key) is None
    boto.put_item(TableName=plain, Item=key | {"a": number(0)})
    with refused("ValidationException", "size to update has exceeded the maximum"):
        update(boto, plain, key, "SET a = :v", values={":v": text("x" * 409_590)})
    assert stored(boto, plain, key) == key | {"a": number(0)}


# "Capacity unit consumption": the larger of the item before and after, not what was touched.
@pytest.mark.parametrize(
    ("expression", "units"), [("SET b = :v", 4.0), ("REMOVE a", 3.0), ("SET a = :v", 3.0)]
)
def test_an_update_costs_the_larger_item(
    boto: Any, plain: str, pk: str, expression: str, units: float
) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), "a": text("x" * 2500)})
    values = {"values": {":v": text("x" * 1500)}} if ":v" in expression else {}
    answer = update(
        boto, plain, {"pk": text(pk)}, expression, ReturnConsumedCapacity="TOTAL", **values
    )
    assert answer["ConsumedCapacity"] == {"TableName": plain, "CapacityUnits": units}


# GSI, "Write capacity units": to move an entry costs a delete and a put, to make or take away one
# costs one, to change a projected attribute costs one, else nothing.
def test_an_index_costs_what_changes_in_it(boto: Any, indexed: str, pk: str) -> None:
    key = {"pk": text(pk), "sk": text("a")}

    def cost(expression: str, **values: Any) -> dict[str, float]:
        more = {"values": {f":{name}": value for name, value in values.items()}} if values else {}
        answer = update(boto, indexed, key, expression, ReturnConsumedCapacity="INDEXES", **more)
        consumed = answer["ConsumedCapacity"]
        assert consumed["Table"] == {"CapacityUnits": 1.0}
        indexes = consumed.get("GlobalSecondaryIndexes", {})
        return {name: used["CapacityUnits"] for name, used in indexes.items()}

    everywhere = ("by_g", "by_g_keys", "by_g_some")
    assert cost("SET z = :v", v=number(1)) == {}
    assert cost("SET g = :g, h = :h", g=text("x"), h=number(1)) == dict.fromkeys(everywhere, 1.0)
    assert cost("SET h = :h", h=number(2)) == dict.fromkeys(everywhere, 2.0)
    assert cost("SET a = :v", v=number(1)) == {"by_g": 1.0, "by_g_some": 1.0}
    assert cost("SET z = :v", v=number(2)) == {"by_g": 1.0}
    assert cost("REMOVE h") == dict.fromkeys(everywhere, 1.0)


# API_UpdateItem, ItemCollectionMetrics: of tables with local indexes only.
def test_item_collections_are_measured_where_there_are_local_indexes(
    boto: Any, indexed: str, plain: str, pk: str
) -> None:
    request = {
        "expression": "SET a = :v",
        "values": {":v": number(1)},
        "ReturnItemCollectionMetrics": "SIZE",
    }
    answer = update(boto, indexed, {"pk": text(pk), "sk": text("a")}, **request)
    assert answer["ItemCollectionMetrics"]["ItemCollectionKey"] == {"pk": text(pk)}
    assert len(answer["ItemCollectionMetrics"]["SizeEstimateRangeGB"]) == 2
    answer = update(boto, plain, {"pk": text(pk)}, **request)
    assert "ItemCollectionMetrics" not in answer


# API_UpdateItem: an atomic counter counts every increment ("Atomic counters").
def test_a_counter_counts(boto: Any, plain: str, pk: str) -> None:
    for expected in range(1, 6):
        answer = update(
            boto,
            plain,
            {"pk": text(pk)},
            "ADD hits :one SET seen = if_not_exists(seen, :zero) + :one",
            values={":one": number(1), ":zero": number(0)},
            ReturnValues="UPDATED_NEW",
        )
        assert answer["Attributes"] == {"hits": number(expected), "seen": number(expected)}
