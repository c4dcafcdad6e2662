"""PartiQL statements on tables: which rows a SELECT reads, which action a write is.

A condition that names a whole partition reads that partition; any other reads the table. What a
WHERE says is checked on every row that is read, so choosing rows can never change an answer. Writes
become the actions that every other write is made of.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import orjson

from tablewright.engine.capacity import Consumption, read_units
from tablewright.engine.catalog import ItemKey, Table
from tablewright.engine.keyspans import query_span
from tablewright.engine.reading import (
    Source,
    Window,
    read_page,
    require_readable,
    starting_position,
)
from tablewright.engine.rows import Span
from tablewright.engine.transaction import Tx
from tablewright.engine.writing import (
    Action,
    Change,
    Check,
    Delete,
    Edit,
    NewItem,
    Put,
    new_item,
)
from tablewright.errors import DuplicateItem, ResourceNotFound, ServiceError, ValidationError
from tablewright.expressions import nodes, statements
from tablewright.expressions.conditions import Condition, ConditionProgram
from tablewright.expressions.keyranges import KeyCondition, RangeTerm, key_condition
from tablewright.expressions.projections import Projection
from tablewright.expressions.resolution import Scope, path_of
from tablewright.expressions.updates import Update, UpdateProgram
from tablewright.values import paths
from tablewright.values.attributes import Item, Value

__all__ = ["Reading", "Writing", "read_statement", "reading", "table_of", "writing"]

# DynamoDB: statements may name attributes by words that expressions reserve.
_SCOPE: Final = Scope({}, (), reserved=())
_NO_KEY: Final = "Where clause does not contain a mandatory equality on all key attributes"
_MISSING: Final = "Cannot do operations on a non-existent table"


def table_of(tx: Tx, name: str) -> Table:
    """The table of a statement; raises ResourceNotFound as statements word it."""
    table = tx.catalog.find(name)
    if table is None:
        raise ResourceNotFound(_MISSING)
    return table


# Conditions.


def _bound(where: nodes.ConditionNode | None) -> Condition | None:
    if where is None:
        return None
    return ConditionProgram(_resolved(where)).bind({})


def _resolved(where: nodes.ConditionNode) -> nodes.ConditionNode:
    """A condition whose functions are known, without the words that expressions reserve."""
    return _SCOPE.condition(where)


def _terms(where: nodes.ConditionNode | None) -> tuple[nodes.ConditionNode, ...]:
    """What must all hold."""
    if where is None:
        return ()
    return where.operands if isinstance(where, nodes.And) else (where,)


def _equality(term: nodes.ConditionNode) -> tuple[str, Value] | None:
    """The attribute and the value of ``name = 'value'``, either way round."""
    if not isinstance(term, nodes.Comparison) or term.operator != "=":
        return None
    sides = (term.left, term.right)
    for attribute, value in (sides, sides[::-1]):
        if isinstance(attribute, nodes.Attribute) and isinstance(value, nodes.Literal):
            path = path_of(attribute)
            if len(path) == 1:
                return str(path[0]), value.value
    return None


def _key_and_rest(
    table: Table, where: nodes.ConditionNode | None
) -> tuple[Item, list[nodes.ConditionNode]]:
    """The key that a condition names, and its other terms; raises ValidationError without one."""
    key: Item = {}
    rest = []
    for term in _terms(where):
        found = _equality(term)
        if found is not None and found[0] in table.key_names and found[0] not in key:
            key[found[0]] = found[1]
        else:
            rest.append(term)
    if key.keys() != table.key_names:
        raise ValidationError(_NO_KEY)
    return {name: key[name] for name in table.key.names}, rest


# Writing.


class _Insertion(Put):
    """A put that no item may stand in the way of."""

    __slots__ = ()

    def fill(self, change: Change) -> None:
        if change.row is not None:
            raise DuplicateItem
        super().fill(change)


class Writing(NamedTuple):
    """A statement as an action, and what it shows of the item afterwards."""

    action: Action
    shown: Callable[[Change], Item | None]


def writing(tx: Tx, statement: statements.Statement, *, wants_item: bool = False) -> Writing:
    """The action of a statement that writes, or of a check; raises ValidationError."""
    if isinstance(statement, statements.Insert):
        table = table_of(tx, statement.table)
        return Writing(_Insertion(table.name, _inserted(table, statement.item)), lambda _: None)
    if isinstance(statement, statements.Update):
        return _update(table_of(tx, statement.table), statement, wants_item)
    if isinstance(statement, statements.Delete):
        table = table_of(tx, statement.table)
        key, rest = _key_and_rest(table, statement.where)
        left = nodes.And(tuple(rest)) if len(rest) > 1 else rest[0] if rest else None
        deletion = Delete(table.name, key, _bound(left), returns_item_on_failure=wants_item)
        is_shown = statement.returning is not None
        return Writing(deletion, lambda change: change.old if is_shown else None)
    assert isinstance(statement, statements.Exists)
    select = statement.select
    table = table_of(tx, select.table)
    key, _ = _key_and_rest(table, select.where)
    check = Check(table.name, key, _bound(select.where), returns_item_on_failure=wants_item)
    return Writing(check, lambda _: None)


def _inserted(table: Table, item: Item) -> NewItem:
    for attribute in table.key.attributes:
        value = item.get(attribute.name)
        if value is None:
            raise ValidationError(
                f"Key attribute should be present in the item: Key {attribute.name}"
            )
        if attribute.type not in value:
            raise ValidationError(
                "Key attribute's data type should match its data type in table's schema: Key "
                f"{attribute.name}"
            )
    return new_item(item)


def _update(table: Table, statement: statements.Update, wants_item: bool) -> Writing:
    key, _ = _key_and_rest(table, statement.where)
    update: Update = UpdateProgram(_SCOPE.update(statement.update)).bind({})
    # DynamoDB: an update makes no item; where there is none, its key does not hold.
    edit = Edit(
        table.name, key, update, _bound(statement.where), returns_item_on_failure=wants_item
    )
    returning = statement.returning

    def shown(change: Change) -> Item | None:
        if returning is None:
            return None
        item = change.old if returning.endswith("OLD") else change.new
        if item is None or returning.startswith("ALL"):
            return item
        return update.touched(item)

    return Writing(edit, shown)


# Reading.


class _Paths(Projection):
    """What a SELECT shows of an item: each path under the name of its last step."""

    __slots__ = ()

    def apply(self, item: Item) -> Item:
        found: Item = {}
        for path in self.paths:
            value = paths.get(item, path)
            if value is not None:
                found[_shown_name(path)] = value
        return found


def _shown_name(path: paths.Path) -> str:
    last = path[-1]
    return last if isinstance(last, str) else f"{_shown_name(path[:-1])}[{last}]"


class Reading(NamedTuple):
    """A SELECT, ready to read."""

    source: Source
    window: Window
    parts: list[KeyCondition | None]  # One partition each, or None for all there is.

    def key(self) -> ItemKey | None:
        """The one item that it can find, if its condition names a whole key."""
        table = self.source.table
        if self.source.index is not None or len(self.parts) != 1 or self.parts[0] is None:
            return None
        equals = self.parts[0].equals
        if not table.key_names <= equals.keys():
            return None
        return table.key_of(equals)


def reading(
    tx: Tx, select: statements.Select, *, limit: int | None = None, consistent: bool = False
) -> Reading:
    """How a SELECT reads; raises ValidationError for what it cannot."""
    table = table_of(tx, select.table)
    source = Source(table, select.index)
    projected = None
    if select.paths:
        projected = _Paths(_SCOPE.projection(nodes.ProjectionNode(select.paths)))
    parts = _partitions(source, select.where)
    window = Window(
        limit=limit,
        consistent=consistent,
        select=None,
        condition=_bound(select.where),
        projection=projected,
        is_forward=_is_forward(source, select, parts),
    )
    require_readable(source, window)
    return Reading(source, window, parts)


def _is_forward(
    source: Source, select: statements.Select, parts: list[KeyCondition | None]
) -> bool:
    names = [attribute.name for attribute in source.key.sort]
    for name, _ in select.order:
        if name not in source.key.names:
            raise ValidationError(
                f"Variable reference {name} in ORDER BY clause must be part of the primary key"
            )
    if select.order and parts[0] is None:
        raise ValidationError(
            "Must have at least one non-optional hash key condition in WHERE clause when using "
            "ORDER BY clause."
        )
    return not any(goes_down for name, goes_down in select.order if name in names)


def _partitions(source: Source, where: nodes.ConditionNode | None) -> list[KeyCondition | None]:
    """The partitions that a condition names, each with what it says of the sort key."""
    terms = _terms(where)
    equals: dict[str, Value] = {}
    for term in terms:
        found = _equality(term)
        if found is not None:
            equals.setdefault(*found)
    partition = [attribute.name for attribute in source.key.partition]
    listed = _listed(terms, partition[0]) if len(partition) == 1 else None
    if not all(name in equals for name in partition):
        if listed is None:
            return [None]
        options = listed
    else:
        options = [equals[partition[0]]]
    found_parts: list[KeyCondition | None] = []
    for value in options:
        key = {name: equals.get(name, value) for name in partition}
        found_parts.append(_with_sort(source, key, equals, terms))
    return found_parts


def _listed(terms: Sequence[nodes.ConditionNode], name: str) -> list[Value] | None:
    """The distinct values of ``name IN […]``."""
    for term in terms:
        if not isinstance(term, nodes.In) or not isinstance(term.operand, nodes.Attribute):
            continue
        values = [option.value for option in term.options if isinstance(option, nodes.Literal)]
        if path_of(term.operand) == (name,) and len(values) == len(term.options):
            return [value for at, value in enumerate(values) if value not in values[:at]]
    return None


def _with_sort(
    source: Source,
    key: dict[str, Value],
    equals: dict[str, Value],
    terms: Sequence[nodes.ConditionNode],
) -> KeyCondition:
    """A partition, narrowed by what is said of its sort attributes from the left."""
    ranges: list[RangeTerm] = []
    for attribute in source.key.sort:
        value = equals.get(attribute.name)
        if value is not None and attribute.type in value:
            key[attribute.name] = value
            continue
        found = next(_ranges(terms, attribute.name, attribute.type), None)
        if found is not None:
            ranges.append(found)
        break
    return KeyCondition(key, ranges)


def _ranges(terms: Sequence[nodes.ConditionNode], name: str, type_: str) -> Iterator[RangeTerm]:
    """The terms that are a range of one attribute."""
    for term in terms:
        try:
            found = key_condition(ConditionProgram(_resolved(term)), {})
        except ValidationError:
            continue  # It is no condition on a key: it is checked on every row.
        for one in found.ranges:
            if one.name == name and all(type_ in value and value[type_] for value in one.values):
                yield one


class Read(NamedTuple):
    """What a page of a SELECT comes to."""

    items: list[Any]
    last: Item | None
    part: int
    consumed: Consumption


def read_statement(tx: Tx, select: Reading, at: tuple[int, Item | None]) -> Read:
    """Read until the limit or a megabyte, from a partition and a place in it on."""
    source, window = select.source, select.window
    consumed = Consumption(source.table.name)
    items: list[Any] = []
    part, start = at
    left = window.limit
    while part < len(select.parts):
        page_window = (
            window
            if left is None
            else Window(
                left,
                window.consistent,
                window.select,
                window.condition,
                window.projection,
                window.is_forward,
            )
        )
        page = read_page(tx, source, _span(select, part, start, left), page_window)
        items += page.items
        units = read_units(page.size, consistent=window.consistent)
        if source.index is not None:
            consumed.add_index(source.index, units)
        else:
            consumed.table_units += units
        if page.last is not None:
            return Read(items, page.last, part, consumed)
        if left is not None:
            left -= page.scanned
        part, start = part + 1, None
        if left == 0:
            break
    return Read(items, None, part, consumed)


def _span(select: Reading, part: int, start: Item | None, limit: int | None) -> Span:
    condition = select.parts[part]
    source = select.source
    if condition is not None:
        return query_span(
            source, condition, start, is_forward=select.window.is_forward, limit=limit
        )
    after = None if start is None else starting_position(source, start)
    return Span(
        table=source.table.number,
        index=None if source.index is None else source.index.number,
        after=after,
        limit=-1 if limit is None else limit,
    )


# Tokens.


def next_token(text: str, parameters: Any, read: Read) -> str:
    """Where a statement goes on, good for that statement alone."""
    told = {"for": _digest(text, parameters), "part": read.part, "last": read.last}
    return base64.b64encode(orjson.dumps(told)).decode()


def read_token(token: str | None, text: str, parameters: Any) -> tuple[int, Item | None]:
    """The partition and place of a token; raises ValidationError if it is another statement's."""
    if token is None:
        return 0, None
    try:
        told = orjson.loads(base64.b64decode(token, validate=True))
        is_same = told["for"] == _digest(text, parameters)
        part, last = told["part"], told["last"]
    except (binascii.Error, ValueError, TypeError, KeyError):
        is_same, part, last = False, 0, None
    if not is_same or not isinstance(part, int) or not isinstance(last, dict | None):
        raise ValidationError("Given NextToken is not valid")
    return part, last


def _digest(text: str, parameters: Any) -> str:
    told = orjson.dumps([text, parameters], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(told).hexdigest()[:32]


def batch_error(error: ServiceError) -> dict[str, Any]:
    """What a batch says of a statement that failed."""
    code = error.code.removesuffix("Exception")
    if code in ("Validation", "Serialization"):
        code = "ValidationError"
    told: dict[str, Any] = {"Code": code, "Message": error.message}
    return told | error.fields
