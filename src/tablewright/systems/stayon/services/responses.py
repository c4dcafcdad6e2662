"""Answers of guests: RSVPs to events and votes in polls, found and changed by a personal code."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from functools import partial

from tablewright import (
    AlreadyDone,
    Conflict,
    Unit,
    absent,
    delete,
    equals,
    present,
    ref_of,
    save,
)
from tablewright.systems.stayon.design import P, PollAnswer, Rsvp, Shareable, Vote
from tablewright.systems.stayon.schemas import (
    RsvpAnswer,
    RsvpBody,
    VoteAnswer,
    VoteBody,
    is_closed,
)
from tablewright.web.http.idempotency import Once
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, existing, field_problem
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Responses", "checked_answers"]

CODE_TRIES_MAX = 10
LONGEST_LIFE = timedelta(days=395)


def _new_code() -> str:
    return f"{secrets.randbelow(1_000_000):06d}"


class Responses:
    """Reads and writes answers."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store

    # RSVPs.

    def require_rsvp_open(self, page: Shareable, *, is_manager: bool = False) -> None:
        if not page.is_rsvp_required:
            raise Problem(409, "rsvp_not_enabled", "This event takes no answers.")
        deadline = page.rsvp_deadline
        if not is_manager and deadline is not None and deadline <= self._services.clock.now():
            raise Problem(409, "rsvp_closed", "This event takes no more answers.")

    async def add_rsvp(self, page: Shareable, body: RsvpBody, once: Once) -> Rsvp:
        for _ in range(CODE_TRIES_MAX):
            self.require_rsvp_open(page)
            now = self._services.clock.now()
            rsvp = Rsvp(
                short_id=page.short_id,
                code=_new_code(),
                name=body.name,
                response=body.response,
                guest_count=_guests(body),
                created_at=now,
                updated_at=now,
                ttl=_ttl(page),
            )
            unit = P.create_rsvp(rsvp, now)
            try:
                await self._store.run(
                    once.add(unit, partial(RsvpAnswer.seen, rsvp, with_code=True))
                )
            except Conflict as conflict:
                page = await self._again(conflict, page)
            else:
                return rsvp
        raise Problem(409)

    async def _again(self, conflict: Conflict, page: Shareable) -> Shareable:
        """The page as it is now, after a write that it, or a code that is taken, refused."""
        if isinstance(conflict, AlreadyDone):
            raise conflict
        current = existing(await self._store.run(P.get_page(page.short_id)), "page")
        if current.expires_at <= self._services.clock.now():
            raise Problem(410, detail="This page has expired.")
        return current

    async def rsvp(self, page: Shareable, code: str) -> Rsvp:
        return existing(await self._store.run(P.get_rsvp(page.short_id, code)), "code")

    async def change_rsvp(
        self, page: Shareable, code: str, body: RsvpBody, if_match: IfMatch
    ) -> Rsvp:
        async def attempt() -> Rsvp:
            old = await self.rsvp(page, code)
            if_match.require(old.version)
            current = await self._current(page)
            self.require_rsvp_open(current)
            now = self._services.clock.now()
            update = {
                "name": body.name,
                "response": body.response,
                "guest_count": _guests(body),
                "updated_at": now,
            }
            unit = Unit(save(old, old.model_copy(update=update)))
            _check_rsvp_open(unit, current, now, is_manager=False)
            changed: Rsvp = (await self._store.run(unit))[0]
            return changed

        return await retried(attempt)

    async def delete_rsvp(
        self, page: Shareable, code: str, if_match: IfMatch, *, is_manager: bool
    ) -> None:
        async def attempt() -> None:
            old = await self.rsvp(page, code)
            if_match.require(old.version)
            current = await self._current(page)
            self.require_rsvp_open(current, is_manager=is_manager)
            unit = Unit(delete(old))
            _check_rsvp_open(unit, current, self._services.clock.now(), is_manager=is_manager)
            await self._store.run(unit)

        await retried(attempt)

    async def _current(self, page: Shareable) -> Shareable:
        return existing(await self._store.run(P.get_page(page.short_id)), "page")

    # Votes.

    def _require_open(self, page: Shareable) -> None:
        if is_closed(page, self._services.clock.now()):
            raise Problem(409, "poll_closed", "This poll is closed.")

    async def add_vote(self, page: Shareable, body: VoteBody, once: Once) -> Vote:
        for _ in range(CODE_TRIES_MAX):
            answers = checked_answers(page, body)
            self._require_open(page)
            now = self._services.clock.now()
            vote = Vote(
                short_id=page.short_id,
                code=_new_code(),
                name=body.name,
                answers=answers,
                created_at=now,
                updated_at=now,
                ttl=_ttl(page),
            )
            unit = P.create_vote(vote, page, now)
            try:
                await self._store.run(once.add(unit, partial(VoteAnswer.of, vote)))
            except Conflict as conflict:
                page = await self._again(conflict, page)
            else:
                return vote
        raise Problem(409)

    async def vote(self, page: Shareable, code: str) -> Vote:
        return existing(await self._store.run(P.get_vote(page.short_id, code)), "code")

    async def change_vote(
        self, page: Shareable, code: str, body: VoteBody, if_match: IfMatch
    ) -> Vote:
        async def attempt() -> Vote:
            current = await self._current(page)
            answers = checked_answers(current, body)
            old = await self.vote(page, code)
            if_match.require(old.version)
            self._require_open(current)
            now = self._services.clock.now()
            update = {"name": body.name, "answers": answers, "updated_at": now}
            unit = Unit(save(old, old.model_copy(update=update)))
            _check_poll_open(unit, current, now)
            changed: Vote = (await self._store.run(unit))[0]
            return changed

        return await retried(attempt)

    async def delete_vote(self, page: Shareable, code: str, if_match: IfMatch) -> None:
        async def attempt() -> None:
            current = await self._current(page)
            old = await self.vote(page, code)
            if_match.require(old.version)
            self._require_open(current)
            unit = Unit(delete(old))
            _check_poll_open(unit, current, self._services.clock.now())
            await self._store.run(unit)

        await retried(attempt)


