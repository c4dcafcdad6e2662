"""ConsumedCapacity and ItemCollectionMetrics, of every operation, over HTTP.

"Read and write operations" of the Developer Guide ("DynamoDB read and write operations") has the
arithmetic: a read unit is 4 KB, half of one if the read is eventually consistent; a write unit is
1 KB; transactions take two of each. API_ConsumedCapacity has the members.
"""

from __future__ import annotations

from typing import Any

import pytest

from .calls import number, refused, text, without_metadata

INDEX_NAMES = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")


def item(pk: str, size: int, **more: Any) -> dict[str, Any]:
    """An item of so many bytes: by "DynamoDB Item sizes and formats", names and UTF-8 values."""
    used = sum(len(name) + len(next(iter(value.values()))) for name, value in more.items())
    rest = size - used - len("pk") - len(pk) - len("z")
    return {"pk": text(pk), "z": text("x" * rest), **more}


def key(pk: str) -> dict[str, Any]:
    return {"pk": text(pk)}


def units(answer: dict[str, Any]) -> float:
    return float(answer["ConsumedCapacity"]["CapacityUnits"])


def by_index(consumed: dict[str, Any]) -> dict[str, float]:
    """Units of each index, and of the table under its own name."""
    results = {"table": consumed["Table"]["CapacityUnits"]}
    for kind in INDEX_NAMES:
        results |= {name: each["CapacityUnits"] for name, each in consumed.get(kind, {}).items()}
    return results


# Validation


# API_GetItem and others, ReturnConsumedCapacity: "Valid Values: INDEXES | TOTAL | NONE".
def test_another_level_is_refused(boto: Any, plain: str, pk: str) -> None:
    with refused("ValidationException", "'returnConsumedCapacity'", "[INDEXES, TOTAL, NONE]"):
        boto.get_item(TableName=plain, Key=key(pk), ReturnConsumedCapacity="SOME")


# API_PutItem and others, ReturnItemCollectionMetrics: "Valid Values: SIZE | NONE".
def test_another_metric_is_refused(boto: Any, plain: str, pk: str) -> None:
    with refused("ValidationException", "'returnItemCollectionMetrics'", "[SIZE, NONE]"):
        boto.put_item(TableName=plain, Item=key(pk), ReturnItemCollectionMetrics="ALL")


# Reads


# API_ConsumedCapacity: nothing unless asked for, and NONE is nothing.
@pytest.mark.parametrize("level", [{}, {"ReturnConsumedCapacity": "NONE"}], ids=["absent", "none"])
def test_nothing_is_said_unless_asked_for(boto: Any, plain: str, pk: str, level: Any) -> None:
    assert "ConsumedCapacity" not in boto.put_item(TableName=plain, Item=key(pk), **level)
    assert "ConsumedCapacity" not in boto.get_item(TableName=plain, Key=key(pk), **level)
    assert "ConsumedCapacity" not in boto.scan(TableName=plain, Limit=1, **level)
    requests = {plain: [{"PutRequest": {"Item": key(pk)}}]}
    assert "ConsumedCapacity" not in boto.batch_write_item(RequestItems=requests, **level)


# API_ConsumedCapacity: TOTAL has the table and the sum, INDEXES also the table's part.
def test_the_levels_have_their_members(boto: Any, plain: str, pk: str) -> None:
    total = boto.get_item(TableName=plain, Key=key(pk), ReturnConsumedCapacity="TOTAL")
    assert total["ConsumedCapacity"] == {"TableName": plain, "CapacityUnits": 0.5}
    detailed = boto.get_item(TableName=plain, Key=key(pk), ReturnConsumedCapacity="INDEXES")
    assert detailed["ConsumedCapacity"] == {
        "TableName": plain,
        "CapacityUnits": 0.5,
        "Table": {"CapacityUnits": 0.5},
    }


# The size of an item is rounded up to the next 4 KB; an item that is not there costs as much as
# the smallest.
@pytest.mark.parametrize(
    ("size", "expected"), [(0, 1), (100, 1), (4096, 1), (4097, 2), (8192, 2), (8193, 3)]
)
def test_a_get_costs_a_unit_for_4_kb(
    boto: Any, plain: str, pk: str, size: int, expected: int
) -> None:
    if size:
        boto.put_item(TableName=plain, Item=item(pk, size))
    request = {"TableName": plain, "Key": key(pk), "ReturnConsumedCapacity": "TOTAL"}
    assert units(boto.get_item(**request, ConsistentRead=True)) == expected
    assert units(boto.get_item(**request)) == expected / 2


