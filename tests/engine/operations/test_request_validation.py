"""Malformed requests to item operations: the message, and which error comes first.

No table exists in these tests: all these errors come before any table is read.
"""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ResourceNotFound, SerializationError, ValidationError

KEY = {"pk": {"S": "a"}}
# The least that each operation on one table takes.
LEAST: dict[str, dict[str, Any]] = {
    "GetItem": {"Key": KEY},
    "PutItem": {"Item": KEY},
    "UpdateItem": {"Key": KEY},
    "DeleteItem": {"Key": KEY},
    "Query": {
        "KeyConditionExpression": "pk = :a",
        "ExpressionAttributeValues": {":a": {"S": "a"}},
    },
    "Scan": {},
}
MAIN = {"GetItem": "Key", "PutItem": "Item", "UpdateItem": "Key", "DeleteItem": "Key"}
WRITES = ("PutItem", "UpdateItem", "DeleteItem")
READS = ("Query", "Scan")


def refusal(database: Database, operation: str, request: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as caught:
        database.call(operation, request)
    return caught.value.message


def misfit(database: Database, operation: str, request: dict[str, Any]) -> str:
    with pytest.raises(SerializationError) as caught:
        database.call(operation, request)
    return caught.value.message


def constraint(value: str, path: str, text: str) -> str:
    return f"Value {value} at '{path}' failed to satisfy constraint: {text}"


NOT_NULL = "Member must not be null"
CAPACITIES = "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"


# One table.


@pytest.mark.parametrize("operation", LEAST)
def test_a_well_formed_request_reaches_its_table(database: Database, operation: str) -> None:
    with pytest.raises(ResourceNotFound, match="Requested resource not found"):
        database.call(operation, {"TableName": "abc"} | LEAST[operation])


@pytest.mark.parametrize("operation", LEAST)
def test_a_missing_table_name_is_one_failure_among_others(
    database: Database, operation: str
) -> None:
    message = refusal(database, operation, LEAST[operation])
    assert message == f"1 validation error detected: {constraint('null', 'tableName', NOT_NULL)}"
    message = refusal(database, operation, {"ReturnConsumedCapacity": "x"} | LEAST[operation])
    assert message.startswith("2 validation errors detected: ")
    assert constraint("null", "tableName", NOT_NULL) in message
    assert constraint("'x'", "returnConsumedCapacity", CAPACITIES) in message


@pytest.mark.parametrize("operation", LEAST)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("", "Member must have length greater than or equal to 1"),
        ("ab", "Member must have length greater than or equal to 3"),
        ("a" * 256, "Member must have length less than or equal to 255"),
        ("a!b", "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
    ],
)
def test_a_bad_table_name_is_reported_alone(
    database: Database, operation: str, name: str, text: str
) -> None:
    message = refusal(database, operation, {"TableName": name, "ReturnConsumedCapacity": "x"})
    assert message == f"1 validation error detected: {constraint(repr(name), 'tableName', text)}"


@pytest.mark.parametrize(("operation", "field"), MAIN.items())
def test_a_missing_key_or_item_is_named(database: Database, operation: str, field: str) -> None:
    message = refusal(database, operation, {"TableName": "abc"})
    assert message == f"1 validation error detected: {constraint('null', field.lower(), NOT_NULL)}"


@pytest.mark.parametrize("operation", LEAST)
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1, "NUMBER_VALUE cannot be converted to String"),
        (True, "TRUE_VALUE cannot be converted to String"),
        ([], "Unrecognized collection type class java.lang.String"),
        ({}, "Start of structure or map found where not expected"),
    ],
)
def test_a_table_name_is_a_string(
    database: Database, operation: str, value: object, message: str
) -> None:
    assert misfit(database, operation, {"TableName": value}) == message


