"""Items as typed JSON, the form in which they are edited: to a text, and back to the same item.

{"PK": {"S": "USER#ben"}, "score": {"N": "12345678901234567890123456789012345678"}}
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from tablewright.errors import ServiceError
from tablewright.studio.items.item_row import short_text
from tablewright.values.attributes import normalise, normalise_item

if TYPE_CHECKING:
    from tablewright.values.attributes import Item, Value

__all__ = [
    "Difference",
    "EditRefused",
    "differences",
    "item_digest",
    "read_item",
    "read_value",
    "typed_text",
]


class EditRefused(ValueError):
    """The edited item cannot be stored."""


@dataclass(frozen=True)
class Difference:
    """One attribute that changes; an empty text where it is not there."""

    name: str
    old: str
    new: str
    is_key: bool = False


def typed_text(value: Item | Value) -> str:
    """An item, or one value of it, for people to edit."""
    option = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS
    return orjson.dumps(value, option=option).decode()


def item_digest(item: Item) -> str:
    """A few characters that tell whether an item is still what was shown."""
    return hashlib.sha256(orjson.dumps(item, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]


def read_item(text: str) -> Item:
    """The item that was typed, in the form that DynamoDB stores; raises EditRefused."""
    item = _parsed(text)
    if not isinstance(item, dict):
        raise EditRefused("An item must be a JSON object of attributes.")
    wrong = [name for name, value in item.items() if not _is_value(value)]
    if wrong:
        raise EditRefused(f'{wrong[0]}: write a type and a value, for example {{"S": "text"}}.')
    try:
        return normalise_item(item)
    except ServiceError as error:
        raise EditRefused(str(error)) from error


def read_value(text: str) -> Value:
    """One attribute value that was typed; raises EditRefused."""
    return checked_value(_parsed(text))


def checked_value(value: Any) -> Value:
    """A value in the form that DynamoDB stores; raises EditRefused."""
    if not _is_value(value):
        raise EditRefused('Write the type and the value, for example {"S": "text"}.')
    try:
        return normalise(value)
    except ServiceError as error:
        raise EditRefused(str(error)) from error


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise EditRefused(f"Invalid JSON: {error}.") from error


def _is_value(value: Any) -> bool:
    """Whether something has the shape of an attribute value, all the way down."""
    if not isinstance(value, dict) or len(value) != 1:
        return False
    [(kind, content)] = value.items()
    if kind in ("S", "N", "B"):
        return isinstance(content, str)
    if kind in ("BOOL", "NULL"):
        return isinstance(content, bool)
    if kind in ("SS", "NS", "BS"):
        return isinstance(content, list) and all(isinstance(each, str) for each in content)
    if kind == "L":
        return isinstance(content, list) and all(_is_value(each) for each in content)
    return kind == "M" and isinstance(content, dict) and all(map(_is_value, content.values()))


def differences(
    old: Item | None, new: Item | None, keys: frozenset[str] = frozenset()
) -> tuple[Difference, ...]:
    """Every attribute that is not the same before and after, by name."""
    before, after = old or {}, new or {}
    changes = []
    for name in sorted(before.keys() | after.keys(), key=lambda name: (name not in keys, name)):
        if before.get(name) != after.get(name):
            was, becomes = (_text(item[name]) if name in item else "" for item in (before, after))
            changes.append(Difference(name, was, becomes, name in keys))
    return tuple(changes)


def _text(value: Value) -> str:
    [(kind, content)] = value.items()
    return f"{kind} {short_text(kind, content)}"
