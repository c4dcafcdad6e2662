"""The rules of a goal: teams, scorer, assists. Reads nothing from the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from tablewright.systems.threefc.design import TeamId
from tablewright.web.http.problems import field_problem

__all__ = ["GoalFields", "require_rostered", "require_sound"]


class GoalFields(Protocol):
    """What a goal and the body of one have in common."""

    @property
    def scoring_team_id(self) -> TeamId | None: ...
    @property
    def conceding_team_id(self) -> TeamId: ...
    @property
    def scorer_player_id(self) -> str: ...
    @property
    def assist_player_ids(self) -> Sequence[str]: ...
    @property
    def own_goal(self) -> bool: ...


def require_sound(goal: GoalFields) -> None:
    """Raise 400 for a goal that no roster allows."""
    if goal.own_goal and goal.scoring_team_id is not None:
        raise field_problem("scoringTeamId", "must be absent for an own goal")
    if not goal.own_goal and goal.scoring_team_id is None:
        raise field_problem("scoringTeamId", "is needed unless it is an own goal")
    if goal.scoring_team_id == goal.conceding_team_id:
        raise field_problem("concedingTeamId", "must be another team than scoringTeamId")
    if len(set(goal.assist_player_ids)) < len(goal.assist_player_ids):
        raise field_problem("assistPlayerIds", "must be different players")
    if goal.scorer_player_id in goal.assist_player_ids:
        raise field_problem("assistPlayerIds", "must not have the scorer")


def require_rostered(goal: GoalFields, teams: Mapping[str, TeamId]) -> None:
    """Raise 400 unless all of these play: the scorer for his team, the others for any."""
    team_id = goal.conceding_team_id if goal.own_goal else goal.scoring_team_id
    if teams.get(goal.scorer_player_id) != team_id:
        raise field_problem("scorerPlayerId", f"must be on the roster of {team_id}")
    if not all(player_id in teams for player_id in goal.assist_player_ids):
        raise field_problem("assistPlayerIds", "must be on the roster of the game")
