"""Data to look at: two leagues, two seasons of Sundays, ten games. The same every time."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from pydantic import BaseModel
from ulid import ULID

from tablewright import create
from tablewright.systems.threefc.design import (
    Acl,
    Audit,
    Game,
    Goal,
    League,
    Player,
    Role,
    Roster,
    Season,
    Session,
    Team,
    TeamId,
)
from tablewright.systems.threefc.services.goals import goal_record
from tablewright.systems.threefc.services.results import TEAMS, result_of
from tablewright.web.services.services import Services

__all__ = ["demo_rows", "fill"]

_START: Final = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)
_SEED: Final = 3
_ACCESS: Final[dict[str, Role]] = {
    "ann@example.org": "admin",
    "ben@example.org": "admin",
    "kim@example.org": "scorekeeper",
    "vic@example.org": "viewer",
}
_NICKNAMES: Final = (
    "Asger",
    "Billie",
    "Comet",
    "Debord",
    "Eck",
    "Flash",
    "Guy",
    "Hexa",
    "Isidore",
    "Jorn",
    "Klang",
    "Luther",
)
_TEAM_NAMES: Final[dict[TeamId, tuple[str, str]]] = {
    "blue": ("Deep Blue", "royal blue"),
    "red": ("Red Shift", "crimson"),
    "yellow": ("Mellow Yellow", "lemon"),
}
_SEASONS: Final = (
    ("Spring 2025", datetime(2025, 3, 2, tzinfo=UTC), 3),
    ("Autumn 2025", datetime(2025, 9, 7, tzinfo=UTC), 2),
)
_PLAYERS_PER_TEAM: Final = 3
_THIRDS: Final[tuple[Literal[1, 2, 3], ...]] = (1, 2, 3)

Status = Literal["scheduled", "live", "finished"]


async def fill(services: Services) -> None:
    """Put the data into an empty store."""
    for row in demo_rows():
        await services.store.run(create(row))


def demo_rows() -> Iterator[BaseModel]:
    """Leagues, access, players, seasons and games; what follows from them is derived."""
    chance = random.Random(_SEED)
    league = _league(chance, "Sunday Three", "sunday-three", "ann@example.org")
    yield league
    for user_id, role in _ACCESS.items():
        yield _acl(league, user_id, role)
    other = _league(chance, "Park Hexagon", "park-hexagon", "ben@example.org")
    yield other
    yield _acl(other, "ben@example.org", "admin")
    players = [_player(chance, league, number) for number in range(len(_NICKNAMES))]
    yield from players
    for name, first_day, weeks in _SEASONS:
        yield from _season(chance, league, players, name, first_day, weeks)


def _id(chance: random.Random, at: datetime) -> str:
    """A ULID of this time."""
    millis = int(at.timestamp() * 1000)
    return str(ULID.from_bytes(millis.to_bytes(6, "big") + chance.randbytes(10)))


def _times(at: datetime) -> dict[str, Any]:
    return {"created_at": at, "updated_at": at}


def _league(chance: random.Random, name: str, slug: str, user_id: str) -> League:
    return League(
        league_id=_id(chance, _START),
        name=name,
        slug=slug,
        created_by_user_id=user_id,
        **_times(_START),
    )


def _acl(league: League, user_id: str, role: Role) -> Acl:
    return Acl(
        league_id=league.league_id,
        user_id=user_id,
        role=role,
        granted_by_user_id=league.created_by_user_id,
        **_times(_START),
    )


def _player(chance: random.Random, league: League, number: int) -> Player:
    at = _START + timedelta(minutes=number)
    return Player(
        player_id=_id(chance, at),
        league_id=league.league_id,
        nickname=_NICKNAMES[number],
        claimed_by_user_id="kim@example.org" if _NICKNAMES[number] == "Klang" else None,
        **_times(at),
    )


def _season(
    chance: random.Random,
    league: League,
    players: Sequence[Player],
    name: str,
    first_day: datetime,
    weeks: int,
) -> Iterator[BaseModel]:
    """A season with a session on each Sunday; the last day of the last season is going on."""
    made_at = first_day - timedelta(days=1)
    season = Season(
        season_id=_id(chance, made_at),
        league_id=league.league_id,
        name=name,
        slug=name.lower().replace(" ", "-"),
        starts_on=first_day.date(),
        ends_on=(first_day + timedelta(days=90)).date(),
        **_times(made_at),
    )
    yield season
    for team_id, (team_name, color) in _TEAM_NAMES.items():
        yield Team(
            season_id=season.season_id,
            team_id=team_id,
            name=team_name,
            color=color,
            **_times(made_at),
        )
    for week in range(weeks):
        day = first_day + timedelta(weeks=week)
        session = Session(
            session_id=_id(chance, made_at + timedelta(minutes=week)),
            league_id=league.league_id,
            season_id=season.season_id,
            session_date=day.date(),
            **_times(made_at + timedelta(minutes=week)),
        )
        yield session
        is_today = name == _SEASONS[-1][0] and week == weeks - 1
        statuses: list[Status] = ["live", "scheduled"] if is_today else ["finished", "finished"]
        for number, status in enumerate(statuses):
            kick_off = day + timedelta(hours=10 + number)
            yield from _game(chance, session, players, kick_off, status)


def _game(
    chance: random.Random,
    session: Session,
    players: Sequence[Player],
    kick_off: datetime,
    status: Status,
) -> Iterator[BaseModel]:
    """A game with its rosters and goals; in one of four a goal was set right."""
    made_at = session.created_at + timedelta(hours=kick_off.hour)
    game_id = _id(chance, made_at)
    picked = chance.sample(players, _PLAYERS_PER_TEAM * len(TEAMS))
    teams = {
        team_id: [player.player_id for player in picked[at :: len(TEAMS)]]
        for at, team_id in enumerate(TEAMS)
    }
    goals = [] if status == "scheduled" else _goals(chance, game_id, teams, kick_off)
    audits = [_audit(chance, goals[-1])] if goals and chance.random() < 0.25 else []
    turns = {"scheduled": 0, "live": 1, "finished": 2}[status]
    yield Game(
        game_id=game_id,
        league_id=session.league_id,
        season_id=session.season_id,
        session_id=session.session_id,
        status=status,
        game_start_ts=kick_off,
        result=result_of(goals, is_final=True) if status == "finished" else None,
        created_at=made_at,
        updated_at=kick_off + timedelta(minutes=70) if turns else made_at,
        version=1 + len(picked) + len(goals) + 2 * len(audits) + turns,
    )
    for team_id, ids in teams.items():
        for player_id in ids:
            yield Roster(game_id=game_id, team_id=team_id, player_id=player_id, **_times(made_at))
    yield from goals
    yield from audits


def _goals(
    chance: random.Random, game_id: str, teams: dict[TeamId, list[str]], kick_off: datetime
) -> list[Goal]:
    """Some goals in the order in which they fell; one in eight is an own goal."""
    goals: list[Goal] = []
    for third, minute in sorted((chance.choice(_THIRDS), chance.randint(0, 21)) for _ in range(6)):
        at = kick_off + timedelta(minutes=22 * (third - 1) + minute, seconds=len(goals))
        scoring, conceding = chance.sample(TEAMS, 2)
        is_own = chance.random() < 1 / 8
        team = teams[conceding if is_own else scoring]
        scorer, mate, *_ = chance.sample(team, len(team))
        goals.append(
            Goal(
                game_id=game_id,
                event_id=_id(chance, at),
                third=third,
                game_minute=minute,
                scoring_team_id=None if is_own else scoring,
                conceding_team_id=conceding,
                scorer_player_id=scorer,
                assist_player_ids=[mate] if not is_own and chance.random() < 0.6 else [],
                own_goal=is_own,
                **_times(at),
            )
        )
    return goals


def _audit(chance: random.Random, goal: Goal) -> Audit:
    """A goal that was entered twice, and undone."""
    at = goal.created_at + timedelta(seconds=30)
    twice = goal.model_copy(update={"event_id": _id(chance, at), **_times(at)})
    return Audit(
        audit_id=_id(chance, at),
        game_id=goal.game_id,
        action="undo",
        event_id=twice.event_id,
        user_id="kim@example.org",
        before=goal_record(twice),
        **_times(at),
    )
