"""Legacy parameters on every operation that accepts them.

Developer guide, "Legacy conditional parameters"; the messages are DynamoDB Local's.
"""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from .calls import number, refused, text

STORED: dict[str, Any] = {
    "sk": text("1"),
    "n": number(5),
    "s": text("hello"),
    "ss": {"SS": ["x", "y"]},
    "l": {"L": [text("x")]},
    "m": {"M": {"z": text("x")}},
    "b": {"B": b"hi"},
    "t": {"BOOL": True},
}
INVALID = "One or more parameter values were invalid: "


def when(operator: str, *values: Any) -> dict[str, Any]:
    """``when("GT", number(1))``: a condition on an attribute."""
    return {"ComparisonOperator": operator} | (
        {"AttributeValueList": list(values)} if values else {}
    )


@pytest.fixture
def stored(boto: Any, pairs: str, pk: str) -> dict[str, Any]:
    """An item with an attribute of nearly every type."""
    item = {"pk": text(pk), **STORED}
    boto.put_item(TableName=pairs, Item=item)
    return item


def key_of(item: dict[str, Any]) -> dict[str, Any]:
    return {"pk": item["pk"], "sk": item["sk"]}


# LegacyConditionalParameters.Conditions has the operators and what each is true for.
HOLDING: list[dict[str, Any]] = [
    {"s": when("EQ", text("hello"))},
    {"m": when("EQ", {"M": {"z": text("x")}})},
    {"s": when("NE", text("x"))},
    {"s": when("NE", number(1))},
    {"gone": when("NE", text("x"))},
    {"n": when("LT", number(6))},
    {"n": when("LE", number(5))},
    {"n": when("GT", number(4))},
    {"n": when("GE", number(5))},
    {"s": when("BETWEEN", text("h"), text("i"))},
    {"n": when("IN", number(1), number(5))},
    {"s": when("BEGINS_WITH", text("he"))},
    {"s": when("CONTAINS", text("ell"))},
    {"ss": when("CONTAINS", text("x"))},
    {"l": when("CONTAINS", text("x"))},
    {"s": when("NOT_CONTAINS", text("z"))},
    {"n": when("NOT_CONTAINS", text("z"))},
    {"s": when("NOT_NULL")},
    {"gone": when("NULL")},
    {"gone": {"Exists": False}},
    {"s": {"Value": text("hello")}},
    {"s": {"Exists": True, "Value": text("hello")}},
    {"s": {"ComparisonOperator": "EQ", "Value": text("hello")}},
    {"s": when("EQ", text("hello")), "n": when("EQ", number(5))},
    {},
]
FAILING: list[dict[str, Any]] = [
    {"s": when("EQ", text("other"))},
    {"s": when("EQ", {"SS": ["hello"]})},
    {"n": when("LT", text("z"))},
    {"n": when("GT", number(5))},
    {"gone": when("GT", number(1))},
    {"gone": when("CONTAINS", text("x"))},
    {"gone": when("NOT_CONTAINS", text("x"))},
    {"s": when("NULL")},
    {"gone": when("NOT_NULL")},
    {"s": {"Exists": False}},
    {"s": {"Value": text("other")}},
    {"s": when("EQ", text("hello")), "n": when("EQ", number(6))},
]
REFUSED: list[tuple[dict[str, Any], str]] = [
    (when("NULL", text("a")), "Invalid number of argument(s) for the NULL ComparisonOperator"),
    (when("EQ", text("a"), text("b")), "Invalid number of argument(s) for the EQ"),
    (when("BETWEEN", text("a")), "Invalid number of argument(s) for the BETWEEN"),
    ({"ComparisonOperator": "IN", "AttributeValueList": []}, "for the IN ComparisonOperator"),
    (when("LT", {"SS": ["a"]}), "ComparisonOperator LT is not valid for SS AttributeValue type"),
    (when("GE", {"BOOL": True}), "ComparisonOperator GE is not valid for BOOL AttributeValue type"),
    (when("IN", {"L": []}), "ComparisonOperator IN is not valid for L AttributeValue type"),
    (when("BEGINS_WITH", number(1)), "BEGINS_WITH is not valid for N AttributeValue type"),
    (when("CONTAINS", {"SS": ["a"]}), "CONTAINS is not valid for SS AttributeValue type"),
    (when("BETWEEN", text("a"), number(1)), "AttributeValueList must be of same type"),
    (when("IN", text("a"), number(1)), "AttributeValueList must be of same type"),
    (when("BETWEEN", text("b"), text("a")), "lower bound is greater than the upper bound"),
    (when("BETWEEN", number(10), number(9)), "lower bound is greater than the upper bound"),
]


