"""Conditions: the checks of their constant operands, and their evaluation as closures.

A condition is compiled once for its text and names; a request adds its values. A wrong type in an
item makes a comparison false; a wrong type in the request is an error before any item is read.
"""

from __future__ import annotations

import operator as operators
from base64 import b64decode
from collections.abc import Callable
from typing import Any, Final

from tablewright.expressions import nodes, operands
from tablewright.expressions.operands import SORT_KEYS, Check, Reader, Values, read
from tablewright.expressions.resolution import path_of
from tablewright.expressions.tokens import ExpressionError
from tablewright.limits import IN_OPERANDS_MAX
from tablewright.values.attributes import TYPES, Item, Value, equal
from tablewright.values.paths import Path

__all__ = ["Condition", "ConditionProgram"]

Test = Callable[[Item, Values], bool]

_ORDERED: Final = frozenset(SORT_KEYS)
_PREFIXED: Final = frozenset(("S", "B"))
_SIZED: Final = frozenset(TYPES) - {"N", "BOOL", "NULL"}
_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
}


class ConditionProgram:
    """A condition compiled for its text and names: checks, test, and the paths in it."""

    __slots__ = ("checks", "nested_names", "node", "test", "top_level_names")

    def __init__(self, node: nodes.ConditionNode) -> None:
        self.node = node
        self.checks: list[Check] = []
        mentioned: list[Path] = []
        _collect(node, self.checks, mentioned)
        self.test: Test | None = None
        self.top_level_names = frozenset([str(path[0]) for path in mentioned])
        self.nested_names = frozenset([str(path[0]) for path in mentioned if len(path) > 1])

    def bind(self, values: Values) -> Condition:
        """Return the condition with a request's values, or raise ExpressionError."""
        for check in self.checks:
            check(values)
        if self.test is None:
            # The checks have just verified that every function has the right operands.
            self.test = _test(self.node)
        return Condition(self, self.test, values)


class Condition:
    """A condition or filter of one request."""

    __slots__ = ("_test", "_values", "nested_names", "top_level_names")

    def __init__(self, program: ConditionProgram, test: Test, values: Values) -> None:
        self._test = test
        self._values = values
        self.top_level_names: frozenset[str] = program.top_level_names
        # The names used with a map key or a list index.
        self.nested_names: frozenset[str] = program.nested_names

    def matches(self, item: Item) -> bool:
        """Return whether the condition holds for the item; {} stands for a missing item."""
        return self._test(item, self._values)


def _collect(node: nodes.ConditionNode, checks: list[Check], mentioned: list[Path]) -> None:
    """Add a condition's checks, innermost and leftmost first, and the paths it mentions."""
    if isinstance(node, nodes.And | nodes.Or):
        for part in node.operands:
            _collect(part, checks, mentioned)
        return
    if isinstance(node, nodes.Not):
        _collect(node.operand, checks, mentioned)
        return
    for operand in _operands(node):
        _collect_operand(operand, checks, mentioned)
    if isinstance(node, nodes.Comparison):
        if node.operator in _ORDERS:
            checks += operands.operand_types(node.operator, (node.left, node.right), _ORDERED)
        checks += operands.distinct(node.operator, node.left, node.right)
    elif isinstance(node, nodes.Between):
        bounded = (node.operand, node.low, node.high)
        checks += operands.operand_types("BETWEEN", bounded, _ORDERED)
        checks += operands.distinct("BETWEEN", *bounded)
        checks.append(_bounds_check(node))
    elif isinstance(node, nodes.In):
        if len(node.options) > IN_OPERANDS_MAX:
            checks += operands.failing(
                "The IN operator is provided with too many operands; "
                f"number of operands: {len(node.options)}"
            )
        checks += operands.distinct("IN", node.operand, *node.options)
    else:
        checks += _CALL_CHECKS[node.function](node)


def _operands(node: nodes.ConditionNode) -> tuple[nodes.Operand, ...]:
    if isinstance(node, nodes.Comparison):
        return (node.left, node.right)
    if isinstance(node, nodes.Between):
        return (node.operand, node.low, node.high)
    if isinstance(node, nodes.In):
        return (node.operand, *node.options)
    assert isinstance(node, nodes.Call)
    return node.arguments


