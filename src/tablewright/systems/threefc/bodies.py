"""What 3FC's endpoints take."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from tablewright.systems.threefc.design import Role, TeamId
from tablewright.systems.threefc.services.slugs import SLUG_CHARS_MAX, SLUG_PATTERN
from tablewright.web.http.field_types import (
    Body,
    Day,
    Email,
    Int,
    Line,
    PatchBody,
    Time,
    UlidText,
)

__all__ = [
    "NICKNAME_CHARS_MAX",
    "AccessBody",
    "GameBody",
    "GamePatch",
    "GoalBody",
    "GoalPatch",
    "LeagueBody",
    "LeaguePatch",
    "LinkRequest",
    "NewTeam",
    "PlayerBody",
    "PlayerPatch",
    "RosterBody",
    "SeasonBody",
    "SeasonPatch",
    "SessionBody",
    "SessionPatch",
    "TeamPatch",
    "TokenBody",
]

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


class SeasonPatch(PatchBody):
    name: Name = ""
    slug: Slug | None = None
    starts_on: Day | None = None
    ends_on: Day | None = None


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

    third: Third
    game_minute: GameMinute
    scoring_team_id: TeamId | None = None
    conceding_team_id: TeamId
    scorer_player_id: UlidText
    assist_player_ids: Assists = []
    own_goal: bool = False


class GoalPatch(PatchBody):
    third: Third = 1
    game_minute: GameMinute = 0
    scoring_team_id: TeamId | None = None
    conceding_team_id: TeamId = "red"
    scorer_player_id: UlidText = ""
    assist_player_ids: Assists | None = None
    own_goal: bool | None = None
