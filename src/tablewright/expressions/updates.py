"""Updates: SET, REMOVE, ADD and DELETE, computed from the old item without changing it.

All operands are read from the old item and every list index refers to the old list. So values are
computed first, from the last path to the first; then they are set in the order of the paths,
appending beyond the end of a list; then paths are removed, last elements first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tablewright.errors import ValidationError
from tablewright.expressions import nodes, operands
from tablewright.expressions.operands import Check, Reader, Values, read
from tablewright.expressions.projections import require_apart
from tablewright.expressions.resolution import path_of
from tablewright.expressions.tokens import ExpressionError
from tablewright.expressions.update_costs import Cost, cost_of
from tablewright.limits import ITEM_BYTES_MAX
from tablewright.values import decimals, paths
from tablewright.values.attributes import Item, Value, in_order, require_depth
from tablewright.values.paths import Path

__all__ = ["IncorrectType", "Update", "UpdateProgram"]

# Computes the new value of an action's target, or None to remove it.
Effect = Callable[[Item, Values], Value | None]

_SECTIONS: Final = (nodes.AddAction, nodes.DeleteAction, nodes.RemoveAction, nodes.SetAction)
_NUMBERS: Final = frozenset(("N",))
_LISTS: Final = frozenset(("L",))
_SETS: Final = frozenset(("SS", "NS", "BS"))
_TYPE_NAMES: Final = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "SS": "STRING_SET",
    "NS": "NUMBER_SET",
    "BS": "BINARY_SET",
    "L": "LIST",
    "M": "MAP",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
}


class IncorrectType(ValidationError):
    """An attribute of the item has the wrong type for the update."""


class UpdateProgram:
    """An update compiled for its text and names."""

    __slots__ = (
        "checks",
        "cost",
        "effects",
        "is_flat",
        "nested_names",
        "node",
        "only_removes",
        "paths",
        "top_level_names",
    )

    def __init__(self, node: nodes.UpdateNode) -> None:
        self.node = node
        self.paths: tuple[Path, ...] = tuple([path_of(action.target) for action in node.actions])
        require_apart(self.paths)
        self.checks: list[Check] = []
        # DynamoDB: operands are checked by section, and in each section from last to first,
        # pinned by test_updates.py::test_of_several_wrong_constants_the_last_of_add_is_named.
        last_first = list(node.actions)
        last_first.reverse()
        last_first.sort(key=_section)
        for action in last_first:
            _collect(action, self.checks)
        self.top_level_names = frozenset([str(path[0]) for path in self.paths])
        self.nested_names = frozenset([str(path[0]) for path in self.paths if len(path) > 1])
        self.is_flat = not self.nested_names
        self.only_removes = all(
            isinstance(action, nodes.RemoveAction | nodes.DeleteAction) for action in node.actions
        )
        self.effects: tuple[tuple[Path, Effect], ...] | None = None
        self.cost: Cost = cost_of(node)

    def bind(self, values: Values) -> Update:
        """Return the update with a request's values, or raise ExpressionError."""
        for check in self.checks:
            check(values)
        if self.effects is None:
            # The checks have just verified that every function has the right operands.
            # Siblings under one parent are all names or all indexes, so they are comparable.
            # DynamoDB: the last path is computed first, so it fails first, pinned by
            # test_updates.py::test_of_several_faults_in_the_item_the_last_path_is_named.
            latest_first = sorted(self.node.actions, key=_target_path, reverse=True)
            self.effects = tuple([(path_of(a.target), _effect(a)) for a in latest_first])
        return Update(self, self.effects, values)


class Update:
    """An update of one request."""

    __slots__ = (
        "_effects",
        "_program",
        "_values",
        "nested_names",
        "only_removes",
        "top_level_names",
    )

    def __init__(
        self, program: UpdateProgram, effects: tuple[tuple[Path, Effect], ...], values: Values
    ) -> None:
        self._program = program
        self._effects = effects
        self._values = values
        self.top_level_names: frozenset[str] = program.top_level_names
        self.nested_names: frozenset[str] = program.nested_names
        self.only_removes: bool = program.only_removes

    def apply(self, old: Item) -> Item:
        """Return the new item; raise ValidationError if the update cannot apply to the old one."""
        values = self._values
        if not self._program.is_flat:
            return self._apply_nested(old)
        new = dict(old)
        for path, effect in self._effects:
            name: str = path[0]  # type: ignore[assignment]
            value = effect(old, values)
            if value is not None:
                new[name] = value
            else:
                new.pop(name, None)
        return new

    def may_be_too_large(self, item_bytes: int) -> bool:
        """Whether an expression that creates an item of this size must be measured."""
        cost = self._program.cost
        return cost.has_default or item_bytes + cost.beyond_item > ITEM_BYTES_MAX

    def is_too_large(self) -> bool:
        """Whether the expression alone is larger than the item limit."""
        return self._program.cost.bytes_with(self._values) > ITEM_BYTES_MAX

    def touched(self, item: Item) -> Item:
        """Return only the parts of the item at the update's paths."""
        return paths.pick(item, self._program.paths)

    def _apply_nested(self, old: Item) -> Item:
        changes: list[tuple[Path, Value | None]] = []
        for path, effect in self._effects:
            if not paths.has_parent(old, path):
                raise ValidationError(
                    "The document path provided in the update expression is invalid for update"
                )
            changes.append((path, effect(old, self._values)))
        new = old
        for path, value in reversed(changes):
            if value is not None:
                if len(path) > 1:
                    require_depth(value, above=len(path) - 1)
                new = paths.replace(new, path, value)
        for path, value in changes:
            if value is None:
                new = paths.remove(new, path)
        return new