# A projection does not make a read cheaper: "consumed capacity … based on item size, not on the
# amount of data that is returned to an application".
def test_a_projection_saves_nothing(boto: Any, plain: str, pk: str) -> None:
    boto.put_item(TableName=plain, Item=item(pk, 5000))
    answer = boto.get_item(
        TableName=plain,
        Key=key(pk),
        ProjectionExpression="pk",
        ConsistentRead=True,
        ReturnConsumedCapacity="TOTAL",
    )
    assert units(answer) == 2


# "Query": "DynamoDB … computes the cumulative size of all the items and rounds up to the next
# 4 KB". What a filter drops was read, and what COUNT does not return too.
@pytest.mark.parametrize(
    "more",
    [{}, {"Select": "COUNT"}, {"FilterExpression": "attribute_exists(nothing)"}],
    ids=["items", "count", "filter"],
)
def test_a_query_costs_the_sum_of_what_it_reads(boto: Any, pairs: str, pk: str, more: Any) -> None:
    for sk in "abc":
        boto.put_item(TableName=pairs, Item=item(pk, 3000, sk=text(sk)))
    request = {
        "TableName": pairs,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": text(pk)},
        "ReturnConsumedCapacity": "TOTAL",
    } | more
    assert units(boto.query(**request)) == 1.5
    assert units(boto.query(**request, ConsistentRead=True)) == 3
    assert units(boto.query(**request, Limit=1)) == 0.5


# "Read operation consumption": to read what does not exist costs as much as the smallest item.
def test_a_query_that_reads_nothing_costs_the_least(boto: Any, pairs: str, pk: str) -> None:
    request = {
        "TableName": pairs,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": text(pk)},
        "ReturnConsumedCapacity": "TOTAL",
    }
    assert units(boto.query(**request)) == 0.5
    assert units(boto.query(**request, ConsistentRead=True)) == 1


# "Scan": the same arithmetic.
def test_a_scan_costs_the_sum_of_what_it_reads(boto: Any, new_table: Any) -> None:
    table = new_table("pk")
    request = {"TableName": table, "ReturnConsumedCapacity": "INDEXES"}
    for pk in "abc":
        boto.put_item(TableName=table, Item=item(pk, 3000))
    assert boto.scan(**request)["ConsumedCapacity"] == {
        "TableName": table,
        "CapacityUnits": 1.5,
        "Table": {"CapacityUnits": 1.5},
    }
    assert units(boto.scan(**request, ConsistentRead=True)) == 3


# GSI, "Read capacity units": of the index and not of the table, by the size of what is projected.
@pytest.mark.parametrize(("name", "expected"), [("by_g", 1.0), ("by_g_keys", 0.5)])
def test_a_query_of_a_global_index_costs_what_it_projects(
    boto: Any, indexed: str, pk: str, name: str, expected: float
) -> None:
    boto.put_item(TableName=indexed, Item=item(pk, 6000, sk=text("a"), g=text(pk), h=number(1)))
    consumed = boto.query(
        TableName=indexed,
        IndexName=name,
        KeyConditionExpression="g = :g",
        ExpressionAttributeValues={":g": text(pk)},
        ReturnConsumedCapacity="INDEXES",
    )["ConsumedCapacity"]
    assert consumed == {
        "TableName": indexed,
        "CapacityUnits": expected,
        "Table": {"CapacityUnits": 0},
        "GlobalSecondaryIndexes": {name: {"CapacityUnits": expected}},
    }


# LSI, "Read capacity units": of what is projected; a fetch from the table costs the whole item
# besides, each rounded up by itself.
def test_a_query_of_a_local_index_pays_for_fetches(boto: Any, indexed: str, pk: str) -> None:
    for sk in "ab":
        boto.put_item(TableName=indexed, Item=item(pk, 5000, sk=text(sk), l=number(1)))
    request = {
        "TableName": indexed,
        "IndexName": "by_l_keys",
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": text(pk)},
        "ReturnConsumedCapacity": "INDEXES",
    }
    consumed = boto.query(**request)["ConsumedCapacity"]
    assert by_index(consumed) == {"table": 0, "by_l_keys": 0.5}
    assert "GlobalSecondaryIndexes" not in consumed
    consumed = boto.query(**request, Select="ALL_ATTRIBUTES")["ConsumedCapacity"]
    assert by_index(consumed) == {"table": 2.0, "by_l_keys": 0.5}
    assert consumed["CapacityUnits"] == 2.5


