"""3FC's table: leagues, seasons, sessions and games with their goals, rosters and players.

    LEAGUE#{leagueId}           METADATA, SEASON#…, ACL#USER#…, PLAYER#…
    SEASON#{seasonId}           METADATA, TEAM#…, SESSION#…, SESSIONDATE#…
    SESSION#{sessionId}         METADATA, GAME#…
    GAME#{gameId}               METADATA, GOAL#…, ROSTER#…, PLAYERSLOT#…, AUDIT#…
    PLAYER#{playerId}           PROFILE
    USER#{userId}               LEAGUE#…
    SLUG#LEAGUE#{slug}, SLUG#{leagueId}#SEASON#{slug}, IDEMPOTENCY#{scope}#{key},
    AUTH_MAGIC#{tokenId}, AUTH_SESSION#{id}, AUTH_RATE#{email}      METADATA

Payloads are a JSON string in ``data``; conditions can only see what stands beside it. Of a row and
its mirror the one with the counter is the source, the other is derived from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Literal

from tablewright import (
    BatchGet,
    Design,
    Envelope,
    FanOut,
    Get,
    Model,
    Moment,
    Op,
    Page,
    Query,
    Ref,
    Table,
    Ulid,
    compose,
    pattern,
    ref,
    served,
)
from tablewright.web.http.stored_answer import StoredAnswer

TeamId = Literal["blue", "red", "yellow"]
Role = Literal["admin", "scorekeeper", "viewer"]

T = Table(
    "3fc-local-app",
    pk="pk",
    sk="sk",
    ttl="ttlEpoch",
    envelope=Envelope("data", top=("createdAt", "updatedAt", "version")),
)


class Row(Model):
    """What stands beside the payload of every row."""

    created_at: Moment
    updated_at: Moment
    version: int = 1


# Leagues and access.


@T.entity(
    "LEAGUE#{leagueId}",
    "METADATA",
    type="league",
    mark="deletedAt",
    top=["adminCount", "seasonCount", "deletedAt"],
    size_bytes=500,
)
class League(Row):
    league_id: Ulid
    name: str
    slug: str | None = None
    created_by_user_id: str
    admin_count: int = 0
    season_count: int = 0
    deleted_at: Moment | None = None


@T.entity("SLUG#LEAGUE#{slug}", "METADATA", type="slug", size_bytes=250)
class LeagueSlug(Row):
    slug: str
    league_id: Ulid
    season_id: Ulid | None = None


@T.unique(League)
def league_slug(league: League) -> LeagueSlug | None:
    if league.slug is None:
        return None
    return LeagueSlug(
        slug=league.slug,
        league_id=league.league_id,
        created_at=league.created_at,
        updated_at=league.created_at,
    )


@T.entity("LEAGUE#{leagueId}", "ACL#USER#{userId}", type="acl", size_bytes=350, per_partition=50)
class Acl(Row):
    league_id: Ulid
    user_id: str
    role: Role
    granted_by_user_id: str


@T.entity("USER#{userId}", "LEAGUE#{leagueId}", type="userLeague", size_bytes=300, per_partition=10)
class UserLeague(Row):
    """A grant seen from the person who has it."""

    league_id: Ulid
    user_id: str
    role: Role


@T.unique(Acl)
def user_league(acl: Acl) -> UserLeague:
    return UserLeague.model_validate(acl.model_dump(exclude={"granted_by_user_id"}))


@T.count(Acl, "admin_count")
def admins_of(acl: Acl) -> Ref[League] | None:
    return ref(League, league_id=acl.league_id) if acl.role == "admin" else None


# Seasons and teams.


class SeasonFields(Row):
    league_id: Ulid
    season_id: Ulid
    name: str
    slug: str | None = None
    starts_on: date | None = None
    ends_on: date | None = None


@T.entity("SEASON#{seasonId}", "METADATA", type="season", top=["sessionCount"], size_bytes=450)
class Season(SeasonFields):
    session_count: int = 0


@T.entity("LEAGUE#{leagueId}", "SEASON#{seasonId}", type="season", size_bytes=450)
class LeagueSeason(SeasonFields):
    """A season in its league's list."""


