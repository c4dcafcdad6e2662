"""Routes of leagues, and of access to them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Response

from tablewright.systems.threefc.dependencies import (
    AccessService,
    LeagueService,
    MemberService,
    Reader,
    Writer,
    once_for,
)
from tablewright.systems.threefc.schemas import (
    AccessAnswer,
    AccessBody,
    AccessView,
    LeagueAnswer,
    LeagueBody,
    LeaguePatch,
    LeagueView,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.idempotency import Once
from tablewright.web.http.openapi import codes
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(prefix="/v1")
_LEAGUE = "/leagues/{league_id:id}"
_ACCESS = f"{_LEAGUE}/access/{{user_id:email}}"


@router.get("/leagues", tags=["Leagues"])
async def list_leagues(
    caller: Reader, page: Page, leagues: LeagueService
) -> ListOf[LeagueAnswer | LeagueView]:
    """Your leagues with your role in each, in the order of their creation."""
    return (await leagues.page(caller, page)).listed()


@router.post("/leagues", status_code=201, tags=["Leagues"], responses={409: codes("slug_taken")})
async def add_league(
    caller: Writer,
    body: LeagueBody,
    once: Annotated[Once, Depends(once_for(None))],
    leagues: LeagueService,
) -> LeagueAnswer | LeagueView:
    """Create a league and become its first admin.

    Without a slug it gets one made from its name.
    """
    return await leagues.add(caller, body, once)


@router.get(_LEAGUE, tags=["Leagues"])
async def get_league(
    caller: Reader, league_id: str, members: MemberService
) -> LeagueAnswer | LeagueView:
    """One league."""
    member = await members.of_league(caller, league_id, "read league")
    return LeagueAnswer.seen(member.league, member.role)


@router.get("/leagues/by-slug/{slug:slug}", tags=["Leagues"])
async def get_league_by_slug(
    caller: Reader, slug: str, leagues: LeagueService
) -> LeagueAnswer | LeagueView:
    """One league by its slug; an unknown one answers as one without access."""
    member = await leagues.by_slug(caller, slug)
    return LeagueAnswer.seen(member.league, member.role)


@router.patch(_LEAGUE, tags=["Leagues"], responses={409: codes("slug_taken")})
async def patch_league(
    caller: Writer,
    league_id: str,
    body: LeaguePatch,
    if_match: Precondition,
    leagues: LeagueService,
) -> LeagueAnswer | LeagueView:
    """Change a league's name or slug."""
    league, member = await leagues.change(caller, league_id, body, if_match)
    return LeagueAnswer.seen(league, member.role)


@router.delete(
    _LEAGUE, status_code=204, tags=["Leagues"], responses={409: codes("league_not_empty")}
)
async def delete_league(
    caller: Writer, league_id: str, if_match: Precondition, leagues: LeagueService
) -> None:
    """Delete a league without seasons, with its players and all access."""
    await leagues.delete(caller, league_id, if_match)


@router.get(f"{_LEAGUE}/access", tags=["Access"])
async def list_access(
    caller: Reader, league_id: str, page: Page, access: AccessService
) -> ListOf[AccessAnswer]:
    """Who has access to a league, by address."""
    return (await access.page(caller, league_id, page)).shown(AccessAnswer.of)


@router.get(_ACCESS, tags=["Access"])
async def get_access(
    caller: Reader, league_id: str, user_id: str, access: AccessService
) -> AccessAnswer | AccessView:
    """A person's access; your own without being an admin."""
    acl, member = await access.get(caller, league_id, user_id)
    return AccessAnswer.seen(acl, is_admin=member.is_admin)


@router.put(
    _ACCESS,
    tags=["Access"],
    responses={201: {"model": AccessAnswer | AccessView}, 409: codes("last_admin")},
)
async def put_access(
    caller: Writer,
    league_id: str,
    user_id: str,
    body: AccessBody,
    if_match: Precondition,
    access: AccessService,
    response: Response,
) -> AccessAnswer | AccessView:
    """Give a person a role: 201 when the access is new, 200 when it is changed or the same."""
    acl, is_new = await access.grant(caller, league_id, user_id, body.role, if_match)
    response.status_code = 201 if is_new else 200
    # An admin who has just changed their own role is no longer one.
    return AccessAnswer.seen(acl, is_admin=user_id != caller.user_id or acl.role == "admin")


@router.delete(_ACCESS, status_code=204, tags=["Access"], responses={409: codes("last_admin")})
async def delete_access(
    caller: Writer, league_id: str, user_id: str, if_match: Precondition, access: AccessService
) -> None:
    """End a person's access, or your own. It counts from the next request on."""
    await access.revoke(caller, league_id, user_id, if_match)
