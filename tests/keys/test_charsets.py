"""Sets of characters: membership, algebra, examples."""

from __future__ import annotations

import re

import pytest

from tablewright.keys.charsets import (
    ALL,
    CROCKFORD,
    DIGITS,
    HEX,
    NONCHARACTERS,
    SURROGATES,
    TOP,
    CharSet,
)


def test_ranges_are_sorted_and_joined() -> None:
    assert CharSet.of("dbcaz").ranges == ((ord("a"), ord("d")), (ord("z"), ord("z")))


def test_an_inverted_range_is_empty() -> None:
    assert not CharSet.between("b", "a")
    assert len(CharSet.between("a", "c")) == 3


def test_sets_are_united_cut_and_subtracted() -> None:
    low, high = CharSet.between("a", "m"), CharSet.between("k", "z")
    assert low | high == CharSet.between("a", "z")
    assert low & high == CharSet.between("k", "m")
    assert low - high == CharSet.between("a", "j")
    assert low - CharSet.of("af") == CharSet.of("bcdeghijklm")
    assert not low & DIGITS


def test_membership_is_by_range() -> None:
    assert "7" in DIGITS
    assert "a" not in DIGITS
    assert all(letter not in CROCKFORD for letter in "ILOUa")


def test_lowest_and_highest_are_the_ends() -> None:
    assert (HEX.lowest, HEX.highest) == ("0", "f")


def test_everything_storable_is_everything_but_surrogates() -> None:
    assert not ALL & SURROGATES
    assert TOP in ALL
    assert TOP in NONCHARACTERS
    assert len(NONCHARACTERS) == 66


@pytest.mark.parametrize(
    ("chars", "example"),
    [(DIGITS, "1"), (HEX, "a"), (CROCKFORD, "A"), (ALL, "a"), (CharSet.of("#!"), "!")],
)
def test_the_example_is_the_most_readable_character(chars: CharSet, example: str) -> None:
    assert chars.example == example


def test_letters_and_digits_rank_before_signs() -> None:
    assert CharSet.of("a").rank < CharSet.of("Z").rank < CharSet.of("1").rank
    assert CharSet.of("0").rank < CharSet.of("#").rank == CharSet.of("é").rank


@pytest.mark.parametrize(("char", "size"), [("a", 1), ("é", 2), ("€", 3), ("😀", 4)])
def test_the_widest_character_decides_the_bytes(char: str, size: int) -> None:
    assert CharSet.of(char).bytes_max == len(char.encode()) == size


def test_the_pattern_matches_the_set_and_nothing_else() -> None:
    chars = CharSet.of("]^-\\a😀")
    match = re.compile(chars.pattern).fullmatch
    assert [char for char in map(chr, range(0x110000)) if match(char)] == sorted("]^-\\a😀")
