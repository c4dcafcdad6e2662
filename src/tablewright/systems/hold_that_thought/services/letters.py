"""Letters and their history: every text that was replaced is kept."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from tablewright import Model, Range, Unit, create, delete, equals, purge, save
from tablewright.errors import Conflict
from tablewright.systems.hold_that_thought.bodies import LetterBody, LetterEdit
from tablewright.systems.hold_that_thought.design import Letter, LetterVersion, P
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import LetterInList
from tablewright.systems.hold_that_thought.services.blob_keys import scan_type
from tablewright.systems.hold_that_thought.services.comments import Comments
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, existing
from tablewright.web.http.retry import retried
from tablewright.web.http.row_size import require_small
from tablewright.web.services.services import Services

__all__ = ["Letters", "Scan", "date_taken"]

_TICK = timedelta(milliseconds=1)


def date_taken() -> Problem:
    """The 409 of a date that another letter has."""
    return Problem(409, "date_taken", "Another letter has this date; add a suffix to it.")


class Scan(Model):
    """One scanned page of a letter; ``url`` is the key of its blob."""

    number: int
    file_name: str
    content_type: str
    url: str


class Letters:
    """Reads and writes letters."""

    def __init__(self, services: Services, comments: Comments) -> None:
        self._services = services
        self._store = services.store
        self._comments = comments

    async def page(self, paging: Paging) -> Listing[Letter]:
        return await paging.query(self._store, P.list_letters())

    async def get(self, date: str) -> Letter:
        return existing(await self._store.run(P.get_letter(date)), "letter")

    async def add(self, caller: Caller, body: LetterBody, once: Once) -> Letter:
        now = self._services.clock.now()
        letter = Letter(
            date=body.date,
            created_at=now,
            updated_at=now,
            updated_by=caller.user_id,
            **_text(body),
        )
        require_small(letter)

        async def attempt() -> None:
            # A letter that is being deleted still has its date.
            if await self._store.run(P.get_letter(body.date).with_marked()) is not None:
                raise date_taken()
            # The answer is stored without the content, which a repeated request sends again.
            await self._store.run(once.add(Unit(create(letter)), lambda: LetterInList.of(letter)))

        await retried(attempt)
        return letter

    # Changes.

    async def edit(self, caller: Caller, date: str, body: LetterEdit, if_match: IfMatch) -> Letter:
        async def attempt() -> Letter:
            old = await self.get(date)
            return await self._replaced(caller, old, _text(body), if_match)

        return await retried(attempt)

    async def revert(self, caller: Caller, date: str, timestamp: datetime) -> Letter:
        """The text of an earlier version again; that is an edit, too."""

        async def attempt() -> Letter:
            old = await self.get(date)
            version = await self._version(date, timestamp)
            text = {
                "title": version.title,
                "author": version.author,
                "content": version.content,
                "description": version.description,
            }
            return await self._replaced(caller, old, text)

        return await retried(attempt)

    async def _replaced(
        self, caller: Caller, old: Letter, text: dict[str, Any], if_match: IfMatch | None = None
    ) -> Letter:
        now = self._services.clock.now()
        if old.version_count:
            # A version has the moment at which it was replaced as its key: each another one.
            now = max(now, old.updated_at + _TICK)
        update = {**text, "updated_at": now, "updated_by": caller.user_id}
        new = old.model_copy(update=update)
        require_small(new)
        if if_match is not None:
            if_match.require(old.version_count)
        return await self._store.run(save(old, new))

    async def delete(self, date: str, if_match: IfMatch) -> None:
        """Mark, sweep, delete; goes on where an interrupted one stopped."""

        async def marked() -> Letter:
            letter = existing(await self._store.run(P.get_letter(date).with_marked()), "letter")
            if letter.deleted_at is not None:
                return letter
            if_match.require(letter.version_count)
            update = {"deleted_at": self._services.clock.now()}
            return await self._store.run(save(letter, letter.model_copy(update=update)))

        await self._finish(await retried(marked))

    async def _finish(self, letter: Letter) -> None:
        """Delete what is left of a letter that is marked.

        Another request may do the same, and a new letter of the date may exist as soon as this one
        is gone. So nothing is touched here that may belong to the new one.
        """
        await self._comments.sweep(letter)
        for key in letter.file_keys:
            await self._services.blobs.delete(key)
        replaced = P.versions_until(letter.date, Range(None, letter.updated_at))
        await self._store.run(purge(replaced))

        async def attempt() -> None:
            try:
                same = delete(letter, lambda row: equals(row.deleted_at, letter.deleted_at))
                await self._store.run(same)
            except Conflict:
                if await self._comments.mark_of(letter.date) == letter.deleted_at:
                    raise
                # Another request has finished the same.

        await retried(attempt)

    async def scans(self, date: str, paging: Paging) -> Listing[Scan]:
        """The scans of a letter, in the order of their upload."""
        paging.require_cut(name="scans", filters={"date": date})
        letter = await self.get(date)
        pairs = zip(letter.file_names, letter.file_keys, strict=True)
        scans = [
            Scan(number=number, file_name=name, content_type=scan_type(key), url=key)
            for number, (name, key) in enumerate(pairs)
        ]
        page = paging.cut(scans, lambda scan: (scan.number,), name="scans", filters={"date": date})
        # All of them are known: a cursor with nothing behind it need not be.
        return page if page.items[-1:] != scans[-1:] else Listing(page.items, None)

    # Versions.

    async def versions(self, date: str, paging: Paging) -> Listing[LetterVersion]:
        query = P.list_letter_versions(date)
        paging.require(query)
        await self.get(date)
        return await paging.query(self._store, query)

    async def version(self, date: str, timestamp: datetime) -> LetterVersion:
        await self.get(date)
        return await self._version(date, timestamp)

    async def _version(self, date: str, timestamp: datetime) -> LetterVersion:
        return existing(await self._store.run(P.get_letter_version(date, timestamp)), "version")


def _text(body: LetterEdit) -> dict[str, Any]:
    """The text of a letter, as its row has it."""
    return {
        "title": body.title,
        "author": body.author,
        "content": body.content,
        "description": body.description or None,
    }
