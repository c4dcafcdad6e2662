"""Time to live: which items the sweep deletes, and which it keeps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tablewright.engine.database import Database
from tests.engine.sample_tables import make_table, number, text

NOW = 1_800_000_000


class Clock:
    def __init__(self) -> None:
        self.now = float(NOW)

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(clock: Clock) -> Iterator[Database]:
    opened = Database.open(clock=clock)
    make_table(opened)
    set_ttl(opened, enabled=True)
    yield opened
    assert opened.check() == []
    opened.close()


def set_ttl(database: Database, *, enabled: bool, name: str = "until") -> None:
    specification = {"AttributeName": name, "Enabled": enabled}
    database.call(
        "UpdateTimeToLive", {"TableName": "things", "TimeToLiveSpecification": specification}
    )


def put(database: Database, key: str, until: dict[str, str] | None) -> None:
    item = {"pk": text(key), "sk": text("x"), "g": text("x"), "h": number(1)}
    if until is not None:
        item["until"] = until
    database.call("PutItem", {"TableName": "things", "Item": item})


def keys(database: Database) -> set[str]:
    return {item["pk"]["S"] for item in database.call("Scan", {"TableName": "things"})["Items"]}


def test_items_expire_by_the_clock_and_stay_visible_until_swept(
    database: Database, clock: Clock
) -> None:
    put(database, "soon", number(NOW + 10))
    put(database, "later", number(NOW + 1000))
    assert database.sweep_expired() == 0
    clock.now += 11
    assert keys(database) == {"soon", "later"}
    assert database.sweep_expired() == 1
    assert keys(database) == {"later"}


def test_only_numbers_of_the_last_five_years_expire(database: Database) -> None:
    put(database, "text", text(str(NOW - 10)))
    put(database, "none", None)
    put(database, "ancient", number(NOW - 6 * 365 * 24 * 3600))
    put(database, "negative", number(-5))
    put(database, "huge", number("1E100"))
    put(database, "fraction", number(f"{NOW - 10}.5"))
    assert database.sweep_expired() == 1
    assert keys(database) == {"text", "none", "ancient", "negative", "huge"}


def test_an_item_whose_time_was_changed_is_not_swept(database: Database) -> None:
    put(database, "a", number(NOW - 10))
    put(database, "a", number(NOW + 10))
    assert database.sweep_expired() == 0


def test_enabling_it_finds_the_items_that_are_there(database: Database) -> None:
    set_ttl(database, enabled=False)
    put(database, "a", number(NOW - 10))
    assert database.sweep_expired() == 0
    set_ttl(database, enabled=True)
    assert database.sweep_expired() == 1


def test_a_sweep_takes_any_number_of_items(database: Database) -> None:
    for n in range(600):
        put(database, str(n), number(NOW - 1))
    assert database.sweep_expired() == 600
    assert keys(database) == set()
