"""Query over HTTP, on indexes."""

from __future__ import annotations

from typing import Any

import pytest

from .calls import fill, index, number, refused, text
from .query_calls import query, sort_keys


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
    results: list[str] = []
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
        results += sort_keys(answer)
        if "LastEvaluatedKey" not in answer:
            break
        assert set(answer["LastEvaluatedKey"]) == {"pk", "sk", "g", "h"}
        more = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    assert sorted(results) == [str(n) for n in range(7)]


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
    results = [item["pk"]["S"] for page in pages for item in page["Items"]]
    assert sorted(results) == [f"{pk}{n}" for n in range(9)]
