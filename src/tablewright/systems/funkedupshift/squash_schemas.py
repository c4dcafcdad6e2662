"""What the squash endpoints take and return, and the rules of a match."""

from __future__ import annotations

from datetime import date as day
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from tablewright.systems.funkedupshift.schemas import UNSENT, KeyLine
from tablewright.web.http.field_types import (
    Answer,
    Body,
    Day,
    Email,
    Int,
    OneOf,
    PatchBody,
    QueryParameters,
    Several,
    Time,
    UserId,
    UuidText,
    with_example,
)
from tablewright.web.http.problems import FieldError, field_problem, invalid

GAMES_TO_WIN: Final = 3
PLAYERS_MAX: Final = 10
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


_SEATS: Final = ("teamAPlayer1Id", "teamAPlayer2Id", "teamBPlayer1Id", "teamBPlayer2Id")


class MatchBody(Body):
    model_config = with_example(
        date="2026-01-31",
        **{seat: f"00000000-0000-4000-8000-00000000000{n}" for n, seat in enumerate(_SEATS, 1)},
        winningTeam="A",
        teamAGames=3,
        teamBGames=1,
    )

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

    @model_validator(mode="after")
    def _require_playable(self) -> Self:
        """Raise 400 for a match that cannot have been: four different people, and one winner."""
        errors: list[FieldError] = []
        for place, player_id in enumerate(self.player_ids):
            if player_id in self.player_ids[:place]:
                errors.append(FieldError(_SEATS[place], "is named twice"))
        games = {"A": self.team_a_games, "B": self.team_b_games}
        loser = "B" if self.winning_team == "A" else "A"
        if games[self.winning_team] != GAMES_TO_WIN:
            message = f"must be {GAMES_TO_WIN} for the winner"
            errors.append(FieldError(f"team{self.winning_team}Games", message))
        if games[loser] >= GAMES_TO_WIN:
            errors.append(FieldError(f"team{loser}Games", "must be 0, 1 or 2 for the loser"))
        if errors:
            raise invalid(*errors)
        return self


class PlayerMatchQuery(QueryParameters):
    date: Day | None = None
    date_from: Day | None = None
    date_to: Day | None = None
    order: Annotated[str, OneOf("asc", "desc")] = "asc"

    @model_validator(mode="after")
    def _require_range(self) -> Self:
        first, last = self.date_from, self.date_to
        if self.date is not None:
            return self  # It wins over a range.
        if (first is None) != (last is None):
            raise field_problem("dateTo" if last is None else "dateFrom", "is needed, too")
        if first is not None and last is not None and first > last:
            raise field_problem("dateFrom", "must not be after dateTo")
        return self

    @property
    def first(self) -> day | None:
        return self.date or self.date_from

    @property
    def last(self) -> day | None:
        return self.date or self.date_to


class MatchQuery(PlayerMatchQuery):
    player_ids: Annotated[
        list[str],
        Several(UuidText, 1, PLAYERS_MAX),
        Field(description=f"1 to {PLAYERS_MAX} ids with commas between them."),
    ] = []
    player_mode: Annotated[str, OneOf("and", "or")] = "and"

    @model_validator(mode="before")
    @classmethod
    def _without_nothing(cls, given: Any) -> Any:
        # No id at all is not the same as no filter: that would be all matches.
        if given.get("playerIds") == "":
            raise field_problem("playerIds", f"must have 1 to {PLAYERS_MAX} values")
        return {name: value for name, value in given.items() if value != ""}


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
