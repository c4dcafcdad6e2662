"""Pictures, videos and documents. They have no rows: the blob store lists them."""

from __future__ import annotations

from typing import Final, get_args

from tablewright import Model, Moment
from tablewright.systems.hold_that_thought.bodies import MediaUploadBody
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import MediaAnswer, MediaUploadAnswer
from tablewright.systems.hold_that_thought.services.blob_keys import (
    Category,
    MediaKey,
    media_key,
    media_prefix,
    parse_media_key,
)
from tablewright.systems.hold_that_thought.services.people import People
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.problems import Problem, field_problem
from tablewright.web.services.blobs import Blob
from tablewright.web.services.quotas import Quota, require_room
from tablewright.web.services.services import Services

__all__ = ["CATEGORIES", "Media", "MediaObject"]

QUOTA: Final = Quota(5000, 20 * 1024**3)  # Of one person, in all categories.
CATEGORIES: tuple[Category, ...] = get_args(Category)


class MediaObject(Model):
    """What is known of an object."""

    media_id: str
    key: str
    category: str
    uploader_id: str
    file_name: str
    content_type: str
    size: int
    uploaded_at: Moment


class Media:
    """Lists and removes what was uploaded, and says how."""

    def __init__(self, services: Services, people: People) -> None:
        self._services = services
        self._people = people

    async def upload(self, caller: Caller, body: MediaUploadBody) -> MediaUploadAnswer:
        """Where an object can be put; 413 if one keeps too much already."""
        prefixes = [f"{media_prefix(category)}{caller.user_id}/" for category in CATEGORIES]
        await require_room(self._services.blobs, prefixes, body.size, QUOTA)
        media_id = self._services.ids.uuid()
        key = media_key(body.category, caller.user_id, media_id, body.file_name)
        await self._people.count_media(caller.user_id)
        upload = self._services.blobs.upload(key, body.content_type, body.size)
        return MediaUploadAnswer.of(upload, media_id=media_id)

    async def page(self, category: Category, paging: Paging) -> Listing[MediaAnswer]:
        """All objects of a category, by key."""
        filters = {"category": category}
        paging.require_cut(name="media", filters=filters)
        blobs = await self._services.blobs.under(media_prefix(category))
        objects = [_object(blob, parts) for blob in blobs if (parts := parse_media_key(blob.key))]
        page = paging.cut(objects, lambda item: (item.key,), name="media", filters=filters)
        answers = [MediaAnswer.of(item, url=item.key) for item in page.items]
        return Listing(answers, page.cursor)

    @staticmethod
    def parse(key: str) -> MediaKey:
        """The parts of a key that was sent; 400 if it is none."""
        parts = parse_media_key(key)
        if parts is None:
            raise field_problem("key", "is not the key of a picture, video or document")
        return parts

    async def delete(self, caller: Caller, key: str) -> None:
        parts = self.parse(key)
        if await self._services.blobs.find(key) is None:
            raise Problem(404, detail="No such file.")
        caller.require_own("delete media", parts.uploader_id)
        await self._services.blobs.delete(key)


def _object(blob: Blob, parts: MediaKey) -> MediaObject:
    at = blob.stored_at
    return MediaObject(
        media_id=parts.media_id,
        key=blob.key,
        category=parts.category,
        uploader_id=parts.uploader_id,
        file_name=parts.file_name,
        content_type=blob.content_type,
        size=blob.size,
        uploaded_at=at.replace(microsecond=at.microsecond // 1000 * 1000),
    )
