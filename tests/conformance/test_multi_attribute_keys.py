"""Global indexes with several partition or sort key attributes.

Developer guide, "Multi-attribute keys pattern": up to four attributes each; a query has all
partition attributes, and the sort attributes from the left, the last of which may have a range.
"""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import Database

from .calls import number, refused, text
from .test_update_table import settled

KINDS = {"H": "HASH", "R": "RANGE"}
TYPES = {"pk": "S", "sk": "S", "a": "S", "b": "N", "c": "S", "d": "N", "e": "B"}
VALUES = list(itertools.product("xy", (1, 2), ("k", "l", "la"), (1, 10, 2)))


def multiple(*key: str, name: str = "multi", projection: str = "ALL") -> dict[str, Any]:
    """An index on ``"H:a", "H:b", "R:c"``."""
    schema = [{"AttributeName": part[2:], "KeyType": KINDS[part[0]]} for part in key]
    return {"IndexName": name, "KeySchema": schema, "Projection": {"ProjectionType": projection}}


def declaration(*key: str, **more: Any) -> dict[str, Any]:
    names = dict.fromkeys(["pk", "sk", *(part[2:] for part in key)])
    return {
        "TableName": f"conformance-{uuid.uuid4().hex}",
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "AttributeDefinitions": [
            {"AttributeName": one, "AttributeType": TYPES[one]} for one in names
        ],
        "GlobalSecondaryIndexes": [multiple(*key)],
        **more,
    }


@pytest.fixture(scope="session")
def table(new_table: Callable[..., str], boto_of: Callable[[str], Any], endpoint: str) -> str:
    """a and b make the partition; c, d and sk the sort key."""
    created = new_table(**declaration("H:a", "H:b", "R:c", "R:d", "R:sk"))
    client = boto_of(endpoint)
    for at, (a, b, c, d) in enumerate(VALUES):
        item = {"pk": text("p"), "sk": text(f"{at:03}")}
        item |= {"a": text(a), "b": number(b), "c": text(c), "d": number(d)}
        client.put_item(TableName=created, Item=item)
    client.put_item(TableName=created, Item={"pk": text("p"), "sk": text("z"), "a": text("x")})
    return created


def query(boto: Any, table: str, condition: str, **more: Any) -> list[tuple[Any, ...]]:
    """The result of a query; ``:a`` is x, ``:b`` 1, ``:c`` l and ``:d`` 2."""
    values = {":a": text("x"), ":b": number(1), ":c": text("l"), ":d": number(2), ":s": text("0")}
    values |= {":k": text("k"), ":ten": number(10)}
    used = {name: value for name, value in values.items() if name in condition.split()}
    reply = boto.query(
        TableName=table,
        IndexName="multi",
        KeyConditionExpression=condition,
        ExpressionAttributeValues=used,
        **more,
    )
    return [
        (item["a"]["S"], int(item["b"]["N"]), item["c"]["S"], int(item["d"]["N"]))
        for item in reply["Items"]
    ]


def expected(keep: Callable[[str, int], bool]) -> list[tuple[Any, ...]]:
    results = [value for value in VALUES if value[:2] == ("x", 1) and keep(value[2], value[3])]
    return sorted(results)


# "All partition key attributes must be specified with equality conditions"; sort attributes from
# left to right, an inequality at the end.
@pytest.mark.parametrize(
    ("condition", "keep"),
    [
        ("a = :a AND b = :b", lambda c, d: True),
        ("b = :b AND a = :a", lambda c, d: True),
        ("a = :a AND b = :b AND c = :c", lambda c, d: c == "l"),
        ("a = :a AND b = :b AND c > :k", lambda c, d: c > "k"),
        ("a = :a AND b = :b AND c >= :c", lambda c, d: c >= "l"),
        ("a = :a AND b = :b AND c < :c", lambda c, d: c < "l"),
        ("a = :a AND b = :b AND c <= :c", lambda c, d: c <= "l"),
        ("a = :a AND b = :b AND c BETWEEN :k AND :c", lambda c, d: "k" <= c <= "l"),
        ("a = :a AND b = :b AND begins_with ( c , :c )", lambda c, d: c.startswith("l")),
        ("a = :a AND b = :b AND c = :c AND d > :d", lambda c, d: c == "l" and d > 2),
        ("a = :a AND b = :b AND d <= :d AND c = :c", lambda c, d: c == "l" and d <= 2),
        (
            "a = :a AND b = :b AND c = :c AND d BETWEEN :d AND :ten",
            lambda c, d: c == "l" and d >= 2,
        ),
        ("a = :a AND b = :b AND c = :c AND d = :d", lambda c, d: c == "l" and d == 2),
        (
            "a = :a AND b = :b AND c = :c AND d = :d AND begins_with ( sk , :s )",
            lambda c, d: c == "l" and d == 2,
        ),
    ],
)
def test_a_query_gives_sort_attributes_from_the_left(
    boto: Any, table: str, condition: str, keep: Callable[[str, int], bool]
) -> None:
    assert query(boto, table, condition) == expected(keep)
    backwards = query(boto, table, condition, ScanIndexForward=False)
    assert backwards == expected(keep)[::-1]


