"""The exact messages for malformed requests: here the wording is the feature."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine.requests.shapes import (
    Attribute,
    Boolean,
    Integer,
    List,
    Map,
    Shape,
    String,
    Structure,
    TableName,
    Timestamp,
    check,
)
from tablewright.engine.requests.shapes.wording import Path, Violations
from tablewright.errors import SerializationError, ValidationError

GET = Structure(
    TableName=TableName(),
    Key=Map(Attribute(), required=True, key=String(length=(0, 65_535))),
    ConsistentRead=Boolean(),
    AttributesToGet=List(String(length=(1, 20)), length=(1, None)),
    ReturnConsumedCapacity=String(choices=("INDEXES", "TOTAL", "NONE")),
)
CREATE = Structure(
    TableName=TableName(control=True, arn=False),
    KeySchema=List(
        Structure(
            named="KeySchemaElement",
            AttributeName=String(required=True, length=(1, 255)),
            KeyType=String(required=True, choices=("HASH", "RANGE")),
        ),
        required=True,
        length=(1, 2),
    ),
    ProvisionedThroughput=Structure(
        named="ProvisionedThroughput",
        ReadCapacityUnits=Integer(required=True, range=(1, None), long=True),
    ),
    SSESpecification=Structure(SSEType=String(choices=("AES256", "KMS"))),
)
SCAN = Structure(TableName=TableName(), Limit=Integer(range=(1, 100)), Since=Timestamp())
ATTRIBUTE_MAP_EXPECTED = (
    "Unrecognized collection type java.util.Map<java.lang.String, "
    "com.amazonaws.dynamodb.v20120810.AttributeValue>"
)
KEY = {"pk": {"S": "a"}}
# Names and values that come near the shapes, so that random requests get past the first check.
WORDS = (
    "TableName",
    "Key",
    "KeySchema",
    "AttributesToGet",
    "ReturnConsumedCapacity",
    "Limit",
    "AttributeName",
    "KeyType",
    "ConsistentRead",
    "S",
    "N",
    "SS",
    "L",
    "M",
    "BOOL",
    "B",
    "abc",
    "HASH",
    "TOTAL",
    "",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5)
    ),
    max_leaves=20,
)


def refusal(shape: Structure, request: object) -> str:
    with pytest.raises(ValidationError) as caught:
        check(shape, request)
    return caught.value.message


def misfit(shape: Structure, request: object) -> str:
    with pytest.raises(SerializationError) as caught:
        check(shape, request)
    return caught.value.message


def misfit_of(shape: Shape, value: object) -> str:
    return misfit(Structure(Field=shape), {"Field": value})


def test_a_request_of_the_right_shape_passes() -> None:
    check(GET, {"TableName": "abc", "Key": KEY, "ConsistentRead": True})


def test_fields_that_the_shape_does_not_name_are_ignored() -> None:
    check(GET, {"TableName": "abc", "Key": KEY, "Nonsense": [1, {"a": None}]})


def test_null_equals_absent() -> None:
    check(GET, {"TableName": "abc", "Key": KEY, "ConsistentRead": None, "AttributesToGet": None})
    assert refusal(GET, {"TableName": "abc", "Key": None}) == (
        "1 validation error detected: Value null at 'key' failed to satisfy constraint: "
        "Member must not be null"
    )


def test_an_absent_table_name_is_listed_with_the_other_failures() -> None:
    assert refusal(GET, {"ReturnConsumedCapacity": "x"}) == (
        "3 validation errors detected: "
        "Value null at 'tableName' failed to satisfy constraint: Member must not be null; "
        "Value null at 'key' failed to satisfy constraint: Member must not be null; "
        "Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: "
        "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
    )


@pytest.mark.parametrize(
    ("name", "constraint"),
    [
        ("", "Member must have length greater than or equal to 1"),
        ("ab", "Member must have length greater than or equal to 3"),
        ("a" * 256, "Member must have length less than or equal to 255"),
        ("a;bc", "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
        ("abc\n", "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
        ("arn:abc", "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
    ],
)
def test_a_bad_table_name_is_reported_alone(name: str, constraint: str) -> None:
    assert refusal(GET, {"TableName": name, "ReturnConsumedCapacity": "x"}) == (
        f"1 validation error detected: Value '{name}' at 'tableName' failed to satisfy constraint: "
        f"{constraint}"
    )


def test_a_table_may_be_given_by_its_arn() -> None:
    check(GET, {"TableName": "arn:aws:dynamodb:us-east-1:123456789012:table/abc", "Key": KEY})


def test_a_table_is_not_created_by_its_arn() -> None:
    arn = "arn:aws:dynamodb:us-east-1:123456789012:table/abc"
    assert "regular expression pattern" in refusal(CREATE, {"TableName": arn})


def test_operations_on_tables_have_their_own_sentence_for_an_absent_name() -> None:
    assert refusal(CREATE, {}) == (
        "The parameter 'TableName' is required but was not present in the request"
    )


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("", "greater than or equal to 1"),
        ("ab", "greater than or equal to 3"),
        ("a" * 256, "less than or equal to 255"),
    ],
)
def test_operations_on_tables_bound_a_name_as_others_do(name: str, bound: str) -> None:
    assert refusal(CREATE, {"TableName": name, "KeySchema": []}) == (
        f"1 validation error detected: Value '{name}' at 'tableName' failed to satisfy constraint: "
        f"Member must have length {bound}"
    )


@pytest.mark.parametrize("shape", [GET, CREATE], ids=["item", "table"])
def test_the_length_of_a_table_name_is_reported_before_its_pattern(shape: Structure) -> None:
    reply = "Value 'x!' at 'tableName' failed to satisfy constraint: Member must"
    assert refusal(shape, {"TableName": "x!"}) == (
        f"2 validation errors detected: {reply} have length greater than or equal to 3; "
        f"{reply} satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
    )


def test_structures_in_lists_are_reported_by_their_path() -> None:
    request = {
        "TableName": "abc",
        "KeySchema": [{"AttributeName": "", "KeyType": "HASH"}, {"AttributeName": "a"}],
        "ProvisionedThroughput": {"ReadCapacityUnits": 0},
        "SSESpecification": {"SSEType": "x"},
    }
    assert refusal(CREATE, request) == (
        "4 validation errors detected: "
        "Value '' at 'keySchema.1.member.attributeName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1; "
        "Value null at 'keySchema.2.member.keyType' failed to satisfy constraint: "
        "Member must not be null; "
        "Value '0' at 'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: "
        "Member must have value greater than or equal to 1; "
        "Value 'x' at 'sSESpecification.sSEType' failed to satisfy constraint: "
        "Member must satisfy enum value set: [AES256, KMS]"
    )


def test_a_null_in_a_list_of_structures_is_refused() -> None:
    assert refusal(CREATE, {"TableName": "abc", "KeySchema": [None]}) == (
        "1 validation error detected: Value null at 'keySchema.1.member' failed to satisfy "
        "constraint: Member must not be null"
    )


def test_lengths_of_lists_are_bounded() -> None:
    assert refusal(GET, {"TableName": "abc", "Key": KEY, "AttributesToGet": []}) == (
        "1 validation error detected: Value '[]' at 'attributesToGet' failed to satisfy "
        "constraint: Member must have length greater than or equal to 1"
    )


def test_simple_elements_are_reported_in_one_sentence_about_the_list() -> None:
    assert refusal(GET, {"TableName": "abc", "Key": KEY, "AttributesToGet": ["", "a", ""]}) == (
        "1 validation error detected: Value '[, a, ]' at 'attributesToGet' failed to satisfy "
        "constraint: Member must satisfy constraint: [Member must have length less than or equal "
        "to 20, Member must have length greater than or equal to 1]"
    )


def test_map_values_and_keys_are_reported_in_one_sentence_each() -> None:
    shape = Structure(
        RequestItems=Map(
            List(Structure(named="WriteRequest"), length=(1, 25)),
            required=True,
            length=(1, 25),
            key=String(length=(3, 255), pattern="[a-zA-Z0-9_.-]+"),
        )
    )
    assert refusal(shape, {"RequestItems": {"a": []}}) == (
        "2 validation errors detected: "
        "Value '{a=[]}' at 'requestItems' failed to satisfy constraint: "
        "Map keys must satisfy constraint: [Member must have length less than or equal to 255, "
        "Member must have length greater than or equal to 3, "
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]; "
        "Value '{a=[]}' at 'requestItems' failed to satisfy constraint: "
        "Map value must satisfy constraint: [Member must have length less than or equal to 25, "
        "Member must have length greater than or equal to 1]"
    )
    assert refusal(shape, {"RequestItems": {}}) == (
        "1 validation error detected: Value '{}' at 'requestItems' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    )


def test_structures_in_maps_are_reported_by_their_path() -> None:
    shape = Structure(RequestItems=Map(Structure(Keys=List(String(), required=True))))
    assert refusal(shape, {"RequestItems": {"abc": {}}}) == (
        "1 validation error detected: Value null at 'requestItems.abc.member.keys' failed to "
        "satisfy constraint: Member must not be null"
    )


def test_structures_in_lists_in_maps_are_reported_by_their_path() -> None:
    put = Structure(Item=Map(Attribute(), required=True))
    shape = Structure(RequestItems=Map(List(Structure(PutRequest=put), length=(1, 25))))
    assert refusal(shape, {"RequestItems": {"abc": [{}, {"PutRequest": {}}]}}) == (
        "1 validation error detected: "
        "Value null at 'requestItems.abc.member.2.member.putRequest.item' failed to satisfy "
        "constraint: Member must not be null"
    )


def test_numbers_are_bounded_on_both_sides() -> None:
    assert refusal(SCAN, {"TableName": "abc", "Limit": 0}) == (
        "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: "
        "Member must have value greater than or equal to 1"
    )
    assert refusal(SCAN, {"TableName": "abc", "Limit": 101}) == (
        "1 validation error detected: Value '101' at 'limit' failed to satisfy constraint: "
        "Member must have value less than or equal to 100"
    )


def test_no_more_than_ten_failures_are_listed() -> None:
    fields: dict[str, Any] = {f"Field{at}": String(required=True) for at in range(12)}
    message = refusal(Structure(**fields), {})
    assert message.startswith("10 validation errors detected: Value null at 'field0' failed")
    assert message.count("Member must not be null") == 10


SCALAR_MISFITS: list[tuple[Shape, Any, str]] = [
    (String(), True, "TRUE_VALUE cannot be converted to String"),
    (String(), False, "FALSE_VALUE cannot be converted to String"),
    (String(), 1, "NUMBER_VALUE cannot be converted to String"),
    (String(), 1.5, "DECIMAL_VALUE cannot be converted to String"),
    (String(), [], "Unrecognized collection type class java.lang.String"),
    (String(), {}, "Start of structure or map found where not expected"),
    (Boolean(), "x", "Unexpected token received from parser"),
    (Boolean(), 1, "NUMBER_VALUE cannot be converted to Boolean"),
    (Boolean(), [], "Unrecognized collection type class java.lang.Boolean"),
    (Integer(), "1", "STRING_VALUE cannot be converted to Integer"),
    (Integer(), True, "TRUE_VALUE cannot be converted to Integer"),
    (Integer(), 2**31, "Numeric value (2147483648) out of range of int"),
    (Integer(long=True), "1", "STRING_VALUE cannot be converted to Long"),
    (Integer(long=True), [], "Unrecognized collection type class java.lang.Long"),
    (Timestamp(), "x", "STRING_VALUE cannot be converted to milliseconds since epoch"),
    (List(String()), "x", "Unexpected field type"),
    (List(String()), {}, "Start of structure or map found where not expected"),
    (List(String()), [1], "NUMBER_VALUE cannot be converted to String"),
    (Map(String()), 1, "Unexpected field type"),
    (
        Map(String()),
        [],
        "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>",
    ),
    (
        Map(Attribute()),
        [],
        ATTRIBUTE_MAP_EXPECTED,
    ),
    (Structure(named="Select"), "x", "Unexpected value type in payload"),
    (
        Structure(named="Select"),
        [],
        "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.Select",
    ),
]


@pytest.mark.parametrize(("shape", "value", "message"), SCALAR_MISFITS)
def test_a_wrong_json_type_is_a_serialization_error(
    shape: Shape, value: object, message: str
) -> None:
    assert misfit_of(shape, value) == message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x", "Unexpected value type in payload"),
        (
            [],
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue",
        ),
        ({"S": 1}, "NUMBER_VALUE cannot be converted to String"),
        ({"N": 1}, "NUMBER_VALUE cannot be converted to String"),
        ({"B": 1}, "only base-64-encoded strings are convertible to bytes"),
        ({"B": []}, "Unrecognized collection type class java.nio.ByteBuffer"),
        ({"BOOL": "x"}, "Unexpected token received from parser"),
        ({"NULL": 0}, "NUMBER_VALUE cannot be converted to Boolean"),
        ({"SS": "x"}, "Unexpected field type"),
        ({"NS": [1]}, "NUMBER_VALUE cannot be converted to String"),
        ({"BS": [True]}, "only base-64-encoded strings are convertible to bytes"),
        ({"L": {}}, "Start of structure or map found where not expected"),
        ({"L": [{"M": {"a": {"S": True}}}]}, "TRUE_VALUE cannot be converted to String"),
        ({"L": ["x"]}, "Unexpected value type in payload"),
        ({"M": "x"}, "Unexpected field type"),
        (
            {"M": []},
            ATTRIBUTE_MAP_EXPECTED,
        ),
    ],
)
def test_attribute_values_are_checked_for_their_json_types(value: object, message: str) -> None:
    assert misfit(GET, {"TableName": "abc", "Key": {"a": value}}) == message


def test_the_first_wrong_type_in_the_request_is_the_one_reported() -> None:
    assert "Boolean" in misfit(GET, {"ConsistentRead": 1, "TableName": 1})
    assert "String" in misfit(GET, {"TableName": 1, "ConsistentRead": 1})
    nested = {"a": {"L": [{"L": [{"S": 1}]}, {"BOOL": 1}]}}
    assert "String" in misfit(GET, {"TableName": "abc", "Key": nested})


def test_wrong_types_come_before_constraints() -> None:
    assert misfit(GET, {"TableName": "", "ConsistentRead": 1})


@pytest.mark.parametrize(
    "value",
    [None, {}, {"S": None}, {"S": "a", "N": "1"}, {"X": 1}, {"L": [None]}, {"SS": [None]}],
)
def test_what_attribute_values_mean_is_not_decided_here(value: object) -> None:
    check(GET, {"TableName": "abc", "Key": {"a": value}})


def test_deep_nesting_is_walked_without_recursion() -> None:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(20_000):
        value = {"L": [value]}
    check(GET, {"TableName": "abc", "Key": {"a": value}})
    check(GET, {"TableName": "abc", "Key": {"a": value}, "ConsistentRead": None})
    assert refusal(GET, {"TableName": "abc", "Key": {"a": value}, "AttributesToGet": []})


def test_declared_copies_what_the_shape_names_and_nothing_else() -> None:
    request = {"TableName": "abc", "KeySchema": [{"AttributeName": "a", "x": 1}], "Nonsense": 1}
    copied = CREATE.declared(request | {"ProvisionedThroughput": None})
    assert copied == {"TableName": "abc", "KeySchema": [{"AttributeName": "a"}]}
    assert copied["KeySchema"] is not request["KeySchema"]


def test_a_request_that_is_not_an_object_is_refused() -> None:
    assert misfit(GET, []).startswith("Unrecognized collection type class")
    assert misfit(GET, None) == "Unexpected value type in payload"


@given(st.sampled_from([GET, CREATE, SCAN]), st.dictionaries(st.sampled_from(WORDS), JSON))
def test_accepts_agrees_with_the_full_check(shape: Structure, request: dict[str, Any]) -> None:
    before = copy.deepcopy(request)
    try:
        shape.require_types(request)
    except SerializationError:
        assert not shape.accepts(request)
        return
    result = Violations()
    shape.find_problems(request, Path(), result)
    if shape.accepts(request):
        assert not result.sentences
    assert all(
        re.match(r"Value (null|'.*') at '.+' failed to satisfy constraint", told)
        for told in result.sentences
    )
    assert request == before


@pytest.mark.parametrize("kind", ["SS", "NS", "BS", "L", "M"])
def test_a_collection_that_no_item_has_room_for_is_refused_before_it_is_looked_through(
    kind: str,
) -> None:
    members: Any = [object()] * 204_801
    content = dict(enumerate(members)) if kind == "M" else members
    request = {"TableName": "things", "Key": {"a": {kind: content}}}
    with pytest.raises(ValidationError, match="Item size has exceeded"):
        check(GET, request)