@T.unique(Season)
def league_season(season: Season) -> LeagueSeason:
    return LeagueSeason.model_validate(season.model_dump(exclude={"session_count"}))


@T.entity("SLUG#{leagueId}#SEASON#{slug}", "METADATA", type="slug", size_bytes=250)
class SeasonSlug(Row):
    slug: str
    league_id: Ulid
    season_id: Ulid


@T.unique(Season)
def season_slug(season: Season) -> SeasonSlug | None:
    if season.slug is None:
        return None
    return SeasonSlug(
        slug=season.slug,
        league_id=season.league_id,
        season_id=season.season_id,
        created_at=season.created_at,
        updated_at=season.created_at,
    )


@T.count(Season, "season_count")
def seasons_of(season: Season) -> Ref[League]:
    return ref(League, league_id=season.league_id)


@T.entity("SEASON#{seasonId}", "TEAM#{teamId}", type="team", size_bytes=300, per_partition=3)
class Team(Row):
    season_id: Ulid
    team_id: TeamId
    name: str
    color: str | None = None


# Sessions.


class SessionFields(Row):
    league_id: Ulid
    season_id: Ulid
    session_id: Ulid
    session_date: date


@T.entity("SESSION#{sessionId}", "METADATA", type="session", top=["gameCount"], size_bytes=350)
class Session(SessionFields):
    game_count: int = 0


@T.entity(
    "SEASON#{seasonId}", "SESSION#{sessionId}", type="session", size_bytes=350, per_partition=60
)
class SeasonSession(SessionFields):
    """A session in its season's list."""


@T.unique(Session)
def season_session(session: Session) -> SeasonSession:
    return SeasonSession.model_validate(session.model_dump(exclude={"game_count"}))


@T.entity(
    "SEASON#{seasonId}",
    "SESSIONDATE#{sessionDate}",
    type="sessionDate",
    size_bytes=250,
    per_partition=60,
)
class SessionDay(Row):
    """A season has one session a day."""

    season_id: Ulid
    session_date: date
    session_id: Ulid


@T.unique(Session)
def session_day(session: Session) -> SessionDay:
    return SessionDay(
        season_id=session.season_id,
        session_date=session.session_date,
        session_id=session.session_id,
        created_at=session.created_at,
        updated_at=session.created_at,
    )


@T.count(Session, "session_count")
def sessions_of(session: Session) -> Ref[Season]:
    return ref(Season, season_id=session.season_id)


# Games.


@T.entity(
    "GAME#{gameId}", "METADATA", type="game", mark="deletedAt", top=["deletedAt"], size_bytes=700
)
class Game(Row):
    game_id: Ulid
    league_id: Ulid
    season_id: Ulid
    session_id: Ulid
    status: Literal["scheduled", "live", "finished"] = "scheduled"
    game_start_ts: Moment
    result: dict[str, Any] | None = None
    deleted_at: Moment | None = None


@T.entity(
    "SESSION#{sessionId}",
    "GAME#{gameStartTs}#{gameId}",
    type="sessionGame",
    size_bytes=400,
    per_partition=20,
)
class SessionGame(Row):
    """A game in its session's list, by kick-off."""

    session_id: Ulid
    game_id: Ulid
    game_start_ts: Moment
    league_id: Ulid
    season_id: Ulid


@T.unique(Game)
def session_game(game: Game) -> SessionGame:
    return SessionGame(
        session_id=game.session_id,
        game_id=game.game_id,
        game_start_ts=game.game_start_ts,
        league_id=game.league_id,
        season_id=game.season_id,
        created_at=game.created_at,
        updated_at=game.created_at,
    )


@T.count(Game, "game_count")
def games_of(game: Game) -> Ref[Session]:
    return ref(Session, session_id=game.session_id)


