"""What 3FC's endpoints take and return: bodies, queries, answers.

An answer that some callers see less of has two classes: the ``View`` that all see, and the whole.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from tablewright.systems.threefc.design import Acl, Audit, League, Player, Role, TeamId
from tablewright.systems.threefc.permissions import Caller, Member
from tablewright.systems.threefc.services.goal_rules import require_sound
from tablewright.systems.threefc.services.slugs import SLUG_CHARS_MAX, SLUG_PATTERN
from tablewright.web.http.field_types import (
    Answer,
    Body,
    Day,
    Email,
    Int,
    Line,
    OneOf,
    PatchBody,
    QueryParameters,
    Time,
    UlidText,
    with_example,
)
from tablewright.web.http.problems import field_problem

NICKNAME_CHARS_MAX = 40
ASSISTS_MAX = 3

Name = Annotated[str, Line(1, 100)]
Color = Annotated[str, Line(1, 30)]
Slug = Annotated[str, Field(pattern=f"^{SLUG_PATTERN}$", max_length=SLUG_CHARS_MAX)]
Third = Annotated[int, Int(1, 3)]
GameMinute = Annotated[int, Int(0, 999)]
Assists = Annotated[list[UlidText], Field(max_length=ASSISTS_MAX)]


def _without_hash(nickname: str) -> str:
    if "#" in nickname:
        raise ValueError("must not have a #")
    return nickname


Nickname = Annotated[str, Line(1, NICKNAME_CHARS_MAX), AfterValidator(_without_hash)]


def require_order(starts_on: date | None, ends_on: date | None) -> None:
    """Raise 400 for a season that ends before it starts."""
    if starts_on is not None and ends_on is not None and starts_on > ends_on:
        raise field_problem("startsOn", "must not be after endsOn")


class LinkRequest(Body):
    email: Email


class TokenBody(Body):
    token: Annotated[str, Line(1, 200)]


class LeagueBody(Body):
    name: Name
    slug: Slug | None = None


class LeaguePatch(PatchBody):
    name: Name = ""
    slug: Slug | None = None


class AccessBody(Body):
    role: Role


class SeasonBody(Body):
    name: Name
    slug: Slug | None = None
    starts_on: Day | None = None
    ends_on: Day | None = None

    @model_validator(mode="after")
    def _require_order(self) -> Self:
        require_order(self.starts_on, self.ends_on)
        return self


class SeasonPatch(PatchBody):
    name: Name = ""
    slug: Slug | None = None
    starts_on: Day | None = None
    ends_on: Day | None = None

    @model_validator(mode="after")
    def _require_order(self) -> Self:
        require_order(self.starts_on, self.ends_on)
        return self


class NewTeam(Body):
    team_id: TeamId
    name: Name
    color: Color | None = None


class TeamPatch(PatchBody):
    name: Name = ""
    color: Color | None = None


class SessionBody(Body):
    session_date: Day


class SessionPatch(PatchBody):
    session_date: Day


class GameBody(Body):
    game_start_ts: Time


class GamePatch(PatchBody):
    game_start_ts: Time


class PlayerBody(Body):
    nickname: Nickname


class PlayerPatch(PatchBody):
    nickname: Nickname


class RosterBody(Body):
    team_id: TeamId


class GoalBody(Body):
    """An own goal has no scoringTeamId."""

    model_config = with_example(
        third=1,
        gameMinute=7,
        scoringTeamId="blue",
        concedingTeamId="red",
        scorerPlayerId="01ARZ3NDEKTSV4RRFFQ69G5FAV",
    )

    third: Third
    game_minute: GameMinute
    scoring_team_id: TeamId | None = None
    conceding_team_id: TeamId
    scorer_player_id: UlidText
    assist_player_ids: Assists = []
    own_goal: bool = False

    @model_validator(mode="after")
    def _require_sound(self) -> Self:
        require_sound(self)
        return self


class GoalPatch(PatchBody):
    third: Third = 1
    game_minute: GameMinute = 0
    scoring_team_id: TeamId | None = None
    conceding_team_id: TeamId = "red"
    scorer_player_id: UlidText = ""
    assist_player_ids: Assists | None = None
    own_goal: bool | None = None


# Queries.


class GameQuery(QueryParameters):
    status: Annotated[str, OneOf("scheduled", "live", "finished")] | None = None


class PlayerQuery(QueryParameters):
    prefix: Nickname | None = None


# Answers.


class Health(Answer):
    status: Literal["ok"] = "ok"


class LinkSent(Answer):
    status: Literal["sent"] = "sent"


class SignedIn(Answer):
    user_id: str
    email: str
    expires_at: Time

    @classmethod
    def by(cls, caller: Caller) -> Self:
        expires_at = datetime.fromtimestamp(caller.expires_at, UTC)
        return cls(user_id=caller.user_id, email=caller.user_id, expires_at=expires_at)


class _Stored(Answer):
    """What every entity has."""

    created_at: Time
    updated_at: Time
    version: int


class LeagueView(_Stored):
    """A league with the caller's role."""

    league_id: str
    name: str
    slug: str | None
    role: Role


class LeagueAnswer(LeagueView):
    """A league as its admins see it."""

    created_by_user_id: str

    @classmethod
    def seen(cls, league: League, role: Role) -> LeagueView:
        kind = cls if role == "admin" else LeagueView
        return kind.of(league, role=role)


class AccessView(_Stored):
    """A role in a league, as its holder sees it."""

    league_id: str
    user_id: str
    role: Role


class AccessAnswer(AccessView):
    """A role in a league, as admins see it."""

    granted_by_user_id: str

    @classmethod
    def seen(cls, acl: Acl, *, is_admin: bool) -> AccessView:
        return cls.of(acl) if is_admin else AccessView.of(acl)


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
    is_of_json = True  # The result.

    game_id: str
    league_id: str
    season_id: str
    session_id: str
    status: Literal["scheduled", "live", "finished"]
    game_start_ts: Time
    result: ResultAnswer | None


class PlayerView(_Stored):
    player_id: str
    league_id: str
    nickname: str
    claimed: bool


class PlayerAnswer(PlayerView):
    """A player as admins and the claimant see it."""

    claimed_by_user_id: str | None

    @classmethod
    def seen(cls, player: Player, member: Member) -> PlayerView:
        is_whole = member.is_admin or player.claimed_by_user_id == member.user_id
        kind = cls if is_whole else PlayerView
        return kind.of(player, claimed=player.claimed_by_user_id is not None)


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


class AuditView(Answer):
    is_of_json = True  # The goals.

    audit_id: str
    game_id: str
    action: Literal["edit", "delete", "undo"]
    event_id: str
    before: GoalAnswer
    after: GoalAnswer | None
    created_at: Time


class AuditAnswer(AuditView):
    """A change as admins and its author see it."""

    user_id: str

    @classmethod
    def seen(cls, audit: Audit, member: Member) -> AuditView:
        is_whole = member.is_admin or audit.user_id == member.user_id
        return cls.of(audit) if is_whole else AuditView.of(audit)


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
