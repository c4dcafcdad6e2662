"""Numbers and bytes in keys."""

from __future__ import annotations

from decimal import Decimal
from enum import IntEnum
from typing import Any

import pytest

from tablewright.errors import KeyTemplateError, KeyValueInvalid
from tablewright.keys.codecs import codec_for

LARGEST = 10**38 - 1


@pytest.mark.parametrize("number", [0, 7, -7, 10, LARGEST, -LARGEST])
def test_a_plain_int_is_its_canonical_text(number: int) -> None:
    codec = codec_for(int)
    assert codec.encode(number) == str(number)
    assert codec.decode(str(number)) == number
    assert not codec.is_ordered


@pytest.mark.parametrize("text", ["", "-", "-0", "007", "+7", " 7", "7.0", "٣", "1_000", "1" * 39])
def test_a_plain_int_in_another_spelling_is_refused(text: str) -> None:
    with pytest.raises(KeyValueInvalid):
        codec_for(int).decode(text)


@pytest.mark.parametrize("spec", ["", "04"])
@pytest.mark.parametrize("value", [True, 7.0, "7", None, Decimal(7)])
def test_only_whole_numbers_are_whole_numbers(spec: str, value: Any) -> None:
    with pytest.raises(KeyValueInvalid, match="whole number"):
        codec_for(int, spec).encode(value)


def test_a_number_with_too_many_digits_is_refused() -> None:
    with pytest.raises(KeyValueInvalid, match="38 digits"):
        codec_for(int).encode(LARGEST + 1)


def test_a_padded_int_has_its_width() -> None:
    codec = codec_for(int, "04")
    assert codec.width == 4
    assert [codec.encode(number) for number in (0, 42, 9999)] == ["0000", "0042", "9999"]
    assert codec.decode("0042") == 42


@pytest.mark.parametrize("number", [-1, 10_000])
def test_a_padded_int_outside_its_width_is_refused(number: int) -> None:
    with pytest.raises(KeyValueInvalid, match="between 0 and 9999"):
        codec_for(int, "04").encode(number)


@pytest.mark.parametrize("text", ["", "42", "00042", "-042", "٠٠٤٢", " 042", "0x42"])
def test_a_padded_int_in_another_spelling_is_refused(text: str) -> None:
    with pytest.raises(KeyValueInvalid):
        codec_for(int, "04").decode(text)


def test_a_member_of_an_int_enum_is_its_number_where_a_number_is_asked_for() -> None:
    class Third(IntEnum):
        FIRST = 1

    assert codec_for(int, "02").encode(Third.FIRST) == "01"
    assert codec_for(int).encode(Third.FIRST) == "1"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("0", "000000.00"),
        ("12.5", "000012.50"),
        ("1E+3", "001000.00"),
        ("999999.99", "999999.99"),
        ("1.500", "000001.50"),
        ("-0", "000000.00"),
        ("0E-100000", "000000.00"),
        ("0E+100000", "000000.00"),
    ],
)
def test_a_decimal_has_fixed_digits(number: str, text: str) -> None:
    codec = codec_for(Decimal, "6.2")
    assert codec.encode(Decimal(number)) == text
    assert codec.decode(text) == Decimal(number)
    assert codec.width == len(text)


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (Decimal("1.005"), "2 digits after the point"),
        (Decimal("1E-100000"), "2 digits after the point"),
        (Decimal(1000000), "too many digits"),
        (Decimal("1E+100000"), "too many digits"),
        (Decimal("1E+999999"), "too many digits"),
        (Decimal("-0.01"), "negative"),
        (Decimal("NaN"), "finite"),
        (Decimal("-Infinity"), "finite"),
        (1.5, "Decimal, not float"),
        (1, "Decimal, not int"),
    ],
)
def test_a_decimal_that_does_not_fit_is_refused(number: Any, reason: str) -> None:
    with pytest.raises(KeyValueInvalid, match=reason):
        codec_for(Decimal, "6.2").encode(number)


# Decimal arithmetic would round both to the context's 28 digits.
def test_a_decimal_of_38_digits_is_exact() -> None:
    codec = codec_for(Decimal, "30.8")
    number = Decimal("123456789012345678901234567890.12345678")
    assert codec.decode(codec.encode(number)) == number


@pytest.mark.parametrize("text", ["12.50", "000012.5", "0000012.5", "000012,50", "00001２.50", ""])
def test_a_decimal_in_another_spelling_is_refused(text: str) -> None:
    with pytest.raises(KeyValueInvalid):
        codec_for(Decimal, "6.2").decode(text)


@pytest.mark.parametrize("spec", ["", "6", "0.2", "6.0", "30.9", "x"])
def test_a_decimal_needs_its_digits(spec: str) -> None:
    with pytest.raises(KeyTemplateError, match=r"6\.2"):
        codec_for(Decimal, spec)


@pytest.mark.parametrize("spec", ["4", "0", "00", "0x", "lower", "039"])
def test_a_width_is_written_with_a_leading_zero(spec: str) -> None:
    with pytest.raises(KeyTemplateError, match="04"):
        codec_for(int, spec)


def test_bytes_are_hexadecimal() -> None:
    codec = codec_for(bytes)
    assert codec.encode(b"\x00\xff") == "00ff"
    assert codec.decode("00ff") == b"\x00\xff"


@pytest.mark.parametrize("value", [b"", "00", bytearray(b"a")])
def test_what_is_not_bytes_is_refused(value: Any) -> None:
    with pytest.raises(KeyValueInvalid):
        codec_for(bytes).encode(value)


@pytest.mark.parametrize("text", ["", "0", "00F", "00FF", "0 0f", "zz"])
def test_bytes_in_another_spelling_are_refused(text: str) -> None:
    with pytest.raises(KeyValueInvalid):
        codec_for(bytes).decode(text)
