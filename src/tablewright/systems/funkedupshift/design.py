"""FunkedUpShift's table: sites and tags, ratings, comments, groups, profiles, and the squash log.

SITE#{id}                   METADATA, TAG#…
USER#{userId}               PROFILE, SITE#… (ratings), COMMENT#SITE#…, MEMBERSHIP#…
GROUP#{name}                METADATA
SQUASH#PLAYER#{playerId}    METADATA, MATCH#… (participations)
SQUASH#MATCH#{matchId}      METADATA
SQUASH#USER#{userId}        METADATA (one player per person)
IDEMPOTENCY#{scope}#{key}   METADATA
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date as day
from datetime import datetime
from typing import Literal

from tablewright import (
    BatchGet,
    Count,
    Design,
    FanOut,
    Get,
    Index,
    Model,
    Moment,
    Number,
    Op,
    Page,
    Query,
    Range,
    Ref,
    Table,
    Ulid,
    Uuid,
    compose,
    gather,
    pattern,
    ref,
    served,
)
from tablewright.web.http.stored_answer import StoredAnswer

T = Table(
    "fus-main",
    pk="PK",
    sk="SK",
    ttl="ttl",
    indexes=[
        Index("byEntity", pk="entityType", sk="entitySk"),
        Index("byTag", pk="tag", sk="siteId"),
        Index("byStars", pk=Number("starRating"), sk="siteId"),
        Index("byGroup", pk="groupName", sk="userId"),
        Index("bySquashDate", pk="squashDate", sk="matchId"),
        Index("bySite", pk="commentSite", sk="commentSk"),
    ],
)


# Sites.


@T.entity(  # tw: ignore[TW401] there are thousands of sites, written by a few admins
    "SITE#{id}",
    "METADATA",
    type="SITE",
    mark="deletedAt",
    byEntity=("SITE", "SITE#{createdAt}#{id}"),
    size_bytes=4_000,
)
class Site(Model):
    id: Uuid
    url: str
    title: str
    description: str | None = None
    scraped_content: str | None = None
    tags: list[str]
    logo_key: str | None = None
    total_stars_sum: int = 0
    total_stars_count: int = 0
    created_at: Moment
    updated_at: Moment
    version: int = 1
    deleted_at: Moment | None = None


@T.entity(
    "SITE#{siteId}",
    "TAG#{tag}",
    type="SITE_TAG",
    byTag=("{tag}", "SITE#{siteId}"),
    size_bytes=200,
    per_partition=20,
)
class SiteTag(Model):
    site_id: Uuid
    tag: str


@T.derive(Site, max=20)
def tag_rows(site: Site) -> Iterator[SiteTag]:
    for tag in site.tags:
        yield SiteTag(site_id=site.id, tag=tag)


# Ratings and comments.


@T.entity(  # tw: ignore[TW401] five partitions by nature; ratings are rare, and read by admins
    "USER#{userId}",
    "SITE#{siteId}",
    type="RATING",
    byStars=("{stars}", "SITE#{siteId}"),
    size_bytes=400,
    per_partition=100,
)
class Rating(Model):
    user_id: str
    site_id: Uuid
    stars: int
    note: str | None = None
    created_at: Moment
    updated_at: Moment
    version: int = 1


@T.count(Rating, "total_stars_sum", by=lambda rating: rating.stars)
def stars_given(rating: Rating) -> Ref[Site]:
    return ref(Site, id=rating.site_id)


@T.count(Rating, "total_stars_count")
def ratings_given(rating: Rating) -> Ref[Site]:
    return ref(Site, id=rating.site_id)


@T.entity(
    "USER#{userId}",
    "COMMENT#SITE#{siteId}#{commentId}",
    type="COMMENT",
    bySite=("SITE#{siteId}", "COMMENT#{createdAt}#{commentId}"),
    stored={"siteId": "SITE#{siteId}"},
    size_bytes=700,
    per_partition=100,
)
class Comment(Model):
    comment_id: Ulid
    site_id: Uuid
    user_id: str
    user_name: str
    body: str
    created_at: Moment
    updated_at: Moment
    version: int = 1


# Groups and people.


@T.entity(  # tw: ignore[TW401] a few dozen groups
    "GROUP#{name}",
    "METADATA",
    type="GROUP",
    mark="deletedAt",
    byEntity=("GROUP", "GROUP#{name}"),
    size_bytes=500,
)
class Group(Model):
    name: str
    description: str | None = None
    permissions: list[str]
    join_policy: Literal["invite", "open"] = "invite"
    created_at: Moment
    updated_at: Moment
    version: int = 1
    deleted_at: Moment | None = None


@T.entity(
    "USER#{userId}",
    "MEMBERSHIP#{groupName}",
    type="MEMBERSHIP",
    byGroup=("{groupName}", "{userId}"),
    size_bytes=300,
    per_partition=20,
)
class Membership(Model):
    """Counts only while ``group_created_at`` is that of the group: a new group starts empty."""

    group_name: str
    user_id: str
    added_at: Moment
    added_by: str
    group_created_at: Moment


@T.entity(  # tw: ignore[TW401] listed by managers a page at a time; one write per login
    "USER#{userId}",
    "PROFILE",
    type="PROFILE",
    byEntity=("PROFILE", "PROFILE#{userId}"),
    size_bytes=500,
)
class Profile(Model):
    user_id: str
    name: str | None = None
    email: str | None = None
    avatar_key: str | None = None
    description: str | None = None
    created_at: Moment
    updated_at: Moment
    last_login_at: Moment
    last_login_ip: str
    version: int = 1


# Squash.


@T.entity(  # tw: ignore[TW401] one club's players
    "SQUASH#PLAYER#{playerId}",
    "METADATA",
    type="SQUASH_PLAYER",
    # tw: ignore[TW111] a name with a space sorts just before the same without: wanted
    byEntity=("SQUASH_PLAYER", "SQUASH#PLAYER#{sortName}#{playerId}"),
    size_bytes=400,
)
class Player(Model):
    player_id: Uuid
    name: str
    email: str | None = None
    user_id: str | None = None
    match_count: int = 0
    created_at: Moment
    updated_at: Moment
    version: int = 1

    @property
    def sort_name(self) -> str:
        """What lists of players are sorted by."""
        return self.name.lower().replace("#", "") or " "


@T.entity("SQUASH#USER#{userId}", "METADATA", type="SQUASH_LINK", size_bytes=150)
class SquashLink(Model):
    user_id: str
    player_id: Uuid


@T.unique(Player)
def one_player_per_person(player: Player) -> SquashLink | None:
    if player.user_id is None:
        return None
    return SquashLink(user_id=player.user_id, player_id=player.player_id)


@T.entity(  # tw: ignore[TW401] one club's matches
    "SQUASH#MATCH#{matchId}",
    "METADATA",
    type="SQUASH_MATCH",
    byEntity=("SQUASH_MATCH", "{date}#{matchId}"),
    bySquashDate=("{date}", "{matchId}"),
    size_bytes=600,
)
class Match(Model):
    match_id: Uuid
    date: day
    team_a_player1_id: Uuid
    team_a_player2_id: Uuid
    team_b_player1_id: Uuid
    team_b_player2_id: Uuid
    winning_team: Literal["A", "B"]
    team_a_games: int
    team_b_games: int
    created_at: Moment
    updated_at: Moment
    version: int = 1

    @property
    def player_ids(self) -> tuple[str, str, str, str]:
        """The four who played, team A first."""
        return (
            self.team_a_player1_id,
            self.team_a_player2_id,
            self.team_b_player1_id,
            self.team_b_player2_id,
        )


@T.entity(
    "SQUASH#PLAYER#{playerId}",
    "MATCH#{matchId}",
    type="SQUASH_PARTICIPATION",
    size_bytes=250,
    per_partition=500,
)
class Participation(Model):
    """A match seen from one player. Its day is not called squashDate: that is an index key."""

    player_id: Uuid
    match_id: Uuid
    played_on: day


@T.derive(Match, max=4)
def participations(match: Match) -> Iterator[Participation]:
    for player_id in match.player_ids:
        yield Participation(player_id=player_id, match_id=match.match_id, played_on=match.date)


@T.count(Match, "match_count", max=4)
def matches_played(match: Match) -> list[Ref[Player]]:
    return [ref(Player, player_id=player_id) for player_id in match.player_ids]


@T.entity("IDEMPOTENCY#{scope}#{key}", "METADATA", type="IDEMPOTENCY", ttl="expiresAt")
class Idempotency(StoredAnswer):
    """The answer to a request with an Idempotency-Key."""


class FunkedUpShift(Design, tables=[T]):
    """The access patterns of FunkedUpShift."""

    # Sites.

    @pattern()
    def get_site(self, id: str) -> Get[Site]:
        """One site."""
        return served()

    @pattern()
    def sites(self, id: Sequence[str]) -> BatchGet[Site]:
        """Several sites."""
        return served()

    @pattern(desc=True)
    def list_sites(self) -> Query[Site]:
        """All sites, newest first."""
        return served()

    @pattern()
    def site_tags(self, tag: str) -> Query[SiteTag]:
        """Which sites have a tag, by site."""
        return served()

    @compose("site_tags", "sites")
    def list_sites_by_tag(self, tag: str) -> Op[list[Site]]:
        """The first page of sites with a tag."""
        return self.site_tags(tag).then(
            lambda page: self.sites([row.site_id for row in page.items])
        )

    # Ratings.

    @pattern()
    def get_my_rating(self, user_id: str, site_id: str) -> Get[Rating]:
        """A person's rating of a site."""
        return served()

    @pattern()
    def ratings_of_user(self, user_id: str) -> Query[Rating]:
        """A person's ratings, by site."""
        return served()

    @compose("ratings_of_user", "sites")
    def list_my_ratings(self, user_id: str) -> Op[tuple[Page[Rating], list[Site]]]:
        """A person's ratings with the sites that still exist."""
        return self.ratings_of_user(user_id).then(
            lambda page: self.sites([row.site_id for row in page.items]).map(
                lambda sites: (page, sites)
            )
        )

    @pattern()
    def ratings_by_stars(self, stars: int) -> Query[Rating]:
        """Ratings of one value, by site."""
        return served()

    @compose("ratings_by_stars", "sites")
    def list_ratings_by_stars(self, stars: int) -> Op[tuple[Page[Rating], list[Site]]]:
        """Ratings of one value with the sites that still exist."""
        return self.ratings_by_stars(stars).then(
            lambda page: self.sites([row.site_id for row in page.items]).map(
                lambda sites: (page, sites)
            )
        )

    @pattern()
    def ratings_of_site(self, stars: Sequence[int], site_id: str) -> FanOut[Rating]:
        """A site's ratings, one query for each value: what a delete sweeps."""
        return served()

    @pattern()
    def count_ratings(self, stars: int, site_id: str) -> Count[Rating]:
        """How many gave a site so many stars."""
        return served()

    @compose("count_ratings", "count_ratings", "count_ratings", "count_ratings", "count_ratings")
    def count_ratings_of_site(self, site_id: str) -> Op[tuple[int, ...]]:
        """How many gave a site 1, 2, 3, 4 and 5 stars."""
        return gather(*(self.count_ratings(stars, site_id) for stars in range(1, 6)))

    # Comments.

    @pattern(desc=True)
    def list_comments_of_site(self, site_id: str) -> Query[Comment]:
        """The comments on a site, newest first."""
        return served()

    @pattern()
    def get_comment(self, site_id: str, created_at: datetime, comment_id: str) -> Get[Comment]:
        """One comment on a site, by any author; its time is in its id."""
        return served()

    @pattern()
    def get_own_comment(self, user_id: str, site_id: str, comment_id: str) -> Get[Comment]:
        """One of a person's own comments."""
        return served()

    @pattern()
    def comments_of_user(self, user_id: str) -> Query[Comment]:
        """A person's comments, by site."""
        return served()

    @pattern()
    def comments_of_user_on_site(self, user_id: str, site_id: str) -> Query[Comment]:
        """A person's comments on one site, oldest first."""
        return served()

    @compose("comments_of_user", "sites")
    def list_my_comments(self, user_id: str) -> Op[tuple[Page[Comment], list[Site]]]:
        """A person's comments with the sites that still exist."""
        return self.comments_of_user(user_id).then(
            lambda page: self.sites(sorted({row.site_id for row in page.items})).map(
                lambda sites: (page, sites)
            )
        )

    # Groups.

    @pattern()
    def list_groups(self) -> Query[Group]:
        """All groups, by name."""
        return served()

    @pattern()
    def get_group(self, name: str) -> Get[Group]:
        """One group."""
        return served()

    @pattern()
    def groups(self, name: Sequence[str]) -> BatchGet[Group]:
        """Several groups."""
        return served()

    @pattern()
    def get_membership(self, user_id: str, group_name: str) -> Get[Membership]:
        """A person's membership of a group."""
        return served()

    @pattern()
    def memberships_of_user(self, user_id: str) -> Query[Membership]:
        """A person's memberships, by group."""
        return served()

    @compose("memberships_of_user", "groups")
    def list_groups_of_user(self, user_id: str) -> Op[tuple[Page[Membership], list[Group]]]:
        """A person's memberships with the groups that still exist."""
        return self.memberships_of_user(user_id).then(
            lambda page: self.groups([row.group_name for row in page.items]).map(
                lambda groups: (page, groups)
            )
        )

    @pattern()
    def list_group_members(self, group_name: str) -> Query[Membership]:
        """The members of a group, by person."""
        return served()

    @compose("get_membership", "get_group")
    def check_squash_access(self, user_id: str) -> Op[tuple[Membership | None, Group | None]]:
        """A person's membership of the Squash group, and the group itself."""
        return gather(self.get_membership(user_id, "Squash"), self.get_group("Squash"))

    # People.

    @pattern()
    def get_profile(self, user_id: str) -> Get[Profile]:
        """A person's profile."""
        return served()

    @pattern()
    def list_profiles(self) -> Query[Profile]:
        """All profiles, by person."""
        return served()

    # Squash.

    @pattern()
    def list_players(self) -> Query[Player]:
        """All players, by name."""
        return served()

    @pattern()
    def get_player(self, player_id: str) -> Get[Player]:
        """One player."""
        return served()

    @pattern()
    def players(self, player_id: Sequence[str]) -> BatchGet[Player]:
        """Several players."""
        return served()

    @pattern()
    def get_player_of_user(self, user_id: str) -> Get[SquashLink]:
        """Which player a person is."""
        return served()

    @pattern(index="bySquashDate")
    def list_matches_on_date(self, date: day) -> Query[Match]:
        """The matches of one day, by id."""
        return served()

    @pattern()
    def list_matches_in_range(self, date: Range[day]) -> Query[Match]:
        """The matches of some days, by day and id."""
        return served()

    @pattern()
    def list_matches(self) -> Query[Match]:
        """All matches, by day and id."""
        return served()

    @pattern()
    def participations_of(self, player_id: Sequence[str]) -> FanOut[Participation]:
        """The participations of several players, one after another."""
        return served()

    @pattern()
    def matches(self, match_id: Sequence[str]) -> BatchGet[Match]:
        """Several matches."""
        return served()

    @compose("participations_of", "matches")
    def list_matches_of_players(self, player_id: Sequence[str]) -> Op[list[Match]]:
        """The matches in which any of the players took part, by day and id."""
        return (
            self.participations_of(player_id)
            .then(lambda rows: self.matches(sorted({row.match_id for row in rows})))
            .map(lambda matches: sorted(matches, key=lambda match: (match.date, match.match_id)))
        )

    @pattern()
    def get_match(self, match_id: str) -> Get[Match]:
        """One match."""
        return served()

    @pattern()
    def get_idempotency(self, scope: str, key: str) -> Get[Idempotency]:
        """The stored answer of a repeated request."""
        return served()


P = FunkedUpShift()
