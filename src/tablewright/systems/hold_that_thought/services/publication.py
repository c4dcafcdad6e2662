"""Publishing: a draft that is ready becomes a letter, with its scans.

Scans are copied before the transaction and removed from temp/ after it: whatever goes wrong, the
letter has its scans or there is no letter.
"""

from __future__ import annotations

from typing import Any

from tablewright import Unit, create, save
from tablewright.errors import Conflict
from tablewright.systems.hold_that_thought.bodies import PublishBody
from tablewright.systems.hold_that_thought.design import Draft, ExtractedData, Letter, P
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import LetterAnswer, LetterInList
from tablewright.systems.hold_that_thought.services.blob_keys import discard, letter_key
from tablewright.systems.hold_that_thought.services.drafts import (
    Drafts,
    invalid_transition,
    upload_incomplete,
)
from tablewright.systems.hold_that_thought.services.letters import date_taken
from tablewright.web.http.idempotency import Once
from tablewright.web.http.problems import FieldError, Problem, invalid
from tablewright.web.http.retry import retried
from tablewright.web.http.row_size import require_small
from tablewright.web.services.services import Services

__all__ = ["Publication"]


class Publication:
    """Makes letters of drafts."""

    def __init__(self, services: Services, drafts: Drafts) -> None:
        self._services = services
        self._store = services.store
        self._drafts = drafts

    async def publish(self, caller: Caller, draft_id: str, body: PublishBody, once: Once) -> Letter:
        """The letter that a draft becomes."""

        async def attempt() -> tuple[Draft, Letter]:
            draft = await self._drafts.get(caller, draft_id)
            # Missing fields are reported before the draft's status.
            letter = self._letter(caller, draft, body)
            if draft.status != "ready":
                raise invalid_transition(draft)
            if await self._store.run(P.get_letter(letter.date).with_marked()) is not None:
                raise date_taken()
            update = {
                "status": "published",
                "letter_date": letter.date,
                "updated_at": letter.created_at,
            }
            published = draft.model_copy(update=update)
            unit = Unit(create(letter), save(draft, published, lambda d: d.status == "ready"))
            # The answer is stored without a content that a repeated request sends again.
            kind = LetterAnswer if body.content is None else LetterInList
            once.add(unit, lambda: kind.of(letter))
            try:
                await self._copy_scans(caller, draft, letter)
                await self._store.run(unit)
            except (Conflict, Problem):
                await self._withdraw_scans(letter)
                raise
            return draft, letter

        draft, letter = await retried(attempt)
        await discard(self._services.blobs, draft.file_keys)
        return letter

    def _letter(self, caller: Caller, draft: Draft, body: PublishBody) -> Letter:
        """The letter that a draft becomes; 400 if something is missing."""
        read = draft.extracted_data or ExtractedData()
        fields: dict[str, Any] = {
            "date": body.date or read.date,
            "title": body.title or read.title,
            "content": body.content or read.content,
        }
        missing = [name for name, value in fields.items() if not value]
        if missing:
            raise invalid(*(FieldError(name, "is needed") for name in missing))
        now = self._services.clock.now()
        letter = Letter(
            **fields,
            author=body.author or read.author,
            description=body.description or None,
            file_keys=[letter_key(fields["date"], key) for key in draft.file_keys],
            file_names=draft.file_names,
            created_at=now,
            updated_at=now,
            updated_by=caller.user_id,
        )
        require_small(letter)
        return letter

    async def _copy_scans(self, caller: Caller, draft: Draft, letter: Letter) -> None:
        try:
            await self._drafts.require_scans(draft)
            for key, copy in zip(draft.file_keys, letter.file_keys, strict=True):
                await self._services.blobs.copy(key, copy)
        except Problem as problem:
            # Perhaps they are gone because another request has just published the draft.
            current = await self._drafts.get(caller, draft.draft_id)
            if current.status != "ready":
                raise invalid_transition(current) from problem
            raise upload_incomplete() from problem

    async def _withdraw_scans(self, letter: Letter) -> None:
        """Remove copies for a letter that was not made, unless the same was made meanwhile."""
        other = await self._store.run(P.get_letter(letter.date).with_marked())
        kept = set() if other is None else set(other.file_keys)
        await discard(self._services.blobs, [key for key in letter.file_keys if key not in kept])
