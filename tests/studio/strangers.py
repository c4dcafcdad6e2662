"""Designs that a stranger could bring: keys of numbers and bytes, names that are hard to write."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, Literal

from tablewright import (
    Binary,
    Design,
    Get,
    Index,
    Model,
    Number,
    Query,
    Table,
    pattern,
    served,
)

__all__ = ["PLANTED", "Marks", "Readings"]

PLANTED = "</textarea><script>alert(1)</script><img src=x onerror=alert(1)>'\""

READINGS = Table(
    "Readings",
    Number("pk"),
    Binary("sk"),
    type_attribute=None,
    indexes=[Index("byScore", Number("score"), "name")],
)


@READINGS.entity("{shard}", "{token}", byScore=("{score}", "{name}"))
class Reading(Model):
    """Bytes that are no text, and more digits than a float has."""

    shard: int
    token: bytes
    score: Decimal
    name: str
    data: bytes = b"\x00\xff"


class Readings(Design, tables=[READINGS]):
    @pattern()
    def readings_of(self, shard: int) -> Query[Reading]:
        """All of a shard."""
        return served()

    @pattern()
    def reading(self, shard: int, token: bytes) -> Get[Reading]:
        """One."""
        return served()


MARKS = Table("Marks.and-marks", "p k<b>", "s'k\"é", indexes=[Index("by.Day-1", "d&ay", "s'k\"é")])
DAYS: dict[str, Any] = {"by.Day-1": ("{day}", "M&M'\"#{when}")}


@MARKS.entity(
    "<script>alert(1)</script>#{name}",
    "M&M'\"#{when}",
    type="<img src=x onerror=alert(1)>",
    **DAYS,
)
class Größe(Model):  # noqa: PLC2401 (the point of it)
    """<script>alert(1)</script> <img src=x onerror=alert(1)>"""

    name: str
    when: date
    day: date
    kind: Literal["<script>alert(1)</script>", "ü/é?x=1&y#z%"]
    note: str = PLANTED


class Marks(Design, tables=[MARKS]):
    @pattern()
    def größen(self, name: str) -> Query[Größe]:  # noqa: PLC2401 (the point of it)
        """<script>alert(1)</script> <img src=x onerror=alert(1)>"""
        return served()

    @pattern(index="by.Day-1")
    def of_a_day(self, day: date) -> Query[Größe]:
        """Of a day."""
        return served()
