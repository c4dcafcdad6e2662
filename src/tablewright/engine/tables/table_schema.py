"""The schema of a table: keys, indexes and settings, as immutable values.

CreateTable and UpdateTable produce a schema; the file stores it as JSON, one row per table. It does
not know rows or SQL; `catalog.Table` prepares it for running requests.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal

import orjson

ProjectionType = Literal["ALL", "KEYS_ONLY", "INCLUDE"]
IndexKind = Literal["GLOBAL", "LOCAL"]
BillingMode = Literal["PROVISIONED", "PAY_PER_REQUEST"]
CHECKSUM: Final = "checksum"


@dataclass(frozen=True, slots=True)
class KeyAttribute:
    """One attribute of a key: its name and its type, S, N or B."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class KeySchema:
    """A key. Only a global index has more than one partition or more than one sort attribute."""

    partition: tuple[KeyAttribute, ...]
    sort: tuple[KeyAttribute, ...] = ()

    @property
    def attributes(self) -> tuple[KeyAttribute, ...]:
        return self.partition + self.sort

    @property
    def is_multiple(self) -> bool:
        """Whether its partition key or its sort key has several attributes."""
        return len(self.partition) > 1 or len(self.sort) > 1

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    def describe(self) -> list[dict[str, str]]:
        """The key schema in the API's form."""
        return [{"AttributeName": a.name, "KeyType": "HASH"} for a in self.partition] + [
            {"AttributeName": a.name, "KeyType": "RANGE"} for a in self.sort
        ]


@dataclass(frozen=True, slots=True)
class Throughput:
    """Provisioned capacity; both are 0 for on-demand tables."""

    read_units: int = 0
    write_units: int = 0

    @classmethod
    def of(cls, declared: Mapping[str, Any]) -> Throughput:
        """The provisioned throughput of a table or index as declared."""
        units = declared.get("ProvisionedThroughput")
        return (
            cls() if units is None else cls(units["ReadCapacityUnits"], units["WriteCapacityUnits"])
        )


@dataclass(frozen=True, slots=True)
class IndexSchema:
    """A secondary index. `number`, from 1, names its rows in the file."""

    name: str
    kind: IndexKind
    number: int
    key: KeySchema
    projection: ProjectionType = "ALL"
    non_key_attributes: tuple[str, ...] = ()
    throughput: Throughput = Throughput()
    options: dict[str, Any] = field(default_factory=dict)  # OnDemandThroughput, WarmThroughput.

    @property
    def is_global(self) -> bool:
        return self.kind == "GLOBAL"


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table as declared. `number` names its rows in the file and is never used again."""

    name: str
    number: int
    table_id: str
    created_at: float
    key: KeySchema
    attributes: tuple[KeyAttribute, ...]  # AttributeDefinitions, in the request's order.
    indexes: tuple[IndexSchema, ...] = ()
    billing_mode: BillingMode = "PROVISIONED"
    throughput: Throughput = Throughput()
    deletion_protection: bool = False
    ttl_attribute: str | None = None
    # Settings that are stored and described but have no effect: SSESpecification, TableClass, Tags,
    # OnDemandThroughput, WarmThroughput, ResourcePolicy, and the times of the last changes of
    # throughput and billing. Also StreamSpecification, StreamLabel and StreamNumber of its stream.
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def stream(self) -> tuple[int, str] | None:
        """The number (assigned by `Tx`) and the view type of its open stream."""
        specification = self.options.get("StreamSpecification") or {}
        number = self.options.get("StreamNumber")
        if not specification.get("StreamEnabled") or number is None:
            return None
        return number, specification["StreamViewType"]

    @property
    def recovery_days(self) -> int | None:
        """The days of point-in-time recovery; None if it is disabled."""
        days: int | None = (self.options.get("PointInTimeRecovery") or {}).get("Days")
        return days

    @property
    def global_indexes(self) -> tuple[IndexSchema, ...]:
        return tuple(index for index in self.indexes if index.is_global)

    @property
    def local_indexes(self) -> tuple[IndexSchema, ...]:
        return tuple(index for index in self.indexes if not index.is_global)

    def with_(self, **changes: Any) -> TableSchema:
        """This schema with some fields replaced."""
        return replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        """The schema as it is stored, with a checksum: SQLite does not notice a damaged letter."""
        fields = asdict(self)
        return {**fields, CHECKSUM: _checksum(fields)}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> TableSchema:
        """The inverse of `to_json`; raises ValueError for a schema that is damaged.

        Files of older versions have no checksum.
        """
        fields = {name: value for name, value in stored.items() if name != CHECKSUM}
        if stored.get(CHECKSUM) not in (None, _checksum(fields)):
            raise ValueError("a table's schema does not match its checksum")
        return cls(
            **{
                **fields,
                "key": _key_schema(stored["key"]),
                "attributes": _key_attributes(stored["attributes"]),
                "indexes": tuple(_index_schema(index) for index in stored["indexes"]),
                "throughput": Throughput(**stored["throughput"]),
            }
        )


def _checksum(fields: dict[str, Any]) -> int:
    return zlib.crc32(orjson.dumps(fields, option=orjson.OPT_SORT_KEYS))


def _key_attributes(stored: list[dict[str, str]]) -> tuple[KeyAttribute, ...]:
    return tuple(KeyAttribute(**attribute) for attribute in stored)


def _key_schema(stored: dict[str, Any]) -> KeySchema:
    return KeySchema(_key_attributes(stored["partition"]), _key_attributes(stored["sort"]))


def _index_schema(stored: dict[str, Any]) -> IndexSchema:
    return IndexSchema(
        **{
            **stored,
            "key": _key_schema(stored["key"]),
            "non_key_attributes": tuple(stored["non_key_attributes"]),
            "throughput": Throughput(**stored["throughput"]),
        }
    )
