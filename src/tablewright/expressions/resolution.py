"""Resolution: replaces aliases by names, and checks names and functions.

Takes parsed nodes and returns nodes whose paths are plain names and indexes. Rejects reserved
words, undefined placeholders, unknown functions and misplaced functions, in the order in which
they are written and before any operand is checked, as DynamoDB does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tablewright.expressions import nodes
from tablewright.expressions.reserved_words import RESERVED_WORDS
from tablewright.expressions.tokens import ExpressionError
from tablewright.limits import LIST_INDEX_MAX, NESTING_DEPTH_MAX

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from tablewright.values.paths import Path

__all__ = ["Scope", "path_of", "show_path"]

_TESTS: Final = frozenset(
    ("attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains")
)
_CONDITION_FUNCTIONS: Final = _TESTS | {"size"}
_UPDATE_FUNCTIONS: Final = frozenset(("if_not_exists", "list_append"))


def path_of(attribute: nodes.Attribute) -> Path:
    """Return a resolved attribute's path."""
    return attribute.steps  # type: ignore[return-value]  # No alias is left in it.


def show_path(path: Path) -> str:
    """Return a path as DynamoDB's messages show it: ``[a, b, [0]]``."""
    return f"[{', '.join([f'[{s}]' if isinstance(s, int) else s for s in path])}]"


class Scope:
    """The names and values that a request defines for its expressions."""

    __slots__ = ("names", "reserved", "values")

    def __init__(
        self,
        names: Mapping[str, str],
        values: Container[str],
        reserved: Container[str] = RESERVED_WORDS,
    ) -> None:
        """``reserved`` are words, in capitals, that cannot be used as names."""
        self.names = names
        self.values = values
        self.reserved = reserved

    def condition(self, node: nodes.ConditionNode) -> nodes.ConditionNode:
        """Return the resolved condition. Recurses as deep as the node: at most 300 operators."""
        if isinstance(node, nodes.Comparison):
            left = self._operand(node.left)
            return nodes.Comparison(node.operator, left, self._operand(node.right))
        if isinstance(node, nodes.And | nodes.Or):
            parts = []
            for part in node.operands:
                parts.append(self.condition(part))  # noqa: PERF401 - One frame per level, not two.
            return type(node)(tuple(parts))
        if isinstance(node, nodes.Not):
            return nodes.Not(self.condition(node.operand))
        if isinstance(node, nodes.Between):
            operand = self._operand(node.operand)
            low = self._operand(node.low)
            return nodes.Between(operand, low, self._operand(node.high))
        if isinstance(node, nodes.In):
            operand = self._operand(node.operand)
            return nodes.In(operand, tuple([self._operand(option) for option in node.options]))
        self._require_condition_function(node.function, is_test=True)
        return nodes.Call(node.function, self._arguments(node))

    def update(self, node: nodes.UpdateNode) -> nodes.UpdateNode:
        """Return the resolved update."""
        return nodes.UpdateNode(tuple([self._action(action) for action in node.actions]))

    def projection(self, node: nodes.ProjectionNode) -> nodes.ProjectionNode:
        """Return the resolved projection."""
        return nodes.ProjectionNode(tuple([self._attribute(a) for a in node.attributes]))

    def _action(self, action: nodes.Action) -> nodes.Action:
        target = self._attribute(action.target)
        if isinstance(action, nodes.RemoveAction):
            return nodes.RemoveAction(target)
        if not isinstance(action, nodes.SetAction):
            if isinstance(action.value, nodes.Placeholder):
                self._require_value(action.value)
            return type(action)(target, action.value)
        value = action.value
        if isinstance(value, nodes.Arithmetic):
            left = self._assigned(value.left, is_outermost=False)
            right = self._assigned(value.right, is_outermost=False)
            return nodes.SetAction(target, nodes.Arithmetic(value.operator, left, right))
        return nodes.SetAction(target, self._assigned(value, is_outermost=True))

    def _assigned(self, node: nodes.Operand, *, is_outermost: bool) -> nodes.Operand:
        if not isinstance(node, nodes.Call):
            return self._operand(node)
        if node.function in _CONDITION_FUNCTIONS:
            raise ExpressionError(
                f"The function is not allowed in an update expression; function: {node.function}"
            )
        if node.function not in _UPDATE_FUNCTIONS:
            raise _unknown_function(node.function)
        if node.function == "list_append" and not is_outermost:
            raise _misplaced(node.function)
        arguments = []
        for argument in node.arguments:
            arguments.append(self._assigned(argument, is_outermost=False))  # noqa: PERF401
        return nodes.Call(node.function, tuple(arguments))

    def _operand(self, node: nodes.Operand) -> nodes.Operand:
        if isinstance(node, nodes.Attribute):
            return self._attribute(node)
        if isinstance(node, nodes.Placeholder):
            self._require_value(node)
            return node
        if isinstance(node, nodes.Literal):
            return node
        self._require_condition_function(node.function, is_test=False)
        return nodes.Call(node.function, self._arguments(node))

    def _arguments(self, node: nodes.Call) -> tuple[nodes.Operand, ...]:
        arguments = []
        for argument in node.arguments:
            arguments.append(self._operand(argument))  # noqa: PERF401 - As above.
        return tuple(arguments)

    def _require_condition_function(self, function: str, *, is_test: bool) -> None:
        if function in _UPDATE_FUNCTIONS:
            raise ExpressionError(
                f"The function is not allowed in a condition expression; function: {function}"
            )
        if function not in _CONDITION_FUNCTIONS:
            raise _unknown_function(function)
        if (function in _TESTS) is not is_test:
            raise _misplaced(function)

    def _require_value(self, node: nodes.Placeholder) -> None:
        if node.name not in self.values:
            raise ExpressionError(
                "An expression attribute value used in expression is not defined; "
                f"attribute value: {node.name}"
            )

    def _attribute(self, node: nodes.Attribute) -> nodes.Attribute:
        steps = tuple([self._step(step) for step in node.steps])
        if len(steps) > NESTING_DEPTH_MAX:
            raise ExpressionError(
                f"The document path has too many nesting levels; nesting levels: {len(steps)}"
            )
        return nodes.Attribute(steps)

    def _step(self, step: str | int | nodes.Alias) -> str | int:
        if isinstance(step, nodes.Alias):
            if step.name not in self.names:
                raise ExpressionError(
                    "An expression attribute name used in the document path is not defined; "
                    f"attribute name: {step.name}"
                )
            return self.names[step.name]
        if isinstance(step, int):
            if step > LIST_INDEX_MAX:
                raise ExpressionError(
                    f"List index is not within the allowable range; index: [{step}]"
                )
        elif step.upper() in self.reserved:
            raise ExpressionError(f"Attribute name is a reserved keyword; reserved keyword: {step}")
        return step


def _unknown_function(function: str) -> ExpressionError:
    return ExpressionError(f"Invalid function name; function: {function}")


def _misplaced(function: str) -> ExpressionError:
    return ExpressionError(
        f"The function is not allowed to be used this way in an expression; function: {function}"
    )
