"""What a WHERE says of keys: its branches, each of which names a partition and a range of it.

``pk = 'a' AND sk > '1' OR pk IN ['b', 'c']`` has three. Where every branch names a partition, only
those are read; otherwise all there is.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import combinations, islice, product
from typing import Final, NamedTuple

from tablewright.engine.items.key_ranges import query_span
from tablewright.engine.items.page_reads import Source, require_filterable
from tablewright.engine.partiql.statement_actions import (
    Unfit,
    bound,
    equality,
    require_key_type,
    resolved,
)
from tablewright.engine.sqlite.spans import Span
from tablewright.engine.tables.catalog import Index
from tablewright.engine.tables.table_schema import KeyAttribute
from tablewright.errors import ValidationError
from tablewright.expressions import nodes
from tablewright.expressions.conditions import Condition, ConditionProgram
from tablewright.expressions.key_conditions import KeyCondition, RangeTerm, key_condition
from tablewright.expressions.resolution import path_of
from tablewright.values.attributes import Value

__all__ = ["Branch", "Terms", "branches_of", "require_held", "terms_of_branches"]

Terms = tuple[nodes.ConditionNode, ...]

_READS_MAX: Final = 50


class Branch(NamedTuple):
    """One way in which a condition can hold, in one partition."""

    terms: Terms
    partition: Value
    equals: dict[str, Value]
    ranges: list[RangeTerm]  # Of the sort key.

    def key(self) -> KeyCondition:
        return KeyCondition(self.equals, self.ranges[:1])

    def condition(self) -> Condition | None:
        return bound(nodes.And(self.terms))


def branches_of(source: Source, where: nodes.ConditionNode | None) -> list[Branch] | None:
    """The branches of a condition, if each of them names a partition; raises ValidationError."""
    [partition] = source.key.partition
    if where is None or not _names(where, partition.name):
        return None
    found = list(terms_of_branches(where, source.key.names))
    if len(found) > _READS_MAX:
        raise Unfit("Too many decomposed read operations for a given query.")
    if len(found) > 1 and any(_negates(term, source.key.sort) for terms in found for term in terms):
        return None
    branches = [_branch(source, terms) for terms in found]
    possible = [branch for branch in branches if branch is not None]
    _require_apart(source, possible)
    return possible


def terms_of_branches(where: nodes.ConditionNode, keys: Container[str]) -> Iterator[Terms]:
    """The terms of every branch, of one too many if there are more than may be read.

    What lists values of a key is a branch for each of them; what says nothing of keys is a term.
    """
    return islice(_all_branches(where, keys), _READS_MAX + 1)


def _all_branches(where: nodes.ConditionNode, keys: Container[str]) -> Iterator[Terms]:
    if isinstance(where, nodes.Or) and any(name in keys for name in _mentioned(where)):
        for part in where.operands:
            yield from _all_branches(part, keys)
    elif isinstance(where, nodes.And):
        for parts in product(*[list(terms_of_branches(part, keys)) for part in where.operands]):
            yield tuple([term for part in parts for term in part])
    elif (listed := _listed(where, keys)) is not None:
        for value in listed.options:
            yield (nodes.Comparison("=", listed.operand, value),)
    else:
        yield (where,)


def _mentioned(where: nodes.ConditionNode) -> frozenset[str]:
    """The attributes that a condition is about."""
    return ConditionProgram(resolved(where)).top_level_names


def _listed(term: nodes.ConditionNode, keys: Container[str]) -> nodes.In | None:
    """A term that lists the values that a key may have."""
    if not isinstance(term, nodes.In) or not isinstance(term.operand, nodes.Attribute):
        return None
    path = path_of(term.operand)
    is_literal = all(isinstance(option, nodes.Literal) for option in term.options)
    return term if is_literal and len(path) == 1 and str(path[0]) in keys else None


def _names(where: nodes.ConditionNode, name: str) -> bool:
    """Whether a condition says what an attribute is, whichever way it holds."""
    if isinstance(where, nodes.And):
        return any(_names(part, name) for part in where.operands)
    if isinstance(where, nodes.Or):
        return all(_names(part, name) for part in where.operands)
    found = equality(where)
    return found[0] == name if found is not None else _listed(where, (name,)) is not None


def _negates(term: nodes.ConditionNode, sort: tuple[KeyAttribute, ...]) -> bool:
    """Whether a term says what a sort key is not.

    DynamoDB: then several branches are not read one by one, and may overlap.
    """
    is_negated = isinstance(term, nodes.Not) or (
        isinstance(term, nodes.Comparison) and term.operator == "<>"
    )
    names = _mentioned(term) if is_negated else ()
    return any(attribute.name in names for attribute in sort)


def _branch(source: Source, terms: Terms) -> Branch | None:
    """A branch; None if two of its terms cannot hold together."""
    said: dict[str, Value] = {}
    for term in terms:
        found = equality(term)
        if found is None or found[0] not in source.key.names:
            continue
        if said.setdefault(*found) != found[1]:
            return None
    [partition] = source.key.partition
    require_key_type(partition, said[partition.name])
    ranges: list[RangeTerm] = []
    for attribute in source.key.sort:
        if attribute.name in said:
            require_key_type(attribute, said[attribute.name])
        else:
            ranges = list(_ranges(terms, attribute))
    return Branch(terms, said[partition.name], said, ranges)


def _ranges(terms: Sequence[nodes.ConditionNode], attribute: KeyAttribute) -> Iterator[RangeTerm]:
    """The terms that are a range of one attribute."""
    for term in terms:
        try:
            found = key_condition(ConditionProgram(resolved(term)), {})
        except ValidationError:
            continue  # It is no condition on a key: it is checked on every row.
        for one in found.ranges:
            if one.name == attribute.name:
                for value in one.values:
                    require_key_type(attribute, value)
                if all(value[attribute.type] for value in one.values):
                    yield one


def _require_apart(source: Source, branches: list[Branch]) -> None:
    """Refuse branches in which the same item could be found."""
    for one, other in combinations(branches, 2):
        if one.partition == other.partition:
            spans = [*_spans(source, one), *_spans(source, other)]
            # Intervals have a common part if every two of them do.
            if all(_meet(a, b) and _meet(b, a) for a, b in combinations(spans, 2)):
                raise Unfit(
                    "Overlapping conditions with range keys are not supported in where clause"
                )


def _spans(source: Source, branch: Branch) -> list[Span]:
    conditions = [KeyCondition(branch.equals, [term]) for term in branch.ranges]
    return [
        query_span(source, condition, None, is_forward=True, limit=None)
        for condition in conditions or [branch.key()]
    ]


def _meet(low: Span, high: Span) -> bool:
    """Whether one does not end before the other begins."""
    if low.upper is None or high.lower is None:
        return True
    is_open = low.upper_open or high.lower_open
    return high.lower < low.upper or (high.lower == low.upper and not is_open)


def require_held(index: Index, branches: list[Branch]) -> None:
    """Refuse to filter by attributes that an index does not hold.

    DynamoDB: unless one of the branches does not, and then for the last partition.
    """
    unheld = []
    for branch in sorted(branches, key=lambda branch: next(iter(branch.partition.values()))):
        names: set[str] = set()
        for term in branch.terms:
            names |= _mentioned(term)
        unheld.append(index.unheld(names))
    if unheld and all(unheld):
        require_filterable(index, unheld[-1])
