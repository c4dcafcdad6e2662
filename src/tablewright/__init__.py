"""Tablewright makes DynamoDB single-table designs run.

``connect`` returns a client with boto3's methods; ``Database`` is the engine itself; the rest of
these names declare designs and run them. Each is imported on first use, so that
``import tablewright`` stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablewright.errors import (
    Conflict,
    CursorInvalid,
    DesignError,
    ItemInvalid,
    ItemNotFound,
    KeyValueInvalid,
    ServiceError,
    StorageError,
    StoreUnavailable,
    TablewrightError,
)

if TYPE_CHECKING:
    from tablewright.client.client import Client
    from tablewright.design.entity import Envelope, Keys, Ref, ref, ref_of
    from tablewright.design.model_base import Model, Moment
    from tablewright.design.patterns.declarations import Design, compose, pattern, served, writes
    from tablewright.design.patterns.pattern_model import Range
    from tablewright.design.table import Table
    from tablewright.design.table_definition import Binary, Index, Number
    from tablewright.engine.chaos import Chaos
    from tablewright.engine.database import Database
    from tablewright.engine.sqlite.storage import Durability
    from tablewright.keys.codecs import Ulid, Uuid, ulid_time
    from tablewright.plan.changes.cascade_delete import purge, sweep
    from tablewright.plan.changes.patches import patch
    from tablewright.plan.changes.staged_writes import resume
    from tablewright.plan.changes.write_transaction import AlreadyDone, Unit
    from tablewright.plan.changes.writes import check, create, delete, put, save
    from tablewright.plan.model_lambdas import (
        absent,
        begins_with,
        between,
        contains,
        equals,
        exists,
        not_,
        one_of,
        present,
        size,
    )
    from tablewright.plan.operation import Op, constant, gather
    from tablewright.plan.reads import BatchGet, Count, FanOut, Get, Page, Query
    from tablewright.stores.async_store import AsyncStore
    from tablewright.stores.cursors import Cursors
    from tablewright.stores.store import Store
    from tablewright.stores.urls import open_async_store, open_store

__all__ = [
    "AlreadyDone",
    "AsyncStore",
    "BatchGet",
    "Binary",
    "Chaos",
    "Client",
    "Conflict",
    "Count",
    "CursorInvalid",
    "Cursors",
    "Database",
    "Design",
    "DesignError",
    "Envelope",
    "FanOut",
    "Get",
    "Index",
    "ItemInvalid",
    "ItemNotFound",
    "KeyValueInvalid",
    "Keys",
    "Model",
    "Moment",
    "Number",
    "Op",
    "Page",
    "Query",
    "Range",
    "Ref",
    "ServiceError",
    "StorageError",
    "Store",
    "StoreUnavailable",
    "Table",
    "TablewrightError",
    "Ulid",
    "Unit",
    "Uuid",
    "__version__",
    "absent",
    "begins_with",
    "between",
    "check",
    "compose",
    "connect",
    "constant",
    "contains",
    "create",
    "delete",
    "equals",
    "exists",
    "gather",
    "not_",
    "one_of",
    "open_async_store",
    "open_store",
    "patch",
    "pattern",
    "present",
    "purge",
    "put",
    "ref",
    "ref_of",
    "resume",
    "save",
    "served",
    "size",
    "sweep",
    "ulid_time",
    "writes",
]

__version__ = "0.1.0"

_HOMES = {
    "client.client": ("Client",),
    "design.model_base": ("Model", "Moment"),
    "design.entity": ("Envelope", "Keys", "Ref", "ref", "ref_of"),
    "design.patterns.pattern_model": ("Range",),
    "design.table_definition": ("Binary", "Index", "Number"),
    "design.table": ("Table",),
    "engine.chaos": ("Chaos",),
    "engine.database": ("Database",),
    "keys.codecs": ("Ulid", "Uuid", "ulid_time"),
    "plan.model_lambdas": (
        "absent",
        "begins_with",
        "between",
        "contains",
        "equals",
        "exists",
        "not_",
        "one_of",
        "present",
        "size",
    ),
    "plan.operation": ("Op", "constant", "gather"),
    "design.patterns.declarations": ("Design", "compose", "pattern", "served", "writes"),
    "plan.reads": ("BatchGet", "Count", "FanOut", "Get", "Page", "Query"),
    "plan.changes.staged_writes": ("resume",),
    "plan.changes.cascade_delete": ("purge", "sweep"),
    "plan.changes.write_transaction": ("AlreadyDone", "Unit"),
    "plan.changes.patches": ("patch",),
    "plan.changes.writes": ("check", "create", "delete", "put", "save"),
    "stores.async_store": ("AsyncStore",),
    "stores.cursors": ("Cursors",),
    "stores.store": ("Store",),
    "stores.urls": ("open_async_store", "open_store"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def connect(url: str, *, durability: Durability = "full", chaos: Chaos | None = None) -> Client:
    """A client, with the methods of boto3's, of the database that the URL names.

    ``sqlite:///app.db`` is a file, made when it is missing; ``sqlite://:memory:`` is forgotten on
    ``close``. With `Chaos`, calls meet what DynamoDB may do and seldom does. Raises StorageError if
    the file cannot be used.
    """
    from tablewright.client.client import Client
    from tablewright.engine.chaos import ChaosDatabase
    from tablewright.engine.database import Database

    if chaos is not None:
        return Client(ChaosDatabase.open(url, durability=durability, chaos=chaos), url=url)
    return Client(Database.open(url, durability=durability), url=url)


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
