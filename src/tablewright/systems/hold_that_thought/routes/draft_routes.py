"""Routes of drafts: scans on their way to a letter."""

from __future__ import annotations

from typing import Any, Final, get_args

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.hold_that_thought import bodies, shapes
from tablewright.systems.hold_that_thought.dependencies import Desk, refusals
from tablewright.web.http.answers import no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.queries import Queries

__all__ = ["draft_list_routes", "draft_routes", "progress_routes"]

_DRAFTS: Final = "/drafts"
_DRAFT: Final = _DRAFTS + "/{draft_id:uuidtext}"
_STATUS_QUERY: Final = {
    "status": {
        "description": "Without it, everything but published.",
        "schema": {"enum": list(get_args(shapes.DraftStatus))},
    }
}


def draft_list_routes(desk: Desk) -> Api:
    api = Api(tags=["Drafts"])

    @api.endpoint(
        "POST",
        _DRAFTS,
        body=bodies.DraftBody,
        answer=shapes.DraftWithUploads,
        status=201,
        refuses=refusals("approval_required", is_write=True),
        idempotent=True,
        versioned=True,
    )
    async def add_draft(request: Request) -> Response:
        """Begin a draft; says how its scans are uploaded."""
        caller = await desk.caller(request, "use drafts")
        body = await read_body(request, bodies.DraftBody)
        once = desk.once(request, caller, body)
        await desk.count(caller, "upload")

        async def effect() -> tuple[dict[str, Any], int]:
            return await desk.drafts.add(caller, body, once), 201

        def completed(shown: dict[str, Any]) -> dict[str, Any]:
            return shown | {"uploads": desk.drafts.uploads(shown["draftId"], body)}

        return await desk.run(once, effect, completed=completed)

    @api.endpoint(
        "GET",
        _DRAFTS,
        answer=shapes.DraftList,
        refuses=refusals("approval_required"),
        query=_STATUS_QUERY,
        paged=True,
    )
    async def list_drafts(request: Request) -> Response:
        """One's own drafts, newest first; all of them for an admin."""
        caller = await desk.caller(request, "use drafts")
        statuses: tuple[shapes.DraftStatus, ...] = get_args(shapes.DraftStatus)
        status = Queries(request).option("status", statuses)
        page = await desk.drafts.page(caller, status, desk.paging(request))
        return desk.listed(map(shapes.draft_answer, page.items), page.cursor)

    return api


def draft_routes(desk: Desk) -> Api:
    api = Api(tags=["Drafts"])

    @api.endpoint(
        "GET",
        _DRAFT,
        answer=shapes.DraftAnswer,
        refuses=refusals("approval_required"),
        versioned=True,
    )
    async def get_draft(request: Request, draft_id: str) -> Response:
        """One draft."""
        caller = await desk.caller(request, "use drafts")
        return desk.answer(shapes.draft_answer(await desk.drafts.get(caller, draft_id)))

    @api.endpoint(
        "DELETE",
        _DRAFT,
        status=204,
        refuses=refusals("approval_required", is_write=True, conflicts=["invalid_transition"]),
        versioned=True,
    )
    async def delete_draft(request: Request, draft_id: str) -> Response:
        """Delete a draft and its scans; not while it is processed."""
        caller = await desk.caller(request, "use drafts")
        await desk.count(caller, "other")
        await desk.drafts.delete(caller, draft_id, IfMatch.of(request))
        return no_content()

    return api


def progress_routes(desk: Desk) -> Api:
    api = Api(tags=["Drafts"])

    @api.endpoint(
        "POST",
        f"{_DRAFT}/process",
        answer=shapes.DraftAnswer,
        status=202,
        refuses=refusals(
            "approval_required",
            is_write=True,
            conflicts=["upload_incomplete", "invalid_transition"],
        ),
        versioned=True,
    )
    async def process_draft(request: Request, draft_id: str) -> Response:
        """Have the scans of a draft transcribed; that goes on after the answer."""
        caller = await desk.caller(request, "use drafts")
        await desk.count(caller, "other")
        draft = await desk.drafts.process(caller, draft_id)
        return desk.answer(shapes.draft_answer(draft), 202)

    @api.endpoint(
        "POST",
        f"{_DRAFT}/publish",
        body=bodies.PublishBody,
        answer=shapes.LetterAnswer,
        status=201,
        refuses=refusals(
            "approval_required",
            is_write=True,
            conflicts=["date_taken", "invalid_transition", "upload_incomplete"],
        ),
        idempotent=True,
        versioned=True,
    )
    async def publish_draft(request: Request, draft_id: str) -> Response:
        """Make a letter of a draft; what is sent wins over what was transcribed."""
        caller = await desk.caller(request, "use drafts")
        body = await read_body(request, bodies.PublishBody)
        once = desk.once(request, caller, body)
        await desk.count(caller, "other")

        async def effect() -> tuple[dict[str, Any], int]:
            return await desk.publishing.publish(caller, draft_id, body, once), 201

        def completed(shown: dict[str, Any]) -> dict[str, Any]:
            return shown if body.content is None else shown | {"content": body.content}

        return await desk.run(
            once,
            effect,
            permitted=lambda: desk.drafts.get(caller, draft_id),
            completed=completed,
        )

    return api
