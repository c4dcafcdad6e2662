"""Attribute values: validation, and the canonical form in which values are stored.

A value is DynamoDB JSON, a dict with one entry: ``{"S": "x"}``, ``{"N": "12"}``,
``{"B": "<base64>"}``, ``{"BOOL": True}``, ``{"NULL": True}``, ``{"SS": [...]}``,
``{"NS": [...]}``, ``{"BS": [...]}``, ``{"L": [value, ...]}`` or ``{"M": {name: value}}``.
Normalising validates a value whose JSON types have been checked (nulls may remain), makes its
numbers and base64 canonical and sorts its sets. Values are immutable by convention, so unchanged
parts are shared.
"""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from typing import TYPE_CHECKING, Any, Final

from tablewright.errors import SerializationError, ValidationError
from tablewright.limits import ATTRIBUTE_NAME_BYTES_MAX, NESTING_DEPTH_MAX
from tablewright.values.decimals import canonical, is_plain, order
from tablewright.values.sizes import item_size, number_size, value_size

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "TYPES",
    "Item",
    "NestedTooDeeply",
    "Value",
    "canonical_base64",
    "depth_of",
    "equal",
    "in_order",
    "measured_item",
    "normalise",
    "normalise_item",
    "plain_item_size",
    "require_depth",
    "require_name",
    "type_of",
]

Value = dict[str, Any]
Item = dict[str, Value]

TYPES: Final = ("S", "N", "B", "SS", "NS", "BS", "L", "M", "BOOL", "NULL")

_DATATYPES: Final = "must contain exactly one of the supported datatypes"
_INVALID: Final = "One or more parameter values were invalid: "
# A name of this many characters fits the limit, whatever its characters are.
_NAME_CHARS_SAFE: Final = ATTRIBUTE_NAME_BYTES_MAX // 4


class NestedTooDeeply(ValidationError):
    """A value nests more deeply than DynamoDB allows."""

    def __init__(self) -> None:
        super().__init__(
            "Nesting Levels have exceeded supported limits: "
            "Attributes in the item have nested levels beyond supported limit"
        )


def normalise_item(raw: Mapping[str, Value | None]) -> Item:
    """Return the item with every value canonical, or raise ValidationError with AWS's message."""
    return _normalise_members(raw, 0)


def measured_item(raw: dict[str, Any], *, is_ascii: bool) -> tuple[Item, int]:
    """Return the normalised item (`raw` itself if nothing changes) and its size.

    Every put needs both, so one pass computes them. For ASCII text, the number of characters is the
    number of bytes.
    """
    if "" in raw:
        require_name("")
    changed: Item = {}
    size = 0
    for name, value in raw.items():
        if value and len(value) == 1 and (text := value.get("S")) is not None:
            size += len(name) + len(text)
        else:
            normalised = _NORMALISERS[_only_type(value)](value, 0)
            size += len(name) + value_size(normalised)
            if normalised is not value:
                changed[name] = normalised
    if size > _NAME_CHARS_SAFE:
        for name in raw:
            require_name(name)
    item = {**raw, **changed} if changed else raw
    return item, size if is_ascii else item_size(item)


def plain_item_size(raw: Any) -> int | None:
    """Fast path: the size of an ASCII item of plain strings, numbers and booleans.

    None means that the item needs full validation; it may still be valid.
    """
    if "" in raw:
        return None
    size = 0
    for name, value in raw.items():
        if type(value) is not dict or len(value) != 1:
            return None
        text = value.get("S")
        if type(text) is str:
            size += len(name) + len(text)
            continue
        digits = value.get("N")
        if type(digits) is str and is_plain(digits):
            size += len(name) + number_size(digits)
        elif type(value.get("BOOL")) is bool:
            size += len(name) + 1
        else:
            return None
    return size if size <= _NAME_CHARS_SAFE else None


def normalise(value: Value | None, depth: int = 0) -> Value:
    """Return the canonical value; depth is the number of containers around it."""
    type_ = _only_type(value)
    if depth >= NESTING_DEPTH_MAX:
        raise NestedTooDeeply
    normalised: Value = _NORMALISERS[type_](value, depth)
    return normalised


