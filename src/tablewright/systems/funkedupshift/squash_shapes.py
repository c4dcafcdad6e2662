"""What the squash endpoints take and give, and the rules of a match."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, WithJsonSchema

from tablewright.systems.funkedupshift.design import Match, Player
from tablewright.systems.funkedupshift.shapes import UNSENT, KeyLine
from tablewright.web.http.field_types import (
    Answer,
    Body,
    Day,
    Email,
    Int,
    PatchBody,
    Time,
    UserId,
    UuidText,
)
from tablewright.web.http.problems import FieldError, invalid

__all__ = [
    "MatchBody",
    "PlayerBody",
    "PlayerPatch",
    "match_answer",
    "player_answer",
    "require_playable",
]

GAMES_TO_WIN: Final = 3
Games = Annotated[int, Int(0, GAMES_TO_WIN)]


def _upper(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


Team = Annotated[
    Literal["A", "B"], BeforeValidator(_upper), WithJsonSchema({"enum": ["A", "B", "a", "b"]})
]


class PlayerBody(Body):
    name: Annotated[str, KeyLine(1, 100)]
    email: Email | None = None
    user_id: UserId | None = None


class PlayerPatch(PatchBody):
    name: Annotated[str, KeyLine(1, 100)] = UNSENT
    email: Email | None = None
    user_id: UserId | None = None


class MatchBody(Body):
    date: Day
    team_a_player1_id: UuidText
    team_a_player2_id: UuidText
    team_b_player1_id: UuidText
    team_b_player2_id: UuidText
    winning_team: Team
    team_a_games: Games
    team_b_games: Games

    @property
    def player_ids(self) -> list[str]:
        return [
            self.team_a_player1_id,
            self.team_a_player2_id,
            self.team_b_player1_id,
            self.team_b_player2_id,
        ]


_SEATS: Final = ("teamAPlayer1Id", "teamAPlayer2Id", "teamBPlayer1Id", "teamBPlayer2Id")


def require_playable(body: MatchBody) -> None:
    """Raise 400 for a match that cannot have been: four different people, and one winner."""
    errors: list[FieldError] = []
    for place, player_id in enumerate(body.player_ids):
        if player_id in body.player_ids[:place]:
            errors.append(FieldError(_SEATS[place], "is named twice"))
    games = {"A": body.team_a_games, "B": body.team_b_games}
    loser = "B" if body.winning_team == "A" else "A"
    if games[body.winning_team] != GAMES_TO_WIN:
        told = f"must be {GAMES_TO_WIN} for the winner"
        errors.append(FieldError(f"team{body.winning_team}Games", told))
    if games[loser] >= GAMES_TO_WIN:
        errors.append(FieldError(f"team{loser}Games", "must be 0, 1 or 2 for the loser"))
    if errors:
        raise invalid(*errors)


# Answers.


class PlayerAnswer(Answer):
    player_id: str
    name: str
    email: str | None
    user_id: str | None
    match_count: int
    created_at: Time
    updated_at: Time
    version: int


class MatchAnswer(Answer):
    match_id: str
    date: Day
    team_a_player1_id: str
    team_a_player2_id: str
    team_b_player1_id: str
    team_b_player2_id: str
    winning_team: Literal["A", "B"]
    team_a_games: int
    team_b_games: int
    created_at: Time
    updated_at: Time
    version: int


class PlayerList(Answer):
    items: list[PlayerAnswer]
    cursor: str | None


class MatchList(Answer):
    items: list[MatchAnswer]
    cursor: str | None


def player_answer(player: Player) -> dict[str, Any]:
    return player.model_dump(by_alias=True)


def match_answer(match: Match) -> dict[str, Any]:
    return match.model_dump(by_alias=True)
