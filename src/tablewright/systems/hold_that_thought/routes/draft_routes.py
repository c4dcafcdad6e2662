"""Routes of drafts: scans on their way to a letter."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Depends, Query

from tablewright.systems.hold_that_thought.bodies import DraftBody, PublishBody
from tablewright.systems.hold_that_thought.dependencies import (
    WRITE,
    DraftService,
    Once,
    PublicationService,
    RateService,
    may,
)
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import (
    DraftAnswer,
    DraftQuery,
    DraftWithUploads,
    LetterAnswer,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.openapi import codes
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(tags=["Drafts"])
_DRAFTS: Final = "/drafts"
_DRAFT: Final = _DRAFTS + "/{draft_id:uuidtext}"
Drafter = Annotated[Caller, Depends(may("use drafts"))]


@router.post(_DRAFTS, status_code=201, responses=WRITE)
async def add_draft(
    caller: Drafter, body: DraftBody, once: Once, rates: RateService, drafts: DraftService
) -> DraftWithUploads:
    """Begin a draft; the answer says how to upload its scans."""
    await rates.count(caller.user_id, "upload")
    draft = await drafts.add(caller, body, once)
    return DraftWithUploads.of(draft, uploads=drafts.uploads(draft.draft_id, body))


@router.get(_DRAFTS)
async def list_drafts(
    caller: Drafter, query: Annotated[DraftQuery, Query()], page: Page, drafts: DraftService
) -> ListOf[DraftAnswer]:
    """Your drafts, newest first; all drafts for an admin."""
    return (await drafts.page(caller, query.status, page)).shown(DraftAnswer.of)


@router.get(_DRAFT)
async def get_draft(caller: Drafter, draft_id: str, drafts: DraftService) -> DraftAnswer:
    """One draft."""
    return DraftAnswer.of(await drafts.get(caller, draft_id))


@router.delete(_DRAFT, status_code=204, responses=WRITE | {409: codes("invalid_transition")})
async def delete_draft(
    caller: Drafter,
    draft_id: str,
    if_match: Precondition,
    rates: RateService,
    drafts: DraftService,
) -> None:
    """Delete a draft and its scans; not while it is processed."""
    await rates.count(caller.user_id, "other")
    await drafts.delete(caller, draft_id, if_match)


@router.post(
    f"{_DRAFT}/process",
    status_code=202,
    responses=WRITE | {409: codes("upload_incomplete", "invalid_transition")},
)
async def process_draft(
    caller: Drafter, draft_id: str, rates: RateService, drafts: DraftService
) -> DraftAnswer:
    """Have the scans of a draft transcribed; that goes on after the answer."""
    await rates.count(caller.user_id, "other")
    return DraftAnswer.of(await drafts.process(caller, draft_id))


@router.post(
    f"{_DRAFT}/publish",
    status_code=201,
    responses=WRITE | {409: codes("date_taken", "invalid_transition", "upload_incomplete")},
)
async def publish_draft(
    caller: Drafter,
    draft_id: str,
    body: PublishBody,
    once: Once,
    rates: RateService,
    publication: PublicationService,
) -> LetterAnswer:
    """Publish a draft as a letter; fields that are sent replace what was transcribed."""
    await rates.count(caller.user_id, "other")
    return LetterAnswer.of(await publication.publish(caller, draft_id, body, once))
