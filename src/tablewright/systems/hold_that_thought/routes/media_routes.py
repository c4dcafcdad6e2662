"""Routes of pictures, videos and documents."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from tablewright.systems.hold_that_thought.bodies import MediaUploadBody
from tablewright.systems.hold_that_thought.dependencies import (
    WRITE,
    MediaService,
    Member,
    RateService,
    may,
)
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import (
    MediaAnswer,
    MediaKeyQuery,
    MediaQuery,
    MediaUploadAnswer,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.openapi import codes
from tablewright.web.http.paging import Page
from tablewright.web.http.routing import Router

router = Router(tags=["Media"])
Uploader = Annotated[Caller, Depends(may("upload media"))]
Remover = Annotated[Caller, Depends(may("delete media"))]


@router.post("/media/upload-url", responses=WRITE)
async def upload_media(
    caller: Uploader, body: MediaUploadBody, rates: RateService, media: MediaService
) -> MediaUploadAnswer:
    """A URL to upload a picture, video or document to."""
    await rates.count(caller.user_id, "upload")
    return await media.upload(caller, body)


@router.get("/media")
async def list_media(
    caller: Member, query: Annotated[MediaQuery, Query()], page: Page, media: MediaService
) -> ListOf[MediaAnswer]:
    """All pictures, videos or documents, by key."""
    return (await media.page(query.category, page)).listed()


@router.delete("/media", status_code=204, responses=WRITE | {404: codes()})
async def delete_media(
    caller: Remover,
    query: Annotated[MediaKeyQuery, Query()],
    rates: RateService,
    media: MediaService,
) -> None:
    """Delete a picture, video or document that you uploaded; an admin may delete any."""
    media.parse(query.key)
    await rates.count(caller.user_id, "other")
    await media.delete(caller, query.key)
