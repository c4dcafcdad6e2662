"""Conditions: errors before any item is read, and what matches.

Expected messages and results were recorded from DynamoDB Local 3.3.1, except where AWS is known to
have other messages.
"""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ValidationError
from tablewright.expressions.binding import Placeholders

TRUE = {"BOOL": True}


def refusal(text: str, **values: Any) -> str:
    given = {f":{name}": value for name, value in values.items()} or None
    with pytest.raises(ValidationError) as caught:
        Placeholders(None, given).condition(text)
    return caught.value.message.removeprefix("Invalid ConditionExpression: ")


def matches(text: str, item: Any = None, **values: Any) -> bool:
    given = {f":{name}": value for name, value in values.items()} or None
    return Placeholders(None, given).condition(text).matches(item or {})


def n(text: str) -> dict[str, str]:
    return {"N": text}


def s(text: str) -> dict[str, str]:
    return {"S": text}


@pytest.mark.parametrize(
    ("text", "function"), [("foo(a)", "foo"), ("SIZE(a) > b", "SIZE"), ("foo(name)", "foo")]
)
def test_unknown_functions_are_refused(text: str, function: str) -> None:
    assert refusal(text) == f"Invalid function name; function: {function}"


@pytest.mark.parametrize("text", ["if_not_exists(a, b)", "list_append(a, b) = c"])
def test_functions_of_updates_are_refused(text: str) -> None:
    assert "not allowed in a condition expression" in refusal(text)


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("size(a)", "size"),
        ("attribute_exists(a) = b", "attribute_exists"),
        ("a = contains(b, c)", "contains"),
        ("attribute_exists(contains(a, b))", "contains"),
        ("attribute_exists(a, b) AND size(b)", "size"),
    ],
)
def test_functions_out_of_place_are_refused(text: str, function: str) -> None:
    assert refusal(text).endswith(f"used this way in an expression; function: {function}")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("attribute_exists(a, b)", 2),
        ("attribute_not_exists(a, b, c)", 3),
        ("begins_with(a)", 1),
        ("contains(a, b, c)", 3),
        ("attribute_type(a)", 1),
        ("size(a, b) > c", 2),
    ],
)
def test_functions_take_so_many_operands(text: str, count: int) -> None:
    assert refusal(text).endswith(f"number of operands: {count}")


@pytest.mark.parametrize("text", ["attribute_exists(:v)", "attribute_not_exists(size(a))"])
def test_existence_is_asked_of_a_document_path(text: str) -> None:
    values = {"v": s("x")} if ":v" in text else {}
    assert "requires a document path" in refusal(text, **values)


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">="])
@pytest.mark.parametrize(
    "value", [TRUE, {"NULL": True}, {"L": []}, {"M": {}}, {"SS": ["a"]}, {"NS": ["1"]}]
)
def test_only_strings_numbers_and_binaries_have_an_order(operator: str, value: Any) -> None:
    expected = f"operator or function: {operator}, operand type: {next(iter(value))}"
    assert refusal(f"a {operator} :v", v=value).endswith(expected)
    assert refusal(f":v {operator} a", v=value).endswith(expected)


@pytest.mark.parametrize(
    ("text", "values", "function", "type_"),
    [
        ("begins_with(a, :v)", {"v": n("1")}, "begins_with", "N"),
        ("begins_with(:v, a)", {"v": TRUE}, "begins_with", "BOOL"),
        ("begins_with(a, size(b))", {}, "begins_with", "N"),
        ("size(:v) > a", {"v": n("1")}, "size", "N"),
        ("size(size(a)) > b", {}, "size", "N"),
        ("a BETWEEN :v AND b", {"v": TRUE}, "BETWEEN", "BOOL"),
        ("a BETWEEN a AND :v", {"v": TRUE}, "BETWEEN", "BOOL"),
        ("attribute_type(a, :v)", {"v": n("1")}, "attribute_type", "N"),
    ],
)
def test_constants_of_the_wrong_type_are_refused(
    text: str, values: Any, function: str, type_: str
) -> None:
    expected = f"operator or function: {function}, operand type: {type_}"
    assert refusal(text, **values).endswith(expected)