@T.entity(
    "GAME#{gameId}",
    "GOAL#{third}#{gameMinute:04}#{eventId}",
    type="goal",
    size_bytes=500,
    per_partition=30,
)
class Goal(Row):
    game_id: Ulid
    event_id: Ulid
    third: Literal[1, 2, 3]
    game_minute: int
    scoring_team_id: TeamId | None = None
    conceding_team_id: TeamId
    scorer_player_id: Ulid
    assist_player_ids: list[Ulid] = []
    own_goal: bool = False


@T.entity("GAME#{gameId}", "AUDIT#{auditId}", type="audit", size_bytes=900, per_partition=20)
class Audit(Row):
    audit_id: Ulid
    game_id: Ulid
    action: Literal["edit", "delete", "undo"]
    event_id: Ulid
    user_id: str
    before: dict[str, Any]
    after: dict[str, Any] | None = None


# Players and rosters.


@T.entity("PLAYER#{playerId}", "PROFILE", type="player", top=["rosterCount"], size_bytes=350)
class Player(Row):
    player_id: Ulid
    league_id: Ulid
    nickname: str
    claimed_by_user_id: str | None = None
    roster_count: int = 0


@T.entity(  # tw: ignore[TW111] a nickname with a space sorts just before the same without: wanted
    "LEAGUE#{leagueId}",
    "PLAYER#{nicknameLower}#{playerId}",
    type="leaguePlayer",
    size_bytes=300,
    per_partition=200,
)
class LeaguePlayer(Row):
    """A player in the league's list, by nickname."""

    player_id: Ulid
    league_id: Ulid
    nickname: str

    @property
    def nickname_lower(self) -> str:
        """What players are listed and found by."""
        return self.nickname.lower()


@T.unique(Player)
def league_player(player: Player) -> LeaguePlayer:
    return LeaguePlayer(
        player_id=player.player_id,
        league_id=player.league_id,
        nickname=player.nickname,
        created_at=player.created_at,
        updated_at=player.created_at,
    )


@T.entity(
    "GAME#{gameId}", "ROSTER#{teamId}#{playerId}", type="roster", size_bytes=300, per_partition=30
)
class Roster(Row):
    game_id: Ulid
    team_id: TeamId
    player_id: Ulid


@T.entity(
    "GAME#{gameId}", "PLAYERSLOT#{playerId}", type="playerSlot", size_bytes=250, per_partition=30
)
class PlayerSlot(Row):
    """A player is in one team of a game."""

    game_id: Ulid
    player_id: Ulid
    team_id: TeamId


@T.unique(Roster)
def player_slot(roster: Roster) -> PlayerSlot:
    return PlayerSlot(
        game_id=roster.game_id,
        player_id=roster.player_id,
        team_id=roster.team_id,
        created_at=roster.created_at,
        updated_at=roster.created_at,
    )


@T.count(Roster, "roster_count")
def rosters_of(roster: Roster) -> Ref[Player]:
    return ref(Player, player_id=roster.player_id)


# Requests and sign-in.


@T.entity("IDEMPOTENCY#{scope}#{key}", "METADATA", type="idempotency", ttl="expiresAt")
class Idempotency(StoredAnswer, Row):
    """The answer to a request with an Idempotency-Key."""


@T.entity("AUTH_MAGIC#{tokenId}", "METADATA", type="magicToken", flat=True, size_bytes=300)
class MagicToken(Model):
    token_id: str
    email: str
    token_hash: str
    expires_at_epoch: float  # To the millisecond; what is swept is swept by whole seconds.
    ttl_epoch: int
    used_at: Moment | None = None


@T.entity("AUTH_SESSION#{id}", "METADATA", type="loginSession", flat=True, size_bytes=250)
class LoginSession(Model):
    id: str
    email: str
    expires_at_epoch: float
    ttl_epoch: int


@T.entity("AUTH_RATE#{email}", "METADATA", type="startCounter", flat=True, size_bytes=150)
class StartCounter(Model):
    """How often a sign-in link was asked for in the current hour."""

    email: str
    count: int
    window_start: int
    ttl_epoch: int


@T.entity("AUTH_IDENTITY#{email}", "METADATA", type="identity", flat=True, size_bytes=250)
class Identity(Model):
    """The account that an address belongs to: the first that presented it."""

    email: str
    issuer: str
    subject: str


