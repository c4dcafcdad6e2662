"""Tablewright makes DynamoDB single-table designs run.

``connect`` returns a client with boto3's methods; ``Database`` is the engine itself. Both are
imported when they are first asked for, so that ``import tablewright`` stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablewright.errors import ServiceError, StorageError, TablewrightError

if TYPE_CHECKING:
    from tablewright.client.client import Client
    from tablewright.engine.database import Database
    from tablewright.engine.storage import Durability

__all__ = [
    "Client",
    "Database",
    "ServiceError",
    "StorageError",
    "TablewrightError",
    "__version__",
    "connect",
]

__version__ = "0.1.0"


def connect(url: str, *, durability: Durability = "full") -> Client:
    """A client, with the methods of boto3's, of the database that the URL names.

    ``sqlite:///app.db`` is a file, made when it is missing; ``sqlite://:memory:`` is forgotten on
    ``close``. Raises StorageError if the file cannot be used.
    """
    from tablewright.client.client import Client
    from tablewright.engine.database import Database

    return Client(Database.open(url, durability=durability), url=url)


def __getattr__(name: str) -> Any:
    if name == "Client":
        from tablewright.client.client import Client

        return Client
    if name == "Database":
        from tablewright.engine.database import Database

        return Database
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
