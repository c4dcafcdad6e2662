"""Table prefixes: on every name that goes out, off every name that comes back."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tablewright.engine.database import Database
from tablewright.stores.embedded.embedded_store import EmbeddedStore
from tablewright.stores.table_prefix import PrefixedStore, prefixed_request, unprefixed_reply

from .operations import Things, get, key, put, thing

REQUESTS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"TableName": "t", "Limit": 1}, {"TableName": "p-t", "Limit": 1}),
    ({"TableName": "arn:aws:t"}, {"TableName": "arn:aws:t"}),
    ({"TableName": 5}, {"TableName": 5}),
    ({"RequestItems": {"t": [], "u": {}}}, {"RequestItems": {"p-t": [], "p-u": {}}}),
    (
        {"TransactItems": [{"Put": {"TableName": "t", "Item": {}}}, {"Get": {"Key": {}}}, 7]},
        {"TransactItems": [{"Put": {"TableName": "p-t", "Item": {}}}, {"Get": {"Key": {}}}, 7]},
    ),
    ({"TransactItems": None, "RequestItems": 3}, {"TransactItems": None, "RequestItems": 3}),
]


def test_names_in_requests() -> None:
    for request, expected in REQUESTS:
        before = deepcopy(request)
        assert prefixed_request(request, "p-") == expected
        assert request == before


def test_names_in_replies() -> None:
    assert unprefixed_reply(
        {
            "Responses": {"p-t": [1]},
            "UnprocessedItems": {"p-t": [2]},
            "UnprocessedKeys": {"p-u": {}},
            "ItemCollectionMetrics": {"p-t": [3]},
            "ConsumedCapacity": [{"TableName": "p-t"}, {"TableName": "other"}],
        },
        "p-",
    ) == {
        "Responses": {"t": [1]},
        "UnprocessedItems": {"t": [2]},
        "UnprocessedKeys": {"u": {}},
        "ItemCollectionMetrics": {"t": [3]},
        "ConsumedCapacity": [{"TableName": "t"}, {"TableName": "other"}],
    }
    single = {"ItemCollectionKey": {"pk": {"S": "p-"}}, "SizeEstimateRangeGB": [0, 1]}
    reply = {
        "Table": {"TableName": "p-t", "TableArn": "arn:p-t"},
        "TableDescription": {"TableName": "p-t"},
        "ConsumedCapacity": {"TableName": "p-t"},
        "ItemCollectionMetrics": single,
        "Responses": [{"Item": {}}],
    }
    assert unprefixed_reply(reply, "p-") == {
        "Table": {"TableName": "t", "TableArn": "arn:p-t"},
        "TableDescription": {"TableName": "t"},
        "ConsumedCapacity": {"TableName": "t"},
        "ItemCollectionMetrics": single,
        "Responses": [{"Item": {}}],
    }


def test_items_are_never_looked_into() -> None:
    item = {"TableName": {"S": "p-t"}}
    assert unprefixed_reply({"Item": item, "Attributes": item}, "p-") == {
        "Item": item,
        "Attributes": item,
    }


def test_installations_do_not_see_each_other(database: Database) -> None:
    base = EmbeddedStore(database)
    one, two = PrefixedStore(base, "one-"), PrefixedStore(base, "two-")
    for store in (one, two):
        store.ensure_tables([Things()])
    one.run(put(thing("p")))
    assert "Item" not in two.run(get(key("p")))
    assert one.call("ListTables", {}) == two.call("ListTables", {}) == {"TableNames": ["things"]}
    assert base.call("ListTables", {})["TableNames"] == ["one-things", "two-things"]


def test_all_tables_are_listed_however_many_others_there_are(database: Database) -> None:
    base = EmbeddedStore(database)
    base.ensure_tables([Things(f"a{n:03}") for n in range(105)])
    store = PrefixedStore(base, "b-")
    store.ensure_tables([Things()])
    assert store.call("ListTables", {"Limit": 1}) == {"TableNames": ["things"]}
