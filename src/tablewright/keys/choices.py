"""Codecs for values of a finite set: enumerations, literals and truth values."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from itertools import pairwise
from typing import Any

from tablewright.errors import KeyTemplateError
from tablewright.keys.charsets import ALL, CONTROLS, NONCHARACTERS, CharSet
from tablewright.keys.codec import Codec, refusal
from tablewright.keys.languages import Choice

__all__ = ["OneOf"]


class OneOf(Codec):
    """One of a few values; each is written as its value: text, number, ``true`` or ``false``."""

    __slots__ = ("_texts", "_values", "is_ordered")

    def __init__(self, name: str, values: Iterable[Any], delimiter: str) -> None:
        members = tuple(dict.fromkeys(values))
        texts = tuple(_text_of(member, delimiter) for member in members)
        if not members or len(set(texts)) < len(texts):
            raise KeyTemplateError(f"{name}: needs values with different texts to be used in a key")
        super().__init__(name, (Choice(texts),), members[0])
        self._values = dict(zip(texts, members, strict=True))
        # With the type, because 1 == 1.0 == True in Python. Enum members are also known by value,
        # because models may store the value.
        self._texts = {
            (type(form), form): text
            for text, member in self._values.items()
            for form in (_plain(member), member)
        }
        self.is_ordered = _is_ordered([_plain(self._values[text]) for text in sorted(texts)])

    def encode(self, value: Any) -> str:
        try:
            return self._texts[type(value), value]
        except (KeyError, TypeError):
            raise refusal(f"must be one of {', '.join(self._values)}, not {value!r}") from None

    def decode(self, text: str) -> Any:
        try:
            return self._values[text]
        except KeyError:
            raise refusal(f"must be one of {', '.join(self._values)}, not {text!a}") from None


def _plain(member: Any) -> Any:
    return member.value if isinstance(member, Enum) else member


def _text_of(member: Any, delimiter: str) -> str:
    value = _plain(member)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if not isinstance(value, str) or not value:
        raise KeyTemplateError(
            f"{value!r} cannot be used in a key: it is not a string or an integer"
        )
    allowed = ALL - CONTROLS - NONCHARACTERS - CharSet.of(delimiter)
    if wrong := [char for char in value if char not in allowed]:
        raise KeyTemplateError(f"{value!r} cannot be used in a key: it contains {wrong[0]!a}")
    return str.__str__(value)


def _is_ordered(values: list[Any]) -> bool:
    """Whether values listed in the order of their texts are in their own order."""
    if len({type(value) for value in values}) > 1:
        return False
    return all(low < high for low, high in pairwise(values))
