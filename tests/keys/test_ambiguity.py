"""Whether a text can be divided in two ways."""

from __future__ import annotations

from tablewright.keys.ambiguity import two_splits
from tablewright.keys.charsets import ALL, DIGITS, CharSet
from tablewright.keys.languages import Choice, Piece, literal

ANYTHING = [Piece(ALL, 1, None)]
WORD = [Piece(CharSet.between("a", "z"), 1, None)]


def test_what_may_hold_its_delimiter_is_divided_in_two_ways() -> None:
    splits = two_splits([ANYTHING, [literal("#")], ANYTHING])
    assert splits is not None
    one, other = splits
    assert one != other
    assert "".join(one) == "".join(other)


def test_one_part_of_anything_is_divided_in_one_way() -> None:
    assert two_splits([ANYTHING]) is None
    assert two_splits([ANYTHING, [literal("#")], WORD]) is None
    assert two_splits([WORD, [literal("#")], ANYTHING]) is None


def test_parts_of_fixed_width_are_divided_in_one_way() -> None:
    assert two_splits([[Piece(DIGITS, 4, 4)], [Piece(DIGITS, 2, 2)], ANYTHING]) is None


def test_neighbours_without_a_border_are_divided_in_two_ways() -> None:
    assert two_splits([WORD, WORD]) is not None
    assert two_splits([[Choice(("a", "ab"))], [Choice(("c", "bc"))]]) == (["ab", "c"], ["a", "bc"])
    assert two_splits([[Choice(("a", "ab"))], [Choice(("c", "d"))]]) is None


# Two ways through the pieces of one part are one division of the text.
def test_two_ways_inside_one_part_do_not_count() -> None:
    assert two_splits([[Choice(("a", "")), *WORD], [literal("#")]]) is None
