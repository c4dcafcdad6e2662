"""Uploads and downloads of blobs that this server keeps itself."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response

from tablewright.web.blobs import FolderBlobs
from tablewright.web.problems import Problem

__all__ = ["blob_routes"]

# What was uploaded is looked at, never run: whatever it is, it is not a page of ours.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Content-Disposition": "inline",
    "Cache-Control": "private, max-age=300",
}


def blob_routes(blobs: FolderBlobs) -> APIRouter:
    """PUT and GET of /blobs/{key}, by signed URLs."""
    router = APIRouter()

    @router.put("/blobs/{key:path}", include_in_schema=False)
    async def put(request: Request, key: str) -> Response:
        query = dict(request.query_params)
        blobs.require_signed("PUT", key, query)
        kind = request.headers.get("content-type", "")
        length = request.headers.get("content-length", "")
        # What is told to be too long need not be read first.
        if length.isdigit() and int(length) > int(query["size"]):
            raise Problem(413)
        await blobs.store(key, query, kind, request.stream())
        return Response(status_code=200)

    @router.get("/blobs/{key:path}", include_in_schema=False)
    async def get(request: Request, key: str) -> Response:
        blobs.require_signed("GET", key, dict(request.query_params))
        blob = await blobs.find(key)
        if blob is None:
            raise Problem(404)
        return FileResponse(
            blobs.path(key), headers={**_HEADERS, "Content-Type": blob.content_type}
        )

    return router