class ThreeFC(Design, tables=[T]):
    """The access patterns of 3FC."""

    @pattern()
    def get_league(self, league_id: str) -> Get[League]:
        """One league."""
        return served()

    @pattern()
    def leagues(self, league_id: Sequence[str]) -> BatchGet[League]:
        """Several leagues."""
        return served()

    @pattern()
    def list_seasons(self, league_id: str) -> Query[LeagueSeason]:
        """A league's seasons, in the order of their creation."""
        return served()

    @pattern()
    def list_teams(self, season_id: str) -> Query[Team]:
        """A season's teams: blue, red, yellow."""
        return served()

    @pattern()
    def list_sessions(self, season_id: str) -> Query[SeasonSession]:
        """A season's sessions, by id; their days are sorted in memory."""
        return served()

    @pattern()
    def get_game(self, game_id: str) -> Get[Game]:
        """One game."""
        return served()

    @pattern()
    def games(self, game_id: Sequence[str]) -> BatchGet[Game]:
        """Several games."""
        return served()

    @pattern()
    def session_games(self, session_id: str) -> Query[SessionGame]:
        """Which games a session has, by kick-off and id."""
        return served()

    @compose("session_games", "games")
    def list_session_games(self, session_id: str) -> Op[list[Game]]:
        """A session's games, by kick-off and id."""
        return self.session_games(session_id).then(
            lambda page: self.games([row.game_id for row in page.items])
        )

    @pattern()
    def get_player(self, player_id: str) -> Get[Player]:
        """One player."""
        return served()

    @pattern()
    def players(self, player_id: Sequence[str]) -> BatchGet[Player]:
        """Several players."""
        return served()

    @pattern()
    def list_acl(self, league_id: str) -> Query[Acl]:
        """A league's grants, by person."""
        return served()

    @pattern()
    def list_roster(self, game_id: str) -> Query[Roster]:
        """A game's roster, by team and player."""
        return served()

    @pattern()
    def list_goals(self, game_id: str) -> Query[Goal]:
        """A game's goals in the order of its timeline."""
        return served()

    @pattern()
    def get_season(self, season_id: str) -> Get[Season]:
        """One season."""
        return served()

    @pattern()
    def get_session(self, session_id: str) -> Get[Session]:
        """One session."""
        return served()

    @pattern()
    def get_session_day(self, season_id: str, session_date: date) -> Get[SessionDay]:
        """Which session a season has on a day."""
        return served()

    @pattern()
    def get_acl(self, league_id: str, user_id: str) -> Get[Acl]:
        """A person's role in a league."""
        return served()

    @pattern()
    def user_leagues(self, user_id: str) -> Query[UserLeague]:
        """A person's grants, in the order in which the leagues were made."""
        return served()

    @compose("user_leagues", "leagues")
    def list_leagues_of_user(self, user_id: str) -> Op[tuple[Page[UserLeague], list[League]]]:
        """A person's leagues with the role in each."""
        return self.user_leagues(user_id).then(
            lambda page: self.leagues([row.league_id for row in page.items]).map(
                lambda leagues: (page, leagues)
            )
        )

    @pattern()
    def get_league_slug(self, slug: str) -> Get[LeagueSlug]:
        """The league of a slug."""
        return served()

    @compose("get_league_slug", "get_league")
    def get_league_by_slug(self, slug: str) -> Op[League | None]:
        """A league by its slug."""
        return self.get_league_slug(slug).follow(lambda row: self.get_league(row.league_id))

    @pattern()
    def get_season_slug(self, league_id: str, slug: str) -> Get[SeasonSlug]:
        """The season of a slug."""
        return served()

    @compose("get_season_slug", "get_season")
    def get_season_by_slug(self, league_id: str, slug: str) -> Op[Season | None]:
        """A season of a league by its slug."""
        return self.get_season_slug(league_id, slug).follow(
            lambda row: self.get_season(row.season_id)
        )

    @pattern()
    def league_players(self, league_id: str) -> Query[LeaguePlayer]:
        """A league's players, by nickname."""
        return served()

    @pattern(  # tw: ignore[TW205] a search by the beginning of a nickname is what is meant
        sk="PLAYER#{nicknameLower}"
    )
    def league_players_named(self, league_id: str, nickname_lower: str) -> Query[LeaguePlayer]:
        """A league's players whose nickname begins so, by nickname."""
        return served()

    @compose("league_players_named", "players")
    def list_league_players(self, league_id: str, prefix: str = "") -> Op[list[Player]]:
        """A league's players by nickname, or those whose nickname begins so."""
        rows = (
            self.league_players_named(league_id, prefix.lower())
            if prefix
            else self.league_players(league_id)
        )
        return rows.then(lambda page: self.players([row.player_id for row in page.items]))

    @pattern()
    def games_of_sessions(self, session_id: Sequence[str]) -> FanOut[SessionGame]:
        """The games of several sessions, one after another."""
        return served()

    @compose("list_sessions", "games_of_sessions", "games")
    def list_season_games(self, season_id: str) -> Op[list[Game]]:
        """All games of a season, by kick-off and id."""
        return (
            self.list_sessions(season_id)
            .all()
            .then(lambda rows: self.games_of_sessions([row.session_id for row in rows]))
            .then(lambda rows: self.games([row.game_id for row in rows]))
            .map(lambda games: sorted(games, key=lambda game: (game.game_start_ts, game.game_id)))
        )

    @compose("list_goals")
    def get_goal(self, game_id: str, event_id: str) -> Op[Goal | None]:
        """One goal; its key needs third and minute, so the timeline is read."""
        return (
            self.list_goals(game_id)
            .all()
            .map(lambda goals: next((goal for goal in goals if goal.event_id == event_id), None))
        )

    @compose("list_goals")
    def get_last_goal(self, game_id: str) -> Op[Goal | None]:
        """The goal that was entered last, whatever its minute."""
        return (
            self.list_goals(game_id)
            .all()
            .map(lambda goals: max(goals, key=lambda goal: goal.event_id, default=None))
        )

    @pattern()
    def list_audit(self, game_id: str) -> Query[Audit]:
        """What was changed in a game's goals, oldest first."""
        return served()

    @pattern()
    def get_player_slot(self, game_id: str, player_id: str) -> Get[PlayerSlot]:
        """Which team a player is in."""
        return served()

    @pattern()
    def rosters_of_games(self, game_id: Sequence[str]) -> FanOut[Roster]:
        """The rosters of several games."""
        return served()

    @pattern()
    def goals_of_games(self, game_id: Sequence[str]) -> FanOut[Goal]:
        """The goals of several games."""
        return served()

    @compose("list_season_games")
    def season_standings(self, season_id: str) -> Op[list[Game]]:
        """The finished games that a season's standings are computed from."""
        return self.list_season_games(season_id).map(
            lambda games: [game for game in games if game.status == "finished"]
        )

    @compose("season_standings", "rosters_of_games", "goals_of_games")
    def season_leaderboard(self, season_id: str) -> Op[tuple[list[Roster], list[Goal]]]:
        """The rosters and goals of a season's finished games."""
        return self.season_standings(season_id).then(
            lambda games: self.rosters_of_games([game.game_id for game in games]).then(
                lambda rosters: self.goals_of_games([game.game_id for game in games]).map(
                    lambda goals: (rosters, goals)
                )
            )
        )

    @pattern()
    def get_magic_token(self, token_id: str) -> Get[MagicToken]:
        """A sign-in link that was sent."""
        return served()

    @pattern()
    def get_login_session(self, id: str) -> Get[LoginSession]:
        """A sign-in that was completed."""
        return served()

    @pattern()
    def get_start_counter(self, email: str) -> Get[StartCounter]:
        """How often an address asked for a link."""
        return served()

    @pattern()
    def get_identity(self, email: str) -> Get[Identity]:
        """The account that an address belongs to."""
        return served()

    @pattern()
    def get_idempotency(self, scope: str, key: str) -> Get[Idempotency]:
        """The stored answer of a repeated request."""
        return served()


P = ThreeFC()