# API_BatchGetItem, ConsumedCapacity: a list with a table each. Items are rounded up one by one, and
# "if you request nonexistent items, DynamoDB consumes the minimum read capacity units".
def test_a_batch_get_costs_its_items_one_by_one(boto: Any, plain: str, pairs: str, pk: str) -> None:
    boto.put_item(TableName=plain, Item=item(pk, 4097))
    keys = [key(pk), key(pk + "absent")]
    requests = {
        plain: {"Keys": keys, "ConsistentRead": True},
        pairs: {"Keys": [{"pk": text(pk), "sk": text("a")}]},
    }
    answer = boto.batch_get_item(RequestItems=requests, ReturnConsumedCapacity="INDEXES")
    consumed = {each["TableName"]: each for each in answer["ConsumedCapacity"]}
    assert consumed[plain]["CapacityUnits"] == 3
    assert consumed[plain]["Table"] == {"CapacityUnits": 3}
    assert consumed[pairs]["CapacityUnits"] == 0.5


# Writes


# The size of an item is rounded up to the next 1 KB.
@pytest.mark.parametrize(("size", "expected"), [(100, 1), (1024, 1), (1025, 2), (2049, 3)])
def test_a_put_costs_a_unit_for_1_kb(
    boto: Any, plain: str, pk: str, size: int, expected: int
) -> None:
    answer = boto.put_item(TableName=plain, Item=item(pk, size), ReturnConsumedCapacity="INDEXES")
    assert answer["ConsumedCapacity"] == {
        "TableName": plain,
        "CapacityUnits": expected,
        "Table": {"CapacityUnits": expected},
    }


# "Write operation consumption": PutItem and UpdateItem by "the larger of the before and after
# item sizes", DeleteItem by what is deleted.
def test_a_write_costs_the_larger_of_before_and_after(boto: Any, plain: str, pk: str) -> None:
    level = {"TableName": plain, "ReturnConsumedCapacity": "TOTAL"}
    boto.put_item(TableName=plain, Item=item(pk, 3000))
    assert units(boto.put_item(Item=key(pk), **level)) == 3
    assert units(boto.put_item(Item=item(pk, 2000), **level)) == 2
    assert units(boto.update_item(Key=key(pk), UpdateExpression="REMOVE z", **level)) == 2
    assert units(boto.update_item(Key=key(pk), UpdateExpression="REMOVE z", **level)) == 1
    boto.put_item(TableName=plain, Item=item(pk, 3000))
    assert units(boto.delete_item(Key=key(pk), **level)) == 3


# "Write operation consumption": to delete what is not there costs one unit.
def test_a_delete_of_nothing_costs_a_unit(boto: Any, plain: str, pk: str) -> None:
    answer = boto.delete_item(TableName=plain, Key=key(pk), ReturnConsumedCapacity="TOTAL")
    assert units(answer) == 1
    assert "Attributes" not in answer


# GSI, "Write capacity units": a new entry costs a write of the index, by what it projects; items
# without the key cost nothing there.
def test_a_put_pays_for_index_entries(boto: Any, indexed: str, pk: str) -> None:
    entry = item(pk, 2500, sk=text("a"), g=text(pk), h=number(1))
    level = {"TableName": indexed, "ReturnConsumedCapacity": "INDEXES"}
    consumed = boto.put_item(Item=entry, **level)["ConsumedCapacity"]
    assert by_index(consumed) == {"table": 3, "by_g": 3, "by_g_keys": 1, "by_g_some": 1}
    assert consumed["CapacityUnits"] == 8
    assert "LocalSecondaryIndexes" not in consumed
    entry = item(pk, 2500, sk=text("b"), l=number(1))
    consumed = boto.put_item(Item=entry, **level)["ConsumedCapacity"]
    assert by_index(consumed) == {"table": 3, "by_l": 3, "by_l_keys": 1, "by_l_some": 1}
    assert "GlobalSecondaryIndexes" not in consumed
    consumed = boto.put_item(Item=item(pk, 100, sk=text("c")), **level)["ConsumedCapacity"]
    assert by_index(consumed) == {"table": 1}


