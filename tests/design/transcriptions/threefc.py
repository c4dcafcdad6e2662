"""3FC's design document, with the one pattern that the application needs besides."""

from __future__ import annotations

from datetime import datetime

from tablewright import Design, Envelope, Get, Model, Query, Table, pattern, served

T = Table(
    "3fc-env-app",
    pk="pk",
    sk="sk",
    unchecked=True,
    envelope=Envelope("data", top=("createdAt", "updatedAt")),
)


class Row(Model):
    created_at: datetime
    updated_at: datetime


@T.entity("LEAGUE#{leagueId}", "METADATA")
class League(Row):
    league_id: str


@T.entity("LEAGUE#{leagueId}", "SEASON#{seasonId}")
class Season(Row):
    league_id: str
    season_id: str


@T.entity("SEASON#{seasonId}", "METADATA")
class SeasonMirror(Row):
    season_id: str


@T.entity("SEASON#{seasonId}", "TEAM#{teamId}")
class Team(Row):
    season_id: str
    team_id: str


@T.entity("SEASON#{seasonId}", "SESSION#{sessionId}")
class Session(Row):
    season_id: str
    session_id: str


@T.entity("SESSION#{sessionId}", "METADATA")
class SessionMirror(Row):
    session_id: str


@T.entity("GAME#{gameId}", "METADATA")
class Game(Row):
    game_id: str


@T.entity("GAME#{gameId}", "GOAL#{third}#{gameMinute:04}#{eventId}")
class Goal(Row):
    """gameMinuteSortable is zero-padded to preserve lexical ordering."""

    game_id: str
    third: str
    game_minute: int
    event_id: str


@T.entity("GAME#{gameId}", "ROSTER#{teamId}#{playerId}")
class Roster(Row):
    game_id: str
    team_id: str
    player_id: str


@T.entity("SESSION#{sessionId}", "GAME#{gameStartTs}#{gameId}")
class SessionGame(Row):
    session_id: str
    game_start_ts: datetime
    game_id: str


@T.entity("LEAGUE#{leagueId}", "ACL#USER#{userId}")
class Acl(Row):
    league_id: str
    user_id: str


@T.entity("PLAYER#{playerId}", "PROFILE")
class Player(Row):
    player_id: str


class ThreeFC(Design, tables=[T]):
    @pattern()
    def read_league(self, league_id: str) -> Get[League]:
        return served()

    @pattern()
    def list_seasons(self, league_id: str) -> Query[Season]:
        return served()

    @pattern()
    def list_teams(self, season_id: str) -> Query[Team]:
        return served()

    @pattern()
    def list_sessions(self, season_id: str) -> Query[Session]:
        return served()

    @pattern()
    def read_season_mirror(self, season_id: str) -> Get[SeasonMirror]:
        """For ACL scope resolution."""
        return served()

    @pattern()
    def read_session_mirror(self, session_id: str) -> Get[SessionMirror]:
        """For ACL scope resolution."""
        return served()

    @pattern()
    def read_game(self, game_id: str) -> Get[Game]:
        return served()

    @pattern()
    def list_games(self, session_id: str) -> Query[SessionGame]:
        return served()

    @pattern()
    def read_player(self, player_id: str) -> Get[Player]:
        return served()

    @pattern()
    def list_acl(self, league_id: str) -> Query[Acl]:
        return served()

    @pattern()
    def list_roster(self, game_id: str) -> Query[Roster]:
        return served()

    @pattern()
    def list_goals(self, game_id: str) -> Query[Goal]:
        return served()

    @pattern()
    def list_leagues_of_user(self, user_id: str) -> Query[Acl]:
        """Not in the document; every user's first page needs it."""
        return served()
