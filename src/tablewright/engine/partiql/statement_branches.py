"""The branches of a WHERE clause, each of which selects a range of one partition.

``pk = 'a' AND sk > '1' OR pk IN ['b', 'c']`` has three. If every branch selects a partition, only
those are read; otherwise the statement is a scan.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import combinations, islice, product
from typing import Final, NamedTuple

from tablewright.engine.items.key_ranges import query_span
from tablewright.engine.items.page_reads import Source, require_filterable
from tablewright.engine.partiql.statement_actions import (
    UnsupportedStatement,
    bind_condition,
    equality,
    require_key_type,
    resolve_condition,
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

__all__ = ["Branch", "Terms", "branches_of", "require_filterable_branches", "terms_of_branches"]

Terms = tuple[nodes.ConditionNode, ...]

_READS_MAX: Final = 50


class Branch(NamedTuple):
    """One alternative of a condition, in one partition."""

    terms: Terms
    partition: Value
    equals: dict[str, Value]
    ranges: list[RangeTerm]  # Of the sort key.

    def key(self) -> KeyCondition:
        return KeyCondition(self.equals, self.ranges[:1])

    def condition(self) -> Condition | None:
        return bind_condition(nodes.And(self.terms))


def branches_of(source: Source, where: nodes.ConditionNode | None) -> list[Branch] | None:
    """The branches of a condition; None if one has no partition. Raises ValidationError."""
    [partition] = source.key.partition
    if where is None or not _fixes(where, partition.name):
        return None
    all_terms = list(terms_of_branches(where, source.key.names))
    if len(all_terms) > _READS_MAX:
        raise UnsupportedStatement("Too many decomposed read operations for a given query.")
    if len(all_terms) > 1 and any(
        _negates(term, source.key.sort) for terms in all_terms for term in terms
    ):
        return None
    branches = [_branch(source, terms) for terms in all_terms]
    possible = [branch for branch in branches if branch is not None]
    _require_apart(source, possible)
    return possible


def terms_of_branches(where: nodes.ConditionNode, keys: Container[str]) -> Iterator[Terms]:
    """The terms of every branch, up to one more than the maximum.

    An IN on a key is one branch per value; a condition without keys is a term.
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
    """The attributes in a condition."""
    return ConditionProgram(resolve_condition(where)).top_level_names


def _listed(term: nodes.ConditionNode, keys: Container[str]) -> nodes.In | None:
    """The term if it is an IN with literal values on a key."""
    if not isinstance(term, nodes.In) or not isinstance(term.operand, nodes.Attribute):
        return None
    path = path_of(term.operand)
    is_literal = all(isinstance(option, nodes.Literal) for option in term.options)
    return term if is_literal and len(path) == 1 and str(path[0]) in keys else None


def _fixes(where: nodes.ConditionNode, name: str) -> bool:
    """Whether every alternative of a condition fixes the value of an attribute."""
    if isinstance(where, nodes.And):
        return any(_fixes(part, name) for part in where.operands)
    if isinstance(where, nodes.Or):
        return all(_fixes(part, name) for part in where.operands)
    equal = equality(where)
    return equal[0] == name if equal is not None else _listed(where, (name,)) is not None


def _negates(term: nodes.ConditionNode, sort: tuple[KeyAttribute, ...]) -> bool:
    """Whether a term negates a condition on a sort key.

    DynamoDB: then several branches become a scan, and may overlap.
    """
    is_negated = isinstance(term, nodes.Not) or (
        isinstance(term, nodes.Comparison) and term.operator == "<>"
    )
    names = _mentioned(term) if is_negated else ()
    return any(attribute.name in names for attribute in sort)


def _branch(source: Source, terms: Terms) -> Branch | None:
    """A branch; None if two of its terms contradict each other."""
    equals: dict[str, Value] = {}
    for term in terms:
        equal = equality(term)
        if equal is None or equal[0] not in source.key.names:
            continue
        if equals.setdefault(*equal) != equal[1]:
            return None
    [partition] = source.key.partition
    require_key_type(partition, equals[partition.name])
    ranges: list[RangeTerm] = []
    for attribute in source.key.sort:
        if attribute.name in equals:
            require_key_type(attribute, equals[attribute.name])
        else:
            ranges = list(_ranges(terms, attribute))
    return Branch(terms, equals[partition.name], equals, ranges)


def _ranges(terms: Sequence[nodes.ConditionNode], attribute: KeyAttribute) -> Iterator[RangeTerm]:
    """The terms that select a range of one attribute."""
    for term in terms:
        try:
            condition = key_condition(ConditionProgram(resolve_condition(term)), {})
        except ValidationError:
            continue  # Not a key condition: it filters rows.
        for range_term in condition.ranges:
            if range_term.name == attribute.name:
                for value in range_term.values:
                    require_key_type(attribute, value)
                if all(value[attribute.type] for value in range_term.values):
                    yield range_term


def _require_apart(source: Source, branches: list[Branch]) -> None:
    """Raise if two branches could return the same item."""
    for first, second in combinations(branches, 2):
        if first.partition == second.partition:
            spans = [*_spans(source, first), *_spans(source, second)]
            # Intervals intersect if every two of them do.
            if all(_meet(a, b) and _meet(b, a) for a, b in combinations(spans, 2)):
                raise UnsupportedStatement(
                    "Overlapping conditions with range keys are not supported in where clause"
                )


def _spans(source: Source, branch: Branch) -> list[Span]:
    conditions = [KeyCondition(branch.equals, [term]) for term in branch.ranges]
    return [
        query_span(source, condition, None, is_forward=True, limit=None)
        for condition in conditions or [branch.key()]
    ]


def _meet(low: Span, high: Span) -> bool:
    """Whether the first span does not end before the second begins."""
    if low.upper is None or high.lower is None:
        return True
    is_open = low.upper_open or high.lower_open
    return high.lower < low.upper or (high.lower == low.upper and not is_open)


def require_filterable_branches(index: Index, branches: list[Branch]) -> None:
    """Raise if all branches filter by attributes that an index does not project.

    DynamoDB: the message names those of the last partition.
    """
    missing = []
    for branch in sorted(branches, key=lambda branch: next(iter(branch.partition.values()))):
        names: set[str] = set()
        for term in branch.terms:
            names |= _mentioned(term)
        missing.append(index.unprojected(names))
    if missing and all(missing):
        require_filterable(index, missing[-1])
