"""What a design must hold, and the errors that say it does not: all together, with examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

import pytest

from tablewright import Design, DesignError, Index, Model, Ref, Table, ref


def errors_of(declare: Callable[[Table], None], **options: object) -> list[str]:
    """The codes of what is wrong with a table that `declare` declares on."""
    table = Table("things", **options)  # type: ignore[arg-type]
    declare(table)
    try:

        class Nothing(Design, tables=[table]):
            pass

    except DesignError as error:
        return [f"{finding.code} {finding.cause} {finding.example}" for finding in error.findings]
    return []


def test_two_entities_that_can_make_the_same_key_are_refused_with_that_key() -> None:
    def declare(table: Table) -> None:
        @table.entity("USER#{userId}", "{name}")
        class Anything(Model):
            user_id: str
            name: str

        @table.entity("USER#{userId}", "PROFILE")
        class Profile(Model):
            user_id: str

    (error,) = errors_of(declare)
    assert error.startswith("TW102")
    assert "/ PROFILE" in error


def test_disjoint_prefixes_are_proved_apart() -> None:
    def declare(table: Table) -> None:
        @table.entity("USER#{userId}", "A#{name}")
        class One(Model):
            user_id: str
            name: str

        @table.entity("USER#{userId}", "AB#{name}")
        class Two(Model):
            user_id: str
            name: str

    assert errors_of(declare) == []


def test_a_number_without_width_in_a_sort_key_is_refused() -> None:
    def declare(table: Table) -> None:
        @table.entity("GAME#{gameId}", "GOAL#{minute}")
        class Goal(Model):
            game_id: str
            minute: int

    (error,) = errors_of(declare)
    assert error.startswith("TW103")
    assert "sorts before" in error


def test_a_number_with_width_in_a_sort_key_is_fine() -> None:
    def declare(table: Table) -> None:
        @table.entity("GAME#{gameId}", "GOAL#{minute:04}")
        class Goal(Model):
            game_id: str
            minute: int

    assert errors_of(declare) == []


def test_concatenation_that_lets_the_delimiter_through_is_refused_with_a_pair() -> None:
    def declare(table: Table) -> None:
        @table.entity("GAME#{gameId}", "ROSTER#{teamId}#{playerId}")
        class Roster(Model):
            game_id: str
            team_id: str
            player_id: str

    (error,) = errors_of(declare, unchecked=True)
    assert error.startswith("TW101")
    assert "both have the key 'ROSTER#" in error


def test_an_item_that_would_enter_an_index_by_accident_is_refused() -> None:
    def declare(table: Table) -> None:
        @table.entity("PLAYER#{playerId}", "MATCH#{matchId}")
        class Participation(Model):
            player_id: str
            match_id: str
            squash_date: str

    (error,) = errors_of(declare, indexes=[Index("byDate", pk="squashDate", sk="matchId")])
    assert error.startswith("TW301")
    assert "byDate" in error


def test_a_write_that_cannot_fit_one_transaction_is_refused() -> None:
    def declare(table: Table) -> None:
        @table.entity("SITE#{id}", "METADATA")
        class Site(Model):
            id: str

        @table.entity("SITE#{id}", "TAG#{tag}")
        class Tag(Model):
            id: str
            tag: str

        @table.derive(Site, max=50)
        def tags(site: Site) -> Iterator[Tag]:
            yield Tag(id=site.id, tag="x")

    (error,) = errors_of(declare)
    assert error.startswith("TW501")
    assert "101 actions" in error


def test_counters_cannot_belong_to_a_staged_write() -> None:
    def declare(table: Table) -> None:
        @table.entity("SITE#{id}", "METADATA")
        class Site(Model):
            id: str
            total: int = 0

        @table.entity("SITE#{id}", "TAG#{tag}")
        class Tag(Model):
            id: str
            tag: str

        @table.entity("LIST#{name}", "SITE#{id}")
        class Listed(Model):
            name: str
            id: str

        @table.derive(Listed)
        def tags(row: Listed) -> Iterator[Tag]:
            yield Tag(id=row.id, tag="x")

        @table.count(Listed, "total")
        def listed(row: Listed) -> Ref[Site]:
            return ref(Site, id=row.id)

    (error,) = errors_of(declare)
    assert error.startswith("TW502")


def test_mistakes_of_many_kinds_come_together() -> None:
    def declare(table: Table) -> None:
        @table.entity("USER#{userId}", "NAME#{nickname}")
        class Named(Model):
            user_id: str
            name: str

        @table.entity("USER#{userId}", "AT#{seenAt}")
        class Seen(Model):
            user_id: str
            seen_at: datetime | None = None

        @table.entity("USER#{userId}", "{one}{two}")
        class Joined(Model):
            user_id: str
            one: str
            two: str

        @table.entity("X#{userId}", "Y", nowhere=("A", "B"), mark="gone")
        class Lost(Model):
            user_id: str

    codes = [error.split()[0] for error in errors_of(declare)]
    assert codes == ["TW106", "TW107", "TW109", "TW306", "TW106"]


def test_a_counter_on_a_field_that_does_not_exist_is_refused() -> None:
    def declare(table: Table) -> None:
        @table.entity("SITE#{id}", "METADATA")
        class Site(Model):
            id: str

        @table.entity("SITE#{id}", "VISIT#{name}")
        class Visit(Model):
            id: str
            name: str

        @table.count(Visit, "visits")
        def visits(visit: Visit) -> Ref[Site]:
            return ref(Site, id=visit.id)

    (error,) = errors_of(declare)
    assert error.startswith("TW106")


def test_an_error_names_the_file_and_line_of_its_declaration() -> None:
    table = Table("placed")

    @table.entity("A", "{n}")
    class Numbered(Model):
        n: int

    with pytest.raises(DesignError, match=r"test_proofs\.py:\d+: TW103 Numbered"):

        class Nothing(Design, tables=[table]):
            pass


def test_an_error_that_is_explained_in_place_is_not_raised() -> None:
    table = Table("explained")

    @table.entity("A", "{n}")  # tw: ignore[TW103] the numbers have one digit
    class Numbered(Model):
        n: int

    class Nothing(Design, tables=[table]):
        pass

    assert [finding.code for finding in Nothing.__design__.findings] == ["TW103"]


def test_an_explanation_without_a_reason_explains_nothing() -> None:
    table = Table("unexplained")

    @table.entity("A", "{n}")  # tw: ignore[TW103]
    class Numbered(Model):
        n: int

    with pytest.raises(DesignError, match="TW103"):

        class Nothing(Design, tables=[table]):
            pass