def _collect_operand(node: nodes.Operand, checks: list[Check], mentioned: list[Path]) -> None:
    if isinstance(node, nodes.Attribute):
        mentioned.append(path_of(node))
    elif isinstance(node, nodes.Call):
        for argument in node.arguments:
            _collect_operand(argument, checks, mentioned)
        checks += _CALL_CHECKS[node.function](node)


def _exists_checks(call: nodes.Call) -> list[Check]:
    return operands.arity(call, 1) or operands.requires_path(call)


def _size_checks(call: nodes.Call) -> list[Check]:
    return operands.arity(call, 1) or operands.operand_types("size", call.arguments, _SIZED)


def _begins_with_checks(call: nodes.Call) -> list[Check]:
    wrong = operands.arity(call, 2)
    return wrong or [
        *operands.operand_types("begins_with", call.arguments, _PREFIXED),
        *operands.distinct("begins_with", *call.arguments),
    ]


def _contains_checks(call: nodes.Call) -> list[Check]:
    return operands.arity(call, 2) or operands.distinct("contains", *call.arguments)


def _attribute_type_checks(call: nodes.Call) -> list[Check]:
    return operands.arity(call, 2) or [
        *operands.distinct("attribute_type", *call.arguments),
        _type_name_check(call.arguments[1]),
    ]


def _type_name_check(operand: nodes.Operand) -> Check:
    def check(values: Values) -> None:
        value = operands.constant(operand, values)
        if value is None:
            # DynamoDB: the message lists every type that an operand of unknown type could have.
            unknown = "N" if isinstance(operand, nodes.Call) else "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
            raise operands.incorrect_type("attribute_type", unknown)
        if "S" not in value:
            raise operands.incorrect_type("attribute_type", next(iter(value)))
        if value["S"] not in TYPES:
            raise ExpressionError(
                f"Invalid attribute type name found; type: {value['S']}, "
                "valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
            )

    return check


_CALL_CHECKS: Final[dict[str, Callable[[nodes.Call], list[Check]]]] = {
    "attribute_exists": _exists_checks,
    "attribute_not_exists": _exists_checks,
    "attribute_type": _attribute_type_checks,
    "begins_with": _begins_with_checks,
    "contains": _contains_checks,
    "size": _size_checks,
}


def _bounds_check(node: nodes.Between) -> Check:
    def check(values: Values) -> None:
        low = operands.constant(node.low, values)
        high = operands.constant(node.high, values)
        if low is None or high is None:
            return
        [(type_, content)] = low.items()
        bounds = (
            f"lower bound operand: AttributeValue: {{{type_}:{content}}}, upper bound operand: "
            f"AttributeValue: {{{':'.join(next(iter(high.items())))}}}"
        )
        if type_ not in high:
            raise ExpressionError(
                f"The BETWEEN operator requires same data type for lower and upper bounds; {bounds}"
            )
        key = SORT_KEYS[type_]
        if key(content) > key(high[type_]):
            raise ExpressionError(
                "The BETWEEN operator requires upper bound to be greater than or equal to lower "
                f"bound; {bounds}"
            )

    return check


def _test(node: nodes.ConditionNode) -> Test:
    """Return the closure that evaluates a condition; one stack frame per level."""
    if isinstance(node, nodes.And | nodes.Or):
        tests = []
        for part in node.operands:
            tests.append(_test(part))  # noqa: PERF401 - One frame per level, not two.
        return _all_of(tests) if isinstance(node, nodes.And) else _any_of(tests)
    if isinstance(node, nodes.Not):
        negated = _test(node.operand)
        return lambda item, values: not negated(item, values)
    if isinstance(node, nodes.Comparison):
        return _comparison_test(node)
    if isinstance(node, nodes.Between):
        return _between_test(read(node.operand), read(node.low), read(node.high))
    if isinstance(node, nodes.In):
        return _in_test(read(node.operand), [read(option) for option in node.options])
    return _CALL_TESTS[node.function](*map(read, node.arguments))


