"""How much one owner may keep: objects and bytes under her prefix."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final, NamedTuple

from tablewright.web.http.problems import Problem
from tablewright.web.services.blobs import Blob, Blobs
from tablewright.web.services.clock import Clock

__all__ = ["Quota", "make_room", "require_room"]

UNUSED_KEPT: Final = timedelta(hours=24)


class Quota(NamedTuple):
    """At most so many objects, and so many bytes together."""

    objects_max: int
    bytes_max: int

    def has_room(self, kept: Collection[Blob], size: int) -> bool:
        used = sum(blob.size for blob in kept)
        return len(kept) < self.objects_max and used + size <= self.bytes_max


async def require_room(blobs: Blobs, prefixes: Collection[str], size: int, quota: Quota) -> None:
    """Raise 413 if one more object of a size would be too much under these prefixes."""
    kept = [blob for prefix in prefixes for blob in await blobs.under(prefix)]
    if not quota.has_room(kept, size):
        raise Problem(413, detail="Storage quota exceeded. Delete files first.")


async def make_room(
    blobs: Blobs, clock: Clock, prefix: str, size: int, quota: Quota, *, used: str | None
) -> None:
    """Make room for one more by removing what is not used; 413 if that is not enough.

    An object that was put there a day ago and is not the ``used`` one is not waited for any more.
    """
    kept = await blobs.under(prefix)
    if quota.has_room(kept, size):
        return
    oldest = clock.now() - UNUSED_KEPT
    for blob in kept:
        if blob.key != used and blob.stored_at <= oldest:
            await blobs.delete(blob.key)
    await require_room(blobs, (prefix,), size, quota)
