"""Compares two responses to one request, and classifies their differences.

`ALLOWED` is the reviewed list of differences between DynamoDB Local and AWS. A difference without a
rule is our bug until it is shown to be DynamoDB Local's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple

__all__ = ["ALLOWED", "Answer", "canonical", "difference"]


class Answer(NamedTuple):
    """An engine's error or reply."""

    code: str  # Empty for a success.
    message: str
    body: Any  # The reply, or the reasons of a cancelled transaction.


class Rule(NamedTuple):
    """A known difference: its reason, and how to recognise it."""

    reason: str
    explains: Callable[[str, dict[str, Any], Answer, Answer], bool]


def canonical(value: Any, name: str = "") -> Any:
    """A form in which order and spelling do not matter."""
    if isinstance(value, dict):
        if value.keys() == {"N"} and isinstance(value["N"], str):
            return {"N": _number(value["N"])}
        return {key: canonical(held, key) for key, held in sorted(value.items())}
    if isinstance(value, list):
        members = [canonical(held) for held in value]
        if name == "NS":
            members = [_number(member) for member in members]
        if name in ("SS", "NS", "BS", "Items", "pairs", "numbers", "plain"):
            return sorted(members, key=lambda member: json.dumps(member, sort_keys=True))
        return members
    return value


def _number(text: Any) -> str:
    """DynamoDB Local returns numbers as they were written."""
    try:
        return format(Decimal(str(text)).normalize(), "f")
    except InvalidOperation:
        return str(text)


def difference(
    operation: str, request: dict[str, Any], ours: Answer, theirs: Answer
) -> tuple[str, str] | None:
    """The difference of two responses and the rule that explains it; None if they are equal."""
    messages = [(one.code, one.message, canonical(one.body)) for one in (ours, theirs)]
    if messages[0] == messages[1]:
        return None
    for rule in ALLOWED:
        if rule.explains(operation, request, ours, theirs):
            return rule.reason, ""
    return "", f"{operation} {json.dumps(request)}\n  ours   {ours}\n  theirs {theirs}"


# Sentences that AWS does not use: DynamoDB Local has its own for what is missing.
_ITS_OWN: Final = re.compile(
    r"Value null at '[^']*' failed to satisfy constraint: Member must not be null$"
    r"|The number of conditions on the keys is invalid"
    r"|Cannot have null key for GetItem, DeleteItem, or UpdateItem"
    r"|One of the required keys was not given a value"
    r"|Limit must be greater than or equal to 1"
    r"|A value provided cannot be converted into a number"
    r"|DynamoDB only supports precision up to 38 digits"
    r"|(The supplied Item contains|The list of keys in RequestItems|BatchGetItem must have some)"
    r"|(BatchWriteItem cannot have a null|The batch write request list for a table cannot)"
    r"|(Item to put in PutItem cannot be null|Get Condition for key not in key list)"
    r"|(Requested resource not found|Cannot do operations on a non-existent table)$"
    r"|Invalid attribute value type|Return values set to invalid value"
    r"|Invalid table/index name\.|Query condition missed key schema element$"
    r"|Type mismatch for (Index Key|key)$|Transaction request must include"
    r"|Input collection \[[^]]*\] contains duplicates(?!\.)"
)
_REFUSED: Final = ("ValidationException", "ResourceNotFoundException")


def _is_its_own(_: str, __: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    return (
        ours.code in _REFUSED
        and theirs.code in _REFUSED
        and _ITS_OWN.search(theirs.message) is not None
    )


def _is_another_fault(_: str, __: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    return ours.code == theirs.code == "ValidationException" and ours.message != theirs.message


def _is_cancelled_otherwise(
    operation: str, _: dict[str, Any], ours: Answer, theirs: Answer
) -> bool:
    cancelled = "TransactionCanceledException"
    codes = sorted((ours.code, theirs.code), key=cancelled.__eq__)
    return operation.startswith("Transact") and codes[0] in _REFUSED and codes[1] == cancelled


def _is_another_reason(_: str, __: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    """The same actions cancelled it, with other messages or none."""
    if not ours.code == theirs.code == "TransactionCanceledException":
        return False
    replies = [[reason.get("Code") for reason in answer.body or ()] for answer in (ours, theirs)]
    return replies[1] in (replies[0], [])


ALLOWED: Final = (
    Rule(
        "AWS refuses JSON of the wrong type; DynamoDB Local converts it, or fails.",
        lambda _, __, ours, theirs: ours.code == "SerializationException",
    ),
    Rule(
        "DynamoDB Local fails where AWS refuses.",
        lambda _, __, ours, theirs: bool(ours.code) and theirs.code == "InternalFailure",
    ),
    Rule("DynamoDB Local has sentences of its own for what is missing or malformed.", _is_its_own),
    Rule(
        "DeleteItem: DynamoDB Local reports capacity that nobody asked for.",
        lambda operation, request, ours, theirs: (
            operation == "DeleteItem"
            and not ours.code
            and not theirs.code
            and canonical(ours.body)
            == canonical({k: v for k, v in theirs.body.items() if k != "ConsumedCapacity"})
        ),
    ),
    Rule(
        "In a transaction AWS tells a bad key or update as the reason of its action, and an action "
        "that is malformed by itself as the request's; DynamoDB Local does the reverse in places.",
        _is_cancelled_otherwise,
    ),
    Rule("Reasons of a cancelled transaction are worded differently, or lack.", _is_another_reason),
    Rule(
        "TransactGetItems: DynamoDB Local cancels without reasons.",
        lambda operation, request, ours, theirs: (
            operation == "TransactGetItems"
            and ours.code == theirs.code == "TransactionCanceledException"
            and theirs.body is None
        ),
    ),
    Rule(
        "TransactWriteItems: DynamoDB Local does without the expression that an Update needs.",
        lambda operation, request, ours, theirs: (
            operation == "TransactWriteItems" and "updateExpression" in ours.message
        ),
    ),
    Rule(
        "Scans walk the partitions in the order of another hash: a page is of other items.",
        lambda operation, request, ours, theirs: (
            operation == "Scan"
            and "Limit" in request
            and not ours.code
            and not theirs.code
            and ours.body["ScannedCount"] == theirs.body["ScannedCount"]
        ),
    ),
    Rule(
        "Query: where a partition can have but one item, DynamoDB Local says that it was the last.",
        lambda operation, request, ours, theirs: (
            operation == "Query"
            and "Limit" in request
            and not ours.code
            and not theirs.code
            and canonical({k: v for k, v in ours.body.items() if k != "LastEvaluatedKey"})
            == canonical(theirs.body)
        ),
    ),
    Rule(
        "UpdateItem: DynamoDB Local makes an item of its key alone where an update only removes.",
        lambda operation, request, ours, theirs: (
            operation == "UpdateItem"
            and not ours.code
            and not theirs.code
            and ours.body == {}
            and canonical(theirs.body.get("Attributes")) == canonical(request["Key"])
        ),
    ),
    Rule(
        "UpdateItem: DynamoDB Local looks for what an update removes in an item that is not there.",
        lambda operation, request, ours, theirs: (
            operation == "UpdateItem"
            and not ours.code
            and not ours.body
            and theirs.message.startswith("The document path provided in the update expression")
        ),
    ),
    Rule(
        "DynamoDB Local takes one number that is written in two ways for two keys.",
        lambda operation, request, ours, theirs: (
            not theirs.code and ("duplicates" in ours.message or "multiple oper" in ours.message)
        ),
    ),
    Rule("Of several things that are wrong, another is told first.", _is_another_fault),
)
