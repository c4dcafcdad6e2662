"""The studio inside a server of the systems: under /studio, on its store, on loopback only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Final, NamedTuple

from tablewright.design.lint.subject import patterns_in
from tablewright.studio.app import create_studio
from tablewright.studio.gate import Sessions
from tablewright.studio.settings import StudioSettings
from tablewright.studio.subjects import Subject
from tablewright.systems.registry import PACKAGES
from tablewright.web.app import System
from tablewright.web.settings import Settings, is_loopback

__all__ = ["PATH", "StudioMount", "mount_studio", "system_subjects"]

PATH: Final = "/studio"


class StudioMount(NamedTuple):
    """What a server adds to its systems, and the link that opens it, once."""

    systems: Mapping[str, System]
    url: str


def mount_studio(settings: Settings, names: Iterable[str]) -> StudioMount | None:
    """The studio of these systems; None where others could reach it."""
    if not is_loopback(settings.host):
        return None
    told = StudioSettings(settings.host, settings.port, settings.store, path=PATH)
    sessions = Sessions()
    subjects = system_subjects(names)
    made = System("studio", (), lambda kit: create_studio(kit.store, subjects, told, sessions))
    return StudioMount({PATH: made}, f"{told.url}?token={sessions.new_token()}")


def system_subjects(names: Iterable[str]) -> list[Subject]:
    """The designs of systems, by their names."""
    found = []
    for name in names:
        module = import_module(f"tablewright.systems.{PACKAGES[name]}.design")
        patterns = patterns_in(module)[0]
        found.append(Subject(name, patterns, patterns.tables, module))
    return found
