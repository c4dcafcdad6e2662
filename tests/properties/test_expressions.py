"""Laws of expressions: printing and parsing are inverses, nothing crashes, and evaluation agrees
with a naive reading of the documentation."""

from __future__ import annotations

import base64
import operator
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.errors import ServiceError
from tablewright.expressions import nodes
from tablewright.expressions.binding import Placeholders
from tablewright.expressions.parser import parse_condition, parse_projection, parse_update
from tests.expressions import printer

words = st.sampled_from(["a", "b", "c", "d1", "x_y"])
aliases = st.sampled_from(["#a", "#b"]).map(nodes.Alias)
placeholders = st.sampled_from([":u", ":v", ":w"]).map(nodes.Placeholder)
attributes = st.builds(
    lambda first, rest: nodes.Attribute((first, *rest)),
    words | aliases,
    st.lists(words | aliases | st.integers(0, 3), max_size=2),
)
simple = attributes | placeholders


def calls(functions: list[str], argument: Any) -> Any:
    arguments = st.lists(argument, min_size=1, max_size=3).map(tuple)
    return st.builds(nodes.Call, st.sampled_from(functions), arguments)


operands = simple | calls(["size", "foo"], simple)
comparisons = st.one_of(
    st.builds(
        nodes.Comparison, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), operands, operands
    ),
    st.builds(nodes.Between, operands, operands, operands),
    st.builds(nodes.In, operands, st.lists(operands, min_size=1, max_size=3).map(tuple)),
    calls(["attribute_exists", "contains", "begins_with"], operands),
)


def combined(inner: Any) -> Any:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(nodes.Not, inner), st.builds(nodes.And, several), st.builds(nodes.Or, several)
    )


conditions = st.recursive(comparisons, combined, max_leaves=8)
set_values = st.one_of(
    simple,
    calls(["if_not_exists", "list_append"], simple),
    st.builds(nodes.Arithmetic, st.sampled_from(["+", "-"]), simple, simple),
)


@st.composite
def updates(draw: st.DrawFn) -> nodes.UpdateNode:
    kinds: list[Any] = [
        st.builds(nodes.SetAction, attributes, set_values),
        st.builds(nodes.RemoveAction, attributes),
        st.builds(nodes.AddAction, attributes, placeholders),
        st.builds(nodes.DeleteAction, attributes, placeholders),
    ]
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4, unique_by=id))
    sections: list[list[nodes.Action]] = [
        draw(st.lists(kind, min_size=1, max_size=3)) for kind in chosen
    ]
    return nodes.UpdateNode(tuple(action for section in sections for action in section))


@given(conditions)
def test_a_printed_condition_parses_to_the_same_nodes(node: nodes.ConditionNode) -> None:
    assert parse_condition(printer.print(node)) == node


@given(updates())
def test_a_printed_update_parses_to_the_same_nodes(node: nodes.UpdateNode) -> None:
    assert parse_update(printer.print(node)) == node


@given(st.lists(attributes, min_size=1, max_size=4).map(tuple).map(nodes.ProjectionNode))
def test_a_printed_projection_parses_to_the_same_nodes(node: nodes.ProjectionNode) -> None:
    assert parse_projection(printer.print(node)) == node


FRAGMENTS = (
    "a b #a :v ( ) , . [ 0 ] = <> < AND OR NOT IN BETWEEN size( contains( SET REMOVE ADD DELETE "
    "+ - if_not_exists( list_append( name $ é"
)
fragments = st.sampled_from(FRAGMENTS.split())


@given(st.lists(fragments, max_size=14).map(" ".join))
@settings(max_examples=300)
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    request = Placeholders({"#a": "a"}, {":v": {"N": "1"}})
    item: dict[str, Any] = {"a": {"N": "1"}, "b": {"M": {"a": {"L": [{"N": "0"}]}}}}
    for use in (
        lambda: request.condition(text).matches(item),
        lambda: request.update(text).apply(item),
        lambda: request.projection(text).apply(item),
        lambda: request.key_condition(text),
    ):
        try:
            use()
        except ServiceError as error:
            assert error.message  # noqa: PT017 - Either outcome is right; no other error is.


# The reference: slow, recursive, and written from the documentation's sentences alone.

STORED: dict[str, list[dict[str, Any]]] = {
    "values": [
        {"N": "1"},
        {"N": "10"},
        {"N": "2.5"},
        {"S": "1"},
        {"S": "ab"},
        {"S": "abc"},
        {"S": ""},
        {"B": "YWI="},
        {"B": "YWJj"},
        {"BOOL": True},
        {"NULL": True},
        {"SS": ["ab", "1"]},
        {"SS": ["1", "ab"]},
        {"NS": ["1", "10"]},
        {"BS": ["YWI="]},
        {"L": [{"N": "1"}, {"SS": ["1", "ab"]}]},
        {"L": [{"N": "1"}, {"SS": ["ab", "1"]}]},
        {"M": {"a": {"N": "1"}, "b": {"S": "ab"}}},
    ]
}
stored = st.sampled_from(STORED["values"])
items = st.dictionaries(st.sampled_from(["a", "b", "c"]), stored, max_size=3)


