"""Printing nodes; tests/properties/test_expressions.py tests that it is the inverse of parsing."""

from __future__ import annotations

import pytest

from tablewright.expressions import nodes
from tablewright.expressions.parser import parse_condition, parse_update
from tests.expressions import printer


@pytest.mark.parametrize(
    "text",
    [
        "a = :v AND NOT (b = :v OR #c.d[0] < size(e))",
        "(a = :v AND b = :v) AND c = :v",
        "a BETWEEN :v AND :w OR b IN (:v, c)",
        "NOT NOT contains(a, :v)",
    ],
)
def test_a_condition_prints_as_it_was_written(text: str) -> None:
    assert printer.print(parse_condition(text)) == text


def test_an_update_prints_each_section_once() -> None:
    text = "SET a = b + :v, c = list_append(c, :v) REMOVE d[0], e ADD f :v DELETE g :v"
    assert printer.print(parse_update(text)) == text


def test_a_literal_has_no_text() -> None:
    literal = nodes.Literal({"S": "x"})
    with pytest.raises(TypeError):
        printer.print(nodes.Comparison("=", nodes.Attribute(("a",)), literal))
