"""Routes of entries: logged, listed, found by words, exported."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.roll_model import shapes
from tablewright.systems.roll_model.dependencies import FORBIDDEN, LINKED, ROLE, Desk
from tablewright.systems.roll_model.permissions import Standing
from tablewright.systems.roll_model.queries import (
    ENTRY_QUERY,
    EXPORT_QUERY,
    SEARCH_QUERY,
    entry_filters,
)
from tablewright.systems.roll_model.services.export import as_csv, full, read_export, tidy
from tablewright.systems.roll_model.services.keywords import query_tokens
from tablewright.systems.roll_model.services.search import find
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.field_types import UserId
from tablewright.web.http.paging import Listing
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import field_problem
from tablewright.web.http.queries import Queries

__all__ = ["entry_list_routes", "entry_routes", "export_routes", "search_routes"]

ROWS_PER_TOKEN = 50
_ENTRY = "/entries/{entry_id:uuidtext}"


def entry_routes(desk: Desk) -> Api:
    api = Api(tags=["Entries"])

    @api.endpoint(
        "POST",
        "/entries",
        body=shapes.EntryBody,
        answer=shapes.EntryAnswer,
        status=201,
        refuses=ROLE,
        idempotent=True,
        versioned=True,
    )
    async def add_entry(request: Request) -> Response:
        """Log a session."""
        caller = await desk.caller(request, "athlete")
        body = await read_body(request, shapes.EntryBody)
        once = desk.once(request, caller, body)

        async def effect() -> Response:
            entry = await desk.entries.add(caller, body, once)
            return answer(shapes.entry_answer(entry), 201, version=entry.version)

        return await desk.run(once, effect)

    @api.endpoint("GET", _ENTRY, answer=shapes.EntryAnswer, refuses=ROLE, versioned=True)
    async def get_entry(request: Request, entry_id: str) -> Response:
        """One entry; a coach sees the shared view."""
        caller = await desk.caller(request)
        entry, standing = await desk.entries.seen(caller, entry_id)
        shown = shapes.entry_answer(entry, is_coach=standing is Standing.COACH)
        return answer(shown, version=entry.version)

    @api.endpoint(
        "PUT",
        _ENTRY,
        body=shapes.EntryBody,
        answer=shapes.EntryAnswer,
        refuses=FORBIDDEN,
        versioned=True,
    )
    async def put_entry(request: Request, entry_id: str) -> Response:
        """Change an entry."""
        caller = await desk.caller(request)
        body = await read_body(request, shapes.EntryBody)
        entry = await desk.entries.replace(caller, entry_id, body, IfMatch.of(request))
        return answer(shapes.entry_answer(entry), version=entry.version)

    @api.endpoint("DELETE", _ENTRY, status=204, refuses=FORBIDDEN, versioned=True)
    async def delete_entry(request: Request, entry_id: str) -> Response:
        """Delete an entry with its comments."""
        caller = await desk.caller(request)
        await desk.entries.delete(caller, entry_id, IfMatch.of(request))
        return no_content()

    return api


def entry_list_routes(desk: Desk) -> Api:
    api = Api(tags=["Entries"])

    @api.endpoint(
        "GET", "/entries", answer=shapes.EntryList, refuses=ROLE, query=ENTRY_QUERY, paged=True
    )
    async def list_entries(request: Request) -> Response:
        """One's own entries, newest first."""
        caller = await desk.caller(request, "athlete")
        filters, paging = entry_filters(request), desk.paging(request)
        page = await desk.entries.page(caller.user_id, filters, paging, caller)
        return answer(Listing([shapes.entry_answer(e) for e in page.items], page.cursor).body())

    @api.endpoint(
        "GET",
        "/athletes/{athlete_id:userid}/entries",
        answer=shapes.EntryList,
        refuses=LINKED,
        query=ENTRY_QUERY,
        paged=True,
    )
    async def list_athlete_entries(request: Request, athlete_id: str) -> Response:
        """An athlete's entries, newest first; a coach sees the shared view."""
        caller = await desk.caller(request)
        desk.people.require_role(caller, athlete_id)
        filters, paging = entry_filters(request), desk.paging(request)
        desk.entries.require_page(athlete_id, filters, paging, caller)
        standing = await desk.people.require_access(caller, athlete_id)
        page = await desk.entries.page(athlete_id, filters, paging, caller)
        is_coach = standing is Standing.COACH
        shown = [shapes.entry_answer(entry, is_coach=is_coach) for entry in page.items]
        return answer(Listing(shown, page.cursor).body())

    return api


def search_routes(desk: Desk) -> Api:
    api = Api(tags=["Entries"])

    @api.endpoint("GET", "/search", answer=shapes.HitList, refuses=LINKED, query=SEARCH_QUERY)
    async def search(request: Request) -> Response:
        """Entries by words, the best matches first.

        Private words count only for the athlete herself, and only with includePrivate.
        """
        caller = await desk.caller(request)
        query = Queries(request)
        keywords: str = query.needed("keywords", query.line("keywords", 1, 200))
        limit = query.number("limit", 1, 50) or 10
        with_private = query.flag("includePrivate")
        athlete_id = desk.athlete_of(caller, query.text("athleteId", UserId))
        standing = await desk.people.require_access(caller, athlete_id)
        is_coach = standing is Standing.COACH
        hits = await find(
            desk.services.store,
            athlete_id,
            query_tokens([keywords]),
            with_private=with_private and not is_coach,
            rows_max=ROWS_PER_TOKEN,
            hits_max=limit,
        )
        shown = [shapes.hit_answer(hit.entry, hit.matched, is_coach=is_coach) for hit in hits]
        return answer({"items": shown, "cursor": None})

    return api


def export_routes(desk: Desk) -> Api:
    api = Api(tags=["Export"])

    @api.endpoint(
        "GET",
        "/export",
        answer=shapes.ExportAnswer,
        refuses=ROLE,
        query=EXPORT_QUERY,
        media_type="text/csv",
    )
    async def export(request: Request) -> Response:
        """Everything one owns.

        With format=csv the entries alone, as text/csv.
        """
        caller = await desk.caller(request, "athlete")
        query = Queries(request)
        mode = query.choice("mode", ("full", "tidy"), "full")
        form = query.choice("format", ("json", "csv"), "json")
        if mode == "tidy" and form == "csv":
            raise field_problem("format", "must be json with mode tidy")
        found = await read_export(desk.services, desk.people, caller)
        if form == "csv":
            return Response(as_csv(found), media_type="text/csv; charset=utf-8")
        return answer(full(found) if mode == "full" else tidy(found))

    return api