@pytest.mark.parametrize("expected", HOLDING, ids=str)
def test_a_write_is_made_where_what_is_expected_holds(
    boto: Any, pairs: str, stored: dict[str, Any], expected: dict[str, Any]
) -> None:
    boto.put_item(TableName=pairs, Item=stored, Expected=expected)
    boto.update_item(
        TableName=pairs,
        Key=key_of(stored),
        AttributeUpdates={"u": {"Action": "PUT", "Value": number(1)}},
        Expected=expected,
    )
    boto.delete_item(TableName=pairs, Key=key_of(stored), Expected=expected)
    assert "Item" not in boto.get_item(TableName=pairs, Key=key_of(stored))


@pytest.mark.parametrize("expected", FAILING, ids=str)
def test_a_write_is_not_made_where_what_is_expected_fails(
    boto: Any, pairs: str, stored: dict[str, Any], expected: dict[str, Any]
) -> None:
    updates = {"n": {"Action": "PUT", "Value": number(9)}}
    with refused("ConditionalCheckFailedException", "The conditional request failed"):
        boto.put_item(TableName=pairs, Item=key_of(stored), Expected=expected)
    with refused("ConditionalCheckFailedException"):
        boto.update_item(
            TableName=pairs, Key=key_of(stored), AttributeUpdates=updates, Expected=expected
        )
    with refused("ConditionalCheckFailedException"):
        boto.delete_item(TableName=pairs, Key=key_of(stored), Expected=expected)
    assert boto.get_item(TableName=pairs, Key=key_of(stored))["Item"] == stored


# Validated before anything is read: no item matches these keys.
@pytest.mark.parametrize(("condition", "words"), REFUSED, ids=str)
def test_a_condition_that_no_operator_takes_is_refused(
    boto: Any, pairs: str, pk: str, condition: dict[str, Any], words: str
) -> None:
    item = {"pk": text(pk), "sk": text("1")}
    with refused("ValidationException", words):
        boto.put_item(TableName=pairs, Item=item, Expected={"s": condition})
    with refused("ValidationException", words):
        boto.scan(TableName=pairs, ScanFilter={"s": condition})
    with refused("ValidationException", words):
        boto.query(
            TableName=pairs,
            KeyConditions={"pk": when("EQ", text(pk))},
            QueryFilter={"s": condition},
        )


# API_ExpectedAttributeValue says which members go together.
@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ({"ComparisonOperator": "EQ"}, "Value or AttributeValueList must be used with Comparison"),
        ({"Exists": True}, "Value must be provided when Exists is true for Attribute: s"),
        ({}, "Value must be provided when Exists is null for Attribute: s"),
        ({"Exists": False, "Value": text("a")}, "Value cannot be used when Exists is false for"),
        (
            {"Value": text("a"), "AttributeValueList": [text("a")]},
            "Value and AttributeValueList cannot be used together for Attribute: s",
        ),
        ({"AttributeValueList": [text("a")]}, "AttributeValueList can only be used with a Compar"),
        (
            {"ComparisonOperator": "EQ", "Exists": True, "Value": text("a")},
            "Exists and ComparisonOperator cannot be used together for Attribute: s",
        ),
    ],
    ids=str,
)
def test_members_that_do_not_go_together_are_refused(
    boto: Any, pairs: str, pk: str, expected: dict[str, Any], words: str
) -> None:
    with refused("ValidationException", INVALID + words):
        boto.put_item(
            TableName=pairs, Item={"pk": text(pk), "sk": text("1")}, Expected={"s": expected}
        )


