"""Items and pages in URLs: a key as typed JSON, in base64url. No key is too odd to be linked to."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from tablewright.values.attributes import Item

__all__ = ["AddressInvalid", "address_of", "key_at"]


class AddressInvalid(ValueError):
    """Not a valid item address."""


def address_of(key: Item) -> str:
    """A key as one word that can stand in a URL."""
    return urlsafe_b64encode(orjson.dumps(key)).decode().rstrip("=")


def key_at(address: str) -> Item:
    """The key that an address names; raises AddressInvalid."""
    try:
        content = orjson.loads(urlsafe_b64decode(address + "=" * (-len(address) % 4)))
    except ValueError as error:
        raise AddressInvalid("not the address of an item") from error
    is_key = isinstance(content, dict) and all(
        isinstance(value, dict)
        and len(value) == 1
        and all(kind in ("S", "N", "B") and isinstance(text, str) for kind, text in value.items())
        for value in content.values()
    )
    if not is_key or not content:
        raise AddressInvalid("not the address of an item")
    key: Item = content
    return key