def type_of(value: Value) -> str:
    """Return the value's type: "S", "N" ..."""
    return next(iter(value))


def equal(a: Value, b: Value) -> bool:
    """Return whether two canonical values are equal; the order of a set does not matter."""
    if a == b:
        return True
    type_ = next(iter(a))
    if type_ not in b:
        return False
    if type_ in _SETS:
        return set(a[type_]) == set(b[type_])
    if type_ == "L":
        return len(a["L"]) == len(b["L"]) and all(map(equal, a["L"], b["L"]))
    if type_ == "M":
        left, right = a["M"], b["M"]
        return left.keys() == right.keys() and all(
            equal(value, right[name]) for name, value in left.items()
        )
    return False


def in_order(type_: str, members: list[str]) -> list[str]:
    """Return the members of a set in DynamoDB's order: by bytes, or by number."""
    return sorted(members, key=_SET_ORDERS[type_])


def depth_of(value: Value) -> int:
    """Return the nesting depth of a value; that of a scalar or a set is one."""
    levels = 1
    layer = _children(value)
    while layer:
        levels += 1
        layer = [inner for child in layer for inner in _children(child)]
    return levels


def require_depth(value: Value, above: int) -> None:
    """Raise when a value inside that many containers is nested too deeply."""
    if depth_of(value) + above > NESTING_DEPTH_MAX:
        raise NestedTooDeeply


def canonical_base64(text: str) -> str:
    """Return the text if it is canonical base64, or raise SerializationError."""
    if len(text) % 4:
        raise _not_base64(
            text,
            f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(text)}",
        )
    try:
        data = a2b_base64(text, strict_mode=True)
    except (Base64Error, ValueError):
        stray = next((char for char in text if char not in _BASE64), "=")
        raise _not_base64(text, f"Invalid Base64 character: '{stray}'") from None
    if b2a_base64(data, newline=False).decode() != text:
        # DynamoDB: the misspelling is AWS's.
        raise _not_base64(text, "Invalid last non-pad Base64 character dectected")
    return text


_BASE64: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
# Comparing strings by code points gives the order of their UTF-8 bytes.
_SET_ORDERS: Final[dict[str, Callable[[str], Any]]] = {"SS": str, "NS": order, "BS": a2b_base64}
_SETS: Final = frozenset(_SET_ORDERS)


def _normalise_members(members: Mapping[str, Value | None], depth: int) -> Item:
    normalised: Item = {}
    if depth >= NESTING_DEPTH_MAX and members:
        raise NestedTooDeeply
    for name, value in members.items():
        if not name or len(name) > _NAME_CHARS_SAFE:
            require_name(name)
        if value and "S" in value and len(value) == 1 and value["S"] is not None:
            # Fast path for strings, by far the most common type.
            normalised[name] = value
        else:
            normalised[name] = _NORMALISERS[_only_type(value)](value, depth)
    return normalised


def require_name(name: str) -> None:
    """Raise ValidationError if this cannot be an attribute name."""
    if not name:
        raise ValidationError("Empty attribute name")
    if len(name.encode()) > ATTRIBUTE_NAME_BYTES_MAX:
        raise ValidationError("Attribute name is too large, must be less than 65536 bytes")


def _only_type(value: Value | None) -> str:
    """Return the value's only type; null entries and unknown types are ignored."""
    if not value:
        raise ValidationError(f"Supplied AttributeValue is empty, {_DATATYPES}")
    if len(value) == 1:
        [type_] = value
        if type_ in _NORMALISERS and value[type_] is not None:
            return type_
    present = [t for t in value if t in _NORMALISERS and value[t] is not None]
    if not present:
        raise ValidationError(f"Supplied AttributeValue is empty, {_DATATYPES}")
    if len(present) > 1:
        raise ValidationError(
            f"Supplied AttributeValue has more than one datatypes set, {_DATATYPES}"
        )
    return present[0]


def _string(value: Value, _: int) -> Value:
    return value if len(value) == 1 else {"S": value["S"]}


def _boolean(value: Value, _: int) -> Value:
    return value if len(value) == 1 else {"BOOL": value["BOOL"]}


