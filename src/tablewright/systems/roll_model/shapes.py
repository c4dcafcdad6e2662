"""What Roll Model's endpoints take and give."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, RootModel, model_validator

from tablewright.systems.roll_model.design import (
    AiMessage,
    AiThread,
    CoachLink,
    Comment,
    Entry,
    Profile,
)
from tablewright.web.http.field_types import (
    Answer,
    Body,
    Day,
    Int,
    Line,
    PatchBody,
    Raw,
    Text,
    Time,
    UserId,
    UuidText,
)

__all__ = [
    "ChatBody",
    "CommentBody",
    "EntryBody",
    "LinkBody",
    "NewThreadBody",
    "ProfileBody",
    "ThreadPatch",
    "VisibilityBody",
    "comment_answer",
    "entry_answer",
    "link_answer",
    "message_answer",
    "profile_answer",
    "thread_answer",
]

Tag = Annotated[str, Line(1, 40)]
DEFAULT_TITLE = "Training Reflection"


class ProfileBody(Body):
    display_name: Annotated[str, Line(1, 80)]


class LinkBody(Body):
    coach_id: UserId


class SectionsBody(Body):
    private: Annotated[str, Raw(0, 50_000)]
    shared: Annotated[str, Raw(0, 50_000)]


def _without_repeats(tags: list[str]) -> list[str]:
    return list(dict.fromkeys(tags))


class MetricsBody(Body):
    duration_minutes: Annotated[int, Int(0, 1440)]
    intensity: Annotated[int, Int(1, 10)]
    rounds: Annotated[int, Int(0, 100)]
    gi_or_no_gi: Literal["gi", "no-gi"]
    tags: Annotated[list[Tag], Field(max_length=20), AfterValidator(_without_repeats)]


class EntryBody(Body):
    sections: SectionsBody
    session_metrics: MetricsBody


class CommentBody(Body):
    body: Annotated[str, Text(1, 5000)]


class VisibilityBody(Body):
    visibility: Literal["visible", "hiddenByAthlete"]


class NewThreadBody(Body):
    title: Annotated[str, Line(1, 120)] | None = None
    athlete_id: UserId | None = None


class ThreadPatch(PatchBody):
    title: Annotated[str, Line(1, 120)]


class DateRangeBody(Body):
    from_: Annotated[Day | None, Field(alias="from")] = None
    to: Day | None = None

    @model_validator(mode="after")
    def _require_order(self) -> Self:
        if self.from_ is not None and self.to is not None and self.from_ > self.to:
            raise ValueError("must not end before it begins")
        return self


class ContextBody(Body):
    athlete_id: UserId | None = None
    entry_ids: Annotated[list[UuidText], Field(max_length=20)] | None = None
    date_range: DateRangeBody | None = None
    include_private: bool = False
    keywords: Annotated[list[Annotated[str, Line(1, 80)]], Field(max_length=8)] | None = None


class ChatBody(Body):
    thread_id: UuidText | None = None
    message_id: UuidText | None = None
    message: Annotated[str, Text(1, 4000)]
    context: ContextBody | None = None


# Answers.


class ProfileAnswer(Answer):
    user_id: str
    display_name: str
    roles: list[str]
    created_at: Time
    updated_at: Time
    version: int


class LinkAnswer(Answer):
    athlete_id: str
    athlete_name: str | None
    coach_id: str
    coach_name: str | None
    status: Literal["active", "revoked"]
    created_at: Time
    updated_at: Time
    created_by: str
    version: int


class SectionsAnswer(Answer):
    """A coach's view has no ``private``."""

    private: str | None = None
    shared: str


class MetricsAnswer(Answer):
    duration_minutes: int
    intensity: int
    rounds: int
    gi_or_no_gi: Literal["gi", "no-gi"]
    tags: list[str]


class EntryAnswer(Answer):
    entry_id: str
    athlete_id: str
    created_at: Time
    updated_at: Time
    sections: SectionsAnswer
    session_metrics: MetricsAnswer
    version: int


class CommentAnswer(Answer):
    comment_id: str
    entry_id: str
    athlete_id: str
    coach_id: str
    created_at: Time
    updated_at: Time
    body: str
    visibility: Literal["visible", "hiddenByAthlete"]
    version: int


