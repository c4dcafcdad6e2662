"""Where files are kept: keys by what they are for, and the content types that each place takes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal, NamedTuple, get_args

import structlog

from tablewright.web.http.field_types import USER_ID_PATTERN, UUID_PATTERN
from tablewright.web.services.blobs import Blobs, safe_name

__all__ = [
    "MEDIA_TYPES",
    "TEMP",
    "AttachmentType",
    "Category",
    "MediaKey",
    "MediaType",
    "PhotoType",
    "ScanType",
    "attachment_key",
    "attachment_prefix",
    "conversation_prefix",
    "discard",
    "letter_key",
    "media_key",
    "media_prefix",
    "parse_media_key",
    "photo_key",
    "photo_prefix",
    "scan_key",
    "scan_type",
]

log = structlog.get_logger("tablewright.hold_that_thought")

PhotoType = Literal["image/jpeg", "image/png", "image/gif", "image/webp"]
ScanType = Literal["application/pdf", "image/jpeg", "image/png"]
AttachmentType = Literal[
    "image/jpeg",
    "image/png",
    "image/gif",
    "image/webp",
    "application/pdf",
    "text/plain",
    "audio/mpeg",
    "video/mp4",
]
Category = Literal["pictures", "videos", "documents"]
VideoType = Literal["video/mp4", "video/webm", "video/quicktime"]
DocumentType = Literal["application/pdf"]
MediaType = Literal[PhotoType, VideoType, DocumentType]
MEDIA_TYPES: Final[dict[Category, tuple[str, ...]]] = {
    "pictures": get_args(PhotoType),
    "videos": get_args(VideoType),
    "documents": get_args(DocumentType),
}
TEMP: Final = "temp/"
_EXTENSIONS: Final[dict[ScanType, str]] = {
    "application/pdf": "pdf",
    "image/jpeg": "jpg",
    "image/png": "png",
}
_MEDIA_KEY: Final = re.compile(
    f"media/(pictures|videos|documents)/({USER_ID_PATTERN})/({UUID_PATTERN})/([A-Za-z0-9._-]{{1,100}})"
)


def photo_prefix(user_id: str) -> str:
    return f"profile-photos/{user_id}/"


def photo_key(user_id: str, at: datetime, file_name: str) -> str:
    return f"{photo_prefix(user_id)}{round(at.timestamp() * 1000)}-{safe_name(file_name)}"


def scan_key(draft_id: str, number: int, content_type: ScanType) -> str:
    """Where a scan waits until its letter is published."""
    return f"{TEMP}{draft_id}/{number}.{_EXTENSIONS[content_type]}"


def letter_key(date: str, scan: str) -> str:
    """Where a scan goes when its letter is published."""
    return f"letters/{date}/{scan.removeprefix(TEMP)}"


def scan_type(key: str) -> str:
    """The content type of a scan, from its key."""
    extension = key.rpartition(".")[2]
    return next(kind for kind, known in _EXTENSIONS.items() if known == extension)


def conversation_prefix(conversation_id: str) -> str:
    return f"messages/{conversation_id}/"


def attachment_prefix(conversation_id: str, user_id: str) -> str:
    return f"{conversation_prefix(conversation_id)}{user_id}/"


def attachment_key(conversation_id: str, user_id: str, unique: str, file_name: str) -> str:
    return f"{attachment_prefix(conversation_id, user_id)}{unique}_{safe_name(file_name)}"


class MediaKey(NamedTuple):
    """The parts of the key of a picture, video or document."""

    category: str
    uploader_id: str
    media_id: str
    file_name: str


def media_prefix(category: str) -> str:
    return f"media/{category}/"


def media_key(category: str, user_id: str, media_id: str, file_name: str) -> str:
    return f"{media_prefix(category)}{user_id}/{media_id}/{safe_name(file_name)}"


def parse_media_key(key: str) -> MediaKey | None:
    """The parts of a key; None if it is none of a picture, video or document."""
    match = _MEDIA_KEY.fullmatch(key)
    return None if match is None or not match[4].strip(".") else MediaKey(*match.groups())


async def discard(blobs: Blobs, keys: Iterable[str]) -> None:
    """Remove objects that nothing leads to any more. What fails is logged: all else is done."""
    for key in keys:
        try:
            await blobs.delete(key)
        except Exception:
            log.exception("an object could not be removed", key=key)