def _guests(body: RsvpBody) -> int | None:
    return None if body.response == "notGoing" else body.guest_count


def _ttl(page: Shareable) -> int:
    """Answers live as long as the longest a page can: they are out of reach once it is gone."""
    return int((page.created_at + LONGEST_LIFE).timestamp())


def _check_rsvp_open(unit: Unit, page: Shareable, now: datetime, *, is_manager: bool) -> None:
    def is_open(stored: Shareable) -> bool:
        is_wanted = equals(stored.is_rsvp_required, True) & (stored.expires_at > now)
        if is_manager:
            return is_wanted
        return is_wanted & (absent(stored.rsvp_deadline) | (present(stored.rsvp_deadline) > now))

    unit.check(ref_of(page), is_open)


def _check_poll_open(unit: Unit, page: Shareable, now: datetime) -> None:
    unit.check(
        ref_of(page),
        lambda stored: (
            (stored.version == page.version)
            & equals(stored.is_closed, False)
            & (absent(stored.closes_at) | (present(stored.closes_at) > now))
            & (stored.expires_at > now)
        ),
    )


def checked_answers(page: Shareable, body: VoteBody) -> list[PollAnswer]:
    """A vote's answers; 400 for what the poll does not ask, or asks and did not get."""
    questions = {question.poll_question_id: question for question in page.questions or []}
    answered: dict[str, list[str]] = {}
    seen: set[str] = set()
    for number, given in enumerate(body.answers):
        where = f"answers.{number}"
        question = questions.get(given.poll_question_id)
        if question is None or given.poll_question_id in seen:
            raise field_problem(f"{where}.pollQuestionId", "is unknown or repeated")
        seen.add(given.poll_question_id)
        known = {option.poll_question_option_id for option in question.options}
        chosen = given.option_ids
        if len(set(chosen)) != len(chosen) or not set(chosen) <= known:
            raise field_problem(f"{where}.optionIds", "has an unknown or repeated option")
        if len(chosen) > 1 and not question.is_multiple:
            raise field_problem(f"{where}.optionIds", "must be one option")
        if chosen:
            answered[given.poll_question_id] = chosen
    for question in questions.values():
        if question.is_required and question.poll_question_id not in answered:
            raise field_problem("answers", f"must answer {question.title!r}")
    return [PollAnswer(poll_question_id=q, option_ids=chosen) for q, chosen in answered.items()]
