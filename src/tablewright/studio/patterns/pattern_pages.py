"""The pages of access patterns: all of them, one that reads, one that writes."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

from tablewright.studio.design.design_charts import pattern_lines, write_lines
from tablewright.studio.history.time_travel import require_now
from tablewright.studio.patterns.pattern_runner import runner_view
from tablewright.studio.patterns.saved_queries import saved_queries
from tablewright.studio.patterns.write_runner import write_view
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.page_routes import Studio, add_page, form_of
from tablewright.studio.shell.request_log import LoggedStore

__all__ = ["add_pattern_pages"]


def add_pattern_pages(app: FastAPI, studio: Studio) -> None:
    price = studio.price
    time_travel = studio.time_travel

    async def patterns(request: Request) -> Response:
        async def make(_request: Request, design: LoadedDesign, _asking: LoggedStore) -> Any:
            return {
                "patterns": pattern_lines(design, price),
                "writes": write_lines(design, price),
                "saved": saved_queries(studio.context.folder, design),
                "price": f"{price.region}, {price.date}",
            }

        return await studio.page(request, "patterns", make)

    async def pattern(request: Request) -> Response:
        async def make(_request: Request, design: LoadedDesign, store: LoggedStore) -> Any:
            form = dict(request.query_params)
            await time_travel.travel(design, store, form.get("as_of", ""))
            return await runner_view(design, store, request.path_params["name"], form, price)

        return await studio.page(request, "pattern", make)

    async def write(request: Request) -> Response:
        require_now(request.query_params.get("as_of", ""))
        form = await form_of(request) if request.method == "POST" else {}
        commits = form.pop("commit", "") == "yes"
        if commits:
            studio.require_writing()

        async def make(_request: Request, design: LoadedDesign, store: LoggedStore) -> Any:
            name = request.path_params["name"]
            return await write_view(design, store, name, form, price, commits=commits)

        return await studio.page(request, "write", make)

    add_page(app, "/{design}/patterns", patterns)
    add_page(app, "/{design}/patterns/{name}", pattern)
    add_page(app, "/{design}/writes/{name}", write, ("GET", "POST"))
