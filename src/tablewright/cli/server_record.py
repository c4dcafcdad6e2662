"""Records which server has a database file open, so that other verbs can say how to go through it.

A server writes ``FILE.server`` next to its database file while it runs:

    {"pid": 4711, "verb": "dynamodb", "url": "http://127.0.0.1:8000", "region": "us-east-1",
     "needs_credentials": false}

The record may be left over from a server that was killed, so it counts only if its process is the
one that holds the database's lock.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

__all__ = ["ServerRecord", "in_use_message", "recorded", "write_record"]

Verb = Literal["dynamodb", "serve", "studio"]


@dataclass(frozen=True)
class ServerRecord:
    """A running server that has a database file open."""

    verb: Verb
    url: str
    region: str = "us-east-1"
    needs_credentials: bool = False
    pid: int = 0

    @property
    def store_url(self) -> str:
        """The store URL that reaches a `tablewright dynamodb` server."""
        region = "" if self.region == "us-east-1" else f"?region={self.region}"
        return f"dynamodb+{self.url}{region}"


def write_record(store: str, record: ServerRecord) -> None:
    """Write the record of this process; does nothing for a store that is not a file."""
    path = _record_path(store)
    if path is None:
        return
    content = json.dumps({**asdict(record), "pid": os.getpid()})
    # Without the record other verbs only print less: a folder that cannot be written is no error.
    with suppress(OSError):
        path.touch(mode=0o600)
        path.write_text(content, "utf-8")


@contextmanager
def recorded(store: str) -> Iterator[None]:
    """Remove this process's record, if it wrote one, at the end."""
    try:
        yield
    finally:
        path = _record_path(store)
        if path is not None and (record := _read(path)) is not None and record.pid == os.getpid():
            with suppress(OSError):
                path.unlink(missing_ok=True)


def in_use_message(error: Exception, store: str, verb: str) -> str:
    """The message for a database file that is in use: who has it, and how to go on."""
    record = _running_server(store)
    if record is None:
        return str(error)
    what = f"{error}. The process is `tablewright {record.verb}` on {record.url}"
    if record.verb == "dynamodb":
        return f"{what}. {_through_endpoint(record, verb)}"
    studio = record.url if record.verb == "studio" else f"{record.url}/studio/"
    if verb in ("run", "studio"):
        return f"{what}. Use its studio, {studio} (the server printed a link), or stop the server."
    return f"{what}. Stop the server, then repeat the command."


def _through_endpoint(record: ServerRecord, verb: str) -> str:
    signed = (
        " and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to one of its --credentials"
        if record.needs_credentials
        else ""
    )
    if verb == "doctor":
        return (
            "doctor needs the file for itself: stop the server. To check the items through the "
            f"server, run tablewright fsck DESIGN --store {record.store_url}{signed}."
        )
    return f"Go through the server: use --store {record.store_url}{signed}."


def _running_server(store: str) -> ServerRecord | None:
    """The server that holds the lock of a database file."""
    path = _record_path(store)
    record = None if path is None else _read(path)
    if path is None or record is None:
        return None
    try:
        holder = path.with_suffix(".lock").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return record if holder == str(record.pid) else None


def _read(path: Path) -> ServerRecord | None:
    try:
        return ServerRecord(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _record_path(store: str) -> Path | None:
    from tablewright.engine.database import storage_path
    from tablewright.errors import StorageError

    try:
        file = storage_path(store)
    except StorageError:
        return None
    return None if file is None else Path(f"{file}.server")
