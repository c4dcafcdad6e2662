"""Pictures: logos of sites, avatars of people. What kinds there are, and where they lie.

A picture that is replaced is deleted once the row names the next one. In between, the row may be
given the old one back; so changes of an owner's picture take a lock (`lock`).
"""

from __future__ import annotations

import asyncio
from typing import Final, Literal

from tablewright.web.services.blobs import UploadAnswer
from tablewright.web.services.named_locks import NamedLocks
from tablewright.web.services.quotas import Quota, make_room
from tablewright.web.services.services import Services

__all__ = ["BYTES_MAX", "ContentType", "Images", "avatars", "logos"]

BYTES_MAX: Final = 5_242_880
QUOTA: Final = Quota(50, 100 * 1024 * 1024)  # Of one owner, with what was never used.
ContentType = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
_EXTENSIONS: Final[dict[ContentType, str]] = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
}


class Images:
    """The objects of one kind, each under the id of its owner: ``logos/{siteId}/…``."""

    def __init__(self, services: Services, folder: str) -> None:
        self._blobs = services.blobs
        self._clock = services.clock
        self._ids = services.ids
        self._folder = folder
        self._locks = NamedLocks()

    def _prefix(self, owner: str) -> str:
        return f"{self._folder}/{owner}/"

    async def make_room(self, owner: str, size: int, used: str | None) -> None:
        """Remove what an owner uploaded and never used, if it is much; 413 if too much is left."""
        await make_room(self._blobs, self._clock, self._prefix(owner), size, QUOTA, used=used)

    def upload(self, owner: str, content_type: ContentType, size: int) -> UploadAnswer:
        """Where a new one may be put."""
        key = f"{self._prefix(owner)}{self._ids.uuid()}.{_EXTENSIONS[content_type]}"
        return self._blobs.upload(key, content_type, size)

    def url(self, key: str | None) -> str | None:
        """Where it can be seen, for a while."""
        return None if key is None else self._blobs.read_url(key)

    def lock(self, owner: str) -> asyncio.Lock:
        """One after another: what is looked up, named and deleted for an owner in this process."""
        return self._locks.of(owner)

    async def require(self, field: str, key: str | None, owner: str) -> None:
        """Raise 400 for a key that is not an object of this owner."""
        if key is not None:
            await self._blobs.require(field, key, self._prefix(owner))

    async def delete_replaced(self, old: str | None, new: str | None) -> None:
        """Delete what was shown, unless it still is."""
        if old is not None and old != new:
            await self._blobs.delete(old)

    async def delete_all(self, owner: str) -> None:
        """Delete all that an owner has uploaded, shown or not."""
        for blob in await self._blobs.under(self._prefix(owner)):
            await self._blobs.delete(blob.key)


def logos(services: Services) -> Images:
    """Of sites."""
    return Images(services, "logos")


def avatars(services: Services) -> Images:
    """Of people."""
    return Images(services, "profile/avatars")
