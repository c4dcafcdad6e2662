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
    from tablewright.studio.shell.loaded_design import Subject
    from tablewright.studio.shell.rendering import Shown

__all__ = ["start_warming", "warm"]

_LOG = structlog.get_logger()


def start_warming(shown: Shown, documents: SystemDocuments, subjects: Iterable[Subject]) -> None:
    """Begin; the process need not wait for the end of it."""
    work = threading.Thread(
        target=warm, args=(shown, documents, tuple(subjects)), name="warming", daemon=True
    )
    work.start()


def warm(shown: Shown, documents: SystemDocuments, subjects: Iterable[Subject]) -> None:
    """All of it. What fails here fails again on its page, which then says so."""
    _tried(shown.compile)
    for subject in subjects:
        _tried(_explain, subject)
        if is_system(subject):
            _tried(matrix_of, subject)
            _tried(documents.of, subject.name)


def _explain(subject: Subject) -> None:
    for name in (*subject.pattern_names, *subject.write_names):
        subject.explained(name)


def _tried(work: Callable[..., object], *given: object) -> None:
    try:
        work(*given)
    except Exception as error:  # noqa: BLE001 (Whatever it is, nobody has asked for it yet.)
        _LOG.warning("warming failed", error=str(error))
