"""Opens the store that a URL names.

    sqlite:///FILE               a database in a file
    sqlite://:memory:            a database in memory, lost on close
    dynamodb://REGION            Amazon DynamoDB, with the AWS SDK's credentials
    dynamodb+http://HOST:PORT    an endpoint with DynamoDB's API; also dynamodb+https://

Parameters of the last two: ``?prefix=P`` (put before every table name) and
``?transactions=emulated`` (for endpoints without TransactWriteItems; this process must be the only
writer). An endpoint also takes ``?region=R``.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

from tablewright.errors import ServiceError, StoreUnavailable, StoreUrlInvalid, UnknownOperation
from tablewright.stores.store import Store, new_context

if TYPE_CHECKING:
    from tablewright.engine.sqlite.storage import Durability
    from tablewright.stores.async_store import AsyncStore
    from tablewright.stores.dynamodb.aws_session import Access

__all__ = ["Place", "open_async_store", "open_store", "parse_url"]

_SCHEMES: Final = {
    "dynamodb": ("prefix", "transactions"),
    "dynamodb+http": ("prefix", "region", "transactions"),
    "dynamodb+https": ("prefix", "region", "transactions"),
}
_FORMS: Final = "sqlite:///FILE, sqlite://:memory:, dynamodb://REGION or dynamodb+http://HOST:PORT"
_REGION: Final = re.compile(r"[a-z]{2,}(-[a-z0-9]+)+")
_PREFIX: Final = re.compile(r"[A-Za-z0-9_.-]{1,200}")
_PROBE: Final[dict[str, Any]] = {"TransactItems": []}


@dataclass(frozen=True, slots=True)
class Place:
    """A parsed store URL: a file or memory, a region, or an endpoint."""

    file: str | None = None
    region: str | None = None
    endpoint: str | None = None
    prefix: str = ""
    emulates_transactions: bool = False


def parse_url(url: str) -> Place:
    """Parse a store URL; raises StoreUrlInvalid."""
    scheme, separator, rest = url.partition("://")
    if scheme == "sqlite":
        if "?" in rest:
            raise StoreUrlInvalid(f"{url}: sqlite:// takes no parameters")
        if rest != ":memory:" and (not rest.startswith("/") or rest == "/"):
            raise StoreUrlInvalid(f"{url}: write sqlite:///FILE or sqlite://:memory:")
        return Place(file=url)
    if not separator or scheme not in _SCHEMES:
        raise StoreUrlInvalid(f"{url}: not a store URL. Use {_FORMS}.")
    parts = urlsplit(url)
    if parts.path not in ("", "/") or parts.fragment or parts.username is not None:
        raise StoreUrlInvalid(
            f"{url}: a path, fragment or user is not allowed; only parameters such as ?prefix=P"
        )
    parameters = _parameters(url, parts.query, _SCHEMES[scheme])
    region = parameters.get("region")
    endpoint = None
    if scheme == "dynamodb":
        region = parts.netloc
        if not region:
            raise StoreUrlInvalid(f"{url}: the region is missing. Write dynamodb://eu-central-1.")
    else:
        endpoint = _endpoint(url, scheme.partition("+")[2])
    if region is not None and not _REGION.fullmatch(region):
        raise StoreUrlInvalid(f"{url}: {region!r} is not an AWS region")
    return Place(
        region=region,
        endpoint=endpoint,
        prefix=parameters.get("prefix", ""),
        emulates_transactions="transactions" in parameters,
    )


def _parameters(url: str, query: str, known: tuple[str, ...]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in known:
            raise StoreUrlInvalid(f"{url}: unknown parameter {name!r}. Known: {', '.join(known)}.")
        if name in parameters:
            raise StoreUrlInvalid(f"{url}: {name} is given twice")
        parameters[name] = value
    if parameters.get("transactions", "emulated") != "emulated":
        raise StoreUrlInvalid(f"{url}: the only value of transactions is 'emulated'")
    if "prefix" in parameters and not _PREFIX.fullmatch(parameters["prefix"]):
        raise StoreUrlInvalid(f"{url}: a prefix may contain only letters, digits, '_', '-' and '.'")
    return parameters


def _endpoint(url: str, protocol: str) -> str:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        raise StoreUrlInvalid(f"{url}: the port is not a number from 0 to 65535") from None
    if not parts.hostname:
        raise StoreUrlInvalid(f"{url}: the host is missing. Write dynamodb+http://127.0.0.1:8000.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{protocol}://{host}" if port is None else f"{protocol}://{host}:{port}"


def open_store(
    url: str, *, clock: Callable[[], float] = time.time, durability: Durability = "full"
) -> Store:
    """Open the store that a URL names, for use from threads; ``durability`` is for files.

    Raises StoreUrlInvalid if the URL is malformed, StoreUnavailable if an endpoint cannot be
    reached or has no transactions, and StorageError if a file cannot be used.
    """
    place = parse_url(url)
    if place.file is not None:
        from tablewright.engine.database import Database
        from tablewright.stores.embedded.embedded_store import EmbeddedStore

        database = Database.open(place.file, durability=durability, clock=clock)
        return EmbeddedStore(database, clock=clock, closes_database=True)
    from tablewright.stores.dynamodb.dynamodb_store import DynamoDBStore

    store: Store = DynamoDBStore(_access(place), context=new_context(clock))
    try:
        if place.prefix:
            from tablewright.stores.table_prefix import PrefixedStore

            store = PrefixedStore(store, place.prefix)
        if place.emulates_transactions:
            from tablewright.stores.alternator.emulated_transactions import EmulatedTransactions

            store = emulated = EmulatedTransactions(store)
            emulated.recover()
        elif place.endpoint is not None:
            try:
                store.call("TransactWriteItems", _PROBE)
            except ServiceError as error:
                _require_transactions(url, error)
    except BaseException:
        store.close()
        raise
    return store


async def open_async_store(
    url: str, *, clock: Callable[[], float] = time.time, durability: Durability = "full"
) -> AsyncStore:
    """As `open_store`, but for the running event loop."""
    place = parse_url(url)
    if place.file is not None:
        from tablewright.engine.database import Database
        from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore

        database = Database.open(place.file, durability=durability, clock=clock)
        return AsyncEmbeddedStore(database, clock=clock, closes_database=True)
    from tablewright.stores.dynamodb.dynamodb_async_store import AsyncDynamoDBStore

    store: AsyncStore = AsyncDynamoDBStore(_access(place), context=new_context(clock))
    try:
        if place.prefix:
            from tablewright.stores.table_prefix import AsyncPrefixedStore

            store = AsyncPrefixedStore(store, place.prefix)
        if place.emulates_transactions:
            from tablewright.stores.alternator.emulated_transactions import (
                AsyncEmulatedTransactions,
            )

            store = emulated = AsyncEmulatedTransactions(store)
            await emulated.recover()
        elif place.endpoint is not None:
            try:
                await store.call("TransactWriteItems", _PROBE)
            except ServiceError as error:
                _require_transactions(url, error)
    except BaseException:
        await store.close()
        raise
    return store


def _access(place: Place) -> Access:
    from tablewright.stores.dynamodb.aws_session import find_access

    return find_access(place.region, place.endpoint)


def _require_transactions(url: str, error: ServiceError) -> None:
    """Check the answer to an empty transaction: an endpoint with transactions calls it invalid."""
    if isinstance(error, UnknownOperation):
        joined = "&" if "?" in url else "?"
        raise StoreUnavailable(
            f"{url} has no TransactWriteItems. If this process is the only writer, "
            f"use {url}{joined}transactions=emulated."
        ) from None
    if error.code != "ValidationException":
        raise error
