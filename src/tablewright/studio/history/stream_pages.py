"""The pages of the stream: the last changes, the live tail, and what tables keep of them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from tablewright.studio.history.retention import (
    NOT_EMBEDDED,
    database_of,
    keep_history,
    keep_stream,
)
from tablewright.studio.history.stream_feed import StreamBatch, sought_of, stream_view, tail
from tablewright.studio.items.item_links import AddressInvalid
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.page_routes import Studio, add_page, form_of
from tablewright.studio.shell.rendering import is_json
from tablewright.studio.shell.request_log import LoggedStore
from tablewright.web.http.answers import as_json
from tablewright.web.http.problems import Problem

__all__ = ["add_stream_pages", "event_text"]

_RETRY: Final = "retry: 1000\n\n"  # Milliseconds after which a browser asks again.
_HEARTBEAT: Final = ": still here\n\n"


def add_stream_pages(app: FastAPI, studio: Studio) -> None:
    time_travel = studio.time_travel

    async def stream(request: Request) -> Response:
        async def make(_request: Request, design: LoadedDesign, store: LoggedStore) -> Any:
            store.as_of = time_travel.clock(design)
            sought = sought_of(design, request.query_params)
            return await stream_view(design, store, sought)

        return await studio.page(request, "stream", make)

    async def events(request: Request) -> Response:
        return _events(request, studio, can_travel=_can_travel)

    def _can_travel(design: LoadedDesign) -> bool:
        return not time_travel.clock(design).reason

    async def keep(request: Request) -> Response:
        studio.require_writing()
        design = studio.design(request.path_params["design"])
        if database_of(studio.store) is None:
            raise Problem(400, detail=NOT_EMBEDDED)
        form = await form_of(request)
        what, name = request.path_params["what"], form.get("table", "")
        turn_on = {"on": keep_stream, "history": keep_history}.get(what)
        names = [table.name for table in design.tables if name in ("", table.name)]
        if turn_on is None or not names:
            raise Problem(404, detail=f"This design has no table {name}." if turn_on else None)
        for each in names:
            await turn_on(studio.store, each)
        root = f"{request.scope.get('root_path', '')}/{design.name}/"
        back = form.get("back", "")
        # Back to a page of this design: a form of ours may not lead anywhere else.
        is_own = back.startswith(root) and "//" not in back and "\\" not in back
        return RedirectResponse(back if is_own else f"{root}stream", 303)

    add_page(app, "/{design}/stream/events", events)
    app.add_api_route("/{design}/stream/{what}", keep, methods=["POST"])
    add_page(app, "/{design}/stream", stream)


def _events(
    request: Request, studio: Studio, can_travel: Callable[[LoadedDesign], bool]
) -> Response:
    """Changes as server-sent events: HTML for the page, or JSON where that is asked for."""
    design = studio.design(request.path_params["design"])
    database = database_of(studio.store)
    if database is None:
        raise Problem(400, detail=NOT_EMBEDDED)
    query = dict(request.query_params)
    # A browser whose connection broke says what it has seen.
    last_id = request.headers.get("last-event-id") or query.get("after") or ""
    try:
        sought = sought_of(design, query | {"from": last_id, "before": ""})
    except LookupError as error:
        raise Problem(404, detail=str(error.args[0])) from error
    except AddressInvalid as error:
        raise Problem(400, detail=f"{error}.") from error
    if sought.first is None:
        newest = database.recorded_before([table.name for table in design.tables], 1 << 62, 1)
        after = newest[0].sequence if newest else 0
    else:
        after = sought.first

    def data(arrival: StreamBatch) -> str:
        if is_json(request):
            return as_json([asdict(group) for group in arrival.groups]).decode()
        view = {"groups": arrival.groups, "can_travel": can_travel(design), "known": sought.known}
        page = studio.renderer.page(request, "stream_groups", view, design=design)
        return bytes(page.body).decode()

    async def sent() -> AsyncIterator[str]:
        yield _RETRY
        async for arrival in tail(database, design, sought, after, _ending(request)):
            if arrival is None:
                yield _HEARTBEAT
            else:
                yield event_text(str(arrival.sequence), "changes", data(arrival))

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(sent(), media_type="text/event-stream", headers=headers)


def _ending(request: Request) -> Callable[[], bool]:
    """Whether the server is shutting down, so that open event streams end."""
    is_stopping: Callable[[], bool] | None = request.scope.get("state", {}).get("is_stopping")
    return is_stopping if is_stopping is not None else lambda: False


def event_text(number: str, name: str, data: str) -> str:
    """A server-sent event."""
    # Lines end as the format says, and not where else Python would end them.
    lines = "".join(f"data: {line}\n" for line in re.split("\r\n|\r|\n", data.strip()))
    return f"id: {number}\nevent: {name}\n{lines}\n"