def test_attribute_type_takes_the_name_of_a_type_as_a_constant() -> None:
    assert "Invalid attribute type name found; type: x, valid types: {" in refusal(
        "attribute_type(a, :v)", v=s("x")
    )
    assert "operand type: {" in refusal("attribute_type(a, b)")


def test_the_bounds_of_between_must_have_one_type_and_be_in_order() -> None:
    assert refusal("a BETWEEN :x AND :y", x=s("b"), y=s("a")) == (
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
        "lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}"
    )
    assert "requires same data type" in refusal("a BETWEEN :x AND :y", x=s("1"), y=n("1"))
    assert "upper bound to be greater" in refusal("a BETWEEN :x AND :y", x=n("10"), y=n("9"))
    assert matches("a BETWEEN :x AND :x", {"a": n("1")}, x=n("1"))


@pytest.mark.parametrize(
    ("text", "operator", "operand"),
    [
        ("a = a", "=", "[a]"),
        ("a < a", "<", "[a]"),
        ("a.b[1] <> a.b[1]", "<>", "[a, b, [1]]"),
        ("a BETWEEN b AND a", "BETWEEN", "[a]"),
        ("a IN (b, a)", "IN", "[a]"),
        ("begins_with(a, a)", "begins_with", "[a]"),
        ("contains(a, a)", "contains", "[a]"),
    ],
)
def test_an_attribute_is_not_compared_with_itself(text: str, operator: str, operand: str) -> None:
    assert refusal(text).endswith(f"operator: {operator}, first operand: {operand}")


def test_an_alias_does_not_hide_the_same_attribute() -> None:
    with pytest.raises(ValidationError, match="must be distinct"):
        Placeholders({"#b": "a"}, None).condition("a = #b")


def test_values_and_sizes_may_be_compared_with_themselves() -> None:
    assert matches(":v = :v", v=s("x"))
    assert matches("size(a) = size(a)", {"a": s("x")})


def test_in_takes_at_most_100_operands() -> None:
    values = {f"v{i}": n(str(i)) for i in range(101)}
    hundred = ", ".join(f":v{i}" for i in range(100))
    assert matches(f"a IN ({hundred})", {"a": n("99")}, **values)
    assert "number of operands: 101" in refusal(f"a IN ({hundred}, :v100)", **values)


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("a < :b AND foo(a)", {"b": TRUE}, "function: foo"),
        ("a < :b AND name = :b", {"b": TRUE}, "reserved keyword: name"),
        ("a < :b AND a = a", {"b": TRUE}, "operand type: BOOL"),
        ("a = a AND a < :b", {"b": TRUE}, "must be distinct"),
        ("size(:b) < :b", {"b": TRUE}, "operator or function: size"),
        ("foo(a) AND ((a = :b))", {"b": TRUE}, "redundant parentheses"),
    ],
)
def test_names_and_functions_are_checked_before_operands(
    text: str, values: Any, expected: str
) -> None:
    assert expected in refusal(text, **values)


def test_faults_are_found_again_on_a_warm_cache() -> None:
    assert "operand type: BOOL" in refusal("warm < :v", v=TRUE)
    assert matches("warm < :v", {"warm": n("1")}, v=n("2"))
    assert "operand type: BOOL" in refusal("warm < :v", v=TRUE)
    for _ in range(2):
        assert "number of operands: 2" in refusal("attribute_exists(warm, b)")


