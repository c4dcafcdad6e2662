"""The multi-item writes of the five systems, each as one unit with the rows it is said to have."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from tablewright import (
    Conflict,
    Unit,
    absent,
    check,
    create,
    delete,
    equals,
    patch,
    ref,
    save,
    sweep,
)
from tablewright.engine.database import Database
from tablewright.systems.funkedupshift import design as fus
from tablewright.systems.hold_that_thought import design as htt
from tablewright.systems.roll_model import design as roll
from tablewright.systems.stayon import design as stayon
from tablewright.systems.threefc import design as threefc

from .library import Runner

AT = datetime(2026, 3, 1, 10, tzinfo=UTC)
UUIDS = [f"00000000-0000-4000-8000-{number:012}" for number in range(60)]
ULIDS = [f"01KJMG0000000000000000{number:04}" for number in range(60)]
TIMES: dict[str, Any] = {"created_at": AT, "updated_at": AT}
TABLES = [roll.T, fus.T, threefc.T, htt.T, stayon.PAGES, stayon.POOL]


@pytest.fixture
def systems(database: Database) -> Runner:
    created = Runner(database)
    for table in TABLES:
        database.call("CreateTable", table.create_request())
    return created


def changed(instance: Any, **fields: Any) -> Any:
    return instance.model_copy(update=fields)


def kinds(runner: Runner) -> list[str]:
    """What the last transaction did with its rows."""
    return sorted(kind for one in runner.calls[-1].request["TransactItems"] for kind in one)


# 3fc.


def league(**fields: Any) -> threefc.League:
    defaults: dict[str, Any] = {
        "league_id": ULIDS[0],
        "name": "L",
        "slug": "l",
        "created_by_user_id": "a",
    }
    return threefc.League(**(defaults | TIMES | fields))


def grant(user: str, role: Any = "admin") -> threefc.Acl:
    return threefc.Acl(league_id=ULIDS[0], user_id=user, role=role, granted_by_user_id="a", **TIMES)


def season(number: int = 1, **fields: Any) -> threefc.Season:
    defaults: dict[str, Any] = {
        "league_id": ULIDS[0],
        "season_id": ULIDS[number],
        "name": "S",
        "slug": "s",
    }
    return threefc.Season(**(defaults | TIMES | fields))


def session(number: int = 2, **fields: Any) -> threefc.Session:
    defaults: dict[str, Any] = {
        "league_id": ULIDS[0],
        "season_id": ULIDS[1],
        "session_id": ULIDS[number],
    }
    return threefc.Session(**(defaults | {"session_date": date(2026, 3, 1)} | TIMES | fields))


def game(**fields: Any) -> threefc.Game:
    fixed: dict[str, Any] = {"game_id": ULIDS[5], "league_id": ULIDS[0], "season_id": ULIDS[1]}
    return threefc.Game(**(fixed | {"session_id": ULIDS[2], "game_start_ts": AT} | TIMES | fields))


def test_a_league_is_created_with_its_first_admin(systems: Runner) -> None:
    systems.run(Unit().create(league()).create(grant("a")))
    assert kinds(systems) == ["Put"] * 4
    result = systems.run(threefc.ThreeFC().get_league(ULIDS[0]).required())
    assert result.admin_count == 1


def test_the_last_admin_stays(systems: Runner) -> None:
    systems.run(Unit().create(league()).create(grant("a")))
    place = ref(threefc.League, league_id=ULIDS[0])
    other = systems.run(create(grant("b")))

    def revoke(acl: threefc.Acl) -> None:
        systems.run(Unit().delete(acl).require(place, lambda one: one.admin_count > 1))

    revoke(other)
    assert kinds(systems) == ["Delete", "Delete", "Update"]
    with pytest.raises(Conflict) as error:
        revoke(grant("a"))
    assert [failure.entity for failure in error.value.failures] == ["League"]


def test_a_role_that_changes_keeps_its_mirror_in_step(systems: Runner) -> None:
    systems.run(Unit().create(league()).create(grant("a")))
    viewer = systems.run(create(grant("b", "viewer")))
    assert kinds(systems) == ["Put", "Put"]
    systems.run(save(viewer, changed(viewer, role="admin")))
    assert kinds(systems) == ["Update"] * 3
    mirror = systems.items(threefc.T)["USER#b", f"LEAGUE#{ULIDS[0]}"]
    assert '"role":"admin"' in mirror["data"]["S"]
    assert mirror["version"] == {"N": "2"}


def test_a_league_is_swept_but_for_what_lets_its_owner_go_on(systems: Runner) -> None:
    patterns = threefc.ThreeFC()
    systems.run(Unit().create(league()).create(grant("a")))
    systems.run(create(grant("b")))
    for number in range(10, 14):
        player = threefc.Player(
            player_id=ULIDS[number], league_id=ULIDS[0], nickname=f"P{number}", **TIMES
        )
        systems.run(create(player))
    read = systems.run(patterns.get_league(ULIDS[0]).required())
    own = systems.run(patterns.get_acl(ULIDS[0], "a").required())
    unused = check(ref(threefc.League, league_id=ULIDS[0]), lambda one: one.season_count == 0)
    systems.run(
        sweep(
            read,
            [patterns.list_acl(ULIDS[0])],
            AT,
            also=[unused],
            last=[delete(own, uncounted=True)],
            keep=[ref(threefc.Acl, league_id=ULIDS[0], user_id="a")],
        )
    )
    assert kinds(systems) == ["Delete"] * 3
    left = {key[0].split("#")[0] for key in systems.items(threefc.T)}
    assert left == {"LEAGUE", "PLAYER"}


def test_seasons_sessions_and_games_move_with_their_mirrors(systems: Runner) -> None:
    systems.run(create(league()))
    created = systems.run(create(season()))
    assert kinds(systems) == ["Put", "Put", "Put", "Update"]
    created = systems.run(save(created, changed(created, slug="t")))
    assert kinds(systems) == ["Delete", "Put", "Update", "Update"]
    held = systems.run(create(session()))
    assert kinds(systems) == ["Put", "Put", "Put", "Update"]
    with pytest.raises(Conflict) as error:
        systems.run(create(session(3)))
    assert error.value.failures[0].item.session_id == ULIDS[2]
    held = systems.run(save(held, changed(held, session_date=date(2026, 3, 2))))
    assert kinds(systems) == ["Delete", "Put", "Update", "Update"]
    played = systems.run(create(game()))
    assert kinds(systems) == ["Put", "Put", "Update"]
    played = systems.run(save(played, changed(played, game_start_ts=AT + timedelta(hours=1))))
    assert kinds(systems) == ["Delete", "Put", "Update"]
    with pytest.raises(Conflict):
        systems.run(delete(held, lambda one: one.game_count == 0))
    systems.run(save(played, changed(played, deleted_at=AT)))
    assert kinds(systems) == ["Delete", "Update", "Update"]
    systems.run(delete(held, lambda one: one.game_count == 0))
    assert kinds(systems) == ["Delete", "Delete", "Delete", "Update"]
    systems.run(delete(created, lambda one: one.session_count == 0))
    assert kinds(systems) == ["Delete", "Delete", "Delete", "Update"]


def test_a_player_changes_teams_within_a_game(systems: Runner) -> None:
    for created in (league(), season(), session(), game()):
        systems.run(create(created))
    player = threefc.Player(player_id=ULIDS[9], league_id=ULIDS[0], nickname="P", **TIMES)
    systems.run(create(player))
    played = game()
    roster = threefc.Roster(game_id=ULIDS[5], team_id="red", player_id=ULIDS[9], **TIMES)
    [_, played] = systems.run(Unit().create(roster).save(played, played))
    assert kinds(systems) == ["Put", "Put", "Update", "Update"]
    moved = changed(roster, team_id="blue")
    [moved, played] = systems.run(Unit().save(roster, moved).save(played, played))
    assert kinds(systems) == ["Delete", "Put", "Update", "Update"]
    slot = systems.items(threefc.T)[f"GAME#{ULIDS[5]}", f"PLAYERSLOT#{ULIDS[9]}"]
    assert '"teamId":"blue"' in slot["data"]["S"]
    patterns = threefc.ThreeFC()
    systems.run(sweep(played, [patterns.list_roster(ULIDS[5])], AT))
    rows = systems.items(threefc.T)
    assert not [key for key in rows if key[0].startswith("GAME#")]
    assert rows[f"PLAYER#{ULIDS[9]}", "PROFILE"]["rosterCount"] == {"N": "0"}


# hold-that-thought.


def test_a_message_to_fifty_people_is_one_unread_transaction(systems: Runner) -> None:
    people = [f"u{number:02}" for number in range(50)]
    meta = htt.ConversationMeta(
        conversation_id=UUIDS[0],
        conversation_type="group",
        creator_id="u00",
        participant_ids=people,
        participant_names={},
        created_at=AT,
        last_message_at=AT,
    )
    unit = Unit().create(meta)
    for person in people:
        unit.create(
            htt.ConversationMember(
                user_id=person,
                conversation_id=UUIDS[0],
                conversation_type="group",
                last_message_at=AT,
            )
        )
    systems.run(unit)
    systems.calls.clear()
    now = AT + timedelta(seconds=1)
    unit = Unit().create(
        htt.Message(
            message_id=ULIDS[1],
            conversation_id=UUIDS[0],
            sender_id="u00",
            sender_name="U",
            message_text="hello",
            created_at=now,
        )
    )
    unit.patch(
        patch(ref(htt.ConversationMeta, conversation_id=UUIDS[0]))
        .set(lambda one: one.last_message_at, now)
        .when(lambda one: one.last_message_at == AT)
    )
    for person in people:
        place = ref(htt.ConversationMember, user_id=person, conversation_id=UUIDS[0])
        op = patch(place).set(lambda one: one.last_message_at, now)
        unit.patch(op if person == "u00" else op.add(lambda one: one.unread_count, 1))
    systems.run(unit)
    assert systems.operations == ["TransactWriteItems"]
    assert kinds(systems) == ["Put", *["Update"] * 51]
    row = systems.items(htt.T)["USER#u07", f"CONV#{UUIDS[0]}"]
    assert row["GSI1SK"] == {"S": f"CONV#2026-03-01T10:00:01.000Z#{UUIDS[0]}"}
    assert row["unreadCount"] == {"N": "1"}
    with pytest.raises(Conflict):
        systems.run(unit)


# roll-model.


def entry(shared: str, private: str) -> roll.Entry:
    return roll.Entry(
        entry_id=UUIDS[0],
        athlete_id="a",
        sections=roll.Sections(private=private, shared=shared),
        session_metrics=roll.SessionMetrics(
            duration_minutes=60, intensity=5, rounds=5, gi_or_no_gi="gi", tags=[]
        ),
        **TIMES,
    )


def words(first: int) -> str:
    return " ".join(f"word{number}" for number in range(first, first + 30))


def test_the_largest_update_of_an_entry_fits(systems: Runner) -> None:
    old = systems.run(create(entry(words(0), words(100))))
    assert kinds(systems) == ["Put"] * 50
    new = systems.run(save(old, changed(entry(words(200), words(300)), version=2)))
    assert kinds(systems) == [*["Delete"] * 48, *["Put"] * 48, "Update"]
    marked = systems.run(save(new, changed(new, deleted_at=AT)))
    assert kinds(systems) == [*["Delete"] * 48, "Update", "Update"]
    with pytest.raises(Conflict):
        systems.run(check(ref(roll.EntryMeta, entry_id=UUIDS[0])))
    systems.run(delete(marked))
    assert kinds(systems) == ["Delete", "Delete"]
    assert systems.items(roll.T) == {}


def test_a_link_that_is_revoked_leaves_the_coachs_list(systems: Runner) -> None:
    link = roll.CoachLink(athlete_id="a", coach_id="c", created_by="a", status="active", **TIMES)
    systems.run(create(link))
    systems.run(save(link, changed(link, status="revoked"), lambda one: one.status == "active"))
    assert kinds(systems) == ["Delete", "Update"]


# funkedupshift.


def test_a_match_with_other_players_moves_rows_and_counts(systems: Runner) -> None:
    for number in range(8):
        player = fus.Player(player_id=UUIDS[number], name=f"P{number}", **TIMES)
        systems.run(create(player))

    def match(first: int) -> fus.Match:
        defaults: dict[str, Any] = dict(zip(SEATS, UUIDS[first : first + 4], strict=True))
        return fus.Match(
            match_id=UUIDS[20],
            date=date(2026, 3, 1),
            winning_team="A",
            team_a_games=3,
            team_b_games=1,
            **defaults,
            **TIMES,
        )

    created = systems.run(create(match(0)))
    assert kinds(systems) == [*["Put"] * 5, *["Update"] * 4]
    systems.run(save(created, changed(match(4), date=date(2026, 3, 2))))
    assert kinds(systems) == [*["Delete"] * 4, *["Put"] * 4, *["Update"] * 9]
    rows = systems.items(fus.T)
    counts = [rows[f"SQUASH#PLAYER#{UUIDS[n]}", "METADATA"]["matchCount"] for n in range(8)]
    assert [count["N"] for count in counts] == [*"00001111"]


SEATS = ("team_a_player1_id", "team_a_player2_id", "team_b_player1_id", "team_b_player2_id")


# stayon.


def test_a_page_takes_its_short_id_from_the_pool(systems: Runner) -> None:
    slot = stayon.PoolSlot(bucket=7, slot=3, id="ABC-DEF-12345")
    systems.run(create(slot))
    page = stayon.Shareable(
        entity="poll",
        short_id="abc-def-12345",
        name="P",
        expires_at=AT + timedelta(days=30),
        ttl=int(AT.timestamp()) + 10**8,
        is_closed=False,
        **TIMES,
    )
    unit = Unit().delete(slot, lambda one: one.id == slot.id).create(page)
    systems.run(unit)
    assert systems.items(stayon.PAGES).keys() == {("shareable#abcdef12345", "01#")}
    vote = stayon.Vote(short_id=page.short_id, code="123456", answers=[], ttl=page.ttl, **TIMES)
    is_open = Unit().create(vote)
    is_open.check(
        page,
        lambda one: (
            (one.version == 1)
            & equals(one.is_closed, False)
            & absent(one.closes_at)
            & (one.expires_at > AT)
        ),
    )
    systems.run(is_open)
    assert kinds(systems) == ["ConditionCheck", "Put"]
