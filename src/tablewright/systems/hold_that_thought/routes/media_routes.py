"""Routes of pictures, videos and documents."""

from __future__ import annotations

from typing import Final

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.hold_that_thought import bodies, shapes
from tablewright.systems.hold_that_thought.dependencies import Desk, refusals
from tablewright.systems.hold_that_thought.services.blob_keys import Category
from tablewright.systems.hold_that_thought.services.media import CATEGORIES
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.queries import Queries

__all__ = ["media_routes"]

_CATEGORY_QUERY: Final = {"category": {"required": True, "schema": {"enum": list(CATEGORIES)}}}
_KEY_QUERY: Final = {
    "key": {"required": True, "schema": {"type": "string", "minLength": 1, "maxLength": 1024}}
}


def media_routes(desk: Desk) -> Api:
    api = Api(tags=["Media"])

    @api.endpoint(
        "POST",
        "/media/upload-url",
        body=bodies.MediaUploadBody,
        answer=shapes.MediaUploadAnswer,
        refuses=refusals("approval_required", is_write=True),
    )
    async def upload_media(request: Request) -> Response:
        """How to upload a picture, video or document."""
        caller = await desk.caller(request, "upload media")
        body = await read_body(request, bodies.MediaUploadBody)
        desk.media.require_type(body)
        await desk.count(caller, "upload")
        return answer(await desk.media.upload(caller, body))

    @api.endpoint(
        "GET",
        "/media",
        answer=shapes.MediaList,
        refuses=refusals(),
        query=_CATEGORY_QUERY,
        paged=True,
    )
    async def list_media(request: Request) -> Response:
        """All pictures, videos or documents, by key."""
        await desk.caller(request)
        query = Queries(request)
        category: Category = query.needed("category", query.option("category", CATEGORIES))
        page = await desk.media.page(category, desk.paging(request))
        return answer(page.body())

    @api.endpoint(
        "DELETE",
        "/media",
        status=204,
        refuses=refusals("approval_required", "forbidden", is_write=True) | {404: ()},
        query=_KEY_QUERY,
    )
    async def delete_media(request: Request) -> Response:
        """Delete a picture, video or document that one uploaded; an admin, any."""
        caller = await desk.caller(request, "delete media")
        query = Queries(request)
        key: str = query.needed("key", query.line("key", 1, 1024))
        desk.media.parse(key)
        await desk.count(caller, "other")
        await desk.media.delete(caller, key)
        return no_content()

    return api
