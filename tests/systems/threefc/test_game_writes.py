"""3FC's multi-item writes about games, goals, rosters and players."""

from __future__ import annotations

import pytest

from tablewright import Unit, create, delete, save, sweep
from tablewright.systems.threefc.design import Audit, Game, Goal, P, Roster, T
from tests.systems.faces import AT, Face, after, kinds, moved, transactions
from tests.systems.ids import ulid

from .rows import audit, game, goal, league, player, roster


def current(face: Face) -> Game:
    return face.run(P.get_game(ulid(30)).required())


def raised(unit: Unit, read: Game, **fields: object) -> Unit:
    """The unit with the game's version raised, so that no two writes pass each other unseen."""
    return unit.save(read, moved(read, updated_at=after(hours=1), **fields))


# Games.


def test_create_game_needs_a_session(scored: Face) -> None:
    assert kinds(Unit(create(game(31)))) == {"Put": 2, "Update": 1}
    scored.create(game(31))
    assert scored.refused(create(game(32, of=29))) == ["count games_of"]
    assert scored.refused(create(game(31)))[0] == "create Game"
    assert scored.run(P.get_session(ulid(20)).required()).game_count == 2


def test_move_kick_off_keeps_when_the_link_was_made(scored: Face) -> None:
    old = current(scored)
    new = moved(old, game_start_ts=after(hours=-2), updated_at=after(days=1))
    assert kinds(Unit(save(old, new))) == {"Delete": 1, "Put": 1, "Update": 1}
    scored.run(save(old, new))
    [link] = scored.run(P.session_games(ulid(20))).items
    assert (link.game_start_ts, link.created_at) == (after(hours=-2), AT)
    assert scored.refused(save(old, new)) == ["save Game", "derive session_game"]


def test_delete_game_marks_it_and_sweeps_all_that_hangs_on_it(played: Face) -> None:
    played.create(*(player(50 + n) for n in range(40)))
    played.create(*(roster(50 + n) for n in range(40)))
    played.create(game(31))
    played.create(roster(50, of=31))
    played.create(*(goal(100 + n) for n in range(12)), goal(199, of=31))
    played.create(*(audit(200 + n) for n in range(3)))
    children = [
        P.list_goals(ulid(30)),
        P.list_audit(ulid(30)),
        P.list_roster(ulid(30)),
    ]
    trace = played.trace(sweep(current(played), children, AT))
    mark, *rosters = transactions(trace)
    assert mark == {"Delete": 1, "Update": 2}
    assert rosters == [{"Delete": 66, "Update": 33}, {"Delete": 14, "Update": 7}]
    assert not [key for key in played.keys(T) if key[0] == f"GAME#{ulid(30)}"]
    assert played.run(P.get_player(ulid(50)).required()).roster_count == 1
    assert played.run(P.get_session(ulid(20)).required()).game_count == 1


def test_delete_game_needs_it_as_read(scored: Face) -> None:
    old = current(scored)
    scored.run(save(old, moved(old, status="live")))
    assert scored.refused(sweep(old, [], AT)) == ["save Game"]


@pytest.mark.parametrize("status", ["live", "finished", "scheduled"])
def test_start_finish_reopen_write_the_game_alone_as_read(scored: Face, status: str) -> None:
    old = current(scored)
    new = moved(old, status=status, result={"final": True} if status == "finished" else None)
    unit = Unit(save(old, new))
    assert kinds(unit) == {"Update": 1}
    scored.run(unit)
    assert scored.refused(unit) == ["save Game"]


# Goals.


def test_add_goal_raises_the_games_version(scored: Face) -> None:
    read = current(scored)
    unit = raised(Unit().create(goal()), read)
    assert kinds(unit) == {"Put": 1, "Update": 1}
    scored.run(unit)
    assert current(scored).version == 2
    assert scored.refused(raised(Unit().create(goal(101)), read)) == ["save Game"]
    assert scored.refused(raised(Unit().create(goal()), current(scored))) == ["create Goal"]


def test_finishing_and_a_goal_cannot_pass_each_other(scored: Face) -> None:
    read = current(scored)
    scored.run(save(read, moved(read, status="finished", result={"goals": 0})))
    assert scored.refused(raised(Unit().create(goal()), read)) == ["save Game"]
    assert scored.run(P.list_goals(ulid(30))).items == ()


def edited(old: Goal, new: Goal, read: Game, number: int = 200) -> Unit:
    row: Audit = audit(
        number, before=old.model_dump(mode="json"), after=new.model_dump(mode="json")
    )
    return raised(Unit().save(old, new).create(row), read, result={"goals": 1})


def test_edit_goal_takes_four_actions_when_it_moves(played: Face) -> None:
    old = played.create(goal(100, 1, 3))
    new = moved(old, third=3, game_minute=10)
    unit = edited(old, new, current(played))
    assert kinds(unit) == {"Delete": 1, "Put": 2, "Update": 1}
    played.run(unit)
    [found] = played.run(P.list_goals(ulid(30))).items
    assert (found.third, found.event_id, found.version) == (3, ulid(100), 2)
    [row] = played.run(P.list_audit(ulid(30))).items
    assert row.after is not None
    assert (row.before["third"], row.after["third"]) == (1, 3)
    refused = played.refused(edited(old, new, current(played), 201))
    assert refused[0] == "move Goal"