def _target_path(action: nodes.Action) -> Path:
    return path_of(action.target)


def _section(action: nodes.Action) -> int:
    return _SECTIONS.index(type(action))


def _collect(action: nodes.Action, checks: list[Check]) -> None:
    """Add the checks of an action's constant operands."""
    if isinstance(action, nodes.SetAction):
        value = action.value
        if isinstance(value, nodes.Arithmetic):
            for operand in (value.left, value.right):
                _collect_operand(operand, checks)
            checks += operands.operand_types(value.operator, (value.left, value.right), _NUMBERS)
        else:
            _collect_operand(value, checks)
    elif isinstance(action, nodes.AddAction):
        checks.append(_set_operand_check("ADD", action.value, _SETS | _NUMBERS))
    elif isinstance(action, nodes.DeleteAction):
        checks.append(_set_operand_check("DELETE", action.value, _SETS))


def _collect_operand(node: nodes.Operand, checks: list[Check]) -> None:
    if not isinstance(node, nodes.Call):
        return
    for argument in node.arguments:
        _collect_operand(argument, checks)
    wrong = operands.arity(node, 2)
    if node.function == "if_not_exists":
        checks += (
            wrong
            or operands.requires_path(node)
            or operands.distinct("if_not_exists", *node.arguments)
        )
    else:
        checks += wrong or operands.operand_types("list_append", node.arguments, _LISTS)


def _set_operand_check(
    section: str, operand: nodes.Placeholder | nodes.Literal, allowed: frozenset[str]
) -> Check:
    def check(values: Values) -> None:
        value = operands.constant(operand, values)
        assert value is not None
        type_ = next(iter(value))
        if type_ not in allowed:
            raise ExpressionError(
                f"Incorrect operand type for operator or function; operator: {section}, operand "
                f"type: {_TYPE_NAMES[type_]}, typeSet: ALLOWED_FOR_{section}_OPERAND"
            )

    return check


def _effect(action: nodes.Action) -> Effect:
    if isinstance(action, nodes.SetAction):
        if isinstance(action.value, nodes.Arithmetic):
            return _arithmetic(action.value)
        return _required(_read(action.value))
    if isinstance(action, nodes.RemoveAction):
        return lambda _item, _values: None
    combine = _added if isinstance(action, nodes.AddAction) else _deleted
    return _combination(read(action.target), read(action.value), combine)


def _read(node: nodes.Operand) -> Reader:
    """Return the reader of an operand of SET; it never returns None for a function."""
    if not isinstance(node, nodes.Call):
        return read(node)
    first, second = map(_read, node.arguments)
    if node.function == "if_not_exists":
        return _if_not_exists(first, _required(second))
    return _list_append(_required(first), _required(second))


def _required(reader: Reader) -> Callable[[Item, Values], Value]:
    """Return a reader that raises when the attribute is missing."""

    def read_existing(item: Item, values: Values) -> Value:
        value = reader(item, values)
        if value is None:
            raise ValidationError(
                "The provided expression refers to an attribute that does not exist in the item"
            )
        return value

    return read_existing


def _if_not_exists(first: Reader, second: Callable[[Item, Values], Value]) -> Reader:
    def choose(item: Item, values: Values) -> Value:
        value = first(item, values)
        # DynamoDB: the other operand is read, and must exist, even when it is not needed.
        other = second(item, values)
        return other if value is None else value

    return choose


def _list_append(
    first: Callable[[Item, Values], Value], second: Callable[[Item, Values], Value]
) -> Reader:
    def append(item: Item, values: Values) -> Value:
        head = first(item, values)
        if "L" not in head:
            raise _incorrect_type()
        tail = second(item, values)
        if "L" not in tail:
            raise _incorrect_type()
        return {"L": head["L"] + tail["L"]}

    return append


def _arithmetic(node: nodes.Arithmetic) -> Effect:
    left = _required(_read(node.left))
    right = _required(_read(node.right))
    compute = decimals.add if node.operator == "+" else decimals.subtract

    def calculate(item: Item, values: Values) -> Value:
        a = left(item, values)
        if "N" not in a:
            raise _incorrect_type()
        b = right(item, values)
        if "N" not in b:
            raise _incorrect_type()
        return {"N": compute(a["N"], b["N"])}

    return calculate


def _combination(
    target: Reader, operand: Reader, combine: Callable[[Value | None, Value], Value | None]
) -> Effect:
    def effect(item: Item, values: Values) -> Value | None:
        value = operand(item, values)
        assert value is not None  # ADD and DELETE take a constant.
        return combine(target(item, values), value)

    return effect


def _added(old: Value | None, value: Value) -> Value:
    """Return a number plus a number, or a set with more members."""
    if old is None:
        return value
    number = value.get("N")
    if number is not None and "N" in old:
        return {"N": decimals.add(old["N"], number)}
    [(type_, content)] = value.items()
    if type_ not in old:
        raise _incorrect_type()
    return {type_: in_order(type_, list({*old[type_], *content}))}


def _deleted(old: Value | None, value: Value) -> Value | None:
    """Return a set without the members, None when it is empty or missing."""
    if old is None:
        return None
    [(type_, content)] = value.items()
    if type_ not in old:
        raise _incorrect_type()
    removed = set(content)
    remaining = [member for member in old[type_] if member not in removed]
    return {type_: remaining} if remaining else None


def _incorrect_type() -> ValidationError:
    return IncorrectType("An operand in the update expression has an incorrect data type")