# GSI, "Write capacity units": "If an update to the table changes the value of an indexed key
# attribute (from A to B), two writes are required, one to delete the previous item from the index
# and another write to put the new item into the index"; one if it is the first or last value, or
# if only a projected attribute changes; none if nothing that is projected does.
def test_an_update_pays_for_index_entries_that_change(boto: Any, indexed: str, pk: str) -> None:
    where = {"pk": text(pk), "sk": text("a")}

    def cost(expression: str, **values: Any) -> dict[str, float]:
        given = {f":{name}": value for name, value in values.items()}
        answer = boto.update_item(
            TableName=indexed,
            Key=where,
            UpdateExpression=expression,
            ReturnConsumedCapacity="INDEXES",
            **({"ExpressionAttributeValues": given} if given else {}),
        )
        return by_index(answer["ConsumedCapacity"])

    ones = {"by_g": 1, "by_g_keys": 1, "by_g_some": 1}
    assert cost("SET c = :c", c=text("x")) == {"table": 1}
    assert cost("SET g = :g, h = :h", g=text(pk), h=number(1)) == {"table": 1} | ones
    assert cost("SET h = :h", h=number(2)) == {
        "table": 1,
        "by_g": 2,
        "by_g_keys": 2,
        "by_g_some": 2,
    }
    assert cost("SET a = :a", a=text("x")) == {"table": 1, "by_g": 1, "by_g_some": 1}
    assert cost("SET c = :c", c=text("y")) == {"table": 1, "by_g": 1}
    assert cost("SET c = :c", c=text("y")) == {"table": 1}
    assert cost("REMOVE h") == {"table": 1} | ones
    assert cost("REMOVE c") == {"table": 1}


# The same for a delete: one write for each entry that goes.
def test_a_delete_pays_for_index_entries(boto: Any, indexed: str, pk: str) -> None:
    where = {"pk": text(pk), "sk": text("a")}
    boto.put_item(TableName=indexed, Item=where | {"g": text(pk), "h": number(1), "l": number(1)})
    consumed = boto.delete_item(TableName=indexed, Key=where, ReturnConsumedCapacity="INDEXES")[
        "ConsumedCapacity"
    ]
    names = ("by_g", "by_g_keys", "by_g_some", "by_l", "by_l_keys", "by_l_some")
    assert by_index(consumed) == {"table": 1} | dict.fromkeys(names, 1)
    assert consumed["CapacityUnits"] == 7


# API_BatchWriteItem, ConsumedCapacity: a list with a table each, of puts and deletes together.
def test_a_batch_write_costs_its_writes(boto: Any, plain: str, indexed: str, pk: str) -> None:
    requests = {
        plain: [
            {"PutRequest": {"Item": item(pk + "a", 1500)}},
            {"DeleteRequest": {"Key": key(pk + "b")}},
        ],
        indexed: [
            {
                "PutRequest": {
                    "Item": {"pk": text(pk), "sk": text("a"), "g": text(pk), "h": number(1)}
                }
            }
        ],
    }
    answer = boto.batch_write_item(RequestItems=requests, ReturnConsumedCapacity="INDEXES")
    consumed = {each["TableName"]: each for each in answer["ConsumedCapacity"]}
    assert by_index(consumed[plain]) == {"table": 3}
    assert by_index(consumed[indexed]) == {"table": 1, "by_g": 1, "by_g_keys": 1, "by_g_some": 1}
    assert consumed[indexed]["CapacityUnits"] == 4


# Transactions


# "Capacity management for transactions": "two underlying reads … one to prepare the transaction
# and one to commit the transaction"; always strongly consistent.
def test_a_transactional_read_costs_double(boto: Any, plain: str, pk: str) -> None:
    boto.put_item(TableName=plain, Item=item(pk, 4097))
    answer = boto.transact_get_items(
        TransactItems=[
            {"Get": {"TableName": plain, "Key": key(pk)}},
            {"Get": {"TableName": plain, "Key": key(pk + "absent")}},
        ],
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["ConsumedCapacity"] == [
        {"TableName": plain, "CapacityUnits": 6, "ReadCapacityUnits": 6}
    ]


# API_ConsumedCapacity, ReadCapacityUnits, also in the parts.
def test_a_transactional_read_is_detailed(boto: Any, plain: str, pk: str) -> None:
    answer = boto.transact_get_items(
        TransactItems=[{"Get": {"TableName": plain, "Key": key(pk)}}],
        ReturnConsumedCapacity="INDEXES",
    )
    two = {"CapacityUnits": 2, "ReadCapacityUnits": 2}
    assert answer["ConsumedCapacity"] == [{"TableName": plain, "Table": two, **two}]


# The same for writes, of every kind; a condition check costs as much as a write of its item.
def test_a_transactional_write_costs_double(boto: Any, plain: str, pk: str) -> None:
    boto.put_item(TableName=plain, Item=item(pk + "d", 2000))
    check = {"TableName": plain, "ConditionExpression": "attribute_not_exists(pk)"}
    answer = boto.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": plain, "Item": item(pk + "a", 1500)}},
            {
                "Update": {
                    "TableName": plain,
                    "Key": key(pk + "b"),
                    "UpdateExpression": "SET a = :a",
                    "ExpressionAttributeValues": {":a": text("x")},
                }
            },
            {"ConditionCheck": {"Key": key(pk + "c"), **check}},
            {"Delete": {"TableName": plain, "Key": key(pk + "d")}},
        ],
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["ConsumedCapacity"] == [
        {"TableName": plain, "CapacityUnits": 12, "WriteCapacityUnits": 12}
    ]


