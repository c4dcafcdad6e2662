"""The routes of answers: RSVPs, votes, results."""

from __future__ import annotations

from typing import Any, TypeVar

from fastapi import Request
from fastapi.responses import Response

from tablewright.plan.operation import Op
from tablewright.systems.stayon import shapes
from tablewright.systems.stayon.dependencies import Codes, Desk, is_code
from tablewright.systems.stayon.design import P, Shareable, Vote
from tablewright.systems.stayon.services.page_rights import Rights
from tablewright.systems.stayon.services.responses import checked_answers
from tablewright.systems.stayon.services.results import results_of
from tablewright.systems.stayon.services.shareables import require_entity
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.paging import LIMIT_MAX, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, field_problem
from tablewright.web.identity.origins import FORBIDDEN_ORIGIN

__all__ = ["results_for", "rsvp_routes", "rsvps_for", "vote_routes"]

T = TypeVar("T")
_RSVPS = "/pages/{short_id:segment}/rsvps"
_VOTES = "/pages/{short_id:segment}/votes"
_ONE = "/{code:segment}"
_LIST = "list_rsvps"
_LISTED: dict[str, dict[str, Any]] = {
    "limit": {"schema": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}},
    "cursor": {"schema": {"type": "string"}},
}
_SEEN: Codes = {401: (), 410: (), 429: ()}
_CHANGED: Codes = _SEEN | {403: (FORBIDDEN_ORIGIN,)}
_RSVP_REFUSED: Codes = {409: ("rsvp_not_enabled", "rsvp_closed", "conflict")}
_VOTE_REFUSED: Codes = {409: ("poll_closed", "conflict")}
_ONCE_RSVP: Codes = {409: ("rsvp_not_enabled", "rsvp_closed", "idempotency_conflict", "conflict")}
_ONCE_VOTE: Codes = {409: ("poll_closed", "idempotency_conflict", "conflict")}


async def _visible(
    desk: Desk, request: Request, short_id: str, entity: str, vote: shapes.VoteBody | None = None
) -> Rights:
    """A page of this kind that the caller may see and that has not expired."""
    rights = await desk.pages.find(request, short_id, entity)
    _require_visible(desk, rights, vote)
    return rights


def _require_visible(desk: Desk, rights: Rights, vote: shapes.VoteBody | None) -> None:
    """Raise unless the caller may see a page that has not expired.

    A vote that does not fit the poll is refused before that, but not to who may not see the poll.
    """
    rights.require_view()
    if vote is not None:
        checked_answers(rights.page, vote)
    desk.pages.require_current(rights)


async def _by_code(
    desk: Desk,
    request: Request,
    find: Op[T | None],
    short_id: str,
    entity: str,
    vote: shapes.VoteBody | None = None,
) -> tuple[Rights, T]:
    """What an answer's code finds, on such a page; 404 for an unknown code, which is a guess."""
    rights = await desk.pages.find(request, short_id)

    async def judge() -> T | None:
        require_entity(rights.page, entity)
        _require_visible(desk, rights, vote)
        return await desk.services.store.run(find)

    found = await desk.attempts.code(short_id, desk.client(request), judge)
    if found is None:
        raise Problem(404)
    return rights, found


def rsvp_routes(desk: Desk) -> Api:
    """Answers to events."""
    api = Api(tags=["RSVPs"])
    _add_rsvp_lists(api, desk)

    @api.endpoint("GET", _RSVPS + _ONE, answer=shapes.RsvpAnswer, refuses=_SEEN)
    async def get_rsvp(request: Request, short_id: str, code: str) -> Response:
        """One's answer, by its code."""
        found, code = desk.short_id(short_id), desk.code(code)
        _, rsvp = await _by_code(desk, request, P.get_rsvp(found, code), found, "event")
        return answer(shapes.rsvp_answer(rsvp), version=rsvp.version)

    @api.endpoint(
        "PUT",
        _RSVPS + _ONE,
        body=shapes.RsvpBody,
        answer=shapes.RsvpAnswer,
        refuses=_CHANGED | _RSVP_REFUSED | {412: ()},
    )
    async def put_rsvp(request: Request, short_id: str, code: str) -> Response:
        """Change one's answer."""
        found, code = desk.short_id(short_id), desk.code(code)
        body = await read_body(request, shapes.RsvpBody)
        rights, _ = await _by_code(desk, request, P.get_rsvp(found, code), found, "event")
        rsvp = await desk.answering.change_rsvp(rights.page, code, body, IfMatch.of(request))
        return answer(shapes.rsvp_answer(rsvp), version=rsvp.version)

    @api.endpoint("DELETE", _RSVPS + _ONE, status=204, refuses=_CHANGED | _RSVP_REFUSED | {412: ()})
    async def delete_rsvp(request: Request, short_id: str, code: str) -> Response:
        """Take an answer back; who manages the page may do so after the deadline."""
        found, code = desk.short_id(short_id), desk.code(code)
        rights, _ = await _by_code(desk, request, P.get_rsvp(found, code), found, "event")
        await desk.answering.delete_rsvp(
            rights.page, code, IfMatch.of(request), is_manager=rights.can_manage
        )
        return no_content()

    return api


