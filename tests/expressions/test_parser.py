"""The grammar: which nodes a text parses to, syntax errors, and nesting.

Expected messages were recorded from DynamoDB Local 3.3.1.
"""

from __future__ import annotations

import pytest

from tablewright.expressions import nodes
from tablewright.expressions.parser import parse_condition, parse_projection, parse_update
from tablewright.expressions.tokens import ExpressionError
from tests.expressions import printer

A = nodes.Attribute(("a",))
B = nodes.Attribute(("b",))
V = nodes.Placeholder(":v")
A_IS_V = nodes.Comparison("=", A, V)
B_IS_V = nodes.Comparison("=", B, V)


def refusal(parse: object, text: str) -> str:
    with pytest.raises(ExpressionError) as caught:
        parse(text)  # type: ignore[operator]
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = :v", A_IS_V),
        ("(a) = (:v)", A_IS_V),
        ("a=:v and b=:v", nodes.And((A_IS_V, B_IS_V))),
        (
            "a = :v OR b = :v AND a = :v",
            nodes.Or((A_IS_V, nodes.And((B_IS_V, A_IS_V)))),
        ),
        (
            "(a = :v OR b = :v) AND a = :v",
            nodes.And((nodes.Or((A_IS_V, B_IS_V)), A_IS_V)),
        ),
        ("NOT a = :v AND b = :v", nodes.And((nodes.Not(A_IS_V), B_IS_V))),
        ("NOT NOT (a = :v)", nodes.Not(nodes.Not(A_IS_V))),
        ("a BETWEEN :v AND b", nodes.Between(A, V, B)),
        ("a IN (:v, (b))", nodes.In(A, (V, B))),
        ("attribute_exists (a)", nodes.Call("attribute_exists", (A,))),
        ("(size(a)) > :v", nodes.Comparison(">", nodes.Call("size", (A,)), V)),
        ("((size(a)) > :v)", nodes.Comparison(">", nodes.Call("size", (A,)), V)),
        (
            "(attribute_exists(a)) AND (b = :v)",
            nodes.And((nodes.Call("attribute_exists", (A,)), B_IS_V)),
        ),
        (
            "a.#b[0][12] <> :v",
            nodes.Comparison("<>", nodes.Attribute(("a", nodes.Alias("#b"), 0, 12)), V),
        ),
        ("a . b [ 0 ] = :v", nodes.Comparison("=", nodes.Attribute(("a", "b", 0)), V)),
    ],
)
def test_conditions_parse(text: str, expected: nodes.ConditionNode) -> None:
    assert parse_condition(text) == expected
    assert parse_condition(printer.print(expected)) == expected


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("a = ", "<EOF>", "= "),
        (" ", "<EOF>", " "),
        ("a == :v", "=", "== :v"),
        ("a = :v b", "b", ":v b"),
        ("a = 5", "5", "= 5"),
        ("(a = :v", "<EOF>", ":v"),
        ("a = :v)", ")", ":v)"),
        ("(a)", "<EOF>", ")"),
        ("(a)(b)", "(", ")(b"),
        ("(a = :v AND b)", ")", "b)"),
        ("()", ")", "()"),
        ("(())", ")", "())"),
        ("NOT a", "<EOF>", "a"),
        ("a = NOT b", "NOT", "= NOT b"),
        ("a NOT = :v", "NOT", "a NOT ="),
        ("a[x] = :v", "x", "[x]"),
        ("a[-1] = :v", "-", "[-1"),
        ("a[01] = :v", "1", "01]"),
        ("a..b = :v", ".", "..b"),
        ("a[0]b = :v", "b", "]b ="),
        ("#f(a)", "(", "#f(a"),
        ("a IN ()", ")", "()"),
        ("a IN :v", ":v", "IN :v"),
        ("a IN (:v :v)", ":v", ":v :v)"),
        ("a BETWEEN :v OR :v", "OR", ":v OR :v"),
        ("attribute_exists()", ")", "()"),
        ("attribute_exists(a = b)", "=", "a = b"),
        ("begins_with(a, :v", "<EOF>", ":v"),
        ("set = :v", "set", "set ="),
        ("a.set = :v", "set", ".set ="),
        ("a + b = :v", "+", "a + b"),
        ("a = :v; b", ";", ":v; b"),
        ("a = :v AND :v", "<EOF>", ":v"),
    ],
)
def test_conditions_are_refused_at_a_token(text: str, token: str, near: str) -> None:
    expected = f'Syntax error; token: "{token}", near: "{near}"'
    assert refusal(parse_condition, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "((a = :v))",
        "(((a = :v)))",
        "((a)) = :v",
        "a = ((:v))",
        "NOT ((a = :v))",
        "b = :v AND ((a = :v OR b = :v))",
        "((attribute_exists(a)))",
        "((size(a))) = :v",
        "attribute_exists(((a)))",
        "((a = :v) AND ((b = :v)))",
    ],
)
def test_redundant_parentheses_are_refused(text: str) -> None:
    assert refusal(parse_condition, text) == "The expression has redundant parentheses;"


@pytest.mark.parametrize(
    "text",
    [
        "((a = :v) AND (b = :v))",
        "(NOT (a = :v))",
        "((a = :v) OR b = :v) AND (a = :v)",
        "((a) = :v)",
    ],
)
def test_parentheses_around_different_things_are_not_redundant(text: str) -> None:
    parse_condition(text)


@pytest.mark.parametrize("parse", [parse_condition, parse_update, parse_projection])
def test_the_empty_expression_is_refused(parse: object) -> None:
    assert refusal(parse, "") == "The expression can not be empty;"