def _null(value: Value, _: int) -> Value:
    if value["NULL"] is not True:
        raise ValidationError(f"{_INVALID}Null attribute value types must have the value of true")
    return {"NULL": True}


def _number(value: Value, _: int) -> Value:
    text = value["N"]
    plain = canonical(text)
    return value if plain is text and len(value) == 1 else {"N": plain}


def _binary(value: Value, _: int) -> Value:
    return {"B": canonical_base64(value["B"])}


_NULL_MEMBER: Final = {
    "SS": "An string set may not have a null string as a member",
    "NS": "An number set may not have a null string as a member",
    "BS": "Binary sets may not contain null values",
}


def _string_set(value: Value, _: int) -> Value:
    members = _members(value, "SS")
    if not members:
        # DynamoDB: two spaces, and "An".
        raise ValidationError(f"{_INVALID}An string set  may not be empty")
    if len(set(members)) < len(members):
        raise ValidationError(
            f"{_INVALID}Input collection [{', '.join(members)}] contains duplicates.",
            f"{_INVALID}Input collection [{', '.join(_quoted(members))}] contains duplicates.",
        )
    return {"SS": members}


def _members(value: Value, type_: str) -> list[str]:
    """Return the members of a set; raises ValidationError if one of them is null."""
    members: list[str] = value[type_]
    if None in members:
        raise ValidationError(_INVALID + _NULL_MEMBER[type_])
    return members


def _number_set(value: Value, _: int) -> Value:
    members = list(map(canonical, _members(value, "NS")))
    if not members:
        raise ValidationError(f"{_INVALID}An number set  may not be empty")
    if len(set(members)) < len(members):
        # DynamoDB: the classic message lacks the usual prefix.
        raise ValidationError(
            "Input collection contains duplicates",
            f"{_INVALID}Input collection contains duplicates.",
        )
    return {"NS": members}


def _binary_set(value: Value, _: int) -> Value:
    members = list(map(canonical_base64, _members(value, "BS")))
    if not members:
        raise ValidationError(f"{_INVALID}Binary sets should not be empty")
    if len(set(members)) < len(members):
        # DynamoDB: no space before "of".
        ending = "of type BS contains duplicates."
        raise ValidationError(
            f"{_INVALID}Input collection [{', '.join(members)}]{ending}",
            f"{_INVALID}Input collection [{','.join(_quoted(members, a2b_base64))}]{ending}",
        )
    return {"BS": members}


def _in_order(normaliser: Callable[[Any, int], Value]) -> Callable[[Any, int], Value]:
    """Return the normaliser that also sorts the members of a set."""

    def normalise_set(value: Value, depth: int) -> Value:
        [(type_, members)] = normaliser(value, depth).items()
        return {type_: in_order(type_, members)}

    return normalise_set


def _quoted(members: list[str], key: Callable[[str], bytes] | None = None) -> list[str]:
    """Return the members of a set as the current message lists them: sorted up to the duplicate."""
    # DynamoDB: the message lists the members read so far as a sorted set, then the rest.
    read: set[str] = set()
    while members[len(read)] not in read:
        read.add(members[len(read)])
    return [f'"{member}"' for member in (*sorted(read, key=key), *members[len(read) :])]


def _list(value: Value, depth: int) -> Value:
    inner = depth + 1
    return {"L": [normalise(element, inner) for element in value["L"]]}


def _map(value: Value, depth: int) -> Value:
    return {"M": _normalise_members(value["M"], depth + 1)}


_NORMALISERS: Final[dict[str, Callable[[Any, int], Value]]] = {
    "S": _string,
    "N": _number,
    "B": _binary,
    "SS": _in_order(_string_set),
    "NS": _in_order(_number_set),
    "BS": _in_order(_binary_set),
    "L": _list,
    "M": _map,
    "BOOL": _boolean,
    "NULL": _null,
}


def _children(value: Value) -> list[Value]:
    if "L" in value:
        elements: list[Value] = value["L"]
        return elements
    return list(value["M"].values()) if "M" in value else []


def _not_base64(text: str, reason: str) -> SerializationError:
    return SerializationError(f"'{text}' can not be converted to a Blob: {reason}")
