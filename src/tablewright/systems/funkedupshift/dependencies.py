"""What FunkedUpShift's routes take: callers, services, and Idempotency-Keys."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request

from tablewright.systems.funkedupshift.design import Idempotency, P
from tablewright.systems.funkedupshift.permissions import RULES, Action, Caller, squash_problem
from tablewright.systems.funkedupshift.services.account_removal import AccountRemoval
from tablewright.systems.funkedupshift.services.comments import Comments
from tablewright.systems.funkedupshift.services.groups import Groups
from tablewright.systems.funkedupshift.services.matches import Matches
from tablewright.systems.funkedupshift.services.people import People
from tablewright.systems.funkedupshift.services.picture_keys import avatars
from tablewright.systems.funkedupshift.services.players import Players
from tablewright.systems.funkedupshift.services.ratings import Ratings
from tablewright.systems.funkedupshift.services.sites import Sites
from tablewright.web.http import idempotency
from tablewright.web.http.dependencies import Provided, service
from tablewright.web.http.idempotency import IdempotencyKeys
from tablewright.web.http.problems import Problem
from tablewright.web.identity.bearer import Bearer, Guest
from tablewright.web.identity.client_address import client_address
from tablewright.web.services.services import Services

SiteService = Annotated[Sites, Depends(service(Sites))]
RatingService = Annotated[Ratings, Depends(service(Ratings))]
CommentService = Annotated[Comments, Depends(service(Comments))]
GroupService = Annotated[Groups, Depends(service(Groups))]
PeopleService = Annotated[People, Depends(service(People))]
RemovalService = Annotated[AccountRemoval, Depends(service(AccountRemoval))]
PlayerService = Annotated[Players, Depends(service(Players))]
MatchService = Annotated[Matches, Depends(service(Matches))]


def provide(services: Services) -> Provided:
    """The services of the app."""
    sites, groups, pictures = Sites(services), Groups(services), avatars(services)
    ratings, players = Ratings(services, sites), Players(services)
    return Provided(
        sites,
        groups,
        ratings,
        players,
        Comments(services, sites),
        People(services, groups, pictures),
        AccountRemoval(services, ratings, pictures),
        Matches(services, players),
    )


def may(action: Action) -> Callable[..., Awaitable[Caller]]:
    """The caller; 401 without a token, 403 without the right to an action."""
    rule = RULES[action]

    async def check(principal: Bearer, groups: GroupService) -> Caller:
        caller = Caller.of(principal)
        rule.require_role(caller)
        if rule.needs_membership(caller) and not await groups.is_member(caller.user_id):
            raise squash_problem()
        return caller

    return check


async def visitor(principal: Guest) -> Caller | None:
    """The caller, or None for a guest."""
    return None if principal is None else Caller.of(principal)


Visitor = Annotated[Caller | None, Depends(visitor)]
User = Annotated[Caller, Depends(may("be here"))]
Curator = Annotated[Caller, Depends(may("curate sites"))]
GroupKeeper = Annotated[Caller, Depends(may("maintain groups"))]
UserViewer = Annotated[Caller, Depends(may("look at users"))]
UserRemover = Annotated[Caller, Depends(may("delete users"))]
SquashReader = Annotated[Caller, Depends(may("read squash"))]
SquashWriter = Annotated[Caller, Depends(may("change squash"))]


def membership_keeper(caller: GroupKeeper, user_id: str) -> Caller:
    """A caller who may change this person's membership; 403 for a manager's own."""
    if user_id == caller.user_id and not caller.is_admin:
        raise Problem(403, "own_membership", "You cannot change your own membership.")
    return caller


def address(request: Request) -> str:
    """Where the request comes from."""
    services: Services = request.app.state.services
    return client_address(request, services.settings)


MembershipKeeper = Annotated[Caller, Depends(membership_keeper)]
Address = Annotated[str, Depends(address)]

_KEYS = IdempotencyKeys("funkedupshift", Idempotency.model_validate, P.get_idempotency)
Once = Annotated[idempotency.Once, Depends(_KEYS.dependency(Bearer))]
