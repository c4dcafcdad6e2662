"""A bound_pattern: a key condition on a table or an index, and the entities that may answer it.

It builds the expressions of the request and decides which rows are results: rows of other entities,
expired rows, marked rows and rows whose deletion has begun are not. Paging is in `reads`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tablewright.plan.condition_trees import (
    All,
    Compare,
    Condition,
    Either,
    Literal,
    Names,
    Path,
    all_of,
)
from tablewright.plan.model_lambdas import condition
from tablewright.plan.presence import is_leaving, is_live

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.design.patterns.pattern_model import PatternModel, SortTerm
    from tablewright.design.table import Table
    from tablewright.values.attributes import Item

__all__ = ["ABSENT", "BoundPattern", "Values", "binder", "each_binder"]

ABSENT: Final[Any] = object()


# Not frozen: one is created for every call, and freezing would cost more than the rest.
@dataclass(slots=True)
class BoundPattern:
    """The key condition of one call of an access pattern. Treat it as immutable.

    ``partition`` has the key attributes that must equal a value; ``sort`` is one more condition,
    as ("=", attribute, value), ("begins_with", attribute, value), ("BETWEEN", attribute, low, high)
    or a comparison such as ("<=", attribute, value).
    """

    table: Table
    index_name: str | None
    entities: tuple[Entity[Any], ...]
    partition: Item
    sort: SortTerm | None = None
    is_descending: bool = False
    pattern: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    is_consistent: bool | None = None  # None: strongly consistent if the index allows it.
    where: Callable[[Any], Any] | None = None

    @property
    def key(self) -> Item:
        """The table key, if the call reads one row."""
        if self.sort is None:
            return self.partition
        return {**self.partition, self.sort[1]: self.sort[2]}

    @property
    def key_names(self) -> tuple[str, ...]:
        """The key attributes of the table and the index, which are the position of a row."""
        parts = self.table.primary.attributes
        if self.index_name is not None:
            parts += self.table.indexes[self.index_name].attributes
        return tuple(dict.fromkeys(part.name for part in parts))

    @property
    def can_be_consistent(self) -> bool:
        return self.index_name is None or self.table.indexes[self.index_name].is_local

    def reads_consistently(self) -> bool:
        return self.can_be_consistent if self.is_consistent is None else self.is_consistent

    def key_condition(self, names: Names) -> str:
        """The KeyConditionExpression."""
        terms = [f"{names.name(n)} = {names.value(v)}" for n, v in self.partition.items()]
        if self.sort is not None:
            operator, attribute, *values = self.sort
            name, shown = names.name(attribute), [names.value(value) for value in values]
            if operator == "begins_with":
                terms.append(f"begins_with({name}, {shown[0]})")
            elif operator == "BETWEEN":
                terms.append(f"{name} BETWEEN {shown[0]} AND {shown[1]}")
            else:
                terms.append(f"{name} {operator} {shown[0]}")
        return " AND ".join(terms)

    def filter(self, wheres: Iterable[Callable[[Any], Any]]) -> Condition | None:
        """The filter condition; with several entities, one condition for each."""
        filters = [*wheres] if self.where is None else [self.where, *wheres]
        if not filters:
            return None
        return self._of_each(lambda entity: all_of(condition(entity, fn) for fn in filters))

    def live(self, now: float, *, with_marked: bool) -> Condition | None:
        """The condition that a row is a result, for requests that return no rows."""
        return self._of_each(lambda e: all_of(is_live(e, now, with_marked=with_marked)), typed=True)

    def _of_each(
        self, condition_of: Callable[[Entity[Any]], Condition | None], *, typed: bool = False
    ) -> Condition | None:
        """One condition for all entities, distinguished by type if there are several."""
        parts = []
        for entity in self.entities:
            kind = self._is_of(entity) if typed or len(self.entities) > 1 else None
            parts.append(all_of(part for part in (kind, condition_of(entity)) if part is not None))
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None  # Every row of one entity matches, so there is nothing to filter.
        return known[0] if len(known) == 1 else Either(tuple(known))

    def _is_of(self, entity: Entity[Any]) -> Condition | None:
        name = self.table.type_attribute
        # DynamoDB: a filter may not name an attribute of the key that is queried.
        if name is None or entity.type_name is None or name in self.key_names:
            return None
        return Compare(Path((name,)), "=", Literal({"S": entity.type_name}))

    def answer(self, item: Item, now: float, *, with_marked: bool) -> Entity[Any] | None:
        """The entity of an item if it is a result; else None."""
        entity = self.table.entity_of(item)
        if entity is None or entity not in self.entities:
            return None
        if entity.is_absent(item, now, with_marked=with_marked) or is_leaving(item):
            return None
        return entity


Values = Mapping[str, Any]


def binder(model: PatternModel) -> Callable[[Values], BoundPattern]:
    """A function from the arguments of a pattern to its bound pattern.

    Everything that is the same for all calls is computed once, because a call takes microseconds.
    """
    table, entities, declared = model.table, model.entities, model.declared
    index_name, name = model.index.name or None, declared.name
    equalities, term = model.equalities, model.sort.term

    def bind(values: Values) -> BoundPattern:
        return BoundPattern(
            table,
            index_name,
            entities,
            equalities(values),
            term(values),
            declared.is_descending,
            name,
            values,
            declared.is_consistent,
            declared.where,
        )

    return bind


def each_binder(model: PatternModel) -> Callable[[Values], list[BoundPattern]]:
    """The same for a pattern with parameters of many values, which are zipped."""
    bind = binder(model)
    names = {p.name: model.entities[0].names.get(p.name, p.name) for p in model.parameters}
    many = [names[p.name] for p in model.parameters if p.mode == "many"]

    def bind_each(values: Values) -> list[BoundPattern]:
        choices = zip(*(values[field] for field in many), strict=True)
        return [bind({**values, **dict(zip(many, choice, strict=True))}) for choice in choices]

    return bind_each


def joined(*parts: Condition | None) -> Condition | None:
    """The conjunction of the conditions that are not None."""
    conditions = tuple(part for part in parts if part is not None)
    return conditions[0] if len(conditions) == 1 else All(conditions) if conditions else None
