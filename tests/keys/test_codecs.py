"""Which codec a type asks for."""

from __future__ import annotations

import uuid
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, NewType, Optional, TypedDict, Union

import pytest
from typing_extensions import TypeAliasType

from tablewright.errors import KeyTemplateError, KeyValueInvalid
from tablewright.keys.codecs import ULID, UUID, Ulid, Uuid, codec_for
from tablewright.keys.languages import bytes_max, inside


class Name(str):
    __slots__ = ()


class Size(int):
    pass


class Kind(StrEnum):
    A = "a"


SiteId = NewType("SiteId", str)
NestedId = NewType("NestedId", SiteId)
EventId = NewType("EventId", Ulid)


class MaxLength:
    def __init__(self, max_length: int | None) -> None:
        self.max_length = max_length


@pytest.mark.parametrize(
    ("annotation", "spec", "name"),
    [
        (str, "", "text"),
        (Name, "", "text"),
        (str | None, "", "text"),
        (Optional[str], "", "text"),  # noqa: UP045
        (Union[str, None], "", "text"),  # noqa: UP007
        (Annotated[str, "anything"], "", "text"),
        (SiteId, "", "text"),
        (NestedId, "", "text"),
        (Annotated[SiteId | None, 7], "", "text"),
        (str, "escaped", "escaped"),
        (str, "raw", "raw"),
        (str, "lower", "lower|text"),
        (str, "compact|escaped", "compact|escaped"),
        (int, "", "int"),
        (Size, "", "int"),
        (int | None, "04", "int 04"),
        (bool, "", "bool"),
        (date, "", "date"),
        (datetime, "", "datetime"),
        (uuid.UUID, "", "UUID"),
        (Uuid, "", "UUID"),
        (Ulid, "", "ULID"),
        (Ulid | None, "", "ULID"),
        (EventId, "", "ULID"),
        (Decimal, "6.2", "decimal 6.2"),
        (bytes, "", "hex"),
        (Kind, "", "Kind"),
        (TypeAliasType("Id", str | None), "", "text"),
        (Literal["a", "b"] | None, "", "literal"),
        (Literal["a", "b", None], "", "literal"),  # noqa: PYI061,
    ],
)
def test_a_type_has_its_codec(annotation: object, spec: str, name: str) -> None:
    codec = codec_for(annotation, spec)
    assert codec.name == name
    text = codec.encode(codec.sample)
    assert codec.decode(text) == codec.sample
    assert inside(codec.pieces, text)
    assert name in repr(codec)


def test_a_codec_in_the_metadata_is_the_one() -> None:
    assert codec_for(Annotated[str, ULID]) is ULID
    assert codec_for(Annotated[str | None, UUID, 7]) is UUID


@pytest.mark.parametrize(
    "annotation",
    [float, list[str], dict, object, Any, str | int, TypedDict("Row", {}), "str", None, 7],
)
def test_a_type_without_a_codec_is_refused(annotation: object) -> None:
    with pytest.raises(KeyTemplateError, match="cannot be used in a key"):
        codec_for(annotation)


@pytest.mark.parametrize(
    ("annotation", "spec"),
    [
        (Ulid, "lower"),
        (date, "04"),
        (bool, "lower"),
        (Kind, "upper"),
        (Literal["a"], "lower"),
        (bytes, "raw"),
        (uuid.UUID, "escaped"),
        (datetime, "%Y"),
    ],
)
def test_a_specification_for_another_type_is_refused(annotation: object, spec: str) -> None:
    with pytest.raises(KeyTemplateError, match="is not a format for"):
        codec_for(annotation, spec)


@pytest.mark.parametrize("delimiter", ["", "::"])
def test_a_delimiter_is_one_character(delimiter: str) -> None:
    with pytest.raises(KeyTemplateError, match="one character"):
        codec_for(str, delimiter=delimiter)


def test_a_length_limit_is_kept() -> None:
    codec = codec_for(Annotated[str, MaxLength(3), MaxLength(None), MaxLength(5)])
    assert codec.encode("abc") == "abc"
    assert bytes_max(codec.pieces) == 12
    with pytest.raises(KeyValueInvalid, match="at most 3"):
        codec.encode("abcd")


def test_unchecked_changes_plain_text_only() -> None:
    assert not codec_for(str, unchecked=True).is_checked
    assert not codec_for(str, "lower", unchecked=True).is_checked
    assert codec_for(str, "escaped", unchecked=True).is_checked
    assert codec_for(Ulid, unchecked=True).is_checked
    assert codec_for(int, unchecked=True).is_checked
