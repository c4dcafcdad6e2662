"""What Hold That Thought's endpoints return, and the queries of its lists.

Files are in answers by their keys (`BlobUrl`): they become URLs when an answer is sent.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field

from tablewright.systems.hold_that_thought.design import (
    Comment,
    ConversationMember,
    ConversationMeta,
    Letter,
    Message,
    Profile,
    Reaction,
)
from tablewright.systems.hold_that_thought.services.blob_keys import Category
from tablewright.web.http.field_types import Answer, BlobUrl, Line, QueryParameters, Time
from tablewright.web.services.blobs import UploadAnswer

Status = Literal["active", "inactive", "deleted"]
DraftStatus = Literal["pending", "processing", "ready", "published", "failed"]


class RelationAnswer(Answer):
    id: str
    type: str
    name: str
    custom_type: str | None
    created_at: Time | None


class PublicProfile(Answer):
    is_of_json = True  # The relations.

    user_id: str
    display_name: str
    bio: str | None
    photo_url: BlobUrl | None
    family_relationship: str | None
    generation: str | None
    family_branch: str | None
    family_relationships: list[RelationAnswer] | None
    is_profile_private: bool
    created_at: Time
    updated_at: Time
    version: int

    @classmethod
    def of(cls, row: Profile, **more: Any) -> Self:
        """A profile; relations are stored without what has no value."""
        relations = row.family_relationships
        if relations is not None:
            empty = {"customType": None, "createdAt": None}
            more["family_relationships"] = [empty | relation for relation in relations]
        return super().of(row, **more)


class FullProfile(PublicProfile):
    email: str | None
    contact_email: str | None
    notify_on_message: bool
    notify_on_comment: bool
    theme: str | None
    media_upload_count: int
    status: Status
    groups: list[str]

    @classmethod
    def of(cls, row: Profile, **more: Any) -> Self:
        return super().of(row, email=row.email or None, **more)


class MediaUploadAnswer(UploadAnswer):
    media_id: str


class LetterInList(Answer):
    """A letter without its content. Its version is the number of replaced texts."""

    date: str
    title: str
    author: str | None
    description: str | None
    version_count: int
    scan_count: int
    created_at: Time
    updated_at: Time
    updated_by: str

    @classmethod
    def of(cls, row: Letter, **more: Any) -> Self:
        return super().of(row, scan_count=len(row.file_keys), **more)


class LetterAnswer(LetterInList):
    content: str

    @property
    def etag_version(self) -> int:
        return self.version_count


class VersionInList(Answer):
    date: str
    timestamp: Time
    version_number: int
    title: str
    author: str | None
    description: str | None
    updated_by: str


class VersionAnswer(VersionInList):
    content: str


class ScanAnswer(Answer):
    file_name: str
    content_type: str
    url: BlobUrl


class ExtractedAnswer(Answer):
    date: str | None
    title: str | None
    author: str | None
    content: str | None


class DraftAnswer(Answer):
    draft_id: str
    status: DraftStatus
    uploader_id: str
    file_names: list[str]
    extracted_data: ExtractedAnswer | None
    error_message: str | None
    letter_date: str | None
    created_at: Time
    updated_at: Time
    version: int


class DraftWithUploads(DraftAnswer):
    uploads: list[UploadAnswer]


class CommentAnswer(Answer):
    item_id: str
    item_type: Literal["letter", "media"]
    item_title: str | None
    comment_id: str
    user_id: str
    user_name: str
    user_photo_url: BlobUrl | None
    comment_text: str
    reaction_count: int
    user_has_reacted: bool
    my_reaction_type: str | None
    is_edited: bool
    created_at: Time
    updated_at: Time | None
    version: int

    @classmethod
    def seen(cls, comment: Comment, own: Reaction | None = None) -> Self:
        """A comment with the caller's own reaction to it."""
        return cls.of(
            comment,
            user_has_reacted=own is not None,
            my_reaction_type=None if own is None else own.reaction_type,
            is_edited=comment.updated_at is not None,
        )


class ReactionAnswer(Answer):
    item_id: str
    comment_id: str
    user_id: str
    user_name: str
    reaction_type: str
    created_at: Time


class ToggleAnswer(Answer):
    liked: bool
    reaction_type: str | None
    reaction_count: int


class ConversationAnswer(Answer):
    conversation_id: str
    conversation_type: Literal["direct", "group"]
    conversation_title: str | None
    creator_id: str
    participant_ids: list[str]
    participant_names: dict[str, str]
    created_at: Time
    last_message_at: Time
    last_read_at: Time | None
    unread_count: int

    @classmethod
    def seen(cls, meta: ConversationMeta, member: ConversationMember) -> Self:
        """A conversation as one of its participants sees it."""
        return cls.of(meta, last_read_at=member.last_read_at, unread_count=member.unread_count)


class AttachmentAnswer(Answer):
    s3_key: str
    file_name: str
    content_type: str
    url: BlobUrl


class MessageAnswer(Answer):
    message_id: str
    conversation_id: str
    sender_id: str
    sender_name: str
    message_text: str
    attachments: list[AttachmentAnswer] | None
    created_at: Time

    @classmethod
    def of(cls, row: Message, **more: Any) -> Self:
        files = row.attachments
        if files is not None:
            more["attachments"] = [AttachmentAnswer.of(file, url=file.s3_key) for file in files]
        return super().of(row, **more)


class MediaAnswer(Answer):
    media_id: str
    key: str
    category: Literal["pictures", "videos", "documents"]
    uploader_id: str
    file_name: str
    content_type: str
    size: int
    url: BlobUrl
    uploaded_at: Time


# Queries.


class StatusQuery(QueryParameters):
    status: Status | None = None


class DraftQuery(QueryParameters):
    status: Annotated[
        DraftStatus | None, Field(description="Without it, everything but published.")
    ] = None


class MediaQuery(QueryParameters):
    category: Category


class MediaKeyQuery(QueryParameters):
    key: Annotated[str, Line(1, 1024)]