# API_PutItem, ConditionalOperator: AND (the default) or OR.
def test_conditions_are_joined_by_the_conditional_operator(
    boto: Any, pairs: str, stored: dict[str, Any]
) -> None:
    half = {"s": when("EQ", text("hello")), "n": when("EQ", number(6))}
    boto.put_item(TableName=pairs, Item=stored, Expected=half, ConditionalOperator="OR")
    with refused("ConditionalCheckFailedException"):
        boto.put_item(TableName=pairs, Item=stored, Expected=half, ConditionalOperator="AND")
    reply = boto.query(
        TableName=pairs,
        KeyConditions={"pk": when("EQ", stored["pk"])},
        QueryFilter=half,
        ConditionalOperator="OR",
    )
    assert reply["Count"] == 1


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        (None, "ConditionalOperator cannot be used without Filter or Expected"),
        ({}, "ConditionalOperator cannot be used without Filter or Expected"),
        ({"s": {"Exists": False}}, "when Filter or Expected has two or more elements"),
    ],
)
def test_a_conditional_operator_needs_two_conditions(
    boto: Any, pairs: str, pk: str, expected: dict[str, Any] | None, words: str
) -> None:
    more = {} if expected is None else {"Expected": expected}
    with refused("ValidationException", words):
        boto.put_item(
            TableName=pairs,
            Item={"pk": text(pk), "sk": text("1")},
            ConditionalOperator="OR",
            **more,
        )


def test_placeholders_need_an_expression(boto: Any, pairs: str, pk: str) -> None:
    with refused("ValidationException", "can only be specified when using expressions"):
        boto.put_item(
            TableName=pairs,
            Item={"pk": text(pk), "sk": text("1")},
            Expected={"s": {"Exists": False}},
            ExpressionAttributeValues={":a": text("x")},
        )


# LegacyConditionalParameters.AttributeUpdates.
@pytest.mark.parametrize(
    ("name", "update", "after"),
    [
        ("s", {"Action": "PUT", "Value": text("x")}, text("x")),
        ("new", {"Action": "PUT", "Value": {"M": {}}}, {"M": {}}),
        ("s", {"Action": "DELETE"}, None),
        ("gone", {"Action": "DELETE"}, None),
        ("ss", {"Action": "DELETE", "Value": {"SS": ["x"]}}, {"SS": ["y"]}),
        ("ss", {"Action": "DELETE", "Value": {"SS": ["x", "y"]}}, None),
        ("gone", {"Action": "DELETE", "Value": {"SS": ["x"]}}, None),
        ("n", {"Action": "ADD", "Value": number(2)}, number(7)),
        ("new", {"Action": "ADD", "Value": number(2)}, number(2)),
        ("new", {"Action": "ADD", "Value": {"SS": ["q"]}}, {"SS": ["q"]}),
        ("l", {"Action": "ADD", "Value": {"L": [text("q")]}}, {"L": [text("x"), text("q")]}),
        ("new", {"Action": "ADD", "Value": {"L": [text("q")]}}, {"L": [text("q")]}),
    ],
    ids=str,
)
def test_an_attribute_is_put_added_to_or_deleted(
    boto: Any, pairs: str, stored: dict[str, Any], name: str, update: dict[str, Any], after: Any
) -> None:
    reply = boto.update_item(
        TableName=pairs,
        Key=key_of(stored),
        AttributeUpdates={name: update},
        ReturnValues="UPDATED_NEW",
    )
    assert reply.get("Attributes", {}).get(name) == after
    item = boto.get_item(TableName=pairs, Key=key_of(stored))["Item"]
    assert item.get(name) == after


