"""What takes long the first time, done ahead: templates, explanations, documents of systems.

It happens in a thread of its own while somebody reads the first page, and changes nothing but how
long the second one takes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import structlog

from tablewright.studio.system.system_documents import SystemDocuments, is_system, matrix_of

if TYPE_CHECKING:
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.studio.shell.rendering import Renderer

__all__ = ["start_warmup", "warm"]

_LOG = structlog.get_logger()


def start_warmup(
    shown: Renderer, documents: SystemDocuments, designs: Iterable[LoadedDesign]
) -> None:
    """Begin; the process need not wait for the end of it."""
    work = threading.Thread(
        target=warm, args=(shown, documents, tuple(designs)), name="warming", daemon=True
    )
    work.start()


def warm(shown: Renderer, documents: SystemDocuments, designs: Iterable[LoadedDesign]) -> None:
    """All of it. What fails here fails again on its page, which then says so."""
    _tried(shown.compile)
    for design in designs:
        _tried(_explain, design)
        if is_system(design):
            _tried(matrix_of, design)
            _tried(documents.of, design.name)


def _explain(design: LoadedDesign) -> None:
    for name in (*design.pattern_names, *design.write_names):
        design.explained(name)


def _tried(work: Callable[..., object], *given: object) -> None:
    try:
        work(*given)
    except Exception as error:  # noqa: BLE001 (Whatever it is, nobody has asked for it yet.)
        _LOG.warning("warming failed", error=str(error))
