"""GetItem over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .calls import error_code, number, refused, text, without_metadata

NO_SUCH = "no-such-table-anywhere"
MISMATCH = "The provided key element does not match the schema"


# Serialization


# API_GetItem, "Request Parameters", has the types.
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("TableName", 5),
        ("Key", "x"),
        ("Key", {"pk": "x"}),
        ("Key", {"pk": {"S": 5}}),
        ("ConsistentRead", "x"),
        ("ConsistentRead", {}),
        ("ProjectionExpression", ["a"]),
        ("ExpressionAttributeNames", "x"),
        ("ExpressionAttributeNames", {"#a": ["x"]}),
        ("AttributesToGet", "a"),
        ("ReturnConsumedCapacity", {}),
    ],
)
def test_a_member_of_the_wrong_json_type_is_refused(
    post: Any, plain: str, member: str, value: Any
) -> None:
    request = {"TableName": plain, "Key": {"pk": text("x")}, member: value}
    assert error_code(post("GetItem", request)) == "SerializationException"


# Validation


# API_GetItem: TableName and Key are required.
def test_what_is_missing_is_reported(boto: Any, plain: str) -> None:
    with refused("ValidationException", "Value null at 'key'", "Member must not be null"):
        boto.get_item(TableName=plain)
    with refused("ValidationException", "ableName"):
        boto.get_item(Key={"pk": text("x")})


# API_GetItem, TableName: a name that is no ARN has 3 to 255 characters of a-z, 0-9, _, - and dot.
@pytest.mark.parametrize("name", ["", "ab", "a b c", "a" * 256, "a" * 1025])
def test_a_bad_table_name_is_refused(boto: Any, name: str) -> None:
    with refused("ValidationException"):
        boto.get_item(TableName=name, Key={"pk": text("x")})


# API_GetItem, Key: "For the primary key, you must provide all of the attributes", and nothing
# else; their types are the same keys as the table.
@pytest.mark.parametrize(
    "key",
    [
        {},
        {"pk": text("x")},
        {"sk": text("x")},
        {"pk": text("x"), "other": text("x")},
        {"pk": text("x"), "sk": text("x"), "other": text("x")},
        {"pk": number(1), "sk": text("x")},
        {"pk": text("x"), "sk": {"B": b"x"}},
        {"pk": text("x"), "sk": {"NULL": True}},
    ],
    ids=str,
)
def test_a_key_has_the_schema_of_the_table(boto: Any, pairs: str, key: dict[str, Any]) -> None:
    with refused("ValidationException", MISMATCH):
        boto.get_item(TableName=pairs, Key=key)


# API_PutItem: key values of type String and Binary must be longer than zero bytes; the same
# sentence answers a read.
def test_a_key_is_not_empty(boto: Any, pairs: str, binaries: str) -> None:
    words = "The AttributeValue for a key attribute cannot contain an empty"
    with refused("ValidationException", words, "string value. Key: pk"):
        boto.get_item(TableName=pairs, Key={"pk": text(""), "sk": text("x")})
    with refused("ValidationException", words, "string value. Key: sk"):
        boto.get_item(TableName=pairs, Key={"pk": text("x"), "sk": text("")})
    with refused("ValidationException", words, "binary value. Key: b"):
        boto.get_item(TableName=binaries, Key={"pk": text("x"), "b": {"B": b""}})


# API_GetItem, Errors: ResourceNotFoundException; the request itself is checked first.
def test_a_table_that_is_not_there_is_not_found(boto: Any) -> None:
    with refused("ResourceNotFoundException"):
        boto.get_item(TableName=NO_SUCH, Key={"pk": text("x")})
    with refused("ValidationException", "Invalid ProjectionExpression"):
        boto.get_item(TableName=NO_SUCH, Key={"pk": text("x")}, ProjectionExpression="a,")
    with refused("ValidationException"):
        boto.get_item(TableName=NO_SUCH, Key={"pk": {"N": "x"}})


# API_GetItem, ExpressionAttributeNames: for the projection, and each is used.
def test_names_are_for_the_projection(boto: Any, plain: str) -> None:
    request = {"TableName": plain, "Key": {"pk": text("x")}}
    with refused("ValidationException", "can only be specified when using expressions"):
        boto.get_item(**request, ExpressionAttributeNames={"#a": "a"})
    with refused("ValidationException", "unused in expressions: keys: {#b}"):
        boto.get_item(
            **request,
            ProjectionExpression="#a",
            ExpressionAttributeNames={"#a": "a", "#b": "b"},
        )
    with refused("ValidationException", "ExpressionAttributeNames must not be empty"):
        boto.get_item(**request, ProjectionExpression="a", ExpressionAttributeNames={})
    with refused("ValidationException", "Invalid ProjectionExpression: The expression can not be"):
        boto.get_item(**request, ProjectionExpression="")


# "Legacy conditional parameters": they and expressions exclude each other.
def test_a_projection_excludes_attributes_to_get(boto: Any, plain: str) -> None:
    with refused(
        "ValidationException",
        "Can not use both expression and non-expression parameters",
        "{AttributesToGet}",
        "{ProjectionExpression}",
    ):
        boto.get_item(
            TableName=plain,
            Key={"pk": text("x")},
            ProjectionExpression="a",
            AttributesToGet=["a"],
        )


# API_GetItem, ReturnConsumedCapacity: "INDEXES | TOTAL | NONE".
def test_a_level_of_capacity_that_does_not_exist_is_refused(boto: Any, plain: str) -> None:
    with refused(
        "ValidationException",
        "Value 'SOME' at 'returnConsumedCapacity'",
        "enum value set: [INDEXES, TOTAL, NONE]",
    ):
        boto.get_item(TableName=plain, Key={"pk": text("x")}, ReturnConsumedCapacity="SOME")


# Behaviour


# API_GetItem: "If there is no matching item, GetItem does not return any data and there will be
# no Item element in the response."
def test_an_item_that_is_not_there_is_no_item(boto: Any, plain: str, pk: str) -> None:
    answer = boto.get_item(TableName=plain, Key={"pk": text(pk)})
    assert without_metadata(answer) == {}


# API_GetItem, by a key of each type; numbers are found by their value.
def test_an_item_is_found_by_its_whole_key(
    boto: Any, pairs: str, numbers: str, binaries: str, pk: str
) -> None:
    cases: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        (pairs, {"sk": text("a")}, {"sk": text("a")}),
        (numbers, {"n": {"N": "-1.50"}}, {"n": {"N": "-0.15e1"}}),
        (numbers, {"n": {"N": "0"}}, {"n": {"N": "-0.0"}}),
        (binaries, {"b": {"B": b"\x00\x01"}}, {"b": {"B": b"\x00\x01"}}),
    ]
    for table, put, got in cases:
        boto.put_item(TableName=table, Item={"pk": text(pk), **put, "a": text("x")})
        for consistent in (True, False):
            answer = boto.get_item(
                TableName=table, Key={"pk": text(pk), **got}, ConsistentRead=consistent
            )
            assert answer["Item"]["a"] == text("x")


# API_GetItem, ProjectionExpression: only these attributes, nested as they were; what is not there
# is left out, and an item of which nothing is left is an empty Item.
def test_a_projection_picks_attributes(boto: Any, plain: str, pk: str) -> None:
    item = {
        "pk": text(pk),
        "a": {"M": {"b": {"L": [number(0), number(1), number(2)]}, "c": text("x")}},
        "name": text("y"),
    }
    boto.put_item(TableName=plain, Item=item)

    def got(projection: str, **names: str) -> Any:
        request: dict[str, Any] = {"ProjectionExpression": projection}
        if names:
            request["ExpressionAttributeNames"] = {f"#{key}": name for key, name in names.items()}
        return boto.get_item(TableName=plain, Key={"pk": text(pk)}, **request)["Item"]

    assert got("pk, #n", n="name") == {"pk": text(pk), "name": text("y")}
    assert got("a.b[1]") == {"a": {"M": {"b": {"L": [number(1)]}}}}
    assert got("a.b[2], a.b[0], a.c") == {
        "a": {"M": {"b": {"L": [number(0), number(2)]}, "c": text("x")}}
    }
    assert got("a.nothing, pk, a.b[9], #n.x", n="name") == {"pk": text(pk)}
    assert got("nothing") == {}


# "Capacity unit consumption": a unit per 4 KB read consistently, half of one otherwise; a read of
# nothing costs the least. A projection changes nothing about that.
@pytest.mark.parametrize(
    ("size", "units"), [(None, 1.0), (100, 1.0), (4096, 1.0), (4097, 2.0), (9000, 3.0)]
)
def test_a_read_costs_by_the_size_of_the_item(
    boto: Any, plain: str, pk: str, size: int | None, units: float
) -> None:
    if size is not None:
        filler = "x" * (size - len("pk") - len(pk) - len("a"))
        boto.put_item(TableName=plain, Item={"pk": text(pk), "a": text(filler)})
    request = {"TableName": plain, "Key": {"pk": text(pk)}}
    for more in ({}, {"ProjectionExpression": "pk"}):
        answer = boto.get_item(**request, **more, ReturnConsumedCapacity="TOTAL")
        expected = {"TableName": plain, "CapacityUnits": units / 2}
        assert answer["ConsumedCapacity"] == expected
        answer = boto.get_item(
            **request, **more, ReturnConsumedCapacity="TOTAL", ConsistentRead=True
        )
        assert answer["ConsumedCapacity"]["CapacityUnits"] == units


# API_GetItem, ReturnConsumedCapacity, INDEXES: "some operations, such as GetItem and BatchGetItem,
# do not access any indexes at all": only the table is told.
def test_no_index_is_reported(boto: Any, indexed: str, pk: str) -> None:
    answer = boto.get_item(
        TableName=indexed,
        Key={"pk": text(pk), "sk": text("a")},
        ReturnConsumedCapacity="INDEXES",
    )
    assert answer["ConsumedCapacity"] == {
        "TableName": indexed,
        "CapacityUnits": 0.5,
        "Table": {"CapacityUnits": 0.5},
    }
    answer = boto.get_item(TableName=indexed, Key={"pk": text(pk), "sk": text("a")})
    assert "ConsumedCapacity" not in answer


# API_GetItem, TableName: "You can also provide the Amazon Resource Name (ARN)".
def test_the_table_may_be_named_by_its_arn(boto: Any, plain: str, pk: str) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk)})
    arn = boto.describe_table(TableName=plain)["Table"]["TableArn"]
    assert boto.get_item(TableName=arn, Key={"pk": text(pk)})["Item"] == {"pk": text(pk)}
    with refused("ValidationException"):
        boto.get_item(TableName=f"{arn}/index/any", Key={"pk": text(pk)})