class ThreadAnswer(Answer):
    thread_id: str
    title: str
    athlete_id: str
    created_at: Time
    last_active_at: Time
    version: int


class MessageAnswer(Answer):
    message_id: str
    thread_id: str
    role: Literal["user", "assistant"]
    content: str
    visibility_scope: Literal["private", "shared"]
    created_at: Time


class HitAnswer(Answer):
    entry_id: str
    created_at: Time
    score: int
    matched_tokens: list[str]
    entry: EntryAnswer


class UpdatesAnswer(Answer):
    summary: str
    detected_topics: list[str]
    recommended_intensity: int | None
    follow_up_actions: list[str]


class ChatAnswer(Answer):
    thread_id: str
    message_id: str
    assistant_message_id: str
    assistant_text: str
    extracted_updates: UpdatesAnswer
    suggested_prompts: list[str]
    visibility_scope: Literal["private", "shared"]
    context_entry_ids: list[str]


class LinkList(Answer):
    items: list[LinkAnswer]
    cursor: str | None


class EntryList(Answer):
    items: list[EntryAnswer]
    cursor: str | None


class CommentList(Answer):
    items: list[CommentAnswer]
    cursor: str | None


class ThreadList(Answer):
    items: list[ThreadAnswer]
    cursor: str | None


class MessageList(Answer):
    items: list[MessageAnswer]
    cursor: str | None


class HitList(Answer):
    items: list[HitAnswer]
    cursor: None


class EntryWithComments(EntryAnswer):
    comments: list[CommentAnswer]


class ThreadWithMessages(ThreadAnswer):
    messages: list[MessageAnswer]


class FullExport(Answer):
    schema_version: Literal["1"]
    generated_at: Time
    athlete_id: str
    profile: ProfileAnswer
    entries: list[EntryWithComments]
    links: list[LinkAnswer]
    threads: list[ThreadWithMessages]


class EntryComment(Answer):
    entry_id: str
    comment_id: str


class ThreadMessage(Answer):
    thread_id: str
    message_id: str


class Relationships(Answer):
    entry_comments: list[EntryComment]
    thread_messages: list[ThreadMessage]


class TidyExport(Answer):
    schema_version: Literal["1"]
    generated_at: Time
    athlete: ProfileAnswer
    entries: list[EntryAnswer]
    comments: list[CommentAnswer]
    links: list[LinkAnswer]
    threads: list[ThreadAnswer]
    messages: list[MessageAnswer]
    relationships: Relationships


class ExportAnswer(RootModel[FullExport | TidyExport]):
    """By its mode; as CSV it is the entries alone."""


# Rows as answers.


def profile_answer(profile: Profile) -> dict[str, Any]:
    return profile.model_dump(by_alias=True)


def link_answer(link: CoachLink, names: dict[str, str]) -> dict[str, Any]:
    return {
        "athleteId": link.athlete_id,
        "athleteName": names.get(link.athlete_id),
        "coachId": link.coach_id,
        "coachName": names.get(link.coach_id),
        "status": link.status,
        "createdAt": link.created_at,
        "updatedAt": link.updated_at,
        "createdBy": link.created_by,
        "version": link.version,
    }


def entry_answer(entry: Entry, *, is_coach: bool = False) -> dict[str, Any]:
    """An entry; for a coach without the private note, not even as a key."""
    shown = entry.model_dump(by_alias=True, exclude={"deleted_at"})
    if is_coach:
        del shown["sections"]["private"]
    return shown


def hit_answer(entry: Entry, matched: tuple[str, ...], *, is_coach: bool) -> dict[str, Any]:
    return {
        "entryId": entry.entry_id,
        "createdAt": entry.created_at,
        "score": len(matched),
        "matchedTokens": list(matched),
        "entry": entry_answer(entry, is_coach=is_coach),
    }


def comment_answer(comment: Comment) -> dict[str, Any]:
    return comment.model_dump(by_alias=True)


def thread_answer(thread: AiThread) -> dict[str, Any]:
    return thread.model_dump(by_alias=True, exclude={"deleted_at", "user_id"})


def message_answer(message: AiMessage) -> dict[str, Any]:
    return message.model_dump(
        by_alias=True, exclude={"extracted_updates", "suggested_prompts", "context_entry_ids"}
    )
