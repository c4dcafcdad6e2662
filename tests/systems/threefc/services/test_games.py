"""3FC's patterns about sessions, games, goals, rosters and players."""

from __future__ import annotations

from tablewright import Unit, delete, save
from tablewright.systems.threefc.design import (
    LeaguePlayer,
    P,
    PlayerSlot,
    SeasonSession,
    SessionGame,
)
from tests.systems.faces import AT, Face, after, moved
from tests.systems.ids import ulid
from tests.systems.threefc.rows import (
    acl,
    audit,
    game,
    goal,
    league,
    player,
    roster,
    season,
    session,
    team,
)


def test_list_sessions_returns_a_seasons_own_and_no_day_guards(face: Face) -> None:
    face.create(league())
    face.create(season(), season(11))
    made = [face.create(session(n, day=30 - n)) for n in (22, 20, 21)]
    face.create(session(23, of=11))
    face.create(team("red"))
    pages = face.pages(P.list_sessions(ulid(10)), 2)
    assert [[row.session_id for row in page] for page in pages] == [
        [ulid(20), ulid(21)],
        [ulid(22)],
    ]
    assert pages[0][0] == SeasonSession.model_validate(made[1].model_dump(exclude={"game_count"}))
    by_day = sorted((row for page in pages for row in page), key=lambda row: row.session_date)
    assert [row.session_id for row in by_day] == [ulid(22), ulid(21), ulid(20)]


def test_get_session_counts_its_games(played: Face) -> None:
    assert played.run(P.get_session(ulid(20)).required()).game_count == 1
    assert played.run(P.get_session(ulid(21))) is None


def test_get_game_does_not_see_a_marked_one(played: Face) -> None:
    made = played.run(P.get_game(ulid(30)).required())
    assert made == game()
    played.run(save(made, moved(made, deleted_at=AT)))
    assert played.run(P.get_game(ulid(30))) is None
    assert played.run(P.get_game(ulid(31))) is None


def test_games_come_in_the_order_they_are_asked_for(played: Face) -> None:
    other = played.create(game(31))
    assert played.run(P.games([ulid(31), ulid(39), ulid(30)])) == [other, game()]


def test_session_games_come_by_kick_off_and_id_page_by_page(played: Face) -> None:
    played.create(session(21, day=2))
    played.create(game(33, after(hours=-1)), game(32, after(hours=-1)), game(34, of=21))
    pages = played.pages(P.session_games(ulid(20)), 2)
    assert [[row.game_id for row in page] for page in pages] == [
        [ulid(32), ulid(33)],
        [ulid(30)],
    ]
    assert pages[1][0] == SessionGame(
        session_id=ulid(20),
        game_id=ulid(30),
        game_start_ts=AT,
        league_id=ulid(1),
        season_id=ulid(10),
        created_at=AT,
        updated_at=AT,
    )


def test_list_session_games_follows_a_kick_off_that_moves(played: Face) -> None:
    early = [played.create(game(n, after(hours=-1))) for n in (32, 31)]
    assert played.run(P.list_session_games(ulid(20))) == [early[1], early[0], game()]
    first = played.run(save(game(), moved(game(), game_start_ts=after(hours=-2))))
    assert played.run(P.list_session_games(ulid(20))) == [first, early[1], early[0]]
    played.run(save(first, moved(first, deleted_at=AT)))
    assert played.run(P.list_session_games(ulid(20))) == [early[1], early[0]]


def test_games_of_sessions_come_one_session_after_another(played: Face) -> None:
    played.create(session(21, day=2))
    played.create(game(31, after(hours=-1), of=21), game(32, after(hours=-2), of=21))
    found = played.run(P.games_of_sessions([ulid(20), ulid(21), ulid(29)]))
    assert [row.game_id for row in found] == [ulid(30), ulid(32), ulid(31)]


def test_list_season_games_returns_all_by_kick_off_and_id(played: Face) -> None:
    played.create(season(11))
    played.create(session(21, day=2), session(22, of=11))
    played.create(game(31, after(hours=-1), of=21), game(32, AT, of=21))
    played.create(game(33, of=22, season_id=ulid(11)))
    found = played.run(P.list_season_games(ulid(10)))
    assert [one.game_id for one in found] == [ulid(31), ulid(30), ulid(32)]
    assert played.run(P.list_season_games(ulid(19))) == []


def test_list_goals_returns_third_minute_and_entry_order(played: Face) -> None:
    made = {
        number: played.create(goal(number, third, minute))
        for number, third, minute in ((100, 2, 5), (101, 1, 40), (102, 1, 3), (103, 1, 3))
    }
    played.create(goal(104, of=31), goal(105, 3, 100), goal(106, 3, 9))
    played.create(audit())
    found = played.run(P.list_goals(ulid(30)).all())
    assert [one.event_id for one in found] == [
        ulid(number) for number in (102, 103, 101, 100, 106, 105)
    ]
    assert found[0] == made[102]
    assert [len(page) for page in played.pages(P.list_goals(ulid(30)), 4)] == [4, 2]


def test_get_goal_is_found_in_the_timeline(played: Face) -> None:
    played.create(goal(100), goal(101, 3, 999))
    assert played.run(P.get_goal(ulid(30), ulid(101))) == goal(101, 3, 999)
    assert played.run(P.get_goal(ulid(30), ulid(102))) is None


