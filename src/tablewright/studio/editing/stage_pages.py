"""The pages that change items: the editor, the form of a new item, and the stage between."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from tablewright.studio.editing.item_editor import EditView, create_view, edit_view
from tablewright.studio.editing.stage_store import StageStore
from tablewright.studio.editing.stage_view import (
    Outcome,
    commit_stage,
    drop_attribute,
    read_again,
    stage_view,
)
from tablewright.studio.history.time_travel import require_now
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.page_routes import Studio, add_page, form_of
from tablewright.studio.shell.rendering import is_json
from tablewright.studio.shell.request_log import LoggedStore
from tablewright.web.http.problems import Problem

__all__ = ["add_stage_pages"]

_WRITES = ("commit", "stage", "delete")


def add_stage_pages(app: FastAPI, studio: Studio) -> None:
    stages = StageStore(studio.settings.port)
    app.state.stages = stages  # The head of every page tells how much is staged.

    async def edit(request: Request) -> Response:
        return await _edited(request, studio, stages)

    async def stage(request: Request) -> Response:
        require_now(request.query_params.get("as_of", ""))
        design = studio.design(request.path_params["design"])
        own = stages.of(request, design)
        form = await form_of(request) if request.method == "POST" else {}
        if form:
            studio.require_writing()
        do = form.get("do", "")
        if do in ("drop", "drop_attribute", "clear"):
            place = form.get("table", ""), form.get("address", "")
            if do == "clear":
                own.clear()
            elif do == "drop":
                own.drop(*place)
            else:
                drop_attribute(own, *place, form.get("name", ""))
            return _to_stage(request, design)
        if form and do not in ("commit", "read"):
            raise Problem(400, detail="Unknown stage action.")

        async def make(_request: Request, design: LoadedDesign, store: LoggedStore) -> Any:
            outcome: Outcome | None = None
            if do == "commit":
                outcome = await commit_stage(design, store, own)
            elif do == "read":
                outcome = await read_again(store, own)
            now = store.store.context.now()
            return stage_view(design, own, studio.price, now, outcome)

        return await studio.page(request, "stage", make)

    add_page(app, "/{design}/items/{table}/{address}/edit", edit, ("GET", "POST"))
    add_page(app, "/{design}/create/{entity}", edit, ("GET", "POST"))
    add_page(app, "/{design}/stage", stage, ("GET", "POST"))


async def _edited(request: Request, studio: Studio, stages: StageStore) -> Response:
    """The editor of an item, or of one that is to be made; what is staged leads to the stage."""
    require_now(request.query_params.get("as_of", ""))
    path = request.path_params
    design = studio.design(path["design"])
    tab = {"tab": request.query_params["tab"]} if "tab" in request.query_params else {}
    form = await form_of(request) if request.method == "POST" else tab
    if any(form.get(name) for name in _WRITES):
        studio.require_writing()
    own = stages.of(request, design)
    views: list[EditView] = []

    async def make(_request: Request, design: LoadedDesign, store: LoggedStore) -> Any:
        if "entity" in path:
            view = await create_view(design, store, path["entity"], form, own)
        else:
            view = await edit_view(design, store, (path["table"], path["address"]), form, own)
        views.append(view)
        return view

    page = await studio.page(request, "edit", make)
    return _to_stage(request, design) if views[0].is_staged else page


def _to_stage(request: Request, design: LoadedDesign) -> Response:
    root = request.scope.get("root_path", "")
    twin = ".json" if is_json(request) else ""
    return RedirectResponse(f"{root}/{design.name}/stage{twin}", 303)