def test_edit_goal_updates_it_where_it_stays(scored: Face) -> None:
    old = scored.create(goal())
    unit = edited(old, moved(old, assist_player_ids=[ulid(51)]), current(scored))
    assert kinds(unit) == {"Put": 1, "Update": 2}
    scored.run(unit)
    assert scored.refused(unit) == ["save Goal", "create Audit", "save Game"]


def test_edit_goal_does_not_land_on_another(scored: Face) -> None:
    # The event's id is in the key, so only the same goal could be there.
    old, other = scored.create(goal(100)), scored.create(goal(101))
    same_place = moved(old, event_id=other.event_id, version=2)
    assert scored.refused(save(old, same_place)) == ["move Goal"]


def test_delete_and_undo_goal_keep_what_was_there(scored: Face) -> None:
    made = scored.create(goal())
    row = audit(action="undo", before=made.model_dump(mode="json"))
    unit = raised(Unit().delete(made).create(row), current(scored))
    assert kinds(unit) == {"Delete": 1, "Put": 1, "Update": 1}
    scored.run(unit)
    assert scored.run(P.list_goals(ulid(30))).items == ()
    assert scored.refused(unit) == ["delete Goal", "create Audit", "save Game"]


# Rosters.


def test_assign_player_takes_four_actions_when_new(scored: Face) -> None:
    scored.create(player())
    unit = raised(Unit().create(roster()), current(scored))
    assert kinds(unit) == {"Put": 2, "Update": 2}
    scored.run(unit)
    assert scored.run(P.get_player(ulid(50)).required()).roster_count == 1


def test_assign_player_needs_him_a_free_slot_and_the_game_as_read(scored: Face) -> None:
    read = current(scored)
    assert scored.refused(raised(Unit().create(roster()), read)) == ["count rosters_of"]
    scored.create(player())
    scored.run(raised(Unit().create(roster()), read))
    blue = raised(Unit().create(roster(team_id="blue")), current(scored))
    assert scored.refused(blue) == ["derive player_slot"]
    scored.create(player(51))
    assert scored.refused(raised(Unit().create(roster(51)), read)) == ["save Game"]


def test_assign_player_to_another_team_leaves_his_count(scored: Face) -> None:
    scored.create(player())
    old: Roster = scored.create(roster())
    unit = raised(Unit().save(old, moved(old, team_id="yellow")), current(scored))
    assert kinds(unit) == {"Delete": 1, "Put": 1, "Update": 2}
    scored.run(unit)
    assert scored.run(P.get_player(ulid(50)).required()).roster_count == 1
    assert scored.run(P.get_player_slot(ulid(30), ulid(50)).required()).team_id == "yellow"


def test_remove_player_takes_four_actions(scored: Face) -> None:
    scored.create(player())
    made = scored.create(roster())
    read = current(scored)
    unit = raised(Unit().delete(made), read)
    assert kinds(unit) == {"Delete": 2, "Update": 2}
    scored.run(unit)
    assert scored.run(P.get_player(ulid(50)).required()).roster_count == 0
    assert "save Game" in scored.refused(unit)


# Players.


def test_create_player_checks_the_league(embedded: Face) -> None:
    unit = Unit().create(player()).check(league())
    assert kinds(unit) == {"ConditionCheck": 1, "Put": 2}
    assert embedded.refused(unit) == ["check League"]
    made = embedded.create(league())
    embedded.run(unit)
    assert embedded.refused(unit) == ["create Player", "derive league_player"]
    embedded.run(save(made, moved(made, deleted_at=AT)))
    assert embedded.refused(Unit().create(player(51)).check(league())) == ["check League"]


def test_rename_player_moves_his_row_in_the_list(scored: Face) -> None:
    old = scored.create(player(nickname="Zed"))
    new = moved(old, nickname="Abe")
    assert kinds(Unit(save(old, new))) == {"Delete": 1, "Put": 1, "Update": 1}
    assert kinds(Unit(save(old, moved(old, nickname="ZED")))) == {"Update": 2}
    scored.run(save(old, new))
    assert scored.refused(save(old, moved(old, nickname="Y"))) == ["save Player"]


def test_delete_player_needs_that_he_is_on_no_roster(scored: Face) -> None:
    made = scored.create(player())
    on = scored.create(roster())
    unit = Unit().delete(made, lambda one: one.roster_count == 0)
    assert kinds(unit) == {"Delete": 2}
    assert scored.refused(unit) == ["delete Player"]
    scored.run(delete(on))
    scored.run(unit)
    assert scored.run(P.league_players(ulid(1))).items == ()


def test_claim_and_unclaim_write_the_profile_alone_as_read(scored: Face) -> None:
    old = scored.create(player())
    mine = Unit(save(old, moved(old, claimed_by_user_id="ann@x.org")))
    assert kinds(mine) == {"Update": 1}
    [claimed] = scored.run(mine)
    yours = Unit(save(old, moved(old, claimed_by_user_id="bob@x.org")))
    assert scored.refused(yours) == ["save Player"]
    scored.run(save(claimed, moved(claimed, claimed_by_user_id=None)))
    assert scored.run(P.get_player(ulid(50)).required()).claimed_by_user_id is None