# DynamoDB Local has these words.
@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("a = :a", "HASH key attributes b must have equality conditions specified in the query"),
        ("a = :a AND b > :b", "HASH key attributes b must have equality conditions"),
        ("c = :c", "HASH key attributes a, b must have equality conditions"),
        ("a = :a AND b = :b AND d = :d", "RANGE key attributes c must have equality conditions"),
        (
            "a = :a AND b = :b AND c > :c AND d = :d",
            "because a condition is present on key attribute d",
        ),
        ("a = :a AND b = :b AND c = :c AND sk = :s", "RANGE key attributes d must have"),
        ("a = :a AND b = :b AND pk = :c", "Query condition missed key schema element"),
    ],
)
def test_a_condition_that_the_key_cannot_serve_is_refused(
    boto: Any, table: str, condition: str, words: str
) -> None:
    with refused("ValidationException", words):
        query(boto, table, condition)


# The parameter of old serves them too, with as many conditions as the key has parts.
def test_legacy_key_conditions_can_have_any_number_of_parts(boto: Any, table: str) -> None:
    def found(**conditions: tuple[str, dict[str, str]]) -> int:
        request = {
            name: {"ComparisonOperator": operator, "AttributeValueList": [value]}
            for name, (operator, value) in conditions.items()
        }
        reply = boto.query(TableName=table, IndexName="multi", KeyConditions=request)
        return int(reply["Count"])

    partition = {"a": ("EQ", text("x")), "b": ("EQ", number(1))}
    assert found(**partition) == 9
    assert found(**partition, c=("GT", text("k"))) == 6
    assert found(**partition, c=("EQ", text("k")), d=("LE", number(2))) == 2
    with refused("ValidationException", "c"):
        found(**partition, d=("LE", number(2)))


def test_a_part_of_the_wrong_type_is_refused(boto: Any, table: str) -> None:
    with refused("ValidationException", "does not match schema type"):
        query(boto, table, "a = :b AND b = :b")


def test_an_item_that_lacks_a_part_is_not_in_the_index(boto: Any, table: str) -> None:
    reply = boto.scan(TableName=table, IndexName="multi", Select="COUNT")
    assert reply["Count"] == len(VALUES)
    assert boto.scan(TableName=table, Select="COUNT")["Count"] == len(VALUES) + 1


def test_pages_go_on_where_they_ended(boto: Any, table: str) -> None:
    pages = boto.get_paginator("query").paginate(
        TableName=table,
        IndexName="multi",
        KeyConditionExpression="a = :a AND b = :b",
        ExpressionAttributeValues={":a": text("x"), ":b": number(1)},
        PaginationConfig={"PageSize": 2},
    )
    results = [item for page in pages for item in page["Items"]]
    assert [(item["c"]["S"], int(item["d"]["N"])) for item in results] == [
        value[2:] for value in expected(lambda c, d: True)
    ]
    last = boto.query(
        TableName=table,
        IndexName="multi",
        KeyConditionExpression="a = :a AND b = :b",
        ExpressionAttributeValues={":a": text("x"), ":b": number(1)},
        Limit=1,
    )["LastEvaluatedKey"]
    assert set(last) == {"a", "b", "c", "d", "pk", "sk"}


def test_a_filter_on_any_part_is_refused(boto: Any, table: str) -> None:
    with refused("ValidationException", "Filter Expression can only contain non-primary key"):
        query(boto, table, "a = :a AND b = :b", FilterExpression="d > b")


# API_GlobalSecondaryIndex, KeySchema: partition keys first, at most four of each kind; AWS's words.
@pytest.mark.parametrize(
    ("key", "words"),
    [
        (("H:a", "R:c", "H:b"), "All HASH key attributes must precede RANGE key attributes"),
        (("R:c", "H:a", "H:b"), "The first KeySchemaElement is not a HASH key type"),
        (
            ("H:a", "H:a", "R:c"),
            "The KeySchema contains multiple key attributes with the same name",
        ),
        (("H:a", "H:b", "H:c", "H:d", "H:e"), "exceeds the maximum allowed number of HASH key"),
        (
            ("H:a", "R:b", "R:c", "R:d", "R:e", "R:sk"),
            "exceeds the maximum allowed number of RANGE key",
        ),
        (("R:c", "R:d"), ""),
    ],
    ids=["mixed", "turned", "twice", "partition", "sort", "no partition"],
)
def test_keys_that_cannot_be_are_refused(boto: Any, key: tuple[str, ...], words: str) -> None:
    with refused("ValidationException", words):
        boto.create_table(**declaration(*key))


