"""Fast paths return the same results as full validation."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine.database import Database
from tablewright.engine.operations import find_operation
from tablewright.errors import ServiceError
from tests.engine.sample_tables import make_table

TEXTS = st.sampled_from(["", "a", "b", "x" * 30, "ä", "#", "\0"])
NUMBERS = st.sampled_from(["1", "-1", "0", "-0", "1.50", "abc", "1e5", "9" * 39, ""])
VALUES = st.one_of(
    st.builds(lambda text: {"S": text}, TEXTS),
    st.builds(lambda text: {"N": text}, NUMBERS),
    st.sampled_from(
        [
            {"BOOL": True},
            {"BOOL": 1},
            {"NULL": True},
            {"SS": ["a"]},
            {"L": []},
            {},
            {"S": 1},
            None,
            "a",
        ]
    ),
    st.just({"S": "a", "N": "1"}),
)
NAMES = st.sampled_from(["pk", "sk", "g", "h", "a", "", ":v", ":w", "v"])
KEYS = st.one_of(
    st.just({"pk": {"S": "a"}, "sk": {"S": "b"}}),
    st.dictionaries(NAMES, VALUES, max_size=3),
    st.none(),
)
EXPRESSIONS = st.sampled_from(
    [
        "SET a = :v",
        "ADD n :v",
        "SET a = if_not_exists(a, :v)",
        "REMOVE a",
        "DELETE s :v",
        "SET a = :v, b = :w",
        "SET pk = :v",
        "SET #n = :v",
        "SET g = :v",
        "nonsense",
        "",
    ]
)
TABLES = st.sampled_from(["things", "nothing", "x", "", "no name", 5, None])


def request(operation: str) -> Any:
    fields: dict[str, Any] = {"TableName": TABLES}
    if operation == "PutItem":
        fields["Item"] = st.one_of(KEYS, st.dictionaries(NAMES, VALUES, max_size=5))
    else:
        fields["Key"] = KEYS
    if operation == "UpdateItem":
        fields["UpdateExpression"] = EXPRESSIONS
        fields["ExpressionAttributeValues"] = st.dictionaries(NAMES, VALUES, max_size=2)
    return st.fixed_dictionaries(fields)


@pytest.mark.parametrize("operation", ["GetItem", "PutItem", "UpdateItem"])
@given(data=st.data())
def test_a_glance_says_what_a_closer_look_would(operation: str, data: st.DataObject) -> None:
    assert find_operation(operation).fast_path is not None
    requests = data.draw(request(operation))
    replies = [
        outcome(operation, copy.deepcopy(requests), at_a_glance=quick) for quick in (True, False)
    ]
    assert replies[0] == replies[1]


def outcome(operation: str, asked: Any, *, at_a_glance: bool) -> tuple[Any, list[Any]]:
    """The result of a request on a table with one item, and the table's items afterwards."""
    with Database.open() as database:
        make_table(database)
        stored = {"pk": {"S": "a"}, "sk": {"S": "b"}, "n": {"N": "1"}, "s": {"SS": ["a"]}}
        database.call("PutItem", {"TableName": "things", "Item": stored})
        result = find_operation(operation)
        try:
            command = result.prepare(asked) if at_a_glance else result.prepare_fully(asked)
            reply: Any = database._run(result, command, bytes)
        except ServiceError as error:
            reply = type(error), error.message
        items = database.call("Scan", {"TableName": "things"})["Items"]
        assert database.check() == []
        return reply, items
