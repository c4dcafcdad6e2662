"""Rows as answers: what is in them, and who sees it. A field one may not see is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson

from tablewright.systems.threefc.design import (
    Acl,
    Audit,
    Game,
    Goal,
    League,
    Player,
    Role,
    Roster,
    SeasonFields,
    SessionFields,
    Team,
)
from tablewright.systems.threefc.permissions import Caller, Member
from tablewright.systems.threefc.services.results import TEAMS, result_of
from tablewright.web.http.answers import as_json

__all__ = [
    "access_answer",
    "audit_answer",
    "game_answer",
    "game_report",
    "goal_answer",
    "goal_record",
    "league_answer",
    "player_answer",
    "roster_answer",
    "season_answer",
    "session_answer",
    "signed_in_answer",
    "team_answer",
]

Shown = dict[str, Any]


def signed_in_answer(caller: Caller) -> Shown:
    expires_at = datetime.fromtimestamp(caller.expires_at, UTC)
    return {"userId": caller.user_id, "email": caller.user_id, "expiresAt": expires_at}


def league_answer(league: League, role: Role) -> Shown:
    """A league with the caller's role in it."""
    hidden = {"admin_count", "season_count", "deleted_at"}
    if role != "admin":
        hidden.add("created_by_user_id")
    return league.model_dump(by_alias=True, exclude=hidden) | {"role": role}


def access_answer(acl: Acl, *, is_admin: bool) -> Shown:
    return acl.model_dump(by_alias=True, exclude=None if is_admin else {"granted_by_user_id"})


def season_answer(season: SeasonFields) -> Shown:
    return season.model_dump(by_alias=True, exclude={"session_count"})


def team_answer(team: Team) -> Shown:
    return team.model_dump(by_alias=True)


def session_answer(session: SessionFields) -> Shown:
    return session.model_dump(by_alias=True, exclude={"game_count"})


def game_answer(game: Game) -> Shown:
    return game.model_dump(by_alias=True, exclude={"deleted_at"})


def player_answer(player: Player, member: Member) -> Shown:
    """A player; by whom he is claimed only for admins and the claimant."""
    hidden = {"roster_count"}
    if not member.is_admin and player.claimed_by_user_id != member.user_id:
        hidden.add("claimed_by_user_id")
    shown = player.model_dump(by_alias=True, exclude=hidden)
    return shown | {"claimed": player.claimed_by_user_id is not None}


def roster_answer(row: Roster, nickname: str | None) -> Shown:
    return row.model_dump(by_alias=True) | {"nickname": nickname}


def goal_answer(goal: Goal) -> Shown:
    return goal.model_dump(by_alias=True)


def goal_record(goal: Goal) -> Shown:
    """A goal as an audit keeps it: plain JSON, so that it is shown as it was."""
    kept: Shown = orjson.loads(as_json(goal_answer(goal)))
    return kept


def audit_answer(audit: Audit, member: Member) -> Shown:
    hidden = {"updated_at", "version"}
    if not member.is_admin and audit.user_id != member.user_id:
        hidden.add("user_id")
    return audit.model_dump(by_alias=True, exclude=hidden)


def game_report(
    game: Game, roster: Sequence[Roster], goals: Sequence[Goal], names: Mapping[str, str]
) -> Shown:
    """Everything about a game: its result as of now, who plays, and what happened."""
    entries = [roster_answer(row, names.get(row.player_id)) for row in roster]
    return {
        "game": game_answer(game),
        "result": result_of(goals, is_final=game.status == "finished"),
        "roster": {
            team_id: [entry for entry in entries if entry["teamId"] == team_id] for team_id in TEAMS
        },
        "timeline": [
            goal_answer(goal)
            | {
                "scorerNickname": names.get(goal.scorer_player_id),
                "assistNicknames": [names.get(one) for one in goal.assist_player_ids],
            }
            for goal in goals
        ],
    }
