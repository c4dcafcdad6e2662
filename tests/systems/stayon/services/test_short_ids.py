"""Short ids: their forms, and a pool that may be empty, stale or out of order."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import create
from tablewright.systems.stayon.design import POOL, P, PoolSlot
from tablewright.systems.stayon.services.short_ids import (
    BUCKETS,
    compact,
    new_short_id,
    parse_short_id,
)
from tests.systems.stayon.desk import CHECKLIST, Desk, place

FORM = re.compile("[a-z]{3}-[a-z]{3}-[0-9]{5}").fullmatch


@given(st.from_regex("[a-z]{3}-[a-z]{3}-[0-9]{5}", fullmatch=True))
def test_a_short_id_is_read_in_any_case_and_without_hyphens(short_id: str) -> None:
    for form in (short_id, short_id.upper(), compact(short_id), compact(short_id).upper()):
        assert parse_short_id(form) == short_id


@pytest.mark.parametrize(
    "text", ["", "abcdef-12345", "abc-def12345", "abc-def-1234", "abc-def-123456", "äbc-def-12345"]
)
def test_other_forms_are_no_short_ids(text: str) -> None:
    assert parse_short_id(text) is None


def test_new_ids_have_the_form_and_differ() -> None:
    made = {new_short_id() for _ in range(200)}
    assert len(made) > 190
    assert all(map(FORM, made))


def test_the_pool_is_filled_at_the_start_and_gives_its_ids_away(desk: Desk) -> None:
    desk.server.settle()
    pooled = {item["id"]["S"] for item in scanned(desk)}
    assert len(pooled) == BUCKETS
    made = desk.make(CHECKLIST)["shortId"]
    assert made.upper() in pooled
    assert made.upper() not in {item["id"]["S"] for item in scanned(desk)}


def test_an_id_that_is_taken_is_not_offered_again(desk: Desk) -> None:
    desk.server.settle()
    taken = desk.make(CHECKLIST)["shortId"]
    emptied(desk)
    for bucket in range(BUCKETS):
        desk.server.run(create(PoolSlot(bucket=bucket, slot=0, id=taken.upper())))
    made = desk.make(CHECKLIST)["shortId"]
    assert made != taken
    assert desk.anyone.get(place({"shortId": taken})).status_code == 200
    desk.server.settle()


def test_pages_are_made_while_the_pool_is_empty_or_gone(desk: Desk) -> None:
    desk.server.settle()
    emptied(desk)
    assert FORM(desk.make(CHECKLIST)["shortId"])
    desk.server.settle()
    assert len(scanned(desk)) == BUCKETS  # What came up empty is filled again.
    desk.call("DeleteTable", {"TableName": POOL.name})
    assert FORM(desk.make(CHECKLIST)["shortId"])
    desk.server.settle()
    desk.call("CreateTable", POOL.create_request())


def scanned(desk: Desk) -> list[dict[str, dict[str, str]]]:
    rows: list[dict[str, dict[str, str]]] = desk.call("Scan", {"TableName": POOL.name})["Items"]
    return rows


def emptied(desk: Desk) -> None:
    for item in scanned(desk):
        key = {"pk": item["pk"], "sk": item["sk"]}
        desk.call("DeleteItem", {"TableName": POOL.name, "Key": key})
    assert desk.server.run(P.claim_short_id(0).first()) is None
