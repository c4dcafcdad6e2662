"""PartiQL writes: the key in a condition, and the action of a statement.

Writes become the same actions as those of all other operations; `statement_reads` has the reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from tablewright.engine.command_context import Tx
from tablewright.engine.items.item_writes import (
    Action,
    Change,
    Check,
    Delete,
    Edit,
    NewItem,
    Put,
    new_item,
)
from tablewright.engine.tables.catalog import Table
from tablewright.engine.tables.table_schema import KeyAttribute
from tablewright.errors import DuplicateItem, ResourceNotFound, ServiceError, ValidationError
from tablewright.expressions import nodes
from tablewright.expressions.conditions import Condition, ConditionProgram
from tablewright.expressions.resolution import Scope, path_of
from tablewright.expressions.updates import Update, UpdateProgram
from tablewright.partiql import statements
from tablewright.values.attributes import Item, Value

__all__ = [
    "SCOPE",
    "StatementWrite",
    "UnsupportedStatement",
    "batch_error",
    "bind_condition",
    "equality",
    "require_key_type",
    "resolve_condition",
    "statement_write",
    "table_of",
    "terms_of",
]

# DynamoDB: statements can use the reserved words of expressions as names.
SCOPE: Final = Scope({}, (), reserved=())
_NO_KEY: Final = "Where clause does not contain a mandatory equality on all key attributes"


class UnsupportedStatement(ValidationError):
    """A valid statement that this operation does not support."""


def table_of(tx: Tx, name: str) -> Table:
    """The table of a statement; raises ResourceNotFound."""
    table = tx.catalog.find(name)
    if table is None:
        raise ResourceNotFound("Requested resource not found")
    return table


# Conditions.


def bind_condition(where: nodes.ConditionNode | None) -> Condition | None:
    if where is None:
        return None
    return ConditionProgram(resolve_condition(where)).bind({})


def resolve_condition(where: nodes.ConditionNode) -> nodes.ConditionNode:
    """A resolved condition; reserved words are allowed as names."""
    return SCOPE.condition(where)


def terms_of(where: nodes.ConditionNode | None) -> tuple[nodes.ConditionNode, ...]:
    """The terms that AND joins."""
    if where is None:
        return ()
    return where.operands if isinstance(where, nodes.And) else (where,)


def equality(term: nodes.ConditionNode) -> tuple[str, Value] | None:
    """The attribute and the value of ``name = 'value'`` or ``'value' = name``."""
    if not isinstance(term, nodes.Comparison) or term.operator != "=":
        return None
    sides = (term.left, term.right)
    for attribute, value in (sides, sides[::-1]):
        if isinstance(attribute, nodes.Attribute) and isinstance(value, nodes.Literal):
            path = path_of(attribute)
            if len(path) == 1:
                return str(path[0]), value.value
    return None


def require_key_type(attribute: KeyAttribute, value: Value) -> None:
    if attribute.type not in value:
        raise ValidationError(
            "Key attribute's data type should match its data type in table's schema: Key "
            f"{attribute.name}"
        )


def _key_and_rest(
    table: Table, where: nodes.ConditionNode | None
) -> tuple[Item, list[nodes.ConditionNode]]:
    """The key in a condition, and its other terms; raises ValidationError if there is no key."""
    key: Item = {}
    rest = []
    for term in terms_of(where):
        equal = equality(term)
        if equal is None or equal[0] not in table.key_names:
            rest.append(term)
        elif key.setdefault(*equal) != equal[1]:
            raise ValidationError(
                f"Multiple conditions on same key {equal[0]}. Only single item "
                "Update/Insert/Delete are supported"
            )
    if key.keys() != table.key_names:
        raise ValidationError(_NO_KEY)
    return {name: key[name] for name in table.key.names}, rest


# Writes.


class _Insertion(Put):
    """A put that fails if the item exists."""

    __slots__ = ()

    def fill(self, change: Change) -> None:
        if change.row is not None:
            raise DuplicateItem
        super().fill(change)


class StatementWrite(NamedTuple):
    """The action of a statement, and the attributes that it returns."""

    action: Action
    returned: Callable[[Change], Item | None]


def statement_write(
    tx: Tx, statement: statements.Statement, *, wants_item: bool = False
) -> StatementWrite:
    """The action of a write or a check; raises ValidationError."""
    if isinstance(statement, statements.Insert):
        table = table_of(tx, statement.table)
        return StatementWrite(
            _Insertion(table.name, _inserted(table, statement.item)), lambda _: None
        )
    if isinstance(statement, statements.Update):
        return _update(table_of(tx, statement.table), statement, wants_item)
    if isinstance(statement, statements.Delete):
        table = table_of(tx, statement.table)
        key, rest = _key_and_rest(table, statement.where)
        deletion = Delete(
            table.name,
            key,
            bind_condition(_unless_missing(table, rest)),
            returns_item_on_failure=wants_item,
        )
        returns_old = statement.returning is not None
        return StatementWrite(deletion, lambda change: change.old if returns_old else None)
    assert isinstance(statement, statements.Exists)
    select = statement.select
    table = table_of(tx, select.table)
    key, rest = _key_and_rest(table, select.where)
    if not rest:
        raise UnsupportedStatement(
            "EXISTS() must contain a single item read with additional condition"
        )
    check = Check(table.name, key, bind_condition(select.where), returns_item_on_failure=wants_item)
    return StatementWrite(check, lambda _: None)


def _unless_missing(table: Table, terms: list[nodes.ConditionNode]) -> nodes.ConditionNode | None:
    """DynamoDB: deleting a missing item succeeds, whatever the other conditions are."""
    if not terms:
        return None
    key = nodes.Attribute((table.key.names[0],))
    missing = nodes.Call("attribute_not_exists", (key,))
    return nodes.Or((missing, nodes.And(tuple(terms))))


def _inserted(table: Table, item: Item) -> NewItem:
    for attribute in table.key.attributes:
        value = item.get(attribute.name)
        if value is None:
            raise ValidationError(
                f"Key attribute should be present in the item: Key {attribute.name}"
            )
        require_key_type(attribute, value)
    return new_item(item)


def _update(table: Table, statement: statements.Update, wants_item: bool) -> StatementWrite:
    key, _ = _key_and_rest(table, statement.where)
    update: Update = UpdateProgram(SCOPE.update(statement.update)).bind({})
    # DynamoDB: an update does not create an item; if it is missing, the key condition is false.
    edit = Edit(
        table.name, key, update, bind_condition(statement.where), returns_item_on_failure=wants_item
    )
    returning = statement.returning

    def returned(change: Change) -> Item | None:
        if returning is None:
            return None
        item = change.old if returning.endswith("OLD") else change.new
        if item is None or returning.startswith("ALL"):
            return item
        return update.touched(item)

    return StatementWrite(edit, returned)


def batch_error(error: ServiceError) -> dict[str, Any]:
    """The Error field of a batch for a failed statement."""
    code = error.code.removesuffix("Exception")
    if code in ("Validation", "Serialization"):
        code = "ValidationError"
    description: dict[str, Any] = {"Code": code, "Message": error.message}
    return description | error.fields
