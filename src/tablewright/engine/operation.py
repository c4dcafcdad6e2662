"""What an operation of the API is: a name, a shape, and how a request becomes a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tablewright.engine.shapes import Structure
from tablewright.engine.transaction import Tx

Request = dict[str, Any]
Response = dict[str, Any]
Command = Callable[[Tx], Response]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    `parse` checks what can be checked without tables and returns the command that does the rest.
    A "read" command sees a snapshot, a "write" shares its commit with others, a "table" command
    has a commit of its own.
    """

    name: str
    shape: Structure
    mode: Literal["read", "write", "table"]
    parse: Callable[[Request], Command]
