"""FunkedUpShift's design document."""

from __future__ import annotations

from datetime import date as day
from datetime import datetime
from typing import Literal

from tablewright import (
    Design,
    Get,
    Index,
    Model,
    Number,
    Query,
    Range,
    Table,
    pattern,
    served,
)

T = Table(
    "fus-main",
    pk="PK",
    sk="SK",
    unchecked=True,
    indexes=[
        Index("byEntity", pk="entityType", sk="entitySk"),
        Index("byTag", pk="tag", sk="siteId"),
        Index("byStars", pk=Number("starRating"), sk="siteId"),
        Index("byGroup", pk="groupName", sk="userId"),
        Index("bySquashDate", pk="squashDate", sk="matchId"),
    ],
)


@T.entity("SITE#{id}", "METADATA", type="SITE", byEntity=("SITE", "SITE#{id}"))
class Site(Model):
    id: str
    url: str
    title: str
    description: str
    scraped_content: str
    tags: list[str]
    created_at: datetime
    updated_at: datetime


@T.entity("SITE#{siteId}", "TAG#{tag}", type=None, byTag=("{tag}", "SITE#{siteId}"))
class SiteTag(Model):
    site_id: str
    tag: str


@T.entity("USER#{userId}", "SITE#{siteId}", type=None, byStars=("{stars}", "SITE#{siteId}"))
class Rating(Model):
    user_id: str
    site_id: str
    stars: Literal[1, 2, 3, 4, 5]
    note: str
    updated_at: datetime


@T.entity("USER#{userId}", "SITE#{siteId}#COMMENT#{commentId}", type=None)
class Comment(Model):
    user_id: str
    site_id: str
    comment_id: str
    body: str
    created_at: datetime
    updated_at: datetime


@T.entity("GROUP#{name}", "METADATA", type="GROUP", byEntity=("GROUP", "GROUP#{name}"))
class Group(Model):
    name: str
    description: str
    permissions: list[str]
    created_at: datetime
    updated_at: datetime


@T.entity("USER#{userId}", "MEMBERSHIP#{groupName}", type=None, byGroup=("{groupName}", "{userId}"))
class Membership(Model):
    group_name: str
    user_id: str
    added_at: datetime
    added_by: str


@T.entity("USER#{userId}", "PROFILE", type=None)
class Profile(Model):
    user_id: str
    avatar_key: str
    description: str
    updated_at: datetime
    last_login_at: datetime
    last_login_ip: str


@T.entity(
    "SQUASH#PLAYER#{playerId}",
    "METADATA",
    type="SQUASH_PLAYER",
    byEntity=("SQUASH_PLAYER", "SQUASH#PLAYER#{playerId}"),
)
class Player(Model):
    player_id: str
    name: str
    email: str | None = None
    user_id: str | None = None
    created_at: datetime
    updated_at: datetime


@T.entity(
    "SQUASH#MATCH#{matchId}",
    "METADATA",
    type="SQUASH_MATCH",
    byEntity=("SQUASH_MATCH", "SQUASH#MATCH#{matchId}"),
    bySquashDate=("{squashDate}", "{matchId}"),
)
class Match(Model):
    match_id: str
    date: day
    squash_date: day
    team_a_player1_id: str
    team_a_player2_id: str
    team_b_player1_id: str
    team_b_player2_id: str
    winning_team: Literal["A", "B"]
    team_a_games: int
    team_b_games: int
    created_at: datetime
    updated_at: datetime


@T.entity("SQUASH#PLAYER#{playerId}", "MATCH#{matchId}", type=None)
class Participation(Model):
    player_id: str
    match_id: str
    squash_date: day


class FunkedUpShift(Design, tables=[T]):
    @pattern(pk="SITE#{id}", sk="METADATA")
    def get_site(self, id: str) -> Get[Site]:  # noqa: A002 (the document's name)
        return served()

    @pattern(index="byEntity", pk="SITE")
    def list_all_sites(self) -> Query[Site]:
        return served()

    @pattern(index="byTag", pk="{tag}")
    def sites_by_tag(self, tag: str) -> Query[SiteTag]:
        return served()

    @pattern(pk="USER#{userId}", sk="SITE#{siteId}")
    def my_rating(self, user_id: str, site_id: str) -> Get[Rating]:
        return served()

    @pattern(pk="USER#{userId}")
    def my_ratings(self, user_id: str) -> Query[Rating]:
        return served()

    @pattern(index="byStars", pk="{stars}")
    def ratings_by_stars(self, stars: Literal[1, 2, 3, 4, 5]) -> Query[Rating]:
        return served()

    @pattern(pk="SITE#{siteId}", sk="COMMENT#")
    def comments_for_a_site(self, site_id: str) -> Query[Comment]:
        return served()

    @pattern(index="byEntity", pk="GROUP")
    def list_all_groups(self) -> Query[Group]:
        return served()

    @pattern(pk="GROUP#{name}", sk="METADATA")
    def get_group(self, name: str) -> Get[Group]:
        return served()

    @pattern(pk="USER#{userId}", sk="MEMBERSHIP#")
    def users_custom_groups(self, user_id: str) -> Query[Membership]:
        return served()

    @pattern(index="byGroup", pk="{groupName}")
    def group_members(self, group_name: str) -> Query[Membership]:
        return served()

    @pattern(pk="USER#{userId}", sk="PROFILE")
    def get_profile(self, user_id: str) -> Get[Profile]:
        return served()

    @pattern(index="byEntity", pk="SQUASH_PLAYER")
    def list_players(self) -> Query[Player]:
        return served()

    @pattern(pk="SQUASH#PLAYER#{playerId}", sk="METADATA")
    def get_player(self, player_id: str) -> Get[Player]:
        return served()

    @pattern(index="bySquashDate", pk="{squashDate}")
    def list_by_date(self, squash_date: day) -> Query[Match]:
        return served()

    @pattern(index="bySquashDate")
    def list_by_date_range(self, squash_date: Range[day]) -> Query[Match]:
        return served()

    @pattern(pk="SQUASH#PLAYER#{playerId}", sk="MATCH#")
    def matches_for_a_player(self, player_id: str) -> Query[Participation]:
        return served()
