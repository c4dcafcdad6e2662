"""The size of an update expression: UpdateItem rejects one that is larger than an item.

DynamoDB: UpdateItem limits not only the resulting item but also the size of the expression, with a
fixed cost per action. So the largest item that an update can create is a little smaller than that
of a put, unless the key and the untouched attributes make up the difference.

    the update                  3         REMOVE, DELETE              1
    SET, ADD                   19         a + b                      34
    path that is read      1 + 14 per step  a - b, list_append       37
    path that is written    4 per step    if_not_exists              39

Every step also costs its name or digits; the first step of a written path costs only those. A value
costs its size wherever it is used, except in DELETE.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tablewright.expressions import nodes
from tablewright.expressions.operands import Values
from tablewright.expressions.resolution import path_of
from tablewright.values.paths import Path
from tablewright.values.sizes import value_size

__all__ = ["Cost", "cost_of"]

_UPDATE: Final = 3
_WRITE: Final = 19
_TAKE: Final = 1
_READ: Final = 1
_READ_STEP: Final = 14
_WRITTEN_STEP: Final = 4
_NUMBER_MAX: Final = 22  # An added number is not in the item, only the sum is.
_OPERATIONS: Final = {"+": 34, "-": 37, "list_append": 37, "if_not_exists": 39}


class Cost(NamedTuple):
    """The cost of an expression: fixed bytes, plus the sizes of these values."""

    fixed: int
    uses: tuple[str, ...]
    has_default: bool  # Whether a value of the expression may not end up in the item.
    beyond_item: int  # Without a default, the most by which it can exceed the new item.

    def bytes_with(self, values: Values) -> int:
        """The cost with a request's values."""
        total = self.fixed
        for name in self.uses:
            total += value_size(values[name])
        return total


def cost_of(node: nodes.UpdateNode) -> Cost:
    """The cost of a resolved update; its functions may have the wrong number of operands."""
    fixed = _UPDATE
    uses: list[str] = []
    functions: set[str] = set()
    for action in node.actions:
        path = path_of(action.target)
        fixed += _steps_size(path) + _WRITTEN_STEP * (len(path) - 1)
        if isinstance(action, nodes.RemoveAction | nodes.DeleteAction):
            fixed += _TAKE
        else:
            fixed += _WRITE + _operand_cost(action.value, uses, functions)
    beyond_item = fixed + _NUMBER_MAX * len(uses)
    return Cost(fixed, tuple(uses), "if_not_exists" in functions, beyond_item)


def _operand_cost(
    node: nodes.Operand | nodes.Arithmetic, uses: list[str], functions: set[str]
) -> int:
    """The cost of an operand without its values, which are added to `uses`."""
    if isinstance(node, nodes.Placeholder):
        uses.append(node.name)
        return 0
    if isinstance(node, nodes.Attribute):
        path = path_of(node)
        return _READ + _READ_STEP * len(path) + _steps_size(path)
    if isinstance(node, nodes.Literal):
        return value_size(node.value)
    if isinstance(node, nodes.Arithmetic):
        cost = _operand_cost(node.left, uses, functions)
        return cost + _OPERATIONS[node.operator] + _operand_cost(node.right, uses, functions)
    functions.add(node.function)
    cost = _OPERATIONS[node.function]
    for operand in node.arguments:
        cost += _operand_cost(operand, uses, functions)
    return cost


def _steps_size(path: Path) -> int:
    return sum(len(str(step).encode()) for step in path)
