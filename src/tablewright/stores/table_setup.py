"""Creates missing tables, compares existing ones with the design, and waits until they are active.

These are steps, as in operations. A design's table is known only by its CreateTable request. Extra
indexes and the billing mode of an existing table are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from tablewright.errors import (
    DesignError,
    ResourceInUse,
    ResourceNotFound,
    StoreUnavailable,
    ValidationError,
)
from tablewright.plan.operation import Call, Pause, Steps

__all__ = ["DesignLike", "TableLike", "ensure_steps", "table_differences"]

POLL_SECONDS: Final = 0.5
POLLS_MAX: Final = (
    600  # Five minutes: DynamoDB creates a table in seconds, but a large index takes longer.
)
_SETTLED: Final = ("ACTIVE", None)


class TableLike(Protocol):
    """What is needed to create a table, such as `design.table.Table`."""

    @property
    def name(self) -> str: ...
    @property
    def ttl(self) -> str | None:
        """The TTL attribute."""
        ...

    def create_request(self) -> dict[str, Any]:
        """The CreateTable request."""
        ...


class HasTables(Protocol):
    """The model of a design."""

    @property
    def tables(self) -> Sequence[TableLike]: ...


class DesignLike(Protocol):
    """A class of access patterns, or an instance of one."""

    @property
    def __design__(self) -> HasTables: ...


def ensure_steps(design: Iterable[TableLike] | DesignLike) -> Steps[list[str]]:
    """Create missing tables; returns the names of the created ones.

    Raises DesignError with every difference if an existing table does not match.
    """
    tables = list(design if isinstance(design, Iterable) else design.__design__.tables)
    created: list[str] = []
    differences: list[str] = []
    for table in tables:
        request = table.create_request()
        described = yield from _describe(table.name)
        if described is None:
            try:
                yield Call("CreateTable", request)
                created.append(table.name)
            except ResourceInUse:
                described = yield from _describe(table.name)  # Another process created it first.
        if described is not None:
            differences += table_differences(request, described)
    if differences:
        raise DesignError("; ".join(differences), differences)
    for table in tables:
        yield from _wait_until_usable(table.name)
        if table.ttl is not None:
            yield from _enable_ttl(table.name, table.ttl)
    return created


def table_differences(request: dict[str, Any], described: dict[str, Any]) -> list[str]:
    """The differences between an existing table and the CreateTable request."""
    name = request["TableName"]
    differences: list[str] = []
    wanted_types, types = _types(request), _types(described)
    wanted_key, key = _key(request, wanted_types), _key(described, types)
    if wanted_key != key:
        differences.append(f"table {name} has the key {key}, but the design has {wanted_key}")
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        there = {index["IndexName"]: index for index in described.get(kind) or ()}
        for wanted_index in request.get(kind) or ():
            place = f"table {name}, index {wanted_index['IndexName']}"
            index = there.get(wanted_index["IndexName"])
            if index is None:
                differences.append(f"{place}: missing from {kind}")
                continue
            wanted_key, key = _key(wanted_index, wanted_types), _key(index, types)
            if wanted_key != key:
                differences.append(f"{place}: has the key {key}, but the design has {wanted_key}")
            wanted_part, part = _projected(wanted_index), _projected(index)
            if wanted_part != part:
                differences.append(f"{place}: projects {part}, but the design has {wanted_part}")
    return differences


def _types(table: dict[str, Any]) -> dict[str, str]:
    attributes = table.get("AttributeDefinitions") or ()
    return {attribute["AttributeName"]: attribute["AttributeType"] for attribute in attributes}


def _key(holder: dict[str, Any], types: dict[str, str]) -> str:
    """A key schema as text: ``PK (S, HASH), SK (S, RANGE)``."""
    return ", ".join(
        f"{part['AttributeName']} ({types.get(part['AttributeName'], '?')}, {part['KeyType']})"
        for part in holder["KeySchema"]
    )


def _projected(index: dict[str, Any]) -> str:
    projection = index.get("Projection") or {}
    names = ", ".join(sorted(projection.get("NonKeyAttributes") or ()))
    kind = str(projection.get("ProjectionType", "ALL"))
    return f"{kind} ({names})" if names else kind


def _describe(name: str) -> Steps[dict[str, Any] | None]:
    try:
        reply = yield Call("DescribeTable", {"TableName": name})
    except ResourceNotFound:
        return None
    description: dict[str, Any] = reply["Table"]
    return description


def _wait_until_usable(name: str) -> Steps[None]:
    for _ in range(POLLS_MAX):
        table = yield from _describe(name)
        if table is not None and table["TableStatus"] in ("ACTIVE", "UPDATING"):
            indexes = table.get("GlobalSecondaryIndexes") or ()
            if all(index.get("IndexStatus") in _SETTLED for index in indexes):
                return
        yield Pause(POLL_SECONDS)
    raise StoreUnavailable(f"table {name} did not become active")


def _enable_ttl(name: str, attribute: str) -> Steps[None]:
    reply = yield Call("DescribeTimeToLive", {"TableName": name})
    described = reply.get("TimeToLiveDescription") or {}
    status = described.get("TimeToLiveStatus", "DISABLED")
    if status in ("ENABLED", "ENABLING"):
        if described.get("AttributeName") != attribute:
            difference = f"the TTL attribute of table {name} is {described.get('AttributeName')}, "
            difference += f"but the design has {attribute}"
            raise DesignError(difference, [difference])
        return
    specification = {"AttributeName": attribute, "Enabled": True}
    try:
        yield Call(
            "UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": specification}
        )
    except ValidationError as error:
        # Another process may have enabled it meanwhile.
        if "already enabled" not in error.message:
            raise
