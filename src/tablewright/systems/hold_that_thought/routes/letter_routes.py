"""Routes of letters, their versions and scans."""

from __future__ import annotations

from typing import Final

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.hold_that_thought import bodies, shapes
from tablewright.systems.hold_that_thought.dependencies import Desk, refusals
from tablewright.systems.hold_that_thought.services.blob_keys import scan_type
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.preconditions import IfMatch

__all__ = ["letter_list_routes", "letter_routes", "version_routes"]

_LETTERS: Final = "/letters"
_LETTER: Final = _LETTERS + "/{date:letterdate}"


def letter_list_routes(desk: Desk) -> Api:
    api = Api(tags=["Letters"])

    @api.endpoint("GET", _LETTERS, answer=shapes.LetterList, refuses=refusals(), paged=True)
    async def list_letters(request: Request) -> Response:
        """All letters without their content, latest date first."""
        await desk.caller(request)
        page = await desk.letters.page(desk.paging(request))
        shown = (shapes.letter_answer(one, is_short=True) for one in page.items)
        return desk.listed(shown, page.cursor)

    @api.endpoint(
        "POST",
        _LETTERS,
        body=bodies.LetterBody,
        answer=shapes.LetterAnswer,
        status=201,
        refuses=refusals("admin_required", is_write=True, conflicts=["date_taken"]),
        idempotent=True,
        versioned=True,
    )
    async def add_letter(request: Request) -> Response:
        """Add a letter without scans."""
        caller = await desk.caller(request, "create letter")
        body = await read_body(request, bodies.LetterBody)
        once = desk.once(request, caller, body)
        await desk.count(caller, "other")

        async def effect() -> tuple[dict[str, object], int]:
            return await desk.letters.add(caller, body, once), 201

        return await desk.run(once, effect, completed=lambda one: one | {"content": body.content})

    return api


def letter_routes(desk: Desk) -> Api:
    api = Api(tags=["Letters"])

    @api.endpoint("GET", _LETTER, answer=shapes.LetterAnswer, refuses=refusals(), versioned=True)
    async def get_letter(request: Request, date: str) -> Response:
        """One letter."""
        date = desk.date(date)
        await desk.caller(request)
        return desk.answer(shapes.letter_answer(await desk.letters.get(date)))

    @api.endpoint(
        "PUT",
        _LETTER,
        body=bodies.LetterEdit,
        answer=shapes.LetterAnswer,
        refuses=refusals("approval_required", is_write=True),
        versioned=True,
    )
    async def put_letter(request: Request, date: str) -> Response:
        """Change a letter; what it said before is kept as a version."""
        date = desk.date(date)
        caller = await desk.caller(request, "edit letter")
        body = await read_body(request, bodies.LetterEdit)
        await desk.count(caller, "other")
        letter = await desk.letters.edit(caller, date, body, IfMatch.of(request))
        return desk.answer(shapes.letter_answer(letter))

    @api.endpoint(
        "DELETE",
        _LETTER,
        status=204,
        refuses=refusals("admin_required", is_write=True),
        versioned=True,
    )
    async def delete_letter(request: Request, date: str) -> Response:
        """Delete a letter with its versions, scans, comments and their reactions."""
        date = desk.date(date)
        caller = await desk.caller(request, "delete letter")
        await desk.count(caller, "other")
        await desk.letters.delete(date, IfMatch.of(request))
        return no_content()

    @api.endpoint("GET", f"{_LETTER}/scans", answer=shapes.ScanList, refuses=refusals(), paged=True)
    async def list_scans(request: Request, date: str) -> Response:
        """A letter's scans, in the order of their upload."""
        date = desk.date(date)
        await desk.caller(request)
        page = await desk.letters.scans(date, desk.paging(request))
        shown = [
            {
                "fileName": scan.file_name,
                "contentType": scan_type(scan.key),
                "url": desk.services.blobs.read_url(scan.key),
            }
            for scan in page.items
        ]
        return answer({"items": shown, "cursor": page.cursor})

    return api


def version_routes(desk: Desk) -> Api:
    api = Api(tags=["Letters"])

    @api.endpoint(
        "GET", f"{_LETTER}/versions", answer=shapes.VersionList, refuses=refusals(), paged=True
    )
    async def list_versions(request: Request, date: str) -> Response:
        """What a letter said before, without content, newest first."""
        date = desk.date(date)
        await desk.caller(request)
        page = await desk.letters.versions(date, desk.paging(request))
        shown = (shapes.version_answer(one, is_short=True) for one in page.items)
        return desk.listed(shown, page.cursor)

    @api.endpoint(
        "GET",
        _LETTER + "/versions/{timestamp:segment}",
        answer=shapes.VersionAnswer,
        refuses=refusals(),
    )
    async def get_version(request: Request, date: str, timestamp: str) -> Response:
        """One earlier text of a letter."""
        date, moment = desk.date(date), desk.moment(timestamp)
        await desk.caller(request)
        return desk.answer(shapes.version_answer(await desk.letters.version(date, moment)))

    @api.endpoint(
        "POST",
        f"{_LETTER}/revert",
        body=bodies.RevertBody,
        answer=shapes.LetterAnswer,
        refuses=refusals("approval_required", is_write=True),
        versioned=True,
    )
    async def revert_letter(request: Request, date: str) -> Response:
        """Make a letter say again what it said before; that is an edit, too."""
        date = desk.date(date)
        caller = await desk.caller(request, "edit letter")
        body = await read_body(request, bodies.RevertBody)
        await desk.count(caller, "other")
        letter = await desk.letters.revert(caller, date, body.timestamp)
        return desk.answer(shapes.letter_answer(letter))

    return api
