"""Turns key conditions into spans: the rows of a table or index that a Query reads."""

from __future__ import annotations

from tablewright import limits
from tablewright.engine.items.item_keys import EMPTY_KEY, PARTITION_TOO_LONG, SORT_TOO_LONG
from tablewright.engine.items.page_reads import Source, starting_position
from tablewright.engine.sqlite.spans import Span
from tablewright.engine.tables.catalog import closed, escaped, hash_bytes, packed
from tablewright.engine.tables.table_schema import KeyAttribute, KeySchema
from tablewright.errors import ValidationError
from tablewright.expressions.key_conditions import KeyCondition, RangeTerm
from tablewright.values.attributes import Item, Value
from tablewright.values.keybytes import encode

_NOT_SUPPORTED = "Query key condition not supported"
_OUT_OF_RANGE = "The provided starting key does not match the range key predicate"
_ELSEWHERE = "The provided starting key is outside query boundaries based on provided conditions"


def query_span(
    source: Source,
    condition: KeyCondition,
    start: Item | None,
    *,
    is_forward: bool,
    limit: int | None,
) -> Span:
    """The rows that a key condition selects; raises ValidationError if the key differs."""
    key = source.key
    if key.is_multiple:
        _require_matches_multiple_key(condition, key)
    else:
        _require_matches_key(condition, key.partition[0], key.sort[0] if key.sort else None)
    parts = [
        _key_bytes(attribute, condition.equals[attribute.name], is_sort=False)
        for attribute in key.partition
    ]
    hash_ = hash_bytes(packed(parts))
    lower, lower_open, upper, upper_open = _bounds(condition, key.sort)
    after = None
    if start is not None:
        position = starting_position(source, start, of_scan=False)
        if position[0] != hash_:
            raise ValidationError(_ELSEWHERE if not key.is_multiple else _OUT_OF_RANGE)
        after = position[1:]
        if not _is_within(after[0], lower, lower_open, upper, upper_open):
            raise ValidationError(_OUT_OF_RANGE)
    return Span(
        table=source.table.number,
        index=None if source.index is None else source.index.number,
        partition=hash_,
        lower=lower,
        lower_open=lower_open,
        upper=upper,
        upper_open=upper_open,
        after=after,
        forward=is_forward,
        limit=-1 if limit is None else limit,
    )


def _require_matches_key(
    condition: KeyCondition, partition: KeyAttribute, sort: KeyAttribute | None
) -> None:
    """Require equality on the partition key, and at most one condition on the sort key."""
    ranged = {term.name for term in condition.ranges}
    if partition.name in ranged:
        raise ValidationError(_NOT_SUPPORTED)
    if partition.name not in condition.equals:
        raise ValidationError(f"Query condition missed key schema element: {partition.name}")
    other_names = (ranged | condition.equals.keys()) - {partition.name}
    if other_names and sort is None:
        raise ValidationError(_NOT_SUPPORTED)
    if sort is not None and other_names - {sort.name}:
        if sort.name in other_names:
            raise ValidationError(_NOT_SUPPORTED)
        raise ValidationError(f"Query condition missed key schema element: {sort.name}")


def _require_matches_multiple_key(condition: KeyCondition, key: KeySchema) -> None:
    """Require equality on all partition attributes and on sort attributes before the last used.

    The last may have a range; those after it must be absent.
    """
    names = {*condition.equals, *(term.name for term in condition.ranges)}
    if len(names) > len(key.names):
        raise ValidationError(_NOT_SUPPORTED)
    lacking = [
        attribute.name for attribute in key.partition if attribute.name not in condition.equals
    ]
    if lacking:
        raise ValidationError(
            f"HASH key attributes {', '.join(lacking)} must have equality conditions specified in "
            "the query"
        )
    if names - set(key.names):
        raise ValidationError("Query condition missed key schema element")
    sorts = [attribute.name for attribute in key.sort]
    used = [at for at, name in enumerate(sorts) if name in names]
    if used:
        before = [name for name in sorts[: used[-1]] if name not in condition.equals]
        if before:
            raise ValidationError(
                f"RANGE key attributes {', '.join(before)} must have equality conditions specified "
                f"in the query because a condition is present on key attribute {sorts[used[-1]]}"
            )


Bounds = tuple[bytes | None, bool, bytes | None, bool]


def _bounds(condition: KeyCondition, sort: tuple[KeyAttribute, ...]) -> Bounds:
    """(lower, is lower open, upper, is upper open) of the sort key's bytes."""
    if len(sort) > 1:
        return _multiple_bounds(condition, sort)
    if not sort:
        return None, False, None, False
    equal = condition.equals.get(sort[0].name)
    if equal is not None:
        exact = _key_bytes(sort[0], equal, is_sort=True)
        return exact, False, exact, False
    if not condition.ranges:
        return None, False, None, False
    term: RangeTerm = condition.ranges[0]
    first, *rest = [_key_bytes(sort[0], value, is_sort=True) for value in term.values]
    if term.operator == "BETWEEN":
        return first, False, rest[0], False
    if term.operator == "begins_with":
        return first, False, _after_prefix(first), True
    if term.operator in ("<", "<="):
        return None, False, first, term.operator == "<"
    return first, term.operator == ">", None, False


def _multiple_bounds(condition: KeyCondition, sort: tuple[KeyAttribute, ...]) -> Bounds:
    """The bounds of a sort key with several attributes: a prefix, and a range."""
    prefix = b""
    for attribute in sort:
        equal = condition.equals.get(attribute.name)
        if equal is None:
            break
        prefix += closed(_key_bytes(attribute, equal, is_sort=True))
    lower, upper = prefix, _after_prefix(prefix)
    if condition.ranges:
        term = condition.ranges[0]
        values = [_key_bytes(attribute, value, is_sort=True) for value in term.values]
        first, last = prefix + closed(values[0]), prefix + closed(values[-1])
        if term.operator == "begins_with":
            lower = prefix + escaped(values[0])
            upper = _after_prefix(lower)
        elif term.operator in ("<", "<="):
            upper = first if term.operator == "<" else _after_prefix(first)
        elif term.operator == ">":
            beyond = _after_prefix(first)
            assert beyond is not None, "a closed part ends in zeros"
            lower = beyond
        else:
            lower = first
            if term.operator == "BETWEEN":
                upper = _after_prefix(last)
    return lower, False, upper, True


def _after_prefix(prefix: bytes) -> bytes | None:
    """The smallest bytes after all with this prefix; None if there are none."""
    stem = prefix.rstrip(b"\xff")
    return stem[:-1] + bytes([stem[-1] + 1]) if stem else None


def _key_bytes(attribute: KeyAttribute, value: Value, *, is_sort: bool) -> bytes:
    if attribute.type not in value:
        raise ValidationError(
            "One or more parameter values were invalid: Condition parameter type does not match "
            "schema type"
        )
    scalar = value[attribute.type]
    if not scalar:
        raise ValidationError(EMPTY_KEY[attribute.type] + f" Key: {attribute.name}")
    encoded = encode(attribute.type, scalar)
    most = limits.SORT_KEY_BYTES_MAX if is_sort else limits.PARTITION_KEY_BYTES_MAX
    if len(encoded) > most:
        raise ValidationError(SORT_TOO_LONG if is_sort else PARTITION_TOO_LONG)
    return encoded


def _is_within(
    at: bytes, lower: bytes | None, lower_open: bool, upper: bytes | None, upper_open: bool
) -> bool:
    if lower is not None and (at < lower or (lower_open and at == lower)):
        return False
    return upper is None or at < upper or (not upper_open and at == upper)
