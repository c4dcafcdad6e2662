"""Sizes by the rules of the Developer Guide, "DynamoDB item sizes and formats"."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.values.sizes import item_size, number_size, value_size


@pytest.mark.parametrize(
    ("number", "size"),
    [
        ("0", 1),
        ("1", 2),
        ("12", 2),
        ("-12", 3),
        ("123", 3),
        ("1010", 3),
        ("100", 2),
        ("1" + "0" * 125, 2),
        ("0.0001", 2),
        ("0.15", 2),
        ("-0.123", 4),
        ("1.5", 3),
        ("12.34", 3),
        ("3.14159", 5),
        ("100.5", 4),
        ("-12.5", 4),
        ("9" * 38, 20),
    ],
)
def test_a_number_takes_a_byte_for_two_significant_digits_on_a_side_of_the_point(
    number: str, size: int
) -> None:
    assert number_size(number) == size


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": ""}, 0),
        ({"S": "é"}, 2),
        ({"B": ""}, 0),
        ({"B": "YQ=="}, 1),
        ({"B": "YWI="}, 2),
        ({"B": "YWJj"}, 3),
        ({"BOOL": False}, 1),
        ({"NULL": True}, 1),
        ({"SS": ["a", "bc"]}, 3),
        ({"NS": ["1", "123"]}, 5),
        ({"BS": ["YQ==", "YWJj"]}, 4),
        ({"L": []}, 3),
        ({"L": [{"S": "ab"}, {"N": "1"}]}, 3 + 2 + 2 + 2),
        ({"M": {}}, 3),
        ({"M": {"é": {"S": "ab"}}}, 3 + 1 + 2 + 2),
    ],
)
def test_each_type_has_its_size(value: dict[str, Any], size: int) -> None:
    assert value_size(value) == size


def test_an_item_is_its_names_and_values() -> None:
    assert item_size({"pk": {"S": "a"}, "n": {"N": "-12.5"}}) == 8
    assert item_size({}) == 0
