"""The system page of a design: description, server and permissions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.studio.system.permission_view import MatrixFilter, MatrixView, matrix_view
from tablewright.studio.system.system_documents import is_system, matrix_of

if TYPE_CHECKING:
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.studio.system.system_documents import SystemDocument
    from tablewright.web.services.services import Services

__all__ = ["ServerView", "SystemView", "server_view", "system_view"]


@dataclass(frozen=True)
class ServerView:
    """The server of a system, if it runs in this process."""

    url: str  # Empty where there is none.
    command: str  # What starts one.
    can_act: bool
    reason: str  # Why requests cannot be sent from here.


@dataclass(frozen=True)
class SystemView:
    """The page; a design without a system has only its name."""

    name: str
    is_system: bool
    title: str = ""
    description: str = ""
    endpoints: int = 0
    server: ServerView | None = None
    matrix: MatrixView | None = None


def server_view(name: str, services: Services | None, *, is_embedded: bool) -> ServerView:
    """Where a system runs, and whether the studio may call it as anybody."""
    command = f"tablewright serve {name}"
    if services is None:
        reason = "The system does not run in this server, so the studio cannot send requests to it."
        return ServerView("", command, can_act=False, reason=reason)
    reason = ""
    if not services.settings.is_dev:
        reason = "The server is not in dev mode, so it issues no tokens."
    elif not is_embedded:
        reason = "The studio sends requests only to systems on an embedded store."
    return ServerView(f"{services.settings.base_url}/{name}", command, not reason, reason)


def system_view(
    design: LoadedDesign,
    document: SystemDocument | None,
    server: ServerView,
    matrix_filter: MatrixFilter,
) -> SystemView:
    """The page; raises LookupError for a kind of caller or a cell that is not there."""
    if document is None or not is_system(design):
        return SystemView(design.name, is_system=False)
    return SystemView(
        name=design.name,
        is_system=True,
        title=document.view.title,
        description=document.view.description,
        endpoints=len(document.operations),
        server=server,
        matrix=matrix_view(matrix_of(design), document, matrix_filter),
    )
