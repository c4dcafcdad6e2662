"""The five documents as they are written: lint shows what each of them got wrong."""

from __future__ import annotations

from importlib import import_module

import pytest

from tablewright.design.findings import Finding, deferred_errors
from tablewright.design.lint import lint


def documented(name: str, code: str, subject: str) -> Finding:
    """The one finding of a rule about a subject in a transcription."""
    with deferred_errors():
        module = import_module(f"tests.design.transcriptions.{name}")
    report = lint(module)
    (finding,) = [f for f in report.findings if (f.code, f.subject) == (code, subject)]
    return finding


def test_funkedupshift_asks_for_a_range_of_a_partition_key() -> None:
    finding = documented("funkedupshift", "TW202", "list_by_date_range")
    assert finding.severity == "error"
    assert "partition key squashDate" in finding.cause
    assert "squashDate BETWEEN" in finding.example
    assert "ValidationException" in finding.example


def test_funkedupshift_looks_for_comments_where_none_are_stored() -> None:
    finding = documented("funkedupshift", "TW204", "comments_for_a_site")
    assert finding.severity == "error"
    assert "begins_with(SK, COMMENT#) never matches Comment" in finding.cause
    assert "USER#{userId}" in finding.example


def test_funkedupshift_returns_comments_memberships_and_profile_among_ratings() -> None:
    finding = documented("funkedupshift", "TW203", "my_ratings")
    assert finding.severity == "error"
    assert "also returns Comment, Membership, Profile" in finding.cause
    assert "#COMMENT#" in finding.example


def test_funkedupshift_has_five_partitions_of_stars_and_one_of_each_type() -> None:
    stars = documented("funkedupshift", "TW401", "Rating")
    assert stars.severity == "warning"
    assert "byStars has 5 partition values" in stars.cause
    for name, value in [
        ("Site", "SITE"),
        ("Group", "GROUP"),
        ("Player", "SQUASH_PLAYER"),
        ("Match", "SQUASH_MATCH"),
    ]:
        cause = documented("funkedupshift", "TW401", name).cause
        assert f"one partition: entityType = {value} " in cause
        assert "byEntity has 4 partition values" in cause


def test_roll_model_cannot_list_the_athletes_of_a_coach() -> None:
    finding = documented("roll_model", "TW212", "CoachLink")
    assert finding.severity == "warning"
    assert "can be queried by athlete, but not by coach" in finding.cause
    assert "coach_id" in finding.example


def test_roll_model_lets_a_word_break_its_key_and_a_prefix_find_longer_words() -> None:
    ambiguous = documented("roll_model", "TW101", "Keyword")
    assert ambiguous.severity == "error"
    assert "token='a#" in ambiguous.example
    assert "both have the key 'KW#a#TS#" in ambiguous.example
    assert "token" in documented("roll_model", "TW601", "Keyword").cause
    prefix = documented("roll_model", "TW205", "find_by_keyword")
    assert prefix.severity == "error"
    assert "'KW#abc' matches 'KW#abcbar'" in prefix.example


@pytest.mark.parametrize(("name", "rows"), [("keywords", "Keyword"), ("meta", "EntryMeta")])
def test_roll_model_writes_derived_rows_outside_the_transaction(name: str, rows: str) -> None:
    finding = documented("roll_model", "TW506", name)
    assert finding.severity == "error"
    assert f"{rows} rows are not written in the transaction of Entry" in finding.cause
    assert "UnprocessedItems" in finding.example


def test_stayon_normalises_ids_breaks_its_own_case_never_expires_and_lists_no_patterns() -> None:
    normalised = documented("stayon", "TW104", "Shareable")
    assert "'ab-c'" in normalised.example
    assert "'abc'" in normalised.example
    assert (
        "'shareable#' would be 'SHAREABLE#'" in documented("stayon", "TW108", "Shareable").example
    )
    assert "no TTL attribute" in documented("stayon", "TW507", "Shareable").cause
    assert "no access pattern" in documented("stayon", "TW210", "ShortIdPool, Main").cause


def test_3fc_has_no_way_to_the_leagues_of_a_user() -> None:
    finding = documented("threefc", "TW201", "list_leagues_of_user")
    assert finding.severity == "error"
    assert "LEAGUE#{leagueId} also needs league_id" in finding.cause
    assert "scan of the whole table" in finding.consequence
    assert (
        "can be queried by league, but not by user" in documented("threefc", "TW212", "Acl").cause
    )


def test_3fc_can_give_two_roster_rows_one_key() -> None:
    finding = documented("threefc", "TW101", "Roster")
    assert finding.severity == "error"
    assert "(team_id='a#b', player_id='c')" in finding.example
    assert "(team_id='a', player_id='b#c')" in finding.example
    assert "both have the key 'ROSTER#a#b#c'" in finding.example


def test_hold_that_thought_asks_for_a_prefix_that_nobody_knows() -> None:
    finding = documented("hold_that_thought", "TW206", "list_comments_on_item")
    assert finding.severity == "error"
    assert "needs timestamp" in finding.cause
    assert "also returns Reaction" in finding.example


def test_hold_that_thought_overwrites_the_first_of_two_letters_of_a_day() -> None:
    finding = documented("hold_that_thought", "TW105", "Letter")
    assert finding.severity == "error"
    assert "LETTER#2026-01-02 / CURRENT" in finding.example
    assert "overwrites" in finding.example


def test_hold_that_thought_expires_by_an_attribute_of_another_case() -> None:
    finding = documented("hold_that_thought", "TW704", "RateLimit")
    assert finding.severity == "warning"
    assert "it has the attribute TTL" in finding.cause
    assert "the TTL attribute of HoldThatThought is ttl" in finding.cause


def test_hold_that_thought_cannot_list_its_users() -> None:
    finding = documented("hold_that_thought", "TW201", "list_users")
    assert finding.severity == "error"
    assert "GSI1: UserProfile is not in this index" in finding.cause


@pytest.mark.parametrize(
    "name", ["roll_model", "funkedupshift", "threefc", "hold_that_thought", "stayon"]
)
def test_the_designs_made_of_the_documents_have_nothing_left_unexplained(name: str) -> None:
    report = lint(import_module(f"tablewright.systems.{name}.design"))
    assert report.findings == ()
