"""What all stores promise, on each of them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tablewright.errors import (
    ConditionalCheckFailed,
    Conflict,
    DesignError,
    IdempotentParameterMismatch,
    ResourceNotFound,
    TransactionCanceled,
    ValidationError,
)
from tablewright.stores.store import Store

from .notes import NOTES, Note
from .operations import Ask, Partition, Things, get, key, key_schema, number, put, text, thing


def transact(*actions: dict[str, Any], **more: Any) -> Ask:
    return Ask("TransactWriteItems", {"TransactItems": list(actions), **more})


def put_action(item: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"Put": {"TableName": "things", "Item": item, **more}}


def add_action(pk: str, by: int) -> dict[str, Any]:
    return {
        "Update": {
            "TableName": "things",
            "Key": key(pk),
            "UpdateExpression": "ADD n :by",
            "ExpressionAttributeValues": {":by": number(by)},
        }
    }


def test_what_is_put_is_read(store: Store) -> None:
    store.ensure_tables([Things()])
    item = thing("p", n=number(7), blob={"B": "AAEC"}, tags={"SS": ["a", "b"]}, t=text("ß€😀"))
    store.run(put(item))
    assert store.run(get(key("p")))["Item"] == item
    assert "Item" not in store.run(get(key("q")))


def test_an_operation_after_another_gets_its_result(store: Store) -> None:
    store.ensure_tables([Things()])
    store.run(put(thing("p", next=text("q"))))
    store.run(put(thing("q", n=number(1))))
    result = store.run(get(key("p")).then(lambda r: get(key(r["Item"]["next"]["S"]))))
    assert result["Item"] == thing("q", n=number(1))


def test_iterating_asks_for_page_after_page(store: Store) -> None:
    store.ensure_tables([Things()])
    for n in range(5):
        store.run(put(thing("p", f"{n}")))
    store.run(put(thing("q")))
    assert [item["sk"]["S"] for item in store.iterate(Partition("p"))] == ["0", "1", "2", "3", "4"]
    assert list(store.iterate(Partition("r"))) == []


def test_iterating_asks_for_no_page_before_it_is_needed(store: Store) -> None:
    store.ensure_tables([Things()])
    for n in range(5):
        store.run(put(thing("p", f"{n}")))
    result = iter(store.iterate(Partition("p")))
    assert next(result) == thing("p", "0")
    store.run(put(thing("p", "4", late=number(1))))
    assert list(result)[-1] == thing("p", "4", late=number(1))


def test_a_trace_shows_calls_and_what_they_cost(store: Store) -> None:
    store.ensure_tables([Things()])
    requested = put(thing("p", g=text("g")))
    before = deepcopy(requested.asked)
    trace = store.trace(requested.then(lambda _: get(key("p"))))
    assert requested.asked == before
    assert trace.value["Item"] == thing("p", g=text("g"))
    assert [created.operation for created in trace.calls] == ["PutItem", "GetItem"]
    assert trace.calls[0].request == before
    assert [created.units for created in trace.calls] == [2.0, 1.0]
    assert trace.units == 3.0
    assert trace.units_by_place == {"things": 2.0, "things/byG": 1.0}


def test_a_condition_that_is_false_shows_the_item(store: Store) -> None:
    store.ensure_tables([Things()])
    store.run(put(thing("p", n=number(1))))
    refused = put(
        thing("p", n=number(2)),
        ConditionExpression="attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    with pytest.raises(ConditionalCheckFailed) as failure:
        store.run(refused)
    assert failure.value.item == thing("p", n=number(1))


def test_errors_are_the_same_classes_everywhere(store: Store) -> None:
    store.ensure_tables([Things()])
    with pytest.raises(ResourceNotFound):
        store.run(get(key("p"), table="nothing-here"))
    with pytest.raises(ValidationError):
        store.run(get({"pk": text("p")}))


def test_a_transaction_is_all_or_nothing(store: Store) -> None:
    store.ensure_tables([Things()])
    store.run(put(thing("old", n=number(1))))
    store.run(
        transact(
            put_action(thing("a")),
            add_action("old", 4),
            {"Delete": {"TableName": "things", "Key": key("missing")}},
        )
    )
    assert store.run(get(key("old")))["Item"]["n"] == number(5)
    check = {
        "ConditionCheck": {
            "TableName": "things",
            "Key": key("old"),
            "ConditionExpression": "n = :n",
            "ExpressionAttributeValues": {":n": number(5)},
        }
    }
    refused = put_action(
        thing("a"),
        ConditionExpression="attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    with pytest.raises(TransactionCanceled) as failure:
        store.run(transact(put_action(thing("b")), refused, check))
    codes = [reason["Code"] for reason in failure.value.reasons]
    assert codes == ["None", "ConditionalCheckFailed", "None"]
    assert failure.value.reasons[1]["Item"] == thing("a")
    assert "Item" not in store.run(get(key("b")))


def test_a_transaction_with_a_known_token_has_no_second_effect(store: Store) -> None:
    store.ensure_tables([Things()])
    for _ in range(2):
        store.run(transact(add_action("p", 1), ClientRequestToken="once"))
    assert store.run(get(key("p")))["Item"]["n"] == number(1)
    with pytest.raises(IdempotentParameterMismatch):
        store.run(transact(add_action("p", 2), ClientRequestToken="once"))


def test_a_transaction_cannot_have_two_actions_on_a_row(store: Store) -> None:
    store.ensure_tables([Things()])
    with pytest.raises(ValidationError, match="multiple operations on one item"):
        store.run(transact(add_action("p", 1), put_action(thing("p"))))


def test_reading_in_a_transaction_keeps_the_order(store: Store) -> None:
    store.ensure_tables([Things()])
    store.run(put(thing("a", n=number(1), m=number(2))))
    store.run(put(thing("b")))
    gets = [
        {"Get": {"TableName": "things", "Key": key("b")}},
        {"Get": {"TableName": "things", "Key": key("none")}},
        {
            "Get": {
                "TableName": "things",
                "Key": key("a"),
                "ProjectionExpression": "#n",
                "ExpressionAttributeNames": {"#n": "n"},
            }
        },
    ]
    reply = store.run(Ask("TransactGetItems", {"TransactItems": gets}))
    assert reply["Responses"] == [{"Item": thing("b")}, {}, {"Item": {"n": number(1)}}]


def test_batches_name_their_tables(store: Store) -> None:
    store.ensure_tables([Things("one"), Things("two")])
    wishes = {name: [{"PutRequest": {"Item": thing(name)}}] for name in ("one", "two")}
    reply = store.run(
        Ask("BatchWriteItem", {"RequestItems": wishes, "ReturnConsumedCapacity": "TOTAL"})
    )
    assert reply["UnprocessedItems"] == {}
    assert {used["TableName"] for used in reply["ConsumedCapacity"]} == {"one", "two"}
    keys = {name: {"Keys": [key(name)]} for name in ("one", "two")}
    result = store.run(Ask("BatchGetItem", {"RequestItems": keys}))
    assert result["Responses"] == {name: [thing(name)] for name in ("one", "two")}


def test_missing_tables_are_made_once(store: Store) -> None:
    tables = [Things("one", ttl="until"), Things("two")]
    assert store.ensure_tables(tables) == ["one", "two"]
    assert store.ensure_tables(tables) == []
    described = store.call("DescribeTimeToLive", {"TableName": "one"})["TimeToLiveDescription"]
    assert described["AttributeName"] == "until"
    assert store.call("DescribeTable", {"TableName": "one"})["Table"]["TableName"] == "one"
    names = store.call("ListTables", {})["TableNames"]
    assert [name for name in names if name != "tablewright-intents"] == ["one", "two"]


def test_a_table_that_differs_is_reported_in_full(store: Store) -> None:
    store.ensure_tables([Things(ttl="until")])
    index = {
        "IndexName": "byG",
        "KeySchema": key_schema("g"),
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    other = {**index, "IndexName": "byH"}
    changed = Things(KeySchema=key_schema("pk"), GlobalSecondaryIndexes=[index, other])
    with pytest.raises(DesignError) as failure:
        store.ensure_tables([changed])
    findings = "\n".join(failure.value.findings)
    assert "has the key pk (S, HASH), sk (S, RANGE), but the design has pk (S, HASH)" in findings
    assert (
        "index byG: has the key g (S, HASH), sk (S, RANGE), but the design has g (S, HASH)"
        in findings
    )
    assert "index byG: projects ALL, but the design has KEYS_ONLY" in findings
    assert "index byH: missing" in findings
    with pytest.raises(DesignError, match="is until, but the design has other"):
        store.ensure_tables([Things(ttl="other")])


def test_requests_are_not_changed(store: Store) -> None:
    store.ensure_tables([Things()])
    for requested in (
        put(thing("p")),
        transact(put_action(thing("a")), add_action("b", 1)),
        Ask("BatchGetItem", {"RequestItems": {"things": {"Keys": [key("p")]}}}),
    ):
        before = deepcopy(requested.asked)
        store.run(requested)
        assert requested.asked == before


def test_a_unit_is_made_when_its_block_ends(store: Store) -> None:
    store.ensure_tables([NOTES])
    with store.unit() as unit:
        unit.create(Note(id="a", text="x"))
        unit.create(Note(id="b"))
        assert unit.result is None
    assert unit.result is not None
    result = store.call("GetItem", {"TableName": "notes", "Key": note_key("a")})
    assert result["Item"]["text"] == text("x")
    with pytest.raises(Conflict), store.unit() as unit:
        unit.create(Note(id="c")).create(Note(id="a"))
    assert "Item" not in store.call("GetItem", {"TableName": "notes", "Key": note_key("c")})


def test_a_unit_is_not_made_when_its_block_fails(store: Store) -> None:
    store.ensure_tables([NOTES])
    with pytest.raises(ZeroDivisionError), store.unit() as unit:
        unit.create(Note(id="a")).create(Note(id=f"{1 // 0}"))
    assert unit.result is None
    assert "Item" not in store.call("GetItem", {"TableName": "notes", "Key": note_key("a")})


def note_key(id_: str) -> dict[str, Any]:
    return {"pk": text(f"NOTE#{id_}"), "sk": text("NOTE")}
