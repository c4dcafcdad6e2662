"""Roll Model's design document."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

from tablewright import Design, Get, Model, Query, Table, pattern, served

T = Table("RollModel", pk="PK", sk="SK", unchecked=True)


@T.entity("USER#{userId}", "PROFILE", type=None)
class UserProfile(Model):
    user_id: str


@T.entity("USER#{athleteId}", "COACH#{coachId}", type=None)
class CoachLink(Model):
    athlete_id: str
    coach_id: str


class Sections(Model):
    private: str
    shared: str


class SessionMetrics(Model):
    duration_minutes: int
    intensity: int
    rounds: int
    gi_or_no_gi: str
    tags: list[str]


@T.entity("USER#{athleteId}", "ENTRY#{createdAt}#{entryId}", type=None)
class Entry(Model):
    entry_id: str
    athlete_id: str
    created_at: datetime
    updated_at: datetime
    sections: Sections
    session_metrics: SessionMetrics


@T.entity("ENTRY#{entryId}", "COMMENT#{createdAt}#{commentId}", type=None)
class Comment(Model):
    comment_id: str
    entry_id: str
    coach_id: str
    created_at: datetime
    body: str
    visibility: Literal["visible", "hiddenByAthlete"]


@T.entity("USER#{userId}", "AI_THREAD#{threadId}", type="AI_THREAD")
class AiThread(Model):
    user_id: str
    thread_id: str
    title: str
    created_at: datetime
    last_active_at: datetime


@T.entity("AI_THREAD#{threadId}", "MSG#{createdAt}#{messageId}", type="AI_MESSAGE")
class AiMessage(Model):
    message_id: str
    thread_id: str
    role: str
    content: str
    visibility_scope: Literal["private", "shared"]
    created_at: datetime


@T.entity("USER#{athleteId}", "KW#{token}#TS#{createdAt}#ENTRY#{entryId}", type="KEYWORD_INDEX")
class Keyword(Model):
    athlete_id: str
    token: str
    entry_id: str
    created_at: datetime


@T.entity("ENTRY#{entryId}", "META", type=None)
class EntryMeta(Model):
    """To validate comment permissions."""

    entry_id: str
    athlete_id: str
    created_at: datetime


# Written as the usual code does it: entry, then keywords, then META, in separate calls.


@T.derive(Entry, max=40, atomic=False)
def keywords(entry: Entry) -> Iterator[Keyword]:
    for token in entry.session_metrics.tags:
        yield Keyword(
            athlete_id=entry.athlete_id,
            token=token,
            entry_id=entry.entry_id,
            created_at=entry.created_at,
        )


@T.derive(Entry, atomic=False)
def meta(entry: Entry) -> EntryMeta:
    return EntryMeta(
        entry_id=entry.entry_id, athlete_id=entry.athlete_id, created_at=entry.created_at
    )


class RollModel(Design, tables=[T]):
    @pattern(pk="USER#{athleteId}", sk="ENTRY#")
    def own_entries(self, athlete_id: str) -> Query[Entry]:
        """1, 2 and 4."""
        return served()

    @pattern(pk="ENTRY#{entryId}", sk="META")
    def entry_meta(self, entry_id: str) -> Get[EntryMeta]:
        """3."""
        return served()

    @pattern(pk="USER#{athleteId}", sk="COACH#{coachId}")
    def coach_link(self, athlete_id: str, coach_id: str) -> Get[CoachLink]:
        """3."""
        return served()

    @pattern(pk="ENTRY#{entryId}")
    def entry_partition(self, entry_id: str) -> Query[EntryMeta | Comment]:
        """4: comments per ENTRY#{entryId} partition."""
        return served()

    @pattern(pk="AI_THREAD#{threadId}")
    def messages(self, thread_id: str) -> Query[AiMessage]:
        """5."""
        return served()

    @pattern(pk="USER#{athleteId}", sk="KW#{token}#TS#")
    def entries_by_keyword(self, athlete_id: str, token: str) -> Query[Keyword]:
        """6, by token recency."""
        return served()

    @pattern(pk="USER#{athleteId}", sk="KW#{token}")
    def find_by_keyword(self, athlete_id: str, token: str) -> Query[Keyword]:
        """6, as "quickly find matching entries" is usually written."""
        return served()
