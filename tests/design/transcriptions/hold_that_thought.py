"""Hold That Thought's design document."""

from __future__ import annotations

from datetime import date as day
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from tablewright import Design, Get, Index, Model, Query, Table, pattern, served

# The schema says TTL; this is what deployments say.
T = Table(
    "HoldThatThought",
    pk="PK",
    sk="SK",
    ttl="ttl",
    type_attribute=None,
    unchecked=True,
    indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")],
)


@T.entity("USER#{userId}", "PROFILE")
class UserProfile(Model):
    user_id: str
    email: str
    display_name: str
    bio: str | None = None
    photo_url: str | None = None
    family_relationship: str | None = None
    generation: str | None = None
    family_branch: str | None = None
    is_profile_private: bool
    contact_email: str | None = None
    notify_on_message: bool
    notify_on_comment: bool
    theme: str | None = None
    family_relationships: dict[str, Any] | None = None
    media_upload_count: int
    status: Literal["active", "inactive", "deleted"]
    groups: list[str]
    created_at: datetime
    updated_at: datetime


@T.entity("USER#{userId}", "CONV#{conversationId}")
class UserConversation(Model):
    user_id: str
    conversation_id: str
    conversation_type: str
    conversation_title: str | None = None
    last_read_at: datetime | None = None
    unread_count: int
    last_message_at: datetime


@T.entity("USER#{userId}", "RATE#{action}")
class RateLimit(Model):
    user_id: str
    action: str
    count: int
    window_start: int
    ttl: int = Field(alias="TTL")


@T.entity(
    "COMMENT#{itemId}",
    "{timestamp}#{commentId}",
    GSI1=("USER#{userId}", "COMMENT#{timestamp}"),
)
class Comment(Model):
    timestamp: datetime
    item_id: str
    comment_id: str
    user_id: str
    user_name: str
    user_photo_url: str | None = None
    comment_text: str
    item_type: str | None = None
    item_title: str | None = None
    reaction_count: int
    created_at: datetime
    updated_at: datetime | None = None


@T.entity(
    "COMMENT#{itemId}",
    "REACTION#{commentId}#{userId}",
    GSI1=("USER#{userId}", "REACTION#{timestamp}"),
)
class Reaction(Model):
    timestamp: datetime
    item_id: str
    comment_id: str
    user_id: str
    user_name: str
    reaction_type: str
    created_at: datetime


@T.entity("CONV#{conversationId}", "META")
class ConversationMeta(Model):
    conversation_id: str
    conversation_type: str
    conversation_title: str | None = None
    creator_id: str
    participant_ids: list[str]
    created_at: datetime
    last_message_at: datetime


class Attachment(Model):
    s3_key: str
    file_name: str
    content_type: str


@T.entity("CONV#{conversationId}", "MSG#{timestamp}#{messageId}")
class Message(Model):
    timestamp: datetime
    message_id: str
    conversation_id: str
    sender_id: str
    sender_name: str
    message_text: str
    attachments: list[Attachment] | None = None
    created_at: datetime


@T.entity("LETTER#{date}", "CURRENT", GSI1=("LETTERS", "{date}"))
class Letter(Model):
    date: day
    title: str
    author: str | None = None
    content: str
    description: str | None = None
    version_count: int
    created_at: datetime
    updated_at: datetime
    updated_by: str


@T.entity("LETTER#{date}", "VERSION#{timestamp}")
class LetterVersion(Model):
    date: day
    title: str
    author: str | None = None
    content: str
    description: str | None = None
    timestamp: datetime
    updated_by: str


class ExtractedData(Model):
    date: str | None = None
    title: str | None = None
    author: str | None = None
    content: str | None = None


@T.entity("DRAFT#{draftId}", "METADATA")
class Draft(Model):
    draft_id: str
    status: Literal["pending", "processing", "ready", "published", "failed"]
    uploader_id: str
    file_keys: list[str]
    extracted_data: ExtractedData | None = None
    error_message: str | None = None
    created_at: datetime
    updated_at: datetime


class HoldThatThought(Design, tables=[T]):
    @pattern(pk="USER#{userId}", sk="PROFILE")
    def get_user_profile(self, user_id: str) -> Get[UserProfile]:
        return served()

    @pattern(pk="USER#{userId}", sk="CONV#")
    def list_user_conversations(self, user_id: str) -> Query[UserConversation]:
        return served()

    @pattern(pk="COMMENT#{itemId}", sk="{timestamp}")
    def list_comments_on_item(self, item_id: str) -> Query[Comment]:
        return served()

    @pattern(index="GSI1", pk="USER#{userId}", sk="COMMENT#")
    def get_users_comments(self, user_id: str) -> Query[Comment]:
        return served()

    @pattern(index="GSI1", pk="USER#{userId}", sk="REACTION#")
    def get_users_reactions(self, user_id: str) -> Query[Reaction]:
        return served()

    @pattern(index="GSI1", pk="LETTERS", desc=True)
    def list_all_letters(self) -> Query[Letter]:
        return served()

    @pattern(pk="LETTER#{date}", sk="VERSION#")
    def get_letter_versions(self, date: day) -> Query[LetterVersion]:
        return served()

    @pattern(pk="CONV#{conversationId}", sk="MSG#")
    def get_conversation_messages(self, conversation_id: str) -> Query[Message]:
        return served()

    @pattern()
    def list_users(self) -> Query[UserProfile]:
        """Mentioned beside ``status``: "listUsers filters non-active"."""
        return served()
