"""Which index serves a pattern, what it asks, and why it cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest

from tablewright import (
    BatchGet,
    Count,
    Design,
    DesignError,
    FanOut,
    Get,
    Index,
    Model,
    Number,
    Query,
    Range,
    Table,
    pattern,
    served,
)

T = Table(
    "forum",
    indexes=[
        Index("GSI1", pk="GSI1PK", sk="GSI1SK"),
        Index("byStars", pk=Number("stars"), sk=Number("score")),
        Index("byPlace", pk=["country", "city"], sk=["street", "house"]),
    ],
)


@T.entity(
    "COMMENT#{itemId}", "{createdAt}#{commentId}", GSI1=("USER#{userId}", "COMMENT#{createdAt}")
)
class Comment(Model):
    item_id: str
    comment_id: str
    user_id: str
    created_at: datetime


@T.entity(
    "COMMENT#{itemId}", "REACTION#{commentId}#{userId}", GSI1=("USER#{userId}", "REACTION#{at}")
)
class Reaction(Model):
    item_id: str
    comment_id: str
    user_id: str
    at: datetime


@T.entity("CONV#{convId}", "META")
class Conversation(Model):
    conv_id: str


@T.entity("CONV#{convId}", "MSG#{at}")
class Message(Model):
    conv_id: str
    at: datetime


# tw: ignore[TW105] one letter a day
@T.entity("LETTER#{day}", "CURRENT", GSI1=("LETTERS", "{day}"))
class Letter(Model):
    day: date


@T.entity("RATING#{id}", "R", byStars=("{stars}", "{score}"))
class Rating(Model):
    id: str
    stars: int
    score: int


@T.entity("HOUSE#{id}", "H", byPlace=(("{country}", "{city}"), ("{street}", "{house}")))
class House(Model):
    id: str
    country: str
    city: str
    street: str
    house: str


class Forum(Design, tables=[T]):
    @pattern()
    def comment(self, item_id: str, created_at: datetime, comment_id: str) -> Get[Comment]:
        return served()

    @pattern()
    def comments_on(self, item_id: str) -> Query[Comment]:
        return served()

    @pattern(desc=True)
    def comments_of(self, user_id: str) -> Query[Comment]:
        return served()

    @pattern()
    def comments_between(self, item_id: str, created_at: Range[datetime]) -> Query[Comment]:
        return served()

    @pattern()
    def reactions_to(self, item_id: str, comment_id: str) -> Query[Reaction]:
        return served()

    @pattern()
    def my_reactions(
        self, item_id: str, comment_id: Sequence[str], user_id: str
    ) -> BatchGet[Reaction]:
        return served()

    @pattern()
    def conversation(self, conv_id: str) -> Query[Conversation | Message]:
        return served()

    @pattern()
    def messages(self, conv_id: str) -> Count[Message]:
        return served()

    @pattern()
    def conversations(self, conv_id: Sequence[str]) -> FanOut[Message]:
        return served()

    @pattern(desc=True)
    def letters(self) -> Query[Letter]:
        return served()

    @pattern()
    def letters_between(self, day: Range[date]) -> Query[Letter]:
        return served()

    @pattern()
    def rated(self, stars: int) -> Query[Rating]:
        return served()

    @pattern()
    def rated_between(self, stars: int, score: Range[int]) -> Query[Rating]:
        return served()

    @pattern()
    def houses(self, country: str, city: str, street: str) -> Query[House]:
        return served()


P = Forum()


def asked(name: str) -> str:
    model = Forum.__design__.patterns[name]
    return f"{model.index}: {model.condition_text()}"


@pytest.mark.parametrize(
    ("name", "condition"),
    [
        ("comment", "the table: PK = COMMENT#{itemId} AND SK = {createdAt}#{commentId}"),
        ("comments_of", "GSI1: GSI1PK = USER#{userId} AND begins_with(GSI1SK, COMMENT#)"),
        (
            "reactions_to",
            "the table: PK = COMMENT#{itemId} AND begins_with(SK, REACTION#{commentId}#)",
        ),
        ("my_reactions", "the table: PK = COMMENT#{itemId} AND SK = REACTION#{commentId}#{userId}"),
        ("conversation", "the table: PK = CONV#{convId}"),
        ("messages", "the table: PK = CONV#{convId} AND begins_with(SK, MSG#)"),
        ("letters", "GSI1: GSI1PK = LETTERS"),
        ("rated", "byStars: stars = {stars}"),
        ("houses", "byPlace: country = {country} AND city = {city} AND street = {street}"),
    ],
)
def test_the_index_is_chosen_from_the_signature(name: str, condition: str) -> None:
    assert asked(name) == condition


def test_rows_without_a_prefix_are_told_from_others_by_the_type_of_their_key() -> None:
    question = P.comments_on("x").bound_pattern
    assert question.partition == {"PK": {"S": "COMMENT#x"}}
    operator, name, low, high = question.sort  # type: ignore[misc]
    assert (operator, name) == ("BETWEEN", "SK")
    assert low["S"] <= "2026-01-01T00:00:00.000Z#c" <= high["S"]  # type: ignore[index]
    assert not low["S"] <= "REACTION#c#u" <= high["S"]  # type: ignore[index]


def test_a_range_covers_whole_keys_at_both_ends() -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    _, _, low, high = P.comments_between("x", Range(at, at)).bound_pattern.sort  # type: ignore[misc]
    assert low["S"] <= "2026-03-01T00:00:00.000Z#zzz" <= high["S"]  # type: ignore[index]
    assert not low["S"] <= "2026-03-01T00:00:00.001Z#aaa" <= high["S"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("wanted", "term"),
    [
        (Range(1, 5), ("BETWEEN", "score", {"N": "1"}, {"N": "5"})),
        (Range(1, None), (">=", "score", {"N": "1"})),
        (Range(None, 5), ("<=", "score", {"N": "5"})),
        (Range(None, None), None),
    ],
)
def test_a_range_of_numbers_is_compared_as_numbers(wanted: Range[int], term: Any) -> None:
    assert P.rated_between(4, wanted).bound_pattern.sort == term


def test_a_range_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(ValueError, match="low end is above its high end"):
        P.rated_between(4, Range(5, 1))


def test_several_attributes_of_an_index_key_are_bound_by_equality() -> None:
    question = P.houses("at", "graz", "hauptplatz").bound_pattern
    assert question.partition == {
        "country": {"S": "at"},
        "city": {"S": "graz"},
        "street": {"S": "hauptplatz"},
    }


def test_arguments_may_be_given_by_name() -> None:
    assert P.reactions_to(comment_id="c", item_id="i").bound_pattern.sort == (
        "begins_with",
        "SK",
        {"S": "REACTION#c#"},
    )


def test_wrong_arguments_are_refused_as_by_any_function() -> None:
    with pytest.raises(TypeError, match="missing a required argument: 'comment_id'"):
        P.reactions_to("i")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'nobody'"):
        P.letters(nobody=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="multiple values"):
        P.reactions_to("i", item_id="i")  # type: ignore[call-arg, misc]


# What cannot be served.


def errors_of(declare: Callable[[Table], type], **options: Any) -> list[str]:
    """What is wrong with the patterns of a class that `declare` makes."""
    try:
        declare(Table("things", **options))
    except DesignError as error:
        return [f"{f.code} {f.cause} {f.example}" for f in error.findings]
    return []


def test_a_pattern_that_nothing_serves_says_why_index_by_index() -> None:
    def declare(table: Table) -> type:
        @table.entity("LEAGUE#{leagueId}", "META", byOwner=("{ownerId}", "{leagueId}"))
        class League(Model):
            league_id: str
            owner_id: str
            sport: str

        class Leagues(Design, tables=[table]):
            @pattern()
            def of_sport(self, sport: str) -> Query[League]:
                return served()

        return Leagues

    indexes = [Index("byOwner", pk="ownerId", sk="leagueId"), Index("other", pk="x", sk="y")]
    (error,) = errors_of(declare, indexes=indexes)
    assert error.startswith("TW201")
    assert "the table: the partition key LEAGUE#{leagueId} also needs league_id" in error
    assert "byOwner: the partition key {ownerId} also needs owner_id" in error
    assert "other: League is not in this index" in error


def test_a_range_over_a_partition_key_is_refused() -> None:
    def declare(table: Table) -> type:
        @table.entity("MATCH#{matchId}", "META", byDate=("{day}", "{matchId}"))
        class Match(Model):
            match_id: str
            day: date

        class Matches(Design, tables=[table]):
            @pattern(index="byDate")
            def between(self, day: Range[date]) -> Query[Match]:
                return served()

        return Matches

    (error,) = errors_of(declare, indexes=[Index("byDate", pk="squashDate", sk="matchId")])
    assert error.startswith("TW202")
    assert "compared with =" in error


def test_a_range_over_a_part_that_keys_do_not_sort_by_is_refused() -> None:
    def declare(table: Table) -> type:
        @table.entity("A#{a}", "{name}#{id}")
        class Row(Model):
            a: str
            name: str
            id: str

        class Rows(Design, tables=[table]):
            @pattern()
            def named(self, a: str, name: Range[str]) -> Query[Row]:
                return served()

        return Rows

    (error,) = errors_of(declare)
    assert "does not sort by name" in error


def test_a_prefix_that_also_returns_another_entity_is_refused_with_its_key() -> None:
    def declare(table: Table) -> type:
        @table.entity("USER#{userId}", "SITE#{siteId}")
        class Rating(Model):
            user_id: str
            site_id: str

        @table.entity("USER#{userId}", "SITE#{siteId}#COMMENT#{commentId}")
        class Remark(Model):
            user_id: str
            site_id: str
            comment_id: str

        class Sites(Design, tables=[table]):
            @pattern()
            def my_ratings(self, user_id: str) -> Query[Rating]:
                return served()

        return Sites

    (error,) = errors_of(declare)
    assert error.startswith("TW203")
    assert "also returns Remark" in error
    assert "#COMMENT#" in error


def test_a_gap_in_the_sort_key_is_reported() -> None:
    def declare(table: Table) -> type:
        @table.entity("A#{a}", "B#{b}#C#{c}")
        class Row(Model):
            a: str
            b: str
            c: str

        class Rows(Design, tables=[table]):
            @pattern()
            def by_c(self, a: str, c: str) -> Query[Row]:
                return served()

        return Rows

    (error,) = errors_of(declare)
    assert "the sort key B#{b}#C#{c} begins with b, not with c" in error


def test_one_row_needs_its_whole_key() -> None:
    def declare(table: Table) -> type:
        @table.entity("A#{a}", "B#{b}")
        class Row(Model):
            a: str
            b: str

        class Rows(Design, tables=[table]):
            @pattern()
            def row(self, a: str) -> Get[Row]:
                return served()

        return Rows

    (error,) = errors_of(declare)
    assert "B#{b} also needs b for one row" in error


def test_a_parameter_that_is_no_field_is_told() -> None:
    def declare(table: Table) -> type:
        @table.entity("A#{a}", "B")
        class Row(Model):
            a: str

        class Rows(Design, tables=[table]):
            @pattern()
            def row(self, nobody: str) -> Get[Row]:
                return served()

        return Rows

    (error,) = errors_of(declare)
    assert "Row has no nobody" in error


def test_a_written_condition_that_matches_no_row_is_refused() -> None:
    def declare(table: Table) -> type:
        @table.entity("USER#{userId}", "COMMENT#{siteId}")
        class Remark(Model):
            user_id: str
            site_id: str

        class Remarks(Design, tables=[table]):
            @pattern(pk="SITE#{siteId}", sk="COMMENT#")
            def of_site(self, site_id: str) -> Query[Remark]:
                return served()

        return Remarks

    (error,) = errors_of(declare)
    assert error.startswith("TW204")


def test_a_written_prefix_without_its_delimiter_is_refused_with_a_longer_value() -> None:
    def declare(table: Table) -> type:
        @table.entity("USER#{userId}", "KW#{token}#TS#{at}")
        class Word(Model):
            user_id: str
            token: str
            at: datetime

        class Words(Design, tables=[table]):
            @pattern(sk="KW#{token}")
            def find(self, user_id: str, token: str) -> Query[Word]:
                return served()

        return Words

    (error,) = errors_of(declare)
    assert error.startswith("TW205")
    assert "matches" in error


def test_a_written_condition_on_what_is_not_bound_is_refused() -> None:
    def declare(table: Table) -> type:
        @table.entity("ITEM#{itemId}", "{at}#{id}")
        class Remark(Model):
            item_id: str
            at: datetime
            id: str

        class Remarks(Design, tables=[table]):
            @pattern(sk="{at}")
            def on_item(self, item_id: str) -> Query[Remark]:
                return served()

        return Remarks

    (error,) = errors_of(declare)
    assert error.startswith("TW206")
    assert "at" in error


def test_errors_of_entities_and_patterns_come_together() -> None:
    def declare(table: Table) -> type:
        @table.entity("A#{a}", "{n}")
        class Row(Model):
            a: str
            n: int

        class Rows(Design, tables=[table]):
            @pattern()
            def one(self, n: int) -> Query[Row]:
                return served()

            @pattern(index="nowhere")
            def two(self, a: str) -> Query[Row]:
                return served()

        return Rows

    codes = [error.split()[0] for error in errors_of(declare)]
    assert codes == ["TW103", "TW201", "TW306"]


def test_a_stub_that_returns_no_operation_is_a_type_error() -> None:
    table = Table("wrong")

    @table.entity("A#{a}", "B")
    class Row(Model):
        a: str

    with pytest.raises(TypeError, match="must return Get"):

        class Rows(Design, tables=[table]):
            @pattern()
            def one(self, a: str) -> Row:
                return served()
