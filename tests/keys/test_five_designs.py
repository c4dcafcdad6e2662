"""The keys of five real single-table designs: all compile, parse back, and stay apart.

Each table lists its entities with their partition and sort key; the index keys follow below. The
designs promise that rows of different entities never share a key; here that is proved.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import combinations
from typing import Any, Literal

import pytest

from tablewright.keys.algebra import Face, Kind, Slot, collision, examples, query_face, reach
from tablewright.keys.charsets import TOP
from tablewright.keys.codecs import Ulid, Uuid, codec_for, ulid_time
from tablewright.keys.languages import inside
from tablewright.keys.template import Template

TYPES: dict[str, dict[str, Any]] = {
    "3fc": {
        **dict.fromkeys(
            ["leagueId", "seasonId", "sessionId", "gameId", "eventId", "playerId", "auditId"], Ulid
        ),
        "teamId": Literal["red", "blue", "yellow"],
        "third": int,
        "gameMinute": int,
        "gameStartTs": datetime,
        "sessionDate": date,
    },
    "funkedupshift": {
        **dict.fromkeys(["id", "siteId", "playerId", "matchId"], Uuid),
        "commentId": Ulid,
        "createdAt": datetime,
        "date": date,
    },
    "hold-that-thought": {
        **dict.fromkeys(["convId", "draftId"], Uuid),
        **dict.fromkeys(["commentId", "msgId"], Ulid),
        **dict.fromkeys(["timestamp", "createdAt", "lastMessageAt"], datetime),
    },
    "roll-model": {
        **dict.fromkeys(["entryId", "commentId", "threadId", "messageId"], Uuid),
        "createdAt": datetime,
    },
    "stayon": {"kind": Literal["passcode", "code"], "slot": int, "bucket": int},
}

KEYS: dict[str, dict[str, tuple[str, str]]] = {
    "3fc": {
        "League": ("LEAGUE#{leagueId}", "METADATA"),
        "Season": ("LEAGUE#{leagueId}", "SEASON#{seasonId}"),
        "Season mirror": ("SEASON#{seasonId}", "METADATA"),
        "Team": ("SEASON#{seasonId}", "TEAM#{teamId}"),
        "Session": ("SEASON#{seasonId}", "SESSION#{sessionId}"),
        "Session mirror": ("SESSION#{sessionId}", "METADATA"),
        "Session day guard": ("SEASON#{seasonId}", "SESSIONDATE#{sessionDate}"),
        "Game": ("GAME#{gameId}", "METADATA"),
        "Session game": ("SESSION#{sessionId}", "GAME#{gameStartTs}#{gameId}"),
        "Goal": ("GAME#{gameId}", "GOAL#{third}#{gameMinute:04}#{eventId}"),
        "Roster": ("GAME#{gameId}", "ROSTER#{teamId}#{playerId}"),
        "Roster guard": ("GAME#{gameId}", "PLAYERSLOT#{playerId}"),
        "Audit": ("GAME#{gameId}", "AUDIT#{auditId}"),
        "ACL": ("LEAGUE#{leagueId}", "ACL#USER#{userId}"),
        "User league mirror": ("USER#{userId}", "LEAGUE#{leagueId}"),
        "Player": ("PLAYER#{playerId}", "PROFILE"),
        "League player": ("LEAGUE#{leagueId}", "PLAYER#{nickname:lower}#{playerId}"),
        "League slug": ("SLUG#LEAGUE#{slug}", "METADATA"),
        "Season slug": ("SLUG#{leagueId}#SEASON#{slug}", "METADATA"),
        "Idempotency": ("IDEMPOTENCY#{scope}#{key}", "METADATA"),
        "Magic token": ("AUTH_MAGIC#{tokenId}", "METADATA"),
        "Login session": ("AUTH_SESSION#{id}", "METADATA"),
        "Start counter": ("AUTH_RATE#{email}", "METADATA"),
    },
    "funkedupshift": {
        "Site": ("SITE#{id}", "METADATA"),
        "Site tag": ("SITE#{id}", "TAG#{tag}"),
        "Rating": ("USER#{userId}", "SITE#{siteId}"),
        "Comment": ("USER#{userId}", "COMMENT#SITE#{siteId}#{commentId}"),
        "Group": ("GROUP#{name}", "METADATA"),
        "Membership": ("USER#{userId}", "MEMBERSHIP#{groupName}"),
        "Profile": ("USER#{userId}", "PROFILE"),
        "Player": ("SQUASH#PLAYER#{playerId}", "METADATA"),
        "Player link guard": ("SQUASH#USER#{userId}", "METADATA"),
        "Match": ("SQUASH#MATCH#{matchId}", "METADATA"),
        "Participation": ("SQUASH#PLAYER#{playerId}", "MATCH#{matchId}"),
        "Idempotency": ("IDEMPOTENCY#{scope}#{key}", "METADATA"),
    },
    "hold-that-thought": {
        "Profile": ("USER#{userId}", "PROFILE"),
        "Member": ("USER#{userId}", "CONV#{convId}"),
        "Conversation": ("CONV#{convId}", "META"),
        "Message": ("CONV#{convId}", "MSG#{timestamp}#{msgId}"),
        "Comment": ("COMMENT#{itemId}", "{timestamp}#{commentId}"),
        "Reaction": ("COMMENT#{itemId}", "REACTION#{commentId}#{userId}"),
        "Letter": ("LETTER#{date}", "CURRENT"),
        "Letter version": ("LETTER#{date}", "VERSION#{timestamp}"),
        "Draft": ("DRAFT#{draftId}", "METADATA"),
        "Rate limit": ("USER#{userId}", "RATE#{action}"),
        "Idempotency": ("IDEMPOTENCY#{scope}#{key}", "METADATA"),
    },
    "roll-model": {
        "Profile": ("USER#{userId}", "PROFILE"),
        "Coach link": ("USER#{athleteId}", "COACH#{coachId}"),
        "Athlete mirror": ("USER#{coachId}", "ATHLETE#{athleteId}"),
        "Entry": ("USER#{athleteId}", "ENTRY#{createdAt}#{entryId}"),
        "Entry meta": ("ENTRY#{entryId}", "META"),
        "Comment": ("ENTRY#{entryId}", "COMMENT#{createdAt}#{commentId}"),
        "Comment meta": ("COMMENT#{commentId}", "META"),
        "AI thread": ("USER#{userId}", "AI_THREAD#{threadId}"),
        "AI message": ("AI_THREAD#{threadId}", "MSG#{createdAt}#{messageId}"),
        "AI turn": ("AI_THREAD#{threadId}", "TURN#{messageId}"),
        "Keyword": ("USER#{athleteId}", "KW#{token}#TS#{createdAt}#ENTRY#{entryId}"),
        "Private keyword": (
            "USER_PRIVATE#{athleteId}",
            "KW#{token}#TS#{createdAt}#ENTRY#{entryId}",
        ),
        "Idempotency": ("IDEMPOTENCY#{scope}#{key}", "METADATA"),
    },
    "stayon": {
        "Shareable": ("shareable#{shortId:compact}", "01#"),
        "RSVP": ("event_rsvp#{shortId:compact}", "01#{code}#"),
        "Vote": ("poll_vote#{shortId:compact}", "01#{code}#"),
        "Failed attempts": ("attempt#{shortId:compact}", "01#{kind}#{clienthash}#"),
        "Idempotency": ("idempotency#{scope}#{keyhash}", "01#"),
    },
}

INDEX_KEYS: dict[str, list[str]] = {
    "funkedupshift": [
        "SITE#{createdAt}#{id}",
        "GROUP#{name}",
        "PROFILE#{userId}",
        "SQUASH#PLAYER#{sortName}#{playerId}",
        "{date}#{matchId}",
        "{tag}",
        "SITE#{siteId}",
        "COMMENT#{createdAt}#{commentId}",
        "{date}",
        "{matchId}",
    ],
    "hold-that-thought": [
        "USERS",
        "USER#{sortName}#{userId}",
        "CONV#{lastMessageAt}#{convId}",
        "COMMENT#{timestamp}",
        "REACTION#{timestamp}",
        "LETTERS",
        "{date}",
        "DRAFTS",
        "{createdAt}#{draftId}",
    ],
    "stayon": ["{bucket}", "available#{slot:02}"],
}

ALL_TEMPLATES = sorted(
    {
        (system, text)
        for system, entities in KEYS.items()
        for key in entities.values()
        for text in key
    }
    | {(system, text) for system, texts in INDEX_KEYS.items() for text in texts}
)


def compiled(system: str, text: str) -> Template:
    types = TYPES[system]
    return Template.compile(text, lambda name, spec: codec_for(types.get(name, str), spec))


def face(system: str, entity: str) -> Face:
    partition, sort = KEYS[system][entity]
    return Face((Slot(compiled(system, partition)),), (Slot(compiled(system, sort)),))


@pytest.mark.parametrize(("system", "text"), ALL_TEMPLATES)
def test_the_template_compiles_and_parses_back(system: str, text: str) -> None:
    template = compiled(system, text)
    values = examples(template)
    key = template.render(values)
    assert template.parse(key) == values
    assert template.ambiguity is None
    assert inside(template.pieces, key)


@pytest.mark.parametrize("system", KEYS)
def test_no_two_entities_share_a_key(system: str) -> None:
    faces = {entity: face(system, entity) for entity in KEYS[system]}
    met = {
        (one, other): key
        for one, other in combinations(faces, 2)
        if (key := collision(faces[one], faces[other]))
    }
    assert met == {}


# Which entities a query returns: those of its own prefix or range, and no other.
@pytest.mark.parametrize(
    ("system", "entity", "bound", "kind"),
    [
        ("3fc", "Season", {"leagueId"}, "prefix"),
        ("3fc", "Session", {"seasonId"}, "prefix"),
        ("3fc", "League player", {"leagueId"}, "prefix"),
        ("3fc", "Goal", {"gameId"}, "prefix"),
        ("funkedupshift", "Rating", {"userId"}, "prefix"),
        ("funkedupshift", "Comment", {"userId", "siteId"}, "prefix"),
        ("hold-that-thought", "Comment", {"itemId"}, "typed range"),
        ("hold-that-thought", "Reaction", {"itemId", "commentId"}, "prefix"),
        ("hold-that-thought", "Letter version", {"date"}, "prefix"),
        ("roll-model", "Keyword", {"athleteId", "token"}, "prefix"),
        ("roll-model", "Entry", {"athleteId"}, "typed range"),
        ("stayon", "RSVP", {"shortId"}, "prefix"),
    ],
)
def test_a_query_returns_its_own_entity_only(
    system: str, entity: str, bound: set[str], kind: Kind
) -> None:
    query = query_face(face(system, entity), bound, kind)
    assert [other for other in KEYS[system] if reach(query, face(system, other))] == [entity]


# The document's first form of these keys: comments come with the ratings of their user.
def test_the_prefix_that_a_design_document_got_wrong_is_found() -> None:
    document = Face(
        (Slot(compiled("funkedupshift", "USER#{userId}")),),
        (Slot(compiled("funkedupshift", "SITE#{siteId}#COMMENT#{commentId}")),),
    )
    query = query_face(face("funkedupshift", "Rating"), {"userId"}, "prefix")
    key = reach(query, document)
    assert key is not None
    assert key[1].startswith("SITE#")


def test_the_ranges_of_the_designs_are_the_ones_their_documents_name() -> None:
    first, last = date(2026, 1, 2), date(2026, 3, 4)
    matches = compiled("funkedupshift", "{date}#{matchId}")
    assert matches.bounds({}, "date", first, last) == ("2026-01-02", "2026-03-04~")
    entries = compiled("roll-model", "ENTRY#{createdAt}#{entryId}")
    assert entries.bounds({}, "createdAt", first, last) == ("ENTRY#2026-01-02", "ENTRY#2026-03-04~")
    messages = compiled("hold-that-thought", "MSG#{timestamp}#{msgId}")
    read = datetime(2026, 1, 2, tzinfo=UTC)
    assert messages.bounds({}, "timestamp", read, None, is_low_open=True) == (
        "MSG#2026-01-02T00:00:00.000Z~",
        "MSG#9~",
    )
    players = compiled("3fc", "PLAYER#{nickname:lower}#{playerId}")
    assert players.prefix_within({}, "nickname", "An") == "PLAYER#an"
    assert players.typed_bounds({}) == ("PLAYER# ", f"PLAYER#\U0010fffd{TOP}")


def test_a_sort_key_is_computed_from_the_ulid_alone() -> None:
    ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    comments = compiled("hold-that-thought", "{timestamp}#{commentId}")
    key = comments.render({"timestamp": ulid_time(ulid), "commentId": ulid})
    assert key == f"2016-07-30T23:54:10.259Z#{ulid}"


@pytest.mark.parametrize(
    ("system", "text", "values", "key"),
    [
        (
            "stayon",
            "shareable#{shortId:compact}",
            {"shortId": "ABC-DEF-12345"},
            "shareable#abcdef12345",
        ),
        ("stayon", "available#{slot:02}", {"slot": 1}, "available#01"),
        ("stayon", "01#{code}#", {"code": "012345"}, "01#012345#"),
        ("hold-that-thought", "LETTER#{date}", {"date": "1990-05-06-a-b"}, "LETTER#1990-05-06-a-b"),
        ("3fc", "AUTH_RATE#{email}", {"email": "a@b.example"}, "AUTH_RATE#a@b.example"),
        ("3fc", "PLAYER#{nickname:lower}", {"nickname": "Big Al"}, "PLAYER#big al"),
    ],
)
def test_keys_look_as_their_designs_write_them(
    system: str, text: str, values: dict[str, Any], key: str
) -> None:
    assert compiled(system, text).render(values) == key
