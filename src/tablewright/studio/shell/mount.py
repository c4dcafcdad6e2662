"""The studio inside a server of the systems: under /studio, on its store, on loopback only.

The server creates it, and imports most of it, on the first request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from fastapi import FastAPI

from tablewright.studio.shell.gate import Sessions
from tablewright.systems.registry import PACKAGES
from tablewright.web.server.app import System
from tablewright.web.server.server_settings import Settings
from tablewright.web.services.services import Services

if TYPE_CHECKING:
    from tablewright.studio.shell.loaded_design import LoadedDesign

__all__ = ["PATH", "StudioMount", "mount_studio", "studio_system", "system_designs"]

PATH: Final = "/studio"


class StudioMount(NamedTuple):
    """What a server adds to its systems, and the link that opens it, once."""

    systems: Mapping[str, System]
    url: str


def mount_studio(settings: Settings, names: Iterable[str]) -> StudioMount | None:
    """The studio of these systems; None where the server has none."""
    if not settings.has_studio:
        return None
    sessions = Sessions()
    beside = list(names)
    mounted = studio_system(lambda: system_designs(beside), sessions, systems=beside, warms=True)
    # By its own address: where people reach the server a proxy stands, which the studio refuses.
    url = f"{settings.local_url}{PATH}/?token={sessions.new_token()}"
    return StudioMount({PATH: mounted}, url)


def studio_system(
    designs: Callable[[], Sequence[LoadedDesign]],
    sessions: Sessions,
    *,
    systems: Sequence[str] = (),
    folder: Path | None = None,
    warms: bool = False,
) -> System:
    """The studio as one more system of a server, beside others; it has no tables of its own."""

    def create_app(services: Services) -> FastAPI:
        from tablewright.studio.shell.app import create_studio
        from tablewright.studio.shell.context import StudioContext
        from tablewright.studio.shell.studio_settings import StudioSettings

        server_settings = services.settings
        settings = StudioSettings(
            server_settings.host, server_settings.port, server_settings.store, path=PATH
        )
        around = StudioContext(services, tuple(systems), folder, warms)
        return create_studio(services.store, designs(), settings, sessions, around)

    return System(PATH[1:], (), create_app, on_demand=True)


def system_designs(names: Iterable[str]) -> list[LoadedDesign]:
    """The designs of systems, by their names."""
    from tablewright.design.lint.subject import patterns_in
    from tablewright.studio.shell.loaded_design import LoadedDesign

    designs = []
    for name in names:
        module = import_module(f"tablewright.systems.{PACKAGES[name]}.design")
        patterns = patterns_in(module)[0]
        designs.append(LoadedDesign(name, patterns, patterns.__design__.tables, module))
    return designs
