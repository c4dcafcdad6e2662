"""The pages of lint: findings, rules, fixes, and what loads a design file that has changed."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from tablewright.errors import ResourceNotFound
from tablewright.studio.history.retention import keep_changes
from tablewright.studio.items.sample_items import fill_with_samples
from tablewright.studio.lint.lint_fix import FixRefused, FixTarget, apply_fix, fix_view
from tablewright.studio.lint.lint_view import lint_view, rule_view
from tablewright.studio.shell.design_reload import DesignNotLoaded, is_own, reloaded
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.page_routes import Studio, add_page, form_of
from tablewright.studio.shell.request_log import LoggedStore
from tablewright.web.http.problems import Problem

__all__ = ["add_lint_pages"]


def add_lint_pages(app: FastAPI, studio: Studio) -> None:
    async def lint(request: Request) -> Response:
        async def make(_request: Request, design: LoadedDesign, _asking: LoggedStore) -> Any:
            has_samples = studio.settings.store.endswith(":memory:") and is_own(design)
            done = request.query_params.get("done", "")
            return lint_view(design, done=done, can_refill=has_samples)

        return await studio.page(request, "lint", make)

    async def rule(request: Request) -> Response:
        async def make(_request: Request, design: LoadedDesign, _asking: LoggedStore) -> Any:
            return rule_view(design, request.path_params["code"])

        return await studio.page(request, "rule", make)

    add_page(app, "/{design}/lint", lint)
    add_page(app, "/{design}/lint/{code}", rule)
    _add_fixes(app, studio)


def _add_fixes(app: FastAPI, studio: Studio) -> None:
    may_write = studio.settings.may_write

    async def fix(request: Request) -> Response:
        form = await form_of(request) if request.method == "POST" else dict(request.query_params)
        line = form.get("line", "")
        meant = FixTarget(
            request.path_params["code"],
            form.get("subject", ""),
            int(line[:9]) if line.isdecimal() and line.isascii() else 0,
        )
        if request.method == "POST":
            studio.require_writing()
            design = studio.design(request.path_params["design"])
            try:
                apply_fix(design, meant, form.get("digest", ""), may_write=may_write)
            except FixRefused as refused:
                raise Problem(409, detail=str(refused)) from refused
            except LookupError as error:
                raise Problem(404, detail=str(error.args[0])) from error
            return _reloaded(request, design, "fixed")

        async def make(_request: Request, design: LoadedDesign, _asking: LoggedStore) -> Any:
            return fix_view(design, meant, may_write=may_write)

        return await studio.page(request, "fix", make)

    async def reload(request: Request) -> Response:
        design = studio.design(request.path_params["design"])
        if not is_own(design):
            raise Problem(403, detail="Designs of installed packages cannot be reloaded.")
        return _reloaded(request, design, "reloaded")

    def _reloaded(request: Request, design: LoadedDesign, done: str) -> Response:
        try:
            studio.designs[design.name] = reloaded(design)
        except DesignNotLoaded as error:
            return studio.renderer.page(request, "fix_broken", error.broken, design=design)
        return _to_lint(request, design, done)

    async def samples(request: Request) -> Response:
        studio.require_writing()
        design = studio.design(request.path_params["design"])
        if not is_own(design) or not studio.settings.store.endswith(":memory:"):
            raise Problem(403, detail="Only sample items can be recreated.")
        for table in design.tables:
            try:
                await studio.store.call("DeleteTable", {"TableName": table.name})
            except ResourceNotFound:
                continue
        await studio.store.ensure_tables(design.tables)
        await keep_changes(studio.store, [table.name for table in design.tables])
        await fill_with_samples(studio.store, design)
        return _to_lint(request, design, "filled")

    add_page(app, "/{design}/lint/{code}/fix", fix, ("GET", "POST"))
    app.add_api_route("/{design}/reload", reload, methods=["POST"])
    app.add_api_route("/{design}/samples", samples, methods=["POST"])


def _to_lint(request: Request, design: LoadedDesign, done: str) -> Response:
    root = request.scope.get("root_path", "")
    return RedirectResponse(f"{root}/{design.name}/lint?{urlencode({'done': done})}", 303)
