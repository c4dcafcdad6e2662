"""Rules about keys: each fires on a planted mistake and is silent once it is repaired."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

import pytest

from tablewright import Design, Index, Model, Query, Table, Ulid, pattern, served
from tests.design.lint.findings_of import findings_of


def normalised(key: str) -> Table:
    table = Table("pages")

    @table.entity(key, "META")
    class Page(Model):
        short_id: str

    return table


@pytest.mark.parametrize(
    ("spec", "example"),
    [
        ("compact", "short_id = 'ab-c' and short_id = 'abc' both have the key 'abc'"),
        ("lower", "short_id = 'abc' and short_id = 'ABC' both have the key 'abc'"),
        ("upper", "short_id = 'abc' and short_id = 'ABC' both have the key 'ABC'"),
        ("lower|escaped", "both have the key 'abc'"),
    ],
)
def test_a_normalised_value_in_a_key_is_found_with_two_values_of_one_key(
    spec: str, example: str
) -> None:
    (finding,) = findings_of("TW104", normalised(f"PAGE#{{shortId:{spec}}}"))
    assert example in finding.example


@pytest.mark.parametrize("key", ["PAGE#{shortId}", "PAGE#{shortId:lower}#{shortId}"])
def test_an_exact_value_in_a_key_is_fine_even_beside_a_normalised_one(key: str) -> None:
    assert findings_of("TW104", normalised(key)) == []


def test_a_normalised_value_is_fine_in_an_index_and_in_a_guard() -> None:
    table = Table("people", indexes=[Index("byName", pk="kind", sk="sortName")])

    @table.entity("PERSON#{id}", "META", byName=("PERSON", "{name:lower}"))
    class Person(Model):
        id: str
        name: str

    @table.entity("NAME#{name:lower}", "META")
    class Name(Model):
        name: str

    @table.unique(Person)
    def one_of_a_name(person: Person) -> Name:
        return Name(name=person.name)

    class People(Design, tables=[table]):
        pass

    assert findings_of("TW104", People) == []


def letters(key: str) -> Table:
    table = Table("letters")

    @table.entity(key, "CURRENT")
    class Letter(Model):
        date: date
        letter_id: str
        written_at: datetime

    return table


def test_a_key_in_which_only_a_day_varies_is_found_with_the_key_of_two_items() -> None:
    (finding,) = findings_of("TW105", letters("LETTER#{date}"))
    assert "'LETTER#2026-01-02 / CURRENT'" in finding.example


def test_a_key_in_which_only_a_time_varies_is_found_at_any_resolution() -> None:
    (finding,) = findings_of("TW105", letters("LETTER#{writtenAt}"))
    assert "only the time varies" in finding.cause


@pytest.mark.parametrize("key", ["LETTER#{date}#{letterId}", "LETTERS"])
def test_a_key_with_an_id_or_of_one_row_is_fine(key: str) -> None:
    assert findings_of("TW105", letters(key)) == []


def cased(key: str, case: Literal["upper", "lower"] | None) -> Table:
    table = Table("cased", static_case=case)

    @table.entity(key, "01#")
    class Row(Model):
        Name: str

    return table


def test_a_fixed_part_in_the_other_case_is_found() -> None:
    (finding,) = findings_of("TW108", cased("shareable#{Name}", "upper"))
    assert "'shareable#' would be 'SHAREABLE#'" in finding.example


@pytest.mark.parametrize(
    ("key", "case"),
    [("SHAREABLE#{Name}", "upper"), ("shareable#{Name}", "lower"), ("Shareable#{Name}", None)],
)
def test_fixed_parts_as_the_table_says_are_fine(
    key: str, case: Literal["upper", "lower"] | None
) -> None:
    assert findings_of("TW108", cased(key, case)) == []


def listed(sort_key: str) -> type[Design]:
    table = Table("players")

    @table.entity("LEAGUE#{leagueId}", sort_key)
    class Player(Model):
        league_id: str
        nickname: str
        level: Literal[1, 2, 10]
        player_id: Ulid
        code: str

    class Players(Design, tables=[table]):
        @pattern()
        def by_name(self, league_id: str) -> Query[Player]:
            return served()

    return Players


def test_an_order_by_text_that_a_lower_character_breaks_is_found_with_two_values() -> None:
    (finding,) = findings_of("TW111", listed("PLAYER#{nickname}#{playerId}"))
    assert "by_name returns rows in the order of PLAYER#{nickname}#{playerId}" in finding.cause
    long, short = "abc d#", "abc#"
    assert f"{long!r} sorts before {short!r}" in finding.example
    assert long < short  # What the example says is so.


def test_an_order_of_choices_that_sort_otherwise_as_text_is_found() -> None:
    (finding,) = findings_of("TW111", listed("PLAYER#{level}#{playerId}"))
    assert "'10' sorts before '2'" in finding.example


@pytest.mark.parametrize(
    "sort_key",
    [
        "PLAYER#{nickname:escaped}#{playerId}",
        "PLAYER#{playerId}#{nickname}",
        "PLAYER#{nickname}",
        "PLAYER#{code}#{playerId}",
    ],
)
def test_an_order_that_is_kept_or_that_nobody_expects_is_fine(sort_key: str) -> None:
    assert findings_of("TW111", listed(sort_key)) == []