@pytest.mark.parametrize(
    ("text", "item", "values"),
    [
        ("a = :v", {"a": n("1")}, {"v": n("1.00")}),
        ("a = :v", {"a": {"SS": ["a", "b"]}}, {"v": {"SS": ["b", "a"]}}),
        ("a = :v", {"a": {"L": [{"SS": ["a", "b"]}]}}, {"v": {"L": [{"SS": ["b", "a"]}]}}),
        ("a <> :v", {"a": n("1")}, {"v": s("1")}),
        ("a < b", {"a": n("2"), "b": n("10")}, {}),
        ("a < b", {"a": n("-10"), "b": n("-2")}, {}),
        ("a < b", {"a": s("10"), "b": s("2")}, {}),
        ("a < b", {"a": s("Z"), "b": s("é")}, {}),
        ("a < b", {"a": s("\uffff"), "b": s("\U0001f600")}, {}),
        ("a < b", {"a": {"B": "fw=="}, "b": {"B": "gA=="}}, {}),
        ("a >= :v AND a <= :v", {"a": n("1")}, {"v": n("1")}),
        ("a BETWEEN b AND c", {"a": n("2"), "b": n("1"), "c": n("3")}, {}),
        ("a IN (:v, :w)", {"a": s("x")}, {"v": n("1"), "w": s("x")}),
        ("a IN (:v, b)", {"a": s("x")}, {"v": s("x")}),
        ("contains(a, :v)", {"a": s("abc")}, {"v": s("b")}),
        ("contains(a, :v)", {"a": s("abc")}, {"v": s("")}),
        ("contains(a, :v)", {"a": {"B": "YWJjZA=="}}, {"v": {"B": "YmM="}}),
        ("contains(a, :v)", {"a": {"SS": ["x"]}}, {"v": s("x")}),
        ("contains(a, :v)", {"a": {"NS": ["1"]}}, {"v": n("1.0")}),
        ("contains(a, :v)", {"a": {"BS": ["YQ=="]}}, {"v": {"B": "YQ=="}}),
        ("contains(a, :v)", {"a": {"L": [n("1"), {"L": [n("2")]}]}}, {"v": {"L": [n("2")]}}),
        ("contains(:v, a)", {"a": s("ell")}, {"v": s("hello")}),
        ("begins_with(a, :v)", {"a": s("abc")}, {"v": s("ab")}),
        ("begins_with(a, :v)", {"a": {"B": "YWJj"}}, {"v": {"B": "YWI="}}),
        ("attribute_exists(a.b[1])", {"a": {"M": {"b": {"L": [n("1"), n("2")]}}}}, {}),
        ("attribute_exists(a)", {"a": {"NULL": True}}, {}),
        ("attribute_not_exists(a.b.c)", {"a": n("1")}, {}),
        ("attribute_type(a, :v)", {"a": {"NULL": True}}, {"v": s("NULL")}),
        ("attribute_type(size(a), :v)", {"a": s("x")}, {"v": s("N")}),
        ("a.b = :v", {"a": {"M": {"b": n("1")}}}, {"v": n("1")}),
        ("NOT a = :v AND b = :v", {"a": n("1"), "b": n("2")}, {"v": n("2")}),
        ("a = :v OR b = :v AND c = :v", {"a": n("2")}, {"v": n("2")}),
        ("a = :v OR b = :v OR c = :v", {"c": n("2")}, {"v": n("2")}),
        ("a = :v AND b = :v AND c = :v", {"a": n("2"), "b": n("2"), "c": n("2")}, {"v": n("2")}),
    ],
)
def test_conditions_that_hold(text: str, item: Any, values: Any) -> None:
    assert matches(text, item, **values)