@pytest.mark.parametrize("parse", [parse_condition, parse_update, parse_projection])
def test_an_expression_has_at_most_4096_bytes(parse: object) -> None:
    assert "expression size: 4097" in refusal(parse, "a" * 4097)
    assert "expression size: 4098" in refusal(parse, "é" * 2049)
    parse_projection("a" * 4096)


def test_a_condition_has_at_most_300_operators() -> None:
    parse_condition(" AND ".join(["a = :v"] * 150))
    parse_condition("NOT " * 299 + "a = :v")
    assert "operator count: 301" in refusal(parse_condition, " AND ".join(["a = :v"] * 151))
    functions = "attribute_exists(a) AND " * 150 + "a = :v"
    assert "operator count: 301" in refusal(parse_condition, functions)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 4096,
        "NOT " * 1024,
        "NOT " * 1000 + "a = :v",
        "(" * 2000 + "a=:v" + ")" * 2000,
        "(" * 2000 + "a" + ")" * 2000 + "=:v",
        "a=" + "(" * 2000 + ":v" + ")" * 2000,
        "f(" * 2048,
        "f(" * 1300 + "a" + ")" * 1300,
        "(a=:v AND " * 400,
        "a=f(" + "(" * 4000,
        ")" * 4096,
    ],
)
def test_no_condition_exhausts_the_stack(text: str) -> None:
    refusal(parse_condition, text)


@pytest.mark.parametrize(
    "text",
    ["SET a = " + "(" * 4000, "SET a=" + "f(b," * 1000, "SET a=" + "(" * 2000 + ":v" + ")" * 2000],
)
def test_no_update_exhausts_the_stack(text: str) -> None:
    refusal(parse_update, text)


def test_updates_parse_section_by_section() -> None:
    text = "set a = a + :v, b = if_not_exists(a, :v) remove a.b[0] ADD #c :v DELETE a.x :v"
    expected = nodes.UpdateNode(
        (
            nodes.SetAction(A, nodes.Arithmetic("+", A, V)),
            nodes.SetAction(B, nodes.Call("if_not_exists", (A, V))),
            nodes.RemoveAction(nodes.Attribute(("a", "b", 0))),
            nodes.AddAction(nodes.Attribute((nodes.Alias("#c"),)), V),
            nodes.DeleteAction(nodes.Attribute(("a", "x")), V),
        )
    )
    assert parse_update(text) == expected
    assert parse_update(printer.print(expected)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "SET a = (a - :v)",
        "SET a = (a) - :v",
        "SET a = (a) - (:v)",
        "SET a = ((a) - :v)",
        "SET a=a-:v",
    ],
)
def test_parentheses_may_be_around_a_sum_or_its_operands(text: str) -> None:
    [action] = parse_update(text).actions
    assert action == nodes.SetAction(A, nodes.Arithmetic("-", A, V))


@pytest.mark.parametrize("text", ["SET a = ((a + :v))", "SET a = ((a)) + :v", "SET a = a + ((:v))"])
def test_redundant_parentheses_are_refused_in_updates(text: str) -> None:
    assert "redundant parentheses" in refusal(parse_update, text)


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        (" ", "<EOF>", " "),
        ("SET", "<EOF>", "SET"),
        ("SET a", "<EOF>", "a"),
        ("SET a :v", ":v", "a :v"),
        ("SET a = :v,", "<EOF>", ","),
        ("SET a = :v, REMOVE b", "REMOVE", ", REMOVE b"),
        ("SET a = :v b = :v", "b", ":v b ="),
        ("FOO a = :v", "FOO", "FOO a"),
        ("SET a = a + :v + :v", "+", ":v + :v"),
        ("SET a = (a + :v) + :v", "+", ") + :v"),
        ("SET a = a + (a + :v)", "+", "a + :v"),
        ("SET a = if_not_exists(b, a + :v)", "+", "a + :v"),
        ("SET a = (a + :v", "<EOF>", ":v"),
        ("SET (a) = :v", "(", "SET (a"),
        ("SET :v = a", ":v", "SET :v ="),
        ("SET size(a) = :v", "(", "size(a"),
        ("SET a = a * :v", "*", "a * :v"),
        ("ADD a b", "b", "a b"),
        ("ADD a = :v", "=", "a = :v"),
        ("ADD a (:v)", "(", "a (:v"),
        ("DELETE a", "<EOF>", "a"),
        ("REMOVE :v", ":v", "REMOVE :v"),
        ("REMOVE a b", "b", "a b"),
    ],
)
def test_updates_are_refused_at_a_token(text: str, token: str, near: str) -> None:
    assert refusal(parse_update, text) == f'Syntax error; token: "{token}", near: "{near}"'


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("SET a = :v SET b = :v", "SET"),
        ("REMOVE a ADD b :v REMOVE c", "REMOVE"),
        ("add a :v add b :v", "ADD"),
    ],
)
def test_each_section_may_come_once(text: str, section: str) -> None:
    expected = f'The "{section}" section can only be used once in an update expression;'
    assert refusal(parse_update, text) == expected


def test_projections_parse() -> None:
    expected = nodes.ProjectionNode((A, nodes.Attribute((nodes.Alias("#b"), "c", 1))))
    assert parse_projection("a, #b.c[1]") == expected
    assert parse_projection(printer.print(expected)) == expected


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("a,", "<EOF>"),
        ("a b", "b"),
        ("size(a)", "("),
        ("(a)", "("),
        (":v", ":v"),
        ("*", "*"),
        ("a.b.", "<EOF>"),
    ],
)
def test_projections_are_refused_at_a_token(text: str, token: str) -> None:
    assert f'token: "{token}"' in refusal(parse_projection, text)
