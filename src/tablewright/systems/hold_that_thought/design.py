"""Hold That Thought's table: profiles, conversations, letters, comments and reactions, drafts.

USER#{userId}               PROFILE, CONV#…, RATE#…
CONV#{convId}               META, MSG#…
COMMENT#{itemId}            {timestamp}#… (comments begin with a digit), REACTION#…
LETTER#{date}               CURRENT, VERSION#…
DRAFT#{draftId}, IDEMPOTENCY#{scope}#{key}      METADATA
GSI1 USER#{userId}          COMMENT#…, REACTION#…, CONV#…
GSI1 LETTERS, USERS, DRAFTS {date}, USER#…, {createdAt}#…
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from tablewright import (
    BatchGet,
    Count,
    Design,
    Get,
    Index,
    Model,
    Moment,
    Op,
    Page,
    Query,
    Range,
    Ref,
    Table,
    Ulid,
    Uuid,
    compose,
    pattern,
    ref,
    served,
    ulid_time,
)
from tablewright.web.http.stored_answer import StoredAnswer

T = Table(
    "HoldThatThought",
    pk="PK",
    sk="SK",
    ttl="TTL",
    indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")],
)


# People.


@T.entity(  # tw: ignore[TW401] one family's members
    "USER#{userId}",
    "PROFILE",
    type="USER_PROFILE",
    # tw: ignore[TW111] a name with a space sorts just before the same without: wanted
    GSI1=("USERS", "USER#{sortName}#{userId}"),
    size_bytes=900,
)
class Profile(Model):
    user_id: str
    email: str
    display_name: str
    bio: str | None = None
    photo_url: str | None = None
    family_relationship: str | None = None
    generation: str | None = None
    family_branch: str | None = None
    is_profile_private: bool = False
    contact_email: str | None = None
    notify_on_message: bool = True
    notify_on_comment: bool = True
    theme: str | None = None
    family_relationships: list[dict[str, Any]] | None = None
    media_upload_count: int = 0
    status: Literal["active", "inactive", "deleted"] = "active"
    groups: list[str]
    created_at: Moment
    updated_at: Moment
    version: int = 1

    @property
    def sort_name(self) -> str:
        """What people are listed by."""
        return self.display_name.lower().replace("#", "") or " "


@T.entity("USER#{userId}", "RATE#{action}", type="RATE_LIMIT", ttl="expiresAt", size_bytes=150)
class RateLimit(Model):
    user_id: str
    action: str
    count: int
    window_start: int
    expires_at: Moment


# Conversations.

ConversationType = Literal["direct", "group"]


@T.entity(
    "USER#{userId}",
    "CONV#{conversationId}",
    type="CONVERSATION_MEMBER",
    GSI1=("USER#{userId}", "CONV#{lastMessageAt}#{conversationId}"),
    version=None,
    size_bytes=400,
    per_partition=100,
)
class ConversationMember(Model):
    user_id: str
    conversation_id: Uuid
    conversation_type: ConversationType
    conversation_title: str | None = None
    last_read_at: Moment | None = None
    unread_count: int = 0
    last_message_at: Moment


@T.entity(
    "CONV#{conversationId}", "META", type="CONVERSATION_META", mark="deletedAt", size_bytes=1_500
)
class ConversationMeta(Model):
    conversation_id: Uuid
    conversation_type: ConversationType
    conversation_title: str | None = None
    creator_id: str
    participant_ids: list[str]
    participant_names: dict[str, str]
    created_at: Moment
    last_message_at: Moment
    deleted_at: Moment | None = None


class Attachment(Model):
    s3_key: str
    file_name: str
    content_type: str


@T.entity(
    "CONV#{conversationId}",
    "MSG#{createdAt}#{messageId}",
    type="MESSAGE",
    size_bytes=800,
    per_partition=2_000,
)
class Message(Model):
    message_id: Ulid
    conversation_id: Uuid
    sender_id: str
    sender_name: str
    message_text: str
    attachments: list[Attachment] | None = None
    created_at: Moment


# Comments and reactions.


@T.entity(
    "COMMENT#{itemId}",
    "{createdAt}#{commentId}",
    type="COMMENT",
    mark="deletedAt",
    GSI1=("USER#{userId}", "COMMENT#{createdAt}"),
    size_bytes=900,
    per_partition=100,
)
class Comment(Model):
    item_id: str
    comment_id: Ulid
    user_id: str
    user_name: str
    user_photo_url: str | None = None
    comment_text: str | None = None
    item_type: Literal["letter", "media"]
    item_title: str | None = None
    reaction_count: int = 0
    created_at: Moment
    updated_at: Moment | None = None
    version: int = 1
    deleted_at: Moment | None = None


@T.entity(
    "COMMENT#{itemId}",
    "REACTION#{commentId}#{userId}",
    type="REACTION",
    GSI1=("USER#{userId}", "REACTION#{createdAt}"),
    size_bytes=350,
    per_partition=300,
)
class Reaction(Model):
    item_id: str
    comment_id: Ulid
    user_id: str
    user_name: str
    reaction_type: str = "like"
    created_at: Moment


@T.count(Reaction, "reaction_count")
def reactions_of(reaction: Reaction) -> Ref[Comment]:
    return ref(
        Comment,
        item_id=reaction.item_id,
        created_at=ulid_time(reaction.comment_id),
        comment_id=reaction.comment_id,
    )


# Letters.


@T.entity(  # tw: ignore[TW401] letters are written by a few people, a few a day
    "LETTER#{date}",
    "CURRENT",
    type="LETTER",
    mark="deletedAt",
    version="versionCount",
    GSI1=("LETTERS", "{date}"),
    size_bytes=6_000,
)
class Letter(Model):
    """``date`` is a day, with a suffix where several letters share it."""

    date: str
    title: str
    author: str | None = None
    content: str
    description: str | None = None
    version_count: int = 0
    file_keys: list[str] = []
    file_names: list[str] = []
    created_at: Moment
    updated_at: Moment
    updated_by: str
    deleted_at: Moment | None = None


@T.entity(
    "LETTER#{date}",
    "VERSION#{timestamp}",
    type="LETTER_VERSION",
    size_bytes=6_000,
    per_partition=20,
)
class LetterVersion(Model):
    """The text before an edit, by the moment at which it was replaced."""

    date: str
    title: str
    author: str | None = None
    content: str
    description: str | None = None
    timestamp: Moment
    version_number: int
    updated_by: str


@T.history(Letter)
def replaced_text(old: Letter, new: Letter) -> LetterVersion | None:
    if new.deleted_at is not None:
        return None
    return LetterVersion(
        date=old.date,
        title=old.title,
        author=old.author,
        content=old.content,
        description=old.description,
        timestamp=new.updated_at,
        version_number=old.version_count + 1,
        updated_by=old.updated_by,
    )


class ExtractedData(Model):
    date: str | None = None
    title: str | None = None
    author: str | None = None
    content: str | None = None


@T.entity(  # tw: ignore[TW401] drafts of one family
    "DRAFT#{draftId}",
    "METADATA",
    type="DRAFT_LETTER",
    GSI1=("DRAFTS", "{createdAt}#{draftId}"),
    size_bytes=2_000,
)
class Draft(Model):
    draft_id: Uuid
    status: Literal["pending", "processing", "ready", "published", "failed"] = "pending"
    uploader_id: str
    file_keys: list[str]
    file_names: list[str]
    extracted_data: ExtractedData | None = None
    error_message: str | None = None
    letter_date: str | None = None
    created_at: Moment
    updated_at: Moment
    version: int = 1


@T.entity("IDEMPOTENCY#{scope}#{key}", "METADATA", type="IDEMPOTENCY", ttl="expiresAt")
class Idempotency(StoredAnswer):
    """The answer to a request with an Idempotency-Key."""


class HoldThatThought(Design, tables=[T]):
    """The access patterns of Hold That Thought."""

    @pattern()
    def get_profile(self, user_id: str) -> Get[Profile]:
        """A person's profile."""
        return served()

    @pattern()
    def profiles(self, user_id: Sequence[str]) -> BatchGet[Profile]:
        """Several profiles."""
        return served()

    @pattern(index="GSI1", desc=True)
    def memberships_by_recency(self, user_id: str) -> Query[ConversationMember]:
        """A person's conversations, last message first."""
        return served()

    @pattern()
    def conversations(self, conversation_id: Sequence[str]) -> BatchGet[ConversationMeta]:
        """Several conversations."""
        return served()

    @compose("memberships_by_recency", "conversations")
    def list_my_conversations(
        self, user_id: str
    ) -> Op[tuple[Page[ConversationMember], list[ConversationMeta]]]:
        """A person's conversations with their participants, last message first."""
        return self.memberships_by_recency(user_id).then(
            lambda page: self.conversations([row.conversation_id for row in page.items]).map(
                lambda conversations: (page, conversations)
            )
        )

    @pattern()
    def list_comments_of_item(self, item_id: str) -> Query[Comment]:
        """The comments on a letter or picture, oldest first."""
        return served()

    @pattern(desc=True)
    def list_comments_of_user(self, user_id: str) -> Query[Comment]:
        """A person's comments, newest first."""
        return served()

    @pattern(desc=True)
    def list_reactions_of_user(self, user_id: str) -> Query[Reaction]:
        """A person's reactions, newest first."""
        return served()

    @pattern(desc=True)
    def list_letters(self) -> Query[Letter]:
        """All letters, latest date first."""
        return served()

    @pattern(desc=True)
    def list_letter_versions(self, date: str) -> Query[LetterVersion]:
        """A letter's earlier texts, newest first."""
        return served()

    @pattern()
    def versions_until(self, date: str, timestamp: Range[datetime]) -> Query[LetterVersion]:
        """The texts that were replaced until a time: what is swept when a letter is deleted."""
        return served()

    @pattern(desc=True)
    def list_messages(self, conversation_id: str) -> Query[Message]:
        """A conversation's messages, newest first."""
        return served()

    @pattern()
    def messages_until(self, conversation_id: str, created_at: Range[datetime]) -> Query[Message]:
        """The messages of a time: what is swept when a conversation is deleted."""
        return served()

    @pattern()
    def get_membership(self, user_id: str, conversation_id: str) -> Get[ConversationMember]:
        """A person's place in a conversation; decides access."""
        return served()

    @pattern()
    def members(self, user_id: Sequence[str], conversation_id: str) -> BatchGet[ConversationMember]:
        """The places of several people in a conversation."""
        return served()

    @pattern()
    def get_conversation(self, conversation_id: str) -> Get[ConversationMeta]:
        """One conversation."""
        return served()

    @pattern()
    def get_letter(self, date: str) -> Get[Letter]:
        """One letter."""
        return served()

    @pattern()
    def get_letter_version(self, date: str, timestamp: datetime) -> Get[LetterVersion]:
        """One earlier text of a letter."""
        return served()

    @pattern()
    def get_comment(self, item_id: str, created_at: datetime, comment_id: str) -> Get[Comment]:
        """One comment; its time is in its id."""
        return served()

    @pattern()
    def comments(
        self, item_id: Sequence[str], created_at: Sequence[datetime], comment_id: Sequence[str]
    ) -> BatchGet[Comment]:
        """Several comments, on any items."""
        return served()

    @pattern()
    def get_message(
        self, conversation_id: str, created_at: datetime, message_id: str
    ) -> Get[Message]:
        """One message; its time is in its id."""
        return served()

    @pattern()
    def list_reactions_of_comment(self, item_id: str, comment_id: str) -> Query[Reaction]:
        """The reactions to a comment, by person."""
        return served()

    @pattern()
    def have_i_reacted(
        self, item_id: str, comment_id: Sequence[str], user_id: str
    ) -> BatchGet[Reaction]:
        """A person's reactions to a page of comments."""
        return served()

    @pattern()
    def reactions_of_person(
        self, item_id: Sequence[str], comment_id: Sequence[str], user_id: str
    ) -> BatchGet[Reaction]:
        """A person's reactions to several comments, on any items."""
        return served()

    @pattern()
    def list_users(self) -> Query[Profile]:
        """All people, by name."""
        return served()

    @pattern(desc=True)
    def list_drafts(self) -> Query[Draft]:
        """All drafts, newest first."""
        return served()

    @pattern()
    def get_draft(self, draft_id: str) -> Get[Draft]:
        """One draft."""
        return served()

    @pattern()
    def count_unread_since(
        self, conversation_id: str, created_at: Range[datetime]
    ) -> Count[Message]:
        """How many messages a conversation has got in a time."""
        return served()

    @pattern()
    def check_rate(self, user_id: str, action: str) -> Get[RateLimit]:
        """How often a person did something in the current window."""
        return served()

    @pattern()
    def get_idempotency(self, scope: str, key: str) -> Get[Idempotency]:
        """The stored answer of a repeated request."""
        return served()


P = HoldThatThought()