def _all_of(tests: list[Test]) -> Test:
    if len(tests) == 2:  # By far the most common, and faster than the loop.
        first, second = tests
        return lambda item, values: first(item, values) and second(item, values)

    def test(item: Item, values: Values) -> bool:
        for part in tests:  # noqa: SIM110 - A generator would double the depth of the stack.
            if not part(item, values):
                return False
        return True

    return test


def _any_of(tests: list[Test]) -> Test:
    def test(item: Item, values: Values) -> bool:
        for part in tests:  # noqa: SIM110 - As above.
            if part(item, values):
                return True
        return False

    return test


def _comparison_test(node: nodes.Comparison) -> Test:
    left, right = read(node.left), read(node.right)
    if node.operator == "=":
        return _equality_test(left, right)
    if node.operator == "<>":
        # DynamoDB: a missing operand differs from everything, even from another missing operand.
        same = _equality_test(left, right)
        return lambda item, values: not same(item, values)
    return _order_test(_ORDERS[node.operator], left, right)


def _equality_test(left: Reader, right: Reader) -> Test:
    def test(item: Item, values: Values) -> bool:
        a = left(item, values)
        if a is None:
            return False
        b = right(item, values)
        return b is not None and (a == b or equal(a, b))

    return test


def _order_test(holds: Callable[[Any, Any], bool], left: Reader, right: Reader) -> Test:
    def test(item: Item, values: Values) -> bool:
        a = left(item, values)
        b = right(item, values)
        return a is not None and b is not None and _in_order(holds, a, b)

    return test


def _in_order(holds: Callable[[Any, Any], bool], a: Value, b: Value) -> bool:
    for type_, content in a.items():
        key = SORT_KEYS.get(type_)
        if key is not None and type_ in b:
            return holds(key(content), key(b[type_]))
    return False


def _between_test(operand: Reader, low: Reader, high: Reader) -> Test:
    above = _order_test(operators.ge, operand, low)
    below = _order_test(operators.le, operand, high)
    return lambda item, values: above(item, values) and below(item, values)


def _in_test(operand: Reader, options: list[Reader]) -> Test:
    def test(item: Item, values: Values) -> bool:
        value = operand(item, values)
        if value is None:
            return False
        for option in options:
            candidate = option(item, values)
            if candidate is not None and equal(value, candidate):
                return True
        return False

    return test


def _exists_test(operand: Reader) -> Test:
    return lambda item, values: operand(item, values) is not None


def _not_exists_test(operand: Reader) -> Test:
    return lambda item, values: operand(item, values) is None


def _both(holds: Callable[[Value, Value], bool]) -> Callable[[Reader, Reader], Test]:
    """Return a factory of two-operand tests that are false when either operand is missing."""

    def make(first: Reader, second: Reader) -> Test:
        def test(item: Item, values: Values) -> bool:
            a = first(item, values)
            b = second(item, values)
            return a is not None and b is not None and holds(a, b)

        return test

    return make


def _has_type(value: Value, name: Value) -> bool:
    return name["S"] in value


def _begins_with(value: Value, prefix: Value) -> bool:
    if "S" in value:
        return "S" in prefix and bool(value["S"].startswith(prefix["S"]))
    return (
        "B" in value and "B" in prefix and b64decode(value["B"]).startswith(b64decode(prefix["B"]))
    )


_MEMBER_TYPES: Final = {"SS": "S", "NS": "N", "BS": "B"}


def _contains(value: Value, part: Value) -> bool:
    for type_, content in value.items():
        if type_ == "S":
            return "S" in part and part["S"] in content
        if type_ == "L":
            return any(equal(element, part) for element in content)
        if type_ == "B":
            return "B" in part and b64decode(part["B"]) in b64decode(content)
        if type_ in _MEMBER_TYPES:
            return part.get(_MEMBER_TYPES[type_]) in content
    return False


_CALL_TESTS: Final[dict[str, Callable[..., Test]]] = {
    "attribute_exists": _exists_test,
    "attribute_not_exists": _not_exists_test,
    "attribute_type": _both(_has_type),
    "begins_with": _both(_begins_with),
    "contains": _both(_contains),
}
