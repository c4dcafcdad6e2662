"""Routes of answers: RSVPs, votes, results."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Query, Request

from tablewright.systems.stayon.dependencies import (
    ListService,
    Once,
    PageService,
    ResponseService,
    VisibleEvent,
    VisiblePoll,
    by_code,
    has_voted,
)
from tablewright.systems.stayon.design import P
from tablewright.systems.stayon.schemas import (
    ResultsAnswer,
    ResultsQuery,
    RsvpAnswer,
    RsvpBody,
    RsvpList,
    VoteAnswer,
    VoteBody,
)
from tablewright.web.http.openapi import Responses, codes
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router
from tablewright.web.identity.origins import FORBIDDEN_ORIGIN

router = Router()
_RSVPS: Final = "/pages/{short_id:pageid}/rsvps"
_RSVP: Final = _RSVPS + "/{code:code}"
_VOTES: Final = "/pages/{short_id:pageid}/votes"
_VOTE: Final = _VOTES + "/{code:code}"
_SEEN: Final[Responses] = {410: codes(), 429: codes()}
_CHANGED: Final[Responses] = _SEEN | {403: codes(FORBIDDEN_ORIGIN)}
_RSVP_CHANGED: Final[Responses] = _CHANGED | {409: codes("rsvp_not_enabled", "rsvp_closed")}
_VOTE_CHANGED: Final[Responses] = _CHANGED | {409: codes("poll_closed")}


@router.post(_RSVPS, status_code=201, tags=["RSVPs"], responses=_RSVP_CHANGED)
async def add_rsvp(
    short_id: str, body: RsvpBody, rights: VisibleEvent, once: Once, answers: ResponseService
) -> RsvpAnswer:
    """Answer an event; the code in the reply finds the answer again."""
    rsvp = await answers.add_rsvp(rights.page, body, once)
    return RsvpAnswer.seen(rsvp, with_code=True)


@router.get(_RSVPS, tags=["RSVPs"], responses=_SEEN | {403: codes("rsvps_hidden", "forbidden")})
async def list_rsvps(
    request: Request, short_id: str, page: Page, pages: PageService, lists: ListService
) -> RsvpList:
    """The answers to an event, and their totals; codes only for its managers."""
    lists.require_page(short_id, page)
    return await lists.rsvps(await pages.find(request, short_id, "event"), page)


@router.get(_RSVP, tags=["RSVPs"], responses=_SEEN)
async def get_rsvp(request: Request, short_id: str, code: str) -> RsvpAnswer:
    """Your answer, by its code."""
    _, rsvp = await by_code(request, P.get_rsvp(short_id, code), short_id, "event")
    return RsvpAnswer.seen(rsvp, with_code=True)


@router.put(_RSVP, tags=["RSVPs"], responses=_RSVP_CHANGED)
async def put_rsvp(
    request: Request,
    short_id: str,
    code: str,
    body: RsvpBody,
    if_match: Precondition,
    answers: ResponseService,
) -> RsvpAnswer:
    """Change your answer."""
    rights, _ = await by_code(request, P.get_rsvp(short_id, code), short_id, "event")
    rsvp = await answers.change_rsvp(rights.page, code, body, if_match)
    return RsvpAnswer.seen(rsvp, with_code=True)


@router.delete(_RSVP, status_code=204, tags=["RSVPs"], responses=_RSVP_CHANGED)
async def delete_rsvp(
    request: Request,
    short_id: str,
    code: str,
    if_match: Precondition,
    answers: ResponseService,
) -> None:
    """Take an answer back; managers of the page may do so after the deadline."""
    rights, _ = await by_code(request, P.get_rsvp(short_id, code), short_id, "event")
    await answers.delete_rsvp(rights.page, code, if_match, is_manager=rights.can_manage)


@router.post(_VOTES, status_code=201, tags=["Polls"], responses=_VOTE_CHANGED)
async def add_vote(
    short_id: str, body: VoteBody, rights: VisiblePoll, once: Once, answers: ResponseService
) -> VoteAnswer:
    """Vote in a poll; the code in the reply finds the vote again."""
    return VoteAnswer.of(await answers.add_vote(rights.page, body, once))


@router.get(_VOTE, tags=["Polls"], responses=_SEEN)
async def get_vote(request: Request, short_id: str, code: str) -> VoteAnswer:
    """Your vote, by its code."""
    _, vote = await by_code(request, P.get_vote(short_id, code), short_id, "poll")
    return VoteAnswer.of(vote)


@router.put(_VOTE, tags=["Polls"], responses=_VOTE_CHANGED)
async def put_vote(
    request: Request,
    short_id: str,
    code: str,
    body: VoteBody,
    if_match: Precondition,
    answers: ResponseService,
) -> VoteAnswer:
    """Change your vote."""
    rights, _ = await by_code(request, P.get_vote(short_id, code), short_id, "poll", body)
    return VoteAnswer.of(await answers.change_vote(rights.page, code, body, if_match))


@router.delete(_VOTE, status_code=204, tags=["Polls"], responses=_VOTE_CHANGED)
async def delete_vote(
    request: Request,
    short_id: str,
    code: str,
    if_match: Precondition,
    answers: ResponseService,
) -> None:
    """Take your vote back."""
    rights, _ = await by_code(request, P.get_vote(short_id, code), short_id, "poll")
    await answers.delete_vote(rights.page, code, if_match)


@router.get(
    "/pages/{short_id:pageid}/results",
    tags=["Polls"],
    responses=_SEEN | {403: codes("results_hidden", "forbidden")},
)
async def get_results(
    request: Request,
    short_id: str,
    query: Annotated[ResultsQuery, Query()],
    pages: PageService,
    lists: ListService,
) -> ResultsAnswer:
    """The counted votes, if the poll shows them to the caller now."""
    rights = await pages.find(request, short_id, "poll")
    # An unknown code counts as a wrong guess, whatever the results need.
    is_voter = query.code is not None and await has_voted(request, rights, query.code)
    return await lists.results(rights, has_voted=is_voter)
