"""The list of reserved words. Source: the Developer Guide, "Reserved words in DynamoDB"."""

from __future__ import annotations

from tablewright.expressions.reserved_words import RESERVED_WORDS


def test_there_are_as_many_as_aws_lists() -> None:
    assert len(RESERVED_WORDS) == 573


def test_some_that_surprise_people_are_among_them() -> None:
    assert {
        "NAME",
        "STATUS",
        "TTL",
        "DATA",
        "SIZE",
        "COUNTER",
        "ZONE",
        "FLATTERN",
    } <= RESERVED_WORDS
    assert not {"CONTAINS", "ID", "PK", "SK"} & RESERVED_WORDS
