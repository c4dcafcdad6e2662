"""Routes of letters, their versions and scans."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Depends

from tablewright.systems.hold_that_thought.bodies import LetterBody, LetterEdit, RevertBody
from tablewright.systems.hold_that_thought.dependencies import (
    WRITE,
    DatePath,
    LetterService,
    Member,
    Once,
    RateService,
    TimestampPath,
    may,
)
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import (
    LetterAnswer,
    LetterInList,
    ScanAnswer,
    VersionAnswer,
    VersionInList,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.openapi import codes
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(tags=["Letters"])
_LETTERS: Final = "/letters"
_LETTER: Final = _LETTERS + "/{date:letterdate}"
Editor = Annotated[Caller, Depends(may("edit letter"))]
Creator = Annotated[Caller, Depends(may("create letter"))]
Remover = Annotated[Caller, Depends(may("delete letter"))]


@router.get(_LETTERS)
async def list_letters(caller: Member, page: Page, letters: LetterService) -> ListOf[LetterInList]:
    """All letters without their content, latest date first."""
    return (await letters.page(page)).shown(LetterInList.of)


@router.post(_LETTERS, status_code=201, responses=WRITE | {409: codes("date_taken")})
async def add_letter(
    caller: Creator, body: LetterBody, once: Once, rates: RateService, letters: LetterService
) -> LetterAnswer:
    """Add a letter without scans."""
    await rates.count(caller.user_id, "other")
    return LetterAnswer.of(await letters.add(caller, body, once))


@router.get(_LETTER)
async def get_letter(date: DatePath, caller: Member, letters: LetterService) -> LetterAnswer:
    """One letter."""
    return LetterAnswer.of(await letters.get(date))


@router.put(_LETTER, responses=WRITE)
async def put_letter(
    date: DatePath,
    caller: Editor,
    body: LetterEdit,
    if_match: Precondition,
    rates: RateService,
    letters: LetterService,
) -> LetterAnswer:
    """Change a letter; the text before is kept as a version."""
    await rates.count(caller.user_id, "other")
    return LetterAnswer.of(await letters.edit(caller, date, body, if_match))


@router.delete(_LETTER, status_code=204, responses=WRITE)
async def delete_letter(
    date: DatePath,
    caller: Remover,
    if_match: Precondition,
    rates: RateService,
    letters: LetterService,
) -> None:
    """Delete a letter with its versions, scans, comments and their reactions."""
    await rates.count(caller.user_id, "other")
    await letters.delete(date, if_match)


@router.get(f"{_LETTER}/scans")
async def list_scans(
    date: DatePath, caller: Member, page: Page, letters: LetterService
) -> ListOf[ScanAnswer]:
    """A letter's scans, in the order of their upload."""
    return (await letters.scans(date, page)).shown(ScanAnswer.of)


@router.get(f"{_LETTER}/versions")
async def list_versions(
    date: DatePath, caller: Member, page: Page, letters: LetterService
) -> ListOf[VersionInList]:
    """Earlier texts of a letter, without content, newest first."""
    return (await letters.versions(date, page)).shown(VersionInList.of)


@router.get(_LETTER + "/versions/{timestamp:segment}")
async def get_version(
    date: DatePath, timestamp: TimestampPath, caller: Member, letters: LetterService
) -> VersionAnswer:
    """One earlier text of a letter."""
    return VersionAnswer.of(await letters.version(date, timestamp))


@router.post(f"{_LETTER}/revert", responses=WRITE)
async def revert_letter(
    date: DatePath,
    caller: Editor,
    body: RevertBody,
    rates: RateService,
    letters: LetterService,
) -> LetterAnswer:
    """Restore an earlier text of a letter; that is an edit, too."""
    await rates.count(caller.user_id, "other")
    return LetterAnswer.of(await letters.revert(caller, date, body.timestamp))
