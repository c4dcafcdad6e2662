"""Languages of texts: what is inside, how long, and where two of them meet."""

from __future__ import annotations

import pytest

from tablewright.keys.charsets import ALL, DIGITS, CharSet
from tablewright.keys.languages import (
    ANY,
    Choice,
    Piece,
    Pieces,
    bytes_max,
    chars_of,
    first_chars,
    inside,
    literal,
    meet,
    second_chars,
    width_of,
)

LETTERS = CharSet.between("a", "z")
WORD = Piece(LETTERS, 1, None)
FOUR = Piece(DIGITS, 4, 4)


@pytest.mark.parametrize(
    ("pieces", "text", "is_inside"),
    [
        ([], "", True),
        ([], "a", False),
        ([literal("A#"), FOUR], "A#0001", True),
        ([literal("A#"), FOUR], "A#001", False),
        ([WORD, literal("#"), ANY], "abc#", True),
        ([WORD, literal("#"), ANY], "#", False),
        ([Choice(("a", "ab")), literal("c")], "abc", True),
        ([Choice(("", "-")), FOUR], "-1234", True),
        ([Piece(LETTERS, 2, 200)], "a" * 200, True),
        ([Piece(LETTERS, 2, 200)], "a" * 201, False),
        ([literal("a.c")], "abc", False),
    ],
)
def test_a_text_is_inside_or_not(pieces: Pieces, text: str, is_inside: bool) -> None:
    assert inside(pieces, text) is is_inside


def test_the_width_is_known_where_all_texts_have_one_length() -> None:
    assert width_of([literal("A#"), FOUR, Choice(("xy", "zz"))]) == 8
    assert width_of([Choice(("x", "yy"))]) is None
    assert width_of([Piece(DIGITS, 1, 2)]) is None


def test_the_longest_text_is_counted_in_bytes() -> None:
    assert bytes_max([Choice(("é", "abc")), Piece(CharSet.of("a€"), 0, 2)]) == 3 + 6
    assert bytes_max([WORD]) is None


def test_first_characters_look_past_what_may_be_empty() -> None:
    assert first_chars([Choice(("", "-")), FOUR]) == DIGITS | CharSet.of("-")
    assert first_chars([Piece(LETTERS, 0, 3), literal("#x")]) == LETTERS | CharSet.of("#")
    assert first_chars([literal("#x"), WORD]) == CharSet.of("#")
    assert not first_chars([])


def test_second_characters_follow_any_first_one() -> None:
    assert second_chars([Piece(LETTERS, 1, None), literal("#")]) == LETTERS | CharSet.of("#")
    assert second_chars([Choice(("a", "bc")), literal("d")]) == CharSet.of("cd")
    assert not second_chars([literal("a")])


def test_all_characters_are_those_of_every_piece() -> None:
    assert chars_of([literal("a#"), FOUR]) == DIGITS | CharSet.of("a#")


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        ([literal("SITE#"), WORD], [literal("USER#"), WORD], None),
        ([literal("SITE#"), WORD], [literal("SITE#"), FOUR], None),
        ([literal("SITE#"), WORD], [literal("SITE#"), Piece(ALL, 2, None)], "SITE#aa"),
        ([literal("META")], [Piece(CharSet.between("A", "Z"), 1, None), ANY], "META"),
        ([FOUR], [Piece(DIGITS, 0, None), literal("7")], "1117"),
        ([FOUR], [Piece(DIGITS, 5, 9)], None),
        ([WORD, literal("#"), WORD], [WORD], None),
        ([Choice(("GOAL#", "GAME#")), ANY], [literal("GAME#1")], "GAME#1"),
        ([], [ANY], ""),
        ([Piece(CharSet(()), 1, None)], [ANY], None),
        ([Piece(CharSet(()), 0, None)], [ANY], ""),
        ([Piece(LETTERS, 0, 0), FOUR], [FOUR], "1111"),
    ],
)
def test_languages_meet_in_a_shortest_readable_text(
    one: Pieces, other: Pieces, text: str | None
) -> None:
    assert meet(one, other) == text
    assert meet(other, one) == text


def test_repeats_are_exact_up_to_64() -> None:
    assert meet([Piece(LETTERS, 1, 63)], [Piece(LETTERS, 64, None)]) is None
    assert meet([Piece(LETTERS, 64, 64)], [Piece(LETTERS, 64, None)]) == "a" * 64


# A longer limit counts as none: a common text may be named that is too long, never missed.
def test_longer_repeats_count_as_unbounded() -> None:
    assert meet([Piece(LETTERS, 1, 65)], [Piece(LETTERS, 66, None)]) is not None
    assert meet([Piece(LETTERS, 100, 100)], [Piece(LETTERS, 1, 200)]) is not None
