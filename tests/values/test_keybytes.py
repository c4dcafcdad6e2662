"""Key bytes: the documented format, the order, and decoding."""

from __future__ import annotations

import pytest

from tablewright.values.keybytes import decode, encode


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("0", "80"),
        ("12.5", "81 83 0d 33"),
        ("-12.5", "7f 7c f2 cc ff"),
        ("1", "81 82 0b"),
        ("0." + "0" * 129 + "1", "81 00 0b"),
        ("1" + "0" * 125, "81 ff 0b"),
    ],
)
def test_numbers_have_the_documented_bytes(number: str, expected: str) -> None:
    # Files hold these bytes, so they may never change.
    assert encode("N", number) == bytes.fromhex(expected)
    assert decode("N", bytes.fromhex(expected)) == number


def test_bytes_sort_as_the_numbers_do() -> None:
    numbers = ["-100", "-99.5", "-99", "-10", "-1.5", "-1", "-0.1", "-0.01", "0"]
    numbers += ["0.01", "0.1", "0.11", "1", "1.5", "2", "9", "10", "11", "99", "99.5", "100"]
    assert sorted(numbers, key=lambda n: encode("N", n)) == numbers


def test_strings_sort_by_their_utf8_bytes() -> None:
    texts = ["", "A", "Z", "a", "ab", "é", "\uffff", "\U0001f600"]
    assert sorted(texts, key=lambda text: encode("S", text)) == texts
    assert [decode("S", encode("S", text)) for text in texts] == texts


def test_binary_is_its_own_bytes() -> None:
    assert encode("B", "AP8=") == b"\x00\xff"
    assert decode("B", b"\x00\xff") == "AP8="
