"""Scan over HTTP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from .calls import error_code, index, number, refused, text, without_metadata

COUNT = 30


@pytest.fixture(scope="session")
def thirty(endpoint: str, boto_of: Callable[[str], Any], new_table: Callable[..., str]) -> str:
    """A table of ten partitions of three items; every second item is in the index by_g.

    Every item has its number in n. No test writes to this table.
    """
    name = new_table("pk", "sk", GlobalSecondaryIndexes=[index("by_g", ["g"], "KEYS_ONLY")])
    items = [
        {"pk": text(f"p{n % 10}"), "sk": text(f"s{n}"), "n": number(n)}
        | ({"g": text(f"g{n % 4}")} if n % 2 == 0 else {})
        for n in range(COUNT)
    ]
    for start in range(0, COUNT, 25):
        requests = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
        boto_of(endpoint).batch_write_item(RequestItems={name: requests})
    return name


def scan_all(boto: Any, **request: Any) -> list[dict[str, Any]]:
    """The items of all pages."""
    results: list[dict[str, Any]] = []
    while True:
        answer = boto.scan(**request)
        results += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return results
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def names_of(items: list[dict[str, Any]]) -> Counter[str]:
    return Counter(item["sk"]["S"] for item in items)


EVERY = Counter(f"s{n}" for n in range(COUNT))


# Serialization


# API_Scan, "Request Parameters", has the types.
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("TableName", 5),
        ("IndexName", ["x"]),
        ("Limit", "ten"),
        ("Segment", "x"),
        ("TotalSegments", {}),
        ("Select", 5),
        ("ConsistentRead", "x"),
        ("ExclusiveStartKey", []),
        ("ExclusiveStartKey", {"pk": {"N": 5}}),
        ("FilterExpression", 5),
        ("ProjectionExpression", []),
        ("ExpressionAttributeNames", "x"),
        ("ExpressionAttributeValues", []),
        ("ReturnConsumedCapacity", []),
    ],
)
def test_a_member_of_the_wrong_json_type_is_refused(
    post: Any, plain: str, member: str, value: Any
) -> None:
    answer = post("Scan", {"TableName": plain, member: value})
    assert error_code(answer) == "SerializationException"


# Validation


# API_Scan: TableName is required, and named by 3 to 255 characters.
@pytest.mark.parametrize("name", ["", "ab", "a b c", "a" * 256])
def test_a_bad_table_name_is_refused(boto: Any, name: str) -> None:
    with refused("ValidationException"):
        boto.scan(TableName=name)


# API_Scan, Errors: ResourceNotFoundException.
def test_a_table_that_is_not_there_is_not_found(boto: Any) -> None:
    with refused("ResourceNotFoundException"):
        boto.scan(TableName="no-such-table-anywhere")


# API_Scan has the ranges: Limit from 1, Segment from 0 to 999999, TotalSegments from 1 to 1000000.
# Failures are reported together.
def test_all_constraints_that_fail_are_reported(boto: Any, plain: str) -> None:
    with refused(
        "ValidationException",
        "5 validation errors detected",
        "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than "
        "or equal to 1",
        "Value '1000001' at 'totalSegments' failed to satisfy constraint: Member must have value "
        "less than or equal to 1000000",
        "Value '-1' at 'segment' failed to satisfy constraint: Member must have value greater than "
        "or equal to 0",
        "Value 'x' at 'select'",
        "Value 'x' at 'returnConsumedCapacity'",
    ):
        boto.scan(
            TableName=plain,
            Limit=0,
            TotalSegments=1_000_001,
            Segment=-1,
            Select="x",
            ReturnConsumedCapacity="x",
        )


# Each limit by itself, so that other endpoints can be asked too. API_Scan, as above.
@pytest.mark.parametrize(
    "members",
    [
        {"Limit": 0},
        {"Limit": -1},
        {"Segment": 0, "TotalSegments": 0},
        {"Segment": -1, "TotalSegments": 2},
        {"Segment": 1_000_000, "TotalSegments": 1_000_000},
        {"Segment": 0, "TotalSegments": 1_000_001},
    ],
)
def test_a_number_out_of_range_is_refused(boto: Any, plain: str, members: dict[str, int]) -> None:
    with refused("ValidationException"):
        boto.scan(TableName=plain, **members)


# API_Scan, Segment and TotalSegments: one requires the other; segments are numbered from 0.
@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"Segment": 0}, ["TotalSegments", "required"]),
        ({"TotalSegments": 2}, ["Segment", "required"]),
        ({"Segment": 2, "TotalSegments": 2}, ["less than", "TotalSegments"]),
        ({"Segment": 5, "TotalSegments": 2}, ["less than", "TotalSegments"]),
    ],
)
def test_segments_must_make_sense(
    boto: Any, plain: str, members: dict[str, int], words: list[str]
) -> None:
    with refused("ValidationException", *words):
        boto.scan(TableName=plain, **members)


# API_Scan, ConsistentRead: not on global secondary indexes.
def test_a_consistent_read_of_a_global_index_is_refused(boto: Any, indexed: str) -> None:
    with refused("ValidationException", "Consistent reads are not supported on global secondary"):
        boto.scan(TableName=indexed, IndexName="by_g", ConsistentRead=True)


# API_Scan, IndexName: an index of the table.
def test_an_index_that_is_not_there_is_refused(boto: Any, plain: str) -> None:
    with refused("ValidationException", "does not have the specified index", "no-such-index"):
        boto.scan(TableName=plain, IndexName="no-such-index")


# API_Scan, Select: which values go with ProjectionExpression and with an index.
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
    with refused("ValidationException", words):
        boto.scan(TableName=plain, **more)


# API_Scan, Select: a global index that does not hold all attributes cannot give them all.
def test_a_global_index_gives_only_what_it_holds(boto: Any, indexed: str) -> None:
    request = {"TableName": indexed, "IndexName": "by_g_keys"}
    with refused("ValidationException", "ALL_ATTRIBUTES", "by_g_keys"):
        boto.scan(**request, Select="ALL_ATTRIBUTES")
    with refused("ValidationException", "by_g_keys", "does not project", "c"):
        boto.scan(**request, ProjectionExpression="c")


# Placeholders need an expression that can use them. DynamoDB Local answers so.
@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"ExpressionAttributeNames": {"#a": "a"}}, "ExpressionAttributeNames can only be"),
        ({"ExpressionAttributeValues": {":a": {"S": "a"}}}, "ExpressionAttributeValues can only"),
        (
            {"ProjectionExpression": "a", "ExpressionAttributeValues": {":a": {"S": "a"}}},
            "ExpressionAttributeValues can only",
        ),
        (
            {"FilterExpression": "attribute_exists(a)", "ExpressionAttributeNames": {"#a": "a"}},
            "ExpressionAttributeNames unused in expressions: keys: {#a}",
        ),
    ],
)
def test_placeholders_without_a_use_are_refused(
    boto: Any, plain: str, more: dict[str, Any], words: str
) -> None:
    with refused("ValidationException", words):
        boto.scan(TableName=plain, **more)


# API_Scan, ScanFilter and others are legacy: they do not go with expressions.
@pytest.mark.parametrize(
    ("legacy", "value"),
    [
        ("ScanFilter", {"a": {"ComparisonOperator": "NULL"}}),
        ("AttributesToGet", ["a"]),
        ("ConditionalOperator", "AND"),
    ],
)
def test_expressions_and_legacy_parameters_are_not_mixed(
    boto: Any, plain: str, legacy: str, value: Any
) -> None:
    with refused("ValidationException", "expression and non-expression", f"{{{legacy}}}"):
        boto.scan(TableName=plain, FilterExpression="attribute_exists(a)", **{legacy: value})


# "Comparison operator and function reference": refused before any item is looked at.
@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("a < :yes", "Incorrect operand type"),
        ("a BETWEEN :two AND :one", "upper bound"),
        ("contains(:one, a) AND", "Syntax error"),
        ("attribute_type(a, :one)", "Incorrect operand type"),
        ("a IN ()", "Syntax error"),
        ("absolute = :one", "reserved keyword"),
        ("attribute_exists(:one)", "requires a document path"),
        ("attribute_exists(a, b)", "Incorrect number of operands"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(
    boto: Any, plain: str, expression: str, words: str
) -> None:
    values = {":one": number(1), ":two": number(2), ":yes": {"BOOL": True}}
    used = {name: value for name, value in values.items() if name in expression}
    with refused("ValidationException", "Invalid FilterExpression", words):
        boto.scan(
            TableName=plain,
            FilterExpression=expression,
            **({"ExpressionAttributeValues": used} if used else {}),
        )


# API_Scan, ExclusiveStartKey: a whole key of the table, of the right types, and nothing else.
@pytest.mark.parametrize(
    "start",
    [
        {"pk": {"S": "a"}},
        {"pk": {"S": "a"}, "sk": {"N": "1"}},
        {"pk": {"S": "a"}, "sk": {"S": "a"}, "x": {"S": "a"}},
        {"pk": {"S": "a"}, "x": {"S": "a"}},
        {},
    ],
    ids=["part", "type", "more", "other", "empty"],
)
def test_a_start_that_is_no_key_is_refused(boto: Any, pairs: str, start: dict[str, Any]) -> None:
    with refused("ValidationException", "starting key is invalid"):
        boto.scan(TableName=pairs, ExclusiveStartKey=start)


# API_Scan, ExclusiveStartKey: in a parallel scan, "must specify the same segment whose previous
# Scan returned the corresponding value of LastEvaluatedKey".
def test_a_start_in_another_segment_is_refused(boto: Any, thirty: str) -> None:
    starts = [
        answer["LastEvaluatedKey"]
        for segment in range(2)
        if "LastEvaluatedKey"
        in (answer := boto.scan(TableName=thirty, Limit=1, Segment=segment, TotalSegments=2))
    ]
    assert len(starts) == 2
    with refused("ValidationException", "starting key is invalid", "egment"):
        boto.scan(TableName=thirty, ExclusiveStartKey=starts[0], Segment=1, TotalSegments=2)


# Behaviour


# API_Scan, "Response Elements".
def test_an_empty_table_has_no_items(boto: Any, new_table: Any) -> None:
    table = new_table("pk")
    answer = without_metadata(boto.scan(TableName=table))
    assert answer == {"Items": [], "Count": 0, "ScannedCount": 0}


# API_Scan: "returns one or more items and item attributes by accessing every item in a table".
@pytest.mark.parametrize("consistent", [True, False])
def test_every_item_is_found_once(boto: Any, thirty: str, consistent: bool) -> None:
    answer = boto.scan(TableName=thirty, ConsistentRead=consistent)
    assert names_of(answer["Items"]) == EVERY
    assert answer["Count"] == answer["ScannedCount"] == COUNT
    assert "LastEvaluatedKey" not in answer


# API_Scan, Limit and LastEvaluatedKey: pages go through the table without a gap or a repetition,
# wherever they end in a partition.
@pytest.mark.parametrize("limit", [1, 7, 30, 31])
def test_pages_find_every_item_once(boto: Any, thirty: str, limit: int) -> None:
    assert names_of(scan_all(boto, TableName=thirty, Limit=limit)) == EVERY


# "Paginating table query results": a page that the limit ended has a last key, also the last one.
def test_a_full_last_page_has_a_last_key(boto: Any, thirty: str) -> None:
    answer = boto.scan(TableName=thirty, Limit=COUNT)
    last = answer["Items"][-1]
    assert answer["LastEvaluatedKey"] == {"pk": last["pk"], "sk": last["sk"]}
    rest = boto.scan(TableName=thirty, ExclusiveStartKey=answer["LastEvaluatedKey"])
    assert without_metadata(rest) == {"Items": [], "Count": 0, "ScannedCount": 0}


# A partition's items come together and in order, since they are stored so. DynamoDB Local answers
# so, and so does AWS as a rule though it does not promise it.
def test_items_of_a_partition_come_together_in_order(boto: Any, thirty: str) -> None:
    keys = [(item["pk"]["S"], item["sk"]["S"]) for item in boto.scan(TableName=thirty)["Items"]]
    partitions = list(dict.fromkeys(pk for pk, _ in keys))
    assert keys == [key for pk in partitions for key in sorted(key for key in keys if key[0] == pk)]


# Partitions come in the order of a hash that AWS has never changed, though it promises none: of
# these ten, this is its order.
def test_partitions_come_in_the_order_of_their_hash(boto: Any, new_table: Any) -> None:
    table = new_table("pk")
    for name in "0123456789":
        boto.put_item(TableName=table, Item={"pk": text(name)})
    assert "".join(item["pk"]["S"] for item in boto.scan(TableName=table)["Items"]) == "2891605473"


# A start is a position, not an item: what was there may be gone. DynamoDB Local answers so.
def test_a_start_need_not_exist(boto: Any, thirty: str) -> None:
    everything = boto.scan(TableName=thirty)["Items"]
    first = everything[0]
    start = {"pk": first["pk"], "sk": text(first["sk"]["S"] + "0")}
    items = boto.scan(TableName=thirty, ExclusiveStartKey=start)["Items"]
    assert items == everything[1:]


# API_Scan, Segment and TotalSegments, and "Parallel scan": the segments are the whole table, each
# item in one of them; a segment may be empty.
@pytest.mark.parametrize("segments", [1, 2, 3, 7, 100])
def test_segments_divide_the_table(boto: Any, thirty: str, segments: int) -> None:
    results: list[dict[str, Any]] = []
    for segment in range(segments):
        results += boto.scan(TableName=thirty, Segment=segment, TotalSegments=segments)["Items"]
    assert names_of(results) == EVERY


# "Parallel scan": items of one partition are in one segment; a segment is paged like a table.
def test_segments_are_paged(boto: Any, thirty: str) -> None:
    results = [
        scan_all(boto, TableName=thirty, Segment=segment, TotalSegments=3, Limit=2)
        for segment in range(3)
    ]
    assert names_of([item for items in results for item in items]) == EVERY
    partitions = [{item["pk"]["S"] for item in items} for items in results]
    assert sum(map(len, partitions)) == 10


# API_Scan, TotalSegments: up to 1000000.
def test_a_million_segments_are_possible(boto: Any, thirty: str) -> None:
    answer = boto.scan(TableName=thirty, Segment=999_999, TotalSegments=1_000_000)
    assert answer["ScannedCount"] <= 3


# API_Scan, FilterExpression: "applied after a Scan finishes"; unlike a Query's, it may use keys.
def test_a_filter_may_use_keys(boto: Any, thirty: str) -> None:
    answer = boto.scan(
        TableName=thirty,
        FilterExpression="pk = :p AND begins_with(sk, :s) AND n < :n",
        ExpressionAttributeValues={":p": text("p1"), ":s": text("s"), ":n": number(20)},
    )
    assert names_of(answer["Items"]) == Counter(["s1", "s11"])
    assert (answer["Count"], answer["ScannedCount"]) == (2, COUNT)


# API_Scan, Limit: of what is read, not of what is found.
def test_the_limit_is_of_what_is_read(boto: Any, thirty: str) -> None:
    answer = boto.scan(
        TableName=thirty,
        FilterExpression="attribute_not_exists(pk)",
        Limit=4,
    )
    assert (answer["Count"], answer["ScannedCount"], answer["Items"]) == (0, 4, [])
    assert "LastEvaluatedKey" in answer


# API_Scan, Select: COUNT.
def test_a_count_has_no_items(boto: Any, thirty: str) -> None:
    answer = without_metadata(boto.scan(TableName=thirty, Select="COUNT"))
    assert answer == {"Count": COUNT, "ScannedCount": COUNT}


# API_Scan, ProjectionExpression.
def test_a_projection_gives_only_what_it_names(boto: Any, thirty: str) -> None:
    answer = boto.scan(TableName=thirty, ProjectionExpression="n, x")
    assert {tuple(item) for item in answer["Items"]} == {("n",)}
    assert answer["Count"] == COUNT


# API_Scan, IndexName: a scan of an index has what is in it, as it projects it.
def test_an_index_is_scanned(boto: Any, thirty: str) -> None:
    items = boto.scan(TableName=thirty, IndexName="by_g")["Items"]
    assert names_of(items) == Counter(f"s{n}" for n in range(0, COUNT, 2))
    assert {frozenset(item) for item in items} == {frozenset({"pk", "sk", "g"})}


# API_Scan, LastEvaluatedKey, of an index: its key and the table's, since many share the first.
def test_an_index_is_scanned_in_pages_and_segments(boto: Any, thirty: str) -> None:
    expected = Counter(f"s{n}" for n in range(0, COUNT, 2))
    request = {"TableName": thirty, "IndexName": "by_g"}
    assert set(boto.scan(**request, Limit=1)["LastEvaluatedKey"]) == {"pk", "sk", "g"}
    assert names_of(scan_all(boto, **request, Limit=2)) == expected
    results: list[dict[str, Any]] = []
    for segment in range(3):
        results += scan_all(boto, **request, Limit=2, Segment=segment, TotalSegments=3)
    assert names_of(results) == expected


# API_Scan: a local index is scanned too, and read consistently.
def test_a_local_index_is_scanned(boto: Any, new_table: Any) -> None:
    table = new_table("pk", "sk", LocalSecondaryIndexes=[index("by_l", ["pk", "l"], "KEYS_ONLY")])
    boto.put_item(TableName=table, Item={"pk": text("a"), "sk": text("a"), "l": number(1)})
    boto.put_item(TableName=table, Item={"pk": text("b"), "sk": text("a"), "x": number(1)})
    answer = boto.scan(TableName=table, IndexName="by_l", ConsistentRead=True)
    assert answer["Items"] == [{"pk": text("a"), "sk": text("a"), "l": number(1)}]


# API_Scan: "If the total size of scanned items exceeds the maximum dataset size limit of 1 MB,
# the scan completes and results are returned to the user"; before the filter.
def test_a_page_ends_at_a_megabyte_before_the_filter(boto: Any, new_table: Any) -> None:
    table = new_table("pk")
    for n in range(4):
        item = {"pk": text(str(n)), "a": text("x" * 399_000), "n": number(n)}
        boto.put_item(TableName=table, Item=item)
    first = boto.scan(TableName=table)
    assert first["Count"] in (2, 3)
    rest = boto.scan(TableName=table, ExclusiveStartKey=first["LastEvaluatedKey"])
    results = [item["pk"]["S"] for item in first["Items"] + rest["Items"]]
    assert sorted(results) == ["0", "1", "2", "3"]
    assert "LastEvaluatedKey" not in rest
    filtered = boto.scan(
        TableName=table,
        FilterExpression="n > :n",
        ExpressionAttributeValues={":n": number(9)},
    )
    assert (filtered["Count"], filtered["ScannedCount"]) == (0, first["Count"])
    assert filtered["LastEvaluatedKey"] == first["LastEvaluatedKey"]
    boto.delete_table(TableName=table)
