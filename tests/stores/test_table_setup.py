"""Making tables: what is asked, how long is waited, and what counts as another table."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ResourceInUse, ResourceNotFound, StoreUnavailable, ValidationError
from tablewright.stores.runner import drive
from tablewright.stores.table_setup import POLL_SECONDS, POLLS_MAX, ensure_steps, table_differences

from .operations import Things


class Slow:
    """An account in which tables take a few looks to become usable."""

    def __init__(self, looks: int, index_looks: int = 0) -> None:
        self.looks = looks
        self.index_looks = index_looks
        self.request: dict[str, Any] | None = None
        self.calls: list[str] = []
        self.pauses: list[float] = []
        self.is_raced = False
        self.ttl_error: ValidationError | None = None

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(operation)
        if operation == "CreateTable":
            if self.is_raced:
                self.request = request
                raise ResourceInUse("exists")
            self.request = request
            return {}
        if operation == "DescribeTable":
            return {"Table": self.describe()}
        if operation == "UpdateTimeToLive" and self.ttl_error is not None:
            raise self.ttl_error
        return {}

    def describe(self) -> dict[str, Any]:
        if self.request is None:
            raise ResourceNotFound("none")
        self.looks -= 1
        self.index_looks -= 1
        indexes = [
            {**index, "IndexStatus": "CREATING" if self.index_looks >= 0 else "ACTIVE"}
            for index in self.request["GlobalSecondaryIndexes"]
        ]
        status = "CREATING" if self.looks >= 0 else "ACTIVE"
        return {**self.request, "TableStatus": status, "GlobalSecondaryIndexes": indexes}

    def ensure(self, *tables: Things) -> list[str]:
        return drive(ensure_steps(tables), self.call, self.pauses.append)


def test_a_table_and_its_indexes_are_waited_for() -> None:
    account = Slow(looks=2, index_looks=4)
    assert account.ensure(Things()) == ["things"]
    assert account.pauses == [POLL_SECONDS] * 4
    assert account.calls.count("CreateTable") == 1


def test_waiting_ends() -> None:
    account = Slow(looks=POLLS_MAX * 2)
    with pytest.raises(StoreUnavailable, match="table things did not become active"):
        account.ensure(Things())


def test_a_table_that_another_makes_at_the_same_time_is_compared() -> None:
    account = Slow(looks=0)
    account.is_raced = True
    assert account.ensure(Things(ttl="until")) == []
    assert account.calls[-1] == "UpdateTimeToLive"


def test_expiry_that_another_enables_at_the_same_time_is_enough() -> None:
    account = Slow(looks=0)
    account.ttl_error = ValidationError("TimeToLive is already enabled")
    account.ensure(Things(ttl="until"))
    account.ttl_error = ValidationError("something else")
    with pytest.raises(ValidationError, match="something else"):
        account.ensure(Things(ttl="until"))


def test_what_does_not_matter_is_no_difference() -> None:
    request = Things().create_request()
    [index] = request["GlobalSecondaryIndexes"]
    described = {
        **request,
        "TableStatus": "ACTIVE",
        "BillingMode": "PROVISIONED",
        "AttributeDefinitions": [
            *reversed(request["AttributeDefinitions"]),
            {"AttributeName": "other", "AttributeType": "N"},
        ],
        "GlobalSecondaryIndexes": [{**index, "IndexName": "extra"}, {**index, "ItemCount": 5}],
    }
    assert table_differences(request, described) == []


def test_the_type_of_a_key_is_a_difference() -> None:
    request = Things().create_request()
    types = {"pk": "S", "sk": "N", "g": "S"}
    described = {
        **request,
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind} for name, kind in types.items()
        ],
    }
    message = table_differences(request, described)
    assert "table things has the key pk (S, HASH), sk (N, RANGE)" in message[0]
    assert "index byG: has the key g (S, HASH), sk (N, RANGE)" in message[1]
