"""Routes of a system's pages: permissions, OpenAPI, sending requests; search and saved queries.

OpenAPI documents are built on first use, in a thread.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.responses import Response

from tablewright.studio.patterns.saved_query_pages import add_saved_pages
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.page_routes import Studio, add_page, form_of
from tablewright.studio.shell.palette import palette_view
from tablewright.studio.shell.request_log import LoggedStore
from tablewright.studio.system.example_calls import view_with_commands
from tablewright.studio.system.impersonation import (
    NotSent,
    TargetSystem,
    act_view,
    chosen_operation,
    send,
)
from tablewright.studio.system.in_process_client import InProcessClient
from tablewright.studio.system.permission_view import MatrixFilter
from tablewright.studio.system.system_documents import SystemDocument, is_system, matrix_of
from tablewright.studio.system.system_view import ServerView, server_view, system_view

__all__ = ["add_system_pages"]

# The default address of `tablewright serve`.
_SERVED: Final = "http://127.0.0.1:8080"


class _Systems:
    """The systems behind the designs of a studio."""

    def __init__(self, studio: Studio) -> None:
        self._documents = studio.documents
        self._surroundings = studio.context
        self._is_embedded = studio.settings.backend.kind == "embedded"

    async def document(self, design: LoadedDesign) -> SystemDocument | None:
        """The system of a design, if it has one."""
        if not is_system(design):
            return None
        return await asyncio.to_thread(self._documents.of, design.name)

    def server(self, design: LoadedDesign) -> ServerView:
        services = self._surroundings.server_of(design.name)
        return server_view(design.name, services, is_embedded=self._is_embedded)

    async def target(self, design: LoadedDesign) -> TargetSystem:
        """A system to send requests to; raises LookupError."""
        document = await self.document(design)
        if document is None:
            raise LookupError("This design has no system to send a request to.")
        services = self._surroundings.server_of(design.name)
        where = self.server(design)
        return TargetSystem(design.name, matrix_of(design), document, where, services)


def add_system_pages(app: FastAPI, studio: Studio) -> None:
    systems = _Systems(studio)

    async def system(request: Request) -> Response:
        async def make(_request: Request, design: LoadedDesign, _asking: LoggedStore) -> Any:
            query = request.query_params
            matrix_filter = MatrixFilter(
                query.get("q", "").strip(),
                query.get("who", ""),
                query.get("only", ""),
                query.get("why", ""),
            )
            where = systems.server(design)
            return system_view(design, await systems.document(design), where, matrix_filter)

        return await studio.page(request, "system", make)

    async def openapi(request: Request) -> Response:
        async def make(_request: Request, design: LoadedDesign, _asking: LoggedStore) -> Any:
            document = await systems.document(design)
            if document is None:
                raise LookupError("This design has no system, so it has no OpenAPI document.")
            services = studio.context.server_of(design.name)
            return view_with_commands(document, services.settings.base_url if services else _SERVED)

        return await studio.page(request, "openapi", make)

    async def find(request: Request) -> Response:
        async def make(_request: Request, design: LoadedDesign, _asking: LoggedStore) -> Any:
            folder = studio.context.folder
            text = request.query_params.get("q", "").strip()
            return palette_view(design, await systems.document(design), folder, text)

        return await studio.page(request, "palette", make)

    add_page(app, "/{design}/system", system)
    add_page(app, "/{design}/openapi", openapi)
    add_page(app, "/{design}/find", find)
    _add_acting(app, studio, systems)
    add_saved_pages(app, studio)


def _add_acting(app: FastAPI, studio: Studio, systems: _Systems) -> None:
    client = InProcessClient()

    async def act(request: Request) -> Response:
        is_sent = request.method == "POST"
        form = await form_of(request) if is_sent else dict(request.query_params)

        async def make(_request: Request, design: LoadedDesign, _asking: LoggedStore) -> Any:
            target = await systems.target(design)
            operation = chosen_operation(target.document, form)
            if not is_sent:
                return act_view(target, form)
            if operation.method != "GET":
                studio.require_writing()
            try:
                return act_view(target, form, await send(target, client, form))
            except NotSent as error:
                return act_view(target, form, error=str(error))

        return await studio.page(request, "system_act", make)

    add_page(app, "/{design}/system/act", act, ("GET", "POST"))