@pytest.mark.parametrize(
    ("name", "update", "words"),
    [
        ("n", {"Action": "ADD"}, "Only DELETE action is allowed when no attribute value is speci"),
        ("n", {"Action": "PUT"}, "Only DELETE action is allowed when no attribute value is speci"),
        ("n", {}, "Only DELETE action is allowed when no attribute value is specified"),
        ("s", {"Action": "ADD", "Value": text("x")}, "ADD action is not supported for the type ST"),
        (
            "m",
            {"Action": "ADD", "Value": {"M": {}}},
            "ADD action is not supported for the type MAP",
        ),
        (
            "s",
            {"Action": "DELETE", "Value": text("x")},
            "DELETE action with value is not supported for the type STRING",
        ),
        ("s", {"Action": "ADD", "Value": number(1)}, "Type mismatch for attribute to update"),
        ("ss", {"Action": "DELETE", "Value": {"NS": ["1"]}}, "Type mismatch for attribute to upd"),
        ("pk", {"Action": "PUT", "Value": text("x")}, "Cannot update attribute pk. This attribute"),
    ],
    ids=str,
)
def test_an_update_that_cannot_be_is_refused(
    boto: Any, pairs: str, stored: dict[str, Any], name: str, update: dict[str, Any], words: str
) -> None:
    with refused("ValidationException", words):
        boto.update_item(TableName=pairs, Key=key_of(stored), AttributeUpdates={name: update})
    assert boto.get_item(TableName=pairs, Key=key_of(stored))["Item"] == stored


# API_AttributeValueUpdate, Action: "PUT" is the default.
def test_a_put_is_what_is_done_without_an_action(
    boto: Any, pairs: str, stored: dict[str, Any]
) -> None:
    updates = {"s": {"Value": text("x")}}
    boto.update_item(TableName=pairs, Key=key_of(stored), AttributeUpdates=updates)
    item = boto.get_item(TableName=pairs, Key=key_of(stored))["Item"]
    assert item == stored | {"s": text("x")}


# "DELETE: nothing happens" to an item that is not there.
def test_deleting_attributes_of_nothing_makes_no_item(boto: Any, pairs: str, pk: str) -> None:
    key = {"pk": text(pk), "sk": text("1")}
    boto.update_item(TableName=pairs, Key=key, AttributeUpdates={"a": {"Action": "DELETE"}})
    assert "Item" not in boto.get_item(TableName=pairs, Key=key)


def test_an_update_without_changes_makes_the_item(boto: Any, pairs: str, pk: str) -> None:
    key = {"pk": text(pk), "sk": text("1")}
    boto.update_item(TableName=pairs, Key=key, AttributeUpdates={})
    assert boto.get_item(TableName=pairs, Key=key)["Item"] == key


# LegacyConditionalParameters.KeyConditions.
@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (None, ["1", "12", "2"]),
        (when("EQ", text("12")), ["12"]),
        (when("BEGINS_WITH", text("1")), ["1", "12"]),
        (when("BETWEEN", text("12"), text("2")), ["12", "2"]),
        (when("LT", text("12")), ["1"]),
        (when("LE", text("12")), ["1", "12"]),
        (when("GT", text("12")), ["2"]),
        (when("GE", text("12")), ["12", "2"]),
    ],
    ids=str,
)
def test_a_query_by_key_conditions(
    boto: Any, pairs: str, pk: str, condition: dict[str, Any] | None, found: list[str]
) -> None:
    for sort in ("2", "1", "12"):
        boto.put_item(TableName=pairs, Item={"pk": text(pk), "sk": text(sort)})
    conditions = {"pk": when("EQ", text(pk))} | ({} if condition is None else {"sk": condition})
    items = boto.query(TableName=pairs, KeyConditions=conditions)["Items"]
    assert [item["sk"]["S"] for item in items] == found


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({"sk": when("EQ", text("1"))}, "Query condition missed key schema element"),
        ({"pk": when("GT", text("1"))}, "Query key condition not supported"),
        (
            {"pk": when("EQ", text("1")), "x": when("EQ", text("1"))},
            "Query condition missed key schema element",
        ),
        (
            {name: when("EQ", text("1")) for name in ("pk", "sk", "x")},
            "Conditions can be of length 1 or 2 only",
        ),
        (
            {"pk": when("EQ", text("1")), "sk": when("CONTAINS", text("1"))},
            "Attempted conditional constraint is not an indexable operation",
        ),
        (
            {"pk": when("EQ", text("1")), "sk": when("IN", text("1"))},
            "Attempted conditional constraint is not an indexable operation",
        ),
        ({"pk": when("EQ", number(1))}, "Condition parameter type does not match schema type"),
        ({"pk": when("EQ", text(""))}, "cannot contain an empty string value. Key: pk"),
        ({"pk": when("EQ", text("1"), text("2"))}, "Invalid number of argument(s) for the EQ"),
    ],
    ids=str,
)
def test_key_conditions_that_no_key_serves_are_refused(
    boto: Any, pairs: str, conditions: dict[str, Any], words: str
) -> None:
    with refused("ValidationException", words):
        boto.query(TableName=pairs, KeyConditions=conditions)


