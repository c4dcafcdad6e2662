"""What 3FC's endpoints give."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tablewright.systems.threefc.design import Role, TeamId
from tablewright.web.http.field_types import Answer, Day, Time

__all__ = [
    "AccessAnswer",
    "AccessList",
    "AuditAnswer",
    "AuditList",
    "GameAnswer",
    "GameList",
    "GameReport",
    "GoalAnswer",
    "GoalList",
    "Health",
    "Leader",
    "Leaderboard",
    "LeagueAnswer",
    "LeagueList",
    "LinkSent",
    "PlayerAnswer",
    "PlayerList",
    "ResultAnswer",
    "RosterEntry",
    "RosterList",
    "SeasonAnswer",
    "SeasonList",
    "SessionAnswer",
    "SessionList",
    "SignedIn",
    "Standing",
    "Standings",
    "TeamAnswer",
    "TeamList",
    "TeamResult",
    "TeamResults",
    "TeamRosters",
    "TimelineGoal",
]


class Health(Answer):
    status: Literal["ok"]


class LinkSent(Answer):
    status: Literal["sent"]


class SignedIn(Answer):
    user_id: str
    email: str
    expires_at: Time


class _Stored(Answer):
    """What every entity has."""

    created_at: Time
    updated_at: Time
    version: int


class LeagueAnswer(_Stored):
    """Who created it is for admins to see."""

    league_id: str
    name: str
    slug: str | None
    created_by_user_id: str | None = None
    role: Role


class AccessAnswer(_Stored):
    """Who granted it is for admins to see."""

    league_id: str
    user_id: str
    role: Role
    granted_by_user_id: str | None = None


class SeasonAnswer(_Stored):
    league_id: str
    season_id: str
    name: str
    slug: str | None
    starts_on: Day | None
    ends_on: Day | None


class TeamAnswer(_Stored):
    season_id: str
    team_id: TeamId
    name: str
    color: str | None


class SessionAnswer(_Stored):
    league_id: str
    season_id: str
    session_id: str
    session_date: Day


class TeamResult(Answer):
    conceded: int
    scored: int
    conceded_by_third: Annotated[list[int], Field(min_length=3, max_length=3)]
    scored_by_third: Annotated[list[int], Field(min_length=3, max_length=3)]


class TeamResults(Answer):
    blue: TeamResult
    red: TeamResult
    yellow: TeamResult


class ResultAnswer(Answer):
    """Without a winner there are at least two teams in drawTeamIds."""

    final: bool
    winner_team_id: TeamId | None
    draw_team_ids: list[TeamId]
    teams: TeamResults


class GameAnswer(_Stored):
    game_id: str
    league_id: str
    season_id: str
    session_id: str
    status: Literal["scheduled", "live", "finished"]
    game_start_ts: Time
    result: ResultAnswer | None


class PlayerAnswer(_Stored):
    """Who claimed him is for admins and the claimant to see."""

    player_id: str
    league_id: str
    nickname: str
    claimed: bool
    claimed_by_user_id: str | None = None


class RosterEntry(_Stored):
    game_id: str
    team_id: TeamId
    player_id: str
    nickname: str | None


class GoalAnswer(_Stored):
    game_id: str
    event_id: str
    third: int
    game_minute: int
    scoring_team_id: TeamId | None
    conceding_team_id: TeamId
    scorer_player_id: str
    assist_player_ids: list[str]
    own_goal: bool


class TimelineGoal(GoalAnswer):
    scorer_nickname: str | None
    assist_nicknames: list[str | None]


class TeamRosters(Answer):
    blue: list[RosterEntry]
    red: list[RosterEntry]
    yellow: list[RosterEntry]


class GameReport(Answer):
    game: GameAnswer
    result: ResultAnswer
    roster: TeamRosters
    timeline: list[TimelineGoal]


class AuditAnswer(Answer):
    """Who did it is for admins and himself to see."""

    audit_id: str
    game_id: str
    action: Literal["edit", "delete", "undo"]
    event_id: str
    user_id: str | None = None
    before: GoalAnswer
    after: GoalAnswer | None
    created_at: Time


class Standing(Answer):
    team_id: TeamId
    name: str | None
    played: int
    wins: int
    draws: int
    losses: int
    conceded: int
    scored: int


class Standings(Answer):
    season_id: str
    games_finished: int
    items: list[Standing]


class Leader(Answer):
    player_id: str
    nickname: str | None
    games: int
    goals: int
    assists: int
    own_goals: int
    goals_per_game: float


class Leaderboard(Answer):
    season_id: str
    items: list[Leader]


class LeagueList(Answer):
    items: list[LeagueAnswer]
    cursor: str | None


class AccessList(Answer):
    items: list[AccessAnswer]
    cursor: str | None


class SeasonList(Answer):
    items: list[SeasonAnswer]
    cursor: str | None


class TeamList(Answer):
    items: list[TeamAnswer]
    cursor: str | None


class SessionList(Answer):
    items: list[SessionAnswer]
    cursor: str | None


class GameList(Answer):
    items: list[GameAnswer]
    cursor: str | None


class PlayerList(Answer):
    items: list[PlayerAnswer]
    cursor: str | None


class RosterList(Answer):
    items: list[RosterEntry]
    cursor: None


class GoalList(Answer):
    items: list[GoalAnswer]
    cursor: None


class AuditList(Answer):
    items: list[AuditAnswer]
    cursor: str | None
