"""The systems behind designs and their OpenAPI documents, built without a server."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablewright.stores.cursors import Cursors
from tablewright.systems.registry import PACKAGES, find_systems
from tablewright.web.identity.auth import Authenticator
from tablewright.web.identity.secret import BYTES_MIN, Secret
from tablewright.web.pages.openapi_view import OpenApiView, OperationView, openapi_view
from tablewright.web.server.server_settings import Settings
from tablewright.web.services.ai import open_assistant
from tablewright.web.services.background import Background
from tablewright.web.services.blobs import FolderBlobs
from tablewright.web.services.clock import Clock
from tablewright.web.services.ids import Ids
from tablewright.web.services.mail import Outbox
from tablewright.web.services.services import Services

if TYPE_CHECKING:
    from tablewright.stores.async_store import AsyncStore
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.web.identity.permission_matrix import Matrix

__all__ = ["SystemDocument", "SystemDocuments", "is_system", "matrix_of", "placeholder_services"]


def is_system(design: LoadedDesign) -> bool:
    """Whether this is the design of a shipped system; another design can have the same name."""
    package = PACKAGES.get(design.name)
    return design.module.__name__ == f"tablewright.systems.{package}.design"


def matrix_of(design: LoadedDesign) -> Matrix:
    """The permission matrix of a system."""
    package = PACKAGES[design.name]
    matrix: Matrix = import_module(f"tablewright.systems.{package}.permissions").MATRIX
    return matrix


@dataclass(frozen=True, eq=False)
class SystemDocument:
    """The OpenAPI document of a system."""

    content: dict[str, Any]

    @cached_property
    def view(self) -> OpenApiView:
        """Its view model."""
        return openapi_view(self.content)

    @cached_property
    def operations(self) -> dict[tuple[str, str], OperationView]:
        """Its operations by method and path, in order."""
        return {(operation.method, operation.path): operation for operation in self.view.operations}

    @cached_property
    def tags(self) -> dict[str, str]:
        """The tag of each operation, by the operation's anchor."""
        return {
            operation.anchor: tag.name for tag in self.view.tags for operation in tag.operations
        }

    def at(self, anchor: str) -> OperationView:
        """The operation with this anchor; raises LookupError."""
        for operation in self.view.operations:
            if operation.anchor == anchor:
                return operation
        raise LookupError(f"The system has no endpoint {anchor}.")


class SystemDocuments:
    """OpenAPI documents by the name of their system, each built on first use."""

    def __init__(self, store: AsyncStore) -> None:
        self._store = store
        self._documents: dict[str, SystemDocument] = {}
        self._lock = threading.Lock()

    def of(self, name: str) -> SystemDocument:
        """The document of a system; concurrent threads build it only once."""
        with self._lock:
            if name not in self._documents:
                app = find_systems([name])[name].create_app(placeholder_services(self._store))
                content = {**app.openapi(), "servers": [{"url": f"/{name}"}]}
                self._documents[name] = SystemDocument(content)
            return self._documents[name]


def placeholder_services(store: AsyncStore) -> Services:
    """Services for an app that never receives a request: only its OpenAPI document is read."""
    settings, clock = Settings(), Clock()
    secret = Secret(bytes(BYTES_MIN))
    key = secret.key("documents")
    return Services(
        settings=settings,
        secret=secret,
        clock=clock,
        ids=Ids(),
        store=store,
        cursors=Cursors(key, clock=clock.seconds),
        auth=Authenticator(settings, secret, clock),
        blobs=FolderBlobs(Path(), settings.base_url, key, clock),
        outbox=Outbox(clock),
        ai=open_assistant("embedded"),
        background=Background(),
    )
