"""UpdateTimeToLive."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ResourceNotFound, ValidationError


@pytest.fixture
def filled(database: Database) -> Database:
    database.call(
        "CreateTable",
        {
            "TableName": "Music",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    return database


def update(database: Database, enabled: bool, attribute: str = "ttl") -> dict[str, Any]:
    specification = {"Enabled": enabled, "AttributeName": attribute}
    return database.call(
        "UpdateTimeToLive", {"TableName": "Music", "TimeToLiveSpecification": specification}
    )


def refusal(database: Database, enabled: bool, attribute: str = "ttl") -> str:
    with pytest.raises(ValidationError) as caught:
        update(database, enabled, attribute)
    return caught.value.message


def test_the_reply_repeats_the_specification(filled: Database) -> None:
    for enabled in (True, False):
        assert update(filled, enabled) == {
            "TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": "ttl"}
        }


def test_enabling_twice_is_refused(filled: Database) -> None:
    update(filled, True)
    assert refusal(filled, True) == "TimeToLive is already enabled"


def test_disabling_twice_is_refused(filled: Database) -> None:
    assert refusal(filled, False) == "TimeToLive is already disabled"


@pytest.mark.parametrize("enabled", [True, False])
def test_another_attribute_is_refused_while_one_is_active(filled: Database, enabled: bool) -> None:
    update(filled, True)
    assert "current AttributeName is ttl" in refusal(filled, enabled, "other")


def test_items_written_before_expire_too(filled: Database) -> None:
    item = {"pk": {"S": "a"}, "ttl": {"N": "1"}}
    filled.call("PutItem", {"TableName": "Music", "Item": item})
    update(filled, True)
    update(filled, False)


def test_the_attribute_is_required_and_bounded(filled: Database) -> None:
    assert "greater than or equal to 1" in refusal(filled, True, "")
    assert "less than or equal to 255" in refusal(filled, True, "a" * 256)
    with pytest.raises(ValidationError, match="null at 'timeToLiveSpecification'"):
        filled.call("UpdateTimeToLive", {"TableName": "Music"})


def test_a_table_that_is_not_there_is_not_found(database: Database) -> None:
    with pytest.raises(ResourceNotFound, match="Table: Music not found"):
        update(database, True)
