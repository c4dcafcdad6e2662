"""Prepares what is slow the first time: templates, explanations, OpenAPI documents.

Runs in a thread while the first page is read. It only changes how
long the second page takes.
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
    renderer: Renderer, documents: SystemDocuments, designs: Iterable[LoadedDesign]
) -> None:
    """Begin; the process need not wait for the end of it."""
    work = threading.Thread(
        target=warm, args=(renderer, documents, tuple(designs)), name="warming", daemon=True
    )
    work.start()


def warm(renderer: Renderer, documents: SystemDocuments, designs: Iterable[LoadedDesign]) -> None:
    """All of it. What fails here fails again on its page, which then says so."""
    _tried(renderer.compile)
    for design in designs:
        _tried(_explain, design)
        if is_system(design):
            _tried(matrix_of, design)
            _tried(documents.of, design.name)


def _explain(design: LoadedDesign) -> None:
    for name in (*design.pattern_names, *design.write_names):
        design.explained(name)


def _tried(work: Callable[..., object], *arguments: object) -> None:
    try:
        work(*arguments)
    except Exception as error:  # noqa: BLE001 (Warmup is optional: the page itself reports the error.)
        _LOG.warning("warming failed", error=str(error))
