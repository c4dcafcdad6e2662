"""The pages of items: collections of them, and one of them."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

from tablewright.studio.history.item_history import history_view
from tablewright.studio.items.collections import CollectionsQuery, collections_view
from tablewright.studio.items.item_view import item_view
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.page_routes import Studio, add_page
from tablewright.studio.shell.request_log import LoggedStore

__all__ = ["add_item_pages"]


def add_item_pages(app: FastAPI, studio: Studio) -> None:
    time_travel = studio.time_travel

    async def collections(request: Request) -> Response:
        async def make(_request: Request, design: LoadedDesign, store: LoggedStore) -> Any:
            params = request.query_params
            await time_travel.travel(design, store, params.get("as_of", ""))
            query = CollectionsQuery(
                params.get("table", ""),
                params.get("index", ""),
                params.get("partition", ""),
                params.get("pk", "").strip(),
                params.get("start", ""),
                params.get("after", ""),
            )
            return await collections_view(design, store, query)

        return await studio.page(request, "collections", make)

    async def item(request: Request) -> Response:
        async def make(_request: Request, design: LoadedDesign, store: LoggedStore) -> Any:
            path, params = request.path_params, request.query_params
            if params.get("tab") == "history":
                store.as_of = time_travel.clock(design)
                return await history_view(design, store, path["table"], path["address"])
            await time_travel.travel(design, store, params.get("as_of", ""))
            return await item_view(design, store, path["table"], path["address"])

        return await studio.page(request, "item", make)

    add_page(app, "/{design}/collections", collections)
    add_page(app, "/{design}/items/{table}/{address}", item)
