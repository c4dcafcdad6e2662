"""Uploads and downloads of blobs that this server keeps itself, and pictures of all others too."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response

from tablewright.web.http.problems import Problem
from tablewright.web.services.blobs import Blobs, FolderBlobs

__all__ = ["blob_routes"]

# What was uploaded is looked at, never run: whatever it is, it is not a page of ours.
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "private, max-age=300",
    "X-Content-Type-Options": "nosniff",
}
_INLINE: Final = {**_HEADERS, "Content-Disposition": "inline"}
_ATTACHED: Final = {**_HEADERS, "Content-Disposition": "attachment"}
_PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


def blob_routes(blobs: Blobs) -> APIRouter:
    """PUT and GET of /blobs/{key}, by signed URLs; of a bucket only pictures are had here."""
    router = APIRouter()

    @router.put("/blobs/{key:path}", include_in_schema=False)
    async def put(request: Request, key: str) -> Response:
        query = dict(request.query_params)
        blobs.urls.require("PUT", key, query)
        kind = request.headers.get("content-type", "")
        length = request.headers.get("content-length", "")
        # A body that is too long by its Content-Length is not read.
        if length.isdigit() and int(length) > int(query["size"]):
            raise Problem(413)
        await _folder(blobs).store(key, query, kind, request.stream())
        return Response(status_code=200)

    @router.get("/blobs/{key:path}", include_in_schema=False)
    async def get(request: Request, key: str) -> Response:
        query = dict(request.query_params)
        blobs.urls.require("GET", key, query)
        if "rendition" in query:
            content, media_type = await blobs.rendition(key, int(query["rendition"]))
            return Response(content, headers=_INLINE, media_type=media_type)
        folder = _folder(blobs)
        blob = await folder.find(key)
        if blob is None:
            raise Problem(404, detail="No such file.")
        headers = _headers_for(blob.content_type) | {"Content-Type": blob.content_type}
        return FileResponse(folder.path(key), headers=headers)

    return router


def _folder(blobs: Blobs) -> FolderBlobs:
    """The folder that holds the objects; 404 if a bucket does."""
    if not isinstance(blobs, FolderBlobs):
        raise Problem(404, detail="No such file.")
    return blobs


def _headers_for(content_type: str) -> dict[str, str]:
    """Pictures are shown, all else is saved: a browser opens nothing here as a page."""
    is_picture = content_type.partition(";")[0].strip().lower() in _PICTURES
    return _INLINE if is_picture else _ATTACHED
