"""What Hold That Thought's endpoints give.

A row becomes the plain members of an answer here. Files stand in it by their keys; `with_urls`
makes them URLs at the very end, because those last only for a while: an answer that is kept for a
repeated request is kept with keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pydantic import RootModel

from tablewright.systems.hold_that_thought.design import (
    Comment,
    ConversationMember,
    ConversationMeta,
    Draft,
    Letter,
    LetterVersion,
    Message,
    Profile,
    Reaction,
)
from tablewright.web.http.field_types import Answer, Time

__all__ = [
    "comment_answer",
    "conversation_answer",
    "draft_answer",
    "letter_answer",
    "message_answer",
    "profile_answer",
    "reaction_answer",
    "version_answer",
    "with_urls",
]

Status = Literal["active", "inactive", "deleted"]
DraftStatus = Literal["pending", "processing", "ready", "published", "failed"]


class RelationAnswer(Answer):
    id: str
    type: str
    name: str
    custom_type: str | None
    created_at: Time | None


class PublicProfile(Answer):
    user_id: str
    display_name: str
    bio: str | None
    photo_url: str | None
    family_relationship: str | None
    generation: str | None
    family_branch: str | None
    family_relationships: list[RelationAnswer] | None
    is_profile_private: bool
    created_at: Time
    updated_at: Time
    version: int


class FullProfile(PublicProfile):
    email: str | None
    contact_email: str | None
    notify_on_message: bool
    notify_on_comment: bool
    theme: str | None
    media_upload_count: int
    status: Status
    groups: list[str]


class SeenProfile(RootModel[FullProfile | PublicProfile]):
    """The full profile for oneself and for admins; the public one for everybody else."""


class UploadHeaders(Answer):
    content_type: str

    model_config = {"alias_generator": lambda _: "Content-Type"}


class UploadAnswer(Answer):
    url: str
    method: Literal["PUT"]
    headers: UploadHeaders
    key: str
    expires_in: int


class MediaUploadAnswer(UploadAnswer):
    media_id: str


class LetterInList(Answer):
    date: str
    title: str
    author: str | None
    description: str | None
    version_count: int
    scan_count: int
    created_at: Time
    updated_at: Time
    updated_by: str


class LetterAnswer(LetterInList):
    content: str


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
    url: str


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
    user_photo_url: str | None
    comment_text: str
    reaction_count: int
    user_has_reacted: bool
    my_reaction_type: str | None
    is_edited: bool
    created_at: Time
    updated_at: Time | None
    version: int


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


class AttachmentAnswer(Answer):
    s3_key: str
    file_name: str
    content_type: str
    url: str


class MessageAnswer(Answer):
    message_id: str
    conversation_id: str
    sender_id: str
    sender_name: str
    message_text: str
    attachments: list[AttachmentAnswer] | None
    created_at: Time


class MediaAnswer(Answer):
    media_id: str
    key: str
    category: Literal["pictures", "videos", "documents"]
    uploader_id: str
    file_name: str
    content_type: str
    size: int
    url: str
    uploaded_at: Time


class PublicProfileList(Answer):
    items: list[PublicProfile]
    cursor: str | None


class FullProfileList(Answer):
    items: list[FullProfile]
    cursor: str | None


class LetterList(Answer):
    items: list[LetterInList]
    cursor: str | None


class VersionList(Answer):
    items: list[VersionInList]
    cursor: str | None


class ScanList(Answer):
    items: list[ScanAnswer]
    cursor: str | None


class DraftList(Answer):
    items: list[DraftAnswer]
    cursor: str | None


class CommentList(Answer):
    items: list[CommentAnswer]
    cursor: str | None


class ReactionList(Answer):
    items: list[ReactionAnswer]
    cursor: str | None


class ConversationList(Answer):
    items: list[ConversationAnswer]
    cursor: str | None


class MessageList(Answer):
    items: list[MessageAnswer]
    cursor: str | None


class MediaList(Answer):
    items: list[MediaAnswer]
    cursor: str | None


# Rows as answers.

_PUBLIC = frozenset(PublicProfile.model_fields)


def profile_answer(profile: Profile, *, is_full: bool) -> dict[str, Any]:
    """A profile; for others without what is nobody else's business, not even as a key."""
    shown = profile.model_dump(by_alias=True, include=None if is_full else set(_PUBLIC))
    if is_full:
        shown["email"] = profile.email or None
    if profile.family_relationships is not None:
        nothing = {"customType": None, "createdAt": None}
        shown["familyRelationships"] = [nothing | one for one in profile.family_relationships]
    return shown


def letter_answer(letter: Letter, *, is_short: bool = False) -> dict[str, Any]:
    hidden = {"file_keys", "file_names", "deleted_at"} | ({"content"} if is_short else set())
    shown = letter.model_dump(by_alias=True, exclude=hidden)
    return shown | {"scanCount": len(letter.file_keys)}


def version_answer(version: LetterVersion, *, is_short: bool = False) -> dict[str, Any]:
    return version.model_dump(by_alias=True, exclude={"content"} if is_short else None)


def draft_answer(draft: Draft) -> dict[str, Any]:
    return draft.model_dump(by_alias=True, exclude={"file_keys"})


def comment_answer(comment: Comment, mine: Reaction | None = None) -> dict[str, Any]:
    """A comment, and what the caller thinks of it."""
    return comment.model_dump(by_alias=True, exclude={"deleted_at"}) | {
        "userHasReacted": mine is not None,
        "myReactionType": None if mine is None else mine.reaction_type,
        "isEdited": comment.updated_at is not None,
    }


def reaction_answer(reaction: Reaction) -> dict[str, Any]:
    return reaction.model_dump(by_alias=True)


def conversation_answer(meta: ConversationMeta, member: ConversationMember) -> dict[str, Any]:
    """A conversation as one of its people has it."""
    return meta.model_dump(by_alias=True, exclude={"deleted_at"}) | {
        "lastReadAt": member.last_read_at,
        "unreadCount": member.unread_count,
    }


def message_answer(message: Message) -> dict[str, Any]:
    return message.model_dump(by_alias=True)


def with_urls(shown: dict[str, Any], read_url: Callable[[str], str]) -> dict[str, Any]:
    """An answer in which files are URLs, good for a while from now."""
    made = dict(shown)
    for name in ("photoUrl", "userPhotoUrl"):
        if made.get(name) is not None:
            made[name] = read_url(made[name])
    if made.get("attachments"):
        made["attachments"] = [one | {"url": read_url(one["s3Key"])} for one in made["attachments"]]
    return made
