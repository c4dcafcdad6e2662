"""Converts between boto3's Python values and DynamoDB's JSON: binary values and times.

boto3 has bytes where JSON has base64 text, and datetimes where JSON has seconds. A binary value is
recognised by its position, ``{"B": …}`` or ``{"BS": […]}``: the value of an attribute *named* B is
a dict, never text or a list.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import datetime
from typing import Any, Final

from tablewright.limits import NESTING_DEPTH_MAX

# Deeper than any valid request; the engine rejects deeper values.
DEPTH_MAX: Final = 4 * NESTING_DEPTH_MAX


def to_json(value: Any, depth: int = 0) -> Any:
    """The value as DynamoDB JSON; does not change the argument."""
    if isinstance(value, str) or depth > DEPTH_MAX:
        return value
    if isinstance(value, dict):
        return {
            name: _binary_to_json(entry) if name in {"B", "BS"} else to_json(entry, depth + 1)
            for name, entry in value.items()
        }
    if isinstance(value, list | tuple):
        return [to_json(entry, depth + 1) for entry in value]
    if isinstance(value, datetime):
        return value.timestamp()
    return value


def _binary_to_json(value: Any) -> Any:
    if isinstance(value, str):  # As in botocore: text means its UTF-8 bytes.
        return b64encode(value.encode()).decode("ascii")
    if isinstance(value, bytes | bytearray | memoryview):
        return b64encode(value).decode("ascii")
    if isinstance(value, list | tuple):
        return [_binary_to_json(member) for member in value]
    return to_json(value)


def from_json(value: Any) -> Any:
    """The value as boto3 returns it. The engine limits the depth of stored values."""
    if type(value) is dict:
        return {name: _entry_from_json(name, entry) for name, entry in value.items()}
    if type(value) is list:
        return [from_json(entry) for entry in value]
    return value


def _entry_from_json(name: str, value: Any) -> Any:
    if type(value) is str:
        return b64decode(value) if name == "B" else value
    if name == "BS" and type(value) is list:
        return [b64decode(member) for member in value]
    if name.endswith("DateTime") and isinstance(value, int | float):
        return datetime.fromtimestamp(value).astimezone()
    return from_json(value)
