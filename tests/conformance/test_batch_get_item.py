"""BatchGetItem over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .calls import error_code, error_message, fill, number, refused, text, without_metadata

NO_SUCH = "no-such-table-anywhere"


# Serialization


# API_BatchGetItem, "Request Parameters", has the types.
@pytest.mark.parametrize(
    "items",
    [
        "x",
        [1],
        {"Journal": "x"},
        {"Journal": ["x"]},
        {"Journal": {"Keys": "x"}},
        {"Journal": {"Keys": ["x"]}},
        {"Journal": {"Keys": [{"pk": "x"}]}},
        {"Journal": {"Keys": [{"pk": {"S": 5}}]}},
        {"Journal": {"Keys": [], "ConsistentRead": "x"}},
        {"Journal": {"Keys": [], "ProjectionExpression": 5}},
        {"Journal": {"Keys": [], "ExpressionAttributeNames": "x"}},
        {"Journal": {"Keys": [], "AttributesToGet": "x"}},
    ],
    ids=str,
)
def test_a_member_of_the_wrong_json_type_is_refused(post: Any, items: Any) -> None:
    answer = post("BatchGetItem", {"RequestItems": items})
    assert error_code(answer) == "SerializationException"


# Validation


# API_BatchGetItem, RequestItems: required, 1 to 100 tables; Keys: required, 1 to 100.
def test_there_is_something_to_get(boto: Any, post: Any, plain: str) -> None:
    missing = post("BatchGetItem", {})
    assert error_code(missing) == "ValidationException"
    assert "Value null at 'requestItems'" in error_message(missing)
    with refused("ValidationException", "The requestItems parameter is required for BatchGetItem"):
        boto.batch_get_item(RequestItems={})
    with refused("ValidationException", "at 'requestItems.", "member.keys'", "must not be null"):
        boto.batch_get_item(RequestItems={plain: {}})
    with refused("ValidationException", "member.keys' failed to satisfy constraint", "length"):
        boto.batch_get_item(RequestItems={plain: {"Keys": []}})


# "Legacy conditional parameters": they and expressions exclude each other, in other tables too.
def test_expressions_and_legacy_parameters_exclude_each_other(
    boto: Any, plain: str, pairs: str
) -> None:
    with refused(
        "ValidationException",
        "Non-expression parameters: {AttributesToGet} Expression parameters: {Projection",
    ):
        boto.batch_get_item(
            RequestItems={
                plain: {"Keys": [{"pk": text("a")}], "ProjectionExpression": "pk"},
                pairs: {
                    "Keys": [{"pk": text("a"), "sk": text("b")}],
                    "AttributesToGet": ["pk"],
                },
            }
        )


# API_BatchGetItem: "If you request more than 100 items, BatchGetItem returns a
# ValidationException with the message 'Too many items requested for the BatchGetItem call.'"
def test_a_hundred_keys_are_the_most(boto: Any, plain: str, pairs: str) -> None:
    keys = [{"pk": text(str(n))} for n in range(101)]
    answer = boto.batch_get_item(RequestItems={plain: {"Keys": keys[:100]}})
    assert answer["UnprocessedKeys"] == {}
    with refused(
        "ValidationException",
        f"1 validation error detected: Value at 'RequestItems.{plain}.member.Keys' failed to "
        "satisfy constraint: Member must have length less than or equal to 100",
    ):
        boto.batch_get_item(RequestItems={plain: {"Keys": keys}})
    with refused("ValidationException", "Too many items requested for the BatchGetItem call"):
        boto.batch_get_item(
            RequestItems={
                plain: {"Keys": keys[:60]},
                pairs: {"Keys": [key | {"sk": text("a")} for key in keys[:60]]},
            }
        )


# AWS looks for parameters of old beside expressions in the request as a whole.
def test_projections_of_all_tables_are_of_one_style(boto: Any, plain: str, pairs: str) -> None:
    one = {"Keys": [{"pk": text("x")}], "ProjectionExpression": "a"}
    other = {"Keys": [{"pk": text("x"), "sk": text("x")}], "AttributesToGet": ["a"]}
    with refused(
        "ValidationException",
        "Non-expression parameters: {AttributesToGet} "
        "Expression parameters: {ProjectionExpression}",
    ):
        boto.batch_get_item(RequestItems={plain: one, pairs: other})


# API_BatchGetItem, RequestItems: the names of tables have 3 to 255 characters.
@pytest.mark.parametrize("name", ["ab", "a b c", "a" * 256])
def test_a_bad_table_name_is_refused(boto: Any, name: str) -> None:
    with refused("ValidationException"):
        boto.batch_get_item(RequestItems={name: {"Keys": [{"pk": text("x")}]}})


# API_BatchGetItem, Errors: ResourceNotFoundException, for any of the tables.
def test_a_table_that_is_not_there_is_not_found(boto: Any, plain: str) -> None:
    keys = {"Keys": [{"pk": text("x")}]}
    with refused("ResourceNotFoundException"):
        boto.batch_get_item(RequestItems={NO_SUCH: keys})
    with refused("ResourceNotFoundException"):
        boto.batch_get_item(RequestItems={plain: keys, NO_SUCH: keys})


# API_BatchGetItem: the same key cannot be asked for twice; numbers are the same by their value.
def test_a_key_is_asked_for_once(boto: Any, plain: str, numbers: str, pk: str) -> None:
    words = "Provided list of item keys contains duplicates"
    with refused("ValidationException", words):
        boto.batch_get_item(RequestItems={plain: {"Keys": [{"pk": text(pk)}, {"pk": text(pk)}]}})
    keys = [{"pk": text(pk), "n": {"N": n}} for n in ("1", "1.00")]
    with refused("ValidationException", words):
        boto.batch_get_item(RequestItems={numbers: {"Keys": keys}})


# AWS looks at that before it looks for the table.
def test_a_duplicate_key_is_reported_before_a_missing_table(boto: Any) -> None:
    keys = [{"pk": text("x"), "sk": text("y")}, {"sk": text("y"), "pk": text("x")}]
    with refused("ValidationException", "Provided list of item keys contains duplicates"):
        boto.batch_get_item(RequestItems={"no-such-table-anywhere": {"Keys": keys}})


# API_BatchGetItem, Keys: "you must provide all of the key attributes" of each, of the right type.
@pytest.mark.parametrize(
    "key",
    [
        {"pk": text("x")},
        {"pk": text("x"), "sk": number(1)},
        {"pk": text("x"), "sk": text("x"), "a": text("x")},
    ],
    ids=str,
)
def test_a_key_has_the_schema_of_the_table(boto: Any, pairs: str, key: dict[str, Any]) -> None:
    good = {"pk": text("y"), "sk": text("y")}
    with refused("ValidationException", "The provided key element does not match the schema"):
        boto.batch_get_item(RequestItems={pairs: {"Keys": [good, key]}})


# API_KeysAndAttributes: names are for the projection of the same table, and each is used.
def test_names_are_for_the_projection(boto: Any, plain: str) -> None:
    keys = {"Keys": [{"pk": text("x")}]}
    with refused("ValidationException", "can only be specified when using expressions"):
        boto.batch_get_item(RequestItems={plain: {**keys, "ExpressionAttributeNames": {"#a": "a"}}})
    with refused("ValidationException", "unused in expressions: keys: {#a}"):
        boto.batch_get_item(
            RequestItems={
                plain: {
                    **keys,
                    "ProjectionExpression": "b",
                    "ExpressionAttributeNames": {"#a": "a"},
                }
            }
        )
    with refused("ValidationException", "Invalid ProjectionExpression: Syntax error"):
        boto.batch_get_item(RequestItems={plain: {**keys, "ProjectionExpression": "b,,c"}})
    with refused("ValidationException", "{AttributesToGet}", "{ProjectionExpression}"):
        boto.batch_get_item(
            RequestItems={plain: {**keys, "ProjectionExpression": "b", "AttributesToGet": ["b"]}}
        )


# Behaviour


# API_BatchGetItem: items of one or more tables; those that are not there are not in the result,
# and a table of which nothing was found has an empty list.
def test_items_of_several_tables_are_found(boto: Any, plain: str, pairs: str, pk: str) -> None:
    singles = [{"pk": text(f"{pk}{n}"), "a": number(n)} for n in range(3)]
    doubles = [{"pk": text(pk), "sk": text(str(n))} for n in range(3)]
    fill(boto, plain, singles)
    fill(boto, pairs, doubles)
    answer = boto.batch_get_item(
        RequestItems={
            plain: {"Keys": [{"pk": text(f"{pk}{n}")} for n in range(5)]},
            pairs: {"Keys": [{"pk": text(pk), "sk": text(str(n))} for n in (0, 2)]},
        }
    )
    assert sorted(item["a"]["N"] for item in answer["Responses"][plain]) == ["0", "1", "2"]
    assert sorted(item["sk"]["S"] for item in answer["Responses"][pairs]) == ["0", "2"]
    assert answer["UnprocessedKeys"] == {}
    answer = boto.batch_get_item(RequestItems={plain: {"Keys": [{"pk": text(pk)}]}})
    assert without_metadata(answer) == {"Responses": {plain: []}, "UnprocessedKeys": {}}


# API_KeysAndAttributes, ProjectionExpression: each table has its own.
def test_each_table_has_its_projection(boto: Any, plain: str, pairs: str, pk: str) -> None:
    fill(boto, plain, [{"pk": text(pk), "a": number(1), "b": number(2)}])
    fill(boto, pairs, [{"pk": text(pk), "sk": text("x"), "a": {"L": [number(1), number(2)]}}])
    answer = boto.batch_get_item(
        RequestItems={
            plain: {
                "Keys": [{"pk": text(pk)}],
                "ProjectionExpression": "#b",
                "ExpressionAttributeNames": {"#b": "b"},
            },
            pairs: {
                "Keys": [{"pk": text(pk), "sk": text("x")}],
                "ProjectionExpression": "a[1]",
                "ConsistentRead": True,
            },
        }
    )
    assert answer["Responses"] == {
        plain: [{"b": number(2)}],
        pairs: [{"a": {"L": [number(2)]}}],
    }


# "Capacity unit consumption": each item is rounded up by itself; one entry a table, half the
# units where the read is not consistent, and the least for a key of which there is no item.
def test_capacity_is_returned_by_table(boto: Any, plain: str, pairs: str, pk: str) -> None:
    fill(boto, plain, [{"pk": text(pk), "a": text("x" * 5000)}])
    answer = boto.batch_get_item(
        RequestItems={
            plain: {"Keys": [{"pk": text(pk)}, {"pk": text(f"{pk}-")}], "ConsistentRead": True},
            pairs: {"Keys": [{"pk": text(pk), "sk": text("none")}]},
        },
        ReturnConsumedCapacity="TOTAL",
    )
    consumed = {used["TableName"]: used for used in answer["ConsumedCapacity"]}
    assert consumed == {
        plain: {"TableName": plain, "CapacityUnits": 3.0},
        pairs: {"TableName": pairs, "CapacityUnits": 0.5},
    }


# API_BatchGetItem, INDEXES: only the table is told of.
def test_no_index_is_reported(boto: Any, indexed: str, pk: str) -> None:
    answer = boto.batch_get_item(
        RequestItems={indexed: {"Keys": [{"pk": text(pk), "sk": text("a")}]}},
        ReturnConsumedCapacity="INDEXES",
    )
    assert answer["ConsumedCapacity"] == [
        {"TableName": indexed, "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}}
    ]


# API_BatchGetItem, TableName: an ARN is taken as well.
def test_a_table_may_be_named_by_its_arn(boto: Any, plain: str, pk: str) -> None:
    fill(boto, plain, [{"pk": text(pk)}])
    arn = boto.describe_table(TableName=plain)["Table"]["TableArn"]
    answer = boto.batch_get_item(RequestItems={arn: {"Keys": [{"pk": text(pk)}]}})
    assert list(answer["Responses"].values()) == [[{"pk": text(pk)}]]


# API_BatchGetItem: "can retrieve up to 16 MB of data [...] returns a partial result", with the
# rest in UnprocessedKeys, "in the form of RequestItems, so the value can be provided directly".
def test_more_than_16_megabytes_are_left_for_later(boto: Any, new_table: Any) -> None:
    table = new_table("pk")
    filler = text("x" * 400_000)
    for start in range(0, 44, 11):
        items = [{"pk": text(str(n)), "a": filler} for n in range(start, start + 11)]
        fill(boto, table, items)
    request: Any = {
        table: {
            "Keys": [{"pk": text(str(n))} for n in range(44)],
            "ProjectionExpression": "#k",
            "ExpressionAttributeNames": {"#k": "pk"},
            "ConsistentRead": True,
        }
    }
    answer = boto.batch_get_item(RequestItems=request)
    result = answer["Responses"][table]
    assert 1 <= len(result) <= 41
    left = answer["UnprocessedKeys"][table]
    assert len(left["Keys"]) == 44 - len(result)
    assert {name: left[name] for name in left if name != "Keys"} == {
        name: request[table][name] for name in request[table] if name != "Keys"
    }
    rest = boto.batch_get_item(RequestItems=answer["UnprocessedKeys"])
    result += rest["Responses"][table]
    assert sorted(int(item["pk"]["S"]) for item in result) == list(range(44))
    boto.delete_table(TableName=table)
