"""What StayOn's endpoints take and return: bodies, queries, answers."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from tablewright.systems.stayon.design import Rsvp, Shareable
from tablewright.systems.stayon.services.page_rights import Rights
from tablewright.web.http.field_types import (
    Answer,
    Body,
    Int,
    IntOf,
    Line,
    ListOf,
    QueryParameters,
    Raw,
    Text,
    Time,
    UuidText,
    with_example,
)
from tablewright.web.http.problems import Problem, field_problem

CODE_PATTERN: Final = "[0-9]{6}"
_is_code = re.compile(CODE_PATTERN, re.ASCII).fullmatch


class Passcode(Raw):
    """Text that is kept as it is, without any control characters."""

    pattern = Line.pattern

    def __init__(self) -> None:
        super().__init__(4, 64)


PasscodeText = Annotated[str, Passcode()]


def _six_digits(code: str) -> str:
    if code and not _is_code(code):
        raise ValueError("must be six digits")
    return code


def same_passcodes() -> Problem:
    return field_problem("adminPasscode", "must differ from viewPasscode")


def require_different(view: str | None, admin: str | None) -> None:
    """Raise 400 for two passcodes that are the same."""
    if view is not None and view == admin:
        raise same_passcodes()


ExpiresAfter = Annotated[Literal[1, 7, 30], IntOf(1, 7, 30)]


class ItemBody(Body):
    checklist_item_id: UuidText | None = None
    name: Annotated[str, Line(1, 200)]
    note: Annotated[str, Text(0, 1000)] | None = None


class OptionBody(Body):
    poll_question_option_id: UuidText | None = None
    label: Annotated[str, Line(1, 200)]


class QuestionBody(Body):
    poll_question_id: UuidText | None = None
    title: Annotated[str, Line(1, 300)]
    is_multiple: bool = False
    is_required: bool = False
    options: Annotated[list[OptionBody], Field(min_length=2, max_length=50)]


class NewPasscodes(Body):
    """The passcodes of a new page."""

    view_passcode: PasscodeText | None = None
    admin_passcode: PasscodeText | None = None

    @model_validator(mode="after")
    def _require_different(self) -> Self:
        require_different(self.view_passcode, self.admin_passcode)
        return self


class PageBody(NewPasscodes):
    """What all pages have."""

    name: Annotated[str, Line(1, 200)]
    expires_after: ExpiresAfter = 30


class ChecklistFields(Body):
    note: Annotated[str, Text(0, 2000)] | None = None
    items: Annotated[list[ItemBody], Field(min_length=1, max_length=500)]


class EventFields(Body):
    start_time: Time
    end_time: Time | None = None
    type: Literal["inPerson", "virtual"] | None = None
    location: Annotated[str, Line(0, 500)] | None = None
    description: Annotated[str, Text(0, 10_000)] | None = None
    is_rsvp_required: bool = False
    rsvp_deadline: Time | None = None
    rsvp_visibility: Literal["everyone", "admin"] = "everyone"


class PollFields(Body):
    note: Annotated[str, Text(0, 2000)] | None = None
    results_visibility: Literal["always", "afterSubmit", "afterClose", "admin"] = "always"
    closes_at: Time | None = None
    questions: Annotated[list[QuestionBody], Field(min_length=1, max_length=50)]


class ChecklistBody(PageBody, ChecklistFields):
    entity: Literal["checklist"]


class EventBody(PageBody, EventFields):
    entity: Literal["event"]


class PollBody(PageBody, PollFields):
    entity: Literal["poll"]


class ChangeBody(Body):
    name: Annotated[str, Line(1, 200)]
    expires_after: ExpiresAfter = 30
    confirm_vote_loss: bool = False


class ChecklistChange(ChangeBody, ChecklistFields):
    entity: Literal["checklist"] = "checklist"


class EventChange(ChangeBody, EventFields):
    entity: Literal["event"] = "event"


class PollChange(ChangeBody, PollFields):
    entity: Literal["poll"] = "poll"


BODIES: dict[str, type[ChecklistBody | EventBody | PollBody]] = {
    "checklist": ChecklistBody,
    "event": EventBody,
    "poll": PollBody,
}
CHANGES: dict[str, type[ChecklistChange | EventChange | PollChange]] = {
    "checklist": ChecklistChange,
    "event": EventChange,
    "poll": PollChange,
}
NewPage = ChecklistBody | EventBody | PollBody
PageChange = ChecklistChange | EventChange | PollChange


class LoginBody(Body):
    level: Literal["view", "admin"]
    passcode: PasscodeText


class PasscodesBody(Body):
    model_config = with_example(viewPasscode="sunflower", adminPasscode="blackbird")

    view_passcode: PasscodeText | None = None
    admin_passcode: PasscodeText | None = None
    remove_view_passcode: bool = False
    remove_admin_passcode: bool = False

    @model_validator(mode="after")
    def _require_different(self) -> Self:
        require_different(*kept_passcodes(self))
        return self


def kept_passcodes(body: PasscodesBody) -> tuple[str | None, str | None]:
    """The new passcodes that the same request does not remove."""
    view = None if body.remove_view_passcode else body.view_passcode
    admin = None if body.remove_admin_passcode else body.admin_passcode
    return view, admin


class CloneBody(NewPasscodes):
    model_config = with_example(name="The same again", viewPasscode="sunflower")

    name: Annotated[str, Line(1, 200)] | None = None
    expires_after: ExpiresAfter | None = None


class RsvpBody(Body):
    name: Annotated[str, Line(1, 100)]
    response: Literal["going", "notGoing", "maybe"]
    guest_count: Annotated[int, Int(0, 99)] = 0


class AnswerBody(Body):
    poll_question_id: UuidText
    option_ids: list[UuidText]


class VoteBody(Body):
    name: Annotated[str, Line(1, 100)] | None = None
    answers: Annotated[list[AnswerBody], Field(max_length=50)]


# Queries.


class PageQuery(QueryParameters):
    as_: Annotated[Literal["admin"] | None, Field(alias="as")] = None


class ResultsQuery(QueryParameters):
    code: (
        Annotated[
            str,
            AfterValidator(_six_digits),
            WithJsonSchema({"type": "string", "pattern": "^([0-9]{6})?$"}),
        ]
        | None
    ) = None


# Answers.


class ItemAnswer(Answer):
    checklist_item_id: str
    name: str
    note: str | None


class OptionAnswer(Answer):
    poll_question_option_id: str
    label: str


class QuestionAnswer(Answer):
    poll_question_id: str
    title: str
    is_multiple: bool
    is_required: bool
    options: list[OptionAnswer]


class PageAnswer(Answer):
    """A page. The fields behind ``version`` are those of its entity, and of a token."""

    leaves_out_unset = True

    short_id: str
    entity: Literal["checklist", "event", "poll"]
    name: str
    expires_after: ExpiresAfter
    created_at: Time
    updated_at: Time
    expires_at: Time
    expired: bool
    has_view_passcode: bool
    has_admin_passcode: bool
    access: Literal["view", "admin"]
    version: int
    note: str | None = None
    items: list[ItemAnswer] | None = None
    start_time: Time | None = None
    end_time: Time | None = None
    type: str | None = None
    location: str | None = None
    description: str | None = None
    is_rsvp_required: bool | None = None
    rsvp_deadline: Time | None = None
    rsvp_visibility: str | None = None
    rsvp_open: bool | None = None
    results_visibility: str | None = None
    closes_at: Time | None = None
    is_closed: bool | None = None
    closed: bool | None = None
    questions: list[QuestionAnswer] | None = None
    access_token: str | None = None
    token_type: str | None = None
    level: str | None = None
    expires_in: int | None = None

    @classmethod
    def seen(cls, rights: Rights, now: datetime, **token: Any) -> Self:
        """A page as the caller sees it, without its hashes."""
        page = rights.page
        values = {name: getattr(page, name) for name in (*_COMMON, *_OWN[page.entity])}
        if page.entity == "poll":
            values["closed"] = is_closed(page, now)
        if page.entity == "event":
            values["rsvp_open"] = is_rsvp_open(page, now)
        values |= {
            "expired": page.expires_at <= now,
            "has_view_passcode": page.view_passcode is not None,
            "has_admin_passcode": page.admin_passcode is not None,
            "access": rights.access,
            **token,
        }
        return cls.model_validate(values, by_alias=False, by_name=True)


class RsvpAnswer(Answer):
    """An answer to an event; only its author and managers see the code."""

    leaves_out_unset = True

    code: str | None = None
    name: str
    response: str
    guest_count: int | None
    created_at: Time
    updated_at: Time
    version: int

    @classmethod
    def seen(cls, rsvp: Rsvp, *, with_code: bool) -> Self:
        names = cls.model_fields.keys() - (set() if with_code else {"code"})
        return cls(**{name: getattr(rsvp, name) for name in names})


class TotalsAnswer(Answer):
    going: int
    not_going: int
    maybe: int
    guests: int


class RsvpList(ListOf[RsvpAnswer]):
    leaves_out_unset = True

    totals: TotalsAnswer


class ChoiceAnswer(Answer):
    poll_question_id: str
    option_ids: list[str]


class VoteAnswer(Answer):
    code: str
    name: str | None
    answers: list[ChoiceAnswer]
    created_at: Time
    updated_at: Time
    version: int


class OptionResult(Answer):
    poll_question_option_id: str
    label: str
    votes: int
    share: float


class QuestionResult(Answer):
    poll_question_id: str
    title: str
    voters: int
    selections: int
    options: list[OptionResult]


class ResultsAnswer(Answer):
    short_id: str
    closed: bool
    voters: int
    questions: list[QuestionResult]


_COMMON = (
    "short_id",
    "entity",
    "name",
    "expires_after",
    "created_at",
    "updated_at",
    "expires_at",
    "version",
)
_OWN = {
    "checklist": ("note", "items"),
    "event": (
        "start_time",
        "end_time",
        "type",
        "location",
        "description",
        "is_rsvp_required",
        "rsvp_deadline",
        "rsvp_visibility",
    ),
    "poll": ("note", "results_visibility", "closes_at", "is_closed", "questions"),
}


def is_closed(page: Shareable, now: datetime) -> bool:
    """Whether a poll takes no more votes."""
    return bool(page.is_closed) or (page.closes_at is not None and page.closes_at <= now)


def is_rsvp_open(page: Shareable, now: datetime) -> bool:
    """Whether an event takes answers."""
    deadline = page.rsvp_deadline
    return bool(page.is_rsvp_required) and (deadline is None or deadline > now)
