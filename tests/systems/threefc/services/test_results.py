"""What goals come to, and what names become."""

from __future__ import annotations

from tablewright.systems.threefc.services.results import leaderboard_of, result_of, standings_of
from tablewright.systems.threefc.services.slugs import slug_candidates
from tests.systems.ids import ulid
from tests.systems.threefc.rows import game, goal, roster


def test_a_tie_in_conceded_goes_to_who_scored_most() -> None:
    goals = [
        goal(100, scoring_team_id="blue", conceding_team_id="red"),
        goal(101, scoring_team_id="blue", conceding_team_id="yellow"),
        goal(102, scoring_team_id="yellow", conceding_team_id="blue"),
    ]
    result = result_of(goals, is_final=True)
    assert (result["winnerTeamId"], result["drawTeamIds"]) == ("blue", [])
    assert result["final"] is True


def test_a_tie_in_both_is_a_draw_in_the_order_blue_red_yellow() -> None:
    goals = [
        goal(100, scoring_team_id="yellow", conceding_team_id="blue"),
        goal(101, scoring_team_id="red", conceding_team_id="blue"),
    ]
    result = result_of(goals, is_final=False)
    assert (result["winnerTeamId"], result["drawTeamIds"]) == (None, ["red", "yellow"])


def test_standings_are_by_wins_then_draws_then_conceded() -> None:
    blue_wins = result_of([goal(scoring_team_id="blue", conceding_team_id="red")], is_final=True)
    draw = result_of(
        [
            goal(100, scoring_team_id="red", conceding_team_id="blue"),
            goal(101, scoring_team_id="yellow", conceding_team_id="blue"),
        ],
        is_final=True,
    )
    games = [game(30 + n, status="finished", result=r) for n, r in enumerate((blue_wins, draw))]
    items = standings_of(games, {"red": "Reds"})
    assert [(one.team_id, one.name, one.wins, one.draws, one.losses) for one in items] == [
        ("blue", None, 1, 0, 1),
        ("yellow", None, 0, 1, 1),
        ("red", "Reds", 0, 1, 1),
    ]


def test_goals_per_game_are_rounded_half_up() -> None:
    rosters = [roster(50, of=30 + number) for number in range(8)]
    [item] = leaderboard_of(rosters, [goal(scorer_player_id=ulid(50))], {ulid(50): "P"})
    assert (item.games, item.goals, item.goals_per_game) == (8, 1, 0.13)


def test_equal_leaders_are_by_nickname_then_id() -> None:
    rosters = [roster(number) for number in (52, 51, 50)]
    names = {ulid(50): "B", ulid(51): "A", ulid(52): "A"}
    items = leaderboard_of(rosters, [], names)
    assert [item.player_id for item in items] == [ulid(51), ulid(52), ulid(50)]


def test_slugs_are_cut_without_a_hyphen_at_their_end() -> None:
    made = list(slug_candidates("a" * 47 + " b"))
    assert made[0] == "a" * 47
    assert made[1] == "a" * 46 + "-2"
    assert made[-1] == "a" * 45 + "-99"
    assert len(made) == 99
    assert list(slug_candidates("??")) == []
    assert next(iter(slug_candidates("  Été 2026: Finals! "))) == "t-2026-finals"
