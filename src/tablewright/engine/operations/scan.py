"""Scan: all items of a table or index, or of one segment of it."""

from __future__ import annotations

from tablewright.engine.command_context import Tx
from tablewright.engine.items.page_reads import (
    Source,
    describe_page,
    read_page,
    require_readable,
    starting_position,
)
from tablewright.engine.items.page_requests import page_shape, starting_key, window_of
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.legacy_parameters import FILTER, rewrite_legacy_parameters
from tablewright.engine.requests.placeholders import placeholders, wants_capacity
from tablewright.engine.requests.shapes import Integer
from tablewright.engine.sqlite.spans import Span
from tablewright.errors import ValidationError
from tablewright.limits import SEGMENTS_MAX
from tablewright.values.attributes import Item

SHAPE = page_shape(
    ScanFilter=FILTER,
    TotalSegments=Integer(range=(1, SEGMENTS_MAX)),
    Segment=Integer(range=(0, SEGMENTS_MAX - 1)),
)
_EXPRESSIONS = ("ProjectionExpression", "FilterExpression")
_LEGACY = ("AttributesToGet", "ScanFilter", "ConditionalOperator")
_HASHES = 2**32  # A stored hash begins with four bytes of checksum: see `catalog.hash_bytes`.


def parse(request: Request) -> Command:
    request = rewrite_legacy_parameters(request, _EXPRESSIONS, _LEGACY)
    segment, segments = _segment(request)
    start = starting_key(request)
    bound = placeholders(request, *_EXPRESSIONS)
    window = window_of(request, bound)
    bound.require_all_used()
    capacity = wants_capacity(request)
    table_name, index_name = request["TableName"], request.get("IndexName")

    def command(tx: Tx) -> Response:
        source = Source(tx.table(table_name), index_name)
        require_readable(source, window)
        span = _scan_span(source, start, segment, segments, window.limit)
        return describe_page(source, window, read_page(tx, source, span, window), capacity)

    return command


def _segment(request: Request) -> tuple[int, int]:
    """The segment to read, and the number of segments."""
    segment, segments = request.get("Segment"), request.get("TotalSegments")
    if segment is None and segments is None:
        return 0, 1
    if segments is None:
        raise ValidationError(
            "The TotalSegments parameter is required but was not present in the request when "
            "Segment parameter is present"
        )
    if segment is None:
        raise ValidationError(
            "The Segment parameter is required but was not present in the request when parameter "
            "TotalSegments is present"
        )
    if segment >= segments:
        raise ValidationError(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {segment} is not less than TotalSegments: {segments}"
        )
    return segment, segments


def _scan_span(
    source: Source, start: Item | None, segment: int, segments: int, limit: int | None
) -> Span:
    first, last = _edge(segment, segments), _edge(segment + 1, segments)
    after = None
    if start is not None:
        after = starting_position(source, start, of_scan=True)
        if after[0] < (first or b"") or (last is not None and after[0] >= last):
            raise ValidationError(
                "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
                f"ExclusiveStartKey with correct Segment. TotalSegments: {segments} "
                f"Segment: {segment}"
            )
    return Span(
        table=source.table.number,
        index=None if source.index is None else source.index.number,
        first_hash=first,
        last_hash=last,
        after=after,
        limit=-1 if limit is None else limit,
    )


def _edge(segment: int, segments: int) -> bytes | None:
    """The first hash of a segment; None before the first and after the last."""
    if segment in (0, segments):
        return None
    return (segment * _HASHES // segments).to_bytes(4, "big")


OPERATION = Operation("Scan", SHAPE, "read", parse)
