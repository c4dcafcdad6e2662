"""What Hold That Thought's endpoints take."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from tablewright.systems.hold_that_thought.design import ConversationType
from tablewright.systems.hold_that_thought.services.blob_keys import (
    MEDIA_TYPES,
    AttachmentType,
    Category,
    MediaType,
    PhotoType,
    ScanType,
)
from tablewright.systems.hold_that_thought.services.letter_dates import LetterDate
from tablewright.systems.hold_that_thought.services.plain_text import Untagged
from tablewright.web.http.field_types import (
    Body,
    Email,
    Int,
    Line,
    PatchBody,
    Raw,
    Text,
    Time,
    UserId,
)
from tablewright.web.http.problems import field_problem

PHOTO_BYTES_MAX = 5_242_880
SCAN_BYTES_MAX = 10_485_760
SCANS_BYTES_MAX = 52_428_800
ATTACHMENT_BYTES_MAX = 10_485_760
MEDIA_BYTES_MAX = 524_288_000

FileName = Annotated[str, Line(1, 100)]
ShortLine = Annotated[str, Line(0, 100)]
Title = Annotated[str, Line(1, 300)]
Author = Annotated[str, Line(1, 200)]
Content = Annotated[str, Raw(1, 200_000)]
Description = Annotated[str, Text(0, 2000)]
CommentText = Annotated[str, Untagged(1, 2000)]
MessageText = Annotated[str, Untagged(0, 5000)]


# People.


class RelationBody(Body):
    id: Annotated[str, Line(1, 64)]
    type: Annotated[str, Line(1, 50)]
    name: Annotated[str, Line(1, 100)]
    custom_type: Annotated[str, Line(0, 50)] | None = None
    created_at: Time | None = None


class ProfilePatch(PatchBody):
    """What cannot be without a value has a default here only because it may be left out."""

    display_name: Annotated[str, Line(1, 100)] = ""
    bio: Annotated[str, Text(0, 2000)] | None = None
    photo_key: Annotated[str, Line(1, 1024)] | None = None
    family_relationship: ShortLine | None = None
    generation: ShortLine | None = None
    family_branch: ShortLine | None = None
    is_profile_private: bool = False
    contact_email: Email | None = None
    notify_on_message: bool = True
    notify_on_comment: bool = True
    theme: Annotated[str, Field(pattern="^[a-z0-9-]{1,50}$")] | None = None
    family_relationships: Annotated[list[RelationBody], Field(max_length=100)] | None = None


class StatusPatch(PatchBody):
    status: Literal["active", "inactive", "deleted"]


class PhotoUploadBody(Body):
    file_name: FileName
    content_type: PhotoType
    size: Annotated[int, Int(1, PHOTO_BYTES_MAX)]


# Letters and drafts.


class LetterEdit(Body):
    title: Title
    content: Content
    author: Author | None = None
    description: Description | None = None


class LetterBody(LetterEdit):
    date: LetterDate


class RevertBody(Body):
    timestamp: Time


class ScanBody(Body):
    file_name: FileName
    content_type: ScanType
    size: Annotated[int, Int(1, SCAN_BYTES_MAX)]


def _require_few_bytes(files: list[ScanBody]) -> list[ScanBody]:
    if sum(file.size for file in files) > SCANS_BYTES_MAX:
        raise ValueError(f"must have at most {SCANS_BYTES_MAX} bytes together")
    return files


class DraftBody(Body):
    files: Annotated[
        list[ScanBody], Field(min_length=1, max_length=20), AfterValidator(_require_few_bytes)
    ]


class PublishBody(Body):
    date: LetterDate | None = None
    title: Title | None = None
    author: Author | None = None
    content: Content | None = None
    description: Description | None = None


# Comments and reactions.


class CommentEdit(Body):
    comment_text: CommentText


class CommentBody(CommentEdit):
    item_type: Literal["letter", "media"] | None = None
    item_title: Annotated[str, Line(0, 300)] | None = None


class ReactionBody(Body):
    reaction_type: Annotated[str, Field(pattern="^[a-z][a-z0-9_-]{0,29}$")] | None = None


# Conversations.


class ConversationBody(Body):
    participant_ids: Annotated[list[UserId], Field(min_length=1, max_length=49)]
    conversation_type: ConversationType | None = None
    conversation_title: Annotated[str, Line(1, 120)] | None = None
    message_text: MessageText | None = None


class AttachmentBody(Body):
    s3_key: Annotated[str, Line(1, 1024)]
    file_name: FileName
    content_type: AttachmentType


class MessageBody(Body):
    message_text: MessageText | None = None
    attachments: Annotated[list[AttachmentBody], Field(max_length=10)] | None = None

    @model_validator(mode="after")
    def _require_something(self) -> Self:
        if not self.message_text and not self.attachments:
            raise field_problem("messageText", "is needed, or an attachment")
        return self


class ReadBody(Body):
    read_up_to: Time | None = None


class AttachmentUploadBody(Body):
    file_name: FileName
    content_type: AttachmentType
    size: Annotated[int, Int(1, ATTACHMENT_BYTES_MAX)]


# Media.


class MediaUploadBody(Body):
    category: Category
    file_name: FileName
    content_type: MediaType
    size: Annotated[int, Int(1, MEDIA_BYTES_MAX)]

    @model_validator(mode="after")
    def _require_type(self) -> Self:
        """Raise 400 for a content type that the category does not take."""
        allowed = MEDIA_TYPES[self.category]
        if self.content_type not in allowed:
            raise field_problem("contentType", f"must be one of {', '.join(allowed)}")
        return self
