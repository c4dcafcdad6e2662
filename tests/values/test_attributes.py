"""Valid values, and their canonical form."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import SerializationError, ValidationError
from tablewright.values.attributes import (
    depth_of,
    equal,
    normalise,
    normalise_item,
    require_depth,
    type_of,
)


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(levels):
        value = {"L": [value]}
    return value


def test_an_item_is_returned_with_its_numbers_canonical() -> None:
    item: dict[str, Any] = {
        "a": {"S": ""},
        "n": {"N": "01.50"},
        "m": {"M": {"x": {"L": [{"N": "1e2"}]}}},
    }
    assert normalise_item(item) == {
        "a": {"S": ""},
        "n": {"N": "1.5"},
        "m": {"M": {"x": {"L": [{"N": "100"}]}}},
    }


def test_normalising_leaves_the_request_as_it_was() -> None:
    item: dict[str, Any] = {"n": {"N": "1.0"}, "l": {"L": [{"N": "2.0"}]}, "s": {"NS": ["3.0"]}}
    normalise_item(item)
    assert item == {"n": {"N": "1.0"}, "l": {"L": [{"N": "2.0"}]}, "s": {"NS": ["3.0"]}}


@pytest.mark.parametrize(
    "value",
    [
        {"S": "é"},
        {"B": "YWI="},
        {"B": ""},
        {"BOOL": False},
        {"NULL": True},
        {"SS": ["", "a", "b"]},
        {"NS": ["1", "3"]},
        {"BS": ["", "YQ=="]},
        {"L": []},
        {"M": {}},
    ],
)
def test_canonical_values_stay_as_they_are(value: dict[str, Any]) -> None:
    assert normalise(value) == value


def test_null_entries_and_unknown_names_are_as_if_absent() -> None:
    assert normalise({"S": None, "N": "1.0", "X": 1}) == {"N": "1"}
    assert normalise_item({"a": {"S": "x", "N": None}}) == {"a": {"S": "x"}}
    assert normalise({"BOOL": True, "S": None}) == {"BOOL": True}


@pytest.mark.parametrize("value", [{}, {"S": None}, {"X": "a"}])
def test_a_value_of_no_type_is_refused(value: dict[str, Any]) -> None:
    for refused in (lambda: normalise(value), lambda: normalise_item({"a": value})):
        with pytest.raises(ValidationError, match="Supplied AttributeValue is empty"):
            refused()


def test_a_value_of_two_types_is_refused() -> None:
    with pytest.raises(ValidationError, match="more than one datatypes set"):
        normalise_item({"a": {"S": "x", "N": "1"}})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"SS": []}, "An string set  may not be empty"),
        ({"NS": []}, "An number set  may not be empty"),
        ({"BS": []}, "Binary sets should not be empty"),
        ({"SS": ["a", "a"]}, r"Input collection \[a, a\] contains duplicates\.$"),
        ({"NS": ["1", "1.0"]}, "^Input collection contains duplicates$"),
        ({"BS": ["YQ==", "YQ=="]}, r"Input collection \[YQ==, YQ==\]of type BS"),
        ({"NULL": False}, "Null attribute value types must have the value of true"),
        ({"NS": ["x"]}, "cannot be converted to a numeric value: x"),
        ({"L": [{"SS": []}]}, "string set"),
        ({"M": {"": {"S": "x"}}}, "Empty attribute name"),
    ],
)
def test_invalid_values_are_refused(value: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        normalise(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("YQ=", "multiple of 4 bytes but found: 3"),
        ("Y*==", r"Invalid Base64 character: '\*'"),
        ("=YQ=", "Invalid Base64 character: '='"),
        ("YQ==YQ==", "Invalid Base64 character: '='"),
        ("YR==", "Invalid last non-pad Base64 character dectected"),
        ("YQé=", "Invalid Base64 character: 'é'"),
    ],
)
def test_base64_must_be_exact(text: str, reason: str) -> None:
    with pytest.raises(SerializationError, match=reason):
        normalise({"B": text})


def test_an_attribute_name_has_at_most_65535_bytes() -> None:
    normalise_item({"a" * 65_535: {"S": "x"}})
    with pytest.raises(ValidationError, match="too large"):
        normalise_item({"é" * 32_768: {"S": "x"}})


def test_thirty_two_levels_are_accepted_and_one_more_is_not() -> None:
    assert normalise(nested(31)) == nested(31)
    assert normalise_item({"m": {"M": {"x": nested(30)}}})
    with pytest.raises(ValidationError, match="Nesting Levels"):
        normalise(nested(32))
    with pytest.raises(ValidationError, match="Nesting Levels"):
        normalise_item({"m": {"M": {"x": nested(31)}}})


def test_very_deep_values_are_refused_without_exhausting_the_stack() -> None:
    maps: dict[str, Any] = {"S": "x"}
    for _ in range(50_000):
        maps = {"M": {"x": maps}}
    try:
        with pytest.raises(ValidationError, match="Nesting Levels"):
            normalise(maps)
        assert depth_of(maps) == 50_001
    finally:
        # Taken apart by hand: freeing it at once would recurse in C.
        while "M" in maps:
            maps = maps["M"].pop("x")


def test_depth_counts_scalars_and_sets_as_one_level() -> None:
    assert depth_of({"SS": ["a"]}) == 1
    assert depth_of({"L": []}) == 1
    assert depth_of({"M": {"a": {"L": [{"N": "1"}]}, "b": {"S": "x"}}}) == 3


def test_depth_counts_what_a_value_will_be_inside_of() -> None:
    require_depth(nested(30), above=1)
    with pytest.raises(ValidationError):
        require_depth(nested(30), above=2)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"SS": ["a", "b"]}, {"SS": ["b", "a"]}),
        ({"L": [{"NS": ["1", "2"]}]}, {"L": [{"NS": ["2", "1"]}]}),
        ({"M": {"x": {"BS": ["YQ==", ""]}}}, {"M": {"x": {"BS": ["", "YQ=="]}}}),
        ({"M": {"a": {"N": "1"}, "b": {"N": "2"}}}, {"M": {"b": {"N": "2"}, "a": {"N": "1"}}}),
    ],
)
def test_sets_are_equal_whatever_their_order_at_any_depth(a: Any, b: Any) -> None:
    assert equal(a, b)
    assert equal(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"S": "1"}, {"N": "1"}),
        ({"SS": ["a"]}, {"SS": ["a", "b"]}),
        ({"L": [{"N": "1"}]}, {"L": [{"N": "1"}, {"N": "1"}]}),
        ({"L": [{"N": "1"}, {"N": "2"}]}, {"L": [{"N": "2"}, {"N": "1"}]}),
        ({"M": {"a": {"N": "1"}}}, {"M": {"b": {"N": "1"}}}),
        ({"BOOL": True}, {"BOOL": False}),
    ],
)
def test_unlike_values_are_not_equal(a: Any, b: Any) -> None:
    assert not equal(a, b)


def test_the_type_of_a_value_is_its_one_entry() -> None:
    assert type_of({"NULL": True}) == "NULL"


@pytest.mark.parametrize(
    "value", [{"x": None}, {"x": {}}, {"x": {"L": [None]}}, {"x": {"M": {"y": None}}}]
)
def test_a_null_where_a_value_should_be_is_refused(value: Any) -> None:
    with pytest.raises(ValidationError, match="AttributeValue is empty"):
        normalise_item(value)


@pytest.mark.parametrize("type_", ["SS", "NS", "BS"])
def test_a_null_in_a_set_is_refused(type_: str) -> None:
    with pytest.raises(ValidationError, match="may not (have|contain) .*null"):
        normalise_item({"x": {type_: [None]}})
