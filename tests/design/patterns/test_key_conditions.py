"""Patterns of several entities return all rows of each, whatever the order of their names."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from tablewright import (
    BatchGet,
    Design,
    DesignError,
    FanOut,
    Get,
    Index,
    Model,
    Query,
    Range,
    Table,
    pattern,
    served,
)
from tablewright.design.patterns.pattern_model import PatternModel


def model_of(patterns: type[Design], name: str = "rows") -> PatternModel:
    return patterns.__design__.patterns[name]


def test_a_union_is_served_by_the_prefix_that_all_keys_share() -> None:
    table = Table("checks")

    @table.entity("SITE#{siteId}", "CHECK#{key}#ART#{n}")
    class Artifact(Model):
        site_id: str
        key: str
        n: str

    @table.entity("SITE#{siteId}", "CHECK#{key}#ANALYSIS#{n}")
    class Analysis(Model):
        site_id: str
        key: str
        n: str

    @table.entity("SITE#{siteId}", "CHECK#{key}#OTHER")
    class Other(Model):
        site_id: str
        key: str

    class One(Design, tables=[table]):
        @pattern()
        def rows(self, site_id: str, key: str) -> Query[Artifact | Analysis]:
            return served()

    class Reversed(Design, tables=[table]):
        @pattern()
        def rows(self, site_id: str, key: str) -> Query[Analysis | Artifact]:
            return served()

    # The delimiter would be a better end, but CHECK#{key}# also begins the keys of Other.
    condition = "PK = SITE#{siteId} AND begins_with(SK, CHECK#{key}#A)"
    assert model_of(One).condition_text() == condition
    assert model_of(Reversed).condition_text() == condition
    assert One().rows("s", "c").bound_pattern.sort == ("begins_with", "SK", {"S": "CHECK#c#A"})


def test_a_row_and_its_parts_are_served_by_the_prefix_up_to_the_delimiter() -> None:
    table = Table("shop")

    @table.entity("P#{key}", "PUB#META")
    class Meta(Model):
        key: str

    @table.entity("P#{key}", "PUB#VAR#{sku}")
    class Variant(Model):
        key: str
        sku: str

    @table.entity("P#{key}", "DRAFT")
    class Draft(Model):
        key: str

    class Shop(Design, tables=[table]):
        @pattern()
        def rows(self, key: str) -> Query[Meta | Variant]:
            return served()

    assert model_of(Shop).condition_text() == "PK = P#{key} AND begins_with(SK, PUB#)"


def test_a_range_over_keys_that_begin_differently_is_refused() -> None:
    table = Table("bank")

    @table.entity("A#{key}", "i#{day}")
    class Income(Model):
        key: str
        day: date

    @table.entity("A#{key}", "p#{day}")
    class Payment(Model):
        key: str
        day: date

    with pytest.raises(DesignError) as caught:

        class Bank(Design, tables=[table]):
            @pattern()
            def rows(self, key: str, day: Range[date]) -> Query[Income | Payment]:
                return served()

    assert "no range has the keys of all entities: i#{day} of Income, p#{day} of Payment" in (
        str(caught.value)
    )


def test_a_range_serves_keys_that_go_on_differently() -> None:
    table = Table("feed")

    @table.entity("A#{key}", "AT#{at}#POST")
    class Post(Model):
        key: str
        at: datetime

    @table.entity("A#{key}", "AT#{at}#LIKE#{by}")
    class Like(Model):
        key: str
        at: datetime
        by: str

    class Feed(Design, tables=[table]):
        @pattern()
        def rows(self, key: str, at: Range[datetime]) -> Query[Post | Like]:
            return served()

    at = datetime(2026, 3, 1, tzinfo=UTC)
    _, _, low, high = Feed().rows("a", Range(at, at)).bound_pattern.sort  # type: ignore[misc]
    for tail in ("POST", "LIKE#z"):
        assert low["S"] <= f"AT#2026-03-01T00:00:00.000Z#{tail}" <= high["S"]  # type: ignore[index]
    assert not low["S"] <= "AT#2026-03-01T00:00:00.001Z#LIKE#a" <= high["S"]  # type: ignore[index]


def test_a_prefix_that_would_end_inside_a_value_is_refused() -> None:
    table = Table("values", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])

    @table.entity("A#{key}", "A", GSI1=("ALL", "{bId}#A"))
    class First(Model):
        key: str
        b_id: str

    @table.entity("B#{key}", "B", GSI1=("ALL", "{bId}"))
    class Second(Model):
        key: str
        b_id: str

    with pytest.raises(DesignError) as caught:

        class Values(Design, tables=[table]):
            @pattern()
            def rows(self, b_id: str) -> Query[First | Second]:
                return served()

    message = str(caught.value)
    assert "TW205" in message
    assert "would end inside b_id" in message


def test_identical_keys_are_compared_as_a_whole() -> None:
    table = Table("values", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])

    @table.entity("A#{key}", "A", GSI1=("ALL", "{bId}"))
    class First(Model):
        key: str
        b_id: str

    @table.entity("B#{key}", "B", GSI1=("ALL", "{bId}"))
    class Second(Model):
        key: str
        b_id: str

    class Values(Design, tables=[table]):
        @pattern()
        def rows(self, b_id: str) -> Query[First | Second]:
            return served()

    assert Values().rows("0").bound_pattern.sort == ("=", "GSI1SK", {"S": "0"})


def test_one_row_of_two_entities_with_different_keys_is_refused() -> None:
    table = Table("values")

    @table.entity("A#{key}", "A")
    class First(Model):
        key: str

    @table.entity("A#{key}", "B")
    class Second(Model):
        key: str

    with pytest.raises(DesignError) as caught:

        class Values(Design, tables=[table]):
            @pattern()
            def rows(self, key: str) -> Get[First | Second]:
                return served()

    assert "the entities have different keys: A of First, B of Second" in str(caught.value)


def test_a_field_of_two_types_is_refused() -> None:
    table = Table("values")

    @table.entity("A#{key}", "{day}#A")
    class First(Model):
        key: str
        day: date

    @table.entity("A#{key}", "{day}#B")
    class Second(Model):
        key: str
        day: str

    with pytest.raises(DesignError) as caught:

        class Values(Design, tables=[table]):
            @pattern()
            def rows(self, key: str, day: date) -> Query[First | Second]:
                return served()

    message = str(caught.value)
    assert "TW215" in message
    assert "day is date, but day of Second is str" in message


def test_typed_bounds_of_a_union_cover_all_entities() -> None:
    table = Table("values")

    @table.entity("A#{day}", "{n:02}#N")
    class Numbered(Model):
        day: date
        n: int

    @table.entity("A#{day}", "{kind}")
    class Kind(Model):
        day: date
        kind: str

    class Values(Design, tables=[table]):
        @pattern()
        def rows(self, day: date) -> Query[Numbered | Kind]:
            return served()

    assert model_of(Values).sort.kind == "none"


def test_times_are_told_from_a_literal_by_their_first_character() -> None:
    table = Table("values")

    @table.entity("A#{key}", "{at}#IN")
    class Arrival(Model):
        key: str
        at: datetime

    @table.entity("A#{key}", "{at}#OUT")
    class Departure(Model):
        key: str
        at: datetime

    @table.entity("A#{key}", "META#")
    class Meta(Model):
        key: str

    class Values(Design, tables=[table]):
        @pattern()
        def rows(self, key: str) -> Query[Arrival | Departure]:
            return served()

    assert Values().rows("a").bound_pattern.sort == ("BETWEEN", "SK", {"S": "0"}, {"S": "9~"})


def test_an_entity_without_the_field_of_a_parameter_is_refused() -> None:
    table = Table("values")

    @table.entity("A#{key}", "A#{tag}")
    class Tagged(Model):
        key: str
        tag: str

    @table.entity("A#{key}", "A")
    class Plain(Model):
        key: str

    with pytest.raises(DesignError) as caught:

        class Values(Design, tables=[table]):
            @pattern()
            def rows(self, key: str, tag: str) -> Query[Tagged | Plain]:
                return served()

    message = str(caught.value)
    assert "TW207" in message
    assert "Plain has no tag" in message


def test_a_partition_may_name_its_field_differently_in_two_entities() -> None:
    table = Table("sites")

    @table.entity("SITE#{key}", "META")
    class Site(Model):
        key: str

    @table.entity("SITE#{siteId}", "PAGE#{n:03}")
    class SitePage(Model):
        site_id: str
        n: int

    class Sites(Design, tables=[table]):
        @pattern()
        def rows(self, site_id: str) -> Query[Site | SitePage]:
            return served()

        @pattern()
        def by_key(self, key: str) -> Query[SitePage | Site]:
            return served()

    for op in (Sites().rows("s1"), Sites().by_key(key="s1")):
        assert op.bound_pattern.partition == {"PK": {"S": "SITE#s1"}}
        assert op.bound_pattern.sort is None


def test_a_field_of_the_partition_may_stand_in_the_sort_key_too() -> None:
    table = Table("orgs")

    @table.entity("ORG#{org}", "ORG#{org}")
    class Org(Model):
        org: str

    @table.entity("ORG#{org}", "ORG#{org}#USER#{user}")
    class User(Model):
        org: str
        user: str

    class Orgs(Design, tables=[table]):
        @pattern()
        def org(self, org: str) -> Get[Org]:
            return served()

        @pattern()
        def users(self, org: str) -> Query[User]:
            return served()

        @pattern()
        def rows(self, org: str) -> Query[Org | User]:
            return served()

    assert Orgs().org("o").bound_pattern.key == {"PK": {"S": "ORG#o"}, "SK": {"S": "ORG#o"}}
    assert Orgs().users("o").bound_pattern.sort == ("begins_with", "SK", {"S": "ORG#o#USER#"})
    assert Orgs().rows("o").bound_pattern.sort == ("begins_with", "SK", {"S": "ORG#o"})


def test_an_index_without_all_rows_serves_only_patterns_that_name_it() -> None:
    table = Table("tasks", indexes=[Index("byOwner", pk="owner", sk="doneAt")])

    @table.entity("TASK#{key}", "TASK", byOwner=("{owner}", "{doneAt}"))
    class Task(Model):
        key: str
        owner: str
        done_at: datetime | None = None

    with pytest.raises(DesignError) as caught:

        class Tasks(Design, tables=[table]):
            @pattern()
            def rows(self, owner: str) -> Query[Task]:
                return served()

    message = str(caught.value)
    assert "TW213" in message
    assert "rows of Task without done_at are not in it; name it, index='byOwner'" in message

    class Done(Design, tables=[table]):
        @pattern(index="byOwner")
        def rows(self, owner: str) -> Query[Task]:
            return served()

        @pattern()
        def between(self, owner: str, done_at: Range[datetime]) -> Query[Task]:
            return served()

    assert model_of(Done).index.name == "byOwner"
    assert model_of(Done, "between").index.name == "byOwner"


def test_parameters_that_an_operation_cannot_take_are_refused() -> None:
    table = Table("values", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])

    @table.entity("A#{key}", "{day}", GSI1=("G#{day}", "{key}"))
    class Row(Model):
        key: str
        day: date

    with pytest.raises(DesignError) as caught:

        class Values(Design, tables=[table]):
            @pattern()
            def ranged(self, key: str, day: Range[date]) -> Get[Row]:
                return served()

            @pattern()
            def single(self, key: str, day: date) -> BatchGet[Row]:
                return served()

            @pattern()
            def many(self, key: list[str]) -> Query[Row]:
                return served()

            @pattern(index="GSI1")
            def batch(self, key: list[str], day: date) -> BatchGet[Row]:
                return served()

            @pattern()
            def fan(self, key: list[str], day: Range[date]) -> FanOut[Row]:
                return served()

    message = str(caught.value)
    assert "day is a range, but one row has one value" in message
    assert "no parameter has many" in message
    assert "which only BatchGet[…] and FanOut[…] can take" in message
    assert "a batch reads rows of the table by their key" in message
    assert "fan:" not in message
