"""StayOn's tables: pages that are shared by a short id, their answers, and the pool of short ids.

    shareable#{shortid}     01#             a checklist, an event or a poll
    event_rsvp#{shortid}    01#{code}#
    poll_vote#{shortid}     01#{code}#
    attempt#{shortid}       01#{kind}#{clienthash}#
    idempotency#{scope}#{keyhash}   01#

A short id is ``abc-def-12345``; keys have it in lower case without its hyphens.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from tablewright import (
    Design,
    Get,
    Model,
    Moment,
    Number,
    Op,
    Query,
    Table,
    Unit,
    Uuid,
    absent,
    compose,
    equals,
    pattern,
    present,
    ref,
    ref_of,
    served,
    writes,
)

PAGES = Table("StayOnPage", pk="pk", sk="sk", ttl="ttl", static_case="lower")
POOL = Table("ShortIdPool", pk=Number("pk"), sk="sk", type_attribute=None, static_case="lower")

Answer = Literal["going", "notGoing", "maybe"]


@POOL.entity("{bucket}", "available#{slot:02}", type=None, size_bytes=60, per_partition=100)
class PoolSlot(Model):
    """A short id that is not taken yet. Claiming it deletes the slot."""

    bucket: int
    slot: int
    id: str


# Pages.


class ChecklistItem(Model):
    checklist_item_id: Uuid
    name: str
    note: str | None = None


class PollQuestionOption(Model):
    poll_question_option_id: Uuid
    label: str


class PollQuestion(Model):
    poll_question_id: Uuid
    title: str
    is_multiple: bool = False
    is_required: bool = False
    options: list[PollQuestionOption]


@PAGES.entity(  # tw: ignore[TW104] hyphens stand at fixed places in a short id, so none are lost
    "shareable#{shortId:compact}", "01#", type=None, size_bytes=3_000
)
class Shareable(Model):
    """A page; what it holds beside the common attributes depends on its ``entity``."""

    entity: Literal["checklist", "event", "poll"]
    short_id: str
    name: str
    view_passcode: str | None = None
    admin_passcode: str | None = None
    view_passcode_version: int | None = None
    admin_passcode_version: int | None = None
    passcode_version_max: int = 0
    expires_after: Literal[1, 7, 30] = 30
    created_at: Moment
    updated_at: Moment
    expires_at: Moment
    ttl: int
    version: int = 1
    note: str | None = None
    # A checklist.
    items: list[ChecklistItem] | None = None
    # An event.
    start_time: Moment | None = None
    end_time: Moment | None = None
    type: Literal["inPerson", "virtual"] | None = None
    location: str | None = None
    description: str | None = None
    is_rsvp_required: bool | None = None
    rsvp_deadline: Moment | None = None
    rsvp_visibility: Literal["everyone", "admin"] | None = None
    # A poll.
    results_visibility: Literal["always", "afterSubmit", "afterClose", "admin"] | None = None
    closes_at: Moment | None = None
    questions: list[PollQuestion] | None = None
    is_closed: bool | None = None


# Answers.


@PAGES.entity(  # tw: ignore[TW104] hyphens stand at fixed places in a short id, so none are lost
    "event_rsvp#{shortId:compact}",
    "01#{code}#",
    type="event_rsvp",
    size_bytes=300,
    per_partition=100,
)
class Rsvp(Model):
    short_id: str
    code: str
    name: str
    response: Answer
    guest_count: int | None = None
    created_at: Moment
    updated_at: Moment
    version: int = 1
    ttl: int


class PollAnswer(Model):
    poll_question_id: Uuid
    option_ids: list[Uuid]


@PAGES.entity(  # tw: ignore[TW104] hyphens stand at fixed places in a short id, so none are lost
    "poll_vote#{shortId:compact}",
    "01#{code}#",
    type="poll_vote",
    size_bytes=600,
    per_partition=200,
)
class Vote(Model):
    short_id: str
    code: str
    name: str | None = None
    answers: list[PollAnswer]
    created_at: Moment
    updated_at: Moment
    version: int = 1
    ttl: int


@PAGES.entity(  # tw: ignore[TW104] hyphens stand at fixed places in a short id, so none are lost
    "attempt#{shortId:compact}", "01#{kind}#{clienthash}#", type="attempt", size_bytes=200
)
class Attempt(Model):
    """How often a client has guessed wrong in the current window."""

    short_id: str
    kind: Literal["passcode", "code"]
    clienthash: str
    count: int
    window_start: int
    ttl: int


@PAGES.entity("idempotency#{scope}#{keyhash}", "01#", type="idempotency", ttl="expiresAt")
class Idempotency(Model):
    scope: str
    keyhash: str
    request_hash: str
    response_status_code: int
    response_body: str
    expires_at: Moment


class StayOn(Design, tables=[PAGES, POOL]):
    """The access patterns of StayOn."""

    @pattern()
    def claim_short_id(self, bucket: int) -> Query[PoolSlot]:
        """The free short ids of a bucket; the first is the candidate."""
        return served()

    @writes(PoolSlot, Shareable, Idempotency)
    def create_page(
        self, page: Shareable, slot: PoolSlot | None = None, once: Idempotency | None = None
    ) -> Unit:
        """A new page, with the slot its short id comes from."""
        unit = Unit().create(page)
        if slot is not None:
            unit.delete(slot, when=lambda stored: stored.id == slot.id)
        return unit if once is None else unit.once(once)

    @pattern()
    def get_page(self, short_id: str) -> Get[Shareable]:
        """One page."""
        return served()

    @writes(Shareable)
    def update_page(self, old: Shareable, new: Shareable, now: datetime) -> Unit:
        """A page's new content, if no other request changed it and it has not expired."""
        return Unit().save(old, new, when=lambda page: page.expires_at > now)

    @writes(Shareable)
    def delete_page(self, page: Shareable) -> Unit:
        """A page's end; its answers are swept afterwards."""
        return Unit().delete(page)

    @compose("get_page")
    def login(self, short_id: str) -> Op[Shareable | None]:
        """The page whose passcode hashes a login is compared with."""
        return self.get_page(short_id)

    @writes(Rsvp, Shareable, Idempotency)
    def create_rsvp(self, rsvp: Rsvp, now: datetime, once: Idempotency | None = None) -> Unit:
        """An answer to an event that is still open for answers."""
        unit = (
            Unit()
            .create(rsvp)
            .check(
                ref(Shareable, short_id=rsvp.short_id),
                lambda page: (
                    (page.entity == "event")
                    & equals(page.is_rsvp_required, True)
                    & (page.expires_at > now)
                    & (absent(page.rsvp_deadline) | (present(page.rsvp_deadline) > now))
                ),
            )
        )
        return unit if once is None else unit.once(once)

    @pattern()
    def get_rsvp(self, short_id: str, code: str) -> Get[Rsvp]:
        """An answer by its code."""
        return served()

    @pattern()
    def list_rsvps(self, short_id: str) -> Query[Rsvp]:
        """The answers to an event, by code."""
        return served()

    @writes(Vote, Shareable, Idempotency)
    def create_vote(
        self, vote: Vote, page: Shareable, now: datetime, once: Idempotency | None = None
    ) -> Unit:
        """A vote in a poll that is open, and as it was when the vote was checked."""
        unit = (
            Unit()
            .create(vote)
            .check(
                ref_of(page),
                lambda stored: (
                    (stored.version == page.version)
                    & equals(stored.is_closed, False)
                    & (absent(stored.closes_at) | (present(stored.closes_at) > now))
                    & (stored.expires_at > now)
                ),
            )
        )
        return unit if once is None else unit.once(once)

    @pattern()
    def get_vote(self, short_id: str, code: str) -> Get[Vote]:
        """A vote by its code."""
        return served()

    @pattern()
    def tally_votes(self, short_id: str) -> Query[Vote]:
        """The votes of a poll, by code; all pages are counted."""
        return served()

    @compose("get_page", "claim_short_id")
    def clone_page(self, short_id: str) -> Op[Shareable | None]:
        """The page that a copy is made of; the copy is created as any page."""
        return self.get_page(short_id)

    @pattern()
    def count_failed_attempts(self, short_id: str, kind: str, clienthash: str) -> Get[Attempt]:
        """How often a client has guessed wrong."""
        return served()

    @pattern()
    def get_idempotency(self, scope: str, keyhash: str) -> Get[Idempotency]:
        """The stored answer of a repeated request."""
        return served()


P = StayOn()
