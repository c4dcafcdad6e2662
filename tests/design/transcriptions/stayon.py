"""StayOn's design document. It lists no access patterns."""

from __future__ import annotations

from typing import Literal

from tablewright import Model, Number, Table

# "Static segments in pk/sk are UPPERCASE."
POOL = Table(
    "ShortIdPool",
    pk=Number("pk"),
    sk="sk",
    type_attribute=None,
    unchecked=True,
    static_case="upper",
)
MAIN = Table("Main", pk="pk", sk="sk", type_attribute=None, unchecked=True, static_case="upper")


@POOL.entity("{bucket}", "available#{slot:02}")
class ShortId(Model):
    bucket: int
    slot: int
    id: str


class ChecklistItem(Model):
    checklist_item_id: str
    name: str
    note: str | None = None


class PollQuestionOption(Model):
    poll_question_option_id: str
    label: str


class PollQuestion(Model):
    poll_question_id: str
    title: str
    is_multiple: bool
    is_required: bool
    options: list[PollQuestionOption]


# "Dynamic/computed segments are lowercase, with spaces and - removed."
@MAIN.entity("shareable#{shortId:compact}", "01#")
class Shareable(Model):
    """Expired entities are retained for 1 year unless deleted by the user."""

    entity: Literal["checklist", "event", "poll"]
    short_id: str
    name: str
    view_passcode: str
    admin_passcode: str
    view_passcode_version: int
    admin_passcode_version: int
    expires_after: Literal[1, 7, 30]
    # A checklist.
    note: str | None = None
    items: list[ChecklistItem] | None = None
    # An event.
    start_time: str | None = None
    end_time: str | None = None
    type: Literal["inPerson", "Virtual"] | None = None
    location: str | None = None
    description: str | None = None
    is_rsvp_required: bool | None = None
    rsvp_deadline: str | None = None
    rsvp_visibility: str | None = None
    # A poll.
    results_visibility: Literal["always", "afterSubmit", "afterClose"] | None = None
    closes_at: str | None = None
    questions: list[PollQuestion] | None = None
    is_closed: bool | None = None


@MAIN.entity("event_rsvp#{shortId:compact}", "01#{code}#")
class EventRsvp(Model):
    short_id: str
    code: str
    name: str
    response: Literal["going", "notGoing", "maybe"]
    guest_count: int


class PollAnswer(Model):
    poll_question_id: str
    option_ids: list[str]


@MAIN.entity("poll_vote#{shortId:compact}", "01#{code}#")
class PollVote(Model):
    short_id: str
    name: str | None = None
    code: str
    answers: list[PollAnswer]
    created_at: str
    updated_at: str
