"""Routes of profiles and links."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from tablewright.systems.roll_model.dependencies import (
    AnyRole,
    Athlete,
    Coach,
    Once,
    PeopleService,
)
from tablewright.systems.roll_model.schemas import (
    LinkAnswer,
    LinkBody,
    LinkQuery,
    ProfileAnswer,
    ProfileBody,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.openapi import codes
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.problems import field_problem
from tablewright.web.http.routing import Router

router = Router(tags=["People"])


@router.get("/me")
async def get_me(caller: AnyRole, people: PeopleService) -> ProfileAnswer:
    """Your profile."""
    return ProfileAnswer.of(await people.profile(caller.user_id))


@router.put("/me")
async def put_me(
    caller: AnyRole, body: ProfileBody, if_match: Precondition, people: PeopleService
) -> ProfileAnswer:
    """Change your display name."""
    return ProfileAnswer.of(await people.rename(caller, body.display_name, if_match))


@router.post(
    "/links", status_code=201, responses={200: {"model": LinkAnswer}, 404: codes("not_found")}
)
async def add_link(
    caller: Athlete, body: LinkBody, once: Once, people: PeopleService, response: Response
) -> LinkAnswer:
    """Let a coach read the shared part of your journal.

    201 when the link is new or active again, 200 when it is active already.
    """
    if body.coach_id == caller.user_id:
        raise field_problem("coachId", "must be another person")
    link, response.status_code = await people.add_link(caller, body.coach_id, once)
    return link


@router.get("/links")
async def list_links(
    caller: Athlete, query: Annotated[LinkQuery, Query()], page: Page, people: PeopleService
) -> ListOf[LinkAnswer]:
    """Your links, by coach."""
    links = await people.links(caller, query.status, page)
    return ListOf(items=await people.named(links.items), cursor=links.cursor)


@router.get("/links/{coach_id:userid}")
async def get_link(caller: Athlete, coach_id: str, people: PeopleService) -> LinkAnswer:
    """Your link with a coach, whatever its status."""
    [link] = await people.named([await people.get_link(caller, coach_id)])
    return link


@router.delete("/links/{coach_id:userid}", status_code=204)
async def delete_link(
    caller: Athlete, coach_id: str, if_match: Precondition, people: PeopleService
) -> None:
    """End a coach's access. It counts from the next request on."""
    await people.revoke(caller, coach_id, if_match)


@router.get("/athletes")
async def list_athletes(caller: Coach, page: Page, people: PeopleService) -> ListOf[LinkAnswer]:
    """The active links of a coach, by athlete."""
    links = await people.athletes(caller, page)
    return ListOf(items=await people.named(links.items), cursor=links.cursor)
