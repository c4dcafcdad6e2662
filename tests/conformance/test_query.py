"""Query over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .calls import fill, number, text, without_metadata
from .query_calls import query, sort_keys


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
    result = sort_keys(query(boto, pairs, pk, ScanIndexForward=forward))
    assert result == (ordered if forward else ordered[::-1])


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
    results = [float(item["n"]["N"]) for item in answer["Items"]]
    assert len(results) == len(ordered)
    assert results == sorted(map(float, ordered), reverse=not forward)


# API_Query, ScanIndexForward: binaries as unsigned bytes.
@pytest.mark.parametrize("forward", [True, False])
def test_binaries_are_in_the_order_of_unsigned_bytes(
    boto: Any, binaries: str, pk: str, forward: bool
) -> None:
    ordered = [b"\x00", b"\x00\x00", b"\x01", b"\x7f", b"\x7f\xff", b"\x80", b"\xff", b"\xff\x00"]
    fill(boto, binaries, [{"pk": text(pk), "b": {"B": key}} for key in reversed(ordered)])
    result = sort_keys(query(boto, binaries, pk, ScanIndexForward=forward), "b")
    assert result == (ordered if forward else ordered[::-1])


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
    results: list[str] = []
    more: dict[str, Any] = {}
    while True:
        answer = query(boto, pairs, pk, Limit=limit, ScanIndexForward=forward, **more)
        assert answer["Count"] <= limit
        results += sort_keys(answer)
        if "LastEvaluatedKey" not in answer:
            break
        assert answer["LastEvaluatedKey"] == {"pk": text(pk), "sk": text(results[-1])}
        more = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    assert results == (keys if forward else keys[::-1])


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


# API_Query, TableName: "You can also provide the Amazon Resource Name (ARN)".
def test_the_table_may_be_named_by_its_arn(boto: Any, pairs: str, pk: str) -> None:
    boto.put_item(TableName=pairs, Item={"pk": text(pk), "sk": text("a")})
    arn = boto.describe_table(TableName=pairs)["Table"]["TableArn"]
    assert query(boto, arn, pk)["Count"] == 1