def _add_rsvp_lists(api: Api, desk: Desk) -> None:
    @api.endpoint(
        "POST",
        _RSVPS,
        body=shapes.RsvpBody,
        answer=shapes.RsvpAnswer,
        status=201,
        refuses=_CHANGED | _ONCE_RSVP,
    )
    async def add_rsvp(request: Request, short_id: str) -> Response:
        """Answer an event; the code in the reply finds the answer again."""
        found = desk.short_id(short_id)
        body = await read_body(request, shapes.RsvpBody)
        once = desk.once(request, body)
        page = (await _visible(desk, request, found, "event")).page

        async def effect() -> Response:
            rsvp = await desk.answering.add_rsvp(page, body, once)
            return answer(shapes.rsvp_answer(rsvp), 201, version=rsvp.version)

        return await desk.idempotency.run(once, effect)

    @api.endpoint(
        "GET",
        _RSVPS,
        answer=shapes.RsvpList,
        refuses=_SEEN | {403: ("rsvps_hidden", "forbidden")},
        query=_LISTED,
    )
    async def list_rsvps(request: Request, short_id: str) -> Response:
        """The answers to an event, and their totals; codes only for who manages it."""
        found = desk.short_id(short_id)
        paging = desk.paging(request)
        paging.require_cut(name=_LIST, filters={"short_id": found})
        rights = await desk.pages.find(request, found, "event")
        return answer(await rsvps_for(desk, rights, paging))


async def rsvps_for(desk: Desk, rights: Rights, paging: Paging | None = None) -> dict[str, Any]:
    """The answers to an event that a caller may see, and their totals."""
    page = rights.page
    rights.require_view()
    if not rights.can_manage:
        if page.rsvp_visibility == "admin":
            raise Problem(403, "rsvps_hidden", "The answers are for who manages the page.")
        desk.pages.require_current(rights)
    rows = await desk.services.store.run(P.list_rsvps(page.short_id).all())
    paging = paging or Paging(LIMIT_MAX, None, desk.services.cursors)
    listed = paging.cut(
        rows,
        lambda rsvp: (int(rsvp.created_at.timestamp() * 1000), rsvp.code),
        name=_LIST,
        filters={"short_id": page.short_id},
    )
    going = [rsvp for rsvp in rows if rsvp.response == "going"]
    return {
        "items": [shapes.rsvp_answer(r, with_code=rights.can_manage) for r in listed.items],
        "cursor": listed.cursor,
        "totals": {
            "going": len(going),
            "notGoing": sum(1 for rsvp in rows if rsvp.response == "notGoing"),
            "maybe": sum(1 for rsvp in rows if rsvp.response == "maybe"),
            "guests": sum(rsvp.guest_count or 0 for rsvp in going),
        },
    }


