"""Query over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .asking import error_code, index, number, refused, text, without_metadata

PARTITION = "pk = :pk"
NO_SUCH = "no-such-table-anywhere"


def fill(boto: Any, table: str, items: list[dict[str, Any]]) -> None:
    """Write items, 25 at a time."""
    for start in range(0, len(items), 25):
        requests = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
        boto.batch_write_item(RequestItems={table: requests})


def query(boto: Any, table: str, pk: str, condition: str = "", **more: Any) -> Any:
    """Query a partition; the condition is on the rest of the key."""
    values = {":pk": text(pk)} | more.pop("values", {})
    expression = f"{PARTITION} AND {condition}" if condition else PARTITION
    return boto.query(
        TableName=table,
        KeyConditionExpression=expression,
        ExpressionAttributeValues=values,
        **more,
    )


def sort_keys(answer: Any, name: str = "sk") -> list[Any]:
    return [next(iter(item[name].values())) for item in answer["Items"]]


# Serialization


# API_Query, "Request Parameters", has the types.
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("TableName", 5),
        ("IndexName", {"x": 1}),
        ("Select", ["COUNT"]),
        ("Limit", "ten"),
        ("Limit", {}),
        ("ConsistentRead", "yes"),
        ("ScanIndexForward", 2),
        ("ExclusiveStartKey", "x"),
        ("ExclusiveStartKey", {"pk": "x"}),
        ("ExclusiveStartKey", {"pk": {"S": 5}}),
        ("KeyConditionExpression", 5),
        ("FilterExpression", []),
        ("ProjectionExpression", {}),
        ("ExpressionAttributeNames", []),
        ("ExpressionAttributeNames", {"#a": 5}),
        ("ExpressionAttributeValues", "x"),
        ("ExpressionAttributeValues", {":a": "x"}),
        ("ExpressionAttributeValues", {":a": {"SS": "x"}}),
        ("ReturnConsumedCapacity", {}),
    ],
)
def test_a_member_of_the_wrong_json_type_is_refused(
    post: Any, plain: str, member: str, value: Any
) -> None:
    request = {"TableName": plain, "KeyConditionExpression": PARTITION, member: value}
    assert error_code(post("Query", request)) == "SerializationException"


# Validation


# API_Query: TableName is required, and named by 3 to 255 characters.
@pytest.mark.parametrize("name", ["", "ab", "a b c", "a" * 256])
def test_a_bad_table_name_is_refused(boto: Any, name: str) -> None:
    with refused("ValidationException"):
        query(boto, name, "a")


# Failures of constraints are reported together, each with what was given and what is allowed.
# API_Query has the constraints.
def test_all_constraints_that_fail_are_reported(boto: Any, plain: str) -> None:
    with refused(
        "ValidationException",
        "3 validation errors detected",
        "Value 'SOME' at 'select' failed to satisfy constraint: Member must satisfy enum value set",
        "Value 'YES' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy "
        "enum value set",
        "Value 'ab' at 'indexName' failed to satisfy constraint: Member must have length greater "
        "than or equal to 3",
    ):
        query(
            boto,
            plain,
            "a",
            Select="SOME",
            ReturnConsumedCapacity="YES",
            IndexName="ab",
        )


# API_Query, Limit: "Valid Range: Minimum value of 1." AWS looks at it after all other constraints,
# and does not show it.
@pytest.mark.parametrize("limit", [0, -1])
def test_the_limit_is_positive(boto: Any, plain: str, limit: int) -> None:
    with refused(
        "ValidationException",
        "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must "
        "have value greater than or equal to 1",
    ):
        query(boto, plain, "a", Limit=limit)


# API_Query, Errors: ResourceNotFoundException.
def test_a_table_that_is_not_there_is_not_found(boto: Any) -> None:
    with refused("ResourceNotFoundException"):
        query(boto, NO_SUCH, "a")


# The request is checked by itself before its table is looked for: AWS's front end does not know
# the tables.
def test_a_bad_expression_is_refused_before_the_table_is_missed(boto: Any) -> None:
    with refused("ValidationException", "Invalid KeyConditionExpression", "Syntax error"):
        boto.query(TableName=NO_SUCH, KeyConditionExpression="pk = = :a")


# API_Query: "You must provide the name of the partition key attribute and a single value".
def test_a_key_condition_is_required(boto: Any, plain: str) -> None:
    with refused("ValidationException", "KeyConditions or KeyConditionExpression"):
        boto.query(TableName=plain)


# API_Query, KeyConditionExpression: equality on the partition key, at most one condition on the
# sort key, of =, <, <=, >, >=, BETWEEN and begins_with.
@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("", "The expression can not be empty"),
        ("pk", "Syntax error"),
        ("pk = :pk OR sk = :sk", "Invalid operator used in KeyConditionExpression: OR"),
        ("NOT pk = :pk AND sk = :sk", "Invalid operator used in KeyConditionExpression: NOT"),
        ("pk = :pk AND sk <> :sk", "Invalid operator used in KeyConditionExpression: <>"),
        ("pk = :pk AND sk IN (:sk)", "Invalid operator used in KeyConditionExpression: IN"),
        ("pk = :pk AND contains(sk, :sk)", "Invalid operator used in KeyConditionExpression"),
        (
            "pk = :pk AND attribute_exists(sk) AND sk = :sk",
            "Invalid operator used in KeyConditionExpression: attribute_exists",
        ),
        ("pk = :pk AND size(sk) = :sk", "cannot contain nested operations"),
        pytest.param(
            "pk = :pk AND sk.a = :sk", "cannot have conditions on nested attributes", id="nested"
        ),
        ("pk = :pk AND pk = :sk", "must only contain one condition per key"),
        (
            "pk = :pk AND sk > :sk AND sk < :sk",
            "must only contain one condition per key",
        ),
        ("sk = :sk AND sk = :pk", "must only contain one condition per key"),
        ("pk > :pk AND sk = :sk", "Query key condition not supported"),
        ("begins_with(pk, :pk) AND sk = :sk", "Query key condition not supported"),
        pytest.param(
            "sk = :sk AND sk2 = :pk", "Query condition missed key schema element: pk", id="no pk"
        ),
        pytest.param(
            "pk = :pk AND a = :sk", "Query condition missed key schema element: sk", id="no sk"
        ),
        ("pk = :pk AND sk = :other AND a = :sk", "not defined; attribute value: :other"),
        ("#p = :pk AND sk = :sk", "not defined; attribute name: #p"),
        ("pk = :pk AND name = :sk", "reserved keyword"),
    ],
)
def test_a_key_condition_of_another_shape_is_refused(
    boto: Any, pairs: str, expression: str, words: str
) -> None:
    names = {"ExpressionAttributeNames": {"#x": "pk"}} if "#" in expression else {}
    with refused("ValidationException", words):
        boto.query(
            TableName=pairs,
            KeyConditionExpression=expression,
            ExpressionAttributeValues={":pk": text("a"), ":sk": text("b")},
            **names,
        )


# A table without a sort key has nothing else to select by. DynamoDB Local answers so.
def test_a_condition_beyond_the_key_is_refused(boto: Any, plain: str) -> None:
    with refused("ValidationException", "Query key condition not supported"):
        query(boto, plain, "a", "sk = :sk", values={":sk": text("b")})


# "Query", Key condition expressions: the values are of the key's types.
@pytest.mark.parametrize(
    ("pk", "sk"),
    [({"N": "1"}, {"S": "a"}), ({"S": "a"}, {"N": "1"}), ({"S": "a"}, {"BOOL": True})],
)
def test_a_key_value_of_another_type_is_refused(
    boto: Any, pairs: str, pk: dict[str, Any], sk: dict[str, Any]
) -> None:
    with refused("ValidationException", "Condition parameter type does not match schema type"):
        boto.query(
            TableName=pairs,
            KeyConditionExpression="pk = :pk AND sk = :sk",
            ExpressionAttributeValues={":pk": pk, ":sk": sk},
        )


# begins_with is for strings and binaries: "Note that the function name begins_with is
# case-sensitive", API_Query; numbers have no prefix.
def test_numbers_have_no_prefix(boto: Any, numbers: str) -> None:
    with refused("ValidationException", "Incorrect operand type", "begins_with", "N"):
        query(boto, numbers, "a", "begins_with(n, :n)", values={":n": number(1)})


# A range that cannot hold anything is a mistake. DynamoDB Local answers so.
def test_reversed_bounds_are_refused(boto: Any, pairs: str) -> None:
    with refused(
        "ValidationException", "BETWEEN", "upper bound", "greater than or equal to lower bound"
    ):
        query(
            boto,
            pairs,
            "a",
            "sk BETWEEN :from AND :to",
            values={":from": text("b"), ":to": text("a")},
        )


# Bounds of two types do not order. DynamoDB Local answers so.
def test_bounds_of_two_types_are_refused(boto: Any, pairs: str) -> None:
    with refused("ValidationException", "BETWEEN", "same data type"):
        query(
            boto,
            pairs,
            "a",
            "sk BETWEEN :from AND :to",
            values={":from": text("b"), ":to": number(1)},
        )


# Constraints: key values are not empty, partition keys have up to 2048 bytes, sort keys 1024.
@pytest.mark.parametrize(
    ("pk", "sk", "words"),
    [
        ("", "a", "empty string value. Key: pk"),
        ("a", "", "empty string value. Key: sk"),
        ("a" * 2049, "a", "2048 bytes"),
        ("a", "a" * 1025, "1024 bytes"),
    ],
    ids=["empty pk", "empty sk", "long pk", "long sk"],
)
def test_a_key_value_that_no_item_can_have_is_refused(
    boto: Any, pairs: str, pk: str, sk: str, words: str
) -> None:
    with refused("ValidationException", words):
        query(boto, pairs, pk, "sk = :sk", values={":sk": text(sk)})


# "Expression attribute names and values": those that are given are used.
@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"values": {":x": {"S": "x"}}}, "ExpressionAttributeValues unused in expressions"),
        ({"ExpressionAttributeNames": {"#x": "x"}}, "ExpressionAttributeNames unused"),
    ],
    ids=["values", "names"],
)
def test_unused_placeholders_are_refused(
    boto: Any, plain: str, more: dict[str, Any], words: str
) -> None:
    with refused("ValidationException", words):
        query(boto, plain, "a", **dict(more))


# AWS looks for them before it looks at what is asked of the key.
def test_unused_placeholders_are_refused_before_a_condition_that_no_key_can_have(
    boto: Any, plain: str
) -> None:
    with refused("ValidationException", "unused in expressions: keys: {#x}"):
        boto.query(
            TableName=plain,
            KeyConditionExpression="pk = a AND begins_with(b, c)",
            ExpressionAttributeNames={"#x": "x"},
        )


# API_Query, ExpressionAttributeNames and ExpressionAttributeValues: not empty, and named # and :.
@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"ExpressionAttributeValues": {}}, "ExpressionAttributeValues must not be empty"),
        ({"ExpressionAttributeNames": {}}, "ExpressionAttributeNames must not be empty"),
        ({"ExpressionAttributeNames": {"x": "x"}}, 'Syntax error; key: "x"'),
        ({"ExpressionAttributeValues": {"x": {"S": "x"}}}, 'Syntax error; key: "x"'),
        ({"ExpressionAttributeValues": {":pk": {}}}, "must contain exactly one"),
        ({"ExpressionAttributeValues": {":pk": {"S": "a", "N": "1"}}}, "more than one datatypes"),
        pytest.param(
            {"ExpressionAttributeValues": {":pk": {"N": "x"}}},
            "cannot be converted to a numeric",
            id="number",
        ),
    ],
)
def test_bad_placeholders_are_refused(
    post: Any, plain: str, more: dict[str, Any], words: str
) -> None:
    request = {
        "TableName": plain,
        "KeyConditionExpression": PARTITION,
        "ExpressionAttributeValues": {":pk": text("a")},
    }
    answer = post("Query", request | more)
    assert error_code(answer) == "ValidationException"
    assert words in (answer[1].get("message") or answer[1]["Message"])


# AWS takes KeyConditions together with expressions in the places of other parameters.
def test_key_conditions_go_with_other_expressions(boto: Any, pairs: str, pk: str) -> None:
    for sk, a in (("1", 1), ("2", 2), ("3", 2)):
        item = {"pk": text(pk), "sk": text(sk), "a": number(a)}
        boto.put_item(TableName=pairs, Item=item)
    found = boto.query(
        TableName=pairs,
        KeyConditions={
            "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [text(pk)]},
            "sk": {"ComparisonOperator": "LT", "AttributeValueList": [text("3")]},
        },
        FilterExpression="#l2 = :l2",
        ProjectionExpression="sk",
        ExpressionAttributeNames={"#l2": "a"},
        ExpressionAttributeValues={":l2": number(2)},
    )
    assert found["Items"] == [{"sk": text("2")}]


# But not a filter of old.
def test_a_filter_of_old_goes_with_no_expression(boto: Any, pairs: str) -> None:
    with refused(
        "ValidationException",
        "Can not use both expression and non-expression parameters in the same request",
        "{QueryFilter}",
        "{ProjectionExpression}",
    ):
        boto.query(
            TableName=pairs,
            KeyConditions={"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [text("a")]}},
            QueryFilter={"a": {"ComparisonOperator": "NULL"}},
            ProjectionExpression="a",
        )


# API_Query, KeyConditions and others are legacy: they do not go with expressions.
@pytest.mark.parametrize(
    ("legacy", "value"),
    [
        ("KeyConditions", {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}),
        ("QueryFilter", {"a": {"ComparisonOperator": "NULL"}}),
        ("AttributesToGet", ["a"]),
        ("ConditionalOperator", "AND"),
    ],
)
def test_expressions_and_legacy_parameters_are_not_mixed(
    boto: Any, plain: str, legacy: str, value: Any
) -> None:
    with refused(
        "ValidationException",
        "Can not use both expression and non-expression parameters in the same request",
        f"{{{legacy}}}",
        "{KeyConditionExpression}",
    ):
        query(boto, plain, "a", **{legacy: value})


# API_Query, FilterExpression: "A FilterExpression does not allow key attributes."
@pytest.mark.parametrize(
    ("index_name", "name", "condition"),
    [
        (None, "sk", "pk = :a"),
        (None, "pk", "pk = :a"),
        ("by_l", "l", "pk = :a"),
        ("by_g", "g", "g = :a"),
        ("by_g", "h", "g = :a"),
    ],
)
def test_a_filter_on_the_key_is_refused(
    boto: Any, indexed: str, index_name: str | None, name: str, condition: str
) -> None:
    with refused("ValidationException", "non-primary key attributes", f"attribute: {name}"):
        boto.query(
            TableName=indexed,
            KeyConditionExpression=condition,
            FilterExpression=f"attribute_exists({name})",
            ExpressionAttributeValues={":a": text("a")},
            **({"IndexName": index_name} if index_name else {}),
        )


# "Comparison operator and function reference": what cannot be true of any value is refused even
# where there is nothing to filter.
@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("a < :yes", "Incorrect operand type for operator or function"),
        ("begins_with(a, :one)", "Incorrect operand type for operator or function"),
        ("attribute_type(a, :pk)", "Invalid attribute type name"),
        ("a BETWEEN :two AND :one", "upper bound"),
        ("size(a)", "not allowed to be used this way"),
        ("a = :nothing", "not defined; attribute value: :nothing"),
        ("contains(a, a)", "operand must be distinct"),
        ("nonsense(a)", "Invalid function name"),
        ("", "The expression can not be empty"),
        ("a = :one AND", "Syntax error"),
        ("((a = :one))", "redundant parentheses"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(
    boto: Any, plain: str, expression: str, words: str
) -> None:
    values = {":pk": text("a"), ":one": number(1), ":two": number(2), ":yes": {"BOOL": True}}
    used = {name: value for name, value in values.items() if name in expression + PARTITION}
    with refused("ValidationException", "Invalid FilterExpression", words):
        boto.query(
            TableName=plain,
            KeyConditionExpression=PARTITION,
            FilterExpression=expression,
            ExpressionAttributeValues=used,
        )


# API_Query, Select: which values go with ProjectionExpression and with an index. AWS says how many
# errors there are, which it does not for Scan.
@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"Select": "SPECIFIC_ATTRIBUTES"}, "SPECIFIC_ATTRIBUTES"),
        ({"Select": "ALL_PROJECTED_ATTRIBUTES"}, "ALL_PROJECTED_ATTRIBUTES"),
        ({"Select": "COUNT", "ProjectionExpression": "a"}, "Cannot specify"),
        ({"Select": "ALL_ATTRIBUTES", "ProjectionExpression": "a"}, "Cannot specify"),
    ],
)
def test_select_must_go_with_the_projection(
    boto: Any, plain: str, more: dict[str, Any], words: str
) -> None:
    with refused("ValidationException", "1 validation error detected: ", words):
        query(boto, plain, "a", **more)


# "Projection expressions": distinct paths, none a part of another.
@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("a, a", "Two document paths overlap"),
        ("a.b, a", "Two document paths overlap"),
        ("a.b, a[0]", "conflict"),
        ("", "can not be empty"),
        ("a,", "Syntax error"),
    ],
)
def test_a_projection_that_makes_no_sense_is_refused(
    boto: Any, plain: str, expression: str, words: str
) -> None:
    with refused("ValidationException", "Invalid ProjectionExpression", words):
        query(boto, plain, "a", ProjectionExpression=expression)


# API_Query, IndexName: an index of the table.
def test_an_index_that_is_not_there_is_refused(boto: Any, plain: str) -> None:
    with refused("ValidationException", "does not have the specified index", "no-such-index"):
        query(boto, plain, "a", IndexName="no-such-index")


# API_Query, ConsistentRead: "not supported on global secondary indexes".
def test_a_consistent_read_of_a_global_index_is_refused(boto: Any, indexed: str) -> None:
    with refused("ValidationException", "Consistent reads are not supported on global secondary"):
        boto.query(
            TableName=indexed,
            IndexName="by_g",
            KeyConditionExpression="g = :g",
            ExpressionAttributeValues={":g": text("a")},
            ConsistentRead=True,
        )


# API_Query, Select: a global index that does not hold all attributes cannot give them all.
def test_a_global_index_gives_only_what_it_holds(boto: Any, indexed: str) -> None:
    request = {
        "TableName": indexed,
        "IndexName": "by_g_some",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": text("a")},
    }
    with refused("ValidationException", "ALL_ATTRIBUTES", "by_g_some"):
        boto.query(**request, Select="ALL_ATTRIBUTES")
    with refused("ValidationException", "by_g_some", "does not project", "c"):
        boto.query(**request, ProjectionExpression="a, c")


# API_Query, ExclusiveStartKey: a key of the table or index, in the partition that is asked for.
@pytest.mark.parametrize(
    "start",
    [
        {"pk": {"S": "PK"}},
        {"pk": {"S": "PK"}, "sk": {"N": "1"}},
        {"pk": {"S": "PK"}, "sk": {"S": "a"}, "x": {"S": "a"}},
        {"pk": {"S": "PK"}, "x": {"S": "a"}},
        {"pk": {"S": "another"}, "sk": {"S": "a"}},
        {},
    ],
    ids=["part", "type", "more", "other", "partition", "empty"],
)
def test_a_start_that_is_no_key_of_the_partition_is_refused(
    boto: Any, pairs: str, pk: str, start: dict[str, Any]
) -> None:
    mine = {name: text(pk) if value == text("PK") else value for name, value in start.items()}
    with refused("ValidationException", "starting key"):
        query(boto, pairs, pk, ExclusiveStartKey=mine)


# A start outside of the range of the key condition cannot have come from such a query.
# DynamoDB Local answers so.
def test_a_start_outside_of_the_range_is_refused(boto: Any, pairs: str, pk: str) -> None:
    with refused("ValidationException", "starting key", "range key predicate"):
        query(
            boto,
            pairs,
            pk,
            "sk > :sk",
            values={":sk": text("m")},
            ExclusiveStartKey={"pk": text(pk), "sk": text("a")},
        )


# Behaviour


# API_Query, "Response Elements": nothing found is no error.
def test_a_partition_that_is_not_there_is_empty(boto: Any, pairs: str, pk: str) -> None:
    answer = query(boto, pairs, pk)
    assert without_metadata(answer) == {"Items": [], "Count": 0, "ScannedCount": 0}


# API_Query, ScanIndexForward: "in order of UTF-8 bytes" for strings. U+FFFF comes before U+1F600
# there, but not in UTF-16.
@pytest.mark.parametrize("forward", [True, False])
def test_strings_are_in_the_order_of_their_bytes(
    boto: Any, pairs: str, pk: str, forward: bool
) -> None:
    ordered = ["\x01", "0", "10", "9", "A", "a", "aa", "a\u0301", "é", "\uffff", "\U0001f600"]
    ordered.sort(key=str.encode)
    fill(boto, pairs, [{"pk": text(pk), "sk": text(key)} for key in reversed(ordered)])
    found = sort_keys(query(boto, pairs, pk, ScanIndexForward=forward))
    assert found == (ordered if forward else ordered[::-1])


# API_Query, ScanIndexForward: numbers in numeric order, whatever their magnitude and sign.
@pytest.mark.parametrize("forward", [True, False])
def test_numbers_are_in_the_order_of_their_values(
    boto: Any, numbers: str, pk: str, forward: bool
) -> None:
    ordered = [
        "-9.9999999999999999999999999999999999999E+125",
        "-1000",
        "-999.5",
        "-10",
        "-9",
        "-1E-130",
        "0",
        "1E-130",
        "0.5",
        "1",
        "9",
        "10",
        "99999999999999999999999999999999999998",
        "99999999999999999999999999999999999999",
        "1E+125",
    ]
    fill(boto, numbers, [{"pk": text(pk), "n": number(n)} for n in ordered[::2] + ordered[1::2]])
    answer = query(boto, numbers, pk, ScanIndexForward=forward)
    found = [float(item["n"]["N"]) for item in answer["Items"]]
    assert len(found) == len(ordered)
    assert found == sorted(map(float, ordered), reverse=not forward)


# API_Query, ScanIndexForward: binaries as unsigned bytes.
@pytest.mark.parametrize("forward", [True, False])
def test_binaries_are_in_the_order_of_unsigned_bytes(
    boto: Any, binaries: str, pk: str, forward: bool
) -> None:
    ordered = [b"\x00", b"\x00\x00", b"\x01", b"\x7f", b"\x7f\xff", b"\x80", b"\xff", b"\xff\x00"]
    fill(boto, binaries, [{"pk": text(pk), "b": {"B": key}} for key in reversed(ordered)])
    found = sort_keys(query(boto, binaries, pk, ScanIndexForward=forward), "b")
    assert found == (ordered if forward else ordered[::-1])


# API_Query, KeyConditionExpression: each comparison, on either side, on each type of key.
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("sk = :b", ["b"]),
        ("sk < :b", ["a", "ab"]),
        ("sk <= :b", ["a", "ab", "b"]),
        ("sk > :b", ["ba", "c"]),
        ("sk >= :b", ["b", "ba", "c"]),
        (":b <= sk", ["b", "ba", "c"]),
        ("sk BETWEEN :a AND :b", ["a", "ab", "b"]),
        ("sk BETWEEN :b AND :b", ["b"]),
        ("begins_with(sk, :a)", ["a", "ab"]),
        ("begins_with(sk, :b)", ["b", "ba"]),
        ("(sk > :b)", ["ba", "c"]),
    ],
)
def test_the_sort_key_is_compared(
    boto: Any, pairs: str, pk: str, condition: str, expected: list[str]
) -> None:
    fill(boto, pairs, [{"pk": text(pk), "sk": text(key)} for key in ("a", "ab", "b", "ba", "c")])
    values = {f":{key}": text(key) for key in ("a", "b") if f":{key}" in condition}
    assert sort_keys(query(boto, pairs, pk, condition, values=values)) == expected


# The same for numbers, which compare by value and not by how they are written.
@pytest.mark.parametrize(
    ("condition", "values", "expected"),
    [
        ("n = :a", ["2.0"], ["2"]),
        ("n < :a", ["10"], ["-3", "2"]),
        ("n >= :a", ["1e1"], ["10", "30"]),
        ("n BETWEEN :a AND :b", ["-3.00", "10"], ["-3", "2", "10"]),
    ],
)
def test_numbers_are_compared_by_value(
    boto: Any, numbers: str, pk: str, condition: str, values: list[str], expected: list[str]
) -> None:
    fill(boto, numbers, [{"pk": text(pk), "n": number(n)} for n in ("30", "10", "2", "-3")])
    given = dict(zip((":a", ":b"), map(number, values), strict=False))
    assert sort_keys(query(boto, numbers, pk, condition, values=given), "n") == expected


# begins_with on bytes, also where the prefix ends in the highest byte.
def test_binaries_have_prefixes(boto: Any, binaries: str, pk: str) -> None:
    keys = [b"\x01", b"\xff", b"\xff\x00", b"\xff\xff", b"\xff\xff\x01"]
    fill(boto, binaries, [{"pk": text(pk), "b": {"B": key}} for key in keys])
    for prefix, expected in ((b"\xff", keys[1:]), (b"\xff\xff", keys[3:]), (b"\x01", keys[:1])):
        answer = query(
            boto, binaries, pk, "begins_with(b, :prefix)", values={":prefix": {"B": prefix}}
        )
        assert sort_keys(answer, "b") == expected


# "Expression attribute names": a key may be named by a placeholder, in any order.
def test_a_key_condition_may_use_names_in_any_order(boto: Any, pairs: str, pk: str) -> None:
    fill(boto, pairs, [{"pk": text(pk), "sk": text(key)} for key in "abc"])
    answer = boto.query(
        TableName=pairs,
        KeyConditionExpression="#s > :s AND :p = #p",
        ExpressionAttributeNames={"#s": "sk", "#p": "pk"},
        ExpressionAttributeValues={":s": text("a"), ":p": text(pk)},
    )
    assert sort_keys(answer) == ["b", "c"]


# A partition key is matched whole, not as a prefix of another.
def test_a_partition_has_no_items_of_another(boto: Any, pairs: str, pk: str) -> None:
    fill(boto, pairs, [{"pk": text(pk + end), "sk": text("a")} for end in ("", "a", "\x00")])
    assert query(boto, pairs, pk)["Count"] == 1


# API_Query, Limit: "processes the number of items up to the limit while processing the results,
# it stops the operation and returns the matching values up to that point, and a key in
# LastEvaluatedKey".
@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_follow_each_other(boto: Any, pairs: str, pk: str, limit: int, forward: bool) -> None:
    keys = ["a", "b", "c", "d", "e"]
    fill(boto, pairs, [{"pk": text(pk), "sk": text(key)} for key in keys])
    found: list[str] = []
    more: dict[str, Any] = {}
    while True:
        answer = query(boto, pairs, pk, Limit=limit, ScanIndexForward=forward, **more)
        assert answer["Count"] <= limit
        found += sort_keys(answer)
        if "LastEvaluatedKey" not in answer:
            break
        assert answer["LastEvaluatedKey"] == {"pk": text(pk), "sk": text(found[-1])}
        more = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    assert found == (keys if forward else keys[::-1])


# "Paginating table query results": a LastEvaluatedKey "does not necessarily mean that there is
# more data"; a page that the limit ended has one, and what follows is empty.
def test_a_full_last_page_has_a_last_key(boto: Any, pairs: str, pk: str) -> None:
    fill(boto, pairs, [{"pk": text(pk), "sk": text(key)} for key in "ab"])
    answer = query(boto, pairs, pk, Limit=2)
    assert answer["LastEvaluatedKey"] == {"pk": text(pk), "sk": text("b")}
    rest = query(boto, pairs, pk, ExclusiveStartKey=answer["LastEvaluatedKey"])
    assert without_metadata(rest) == {"Items": [], "Count": 0, "ScannedCount": 0}
    assert "LastEvaluatedKey" not in query(boto, pairs, pk, Limit=3)


# A start is a position, not an item: what was there may be gone. DynamoDB Local answers so.
@pytest.mark.parametrize(("forward", "expected"), [(True, ["c"]), (False, ["a"])])
def test_a_start_need_not_exist(
    boto: Any, pairs: str, pk: str, forward: bool, expected: list[str]
) -> None:
    fill(boto, pairs, [{"pk": text(pk), "sk": text(key)} for key in "ac"])
    start = {"pk": text(pk), "sk": text("b")}
    answer = query(boto, pairs, pk, ExclusiveStartKey=start, ScanIndexForward=forward)
    assert sort_keys(answer) == expected


# API_Query, ScannedCount and FilterExpression: "applied after the items have already been read";
# the limit is on what is read.
def test_a_filter_counts_what_was_read(boto: Any, pairs: str, pk: str) -> None:
    fill(boto, pairs, [{"pk": text(pk), "sk": number_text(n), "a": number(n)} for n in range(10)])
    more = {"FilterExpression": "a >= :five", "values": {":five": number(5)}}
    answer = query(boto, pairs, pk, **dict(more))
    assert (answer["Count"], answer["ScannedCount"]) == (5, 10)
    answer = query(boto, pairs, pk, Limit=6, **dict(more))
    assert (answer["Count"], answer["ScannedCount"]) == (1, 6)
    assert answer["LastEvaluatedKey"] == {"pk": text(pk), "sk": text("5")}
    answer = query(boto, pairs, pk, Limit=3, **dict(more))
    assert (answer["Count"], answer["ScannedCount"], answer["Items"]) == (0, 3, [])
    assert "LastEvaluatedKey" in answer


def number_text(value: int) -> dict[str, str]:
    return text(str(value))


# API_Query, Select: COUNT "returns the number of matching items, rather than the matching items
# themselves".
def test_a_count_has_no_items(boto: Any, pairs: str, pk: str) -> None:
    fill(boto, pairs, [{"pk": text(pk), "sk": text(key), "a": text(key)} for key in "abc"])
    answer = query(boto, pairs, pk, Select="COUNT")
    assert without_metadata(answer) == {"Count": 3, "ScannedCount": 3}
    answer = query(
        boto,
        pairs,
        pk,
        Select="COUNT",
        Limit=2,
        FilterExpression="a <> :a",
        values={":a": text("a")},
    )
    assert without_metadata(answer) == {
        "Count": 1,
        "ScannedCount": 2,
        "LastEvaluatedKey": {"pk": text(pk), "sk": text("b")},
    }


# API_Query, ProjectionExpression: top-level and nested attributes; those that are not there are
# left out. An item without any of them is still an item, an empty one.
def test_a_projection_gives_only_what_it_names(boto: Any, pairs: str, pk: str) -> None:
    whole = {
        "pk": text(pk),
        "sk": text("a"),
        "name": text("x"),
        "m": {"M": {"a": {"L": [number(1), number(2), number(3)]}, "b": number(4)}},
    }
    fill(boto, pairs, [whole, {"pk": text(pk), "sk": text("b")}])
    answer = query(
        boto,
        pairs,
        pk,
        ProjectionExpression="#n, m.a[2], m.a[0], m.c, x",
        ExpressionAttributeNames={"#n": "name"},
        Select="SPECIFIC_ATTRIBUTES",
    )
    assert answer["Items"] == [
        {"name": text("x"), "m": {"M": {"a": {"L": [number(1), number(3)]}}}},
        {},
    ]
    assert answer["Count"] == 2


# API_Query: "A single Query operation will read up to the maximum number of items set (if using
# the Limit parameter) or a maximum of 1 MB of data and then apply any filtering".
def test_a_page_ends_at_a_megabyte_before_the_filter(boto: Any, new_table: Any, pk: str) -> None:
    table = new_table("pk", "sk")
    items = [
        {"pk": text(pk), "sk": text(f"{n:02}"), "a": text("x" * 99_000), "n": number(n)}
        for n in range(15)
    ]
    for item in items:
        boto.put_item(TableName=table, Item=item)
    first = query(boto, table, pk, ReturnConsumedCapacity="TOTAL")
    assert first["Count"] in (10, 11)
    assert first["LastEvaluatedKey"]["sk"] == text(f"{first['Count'] - 1:02}")
    rest = query(boto, table, pk, ExclusiveStartKey=first["LastEvaluatedKey"])
    assert sort_keys(first) + sort_keys(rest) == [f"{n:02}" for n in range(15)]
    assert "LastEvaluatedKey" not in rest
    filtered = query(boto, table, pk, FilterExpression="n > :last", values={":last": number(13)})
    assert (filtered["Count"], filtered["ScannedCount"]) == (0, first["Count"])
    projected = query(boto, table, pk, ProjectionExpression="sk")
    assert projected["Count"] == first["Count"]
    counted = query(boto, table, pk, Select="COUNT")
    assert counted["Count"] == first["Count"]
    boto.delete_table(TableName=table)


# GSI, "Querying a global secondary index": sorted by the index's key; items without it are not
# there ("sparse"); several may have the same.
def test_a_global_index_is_queried(boto: Any, indexed: str, pk: str) -> None:
    rows = [("a", 3), ("b", 1), ("c", 2), ("d", 1)]
    items = [{"pk": text(pk), "sk": text(key), "g": text(pk), "h": number(h)} for key, h in rows]
    sparse = [
        {"pk": text(pk), "sk": text("e"), "g": text(pk)},
        {"pk": text(pk), "sk": text("f"), "h": number(1)},
    ]
    fill(boto, indexed, items + sparse)
    request = {
        "TableName": indexed,
        "IndexName": "by_g",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": text(pk)},
    }
    answer = boto.query(**request)
    assert [item["h"]["N"] for item in answer["Items"]] == ["1", "1", "2", "3"]
    assert set(sort_keys(answer)[:2]) == {"b", "d"}
    request["KeyConditionExpression"] += " AND h BETWEEN :from AND :to"
    request["ExpressionAttributeValues"] |= {":from": number(2), ":to": number(9)}
    assert sort_keys(boto.query(**request)) == ["c", "a"]
    assert sort_keys(boto.query(**request, ScanIndexForward=False)) == ["a", "c"]


# GSI, and API_Query, LastEvaluatedKey: the key of the index and that of the table, since many
# items may have the same index key.
@pytest.mark.parametrize("forward", [True, False])
def test_pages_of_an_index_whose_keys_are_equal(
    boto: Any, indexed: str, pk: str, forward: bool
) -> None:
    items = [
        {"pk": text(f"{pk}{n % 3}"), "sk": text(str(n)), "g": text(pk), "h": number(1)}
        for n in range(7)
    ]
    fill(boto, indexed, items)
    found: list[str] = []
    more: dict[str, Any] = {}
    while True:
        answer = boto.query(
            TableName=indexed,
            IndexName="by_g",
            KeyConditionExpression="g = :g",
            ExpressionAttributeValues={":g": text(pk)},
            Limit=2,
            ScanIndexForward=forward,
            **more,
        )
        found += sort_keys(answer)
        if "LastEvaluatedKey" not in answer:
            break
        assert set(answer["LastEvaluatedKey"]) == {"pk", "sk", "g", "h"}
        more = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    assert sorted(found) == [str(n) for n in range(7)]


# GSI, "Attribute projections": KEYS_ONLY, INCLUDE and ALL; table keys are always there.
@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("by_g", {"pk", "sk", "g", "h", "a", "c", "l"}),
        ("by_g_keys", {"pk", "sk", "g", "h"}),
        ("by_g_some", {"pk", "sk", "g", "h", "a"}),
        ("by_l", {"pk", "sk", "g", "h", "a", "c", "l"}),
        ("by_l_keys", {"pk", "sk", "l"}),
        ("by_l_some", {"pk", "sk", "l", "a"}),
    ],
)
def test_an_index_gives_what_it_projects(
    boto: Any, indexed: str, pk: str, name: str, names: set[str]
) -> None:
    whole = {"pk": text(pk), "sk": text("a"), "g": text(pk), "h": number(1), "l": number(2)}
    boto.put_item(TableName=indexed, Item=whole | {"a": text("x"), "c": text("y")})
    partition = "g" if name.startswith("by_g") else "pk"
    answer = boto.query(
        TableName=indexed,
        IndexName=name,
        KeyConditionExpression=f"{partition} = :p",
        ExpressionAttributeValues={":p": text(pk)},
    )
    assert [set(item) for item in answer["Items"]] == [names]


# LSI, "Reading from a local secondary index": attributes that it does not hold are fetched from
# the table, for a Query that asks for them.
@pytest.mark.parametrize(
    "more", [{"Select": "ALL_ATTRIBUTES"}, {"ProjectionExpression": "c, sk"}], ids=["all", "some"]
)
def test_a_local_index_fetches_what_it_does_not_hold(
    boto: Any, indexed: str, pk: str, more: dict[str, Any]
) -> None:
    whole = {"pk": text(pk), "sk": text("a"), "l": number(2), "c": text("y")}
    boto.put_item(TableName=indexed, Item=whole)
    answer = query(
        boto, indexed, pk, "l = :l", IndexName="by_l_keys", values={":l": number(2)}, **more
    )
    expected = whole if "Select" in more else {"c": text("y"), "sk": text("a")}
    assert answer["Items"] == [expected]


# LSI, "Local secondary indexes": strongly consistent reads are possible.
def test_a_local_index_is_read_consistently(boto: Any, indexed: str, pk: str) -> None:
    fill(
        boto,
        indexed,
        [{"pk": text(pk), "sk": text(str(n)), "l": number(-n)} for n in range(3)]
        + [{"pk": text(pk), "sk": text("x")}],
    )
    answer = query(boto, indexed, pk, IndexName="by_l", ConsistentRead=True)
    assert sort_keys(answer) == ["2", "1", "0"]
    answer = query(boto, indexed, pk, IndexName="by_l", Limit=1)
    assert answer["LastEvaluatedKey"] == {"pk": text(pk), "sk": text("2"), "l": number(-2)}


# An index follows its items: when a key attribute changes, when it goes, when the item goes.
def test_an_index_follows_its_items(boto: Any, indexed: str, pk: str) -> None:
    key = {"pk": text(pk), "sk": text("a")}

    def found(g: str) -> int:
        answer = boto.query(
            TableName=indexed,
            IndexName="by_g",
            KeyConditionExpression="g = :g",
            ExpressionAttributeValues={":g": text(g)},
        )
        return int(answer["Count"])

    boto.put_item(TableName=indexed, Item=key | {"g": text(pk), "h": number(1)})
    assert found(pk) == 1
    boto.update_item(
        TableName=indexed,
        Key=key,
        UpdateExpression="SET g = :g",
        ExpressionAttributeValues={":g": text(pk + "2")},
    )
    assert (found(pk), found(pk + "2")) == (0, 1)
    boto.update_item(TableName=indexed, Key=key, UpdateExpression="REMOVE h")
    assert found(pk + "2") == 0
    boto.put_item(TableName=indexed, Item=key | {"g": text(pk), "h": number(1)})
    boto.delete_item(TableName=indexed, Key=key)
    assert found(pk) == 0


# API_Query, ExclusiveStartKey, of an index: the keys of both, as LastEvaluatedKey gives them.
@pytest.mark.parametrize("names", [["g", "h"], ["pk", "sk"], ["pk", "sk", "g"], ["pk", "sk", "l"]])
def test_a_start_in_an_index_has_the_keys_of_both(
    boto: Any, indexed: str, pk: str, names: list[str]
) -> None:
    whole = {"pk": text(pk), "sk": text("a"), "g": text(pk), "h": number(1), "l": number(1)}
    with refused("ValidationException", "starting key is invalid"):
        boto.query(
            TableName=indexed,
            IndexName="by_g",
            KeyConditionExpression="g = :g",
            ExpressionAttributeValues={":g": text(pk)},
            ExclusiveStartKey={name: whole[name] for name in names},
        )


# GSI, "Multi-attribute keys" aside: a global index without a sort key has items in some order
# that pages keep.
def test_a_global_index_without_a_sort_key_is_paged(boto: Any, new_table: Any, pk: str) -> None:
    table = new_table("pk", GlobalSecondaryIndexes=[index("by_g", ["g"], "KEYS_ONLY")])
    fill(boto, table, [{"pk": text(f"{pk}{n}"), "g": text(pk)} for n in range(9)])
    pages = boto.get_paginator("query").paginate(
        TableName=table,
        IndexName="by_g",
        KeyConditionExpression="g = :g",
        ExpressionAttributeValues={":g": text(pk)},
        PaginationConfig={"PageSize": 2},
    )
    found = [item["pk"]["S"] for page in pages for item in page["Items"]]
    assert sorted(found) == [f"{pk}{n}" for n in range(9)]


# API_Query, TableName: "You can also provide the Amazon Resource Name (ARN)".
def test_the_table_may_be_named_by_its_arn(boto: Any, pairs: str, pk: str) -> None:
    boto.put_item(TableName=pairs, Item={"pk": text(pk), "sk": text("a")})
    arn = boto.describe_table(TableName=pairs)["Table"]["TableArn"]
    assert query(boto, arn, pk)["Count"] == 1
