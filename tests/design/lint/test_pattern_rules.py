"""Rules about access patterns: what is never asked, and what has no way back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablewright import Design, Get, Index, Model, Query, Table, pattern, served
from tests.design.lint.findings_of import findings_of


def test_a_table_without_any_pattern_is_found() -> None:
    table = Table("silent")

    @table.entity("A#{a}", "B")
    class Row(Model):
        a: str

    (finding,) = findings_of("TW210", table)
    assert finding.subject == "silent"
    assert finding.place.file == __file__

    class Nothing(Design, tables=[table]):
        pass

    assert len(findings_of("TW210", Nothing)) == 1

    class Asked(Design, tables=[table]):
        @pattern()
        def row(self, a: str) -> Get[Row]:
            return served()

    assert findings_of("TW210", Asked) == []


def test_an_entity_that_no_pattern_returns_is_found_unless_it_is_a_guard() -> None:
    table = Table("read")

    @table.entity("A#{a}", "B")
    class Read(Model):
        a: str

    @table.entity("A#{a}", "C")
    class Unread(Model):
        a: str

    @table.entity("GUARD#{a}", "C")
    class Guard(Model):
        a: str

    @table.unique(Read)
    def guard(row: Read) -> Guard:
        return Guard(a=row.a)

    class Some(Design, tables=[table]):
        @pattern()
        def row(self, a: str) -> Get[Read]:
            return served()

    assert [finding.subject for finding in findings_of("TW211", Some)] == ["Unread"]

    class All(Design, tables=[table]):
        @pattern()
        def rows(self, a: str) -> Query[Read | Unread]:
            return served()

    assert findings_of("TW211", All) == []


def test_entities_are_not_reported_one_by_one_where_there_are_no_patterns() -> None:
    table = Table("unasked", indexes=[Index("byName", pk="name")])

    @table.entity("A#{a}", "B", byName="{name}")
    class Row(Model):
        a: str
        name: str

    assert findings_of("TW211", table) == []
    assert findings_of("TW302", table) == []


# Links.


def one_way(table: Table) -> None:
    @table.entity("USER#{athleteId}", "COACH#{coachId}")
    class CoachLink(Model):
        athlete_id: str
        coach_id: str


def mirrored(table: Table) -> None:
    one_way(table)

    @table.entity("USER#{coachId}", "ATHLETE#{athleteId}")
    class AthleteLink(Model):
        athlete_id: str
        coach_id: str


def indexed(table: Table) -> None:
    @table.entity("USER#{athleteId}", "COACH#{coachId}", byCoach=("{coachId}", "{athleteId}"))
    class CoachLink(Model):
        athlete_id: str
        coach_id: str


def owned(table: Table) -> None:
    @table.entity("GAME#{gameId}", "AUDIT#{auditId}")
    class Audit(Model):
        game_id: str
        audit_id: str


def beside(table: Table) -> None:
    @table.entity("THREAD#{threadId}", "MSG#{messageId}#{n:02}")
    class Message(Model):
        thread_id: str
        message_id: str
        n: int

    @table.entity("THREAD#{threadId}", "TURN#{messageId}")
    class Turn(Model):
        thread_id: str
        message_id: str


def test_a_link_that_is_found_from_one_side_only_is_found() -> None:
    table = Table("links")
    one_way(table)
    (finding,) = findings_of("TW212", table)
    assert finding.subject == "CoachLink"
    assert "can be queried by athlete, but not by coach" in finding.cause


@pytest.mark.parametrize("declare", [mirrored, indexed, owned, beside])
def test_a_link_with_a_mirror_or_index_and_what_is_no_link_are_fine(
    declare: Callable[[Table], None],
) -> None:
    table = Table("links", indexes=[Index("byCoach", pk="coachId", sk="athleteId")])
    declare(table)
    assert findings_of("TW212", table) == []
