"""Operands: checks of constants before evaluation, and readers that evaluate.

A check takes a request's values and raises when a constant operand is wrong, whatever the items
are. A reader takes an item and the values, and returns a value or None.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from tablewright.expressions import nodes
from tablewright.expressions.resolution import path_of, show_path
from tablewright.expressions.tokens import ExpressionError
from tablewright.values import paths
from tablewright.values.attributes import Item, Value
from tablewright.values.decimals import order

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "SORT_KEYS",
    "Check",
    "Reader",
    "Values",
    "arity",
    "constant",
    "distinct",
    "failing",
    "incorrect_type",
    "operand_types",
    "read",
    "requires_path",
    "size_of",
]

Values = Mapping[str, Value]
Check = Callable[[Values], None]
Reader = Callable[[Item, Values], Value | None]

# Sort keys of the ordered types; order comparisons of all other types are false.
SORT_KEYS: Final[dict[str, Callable[[str], Any]]] = {"S": str, "N": order, "B": b64decode}


def read(node: nodes.Operand) -> Reader:
    """Return the reader of an attribute, a value or ``size``."""
    if isinstance(node, nodes.Placeholder):
        placeholder = node.name
        return lambda _, values: values[placeholder]
    if isinstance(node, nodes.Literal):
        value = node.value
        return lambda _item, _values: value
    if isinstance(node, nodes.Call):
        return _read_size(read(node.arguments[0]))
    path = path_of(node)
    if len(path) == 1:
        name = str(path[0])
        return lambda item, _: item.get(name)
    return lambda item, _: paths.get(item, path)


def size_of(value: Value) -> int | None:
    """Return the result of ``size`` for a value, None for types without a size."""
    for type_, content in value.items():
        if type_ == "S":
            # DynamoDB: a character outside the basic plane counts as two.
            return len(content) if content.isascii() else len(content.encode("utf-16-le")) // 2
        if type_ == "B":
            return len(b64decode(content))
        if type_ in _COUNTED:
            return len(content)
    return None


_COUNTED: Final = frozenset(("SS", "NS", "BS", "L", "M"))


def _read_size(inner: Reader) -> Reader:
    def read_size(item: Item, values: Values) -> Value | None:
        value = inner(item, values)
        size = None if value is None else size_of(value)
        return None if size is None else {"N": str(size)}

    return read_size


def constant(node: nodes.Operand, values: Values) -> Value | None:
    """Return the value of an operand that does not depend on the item, else None."""
    if isinstance(node, nodes.Placeholder):
        return values[node.name]
    return node.value if isinstance(node, nodes.Literal) else None


def operand_types(
    operator: str, operands: Iterable[nodes.Operand], allowed: frozenset[str]
) -> list[Check]:
    """Return checks that every operand of known type has an allowed type."""
    return [
        _type_check(operator, operand, allowed)
        for operand in operands
        if not isinstance(operand, nodes.Attribute)
    ]


def _type_check(operator: str, operand: nodes.Operand, allowed: frozenset[str]) -> Check:
    def check(values: Values) -> None:
        value = constant(operand, values)
        if value is not None:
            type_ = next(iter(value))
        elif isinstance(operand, nodes.Call) and operand.function == "size":
            type_ = "N"
        else:
            return
        if type_ not in allowed:
            raise incorrect_type(operator, type_)

    return check


def distinct(operator: str, first: nodes.Operand, *rest: nodes.Operand) -> list[Check]:
    """Return a check that the first operand, if an attribute, is not among the rest."""
    if not isinstance(first, nodes.Attribute) or first not in rest:
        return []
    return failing(
        "The first operand must be distinct from the remaining operands for this operator or "
        f"function; operator: {operator}, first operand: {show_path(path_of(first))}"
    )


def arity(call: nodes.Call, expected: int) -> list[Check]:
    """Return a check of a function's number of operands."""
    if len(call.arguments) == expected:
        return []
    return failing(
        "Incorrect number of operands for operator or function; "
        f"operator or function: {call.function}, number of operands: {len(call.arguments)}"
    )


def requires_path(call: nodes.Call) -> list[Check]:
    """Return a check that a function's first operand is an attribute."""
    if isinstance(call.arguments[0], nodes.Attribute):
        return []
    return failing(
        f"Operator or function requires a document path; operator or function: {call.function}"
    )


def failing(message: str) -> list[Check]:
    """Return a check that always raises: the text is wrong whatever the values are."""

    def check(_: Values) -> None:
        raise ExpressionError(message)

    return [check]


def incorrect_type(operator: str, type_: str) -> ExpressionError:
    """Return the error for a constant operand of a type that its operator does not accept."""
    return ExpressionError(
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {type_}"
    )
