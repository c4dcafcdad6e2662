"""Key conditions: the valid forms, and the messages for invalid ones."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ValidationError
from tablewright.expressions.binding import Placeholders
from tablewright.expressions.key_conditions import KeyCondition, RangeTerm

X = {"S": "x"}
Y = {"S": "y"}


def key_condition(text: str) -> KeyCondition:
    known: dict[str, Any] = {":v": X, ":w": Y, ":n": {"N": "1"}, ":b": {"BOOL": True}}
    used = {name: value for name, value in known.items() if name in text}
    return Placeholders(None, used or None).key_condition(text)


def refusal(text: str) -> str:
    with pytest.raises(ValidationError) as caught:
        key_condition(text)
    return caught.value.message


def test_equalities_are_found_by_attribute() -> None:
    request = key_condition("pk = :v AND :w = sk")
    assert request == KeyCondition({"pk": X, "sk": Y}, [])


@pytest.mark.parametrize(
    ("text", "operator", "values"),
    [
        ("sk < :v", "<", (X,)),
        ("sk >= :v", ">=", (X,)),
        (":v < sk", ">", (X,)),
        (":v >= sk", "<=", (X,)),
        ("sk BETWEEN :v AND :w", "BETWEEN", (X, Y)),
        ("begins_with(sk, :v)", "begins_with", (X,)),
        ("(sk > :v)", ">", (X,)),
    ],
)
def test_ranges_are_found_on_either_side(text: str, operator: str, values: tuple[Any, ...]) -> None:
    for whole in (f"pk = :v AND {text}", f"{text} AND pk = :v"):
        request = key_condition(whole)
        assert request.equals == {"pk": X}
        assert request.ranges == [RangeTerm("sk", operator, values)]


def test_several_terms_keep_the_order_written() -> None:
    request = key_condition("(d > :v AND a = :v) AND (b = :w AND c < :n)")
    assert list(request.equals) == ["a", "b"]
    assert [term.name for term in request.ranges] == ["d", "c"]


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("pk = :v OR sk = :v", "OR"),
        ("NOT pk = :v", "NOT"),
        ("pk <> :v", "<>"),
        ("pk IN (:v)", "IN"),
        ("pk = :v AND attribute_exists(sk)", "attribute_exists"),
        ("contains(pk, :v)", "contains"),
        ("pk = :v AND (sk = :v OR sk = :w)", "OR"),
    ],
)
def test_other_operators_are_refused(text: str, operator: str) -> None:
    assert refusal(text) == f"Invalid operator used in KeyConditionExpression: {operator}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pk = :v AND pk = :w", "must only contain one condition per key"),
        ("pk = :v AND sk > :v AND sk < :w", "must only contain one condition per key"),
        ("pk = :v AND a.b = :v", "cannot have conditions on nested attributes"),
        ("pk[0] = :v", "cannot have conditions on nested attributes"),
        ("size(pk) = :n", "cannot contain nested operations"),
        ("pk = :v AND sk < size(a)", "cannot contain nested operations"),
        ("pk = sk", "Multiple attribute names used in one condition"),
        ("pk = :v AND begins_with(sk, a)", "Multiple attribute names used in one condition"),
        (":v = :w", "No key attribute specified"),
        ("begins_with(:v, pk)", "begins_with operator must have the key attribute as its first"),
        (":v BETWEEN pk AND :w", "BETWEEN operator must have the key attribute as its first"),
    ],
)
def test_shapes_that_are_no_key_condition_are_refused(text: str, message: str) -> None:
    assert message in refusal(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pk = ", 'Syntax error; token: "<EOF>"'),
        ("pk = pk", "first operand: [pk]"),
        ("pk = :v AND sk > :b", "operand type: BOOL"),
        ("pk = :v AND sk BETWEEN :w AND :v", "upper bound to be greater"),
        ("pk = :v AND begins_with(sk, :n)", "operand type: N"),
        ("name = :v", "reserved keyword: name"),
        ("((pk = :v))", "redundant parentheses"),
        ("foo(pk)", "Invalid function name; function: foo"),
    ],
)
def test_what_is_wrong_in_any_condition_is_wrong_here_first(text: str, message: str) -> None:
    assert refusal(text).startswith("Invalid KeyConditionExpression: ")
    assert message in refusal(text)
