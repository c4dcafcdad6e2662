"""Routes of entries: log, list, search, export."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from tablewright.systems.roll_model.dependencies import (
    AnyRole,
    Athlete,
    EntryService,
    JournalReader,
    Once,
    PeopleService,
)
from tablewright.systems.roll_model.permissions import Standing
from tablewright.systems.roll_model.schemas import (
    EntryAnswer,
    EntryBody,
    EntryQuery,
    ExportAnswer,
    ExportQuery,
    HitAnswer,
    SearchQuery,
)
from tablewright.systems.roll_model.services.export import as_csv, full, tidy
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(tags=["Entries"])
export_router = Router(tags=["Export"])
_ENTRY = "/entries/{entry_id:uuidtext}"


@router.post("/entries", status_code=201)
async def add_entry(
    caller: Athlete, body: EntryBody, once: Once, entries: EntryService
) -> EntryAnswer:
    """Log a session."""
    return EntryAnswer.of(await entries.add(caller, body, once))


@router.get("/entries")
async def list_entries(
    caller: Athlete, query: Annotated[EntryQuery, Query()], page: Page, entries: EntryService
) -> ListOf[EntryAnswer]:
    """Your entries, newest first."""
    listing = await entries.page(caller, caller.user_id, query, page)
    return listing.shown(EntryAnswer.of)


@router.get("/athletes/{athlete_id:userid}/entries")
async def list_athlete_entries(
    caller: JournalReader,
    athlete_id: str,
    query: Annotated[EntryQuery, Query()],
    page: Page,
    people: PeopleService,
    entries: EntryService,
) -> ListOf[EntryAnswer]:
    """An athlete's entries, newest first; a coach sees the shared view."""
    entries.require_page(caller, athlete_id, query, page)
    standing = await people.require_access(caller, athlete_id)
    listing = await entries.page(caller, athlete_id, query, page)
    return listing.shown(lambda entry: EntryAnswer.seen(entry, standing))


@router.get(_ENTRY)
async def get_entry(caller: AnyRole, entry_id: str, entries: EntryService) -> EntryAnswer:
    """One entry; a coach sees the shared view."""
    return EntryAnswer.seen(*await entries.seen(caller, entry_id))


@router.put(_ENTRY)
async def put_entry(
    caller: AnyRole,
    entry_id: str,
    body: EntryBody,
    if_match: Precondition,
    entries: EntryService,
) -> EntryAnswer:
    """Change an entry."""
    return EntryAnswer.of(await entries.replace(caller, entry_id, body, if_match))


@router.delete(_ENTRY, status_code=204)
async def delete_entry(
    caller: AnyRole, entry_id: str, if_match: Precondition, entries: EntryService
) -> None:
    """Delete an entry with its comments."""
    await entries.delete(caller, entry_id, if_match)


@router.get("/search")
async def search(
    caller: AnyRole,
    query: Annotated[SearchQuery, Query()],
    people: PeopleService,
    entries: EntryService,
) -> ListOf[HitAnswer]:
    """Entries by words, the best matches first.

    Private words count only for the athlete, and only with includePrivate.
    """
    athlete_id = people.athlete_of(caller, query.athlete_id)
    standing = await people.require_access(caller, athlete_id)
    with_private = query.include_private and standing is Standing.OWNER
    hits = await entries.search(
        athlete_id, query.keywords, with_private=with_private, hits_max=query.limit
    )
    return ListOf(items=[HitAnswer.seen(hit, standing) for hit in hits])


@export_router.get(
    "/export",
    response_model=ExportAnswer,
    responses={200: {"content": {"text/csv": {}}}},
)
async def export(
    caller: Athlete, query: Annotated[ExportQuery, Query()], entries: EntryService
) -> Response | ExportAnswer:
    """Everything you own.

    With format=csv the entries alone, as text/csv.
    """
    owned = await entries.export(caller)
    if query.format == "csv":
        return Response(as_csv(owned), media_type="text/csv; charset=utf-8")
    return ExportAnswer(full(owned) if query.mode == "full" else tidy(owned))
