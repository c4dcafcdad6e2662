"""Drafts: scans that were uploaded, on their way to a letter.

    pending → processing → ready → published
                  ↓  ↑
                 failed

The transcriber works in the background; what it was doing when a server ended is done again when
one starts. Scans wait under temp/ for a day after the draft's last change.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from datetime import timedelta
from typing import Any, Final

import structlog

from tablewright import Unit, create, delete, save
from tablewright.systems.hold_that_thought.bodies import DraftBody
from tablewright.systems.hold_that_thought.design import Draft, P
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import DraftAnswer, DraftStatus
from tablewright.systems.hold_that_thought.services.blob_keys import (
    TEMP,
    discard,
    scan_key,
    scan_type,
)
from tablewright.systems.hold_that_thought.services.transcriber import (
    embedded_reading,
    prompt,
    read_reading,
)
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, existing
from tablewright.web.http.retry import persistent, retried
from tablewright.web.services.ai import File, ProviderFailed
from tablewright.web.services.blobs import UploadAnswer
from tablewright.web.services.services import Services

__all__ = ["Drafts", "invalid_transition", "upload_incomplete"]

log = structlog.get_logger("tablewright.hold_that_thought")

SCANS_KEPT: Final = timedelta(hours=24)
SWEEP_SECONDS: Final = 600
FAILURE: Final = "transcription failed"


def invalid_transition(draft: Draft) -> Problem:
    return Problem(
        409, "invalid_transition", f"This cannot be done to a draft that is {draft.status}."
    )


def upload_incomplete() -> Problem:
    return Problem(409, "upload_incomplete", "Not all scans are there.")


class Drafts:
    """Reads and writes drafts, and has them transcribed."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store

    async def add(self, caller: Caller, body: DraftBody, once: Once) -> Draft:
        now = self._services.clock.now()
        draft_id = self._services.ids.uuid()
        draft = Draft(
            draft_id=draft_id,
            uploader_id=caller.user_id,
            file_keys=[
                scan_key(draft_id, number, file.content_type)
                for number, file in enumerate(body.files, 1)
            ],
            file_names=[file.file_name for file in body.files],
            created_at=now,
            updated_at=now,
        )
        await self._store.run(once.add(Unit(create(draft)), lambda: DraftAnswer.of(draft)))
        return draft

    def uploads(self, draft_id: str, body: DraftBody) -> list[UploadAnswer]:
        """Fresh upload URLs, one for each scan."""
        return [
            self._services.blobs.upload(
                scan_key(draft_id, number, file.content_type), file.content_type, file.size
            )
            for number, file in enumerate(body.files, 1)
        ]

    async def get(self, caller: Caller, draft_id: str) -> Draft:
        draft = existing(await self._store.run(P.get_draft(draft_id)), "draft")
        caller.require_own("use drafts", draft.uploader_id)
        return draft

    async def page(
        self, caller: Caller, status: DraftStatus | None, paging: Paging
    ) -> Listing[Draft]:
        """The drafts that the caller may use, newest first; without a status the unpublished."""

        def keep(draft: Draft) -> bool:
            is_wanted = draft.status != "published" if status is None else draft.status == status
            return is_wanted and caller.may("use drafts", draft.uploader_id)

        # What one sees of the list also depends on whether one is an admin now.
        filters = {"status": status, "all": caller.is_admin}
        query = P.list_drafts()
        return await paging.query(
            self._store, query, filters=filters, caller=caller.user_id, keep=keep
        )

    async def delete(self, caller: Caller, draft_id: str, if_match: IfMatch) -> None:
        async def attempt() -> Draft:
            draft = await self.get(caller, draft_id)
            if_match.require(draft.version)
            if draft.status == "processing":
                raise invalid_transition(draft)
            await self._store.run(delete(draft))
            return draft

        draft = await retried(attempt)
        await discard(self._services.blobs, draft.file_keys)

    # Transcribing.

    async def process(self, caller: Caller, draft_id: str) -> Draft:
        """Begin to transcribe a draft; it goes on beside requests."""

        async def attempt() -> Draft:
            draft = await self.get(caller, draft_id)
            if draft.status not in ("pending", "failed"):
                raise invalid_transition(draft)
            await self.require_scans(draft)
            update = {
                "status": "processing",
                "error_message": None,
                "updated_at": self._services.clock.now(),
            }
            return await self._store.run(save(draft, draft.model_copy(update=update)))

        draft = await retried(attempt)
        self._services.background.start(self._transcribe(draft), "transcribe")
        return draft

    async def require_scans(self, draft: Draft) -> None:
        """Raise 409 unless all scans of a draft are there."""
        scans = [await self._services.blobs.find(key) for key in draft.file_keys]
        if self._is_stale(draft) or None in scans:
            raise upload_incomplete()

    async def _transcribe(self, draft: Draft) -> None:
        names = draft.file_names
        try:
            reading = await self._services.ai.ask(
                lambda: embedded_reading(names),
                prompt(names),
                read_reading,
                lambda: self._scans(draft),
            )
            update: dict[str, Any] = {"status": "ready", "extracted_data": reading}
        except ProviderFailed:
            update = {"status": "failed", "error_message": FAILURE}
        except Exception:
            log.exception("a draft could not be transcribed", draft=draft.draft_id)
            update = {"status": "failed", "error_message": FAILURE}

        async def attempt() -> None:
            current = await self._store.run(P.get_draft(draft.draft_id))
            if current is not None and current.status == "processing":
                new = current.model_copy(
                    update={**update, "updated_at": self._services.clock.now()}
                )
                await self._store.run(save(current, new))

        await persistent(attempt)

    async def _scans(self, draft: Draft) -> list[File]:
        pairs = zip(draft.file_names, draft.file_keys, strict=True)
        read = self._services.blobs.read
        return [File(name, scan_type(key), await read(key)) for name, key in pairs]

    async def resume(self) -> None:
        """Go on with what a server that ended was transcribing."""
        for draft in await self._store.run(P.list_drafts().all()):
            if draft.status == "processing":
                self._services.background.start(self._transcribe(draft), "transcribe")

    # Scans of drafts that were abandoned.

    def _is_stale(self, draft: Draft) -> bool:
        is_old = draft.updated_at + SCANS_KEPT <= self._services.clock.now()
        return is_old and draft.status != "processing"

    async def remove_stale_scans(self) -> None:
        """Remove the scans of drafts that were not changed for a day, or are gone."""
        keys: dict[str, list[str]] = defaultdict(list)
        for blob in await self._services.blobs.under(TEMP):
            keys[blob.key.removeprefix(TEMP).partition("/")[0]].append(blob.key)
        for draft_id, scans in keys.items():
            draft = await self._store.run(P.get_draft(draft_id))
            if draft is None or self._is_stale(draft):
                await discard(self._services.blobs, scans)

    async def keep_removing_stale_scans(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                await self.remove_stale_scans()
            except Exception:
                log.exception("scans could not be removed")
