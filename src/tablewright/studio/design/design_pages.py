"""The pages of a design that need no items: start and map."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

from tablewright.studio.design.design_charts import charts_of, markdown_of, pattern_lines
from tablewright.studio.design.design_map import design_map
from tablewright.studio.design.home import start_view
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.page_routes import Studio, add_page
from tablewright.studio.shell.request_log import LoggedStore

__all__ = ["add_design_pages"]

MAP_FORMS = ("map", "chart", "patterns", "markdown")


def add_design_pages(app: FastAPI, studio: Studio) -> None:
    async def start(request: Request) -> Response:
        async def make(_request: Request, design: LoadedDesign, store: LoggedStore) -> Any:
            return await start_view(design, store)

        return await studio.page(request, "start", make)

    async def drawn(request: Request) -> Response:
        async def make(_request: Request, design: LoadedDesign, _asking: LoggedStore) -> Any:
            form = request.query_params.get("view", "map")
            return {
                "form": form if form in MAP_FORMS else "map",
                "map": design_map(design),
                "charts": charts_of(design),
                "patterns": pattern_lines(design, studio.price),
                "markdown": markdown_of(design, studio.price),
            }

        return await studio.page(request, "map", make)

    add_page(app, "/{design}/map", drawn)
    add_page(app, "/{design}/", start)