@pytest.mark.parametrize(
    ("text", "item", "values"),
    [
        ("a = :v", {"a": s("1")}, {"v": n("1")}),
        ("a <> :v", {"a": {"SS": ["a", "b"]}}, {"v": {"SS": ["b", "a"]}}),
        ("a < :v", {"a": s("1")}, {"v": n("2")}),
        ("a < b", {"a": {"BOOL": False}, "b": TRUE}, {}),
        ("a >= b", {"a": TRUE, "b": TRUE}, {}),
        ("a BETWEEN b AND c", {"a": n("2"), "b": n("3"), "c": n("1")}, {}),
        ("a BETWEEN :v AND :w", {"a": n("4")}, {"v": n("1"), "w": n("3")}),
        ("a BETWEEN :v AND :w", {"a": n("0")}, {"v": n("1"), "w": n("3")}),
        ("a IN (:v)", {"a": s("1")}, {"v": n("1")}),
        ("contains(a, :v)", {"a": s("1")}, {"v": n("1")}),
        ("contains(a, :v)", {"a": n("15")}, {"v": s("1")}),
        ("contains(a, :v)", {"a": {"M": {"x": n("1")}}}, {"v": s("x")}),
        ("contains(a, :v)", {"a": {"SS": ["x", "y"]}}, {"v": {"SS": ["x"]}}),
        ("contains(a, :v)", {"a": {"NS": ["1"]}}, {"v": s("1")}),
        ("begins_with(a, b)", {"a": n("12"), "b": n("1")}, {}),
        ("begins_with(a, :v)", {"a": s("xy")}, {"v": {"B": "eA=="}}),
        ("attribute_exists(a[0])", {"a": {"SS": ["x"]}}, {}),
        ("attribute_type(a, :v)", {"a": n("1")}, {"v": s("S")}),
        ("a = :v AND b = :v AND c = :v", {"a": n("2"), "c": n("2")}, {"v": n("2")}),
    ],
)
def test_conditions_that_do_not_hold(text: str, item: Any, values: Any) -> None:
    assert not matches(text, item, **values)


@pytest.mark.parametrize(
    "text",
    [
        "a = b",
        "a = :v",
        "a < :v",
        "a IN (b, :v)",
        "a BETWEEN :v AND :v",
        "contains(a, :v)",
        "contains(:s, a)",
        "begins_with(a, :s)",
        "attribute_type(a, :s)",
        "attribute_exists(a)",
        "size(a) > :v",
        "size(a) = size(b)",
    ],
)
def test_what_is_missing_makes_it_false_and_its_negation_true(text: str) -> None:
    values = {name: v for name, v in {"v": n("1"), "s": s("S")}.items() if f":{name}" in text}
    assert not matches(text, {}, **values)
    assert matches(f"NOT {text}", {}, **values)


def test_what_is_missing_differs_from_everything() -> None:
    assert matches("a <> b", {})
    assert matches("a <> :v", {}, v=n("1"))
    assert matches("size(a) <> :v", {"a": n("1")}, v=n("1"))


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (s(""), 0),
        (s("abc"), 3),
        (s("é"), 1),
        (s("\U0001f600"), 2),
        ({"B": "YWI="}, 2),
        ({"SS": ["a", "b"]}, 2),
        ({"NS": ["1"]}, 1),
        ({"BS": ["", "YQ=="]}, 2),
        ({"L": [n("1"), n("2"), n("3")]}, 3),
        ({"M": {"a": n("1")}}, 1),
    ],
)
def test_size_of_each_type(value: Any, size: int) -> None:
    assert matches("size(a) = :v", {"a": value}, v=n(str(size)))


@pytest.mark.parametrize("value", [n("1"), TRUE, {"NULL": True}])
def test_types_without_a_size_compare_as_missing(value: Any) -> None:
    assert not matches("size(a) >= :v", {"a": value}, v=n("0"))
    assert not matches("size(a) < :v", {"a": value}, v=n("9"))


def test_a_condition_says_which_attributes_it_mentions() -> None:
    text = "attribute_exists(a) AND #b.c = :v OR size(d[0]) > e"
    condition = Placeholders({"#b": "b.b"}, {":v": n("1")}).condition(text)
    assert condition.top_level_names == {"a", "b.b", "d", "e"}
    assert condition.nested_names == {"b.b", "d"}
