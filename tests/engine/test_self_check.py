"""The self-check finds planted damage: a check that cannot fail proves nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tablewright.engine.database import Database
from tablewright.engine.sqlite.rows import Session
from tests.engine.sample_tables import make_table, number, text


@pytest.fixture
def filled() -> Iterator[Database]:
    database = Database.open()
    make_table(database)
    database.call(
        "UpdateTimeToLive",
        {
            "TableName": "things",
            "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": True},
        },
    )
    for n in range(3):
        item = {"pk": text("a"), "sk": text(str(n)), "g": text("x"), "h": number(n), "l": number(n)}
        item["until"] = number(1000 + n)
        database.call("PutItem", {"TableName": "things", "Item": item})
    assert database.check() == []
    yield database
    database.close()


def sql(database: Database, statement: str) -> None:
    session: Session = database.storage.writer
    session.connection.execute(statement)


@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        ("UPDATE items_1 SET size = size + 1", "its row says"),
        ('UPDATE items_1 SET body = \'{"pk":{"S":"a"}}\'', "has no key"),
        ("UPDATE items_1 SET body = 'x'", "is unreadable"),
        ("UPDATE items_1 SET range = range || 'x'", "stored under a different key"),
        (
            "UPDATE items_1 SET body = replace(CAST(body AS TEXT), '\"1001\"', '\"01001\"')",
            "canonical",
        ),
        ("DELETE FROM items_1", "stale entry"),
        ("DELETE FROM index_1_1", "has no entry"),
        ("DELETE FROM expiry_1", "expiry row"),
        ("UPDATE expiry_1 SET expires = expires + 7", "expiry row"),
        ("DROP TABLE index_1_2", "is missing"),
        ("CREATE TABLE items_99(x)", "is not part of any table or backup"),
    ],
)
def test_damage_is_found(filled: Database, damage: str, finding: str) -> None:
    sql(filled, damage)
    assert any(finding in problem for problem in filled.check())


def test_wrong_counts_are_found(filled: Database) -> None:
    filled.tables[0].counts.add(0, 1, 0)
    assert any("counts" in problem for problem in filled.check())
