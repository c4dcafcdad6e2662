"""What goals come to: the result of a game, a season's standings and its leaderboard.

Nothing is read here. Fewest conceded wins, then most scored; an own goal is conceded by its team
and credited to no player.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final, get_args

from tablewright.systems.threefc.design import Game, Goal, Roster, TeamId
from tablewright.systems.threefc.schemas import Leader, Standing

__all__ = ["TEAMS", "leaderboard_of", "result_of", "standings_of"]

TEAMS: Final[tuple[TeamId, ...]] = get_args(TeamId)  # Blue, red, yellow: the order of draws.
THIRDS: Final = (1, 2, 3)
_CENT: Final = Decimal("0.01")


def result_of(goals: Sequence[Goal], *, is_final: bool) -> dict[str, Any]:
    """A game's result as it is stored and shown."""
    teams = {team_id: _team(goals, team_id) for team_id in TEAMS}
    rank = {team_id: (team["conceded"], -team["scored"]) for team_id, team in teams.items()}
    first = [team_id for team_id in TEAMS if rank[team_id] == min(rank.values())]
    is_won = len(first) == 1
    return {
        "final": is_final,
        "winnerTeamId": first[0] if is_won else None,
        "drawTeamIds": [] if is_won else first,
        "teams": teams,
    }


def _team(goals: Sequence[Goal], team_id: TeamId) -> dict[str, Any]:
    conceded = Counter(goal.third for goal in goals if goal.conceding_team_id == team_id)
    scored = Counter(goal.third for goal in goals if goal.scoring_team_id == team_id)
    return {
        "conceded": conceded.total(),
        "scored": scored.total(),
        "concededByThird": [conceded[third] for third in THIRDS],
        "scoredByThird": [scored[third] for third in THIRDS],
    }


def standings_of(games: Sequence[Game], names: Mapping[TeamId, str]) -> list[Standing]:
    """The three teams over finished games, the best first."""
    results = [game.result for game in games if game.result is not None]
    items = [_standing(results, team_id, names.get(team_id)) for team_id in TEAMS]
    return sorted(
        items,
        key=lambda item: (
            -item.wins,
            -item.draws,
            item.conceded,
            -item.scored,
            item.team_id,
        ),
    )


def _standing(results: Sequence[dict[str, Any]], team_id: TeamId, name: str | None) -> Standing:
    wins = sum(result["winnerTeamId"] == team_id for result in results)
    draws = sum(team_id in result["drawTeamIds"] for result in results)
    return Standing(
        team_id=team_id,
        name=name,
        played=len(results),
        wins=wins,
        draws=draws,
        losses=len(results) - wins - draws,
        conceded=sum(result["teams"][team_id]["conceded"] for result in results),
        scored=sum(result["teams"][team_id]["scored"] for result in results),
    )


def leaderboard_of(
    rosters: Iterable[Roster], goals: Sequence[Goal], names: Mapping[str, str]
) -> list[Leader]:
    """The players on the rosters of these games, the best scorers first."""
    games = Counter(row.player_id for row in rosters)
    scored = Counter(goal.scorer_player_id for goal in goals if not goal.own_goal)
    own = Counter(goal.scorer_player_id for goal in goals if goal.own_goal)
    assists = Counter(player_id for goal in goals for player_id in goal.assist_player_ids)
    leaders = [
        Leader(
            player_id=player_id,
            nickname=names.get(player_id),
            games=count,
            goals=scored[player_id],
            assists=assists[player_id],
            own_goals=own[player_id],
            goals_per_game=_per_game(scored[player_id], count),
        )
        for player_id, count in games.items()
    ]
    return sorted(
        leaders,
        key=lambda leader: (
            -leader.goals,
            -leader.assists,
            leader.nickname or "",
            leader.player_id,
        ),
    )


def _per_game(goals: int, games: int) -> float:
    """With two decimals, half up."""
    return float((Decimal(goals) / games).quantize(_CENT, ROUND_HALF_UP))
