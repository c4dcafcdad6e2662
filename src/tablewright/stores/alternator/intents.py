"""The intent: what a transaction is about to write, kept where a crash cannot reach it.

One row, ``current`` in the table ``tablewright-intents``, holds the changes of the transaction that
is being applied, or none. It has a number that grows by one with every write, and each write of it
requires the number before: a write that was delayed on its way, or comes from another process,
finds another number and does nothing.

    {"id": "current", "number": 7, "owner": "5f…", "token": "…", "digest": "…", "parts": 0,
     "changes": '[["things", {key}, old or null, new or null], …]'}

Changes that do not fit into a row are in rows ``part/7/0``, ``part/7/1``, … stored before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import orjson

from tablewright.errors import ConditionalCheckFailed, ResourceNotFound, StoreUnavailable
from tablewright.plan.operation import Call, Steps
from tablewright.stores.alternator.emulated_actions import Change
from tablewright.stores.table_setup import ensure_steps

__all__ = ["TABLE", "Intent", "Intents"]

TABLE: Final = "tablewright-intents"
PART_CHARS: Final = 90_000  # In UTF-8 at most 360 000 bytes: fits into a row beside the rest.
_ANOTHER: Final = "another process writes to this store: with emulated transactions only one may"
_CURRENT: Final = {"id": {"S": "current"}}


@dataclass(frozen=True, slots=True)
class Intent:
    """A transaction that is to be finished: its token, what tells its payload, its changes."""

    token: str | None
    digest: str
    changes: list[Change]


class _IntentsTable:
    """The table, as `tables` wants to know it."""

    name = TABLE
    ttl: str | None = None

    def create_request(self) -> dict[str, Any]:
        return {
            "TableName": TABLE,
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        }


class Intents:
    """The row, as the one process that may write it knows it."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self._number = 0
        self._has_taken_over = False

    def open(self) -> Steps[Intent | None]:
        """Make the table if need be; returns an intent that was left behind.

        From here on nobody else's writes of the row succeed.
        """
        try:
            found = yield from self._read()
        except ResourceNotFound:
            yield from ensure_steps([_IntentsTable()])
            found = yield from self._read()
        if self._has_taken_over and found.get("owner", {}).get("S") != self.owner:
            raise StoreUnavailable(_ANOTHER)
        self._number = int(found["number"]["N"]) if found else 0
        intent = yield from self._intent(found)
        # The same again, as ours: fences off a write of the row that is still under way.
        yield from self._write({name: found[name] for name in _KEPT if name in found})
        self._has_taken_over = True
        return intent

    def store(self, intent: Intent) -> Steps[bool]:
        """Keep an intent; when this returns, the transaction will happen.

        True says that parts of it are in rows of their own, to be cleaned up.
        """
        text = orjson.dumps([tuple(change) for change in intent.changes]).decode()
        parts = [text[start : start + PART_CHARS] for start in range(0, len(text), PART_CHARS)]
        row: dict[str, Any] = {"digest": {"S": intent.digest}, "parts": {"N": "0"}}
        if intent.token is not None:
            row["token"] = {"S": intent.token}
        if len(parts) == 1:
            row["changes"] = {"S": text}
        else:
            row["parts"] = {"N": str(len(parts))}
            row["of"] = {"N": str(self._number + 1)}
            for key, part in zip(_part_keys(row), parts, strict=True):
                yield Call("PutItem", {"TableName": TABLE, "Item": {**key, "text": {"S": part}}})
        yield from self._write(row)
        return len(parts) > 1

    def clear(self, intent: Intent) -> Steps[None]:
        """Forget the intent: it has been applied, or undone. Its token stays known."""
        row: dict[str, Any] = {"digest": {"S": intent.digest}}
        if intent.token is not None:
            row["token"] = {"S": intent.token}
        yield from self._write(row)

    def clean(self) -> Steps[None]:
        """Delete parts whose intent is done, or was never stored."""
        request: dict[str, Any] = {"TableName": TABLE, "ConsistentRead": True}
        while True:
            page = yield Call("Scan", {**request, "ProjectionExpression": "id"})
            for row in page["Items"]:
                if row["id"]["S"].startswith("part/"):
                    yield Call("DeleteItem", {"TableName": TABLE, "Key": {"id": row["id"]}})
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _read(self) -> Steps[dict[str, Any]]:
        reply = yield Call("GetItem", {"TableName": TABLE, "Key": _CURRENT, "ConsistentRead": True})
        row: dict[str, Any] = reply.get("Item", {})
        return row

    def _write(self, row: dict[str, Any]) -> Steps[None]:
        """Write the row under its next number; raises StoreUnavailable if it has another's."""
        number = self._number + 1
        whole = {**_CURRENT, **row, "number": {"N": str(number)}, "owner": {"S": self.owner}}
        request: dict[str, Any] = {
            "TableName": TABLE,
            "Item": whole,
            "ConditionExpression": "attribute_not_exists(#number)",
            "ExpressionAttributeNames": {"#number": "number"},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        if self._number:
            request["ConditionExpression"] = "#number = :before"
            request["ExpressionAttributeValues"] = {":before": {"N": str(self._number)}}
        try:
            yield Call("PutItem", request)
        except ConditionalCheckFailed:
            raise StoreUnavailable(_ANOTHER) from None
        self._number = number

    def _intent(self, row: dict[str, Any]) -> Steps[Intent | None]:
        if "digest" not in row:
            return None
        text = row["changes"]["S"] if "changes" in row else ""
        for key in _part_keys(row):
            reply = yield Call("GetItem", {"TableName": TABLE, "Key": key, "ConsistentRead": True})
            text += reply["Item"]["text"]["S"]
        changes = [Change(*change) for change in orjson.loads(text or b"[]")]
        return Intent(row.get("token", {}).get("S"), row["digest"]["S"], changes)


_KEPT: Final = ("changes", "digest", "of", "parts", "token")


def _part_keys(row: dict[str, Any]) -> Iterable[dict[str, Any]]:
    number = row.get("of", {}).get("N")
    count = int(row.get("parts", {}).get("N", "0"))
    return [{"id": {"S": f"part/{number}/{part}"}} for part in range(count)]
