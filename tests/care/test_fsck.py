"""fsck finds every kind of drift in a small design, and none in consistent data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import Index, Model, Ref, Store, Table, create, open_store, ref
from tablewright.care.fsck import drift

T = Table("Club", indexes=[Index("byName", pk="namePK")])


@T.entity("MEMBER#{memberId}", "PROFILE", byName="NAME#{name}")
class Member(Model):
    member_id: str
    name: str
    visit_count: int = 0


@T.entity("MEMBER#{memberId}", "VISIT#{day}")
class Visit(Model):
    member_id: str
    day: str


@T.entity("DAY#{day}", "MEMBER#{memberId}")
class Attendance(Model):
    member_id: str
    day: str


@T.derive(Visit)
def attendance_of(visit: Visit) -> Attendance:
    return Attendance(member_id=visit.member_id, day=visit.day)


@T.count(Visit, "visit_count")
def visits_of(visit: Visit) -> Ref[Member]:
    return ref(Member, member_id=visit.member_id)


ANN = {"PK": {"S": "MEMBER#ann"}, "SK": {"S": "PROFILE"}}
ATTENDANCE = {"PK": {"S": "DAY#1"}, "SK": {"S": "MEMBER#ann"}}


@pytest.fixture
def store() -> Iterator[Store]:
    """A member with one visit."""
    from tablewright.design.findings import raise_errors
    from tablewright.design.proofs import prove_table

    raise_errors("Club", prove_table(T))
    with open_store("sqlite://:memory:") as opened:
        opened.ensure_tables([T])
        opened.run(create(Member(member_id="ann", name="Ann")))
        opened.run(create(Visit(member_id="ann", day="1")))
        yield opened


def update(store: Store, key: dict[str, Any], attribute: str, value: dict[str, Any]) -> None:
    request = {"TableName": "Club", "Key": key, "UpdateExpression": "SET #a = :v"}
    names = {"ExpressionAttributeNames": {"#a": attribute}}
    store.call("UpdateItem", {**request, **names, "ExpressionAttributeValues": {":v": value}})


def delete(store: Store, key: dict[str, Any]) -> None:
    store.call("DeleteItem", {"TableName": "Club", "Key": key})


def test_consistent_data_has_no_drift(store: Store) -> None:
    assert drift(store, [T]) == []


def test_a_missing_derived_row_is_found(store: Store) -> None:
    delete(store, ATTENDANCE)
    assert drift(store, [T]) == ["DAY#1 / MEMBER#ann is missing"]


def test_a_derived_row_without_a_source_is_found(store: Store) -> None:
    item = {**ATTENDANCE, "PK": {"S": "DAY#2"}, "memberId": {"S": "ann"}, "day": {"S": "2"}}
    item["entityType"] = {"S": "ATTENDANCE"}
    store.call("PutItem", {"TableName": "Club", "Item": item})
    assert drift(store, [T]) == ["DAY#2 / MEMBER#ann has no source"]


def test_a_wrong_counter_is_found(store: Store) -> None:
    update(store, ANN, "visitCount", {"N": "7"})
    assert drift(store, [T]) == ["visit_count of MEMBER#ann / PROFILE is 7, but visits_of counts 1"]


def test_a_counter_without_its_target_is_found(store: Store) -> None:
    delete(store, ANN)
    assert drift(store, [T]) == [
        "visits_of: 1 counted on MEMBER#ann / PROFILE, which does not exist"
    ]


def test_a_stale_index_key_is_found(store: Store) -> None:
    update(store, ANN, "namePK", {"S": "NAME#Bob"})
    (problem,) = drift(store, [T])
    assert problem.startswith("namePK of MEMBER#ann / PROFILE is {'S': 'NAME#Bob'}, but should be")


def test_rows_without_an_entity_and_rows_that_do_not_fit_are_found(store: Store) -> None:
    store.call("PutItem", {"TableName": "Club", "Item": {"PK": {"S": "X"}, "SK": {"S": "Y"}}})
    update(store, ANN, "name", {"N": "1"})
    problems = drift(store, [T])
    assert "X / Y belongs to no entity" in problems
    assert any("MEMBER#ann / PROFILE does not fit its entity: Member.name" in p for p in problems)
