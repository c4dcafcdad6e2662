"""Explanations: what is sent, in which order, and what it comes to. Units are in test_costs."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from tablewright import Unit, constant, create, patch, ref, save
from tablewright.design.proofs import actions_max
from tablewright.errors import NotDeclared, PlanError
from tablewright.explain.explainer import explain, explain_pattern, explain_patterns
from tablewright.explain.explanation import document
from tablewright.explain.prices import price_in
from tablewright.explain.write_bounds import bound_of
from tablewright.explain.write_costs import writing
from tablewright.explain.write_examples import explain_write, explain_writes
from tablewright.systems.funkedupshift import design as sites
from tablewright.systems.hold_that_thought import design as letters
from tablewright.systems.roll_model import design as journal
from tablewright.systems.stayon import design as pages
from tablewright.systems.threefc import design as football
from tests.plan import library

PRICE = price_in("us-east-1")
DESIGNS: list[Any] = [journal, sites, pages, football, letters]

# Requests.

UUID = "6f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0"
REQUESTS: dict[str, tuple[Any, str, dict[str, Any], str, dict[str, Any]]] = {
    "a get by its whole key": (
        journal.P,
        "get_link",
        {"athlete_id": "a1", "coach_id": "c1"},
        "GetItem",
        {
            "TableName": "RollModel",
            "Key": {"PK": {"S": "USER#a1"}, "SK": {"S": "COACH#c1"}},
            "ConsistentRead": True,
        },
    ),
    "a query of an index, newest first": (
        letters.P,
        "list_comments_of_user",
        {"user_id": "u1"},
        "Query",
        {
            "TableName": "HoldThatThought",
            "IndexName": "GSI1",
            "KeyConditionExpression": "#0 = :0 AND begins_with(#1, :1)",
            "ScanIndexForward": False,
            "ExpressionAttributeNames": {"#0": "GSI1PK", "#1": "GSI1SK"},
            "ExpressionAttributeValues": {":0": {"S": "USER#u1"}, ":1": {"S": "COMMENT#"}},
        },
    ),
    "a get that is a query of one": (
        sites.P,
        "get_comment",
        {},
        "Query",
        {
            "TableName": "fus-main",
            "IndexName": "bySite",
            "KeyConditionExpression": "#0 = :0 AND #1 = :1",
            "ExpressionAttributeNames": {"#0": "commentSite", "#1": "commentSk"},
            "ExpressionAttributeValues": {
                ":0": {"S": f"SITE#{UUID}"},
                ":1": {"S": "COMMENT#2026-01-02T03:04:05.678Z#01HZX3KQ9M5V7T2R8WCY4E6ABD"},
            },
            "Limit": 1,
        },
    ),
    "a batch": (
        football.P,
        "leagues",
        {"league_id": ["01HZX3KQ9M5V7T2R8WCY4E6ABD"]},
        "BatchGetItem",
        {
            "RequestItems": {
                "3fc-local-app": {
                    "Keys": [
                        {
                            "pk": {"S": "LEAGUE#01HZX3KQ9M5V7T2R8WCY4E6ABD"},
                            "sk": {"S": "METADATA"},
                        }
                    ],
                    "ConsistentRead": True,
                }
            }
        },
    ),
    "a number as a partition key": (
        pages.P,
        "claim_short_id",
        {"bucket": 12},
        "Query",
        {
            "TableName": "ShortIdPool",
            "KeyConditionExpression": "#0 = :0 AND begins_with(#1, :1)",
            "ConsistentRead": True,
            "ExpressionAttributeNames": {"#0": "pk", "#1": "sk"},
            "ExpressionAttributeValues": {":0": {"N": "12"}, ":1": {"S": "available#"}},
        },
    ),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_the_request_is_exact(name: str) -> None:
    patterns, pattern, given, operation, request = REQUESTS[name]
    explained = explain(getattr(patterns, pattern), **given)
    assert explained.calls == ((operation, request),)
    assert explained.operation == operation


@pytest.mark.parametrize("design", DESIGNS)
def test_every_pattern_and_write_of_the_five_systems_can_be_explained(design: Any) -> None:
    patterns = type(design.P)
    explained = explain_patterns(patterns)
    writes, left_out = explain_writes(patterns)
    assert {e.name for e in explained} == {
        *patterns.__design__.patterns,
        *patterns.__design__.composed,
    }
    assert {e.name for e in writes} >= {*patterns.__design__.writes}
    # A roster entry is all key, so a save has nothing to change.
    assert all("could change" in reason for reason in left_out)
    for each in [*explained, *writes]:
        assert each.calls
        assert each.per_million(PRICE) > 0
        assert each.hot is not None
        json.dumps(document(each, PRICE, 1000))


def test_an_explanation_says_what_a_pattern_is() -> None:
    explained = explain(journal.P.list_own_entries, athlete_id="a1")
    assert explained.doc == "An athlete's entries, newest first."
    assert explained.condition == "PK = USER#{athleteId} AND begins_with(SK, ENTRY#)"
    assert (explained.table, explained.index, explained.is_consistent) == ("RollModel", "", True)
    assert explained.returns == "Entry, last sort key first"
    assert (explained.rows, explained.pages) == (525, 2)
    assert explained.assumptions == ()


def test_an_operation_is_explained_with_its_values_and_options() -> None:
    explained = explain(journal.P.list_own_entries("a1").limit(20).consistent(False))
    assert explained.condition == "PK = USER#a1 AND begins_with(SK, ENTRY#)"
    assert (explained.rows, explained.is_consistent) == (20, False)
    assert explained.calls[0].request["Limit"] == 20
    assert explained.read_units == {"RollModel": 5.0}


def test_missing_hints_are_assumed_and_reported() -> None:
    links = explain(journal.P.coach_links)
    assert links.assumptions == ("CoachLink: 50 items, because it has no per_partition",)
    stored = explain(journal.P.get_idempotency)
    assert stored.assumptions == ("Idempotency: 400 bytes per item, because it has no size_bytes",)
    several = explain(journal.P.profiles)
    assert several.assumptions == ("10 values of user_id",)
    assert explain(journal.P.profiles, user_id=["a", "b"]).assumptions == ()
    ranged = explain(journal.P.list_entries_in_range)
    assert ranged.assumptions == ("Entry: 50 of 1,000 items are in the range of created_at",)


def test_keys_of_one_partition_share_its_limit() -> None:
    ids = [f"01HZX3KQ9M5V7T2R8WCY4E000{n}" for n in range(3)]
    links = explain(letters.P.have_i_reacted, item_id="i", comment_id=ids, user_id="u")
    people = explain(journal.P.profiles, user_id=["c", "d", "e"])
    assert links.hot is not None
    assert people.hot is not None
    assert (links.hot.calls_per_second, people.hot.calls_per_second) == (1000, 3000)


# Compositions.


def test_a_composition_takes_what_its_parts_take() -> None:
    explained = explain(journal.P.get_entry_by_id)
    parts = [explain(journal.P.get_entry_meta), explain(journal.P.get_entry)]
    assert [part.name for part in explained.parts] == ["get_entry_meta", "get_entry"]
    assert sum(explained.units.values()) == sum(sum(p.units.values()) for p in parts)
    assert explained.per_million(PRICE) == sum(part.per_million(PRICE) for part in parts)
    assert explained.returns == "Entry"


def test_a_part_that_takes_many_values_gets_one_for_each_row_before_it() -> None:
    explained = explain(football.P.list_season_games)
    sessions, games_of, games = explained.parts
    assert (sessions.rows, games_of.requests, games_of.rows) == (60, 60, 60 * 20)
    assert (games.rows, games.requests) == (1200, 12)


def test_a_part_asked_for_the_same_values_again_gets_as_many() -> None:
    *_, rosters, goals = explain(football.P.season_leaderboard).parts
    assert (rosters.name, goals.name) == ("rosters_of_games", "goals_of_games")
    assert rosters.requests == goals.requests == 1200


def test_arguments_of_a_composition_reach_its_parts() -> None:
    explained = explain(journal.P.list_athlete_entries, athlete_id="a1", coach_id="c1")
    key = explained.parts[0].calls[0].request["Key"]
    assert key == {"PK": {"S": "USER#a1"}, "SK": {"S": "COACH#c1"}}


# Writes.


def actions(explained: Any) -> list[tuple[str, str, str]]:
    return [(a.action, a.kind, a.entity) for a in explained.actions]


def test_a_write_shows_every_action_in_order() -> None:
    assert actions(explain_write(football.Season, "create")) == [
        ("create Season", "put", "Season"),
        ("derive league_season", "put", "LeagueSeason"),
        ("derive season_slug", "put", "SeasonSlug"),
        ("count seasons_of", "update", "League"),
    ]
    assert actions(explain_write(letters.Letter, "save")) == [
        ("save Letter", "update", "Letter"),
        ("history replaced_text", "put", "LetterVersion"),
    ]


def test_index_entries_are_told_by_what_happens_to_them() -> None:
    def moved(op: Any) -> list[tuple[str, str]]:
        entries = explain(op).actions[0].entries
        return [(entry.index, entry.movement) for entry in entries]

    book = library.Book(id="1", title="A")
    assert moved(create(book)) == [("byKind", "enters")]
    assert moved(save(book, book.model_copy(update={"title": "B"}))) == [("byKind", "changes")]
    later = book.model_copy(update={"created_at": library.later(9)})
    assert moved(save(book, later)) == [("byKind", "moves")]
    marked = book.model_copy(update={"deleted_at": library.NOW})
    assert moved(save(book, marked)) == [("byKind", "leaves")]


def test_a_match_counts_on_four_players() -> None:
    explained = explain_write(sites.Match, "create")
    kinds = [kind for _, kind, _ in actions(explained)]
    assert kinds == ["put"] * 5 + ["update"] * 4
    assert (explained.items, explained.entries) == (9, 2 + 4)
    assert explained.operation == "TransactWriteItems"


def test_a_save_changes_what_moves_least() -> None:
    explained = explain_write(sites.Site, "save")
    assert explained.assumptions == ("a save that changes url",)
    assert explained.operation == "UpdateItem"


def test_the_most_a_write_can_take_is_told() -> None:
    site = explain_write(sites.Site, "create")
    # The site, twenty tag rows; each is in one index.
    assert (site.items, site.actions_max) == (4, 21)
    assert site.units_max == 2 * (4 + 20) + (4 + 20)
    assert explain_write(library.Essay, "create").actions_max is None


def test_the_bound_is_that_of_the_proof() -> None:
    for design in DESIGNS:
        for table in type(design.P).__design__.tables:
            for entity in table.entities:
                if any(t.derivations or t.counts for d in entity.derivations for t in d.targets):
                    continue  # The proof looks at one level only.
                bounds = [
                    bound
                    for kind in ("create", "save")
                    if (bound := _bound(entity.model, kind)) is not None
                ]
                most = max((bound.rows for bound in bounds), default=None)
                assert most == actions_max(entity), entity.name


def _bound(model: Any, kind: Any) -> Any:
    from tablewright.design.entity import entity_of_model
    from tablewright.explain.samples import sample_instance
    from tablewright.plan.changes.write_plan import creation

    planned = creation(entity_of_model(model), sample_instance(entity_of_model(model)))
    return bound_of(planned._replace(kind=kind))


def test_the_partition_that_gives_out_first_is_named() -> None:
    rating = explain_write(sites.Rating, "create")
    assert rating.hot is not None
    # Eight units on the site's row, four on its entry: the row's partition takes 125 a second.
    assert rating.hot.place == f"fus-main SITE#{UUID}"
    assert rating.hot.calls_per_second == 125


def test_a_named_write_is_explained_on_examples() -> None:
    explained = explain(pages.P.create_rsvp)
    assert [kind for _, kind, _ in actions(explained)] == ["put", "check", "put"]
    assert explained.items == 2
    assert explained.doc.startswith("An answer to an event")
    moved = explain(pages.P.update_page)
    assert moved.operation == "UpdateItem"


def test_a_patch_that_reads_first_shows_the_reading() -> None:
    explained = explain(patch(ref(library.Shelf, id="s")).set(lambda shelf: shelf.name, "b"))
    assert [call.operation for call in explained.calls] == ["GetItem", "UpdateItem"]
    assert (explained.read_units, explained.write_units) == ({"shelves": 1.0}, {"shelves": 1.0})


def test_a_subject_without_a_request_is_refused() -> None:
    with pytest.raises(TypeError, match="explain\\(P.name"):
        explain(journal.P.get_entry_by_id(UUID))
    with pytest.raises(TypeError, match="not an operation or a pattern"):
        explain(print)
    with pytest.raises(PlanError, match="no request"):
        explain(Unit())
    with pytest.raises(PlanError, match="no request"):
        explain(journal.P.profiles([]))
    with pytest.raises(NotDeclared, match="no pattern 'nothing'"):
        explain_pattern(type(journal.P), "nothing")
    with pytest.raises(TypeError):
        explain(constant(1))


# Prices.


def test_prices_follow_from_units() -> None:
    explained = explain(journal.P.get_profile)
    assert explained.per_million(PRICE) == Decimal("0.125")
    assert explained.per_month(PRICE, 1_000_000) == Decimal("3.75")
    written = explain_write(journal.Profile, "create")
    assert written.per_million(PRICE) == Decimal("0.625")
    assert written.per_million(price_in("eu-central-1")) == Decimal("0.7625")


def test_the_document_has_everything_and_its_price() -> None:
    created = document(explain_write(sites.Rating, "create"), PRICE, 1000)
    assert created["writeUnits"] == 15.0
    assert created["unitsByPlace"] == {
        "fus-main": 10.0,
        "fus-main/byStars": 1.0,
        "fus-main/byEntity": 4.0,
    }
    assert created["price"]["perMillionCalls"] == 9.375
    assert created["price"]["callsPerDay"] == 1000
    assert created["write"]["actionsLimit"] == 100
    assert created["write"]["actions"][1]["indexes"] == [
        {"index": "byEntity", "movement": "changes", "units": 4.0}
    ]
    assert writing(create(library.Visit(user_id="u"))).items == 1
