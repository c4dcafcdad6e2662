"""Invalid Query requests over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .calls import error_code, number, refused, text
from .query_calls import PARTITION, query

NO_SUCH = "no-such-table-anywhere"


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
    reply = boto.query(
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
    assert reply["Items"] == [{"sk": text("2")}]


# But not a filter of old.
def test_a_legacy_filter_cannot_be_mixed_with_expressions(boto: Any, pairs: str) -> None:
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
