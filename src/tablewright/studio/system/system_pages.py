"""The pages of a system: who may do what, its OpenAPI, acting as somebody; and finding and keeping.

Its documents are made when they are first asked for, beside other requests.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.responses import Response

from tablewright.studio.patterns.saved_query_pages import add_saved_pages
from tablewright.studio.shell.loaded_design import Subject
from tablewright.studio.shell.page_routes import Studio, add_page, form_of
from tablewright.studio.shell.palette import palette_view
from tablewright.studio.shell.request_log import Asking
from tablewright.studio.system.example_calls import view_with_commands
from tablewright.studio.system.impersonation import NotSent, Stage, act_view, chosen_operation, send
from tablewright.studio.system.in_process_client import Line
from tablewright.studio.system.permission_view import WantedRows
from tablewright.studio.system.system_documents import SystemDocument, is_system, matrix_of
from tablewright.studio.system.system_view import ServerView, server_view, system_view

__all__ = ["add_system_pages"]

# Where `tablewright serve` listens unless it is told otherwise.
_SERVED: Final = "http://127.0.0.1:8080"


class _Systems:
    """The systems behind the designs of a studio."""

    def __init__(self, studio: Studio) -> None:
        self._documents = studio.documents
        self._surroundings = studio.surroundings
        self._is_embedded = studio.settings.backend.kind == "embedded"

    async def described(self, subject: Subject) -> SystemDocument | None:
        """The system of a design, if it has one."""
        if not is_system(subject):
            return None
        return await asyncio.to_thread(self._documents.of, subject.name)

    def server(self, subject: Subject) -> ServerView:
        services = self._surroundings.server_of(subject.name)
        return server_view(subject.name, services, is_embedded=self._is_embedded)

    async def stage(self, subject: Subject) -> Stage:
        """A system to send requests to; raises LookupError."""
        found = await self.described(subject)
        if found is None:
            raise LookupError("This design has no system to send a request to.")
        services = self._surroundings.server_of(subject.name)
        where = self.server(subject)
        return Stage(subject.name, matrix_of(subject), found, where, services)


def add_system_pages(app: FastAPI, studio: Studio) -> None:
    systems = _Systems(studio)

    async def system(request: Request) -> Response:
        async def make(_request: Request, subject: Subject, _asking: Asking) -> Any:
            query = request.query_params
            wanted = WantedRows(
                query.get("q", "").strip(),
                query.get("who", ""),
                query.get("only", ""),
                query.get("why", ""),
            )
            where = systems.server(subject)
            return system_view(subject, await systems.described(subject), where, wanted)

        return await studio.page(request, "system", make)

    async def openapi(request: Request) -> Response:
        async def make(_request: Request, subject: Subject, _asking: Asking) -> Any:
            found = await systems.described(subject)
            if found is None:
                raise LookupError("This design has no system, and so no OpenAPI document.")
            services = studio.surroundings.server_of(subject.name)
            return view_with_commands(found, services.settings.base_url if services else _SERVED)

        return await studio.page(request, "openapi", make)

    async def find(request: Request) -> Response:
        async def make(_request: Request, subject: Subject, _asking: Asking) -> Any:
            folder = studio.surroundings.folder
            text = request.query_params.get("q", "").strip()
            return palette_view(subject, await systems.described(subject), folder, text)

        return await studio.page(request, "palette", make)

    add_page(app, "/{design}/system", system)
    add_page(app, "/{design}/openapi", openapi)
    add_page(app, "/{design}/find", find)
    _add_acting(app, studio, systems)
    add_saved_pages(app, studio)


def _add_acting(app: FastAPI, studio: Studio, systems: _Systems) -> None:
    line = Line()

    async def act(request: Request) -> Response:
        is_sent = request.method == "POST"
        given = await form_of(request) if is_sent else dict(request.query_params)

        async def make(_request: Request, subject: Subject, _asking: Asking) -> Any:
            stage = await systems.stage(subject)
            told = chosen_operation(stage.described, given)
            if not is_sent:
                return act_view(stage, given)
            if told.method != "GET":
                studio.require_writing()
            try:
                return act_view(stage, given, await send(stage, line, given))
            except NotSent as error:
                return act_view(stage, given, error=str(error))

        return await studio.page(request, "system_act", make)

    add_page(app, "/{design}/system/act", act, ("GET", "POST"))
