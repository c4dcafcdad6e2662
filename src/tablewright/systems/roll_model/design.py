"""Roll Model's table: entries of athletes, links to coaches, comments, keywords, assistant threads.

USER#{userId}               PROFILE, COACH#…, ATHLETE#…, ENTRY#…, AI_THREAD#…, KW#…
USER_PRIVATE#{athleteId}    KW#…
ENTRY#{entryId}             META, COMMENT#…
COMMENT#{commentId}         META
AI_THREAD#{threadId}        MSG#…, TURN#…
IDEMPOTENCY#{scope}#{key}   METADATA
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Literal

from tablewright import (
    BatchGet,
    Design,
    Get,
    Model,
    Moment,
    Op,
    Page,
    Query,
    Range,
    Table,
    Uuid,
    compose,
    gather,
    pattern,
    served,
)
from tablewright.systems.roll_model.services.keywords import (
    TOKENS_MAX,
    private_tokens,
    shared_tokens,
)
from tablewright.web.http.stored_answer import StoredAnswer

Role = Literal["athlete", "coach"]
Scope = Literal["private", "shared"]

T = Table("RollModel", pk="PK", sk="SK", ttl="ttl")


# People and links.


@T.entity("USER#{userId}", "PROFILE", type="USER_PROFILE", size_bytes=300)
class Profile(Model):
    user_id: str
    display_name: str
    roles: list[Role]
    created_at: Moment
    updated_at: Moment
    version: int = 1


@T.entity("USER#{athleteId}", "COACH#{coachId}", type="COACH_LINK", size_bytes=300)
class CoachLink(Model):
    athlete_id: str
    coach_id: str
    status: Literal["active", "revoked"] = "active"
    created_at: Moment
    updated_at: Moment
    created_by: str
    version: int = 1


@T.entity("USER#{coachId}", "ATHLETE#{athleteId}", type="ATHLETE_LINK", size_bytes=200)
class AthleteLink(Model):
    """The link seen from the coach; it exists only while the link is active."""

    athlete_id: str
    coach_id: str
    created_at: Moment


@T.derive(CoachLink)
def athlete_link(link: CoachLink) -> AthleteLink | None:
    if link.status != "active":
        return None
    return AthleteLink(
        athlete_id=link.athlete_id, coach_id=link.coach_id, created_at=link.created_at
    )


# Entries.


class Sections(Model):
    private: str
    shared: str


class SessionMetrics(Model):
    duration_minutes: int
    intensity: int
    rounds: int
    gi_or_no_gi: Literal["gi", "no-gi"]
    tags: list[str]


@T.entity(
    "USER#{athleteId}",
    "ENTRY#{createdAt}#{entryId}",
    type="ENTRY",
    mark="deletedAt",
    size_bytes=2_000,
    per_partition=1_000,
)
class Entry(Model):
    entry_id: Uuid
    athlete_id: str
    created_at: Moment
    updated_at: Moment
    sections: Sections
    session_metrics: SessionMetrics
    version: int = 1
    deleted_at: Moment | None = None


@T.entity("ENTRY#{entryId}", "META", type="ENTRY_META", mark="deletedAt", size_bytes=250)
class EntryMeta(Model):
    """Where an entry is, for those who know only its id."""

    entry_id: Uuid
    athlete_id: str
    created_at: Moment
    deleted_at: Moment | None = None


@T.unique(Entry, while_marked=True)
def entry_meta(entry: Entry) -> EntryMeta:
    return EntryMeta(
        entry_id=entry.entry_id,
        athlete_id=entry.athlete_id,
        created_at=entry.created_at,
        deleted_at=entry.deleted_at,
    )


@T.entity(
    "USER#{athleteId}",
    "KW#{token}#TS#{createdAt}#ENTRY#{entryId}",
    type="KEYWORD_INDEX",
    size_bytes=250,
    per_partition=20_000,
)
class Keyword(Model):
    """A word of an entry that a coach may find it by."""

    athlete_id: str
    token: str
    entry_id: Uuid
    created_at: Moment
    visibility_scope: Literal["shared"] = "shared"


@T.entity(
    "USER_PRIVATE#{athleteId}",
    "KW#{token}#TS#{createdAt}#ENTRY#{entryId}",
    type="KEYWORD_INDEX",
    size_bytes=250,
    per_partition=20_000,
)
class PrivateKeyword(Model):
    """A word of a private note, in a partition that is never read for a coach."""

    athlete_id: str
    token: str
    entry_id: Uuid
    created_at: Moment
    visibility_scope: Literal["private"] = "private"


@T.derive(Entry, max=2 * TOKENS_MAX)
def keywords(entry: Entry) -> Iterator[Keyword | PrivateKeyword]:
    shared = shared_tokens(entry.session_metrics.tags, entry.sections.shared)
    place = {
        "athlete_id": entry.athlete_id,
        "entry_id": entry.entry_id,
        "created_at": entry.created_at,
    }
    for token in shared:
        yield Keyword.model_validate(place | {"token": token})
    for token in private_tokens(entry.sections.private, shared):
        yield PrivateKeyword.model_validate(place | {"token": token})


# Comments.


@T.entity(
    "ENTRY#{entryId}",
    "COMMENT#{createdAt}#{commentId}",
    type="COMMENT",
    size_bytes=600,
    per_partition=50,
)
class Comment(Model):
    comment_id: Uuid
    entry_id: Uuid
    athlete_id: str
    coach_id: str
    created_at: Moment
    updated_at: Moment
    body: str
    visibility: Literal["visible", "hiddenByAthlete"] = "visible"
    version: int = 1


@T.entity("COMMENT#{commentId}", "META", type="COMMENT_META", size_bytes=350)
class CommentMeta(Model):
    """Where a comment is, for those who know only its id."""

    comment_id: Uuid
    target_type: Literal["entry"] = "entry"
    target_id: Uuid
    athlete_id: str
    coach_id: str
    created_at: Moment


@T.unique(Comment)
def comment_meta(comment: Comment) -> CommentMeta:
    return CommentMeta(
        comment_id=comment.comment_id,
        target_id=comment.entry_id,
        athlete_id=comment.athlete_id,
        coach_id=comment.coach_id,
        created_at=comment.created_at,
    )


# The assistant.


@T.entity(
    "USER#{userId}",
    "AI_THREAD#{threadId}",
    type="AI_THREAD",
    mark="deletedAt",
    size_bytes=300,
    per_partition=100,
)
class AiThread(Model):
    user_id: str
    thread_id: Uuid
    title: str
    athlete_id: str
    created_at: Moment
    last_active_at: Moment
    version: int = 1
    deleted_at: Moment | None = None


class ExtractedUpdates(Model):
    summary: str
    detected_topics: list[str]
    recommended_intensity: int | None
    follow_up_actions: list[str]


@T.entity(
    "AI_THREAD#{threadId}",
    "MSG#{createdAt}#{messageId}",
    type="AI_MESSAGE",
    size_bytes=1_500,
    per_partition=200,
)
class AiMessage(Model):
    message_id: Uuid
    thread_id: Uuid
    role: Literal["user", "assistant"]
    content: str
    visibility_scope: Scope
    created_at: Moment
    extracted_updates: ExtractedUpdates | None = None
    suggested_prompts: list[str] | None = None
    context_entry_ids: list[str] | None = None


@T.entity("AI_THREAD#{threadId}", "TURN#{messageId}", type="AI_TURN", size_bytes=400)
class AiTurn(Model):
    """How far one question has come, so that asking again is safe."""

    thread_id: Uuid
    message_id: Uuid
    request_hash: str
    user_created_at: Moment
    assistant_message_id: Uuid | None = None
    assistant_created_at: Moment | None = None


@T.entity("IDEMPOTENCY#{scope}#{key}", "METADATA", type="IDEMPOTENCY", ttl="expiresAt")
class Idempotency(StoredAnswer):
    """The answer to a request with an Idempotency-Key."""


class RollModel(Design, tables=[T]):
    """The access patterns of Roll Model."""

    @pattern()
    def get_profile(self, user_id: str) -> Get[Profile]:
        """A person's profile."""
        return served()

    @pattern()
    def profiles(self, user_id: Sequence[str]) -> BatchGet[Profile]:
        """The profiles of several people."""
        return served()

    @pattern()
    def get_link(self, athlete_id: str, coach_id: str) -> Get[CoachLink]:
        """The link of an athlete with a coach, whatever its status."""
        return served()

    @pattern()
    def links(self, athlete_id: Sequence[str], coach_id: str) -> BatchGet[CoachLink]:
        """The links of several athletes with a coach."""
        return served()

    @pattern()
    def coach_links(self, athlete_id: str) -> Query[CoachLink]:
        """The links of an athlete, by coach."""
        return served()

    @pattern()
    def athlete_links(self, coach_id: str) -> Query[AthleteLink]:
        """The athletes of a coach, by athlete."""
        return served()

    @pattern()
    def get_entry(self, athlete_id: str, created_at: datetime, entry_id: str) -> Get[Entry]:
        """One entry by its whole key."""
        return served()

    @pattern()
    def entries(
        self, athlete_id: str, created_at: Sequence[datetime], entry_id: Sequence[str]
    ) -> BatchGet[Entry]:
        """Several entries of an athlete by their whole keys."""
        return served()

    @pattern()
    def get_entry_meta(self, entry_id: str) -> Get[EntryMeta]:
        """Where the entry of an id is."""
        return served()

    @pattern()
    def get_comment(self, entry_id: str, created_at: datetime, comment_id: str) -> Get[Comment]:
        """One comment by its whole key."""
        return served()

    @pattern()
    def get_comment_meta(self, comment_id: str) -> Get[CommentMeta]:
        """Where the comment of an id is."""
        return served()

    @pattern(desc=True)
    def list_own_entries(self, athlete_id: str) -> Query[Entry]:
        """An athlete's entries, newest first."""
        return served()

    @compose("get_link", "list_own_entries")
    def list_athlete_entries(self, athlete_id: str, coach_id: str) -> Op[Page[Entry] | None]:
        """An athlete's entries for a coach; None without an active link."""
        return self.get_link(athlete_id, coach_id).follow(
            lambda link: self.list_own_entries(athlete_id) if link.status == "active" else None
        )

    @compose("get_entry_meta", "get_link")
    def check_comment_permission(self, entry_id: str, coach_id: str) -> Op[CoachLink | None]:
        """The active link by which a coach may comment on an entry."""
        return (
            self.get_entry_meta(entry_id)
            .follow(lambda meta: self.get_link(meta.athlete_id, coach_id))
            .map(lambda link: link if link is not None and link.status == "active" else None)
        )

    @compose("list_own_entries", "list_comments_of_entry")
    def entries_with_comments(self, athlete_id: str) -> Op[list[tuple[Entry, list[Comment]]]]:
        """An athlete's entries with the comments on each, oldest first."""
        entries = self.list_own_entries(athlete_id).oldest_first().all()
        return entries.then(
            lambda listed: gather(
                *(self.list_comments_of_entry(e.entry_id).oldest_first().all() for e in listed)
            ).map(lambda comments: list(zip(listed, comments, strict=True)))
        )

    @compose("list_threads_of_user", "list_thread_messages")
    def threads_with_messages(self, user_id: str) -> Op[list[tuple[AiThread, list[AiMessage]]]]:
        """A person's threads with the messages of each, oldest first."""
        threads = self.list_threads_of_user(user_id).all()
        return threads.then(
            lambda listed: gather(
                *(self.list_thread_messages(thread.thread_id).all() for thread in listed)
            ).map(lambda messages: list(zip(listed, messages, strict=True)))
        )

    @compose("entries_with_comments", "coach_links", "threads_with_messages")
    def export_athlete_data(
        self, athlete_id: str
    ) -> Op[
        tuple[
            list[tuple[Entry, list[Comment]]],
            list[CoachLink],
            list[tuple[AiThread, list[AiMessage]]],
        ]
    ]:
        """Everything an athlete owns."""
        return gather(
            self.entries_with_comments(athlete_id),
            self.coach_links(athlete_id).all(),
            self.threads_with_messages(athlete_id),
        )

    @pattern()
    def list_thread_messages(self, thread_id: str) -> Query[AiMessage]:
        """A thread's messages, oldest first."""
        return served()

    @pattern(desc=True)
    def messages_until(self, thread_id: str, created_at: Range[datetime]) -> Query[AiMessage]:
        """A thread's messages up to a moment, newest first."""
        return served()

    @pattern(desc=True)
    def find_entries_by_keyword(self, athlete_id: str, token: str) -> Query[Keyword]:
        """The entries that a shared word finds, newest first."""
        return served()

    @pattern(desc=True)
    def find_entries_by_private_keyword(self, athlete_id: str, token: str) -> Query[PrivateKeyword]:
        """The entries that a private word finds, newest first; never asked for a coach."""
        return served()

    @pattern(desc=True)
    def list_comments_of_entry(self, entry_id: str) -> Query[Comment]:
        """The comments on an entry, newest first."""
        return served()

    @compose("get_entry_meta", "get_entry")
    def get_entry_by_id(self, entry_id: str) -> Op[Entry | None]:
        """An entry by its id alone."""
        return self.get_entry_meta(entry_id).follow(
            lambda meta: self.get_entry(meta.athlete_id, meta.created_at, meta.entry_id)
        )

    @compose("get_comment_meta", "get_comment")
    def get_comment_by_id(self, comment_id: str) -> Op[Comment | None]:
        """A comment by its id alone."""
        return self.get_comment_meta(comment_id).follow(
            lambda meta: self.get_comment(meta.target_id, meta.created_at, meta.comment_id)
        )

    @pattern(desc=True)
    def list_entries_in_range(self, athlete_id: str, created_at: Range[date]) -> Query[Entry]:
        """An athlete's entries of some days, newest first."""
        return served()

    @compose("coach_links", "profiles")
    def list_coaches_of_athlete(self, athlete_id: str) -> Op[tuple[Page[CoachLink], list[Profile]]]:
        """An athlete's links with the coaches' profiles."""
        return self.coach_links(athlete_id).then(
            lambda page: self.profiles([link.coach_id for link in page.items]).map(
                lambda people: (page, people)
            )
        )

    @compose("athlete_links", "links", "profiles")
    def list_athletes_of_coach(
        self, coach_id: str
    ) -> Op[tuple[Page[AthleteLink], list[CoachLink], list[Profile]]]:
        """A coach's athletes with the links themselves and the athletes' profiles."""

        def linked(page: Page[AthleteLink]) -> Op[tuple[list[CoachLink], list[Profile]]]:
            athletes = [link.athlete_id for link in page.items]
            return gather(self.links(athletes, coach_id), self.profiles(athletes))

        return self.athlete_links(coach_id).then(
            lambda page: linked(page).map(lambda linked_rows: (page, *linked_rows))
        )

    @pattern()
    def list_threads_of_user(self, user_id: str) -> Query[AiThread]:
        """A person's threads, by id; recency is sorted in memory."""
        return served()

    @pattern()
    def get_thread(self, user_id: str, thread_id: str) -> Get[AiThread]:
        """One of a person's own threads."""
        return served()

    @pattern()
    def get_turn(self, thread_id: str, message_id: str) -> Get[AiTurn]:
        """How far a question has come."""
        return served()

    @pattern()
    def list_turns(self, thread_id: str) -> Query[AiTurn]:
        """The turns of a thread, to sweep them with it."""
        return served()

    @pattern()
    def get_idempotency(self, scope: str, key: str) -> Get[Idempotency]:
        """The stored answer of a repeated request."""
        return served()


P = RollModel()
