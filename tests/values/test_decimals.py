"""Canonical numbers and exact arithmetic.

Expectations come from the Developer Guide's limits on numbers and from DynamoDB Local.
"""

from __future__ import annotations

import pytest

from tablewright.errors import ValidationError
from tablewright.values.decimals import add, canonical, order, scientific, subtract

NINES = "9" * 38


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("0.00", "0"),
        ("0e125", "0"),
        ("007", "7"),
        ("+5", "5"),
        ("5.", "5"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("1.10", "1.1"),
        ("-1.50", "-1.5"),
        ("1e2", "100"),
        ("1E+05", "100000"),
        ("1e-2", "0.01"),
        ("12.5e1", "125"),
        ("12.5e-3", "0.0125"),
        ("100", "100"),
        (NINES, NINES),
        (f"-{NINES}", f"-{NINES}"),
        ("1" + "0" * 60, "1" + "0" * 60),
        ("0" * 100 + "1", "1"),
        ("1." + "0" * 100, "1"),
        ("1e125", "1" + "0" * 125),
        ("1e-130", "0." + "0" * 129 + "1"),
        (f"0.{NINES}", f"0.{NINES}"),
    ],
)
def test_a_number_has_one_canonical_text(text: str, expected: str) -> None:
    assert canonical(text) == expected


@pytest.mark.parametrize(
    "text",
    ["abc", " 5", "5 ", "NaN", "Infinity", "1_000", "0x10", "1e", "e5", ".", "-", "--1", "1.2.3"],
)
def test_what_is_no_number_is_refused_and_repeated(text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        canonical(text)
    expected = f"The parameter cannot be converted to a numeric value: {text}"
    assert caught.value.message == expected


def test_the_empty_number_is_refused() -> None:
    with pytest.raises(ValidationError) as caught:
        canonical("")
    assert caught.value.message == "The parameter cannot be converted to a numeric value"
    assert caught.value.current == "The parameter cannot be converted to a numeric value: "


@pytest.mark.parametrize("text", ["1e9223372036854775808", "1e" + "9" * 5000, "1\n", "１"])
def test_exponents_beyond_64_bits_and_other_digits_are_no_numbers(text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        canonical(text)
    assert caught.value.message == caught.value.current
    assert "cannot be converted" in caught.value.message


@pytest.mark.parametrize(
    ("text", "older", "current"),
    [
        ("1e99999999999", "cannot be converted", "overflow"),
        ("1e-2147483648", "cannot be converted", "underflow"),
        ("1e00002147483647", "overflow", "overflow"),
        ("1.5e-2147483647", "underflow", "underflow"),
    ],
)
def test_older_words_know_32_bits(text: str, older: str, current: str) -> None:
    with pytest.raises(ValidationError) as caught:
        canonical(text)
    assert older in caught.value.message
    assert current in caught.value.current


@pytest.mark.parametrize(("text", "words"), [("0e126", "overflow"), ("0e-131", "underflow")])
def test_zero_has_the_magnitude_with_which_it_is_written(text: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        canonical(text)


def test_a_difference_of_nothing_is_zero() -> None:
    least = canonical("1.2345678901e-130")
    assert subtract(least, least) == "0"


@pytest.mark.parametrize("text", ["1" * 39, "1." + "1" * 38, "1" + "0" * 37 + "1", "1" * 5000])
def test_a_39th_digit_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="more than 38 significant digits"):
        canonical(text)


@pytest.mark.parametrize("text", ["1e126", "-1e126", "1" + "0" * 126, "1e2000000000"])
def test_magnitudes_from_1e126_overflow(text: str) -> None:
    with pytest.raises(ValidationError, match="Number overflow"):
        canonical(text)


@pytest.mark.parametrize("text", ["1e-131", "-9e-131", "1e-2000000000"])
def test_magnitudes_below_1e_130_underflow(text: str) -> None:
    with pytest.raises(ValidationError, match="Number underflow"):
        canonical(text)


@pytest.mark.parametrize(
    ("a", "b", "total", "difference"),
    [
        ("5", "1", "6", "4"),
        ("1", "5", "6", "-4"),
        ("0.1", "0.2", "0.3", "-0.1"),
        ("-1.5", "1.5", "0", "-3"),
        ("1" + "0" * 125, "1" + "0" * 125, "2" + "0" * 125, "0"),
        ("0.5", "0.5", "1", "0"),
    ],
)
def test_arithmetic_is_exact(a: str, b: str, total: str, difference: str) -> None:
    assert add(a, b) == total
    assert subtract(a, b) == difference


@pytest.mark.parametrize(
    ("a", "b"), [(NINES, "0.1"), ("5", "0." + "0" * 37 + "1"), ("1" + "0" * 125, "1")]
)
def test_a_sum_that_needs_a_39th_digit_is_refused(a: str, b: str) -> None:
    with pytest.raises(ValidationError, match="38 significant digits"):
        add(a, b)
    with pytest.raises(ValidationError, match="38 significant digits"):
        subtract(a, b)


def test_a_sum_out_of_range_is_refused() -> None:
    nearly = canonical("9e125")
    with pytest.raises(ValidationError, match="overflow"):
        add(nearly, nearly)
    with pytest.raises(ValidationError, match="underflow"):
        subtract(canonical("1.2e-129"), canonical("1.15e-129"))


def test_numbers_compare_by_value() -> None:
    assert order("2") < order("10") < order("10.5")
    assert order("-10") < order("-2") < order("0")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1250", (False, "125", 3)),
        ("-12.5", (True, "125", 1)),
        ("0.001", (False, "1", -3)),
        ("7", (False, "7", 0)),
        ("100.01", (False, "10001", 2)),
    ],
)
def test_scientific_gives_digits_and_the_first_ones_exponent(
    text: str, expected: tuple[bool, str, int]
) -> None:
    assert scientific(text) == expected