def test_the_keys_of_tables_and_local_indexes_stay_as_they_were(boto: Any) -> None:
    schema = [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
        {"AttributeName": "a", "KeyType": "RANGE"},
    ]
    with refused("ValidationException"):
        boto.create_table(**declaration("H:a", KeySchema=schema))
    local = multiple("H:pk", "R:a", "R:b", name="local")
    with refused("ValidationException"):
        boto.create_table(**declaration("H:a", "R:b", LocalSecondaryIndexes=[local]))


def test_the_index_is_described_as_it_was_declared(boto: Any, table: str) -> None:
    [found] = boto.describe_table(TableName=table)["Table"]["GlobalSecondaryIndexes"]
    kinds = [f"{part['KeyType'][0]}:{part['AttributeName']}" for part in found["KeySchema"]]
    assert kinds == ["H:a", "H:b", "R:c", "R:d", "R:sk"]


# "The combined size": the limits of 2048 and 1024 bytes hold for all parts together.
@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"a": "x" * 2047, "c": "c"}, "Aggregate size for HASH key attributes a, b of index multi"),
        ({"a": "x", "c": "c" * 1022}, "exceeded limit 1024 bytes, with actual size 1027 bytes"),
    ],
)
def test_the_parts_of_a_key_are_bounded_together(
    boto: Any, table: str, values: dict[str, str], words: str
) -> None:
    item = {"pk": text("long"), "sk": text("abc"), "b": number(1), "d": number(1)}
    with refused("ValidationException", words):
        boto.put_item(TableName=table, Item=item | {k: text(v) for k, v in values.items()})


def test_a_part_of_the_wrong_type_or_empty_is_not_stored(boto: Any, table: str) -> None:
    item = {"pk": text("wrong"), "sk": text("abc")}
    with refused("ValidationException", "Type mismatch for Index Key"):
        boto.put_item(TableName=table, Item=item | {"b": text("1")})
    with refused("ValidationException", "cannot contain an empty string value"):
        boto.put_item(TableName=table, Item=item | {"c": text("")})


def test_an_index_may_be_added_later_and_holds_what_fits(
    boto: Any, new_table: Callable[..., str]
) -> None:
    pairs = new_table("pk", "sk")
    for sort, more in (("1", {"a": "x", "c": "y"}), ("2", {"a": "x"}), ("3", {"c": "y"})):
        item = {"pk": text("later"), "sk": text(sort), **{k: text(v) for k, v in more.items()}}
        boto.put_item(TableName=pairs, Item=item)
    definitions = [{"AttributeName": one, "AttributeType": "S"} for one in ("pk", "sk", "a", "c")]
    boto.update_table(
        TableName=pairs,
        AttributeDefinitions=definitions,
        GlobalSecondaryIndexUpdates=[{"Create": multiple("H:a", "H:c")}],
    )
    settled(boto, pairs)
    items = boto.query(
        TableName=pairs,
        IndexName="multi",
        KeyConditionExpression="a = :a AND c = :c",
        ExpressionAttributeValues={":a": text("x"), ":c": text("y")},
    )["Items"]
    assert [item["sk"]["S"] for item in items] == ["1"]


# What no endpoint can be asked quickly enough: any values, zero bytes among them, in their order.
PARTS = st.tuples(st.text("\0\1a\xff", min_size=1, max_size=3), st.integers(-3, 3))


@given(st.sets(PARTS, max_size=12), PARTS, st.sampled_from(["=", "<", "<=", ">", ">="]))
def test_any_parts_are_found_in_their_order(
    stored: set[tuple[str, int]], asked: tuple[str, int], operator: str
) -> None:
    with Database.open() as database:
        database.call("CreateTable", declaration("H:a", "R:c", "R:d", TableName="Multi"))
        for at, (c, d) in enumerate(stored):
            item = {"pk": text("p"), "sk": text(str(at)), "a": text("a")}
            put = item | {"c": text(c), "d": number(d)}
            database.call("PutItem", {"TableName": "Multi", "Item": put})
        assert asked_of(database, f"c {operator} :c", asked) == sorted(
            one for one in stored if compared(one[0].encode(), operator, asked[0].encode())
        )
        assert asked_of(database, f"c = :c AND d {operator} :d", asked) == sorted(
            one for one in stored if one[0] == asked[0] and compared(one[1], operator, asked[1])
        )


def asked_of(database: Database, condition: str, asked: tuple[str, int]) -> list[tuple[str, int]]:
    values = {":a": text("a"), ":c": text(asked[0])}
    if ":d" in condition:
        values[":d"] = number(asked[1])
    reply = database.call(
        "Query",
        {
            "TableName": "Multi",
            "IndexName": "multi",
            "KeyConditionExpression": f"a = :a AND {condition}",
            "ExpressionAttributeValues": values,
        },
    )
    return [(item["c"]["S"], int(item["d"]["N"])) for item in reply["Items"]]


def compared(one: Any, operator: str, other: Any) -> bool:
    return {
        "=": one == other,
        "<": one < other,
        "<=": one <= other,
        ">": one > other,
        ">=": one >= other,
    }[operator]
