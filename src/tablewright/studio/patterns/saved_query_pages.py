"""Routes of saved queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from tablewright.studio.patterns.saved_queries import (
    NAME,
    NameTaken,
    NotSaved,
    SavedQuery,
    save_query,
    saved_queries,
)
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.page_routes import Studio, add_page, form_of
from tablewright.studio.shell.request_log import LoggedStore
from tablewright.web.http.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["SavedView", "add_saved_pages", "saved_view"]

_OWN: Final = ("name", "pattern", "replace", "run", "after")  # Not arguments of the pattern.


@dataclass(frozen=True)
class SavedView:
    """The page: what is kept, and what could be."""

    folder: str  # Empty where nothing can be kept.
    queries: tuple[SavedQuery, ...]
    pattern: str
    arguments: tuple[tuple[str, str], ...]
    name: str
    name_pattern: str
    is_taken: bool
    error: str


def saved_view(
    design: LoadedDesign,
    folder: Path | None,
    form: Mapping[str, str],
    error: NotSaved | None = None,
) -> SavedView:
    """The page; ``form`` is a query that is to be kept."""
    pattern = form.get("pattern", "")
    return SavedView(
        folder=str(folder) if folder is not None else "",
        queries=tuple(saved_queries(folder, design)),
        pattern=pattern if pattern in design.pattern_names else "",
        arguments=tuple(_arguments(form).items()),
        name=form.get("name", pattern.replace("_", "-")),
        name_pattern=NAME,
        is_taken=isinstance(error, NameTaken),
        error=str(error) if error is not None else "",
    )


def _arguments(form: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in form.items() if name not in _OWN and value}


def add_saved_pages(app: FastAPI, studio: Studio) -> None:
    async def saved(request: Request) -> Response:
        folder = studio.context.folder
        design = studio.design(request.path_params["design"])
        form = dict(request.query_params)
        error: NotSaved | None = None
        if request.method == "POST":
            form = await form_of(request)
            if folder is None:
                raise Problem(403, detail="This studio has no folder for queries.")
            query = form.get("pattern", ""), _arguments(form)
            replaces = form.get("replace") == "yes"
            try:
                save_query(folder, design, form.get("name", ""), query, replaces=replaces)
                root = request.scope.get("root_path", "")
                return RedirectResponse(f"{root}/{design.name}/saved", 303)
            except NotSaved as refused:
                error = refused

        async def make(_request: Request, design: LoadedDesign, _asking: LoggedStore) -> Any:
            return saved_view(design, folder, form, error)

        return await studio.page(request, "saved", make)

    add_page(app, "/{design}/saved", saved, ("GET", "POST"))
