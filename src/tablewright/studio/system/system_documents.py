"""The systems behind designs, and their OpenAPI documents; they are made without a server."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablewright.stores.cursors import Cursors
from tablewright.systems.registry import PACKAGES, find_systems
from tablewright.web.http.docs_page import Operation, View, view
from tablewright.web.identity.auth import Authenticator
from tablewright.web.identity.secret import BYTES_MIN, Secret
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
    from tablewright.studio.shell.loaded_design import Subject
    from tablewright.web.identity.permission_matrix import Matrix

__all__ = ["Described", "Documents", "bare_kit", "is_system", "matrix_of"]


def is_system(subject: Subject) -> bool:
    """Whether a design is that of a system; another may have the same name."""
    package = PACKAGES.get(subject.name)
    return subject.module.__name__ == f"tablewright.systems.{package}.design"


def matrix_of(subject: Subject) -> Matrix:
    """Who may do what in a system."""
    found: Matrix = import_module(
        f"tablewright.systems.{PACKAGES[subject.name]}.permissions"
    ).MATRIX
    return found


@dataclass(frozen=True, eq=False)
class Described:
    """A system by its OpenAPI document."""

    document: dict[str, Any]

    @cached_property
    def view(self) -> View:
        """The document for reading."""
        return view(self.document)

    @cached_property
    def operations(self) -> dict[tuple[str, str], Operation]:
        """Its operations by method and path, in order."""
        groups = self.view.groups
        return {(one.method, one.path): one for group in groups for one in group.operations}

    @cached_property
    def tags(self) -> dict[str, str]:
        """The tag of each operation, by its anchor."""
        groups = self.view.groups
        return {one.anchor: group.name for group in groups for one in group.operations}

    def at(self, anchor: str) -> Operation:
        """The operation of an anchor; raises LookupError."""
        found = next((one for one in self.operations.values() if one.anchor == anchor), None)
        if found is None:
            raise LookupError(f"The system has no endpoint {anchor}.")
        return found


class Documents:
    """The documents by the names of their systems, each made when it is first asked for."""

    def __init__(self, store: AsyncStore) -> None:
        self._store = store
        self._made: dict[str, Described] = {}
        self._making = threading.Lock()

    def of(self, name: str) -> Described:
        """The system of a name; threads that ask for the same one wait for each other."""
        with self._making:
            if name not in self._made:
                app = find_systems([name])[name].create_app(bare_kit(self._store))
                document = {**app.openapi(), "servers": [{"url": f"/{name}"}]}
                self._made[name] = Described(document)
            return self._made[name]


def bare_kit(store: AsyncStore) -> Services:
    """What an app is made with that nobody ever asks anything."""
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
