"""Opens stores for verbs that read, and maps store errors to exit codes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tablewright.cli import exit_codes
from tablewright.cli.output import fail
from tablewright.cli.server_record import in_use_message
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
    from collections.abc import Iterable

    from tablewright.design.table import Table
    from tablewright.stores.store import Store

__all__ = ["opened", "require_store", "store_failures"]

_SQLITE = "sqlite:///"


def require_store(url: str, *, creates_it: bool = False) -> None:
    """Check a store URL before anything is opened.

    Raises StoreUrlInvalid for a malformed URL, and FileNotFoundError for a missing file, since
    opening it would create it.
    """
    from tablewright.stores.urls import parse_url

    file_url = parse_url(url).file or ""
    file = file_url.removeprefix(_SQLITE)
    if file != file_url and not creates_it and not Path(file).is_file():
        raise FileNotFoundError(f"{file}: no such file. --ensure creates it.")


@contextmanager
def opened(url: str, create_tables: Iterable[Table] = ()) -> Iterator[Store]:
    """An open store, in which the given tables exist."""
    import typer

    from tablewright.stores.urls import open_store

    with open_store(url) as store:
        tables = list(create_tables)
        for name in store.ensure_tables(tables) if tables else ():
            typer.echo(f"created table {name}", err=True)
        yield store


@contextmanager
def store_failures(url: str, verb: str, *, as_json: bool) -> Iterator[None]:
    """Exit with a message for every error of a store."""

    def stop(code: int, message: str) -> NoReturn:
        fail(code, message, as_json=as_json)

    try:
        yield
    except ResourceNotFound as error:
        stop(exit_codes.NOT_FOUND, f"{url}: {error}. --ensure creates the design's tables.")
    except StorageInUse as error:
        stop(exit_codes.UNREACHABLE, in_use_message(error, url, verb))
    except StoreUnavailable as error:
        stop(exit_codes.UNREACHABLE, str(error))
    except StorageError as error:
        stop(exit_codes.CORRUPT, str(error))
    except ItemInvalid as error:
        stop(exit_codes.CORRUPT, f"a stored item does not match the design: {error}")
    except DesignError as error:
        stop(exit_codes.USAGE, f"the tables in {url} differ from the design: {error}")
    except ServiceError as error:
        stop(exit_codes.UNREACHABLE, f"{url} answered {error.code}: {error}")
