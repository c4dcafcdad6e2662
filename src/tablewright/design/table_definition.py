"""Tables and indexes in DynamoDB's terms: key attributes, projections and CreateTable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Binary", "Index", "KeyAttribute", "KeyType", "Number", "key_attributes"]

KeyType = Literal["S", "N", "B"]
Projection = Literal["ALL", "KEYS_ONLY"] | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyAttribute:
    """One attribute of a key. A plain string in a declaration is a string attribute."""

    name: str
    type: KeyType = "S"


def Number(name: str) -> KeyAttribute:  # noqa: N802 (reads as a type in a declaration)
    """A key attribute that holds a number."""
    return KeyAttribute(name, "N")


def Binary(name: str) -> KeyAttribute:  # noqa: N802 (reads as a type in a declaration)
    """A key attribute that holds bytes."""
    return KeyAttribute(name, "B")


KeySpec = str | KeyAttribute | Sequence[str | KeyAttribute] | None


def key_attributes(spec: KeySpec) -> tuple[KeyAttribute, ...]:
    """The key attributes of a declaration: none, one, or up to four for a global index."""
    if spec is None:
        return ()
    parts = [spec] if isinstance(spec, str | KeyAttribute) else spec
    return tuple(KeyAttribute(part) if isinstance(part, str) else part for part in parts)


@dataclass(frozen=True, slots=True)
class Index:
    """An index. The table itself is represented as an index with an empty name."""

    name: str
    partition: tuple[KeyAttribute, ...]
    sort: tuple[KeyAttribute, ...]
    projection: Projection = "ALL"
    is_local: bool = False

    def __init__(
        self,
        name: str,
        pk: KeySpec,
        sk: KeySpec = None,
        *,
        projection: Projection = "ALL",
        local: bool = False,
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "partition", key_attributes(pk))
        object.__setattr__(self, "sort", key_attributes(sk))
        object.__setattr__(self, "projection", projection)
        object.__setattr__(self, "is_local", local)

    @property
    def is_table(self) -> bool:
        return not self.name

    @property
    def attributes(self) -> tuple[KeyAttribute, ...]:
        return self.partition + self.sort

    def __str__(self) -> str:
        return self.name or "the table"

    def key_schema(self) -> list[dict[str, str]]:
        """The index's KeySchema, in DynamoDB's JSON."""
        hashes = [{"AttributeName": part.name, "KeyType": "HASH"} for part in self.partition]
        return hashes + [{"AttributeName": part.name, "KeyType": "RANGE"} for part in self.sort]

    def description(self) -> dict[str, Any]:
        """The index as CreateTable takes it."""
        projection: dict[str, Any]
        if isinstance(self.projection, tuple):
            projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(self.projection)}
        else:
            projection = {"ProjectionType": self.projection}
        return {"IndexName": self.name, "KeySchema": self.key_schema(), "Projection": projection}
