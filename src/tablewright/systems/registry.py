"""The systems by name. Each is imported when it is asked for; not all of them need to be there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from tablewright.errors import TablewrightError
from tablewright.web.server.app import System
from tablewright.web.services.services import Services

__all__ = ["PACKAGES", "Fill", "SystemUnknown", "find_fill", "find_systems"]

PACKAGES: Final = {
    "roll-model": "roll_model",
    "funkedupshift": "funkedupshift",
    "stayon": "stayon",
    "3fc": "threefc",
    "hold-that-thought": "hold_that_thought",
}

Fill = Callable[[Services], Awaitable[None]]


class SystemUnknown(TablewrightError):
    """There is no system of this name."""


def find_systems(names: Iterable[str] = ()) -> dict[str, System]:
    """The systems of these names, or all that have an API; raises SystemUnknown."""
    wanted = list(dict.fromkeys(names))
    systems: dict[str, System] = {}
    for name in wanted or PACKAGES:
        system = _load(name, "app", "SYSTEM")
        if system is not None:
            systems[name] = system
        elif wanted:
            known = ", ".join(find_systems())
            raise SystemUnknown(f"there is no system {name!r}; there are {known}")
    return systems


def find_fill(name: str) -> Fill | None:
    """What fills a system with data to look at."""
    fill: Fill | None = _load(name, "demo", "fill")
    return fill


def _load(name: str, module: str, attribute: str) -> Any:
    package = PACKAGES.get(name)
    if package is None:
        return None
    path = f"tablewright.systems.{package}.{module}"
    # Only a module that does not exist is passed over: one that fails to import is a bug.
    return None if find_spec(path) is None else getattr(import_module(path), attribute)
