"""The intent: the changes of a transaction, stored durably before they are applied.

The row ``current`` in the table ``tablewright-intents`` contains the changes of the transaction
that is being applied, or none. Its number grows by one with every write, and each write requires
the previous number, so a delayed write or one of another process fails.

    {"id": "current", "number": 7, "owner": "5f…", "token": "…", "digest": "…", "parts": 0,
     "changes": '[["things", {key}, old or null, new or null], …]'}

Changes that do not fit in one row are stored first, in rows ``part/7/0``, ``part/7/1``, ….
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
PART_CHARS: Final = (
    90_000  # At most 360,000 bytes in UTF-8, which fits in a row with the other attributes.
)
_ANOTHER: Final = (
    "another process writes to this store: emulated transactions allow only one writer"
)
_CURRENT: Final = {"id": {"S": "current"}}


@dataclass(frozen=True, slots=True)
class Intent:
    """An unfinished transaction: its token, the digest of its payload, its changes."""

    token: str | None
    digest: str
    changes: list[Change]


class _IntentsTable:
    """The intents table, for `table_setup`."""

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
    """The intent row, as its only writer sees it."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self._number = 0
        self._has_taken_over = False

    def open(self) -> Steps[Intent | None]:
        """Create the table if needed, and return an unfinished intent.

        After this, writes of the row by other processes fail.
        """
        try:
            row = yield from self._read()
        except ResourceNotFound:
            yield from ensure_steps([_IntentsTable()])
            row = yield from self._read()
        if self._has_taken_over and row.get("owner", {}).get("S") != self.owner:
            raise StoreUnavailable(_ANOTHER)
        self._number = int(row["number"]["N"]) if row else 0
        intent = yield from self._intent(row)
        # Rewrite the row with this owner, which fences off delayed writes of the row.
        yield from self._write({name: row[name] for name in _KEPT if name in row})
        self._has_taken_over = True
        return intent

    def store(self, intent: Intent) -> Steps[bool]:
        """Store an intent; when this returns, the transaction will be applied.

        Returns whether parts of it are in separate rows, which must be deleted later.
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
        """Clear the intent after it was applied or undone. Its token is kept."""
        row: dict[str, Any] = {"digest": {"S": intent.digest}}
        if intent.token is not None:
            row["token"] = {"S": intent.token}
        yield from self._write(row)

    def clean(self) -> Steps[None]:
        """Delete parts whose intent is finished or was never stored."""
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
        """Write the row with the next number; raises StoreUnavailable if another process did."""
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