@pytest.mark.parametrize(("operation", "field"), MAIN.items())
@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("x", "Unexpected field type"),
        ([], "Unrecognized collection type java.util.Map<java.lang.String, "),
        ({"a": "x"}, "Unexpected value type in payload"),
        ({"a": {"N": 1}}, "NUMBER_VALUE cannot be converted to String"),
        ({"a": {"M": {"b": {"BOOL": "x"}}}}, "Unexpected token received from parser"),
    ],
)
def test_keys_and_items_are_maps_of_attribute_values(
    database: Database, operation: str, field: str, value: object, words: str
) -> None:
    assert words in misfit(database, operation, {"TableName": "abc", field: value})


@pytest.mark.parametrize("operation", WRITES)
def test_choices_of_writes_are_reported_together(database: Database, operation: str) -> None:
    request = {
        "TableName": "abc",
        "ReturnConsumedCapacity": "a",
        "ReturnItemCollectionMetrics": "b",
        "ReturnValues": "c",
        "ReturnValuesOnConditionCheckFailure": "d",
    }
    message = refusal(database, operation, request | LEAST[operation])
    assert message.startswith("4 validation errors detected: ")
    assert constraint("'a'", "returnConsumedCapacity", CAPACITIES) in message
    sizes = "Member must satisfy enum value set: [SIZE, NONE]"
    assert constraint("'b'", "returnItemCollectionMetrics", sizes) in message
    values = "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
    assert f"Member must satisfy enum value set: {values}" in message
    assert "at 'returnValuesOnConditionCheckFailure' failed" in message


@pytest.mark.parametrize("operation", READS)
def test_selections_and_index_names_of_reads_are_checked(
    database: Database, operation: str
) -> None:
    request = {"TableName": "abc", "Select": "x", "IndexName": "a;"}
    message = refusal(database, operation, request | LEAST[operation])
    assert message.startswith("3 validation errors detected: ")
    assert "Value 'x' at 'select' failed to satisfy constraint: Member must satisfy enum" in message
    pattern = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
    assert constraint("'a;'", "indexName", pattern) in message
    short = "Member must have length greater than or equal to 3"
    assert constraint("'a;'", "indexName", short) in message


@pytest.mark.parametrize(
    ("operation", "told"), [("Query", "Value at 'Limit' "), ("Scan", "Value '0' at 'limit' ")]
)
def test_limits_are_positive(database: Database, operation: str, told: str) -> None:
    request = {"TableName": "abc", "Limit": 0}
    assert refusal(database, operation, request | LEAST[operation]) == (
        f"1 validation error detected: {told}failed to satisfy constraint: "
        "Member must have value greater than or equal to 1"
    )


@pytest.mark.parametrize("operation", READS)
def test_limits_are_whole_numbers(database: Database, operation: str) -> None:
    request = {"TableName": "abc", "Limit": "1"}
    assert misfit(database, operation, request) == "STRING_VALUE cannot be converted to Integer"


def test_segments_of_a_scan_are_bounded(database: Database) -> None:
    low = {"TableName": "abc", "Segment": -1, "TotalSegments": 0}
    message = refusal(database, "Scan", low)
    assert "Value '-1' at 'segment'" in message
    assert "Value '0' at 'totalSegments'" in message
    high = {"TableName": "abc", "Segment": 1_000_000, "TotalSegments": 1_000_001}
    message = refusal(database, "Scan", high)
    assert "Member must have value less than or equal to 999999" in message
    assert "Member must have value less than or equal to 1000000" in message


@pytest.mark.parametrize("operation", [*MAIN, *READS])
@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("ExpressionAttributeNames", {"#a": 1}, "NUMBER_VALUE cannot be converted to String"),
        ("ExpressionAttributeNames", "x", "Unexpected field type"),
        ("ReturnConsumedCapacity", 1, "NUMBER_VALUE cannot be converted to String"),
    ],
)
def test_types_of_common_fields_are_checked(
    database: Database, operation: str, field: str, value: object, words: str
) -> None:
    request = {"TableName": "abc"} | LEAST[operation] | {field: value}
    assert words in misfit(database, operation, request)


