"""What Roll Model's endpoints take and return: bodies, queries, answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, RootModel, model_validator

from tablewright.systems.roll_model.design import CoachLink, Entry
from tablewright.systems.roll_model.permissions import Standing
from tablewright.systems.roll_model.services.search import Hit
from tablewright.web.http.field_types import (
    Answer,
    Body,
    Day,
    Flag,
    Int,
    Line,
    Number,
    OneOf,
    PatchBody,
    QueryParameters,
    Raw,
    Text,
    Time,
    UserId,
    UuidText,
)
from tablewright.web.http.problems import field_problem

Tag = Annotated[str, Line(1, 40)]
DEFAULT_TITLE = "Training Reflection"
_ANY: Final = 10**15  # Intensities are 1 to 10; what one searches for has no bounds.


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


# Queries.


class LinkQuery(QueryParameters):
    status: Annotated[str, OneOf("active", "revoked", "all")] = "active"


class EntryQuery(QueryParameters):
    date_from: Day | None = None
    date_to: Day | None = None
    tag: Annotated[str, Line(1, 40)] | None = None
    gi_or_no_gi: Annotated[str, OneOf("gi", "no-gi")] | None = None
    min_intensity: Annotated[int, Number(-_ANY, _ANY)] | None = None
    max_intensity: Annotated[int, Number(-_ANY, _ANY)] | None = None
    order: Annotated[str, OneOf("desc", "asc")] = "desc"

    @model_validator(mode="after")
    def _require_order(self) -> Self:
        if self.date_from and self.date_to and self.date_from > self.date_to:
            raise field_problem("dateFrom", "must not be after dateTo")
        low, high = self.min_intensity, self.max_intensity
        if low is not None and high is not None and low > high:
            raise field_problem("minIntensity", "must not be above maxIntensity")
        return self


class SearchQuery(QueryParameters):
    keywords: Annotated[str, Line(1, 200)]
    athlete_id: UserId | None = None
    include_private: Flag = False
    limit: Annotated[int, Number(1, 50)] = 10


class CommentQuery(QueryParameters):
    include_hidden: Flag = False


class ExportQuery(QueryParameters):
    mode: Annotated[str, OneOf("full", "tidy")] = "full"
    format: Annotated[str, OneOf("json", "csv")] = "json"

    @model_validator(mode="after")
    def _require_json(self) -> Self:
        if self.mode == "tidy" and self.format == "csv":
            raise field_problem("format", "must be json with mode tidy")
        return self


# Bodies of the assistant.


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

    @classmethod
    def named(cls, link: CoachLink, names: Mapping[str, str]) -> Self:
        """A link with the names that people have now."""
        athlete_name, coach_name = names.get(link.athlete_id), names.get(link.coach_id)
        return cls.of(link, athlete_name=athlete_name, coach_name=coach_name)


class SharedSections(Answer):
    """What a coach sees."""

    shared: str


class SectionsAnswer(SharedSections):
    private: str


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
    sections: SectionsAnswer | SharedSections
    session_metrics: MetricsAnswer
    version: int

    @classmethod
    def seen(cls, entry: Entry, standing: Standing) -> Self:
        """An entry as its athlete sees it, or as a coach does: without the private notes."""
        if standing is Standing.OWNER:
            return cls.of(entry)
        return cls.of(entry, sections=SharedSections.of(entry.sections))


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

    @classmethod
    def seen(cls, hit: Hit, standing: Standing) -> Self:
        entry = hit.entry
        return cls(
            entry_id=entry.entry_id,
            created_at=entry.created_at,
            score=len(hit.matched),
            matched_tokens=list(hit.matched),
            entry=EntryAnswer.seen(entry, standing),
        )


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
