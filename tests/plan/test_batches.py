"""Batches: what the store leaves unprocessed is sent again, and never forgotten."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tablewright import StoreUnavailable
from tablewright.plan.batches import back_off, batch_get, batch_write, identity, key_in
from tablewright.plan.operation import Call, Context, Pause, Steps

from .library import E, T

CONTEXT = Context(now=lambda: 0.0, random=lambda: 0.5, token=lambda: "t")
Reply = Callable[[dict[str, Any]], dict[str, Any]]


def key(number: int) -> dict[str, Any]:
    return {"PK": {"S": f"ROW#{number}"}, "SK": {"S": "METADATA"}}


def drive(steps: Steps[Any], reply: Reply) -> tuple[Any, list[dict[str, Any]], list[float]]:
    """The result, the requests and the pauses of some steps."""
    requests, pauses = [], []
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                pauses.append(step.seconds)
                step = steps.send({})
            else:
                assert isinstance(step, Call)
                requests.append(step.request["RequestItems"])
                step = steps.send(reply(step.request["RequestItems"]))
    except StopIteration as end:
        return end.value, requests, pauses


def test_a_hundred_keys_are_read_at_once() -> None:
    def reply(asked: dict[str, Any]) -> dict[str, Any]:
        return {"Responses": {name: part["Keys"] for name, part in asked.items()}}

    result, requests, pauses = drive(batch_get({T: [key(n) for n in range(250)]}, CONTEXT), reply)
    assert [len(request["library"]["Keys"]) for request in requests] == [100, 100, 50]
    assert len(result) == 250
    assert result[identity("library", key(3))] == key(3)
    assert pauses == []


def test_unprocessed_keys_are_asked_for_again_until_all_are_read() -> None:
    chance = random.Random(3)

    def reply(asked: dict[str, Any]) -> dict[str, Any]:
        keys = asked["library"]["Keys"]
        done = chance.randrange(len(keys) + 1)
        left = {"library": {"Keys": keys[done:], "ConsistentRead": True}} if keys[done:] else {}
        return {"Responses": {"library": keys[:done]}, "UnprocessedKeys": left}

    result, _, pauses = drive(batch_get({T: [key(n) for n in range(230)]}, CONTEXT), reply)
    assert len(result) == 230
    assert pauses


def test_a_row_is_asked_for_once() -> None:
    def reply(asked: dict[str, Any]) -> dict[str, Any]:
        return {"Responses": {"library": asked["library"]["Keys"]}}

    result, requests, _ = drive(batch_get({T: [key(1), key(1)]}, CONTEXT), reply)
    assert len(requests[0]["library"]["Keys"]) == 1
    assert len(result) == 1


def test_twenty_five_rows_are_written_at_once() -> None:
    puts = [{**key(n), "n": {"N": "1"}} for n in range(30)]
    deletes = [key(n) for n in range(100, 130)]
    steps = batch_write({T: puts}, {T: deletes, E: []}, CONTEXT)
    total, requests, _ = drive(steps, lambda asked: {"UnprocessedItems": {}})
    assert total == 60
    assert [len(request["library"]) for request in requests] == [25, 25, 10]


def test_unprocessed_writes_are_sent_again_until_all_are_made() -> None:
    chance = random.Random(5)
    created: set[str] = set()

    def reply(asked: dict[str, Any]) -> dict[str, Any]:
        parts = asked["library"]
        done = chance.randrange(len(parts) + 1)
        created.update(part["DeleteRequest"]["Key"]["PK"]["S"] for part in parts[:done])
        return {"UnprocessedItems": {"library": parts[done:]} if parts[done:] else {}}

    drive(batch_write({}, {T: [key(n) for n in range(80)]}, CONTEXT), reply)
    assert created == {f"ROW#{n}" for n in range(80)}


def test_what_is_never_processed_is_told_in_the_end() -> None:
    def reply(asked: dict[str, Any]) -> dict[str, Any]:
        return {"UnprocessedItems": asked}

    steps = batch_write({}, {T: [key(n) for n in range(30)]}, CONTEXT)
    with pytest.raises(StoreUnavailable, match="30 of 30 rows were not written"):
        drive(steps, reply)

    steps_of_reading = batch_get({T: [key(1)]}, CONTEXT)
    with pytest.raises(StoreUnavailable, match="1 rows were not read"):
        drive(steps_of_reading, lambda asked: {"UnprocessedKeys": asked})


def test_pauses_grow_with_full_jitter_up_to_a_bound() -> None:
    assert [back_off(CONTEXT, tries).seconds for tries in (0, 1, 2, 3)] == [0.025, 0.05, 0.1, 0.2]
    assert back_off(CONTEXT, 100).seconds == 2.5
    still = Context(now=lambda: 0.0, random=lambda: 0.0, token=lambda: "t")
    assert back_off(still, 5).seconds == 0


def test_the_last_of_several_puts_counts() -> None:
    puts = [{**key(1), "n": {"N": "1"}}, {**key(1), "n": {"N": "2"}}]
    _, requests, _ = drive(batch_write({T: puts}, {}, CONTEXT), lambda asked: {})
    assert requests == [{"library": [{"PutRequest": {"Item": puts[1]}}]}]


def test_a_row_is_not_put_and_deleted_in_one_batch() -> None:
    with pytest.raises(ValueError, match="puts and deletes"):
        drive(batch_write({T: [key(1)]}, {T: [key(1)]}, CONTEXT), lambda asked: {})


def test_a_row_is_told_by_its_table_and_key() -> None:
    assert key_in(T, {**key(1), "n": {"N": "1"}}) == key(1)
    assert identity("library", key(1)) != identity("shelves", key(1))