@pytest.mark.parametrize("operation", ["GetItem", "Query", "Scan"])
def test_consistency_is_a_boolean(database: Database, operation: str) -> None:
    request = {"TableName": "abc", "ConsistentRead": "true"}
    assert misfit(database, operation, request) == "Unexpected token received from parser"


def test_parameters_of_other_operations_are_ignored(database: Database) -> None:
    null = {"a": {"ComparisonOperator": "NULL"}}
    request = {
        "TableName": "abc",
        "ScanFilter": null,
        "QueryFilter": "x",
        "KeyConditions": {"a": 1},
    }
    with pytest.raises(ResourceNotFound):
        database.call("Scan", request)


# Batches.


@pytest.mark.parametrize("operation", ["BatchGetItem", "BatchWriteItem"])
def test_a_batch_names_at_least_one_table(database: Database, operation: str) -> None:
    message = refusal(database, operation, {})
    assert constraint("null", "requestItems", NOT_NULL) in message
    message = refusal(database, operation, {"RequestItems": {}})
    assert message == f"The requestItems parameter is required for {operation}"


def test_a_batch_get_asks_each_table_for_1_to_100_keys(database: Database) -> None:
    def ask(asked: dict[str, Any]) -> str:
        return refusal(database, "BatchGetItem", {"RequestItems": {"abc": asked}})

    path = "requestItems.abc.member.keys"
    assert constraint("null", path, NOT_NULL) in ask({})
    least = "Member must have length greater than or equal to 1"
    assert constraint("'[]'", path, least) in ask({"Keys": []})
    message = ask({"Keys": [{"pk": {"S": f"{number}"}} for number in range(101)]})
    assert message == (
        "1 validation error detected: Value at 'RequestItems.abc.member.Keys' failed to satisfy "
        "constraint: Member must have length less than or equal to 100"
    )


def test_a_batch_write_gives_each_table_1_to_25_requests(database: Database) -> None:
    texts = (
        "Map value must satisfy constraint: [Member must have length less than or equal to 25, "
        "Member must have length greater than or equal to 1]"
    )
    message = refusal(database, "BatchWriteItem", {"RequestItems": {"abc": []}})
    assert constraint("'{abc=[]}'", "requestItems", texts) in message
    puts = [{"PutRequest": {"Item": {"pk": {"S": f"{number}"}}}} for number in range(26)]
    assert texts in refusal(database, "BatchWriteItem", {"RequestItems": {"abc": puts}})


def test_a_refusal_does_not_repeat_the_items(database: Database) -> None:
    puts = [{"PutRequest": {"Item": {"pk": {"S": "x" * 10_000}}}} for _ in range(26)]
    assert len(refusal(database, "BatchWriteItem", {"RequestItems": {"abc": puts}})) < 5_000


@pytest.mark.parametrize(
    ("operation", "asked"),
    [
        ("BatchGetItem", {"abc": []}),
        ("BatchGetItem", {"abc": {"Keys": {}}}),
        ("BatchGetItem", {"abc": {"Keys": [{"pk": "a"}]}}),
        ("BatchWriteItem", {"abc": {}}),
        ("BatchWriteItem", {"abc": ["x"]}),
        ("BatchWriteItem", {"abc": [{"PutRequest": {"Item": []}}]}),
    ],
)
def test_wrong_types_in_batches_are_serialization_errors(
    database: Database, operation: str, asked: dict[str, Any]
) -> None:
    assert misfit(database, operation, {"RequestItems": asked})


@pytest.mark.parametrize(("kind", "field"), [("PutRequest", "item"), ("DeleteRequest", "key")])
def test_requests_of_a_batch_write_need_their_item_or_key(
    database: Database, kind: str, field: str
) -> None:
    message = refusal(database, "BatchWriteItem", {"RequestItems": {"abc": [{kind: {}}]}})
    path = f"requestItems.abc.member.1.member.{kind[0].lower()}{kind[1:]}.{field}"
    assert constraint("null", path, NOT_NULL) in message


