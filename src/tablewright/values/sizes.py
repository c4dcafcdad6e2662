"""Sizes as DynamoDB counts them, in bytes: for the item limit, pages and capacity.

    S     its UTF-8 bytes                 N     one per pair of digits, plus 1, plus 1 if negative
    B     its bytes, not base64           BOOL, NULL    one
    sets  the sum of their members        L, M  three, plus one per element, plus the elements

A map's and an item's attribute names count with their UTF-8 bytes.
For example ``{"pk": {"S": "a"}, "n": {"N": "-12.5"}}`` is 2 + 1 + 1 + 4 = 8 bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tablewright.values.attributes import Value

__all__ = ["attribute_size", "item_size", "number_size", "value_size"]

_CONTAINER_BYTES = 3
_ELEMENT_BYTES = 1


def item_size(item: Mapping[str, Value]) -> int:
    """Return an item's size: the names and the values."""
    total = 0
    for name, value in item.items():
        total += len(name) if name.isascii() else len(name.encode())
        for type_, content in value.items():
            total += _SIZES[type_](content)
    return total


def attribute_size(name: str, value: Value | None) -> int:
    """Return what an attribute adds to its item's size; 0 when it is missing."""
    return 0 if value is None else _text_size(name) + value_size(value)


def value_size(value: Value) -> int:
    """Return a value's size."""
    total = 0
    for type_, content in value.items():
        total += _SIZES[type_](content)
    return total


def number_size(text: str) -> int:
    """Return the size of a number given as canonical text."""
    is_negative = text[0] == "-"
    if "." not in text:
        return (len(text.strip("-0")) + 1) // 2 + 1 + is_negative
    # DynamoDB: digits are packed in pairs from the decimal point outwards: 1.5 takes more than 15.
    whole, _, fraction = text[is_negative:].partition(".")
    if whole == "0":
        return (len(fraction.lstrip("0")) + 1) // 2 + 1 + is_negative
    return (len(whole) + 1) // 2 + (len(fraction) + 1) // 2 + 1 + is_negative


def _text_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _binary_size(base64: str) -> int:
    return len(base64) // 4 * 3 - base64.count("=", -2)


def _scalar_size(_: object) -> int:
    return 1


def _list_size(elements: list[Value]) -> int:
    total = _CONTAINER_BYTES + _ELEMENT_BYTES * len(elements)
    for value in elements:
        total += value_size(value)
    return total


def _map_size(members: dict[str, Value]) -> int:
    return _CONTAINER_BYTES + _ELEMENT_BYTES * len(members) + item_size(members)


def _sum_of(size: Callable[[str], int]) -> Callable[[list[str]], int]:
    return lambda members: sum(map(size, members))


_SIZES: dict[str, Callable[[Any], int]] = {
    "S": _text_size,
    "N": number_size,
    "B": _binary_size,
    "BOOL": _scalar_size,
    "NULL": _scalar_size,
    "SS": _sum_of(_text_size),
    "NS": _sum_of(number_size),
    "BS": _sum_of(_binary_size),
    "L": _list_size,
    "M": _map_size,
}