# API_ConsumedCapacity, WriteCapacityUnits, also in the parts.
def test_a_transactional_write_is_detailed(boto: Any, plain: str, pk: str) -> None:
    answer = boto.transact_write_items(
        TransactItems=[{"Put": {"TableName": plain, "Item": key(pk)}}],
        ReturnConsumedCapacity="INDEXES",
    )
    two = {"CapacityUnits": 2, "WriteCapacityUnits": 2}
    assert answer["ConsumedCapacity"] == [{"TableName": plain, "Table": two, **two}]


# API_TransactWriteItems, ClientRequestToken: a repeated request "returns the number of read
# capacity units consumed in reading the item" and writes nothing.
def test_a_repeated_transaction_costs_a_read(boto: Any, plain: str, pk: str) -> None:
    request = {
        "TransactItems": [{"Put": {"TableName": plain, "Item": key(pk)}}],
        "ClientRequestToken": pk,
        "ReturnConsumedCapacity": "TOTAL",
    }
    (first,) = boto.transact_write_items(**request)["ConsumedCapacity"]
    assert first == {"TableName": plain, "CapacityUnits": 2, "WriteCapacityUnits": 2}
    (again,) = boto.transact_write_items(**request)["ConsumedCapacity"]
    assert again == {"TableName": plain, "CapacityUnits": 2, "ReadCapacityUnits": 2}


# Item collections


# LSI, "Item collections", and API_ItemCollectionMetrics: tables with local indexes say which
# collection a write was to, and between how many gigabytes it is.
def test_a_write_says_its_item_collection(boto: Any, indexed: str, pk: str) -> None:
    where = {"pk": text(pk), "sk": text("a")}
    metrics = {"ReturnItemCollectionMetrics": "SIZE", "TableName": indexed}
    expected = {"ItemCollectionKey": {"pk": text(pk)}, "SizeEstimateRangeGB": [0.0, 1.0]}
    assert boto.put_item(Item=where, **metrics)["ItemCollectionMetrics"] == expected
    answer = boto.update_item(Key=where, UpdateExpression="REMOVE a", **metrics)
    assert answer["ItemCollectionMetrics"] == expected
    assert boto.delete_item(Key=where, **metrics)["ItemCollectionMetrics"] == expected


# API_ItemCollectionMetrics: "If the table does not have any local secondary indexes, this
# information is not returned in the response"; nor if it was not asked for.
def test_other_writes_say_none(boto: Any, plain: str, indexed: str, pk: str) -> None:
    answer = boto.put_item(TableName=plain, Item=key(pk), ReturnItemCollectionMetrics="SIZE")
    assert without_metadata(answer) == {}
    where = {"pk": text(pk), "sk": text("a")}
    for more in ({}, {"ReturnItemCollectionMetrics": "NONE"}):
        assert without_metadata(boto.put_item(TableName=indexed, Item=where, **more)) == {}


# API_BatchWriteItem, ItemCollectionMetrics: by table, a list.
def test_a_batch_write_says_its_item_collections(
    boto: Any, indexed: str, plain: str, pk: str
) -> None:
    put = {"PutRequest": {"Item": {"pk": text(pk), "sk": text("a")}}}
    answer = boto.batch_write_item(
        RequestItems={indexed: [put], plain: [{"PutRequest": {"Item": key(pk)}}]},
        ReturnItemCollectionMetrics="SIZE",
    )
    assert answer["ItemCollectionMetrics"] == {
        indexed: [{"ItemCollectionKey": key(pk), "SizeEstimateRangeGB": [0.0, 1.0]}]
    }


# API_TransactWriteItems, ItemCollectionMetrics: by table, a list.
def test_a_transaction_says_its_item_collections(boto: Any, indexed: str, pk: str) -> None:
    answer = boto.transact_write_items(
        TransactItems=[{"Put": {"TableName": indexed, "Item": {"pk": text(pk), "sk": text("a")}}}],
        ReturnItemCollectionMetrics="SIZE",
    )
    assert answer["ItemCollectionMetrics"] == {
        indexed: [{"ItemCollectionKey": key(pk), "SizeEstimateRangeGB": [0.0, 1.0]}]
    }