def plain(value: dict[str, Any]) -> Any:
    """Return a Python value that equals another exactly when DynamoDB's values are equal."""
    [(type_, content)] = value.items()
    if type_ == "N":
        return type_, Decimal(content)
    if type_ == "B":
        return type_, base64.b64decode(content)
    if type_ in ("SS", "BS"):
        return type_, frozenset(content)
    if type_ == "NS":
        return type_, frozenset(map(Decimal, content))
    if type_ == "L":
        return type_, [plain(element) for element in content]
    if type_ == "M":
        return type_, {name: plain(held) for name, held in content.items()}
    return type_, content


ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def reference(node: Any, item: dict[str, Any], given_values: dict[str, Any]) -> Any:
    def value_of(operand: Any) -> Any:
        if isinstance(operand, nodes.Placeholder):
            return plain(given_values[operand.name])
        if isinstance(operand, nodes.Call):
            inner = value_of(operand.arguments[0])
            if inner is None or inner[0] in ("N", "BOOL", "NULL"):
                return None
            return "N", Decimal(len(inner[1]))
        result = item.get(operand.steps[0])
        return None if result is None else plain(result)

    def ordered(sign: str, left: Any, right: Any) -> bool:
        if left is None or right is None or left[0] != right[0] or left[0] not in "SNB":
            return False
        return bool(ORDERS[sign](left[1], right[1]))

    if isinstance(node, nodes.And):
        return all(reference(part, item, given_values) for part in node.operands)
    if isinstance(node, nodes.Or):
        return any(reference(part, item, given_values) for part in node.operands)
    if isinstance(node, nodes.Not):
        return not reference(node.operand, item, given_values)
    if isinstance(node, nodes.Between):
        value = value_of(node.operand)
        low, high = value_of(node.low), value_of(node.high)
        return ordered(">=", value, low) and ordered("<=", value, high)
    if isinstance(node, nodes.In):
        value = value_of(node.operand)
        return value is not None and value in [value_of(option) for option in node.options]
    if isinstance(node, nodes.Comparison):
        left, right = value_of(node.left), value_of(node.right)
        same = left is not None and right is not None and left == right
        if node.operator in ("=", "<>"):
            return same is (node.operator == "=")
        return ordered(node.operator, left, right)
    arguments = [value_of(argument) for argument in node.arguments]
    if node.function == "attribute_exists":
        return arguments[0] is not None
    first, second = arguments
    if first is None or second is None:
        return False
    if node.function == "begins_with":
        return first[0] == second[0] and first[0] in "SB" and first[1].startswith(second[1])
    if first[0] == "L":
        return second in first[1]
    if first[0] in ("S", "B"):
        return first[0] == second[0] and second[1] in first[1]
    if first[0] == "BS":
        members = {("B", base64.b64decode(member)) for member in first[1]}
    else:
        members = (
            {(first[0][0], member) for member in first[1]} if first[0] in ("SS", "NS") else set()
        )
    return second[0] in "SNB" and second in members


plain_attributes = st.sampled_from(["a", "b", "c"]).map(lambda name: nodes.Attribute((name,)))
sized = st.builds(lambda inner: nodes.Call("size", (inner,)), plain_attributes)
operands_of_items = st.one_of(plain_attributes, placeholders, sized)
evaluated = st.recursive(
    st.one_of(
        st.builds(
            nodes.Comparison,
            st.sampled_from(["=", "<>", "<", "<=", ">", ">="]),
            operands_of_items,
            operands_of_items,
        ),
        st.builds(nodes.Between, operands_of_items, operands_of_items, operands_of_items),
        st.builds(
            nodes.In,
            operands_of_items,
            st.lists(operands_of_items, min_size=1, max_size=3).map(tuple),
        ),
        st.builds(lambda path: nodes.Call("attribute_exists", (path,)), plain_attributes),
        st.builds(
            lambda function, first, second: nodes.Call(function, (first, second)),
            st.sampled_from(["contains", "begins_with"]),
            operands_of_items,
            operands_of_items,
        ),
    ),
    combined,
    max_leaves=5,
)


@given(evaluated, items, st.fixed_dictionaries({":u": stored, ":v": stored, ":w": stored}))
@settings(max_examples=500)
def test_evaluation_agrees_with_the_reference(
    node: nodes.ConditionNode, item: dict[str, Any], given_values: dict[str, Any]
) -> None:
    try:
        condition = Placeholders(None, given_values).condition(printer.print(node))
    except ServiceError:
        return  # Refused for its constants, whatever the item.
    assert condition.matches(item) is bool(reference(node, item, given_values))


@given(updates(), st.fixed_dictionaries({":u": stored, ":v": stored, ":w": stored}))
@settings(max_examples=300)
def test_an_update_never_changes_the_old_item(
    node: nodes.UpdateNode, given_values: dict[str, Any]
) -> None:
    item: dict[str, Any] = {
        "a": {"M": {"a": {"L": [{"N": "1"}, {"N": "2"}]}, "b": {"N": "1"}}},
        "b": {"L": [{"N": "1"}, {"M": {}}]},
        "c": {"N": "1"},
        "d1": {"SS": ["ab"]},
    }
    before = repr(item)
    request = Placeholders({"#a": "a", "#b": "b"}, given_values)
    try:
        update = request.update(printer.print(node))
        new = update.apply(item)
    except ServiceError:
        new = {}
    else:
        assert update.top_level_names >= {
            k for k in item.keys() | new.keys() if item.get(k) != new.get(k)
        }
    assert repr(item) == before