def test_a_sort_key_is_never_unequal(boto: Any, pairs: str) -> None:
    conditions = {"pk": when("EQ", text("1")), "sk": when("NE", text("1"))}
    with refused("ValidationException", "is not an indexable operation"):
        boto.query(TableName=pairs, KeyConditions=conditions)


def test_filters_drop_what_was_read(boto: Any, pairs: str, pk: str) -> None:
    for sort, value in (("1", 1), ("2", 2), ("3", 3)):
        item = {"pk": text(pk), "sk": text(sort), "n": number(value), "mine": text(pk)}
        boto.put_item(TableName=pairs, Item=item)
    reply = boto.query(
        TableName=pairs,
        KeyConditions={"pk": when("EQ", text(pk))},
        QueryFilter={"n": when("GT", number(1))},
    )
    assert (reply["Count"], reply["ScannedCount"]) == (2, 3)
    scanned = boto.scan(
        TableName=pairs,
        ScanFilter={"mine": when("EQ", text(pk)), "n": when("IN", number(1), number(3))},
    )
    assert sorted(item["sk"]["S"] for item in scanned["Items"]) == ["1", "3"]
    with refused("ValidationException", "QueryFilter can only contain non-primary key attributes"):
        boto.query(
            TableName=pairs,
            KeyConditions={"pk": when("EQ", text(pk))},
            QueryFilter={"sk": when("EQ", text("1"))},
        )


# API_GetItem and others, AttributesToGet: names of attributes, not paths.
def test_attributes_to_get(boto: Any, pairs: str, stored: dict[str, Any]) -> None:
    names = ["n", "gone", "m.z"]
    expected = {"n": stored["n"]}
    key = key_of(stored)
    assert boto.get_item(TableName=pairs, Key=key, AttributesToGet=names)["Item"] == expected
    batch = {pairs: {"Keys": [key], "AttributesToGet": names}}
    assert boto.batch_get_item(RequestItems=batch)["Responses"][pairs] == [expected]
    conditions = {"pk": when("EQ", stored["pk"])}
    query = {"TableName": pairs, "KeyConditions": conditions, "AttributesToGet": names}
    assert boto.query(**query)["Items"] == [expected]
    for select, words in (
        ("COUNT", "Cannot specify the AttributesToGet when choosing to get only the Count"),
        (
            "ALL_ATTRIBUTES",
            "Cannot specify the AttributesToGet when choosing to get ALL_ATTRIBUTES",
        ),
    ):
        with refused("ValidationException", words):
            boto.query(**query, Select=select)
    for again in (["n", "n"], ["n", "s", "n"]):
        with refused("ValidationException"):
            boto.get_item(TableName=pairs, Key=key, AttributesToGet=again)


@pytest.mark.parametrize(
    "mixed",
    [
        {"AttributesToGet": ["a"], "ProjectionExpression": "a"},
        {"QueryFilter": {"a": when("NULL")}, "FilterExpression": "attribute_exists(a)"},
    ],
    ids=str,
)
def test_old_and_new_do_not_mix(boto: Any, pairs: str, pk: str, mixed: dict[str, Any]) -> None:
    with pytest.raises(ClientError, match="Can not use both expression and non-expression"):
        boto.query(TableName=pairs, KeyConditions={"pk": when("EQ", text(pk))}, **mixed)
