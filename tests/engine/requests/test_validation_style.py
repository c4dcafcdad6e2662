"""The classic and the current wording of validation errors.

No table exists in these tests: the wordings differ only in errors that come before any table is
read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.engine.command_context import Settings
from tablewright.engine.database import Database
from tablewright.errors import ValidationError
from tablewright.limits import ITEM_BYTES_MAX

KEY = {"pk": {"S": "a"}}
EQUAL = {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}
# The least that each operation takes.
GET: dict[str, Any] = {"TableName": "abc", "Key": KEY}
PUT: dict[str, Any] = {"TableName": "abc", "Item": KEY}
QUERY: dict[str, Any] = {
    "TableName": "abc",
    "KeyConditionExpression": "pk = :a",
    "ExpressionAttributeValues": {":a": {"S": "a"}},
}
ENVELOPE = "1 validation error detected: "
INVALID = "One or more parameter values were invalid: "
NUMBER = "The parameter cannot be converted to a numeric value"
OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
VALUES = "ExpressionAttributeValues contains invalid value: "
UNUSABLE = "ExpressionAttributeValues can only be specified when using expressions"
SAME_KEY = "KeyConditionExpressions must only contain one condition per key"
AT_LEAST_1 = "failed to satisfy constraint: Member must have length greater than or equal to 1"
ENUM = "ailed to satisfy constraint: Member must satisfy enum value set: "
CAPACITY = f"Value 'x' at 'returnConsumedCapacity' f{ENUM}[INDEXES, TOTAL, NONE]"
RETURNED = f"Value 'c' at 'returnValues' f{ENUM}[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
RETURNED_NOW = f"F{ENUM}[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
OPERATOR = f"Value 'XOR' at 'conditionalOperator' f{ENUM}[OR, AND]"
OPERATOR_NOW = f"F{ENUM}[ALL, OR]"


@pytest.fixture(scope="module")
def classic() -> Iterator[Database]:
    with Database.open() as database:
        yield database


@pytest.fixture(scope="module")
def current() -> Iterator[Database]:
    with Database.open(settings=Settings(wording="current")) as database:
        yield database


def refusal(database: Database, operation: str, request: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as caught:
        database.call(operation, request)
    return caught.value.message


def put(value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "PutItem", {**PUT, "Item": {**KEY, "a": value}}


def filtered(value: dict[str, Any]) -> dict[str, Any]:
    values = {**QUERY["ExpressionAttributeValues"], ":b": value}
    return {**QUERY, "FilterExpression": "a = :b", "ExpressionAttributeValues": values}


@pytest.mark.parametrize(
    ("asked", "older", "newer"),
    [
        (put({"N": "x"}), f"{NUMBER}: x", f"{ENVELOPE}{NUMBER}: x"),
        (put({"N": ""}), NUMBER, f"{ENVELOPE}{NUMBER}: "),
        (put({"N": "1e2147483648"}), f"{NUMBER}: 1e2147483648", f"{ENVELOPE}{OVERFLOW}"),
        (
            put({"SS": ["b", "a", "b", "0"]}),
            f"{INVALID}Input collection [b, a, b, 0] contains duplicates.",
            f'{ENVELOPE}{INVALID}Input collection ["a", "b", "b", "0"] contains duplicates.',
        ),
        (
            put({"NS": ["1", "1.0"]}),
            "Input collection contains duplicates",
            f"{ENVELOPE}{INVALID}Input collection contains duplicates.",
        ),
        (
            put({"BS": ["Yg==", "YQ==", "Yg=="]}),
            f"{INVALID}Input collection [Yg==, YQ==, Yg==]of type BS contains duplicates.",
            (
                f'{ENVELOPE}{INVALID}Input collection ["YQ==","Yg==","Yg=="]of type BS contains '
                "duplicates."
            ),
        ),
        (("GetItem", {**GET, "Key": {"pk": {"N": ""}}}), NUMBER, f"{NUMBER}: "),
        (("Query", filtered({"N": "x"})), f"{VALUES}{NUMBER}: x for key :b", f"{NUMBER}: x"),
        (
            ("DeleteItem", {**GET, "ExpressionAttributeValues": {":a": {"S": "a"}}}),
            f"{UNUSABLE}: ConditionExpression is null",
            f"{ENVELOPE}{UNUSABLE}",
        ),
        (
            ("PutItem", {**PUT, "ReturnValues": "ALL_NEW"}),
            "Return values set to invalid value",
            f"{ENVELOPE}ReturnValues can only be ALL_OLD or NONE",
        ),
        (
            ("PutItem", {**PUT, "ConditionExpression": ""}),
            "Invalid ConditionExpression: The expression can not be empty;",
            f"{ENVELOPE}Invalid ConditionExpression: The expression can not be empty;",
        ),
        (
            ("Query", {**QUERY, "KeyConditionExpression": "pk = :a AND pk = :a"}),
            SAME_KEY,
            f"Invalid KeyConditionExpression: {SAME_KEY}",
        ),
    ],
)
def test_values_and_expressions_are_worded_by_choice(
    classic: Database, current: Database, asked: tuple[str, dict[str, Any]], older: str, newer: str
) -> None:
    assert refusal(classic, *asked) == older
    assert refusal(current, *asked) == newer


@pytest.mark.parametrize(
    ("operation", "request_", "older", "newer"),
    [
        (
            "PutItem",
            {**PUT, "TableName": ""},
            f"1 validation error detected: Value '' at 'tableName' {AT_LEAST_1}",
            f"1 validation error detected: Value at 'TableName' {AT_LEAST_1}",
        ),
        (
            "UpdateItem",
            {"TableName": "", "ReturnConsumedCapacity": "x"},
            f"1 validation error detected: Value '' at 'tableName' {AT_LEAST_1}",
            (
                f"3 validation errors detected: {CAPACITY}; Value '' at 'tableName' {AT_LEAST_1}; "
                "Value null at 'key' failed to satisfy constraint: Member must not be null"
            ),
        ),
        (
            "PutItem",
            {**PUT, "ReturnConsumedCapacity": "x", "ReturnValues": "c"},
            f"2 validation errors detected: {CAPACITY}; {RETURNED}",
            f"2 validation errors detected: {CAPACITY}; {RETURNED_NOW}",
        ),
        (
            "UpdateItem",
            {**GET, "ReturnConsumedCapacity": "x", "ReturnValues": "c"},
            f"2 validation errors detected: {CAPACITY}; {RETURNED}",
            f"{ENVELOPE}{RETURNED_NOW}",
        ),
        (
            "DeleteItem",
            {**GET, "ReturnConsumedCapacity": "x", "ConditionalOperator": "XOR"},
            f"2 validation errors detected: {CAPACITY}; {OPERATOR}",
            f"{ENVELOPE}{OPERATOR_NOW}",
        ),
        (
            "Query",
            {"TableName": "abc", "KeyConditions": {"pk": EQUAL}, "ConditionalOperator": "XOR"},
            f"1 validation error detected: {OPERATOR}",
            OPERATOR_NOW,
        ),
    ],
)
def test_constraints_are_worded_by_choice(
    classic: Database,
    current: Database,
    operation: str,
    request_: dict[str, Any],
    older: str,
    newer: str,
) -> None:
    assert refusal(classic, operation, request_) == older
    assert refusal(current, operation, request_) == newer


@pytest.mark.parametrize("second", ["pk = :missing", "begins_with(pk, :n)"])
def test_the_terms_of_a_key_condition_are_read_one_after_another(
    classic: Database, current: Database, second: str
) -> None:
    terms = {
        "pk = :missing": "An expression attribute value used in expression is not defined; "
        "attribute value: :missing",
        "begins_with(pk, :n)": "Incorrect operand type for operator or function; operator or "
        "function: begins_with, operand type: N",
    }
    first = next(term for term in terms if term != second)
    request = {
        "TableName": "abc",
        "KeyConditionExpression": f"{first} AND {second}",
        "ExpressionAttributeValues": {":n": {"N": "1"}},
    }
    reply = "Invalid KeyConditionExpression: "
    assert refusal(classic, "Query", request) == reply + terms["pk = :missing"]
    assert refusal(current, "Query", request) == reply + terms[first]


@pytest.mark.parametrize("levels", [62, 63], ids=["read", "too deep"])
def test_a_request_nested_very_deeply_gets_the_classic_message(
    current: Database, levels: int
) -> None:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(levels):
        value = {"M": {"a": value}}
    request = {
        **GET,
        "ReturnValues": "c",
        "ConditionExpression": "a = :a",
        "ExpressionAttributeValues": {":a": value},
    }
    reply = RETURNED_NOW if levels == 62 else RETURNED
    assert refusal(current, "DeleteItem", request) == f"{ENVELOPE}{reply}"


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("Scan", {"TableName": "abc", "Limit": 0}),
        ("Scan", {"TableName": ""}),
        ("TransactWriteItems", {"TransactItems": [{"Put": {**PUT, "Item": {"a": {"N": ""}}}}]}),
        ("BatchWriteItem", {"RequestItems": {"abc": [{"DeleteRequest": {"Key": {"a": {}}}}]}}),
        ("PutItem", {**PUT, "Item": {**KEY, "a": {"S": "x" * ITEM_BYTES_MAX}}}),
        ("PutItem", {"TableName": "abc"}),
        ("CreateTable", {"TableName": "ab"}),
    ],
)
def test_the_rest_has_the_same_words(
    classic: Database, current: Database, operation: str, request_: dict[str, Any]
) -> None:
    assert refusal(current, operation, request_) == refusal(classic, operation, request_)


def test_a_long_set_is_refused_at_once(classic: Database) -> None:
    members = [str(number) for number in range(100_000)]
    message = refusal(classic, *put({"SS": [*members, "0"]}))
    assert message.endswith(" 99999, 0] contains duplicates.")