def test_get_last_goal_is_the_one_that_was_entered_last(played: Face) -> None:
    assert played.run(P.get_last_goal(ulid(30))) is None
    played.create(goal(100, 2, 5), goal(101, 1, 40), goal(103, 1, 3), goal(102, 1, 3))
    assert played.run(P.get_last_goal(ulid(30))) == goal(103, 1, 3)


def test_goals_of_games_come_one_game_after_another(played: Face) -> None:
    played.create(goal(101, of=31), goal(100, 2), goal(102, 1))
    found = played.run(P.goals_of_games([ulid(31), ulid(30)]))
    assert [one.event_id for one in found] == [ulid(101), ulid(102), ulid(100)]


def test_list_audit_returns_oldest_first_page_by_page(played: Face) -> None:
    made = [played.create(audit(200 + n, after={"third": 2} if n else None)) for n in range(3)]
    played.create(audit(209, of=31))
    played.create(goal())
    assert played.pages(P.list_audit(ulid(30)), 2) == [made[:2], made[2:]]


def test_get_player_counts_his_rosters(played: Face) -> None:
    made = played.create(player(nickname="Zed"))
    assert played.run(P.get_player(ulid(50))) == made
    played.create(roster())
    assert played.run(P.get_player(ulid(50)).required()).roster_count == 1
    assert played.run(P.get_player(ulid(51))) is None


def test_players_come_in_the_order_they_are_asked_for(played: Face) -> None:
    made = [played.create(player(n)) for n in (50, 51)]
    assert played.run(P.players([ulid(51), ulid(59), ulid(50)])) == [made[1], made[0]]


def named(face: Face) -> None:
    for number, nickname in enumerate(("Zed", "ann", "Bo", "Anna", "bo")):
        face.create(player(50 + number, nickname))


def test_league_players_come_by_nickname_page_by_page(played: Face) -> None:
    named(played)
    played.create(player(59, "Ann", league_id=ulid(2)))
    played.create(acl("ann@x.org"))
    pages = played.pages(P.league_players(ulid(1)), 2)
    assert [[row.nickname for row in page] for page in pages] == [
        ["ann", "Anna"],
        ["Bo", "bo"],
        ["Zed"],
    ]
    assert pages[2][0] == LeaguePlayer(
        player_id=ulid(50), league_id=ulid(1), nickname="Zed", created_at=AT, updated_at=AT
    )


def test_league_players_named_begin_so(played: Face) -> None:
    named(played)
    rows = played.run(P.league_players_named(ulid(1), "an")).items
    assert [row.nickname for row in rows] == ["ann", "Anna"]
    assert played.run(P.league_players_named(ulid(1), "annab")).items == ()


def test_list_league_players_searches_in_any_case(played: Face) -> None:
    named(played)
    assert [one.nickname for one in played.run(P.list_league_players(ulid(1), "BO"))] == [
        "Bo",
        "bo",
    ]
    assert len(played.run(P.list_league_players(ulid(1)))) == 5
    old = played.run(P.get_player(ulid(50)).required())
    played.run(save(old, moved(old, nickname="bob")))
    assert len(played.run(P.list_league_players(ulid(1), "bo"))) == 3
    assert played.run(P.list_league_players(ulid(1), "z")) == []


def test_list_roster_returns_team_and_player_order_and_no_guards(played: Face) -> None:
    played.create(*(player(n) for n in (50, 51, 52, 53)))
    seats = ((53, "red"), (50, "yellow"), (52, "blue"), (51, "red"))
    made = {number: played.create(roster(number, team_id)) for number, team_id in seats}  # type: ignore[arg-type]
    assert played.pages(P.list_roster(ulid(30)), 3) == [
        [made[52], made[51], made[53]],
        [made[50]],
    ]


def test_rosters_of_games_come_one_game_after_another(played: Face) -> None:
    played.create(game(31))
    played.create(player(50), player(51))
    played.create(roster(50), roster(51), roster(50, of=31))
    found = played.run(P.rosters_of_games([ulid(31), ulid(30)]))
    assert [(row.game_id, row.player_id) for row in found] == [
        (ulid(31), ulid(50)),
        (ulid(30), ulid(50)),
        (ulid(30), ulid(51)),
    ]


def test_get_player_slot_tells_his_team(played: Face) -> None:
    played.create(player())
    made = played.create(roster(team_id="blue"))
    assert played.run(P.get_player_slot(ulid(30), ulid(50))) == PlayerSlot(
        game_id=ulid(30), player_id=ulid(50), team_id="blue", created_at=AT, updated_at=AT
    )
    played.run(delete(made))
    assert played.run(P.get_player_slot(ulid(30), ulid(50))) is None


def test_season_standings_are_made_of_finished_games(played: Face) -> None:
    played.create(game(31, status="live"))
    done = played.create(game(32, after(hours=-1), status="finished", result={"final": True}))
    assert played.run(P.season_standings(ulid(10))) == [done]


def test_season_leaderboard_has_rosters_and_goals_of_finished_games(played: Face) -> None:
    played.create(game(31, status="finished"), game(32, status="finished"))
    played.create(player(50), player(51))
    played.run(Unit().create(roster(50)).create(roster(51, "blue", of=31)))
    played.create(goal(100), goal(101, of=31), goal(102, of=32))
    rosters, goals = played.run(P.season_leaderboard(ulid(10)))
    assert [row.player_id for row in rosters] == [ulid(51)]
    assert [one.event_id for one in goals] == [ulid(101), ulid(102)]