def vote_routes(desk: Desk) -> Api:
    """Votes in polls, and what they come to."""
    api = Api(tags=["Polls"])
    _add_voting(api, desk)

    @api.endpoint("GET", _VOTES + _ONE, answer=shapes.VoteAnswer, refuses=_SEEN)
    async def get_vote(request: Request, short_id: str, code: str) -> Response:
        """One's vote, by its code."""
        found, code = desk.short_id(short_id), desk.code(code)
        _, vote = await _by_code(desk, request, P.get_vote(found, code), found, "poll")
        return answer(shapes.vote_answer(vote), version=vote.version)

    @api.endpoint(
        "PUT",
        _VOTES + _ONE,
        body=shapes.VoteBody,
        answer=shapes.VoteAnswer,
        refuses=_CHANGED | _VOTE_REFUSED | {412: ()},
    )
    async def put_vote(request: Request, short_id: str, code: str) -> Response:
        """Change one's vote."""
        found, code = desk.short_id(short_id), desk.code(code)
        body = await read_body(request, shapes.VoteBody)
        rights, _ = await _by_code(desk, request, P.get_vote(found, code), found, "poll", body)
        vote = await desk.answering.change_vote(rights.page, code, body, IfMatch.of(request))
        return answer(shapes.vote_answer(vote), version=vote.version)

    @api.endpoint("DELETE", _VOTES + _ONE, status=204, refuses=_CHANGED | _VOTE_REFUSED | {412: ()})
    async def delete_vote(request: Request, short_id: str, code: str) -> Response:
        """Take one's vote back."""
        found, code = desk.short_id(short_id), desk.code(code)
        rights, _ = await _by_code(desk, request, P.get_vote(found, code), found, "poll")
        await desk.answering.delete_vote(rights.page, code, IfMatch.of(request))
        return no_content()

    return api


def _add_voting(api: Api, desk: Desk) -> None:
    @api.endpoint(
        "POST",
        _VOTES,
        body=shapes.VoteBody,
        answer=shapes.VoteAnswer,
        status=201,
        refuses=_CHANGED | _ONCE_VOTE,
    )
    async def add_vote(request: Request, short_id: str) -> Response:
        """Vote in a poll; the code in the reply finds the vote again."""
        found = desk.short_id(short_id)
        body = await read_body(request, shapes.VoteBody)
        once = desk.once(request, body)
        page = (await _visible(desk, request, found, "poll", body)).page

        async def effect() -> Response:
            vote = await desk.answering.add_vote(page, body, once)
            return answer(shapes.vote_answer(vote), 201, version=vote.version)

        return await desk.idempotency.run(once, effect)

    @api.endpoint(
        "GET",
        "/pages/{short_id:segment}/results",
        answer=shapes.ResultsAnswer,
        refuses=_SEEN | {403: ("results_hidden", "forbidden")},
        query={"code": {"schema": {"type": "string", "pattern": "^([0-9]{6})?$"}}},
    )
    async def get_results(request: Request, short_id: str) -> Response:
        """What the votes come to, for whom and when the poll shows it."""
        found = desk.short_id(short_id)
        code = request.query_params.get("code")
        if code and not is_code(code):
            raise field_problem("code", "must be six digits")
        rights = await desk.pages.find(request, found, "poll")
        # A code that is unknown counts as a wrong guess, whatever the results need.
        has_voted = bool(code) and await _is_vote(desk, request, rights, code or "")
        return answer(await results_for(desk, rights, has_voted=has_voted))


async def results_for(desk: Desk, rights: Rights, *, has_voted: bool = False) -> dict[str, Any]:
    """The results of a poll, if a caller may see them."""
    rights.require_view()
    if not rights.can_manage:
        _require_results(desk, rights.page, has_voted=has_voted)
        desk.pages.require_current(rights)
    votes = await desk.services.store.run(P.tally_votes(rights.page.short_id).all())
    return results_of(rights.page, votes, desk.services.clock.now())


def _require_results(desk: Desk, page: Shareable, *, has_voted: bool) -> None:
    """Raise 403 unless a viewer may see the results."""
    is_shown = {
        "always": True,
        "afterSubmit": has_voted,
        "afterClose": shapes.is_closed(page, desk.services.clock.now()),
    }
    if not is_shown.get(page.results_visibility or "", False):
        raise Problem(403, "results_hidden", "The results do not show yet.")


async def _is_vote(desk: Desk, request: Request, rights: Rights, code: str) -> bool:
    """Whether a code is that of a vote; one that is not counts as a wrong guess."""
    short_id = rights.page.short_id

    async def judge() -> Vote | None:
        rights.require_view()
        return await desk.services.store.run(P.get_vote(short_id, code))

    return await desk.attempts.code(short_id, desk.client(request), judge) is not None
