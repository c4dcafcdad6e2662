"""Stores for verbs that only ask: opened, and what can go wrong with them told by exit codes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tablewright.cli import exits
from tablewright.cli.arguments import ArgumentInvalid
from tablewright.cli.printing import fail
from tablewright.errors import (
    DesignError,
    ItemInvalid,
    ResourceNotFound,
    ServiceError,
    StorageError,
    StorageInUse,
    StoreUnavailable,
)

if TYPE_CHECKING:
    from tablewright.stores.store import Store

__all__ = ["explained_failures", "opened", "require_store"]

_SQLITE = "sqlite:///"


def require_store(url: str, *, makes_it: bool = False) -> None:
    """Raises ArgumentInvalid for what is no URL, FileNotFoundError for a file that is not there."""
    from tablewright.stores.urls import parse_url

    try:
        place = parse_url(url)
    except StoreUnavailable as error:
        raise ArgumentInvalid(str(error)) from error
    # Opening would make the file; whoever only asks should not leave one behind.
    url = place.file or ""
    file = url.removeprefix(_SQLITE)
    if file != url and not makes_it and not Path(file).is_file():
        raise FileNotFoundError(f"{file}: there is no such file; --ensure makes it")


@contextmanager
def opened(url: str) -> Iterator[Store]:
    from tablewright.stores.urls import open_store

    with open_store(url) as store:
        yield store


@contextmanager
def explained_failures(url: str, *, as_json: bool) -> Iterator[None]:
    """Every error of a store as its exit code, and what to do."""

    def stop(code: int, message: str) -> NoReturn:
        fail(code, message, as_json=as_json)

    try:
        yield
    except ResourceNotFound as error:
        stop(exits.NOT_FOUND, f"{url}: {error}; --ensure makes the tables of the design")
    except (StoreUnavailable, StorageInUse) as error:
        stop(exits.UNREACHABLE, str(error))
    except StorageError as error:
        stop(exits.CORRUPT, str(error))
    except ItemInvalid as error:
        stop(exits.CORRUPT, f"a stored item is not what the design says: {error}")
    except DesignError as error:
        stop(exits.USAGE, f"{url} has other tables than the design: {error}")
    except ServiceError as error:
        stop(exits.UNREACHABLE, f"{url} refused: {error.code}: {error}")
