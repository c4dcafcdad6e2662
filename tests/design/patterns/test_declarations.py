"""A class of access patterns: any name for a pattern, and mistakes that are found at import."""

from __future__ import annotations

import pytest

from tablewright import Design, DesignError, Get, Model, Query, Table, pattern, served


def test_a_pattern_can_have_any_name() -> None:
    table = Table("names")

    @table.entity("A#{key}", "A")
    class Row(Model):
        key: str

    class Names(Design, tables=[table]):
        @pattern()
        def findings(self, key: str) -> Get[Row]:
            return served()

        @pattern()
        def tables(self, key: str) -> Query[Row]:
            return served()

        @pattern()
        def models(self, key: str) -> Query[Row]:
            return served()

    assert [*Names.__design__.patterns] == ["findings", "tables", "models"]
    assert Names().findings("k").bound_pattern.key == {"PK": {"S": "A#k"}, "SK": {"S": "A"}}


def test_the_tables_are_those_of_the_entities_if_they_are_left_out() -> None:
    table = Table("names")

    @table.entity("A#{key}", "A")
    class Row(Model):
        key: str

    class Names(Design):
        @pattern()
        def row(self, key: str) -> Get[Row]:
            return served()

    assert Names.__design__.tables == (table,)


def test_a_stub_without_its_decorator_is_refused() -> None:
    table = Table("names")

    @table.entity("A#{key}", "A")
    class Row(Model):
        key: str

    with pytest.raises(DesignError) as caught:

        class Names(Design, tables=[table]):
            def row(self, key: str) -> Get[Row]:
                return served()

            def helper(self) -> int:
                return 1

    (finding,) = caught.value.findings
    assert (finding.code, finding.subject) == ("TW216", "row")
