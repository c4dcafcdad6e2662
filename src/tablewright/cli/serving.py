"""What the verbs share that open a server's store: how failures end, and how demo data is made."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from tablewright.cli import exits
from tablewright.errors import (
    DesignError,
    ServiceError,
    StorageError,
    StorageInUse,
    StoreUnavailable,
    TablewrightError,
)

if TYPE_CHECKING:
    from tablewright.web.server.app import System
    from tablewright.web.services.services import Services

__all__ = [
    "exiting",
    "fill",
    "fill_to_look_at",
    "found_systems",
    "require_store_url",
    "settle_memory",
]

# Python's own number, 700, has it look several times during one request.
_MADE_BEFORE_LOOKING: Final = 20_000


@contextmanager
def exiting() -> Iterator[None]:
    """Say what is wrong in one line, and exit with the code for it."""
    try:
        yield
    except (StorageInUse, StoreUnavailable, ServiceError) as error:
        exits.fail(exits.UNREACHABLE, str(error))
    except StorageError as error:
        exits.fail(exits.CORRUPT, str(error))
    except DesignError as error:
        exits.fail(exits.USAGE, f"the store has other tables than these systems need: {error}")
    except TablewrightError as error:
        exits.fail(exits.USAGE, str(error))


def settle_memory() -> None:
    """See to it that a server seldom looks for garbage: what was made while starting stays."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(_MADE_BEFORE_LOOKING, 50, 100)


def require_store_url(url: str) -> None:
    """Exit if a URL names no store; whether it can be reached is another question."""
    from tablewright.stores.urls import parse_url

    try:
        parse_url(url)
    except StoreUnavailable as error:
        exits.fail(exits.USAGE, str(error))


def found_systems(names: Iterable[str]) -> dict[str, System]:
    """The systems by the path they are mounted at; exits if one is unknown."""
    from tablewright.systems.registry import SystemUnknown, find_systems

    try:
        return {f"/{name}": system for name, system in find_systems(names).items()}
    except SystemUnknown as error:
        exits.fail(exits.USAGE, str(error))


async def fill(services: Services, systems: Mapping[str, System]) -> dict[str, bool]:
    """Fill those systems that are empty; says of each that has data to offer whether it was."""
    import asyncio

    from tablewright.systems.registry import find_fill

    async def filled(make: Callable[[Services], Awaitable[None]], first_table: str) -> bool:
        request = {"TableName": first_table, "Limit": 1}
        is_empty = not (await services.store.call("Scan", request))["Items"]
        if is_empty:
            await make(services)
        return is_empty

    # A system's first table has what people made; others may be filled when it starts. All at once,
    # since those who write together share commits.
    making = {
        system.name: filled(make, system.tables[0].name)
        for system in systems.values()
        if (make := find_fill(system.name)) is not None
    }
    return dict(zip(making, await asyncio.gather(*making.values()), strict=True))


async def fill_to_look_at(services: Services, systems: Mapping[str, System]) -> None:
    """Fill those systems that are empty, in tables that keep their changes for the studio."""
    from tablewright.studio.history.retention import keep_changes

    tables = [table.name for system in systems.values() for table in system.tables]
    await keep_changes(services.store, tables)
    await fill(services, systems)