@pytest.mark.parametrize("operation", ["BatchGetItem", "BatchWriteItem"])
def test_nulls_in_batches_are_refused(database: Database, operation: str) -> None:
    assert "Value null at 'requestItems.abc.member'" in refusal(
        database, operation, {"RequestItems": {"abc": None}}
    )
    request = {"Keys": [None]} if operation == "BatchGetItem" else [None]
    message = refusal(database, operation, {"RequestItems": {"abc": request}})
    assert ".1.member' failed to satisfy constraint: Member must not be null" in message


# Transactions.


@pytest.mark.parametrize("operation", ["TransactGetItems", "TransactWriteItems"])
def test_a_transaction_has_1_to_100_actions(database: Database, operation: str) -> None:
    assert constraint("null", "transactItems", NOT_NULL) in refusal(database, operation, {})
    message = refusal(database, operation, {"TransactItems": []})
    at_least = "Member must have length greater than or equal to 1"
    assert constraint("'[]'", "transactItems", at_least) in message
    kind, field = ("Get", "Key") if operation == "TransactGetItems" else ("Put", "Item")
    action = {kind: {"TableName": "abc", field: KEY}}
    message = refusal(database, operation, {"TransactItems": [action] * 101})
    assert (
        "at 'transactItems' failed to satisfy constraint: Member must have length less" in message
    )


@pytest.mark.parametrize(
    ("kind", "field"),
    [("Put", "item"), ("Delete", "key"), ("Update", "key"), ("ConditionCheck", "key")],
)
def test_failures_in_actions_are_reported_by_their_path(
    database: Database, kind: str, field: str
) -> None:
    sound = {"Put": {"TableName": "abc", "Item": KEY}}
    bad = {kind: {"ReturnValuesOnConditionCheckFailure": "x"}}
    message = refusal(database, "TransactWriteItems", {"TransactItems": [sound, bad]})
    path = f"transactItems.2.member.{kind[0].lower()}{kind[1:]}"
    assert constraint("null", f"{path}.tableName", NOT_NULL) in message
    assert constraint("null", f"{path}.{field}", NOT_NULL) in message
    assert f"Value 'x' at '{path}.returnValuesOnConditionCheckFailure'" in message


def test_failures_in_gets_are_reported_by_their_path(database: Database) -> None:
    message = refusal(database, "TransactGetItems", {"TransactItems": [{"Get": {}}]})
    assert constraint("null", "transactItems.1.member.get.tableName", NOT_NULL) in message
    assert constraint("null", "transactItems.1.member.get.key", NOT_NULL) in message


def test_a_token_has_1_to_36_characters(database: Database) -> None:
    actions = [{"Put": {"TableName": "abc", "Item": KEY}}]
    for token in ("", "x" * 37):
        request = {"TransactItems": actions, "ClientRequestToken": token}
        message = refusal(database, "TransactWriteItems", request)
        assert f"Value '{token}' at 'clientRequestToken' failed to satisfy" in message


@pytest.mark.parametrize(
    ("operation", "actions"),
    [
        ("TransactGetItems", {}),
        ("TransactGetItems", ["x"]),
        ("TransactGetItems", [{"Get": []}]),
        ("TransactWriteItems", [{"Put": "x"}]),
        ("TransactWriteItems", [{"Put": {"TableName": "abc", "Item": {"a": 1}}}]),
        ("TransactWriteItems", [{"Update": {"UpdateExpression": 1}}]),
    ],
)
def test_wrong_types_in_transactions_are_serialization_errors(
    database: Database, operation: str, actions: object
) -> None:
    assert misfit(database, operation, {"TransactItems": actions})
