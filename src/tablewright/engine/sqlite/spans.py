"""Spans: the rows of a table or index to read, their order, and the SQL for it.

The SQL depends only on a span's form, so that SQLite prepares few statements; values are bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class Span:
    """The rows to read, and their order.

    `partition` selects one partition; without it the rows are between `first_hash` (inclusive) and
    `last_hash` (exclusive). `after` is the position of the last row already read: (range,) or, in
    an index, (range, item_hash, item_range), each with the hash before it when there is no
    partition.
    """

    table: int
    index: int | None = None
    partition: bytes | None = None
    lower: bytes | None = None
    lower_open: bool = False
    upper: bytes | None = None
    upper_open: bool = False
    first_hash: bytes | None = None
    last_hash: bytes | None = None
    after: tuple[bytes, ...] | None = None
    forward: bool = True
    limit: int = -1


class _Form(NamedTuple):
    """The properties that determine a span's SQL; `lower` and `upper` are operators or empty."""

    table: int
    of_index: int | None
    is_partition: bool
    lower: str
    upper: str
    after: int
    forward: bool


@lru_cache(maxsize=4096)
def _statement(form: _Form) -> str:
    table, index, is_partition, lower, upper, after, forward = form
    source = "t" if index is None else "i"
    columns = ["range"] if index is None else ["range", "item_hash", "item_range"]
    if not is_partition:
        columns.insert(0, "hash")
    bounded = "range" if is_partition else "hash"
    where = [f"{source}.hash = ?"] if is_partition else []
    if lower:
        where.append(f"{source}.{bounded} {lower} ?")
    if upper:
        where.append(f"{source}.{bounded} {upper} ?")
    if after:
        position = ", ".join(f"{source}.{column}" for column in columns)
        holes = ", ".join("?" * after)
        where.append(f"({position}) {'>' if forward else '<'} ({holes})")
    order = ", ".join(f"{source}.{column} {'ASC' if forward else 'DESC'}" for column in columns)
    # CROSS JOIN keeps SQLite from reordering: walk the index, look each item up.
    rows = (
        f"items_{table} AS t"
        if index is None
        else f"index_{table}_{index} AS i CROSS JOIN items_{table} AS t"
        " ON t.hash = i.item_hash AND t.range = i.item_range"
    )
    condition = f" WHERE {' AND '.join(where)}" if where else ""
    return f"SELECT t.size, t.body FROM {rows}{condition} ORDER BY {order} LIMIT ?"


def span_query(span: Span) -> tuple[str, list[Any]]:
    """The statement that reads a span, and the values to bind."""
    bindings: list[Any] = []
    lower = upper = ""
    if span.partition is not None:
        bindings.append(span.partition)
        low, high = span.lower, span.upper
    else:
        low, high = span.first_hash, span.last_hash
    if low is not None:
        lower = ">" if span.lower_open else ">="
        bindings.append(low)
    if high is not None:
        upper = "<" if span.upper_open or span.partition is None else "<="
        bindings.append(high)
    after = span.after or ()
    bindings.extend(after)
    bindings.append(span.limit)
    is_partition = span.partition is not None
    form = _Form(span.table, span.index, is_partition, lower, upper, len(after), span.forward)
    return _statement(form), bindings
