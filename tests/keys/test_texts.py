"""Strings in keys: what is refused, escaped and normalised."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import pytest

from tablewright.errors import KeyTemplateError, KeyValueInvalid
from tablewright.keys.codecs import ULID, UUID, codec_for
from tablewright.keys.languages import inside
from tablewright.keys.texts import NORMALISERS, Normaliser


@pytest.mark.parametrize("text", ["a", "a b", "é😀", "~!\"$%&'", "a" * 2000, "\u0301"])
def test_plain_text_stands_for_itself(text: str) -> None:
    codec = codec_for(str)
    assert codec.encode(text) == codec.decode(text) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("a#b", "delimiter '#'"),
        ("é#", "delimiter '#'"),
        ("a\nb", r"\\n"),
        ("\x00", r"\\x00"),
        ("\x7f", r"\\x7f"),
        ("\x85", r"\\x85"),
        ("\ud800", r"\\ud800"),
        ("\U0010ffff", r"\\U0010ffff"),
        ("\ufdd0", r"\\ufdd0"),
        (7, "a string, not int"),
        (None, "a string, not NoneType"),
        (b"a", "a string, not bytes"),
    ],
)
def test_plain_text_refuses_what_nobody_means_to_store(text: Any, reason: str) -> None:
    with pytest.raises(KeyValueInvalid, match=reason):
        codec_for(str).encode(text)


def test_another_delimiter_is_refused_instead() -> None:
    codec = codec_for(str, delimiter="|")
    assert codec.encode("a#b") == "a#b"
    with pytest.raises(KeyValueInvalid, match="delimiter '|'"):
        codec.encode("a|b")


# str() of such a member is "Colour.RED", and formatting uses that.
def test_a_member_of_a_string_enum_is_its_text_where_a_string_is_asked_for() -> None:
    class Colour(StrEnum):
        RED = "red"

        def __str__(self) -> str:
            return "not me"

    for spec in ("", "escaped", "raw", "lower"):
        text = codec_for(str, spec).encode(Colour.RED)
        assert f"{text}" == "red"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("abc", "abc"),
        ("a #1", "a%20%231"),
        ("100%", "100%25"),
        ("\n\x00", "%0A%00"),
        ("!\"$&'", "%21%22%24&'"),
        ("é#", "é%23"),
    ],
)
def test_escaped_text_writes_low_characters_as_codes(text: str, escaped: str) -> None:
    codec = codec_for(str, "escaped")
    assert codec.encode(text) == escaped
    assert codec.decode(escaped) == text
    assert inside(codec.pieces, escaped)


@pytest.mark.parametrize("text", ["%", "%2", "%2f", "%0a", "%41", "a b", "a#", "", "%GG", "%%"])
def test_escaped_text_that_was_not_made_here_is_refused(text: str) -> None:
    with pytest.raises(KeyValueInvalid):
        codec_for(str, "escaped").decode(text)


@pytest.mark.parametrize("text", ["", "\ud800", "\U0010ffff"])
def test_escaping_does_not_save_what_cannot_be_stored(text: str) -> None:
    with pytest.raises(KeyValueInvalid):
        codec_for(str, "escaped").encode(text)


def test_escaping_keeps_order_below_the_percent_sign_only() -> None:
    assert codec_for(str, "escaped").is_ordered
    assert codec_for(str, "escaped", delimiter="!").is_ordered
    codec = codec_for(str, "escaped", delimiter="|")
    assert not codec.is_ordered
    assert codec.encode("a|b c") == "a%7Cb%20c"
    assert codec.decode("a%7Cb%20c") == "a|b c"


@pytest.mark.parametrize("delimiter", ["%", "→"])
def test_a_delimiter_that_has_no_escape_is_refused(delimiter: str) -> None:
    with pytest.raises(KeyTemplateError, match="delimiter"):
        codec_for(str, "escaped", delimiter=delimiter)


@pytest.mark.parametrize("spec", ["raw", ""])
def test_raw_text_is_taken_as_it_is(spec: str) -> None:
    codec = codec_for(str, spec, unchecked=True)
    assert codec.encode("a#b\n") == codec.decode("a#b\n") == "a#b\n"
    assert not codec.is_checked
    for text in ("", "\ud800"):
        with pytest.raises(KeyValueInvalid):
            codec.encode(text)


@pytest.mark.parametrize(
    ("spec", "text", "normalised"),
    [
        ("lower", "Open Guard", "open guard"),
        ("lower", "ÄÖ", "äö"),
        ("upper", "abc-def", "ABC-DEF"),
        ("compact", "ABC-DEF-00000", "abcdef00000"),
        ("compact", "a b  c", "abc"),
        ("compact|escaped", "A-b #1", "ab%231"),
        ("lower|raw", "A#B", "a#b"),
    ],
)
def test_normalised_text_is_lossy_and_decodes_to_itself(
    spec: str, text: str, normalised: str
) -> None:
    codec = codec_for(str, spec)
    assert codec.is_lossy
    assert codec.encode(text) == normalised
    assert codec.encode(codec.decode(normalised)) == normalised
    assert inside(codec.pieces, normalised)


@pytest.mark.parametrize(
    ("spec", "text"), [("lower", "Ab"), ("compact", "a-b"), ("upper", "a"), ("compact", "")]
)
def test_text_that_is_not_normalised_is_refused_on_the_way_back(spec: str, text: str) -> None:
    with pytest.raises(KeyValueInvalid):
        codec_for(str, spec).decode(text)


def test_text_of_which_nothing_is_left_is_refused() -> None:
    with pytest.raises(KeyValueInvalid, match="empty"):
        codec_for(str, "compact").encode(" - ")


def test_normalised_text_is_still_checked() -> None:
    with pytest.raises(KeyValueInvalid, match="delimiter"):
        codec_for(str, "lower").encode("A#B")
    with pytest.raises(KeyValueInvalid, match="string"):
        codec_for(str, "lower").encode(7)


# Decoding relies on it: a normalised text is its own normal form.
@pytest.mark.parametrize("normaliser", NORMALISERS.values(), ids=list(NORMALISERS))
def test_normalising_twice_is_normalising_once(normaliser: Normaliser) -> None:
    normalise = normaliser.apply
    for text in map(chr, range(0x110000)):
        assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize("spec", ["title", "lower|upper", "escaped|lower|raw", "raw|escaped", "|"])
def test_an_unknown_specification_is_refused(spec: str) -> None:
    with pytest.raises(KeyTemplateError):
        codec_for(str, spec)


def test_ulids_are_26_characters_of_crockford() -> None:
    assert ULID.width == 26
    assert ULID.decode(ULID.encode("01ARZ3NDEKTSV4RRFFQ69G5FAV")) == "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    assert inside(ULID.pieces, ULID.sample)


@pytest.mark.parametrize(
    "text",
    [
        "01arz3ndektsv4rrffq69g5fav",
        "81ARZ3NDEKTSV4RRFFQ69G5FAV",
        "01ARZ3NDEKTSV4RRFFQ69G5FA",
        "01ARZ3NDEKTSV4RRFFQ69G5FAVV",
        "01ARZ3NDEKTSV4RRFFQ69G5FAU",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV\n",
        "",
        7,
    ],
)
def test_what_is_not_a_ulid_is_refused(text: Any) -> None:
    with pytest.raises(KeyValueInvalid):
        ULID.encode(text)


@pytest.mark.parametrize(
    "text",
    [
        "6F1E2D3C-4B5A-4978-8796-A5B4C3D2E1F0",
        "6f1e2d3c4b5a49788796a5b4c3d2e1f0",
        "{6f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0}",
        "6f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f",
    ],
)
def test_a_uuid_in_another_spelling_is_refused(text: str) -> None:
    with pytest.raises(KeyValueInvalid):
        UUID.encode(text)


def test_a_uuid_as_text_has_36_characters() -> None:
    assert UUID.width == 36
    assert inside(UUID.pieces, UUID.encode(UUID.sample))
