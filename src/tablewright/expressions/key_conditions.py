"""Key conditions: the few forms of condition that can select by key.

Splits a condition into terms by attribute. The caller, who knows the schema, checks that those
attributes are the key of the table or index.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from tablewright.errors import ValidationError
from tablewright.expressions import nodes
from tablewright.expressions.conditions import ConditionProgram
from tablewright.expressions.operands import constant
from tablewright.expressions.resolution import path_of
from tablewright.values.attributes import Value

if TYPE_CHECKING:
    from tablewright.expressions.operands import Values

__all__ = ["KeyCondition", "RangeTerm", "conjuncts", "key_condition"]

_MIRRORED: Final = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class RangeTerm(NamedTuple):
    """One term that is not an equality; it has one value, or two for BETWEEN."""

    name: str
    operator: str  # "<", "<=", ">", ">=", "BETWEEN" or "begins_with".
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class KeyCondition:
    """A key condition: equalities by attribute, and ranges in the order written."""

    equals: dict[str, Value]
    ranges: list[RangeTerm]


def key_condition(program: ConditionProgram, values: Values) -> KeyCondition:
    """Return the key condition, or raise ValidationError if the condition cannot be one.

    The caller must have checked the condition with the values.
    """
    equals: dict[str, Value] = {}
    ranges: list[RangeTerm] = []
    for node in conjuncts(program.node):
        term = _term(node, values)
        if term.name in equals or any(term.name == range_term.name for range_term in ranges):
            message = "KeyConditionExpressions must only contain one condition per key"
            raise ValidationError(message, f"Invalid KeyConditionExpression: {message}")
        if term.operator == "=":
            equals[term.name] = term.values[0]
        else:
            ranges.append(term)
    return KeyCondition(equals, ranges)


def conjuncts(node: nodes.ConditionNode) -> Iterator[nodes.ConditionNode]:
    """Yield the terms that AND joins, in the order written."""
    pending = [node]  # The next one is on top.
    while pending:
        node = pending.pop()
        if isinstance(node, nodes.And):
            pending.extend(reversed(node.operands))
        else:
            yield node


def _term(node: nodes.ConditionNode, values: Values) -> RangeTerm:
    operator, operands = _operator_and_operands(node)
    if any(isinstance(operand, nodes.Call) for operand in operands):
        raise ValidationError("KeyConditionExpressions cannot contain nested operations")
    attributes = [operand for operand in operands if isinstance(operand, nodes.Attribute)]
    if not attributes:
        raise _invalid("No key attribute specified")
    if len(attributes) > 1:
        raise _invalid("Multiple attribute names used in one condition")
    path = path_of(attributes[0])
    if len(path) > 1:
        raise ValidationError("KeyConditionExpressions cannot have conditions on nested attributes")
    if operands[0] is not attributes[0]:
        if operator not in _MIRRORED:
            raise _invalid(f"{operator} operator must have the key attribute as its first operand")
        operator = _MIRRORED[operator]
    constants = tuple([v for operand in operands if (v := constant(operand, values)) is not None])
    return RangeTerm(str(path[0]), operator, constants)


def _operator_and_operands(node: nodes.ConditionNode) -> tuple[str, tuple[nodes.Operand, ...]]:
    if isinstance(node, nodes.Comparison) and node.operator in _MIRRORED:
        return node.operator, (node.left, node.right)
    if isinstance(node, nodes.Between):
        return "BETWEEN", (node.operand, node.low, node.high)
    if isinstance(node, nodes.Call) and node.function == "begins_with":
        return "begins_with", node.arguments
    if isinstance(node, nodes.Call):
        operator = node.function
    elif isinstance(node, nodes.Comparison):
        operator = node.operator
    else:
        operator = type(node).__name__.upper()
    raise ValidationError(f"Invalid operator used in KeyConditionExpression: {operator}")


def _invalid(reason: str) -> ValidationError:
    return ValidationError(f"Invalid condition in KeyConditionExpression: {reason}")
