"""Shared by the verbs that start a server: exit on failure, find systems, load demo data."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from tablewright.cli import exit_codes
from tablewright.cli.server_record import in_use_message
from tablewright.errors import (
    DesignError,
    ServiceError,
    StorageError,
    StorageInUse,
    StoreUnavailable,
    StoreUrlInvalid,
    TablewrightError,
)

if TYPE_CHECKING:
    from tablewright.web.server.app import System
    from tablewright.web.services.services import Services

__all__ = [
    "exit_on_failure",
    "load_demo_data",
    "load_demo_with_history",
    "require_store_url",
    "settle_memory",
    "systems_by_path",
]

# With Python's default of 700 the collector runs several times during one request.
_COLLECTION_THRESHOLD: Final = 20_000


@contextmanager
def exit_on_failure(store: str, verb: str) -> Iterator[None]:
    """Exit with a message and the exit code for every error of the store or the settings."""
    try:
        yield
    except StorageInUse as error:
        exit_codes.fail(exit_codes.UNREACHABLE, in_use_message(error, store, verb))
    except (StoreUnavailable, ServiceError) as error:
        exit_codes.fail(exit_codes.UNREACHABLE, str(error))
    except StorageError as error:
        exit_codes.fail(exit_codes.CORRUPT, str(error))
    except DesignError as error:
        exit_codes.fail(exit_codes.USAGE, f"the tables in {store} differ from the design: {error}")
    except TablewrightError as error:
        exit_codes.fail(exit_codes.USAGE, str(error))


def settle_memory() -> None:
    """Tune the garbage collector for a server: freeze what startup created, collect rarely."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(_COLLECTION_THRESHOLD, 50, 100)


def require_store_url(url: str) -> None:
    """Exit with a usage error if a store URL is malformed."""
    from tablewright.stores.urls import parse_url

    try:
        parse_url(url)
    except StoreUrlInvalid as error:
        exit_codes.fail(exit_codes.USAGE, str(error))


def systems_by_path(names: Iterable[str]) -> dict[str, System]:
    """The systems by mount path; exits with a usage error for an unknown name."""
    from tablewright.systems.registry import SystemUnknown, find_systems

    try:
        return {f"/{name}": system for name, system in find_systems(names).items()}
    except SystemUnknown as error:
        exit_codes.fail(exit_codes.USAGE, str(error))


async def load_demo_data(services: Services, systems: Mapping[str, System]) -> dict[str, bool]:
    """Load demo data into empty systems; returns by system whether data was loaded."""
    import asyncio

    from tablewright.systems.registry import find_fill

    async def load_if_empty(fill: Callable[[Services], Awaitable[None]], first_table: str) -> bool:
        request = {"TableName": first_table, "Limit": 1}
        is_empty = not (await services.store.call("Scan", request))["Items"]
        if is_empty:
            await fill(services)
        return is_empty

    # A system's first table holds what users create; the others may be filled at startup. Systems
    # are loaded concurrently because concurrent writers share commits.
    loads = {
        system.name: load_if_empty(fill, system.tables[0].name)
        for system in systems.values()
        if (fill := find_fill(system.name)) is not None
    }
    return dict(zip(loads, await asyncio.gather(*loads.values()), strict=True))


async def load_demo_with_history(services: Services, systems: Mapping[str, System]) -> None:
    """Load demo data into empty systems, and keep the tables' changes for the studio."""
    from tablewright.studio.history.retention import keep_changes

    tables = [table.name for system in systems.values() for table in system.tables]
    await keep_changes(services.store, tables)
    await load_demo_data(services, systems)
