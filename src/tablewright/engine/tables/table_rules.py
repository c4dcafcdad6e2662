"""Rules between the parts of a table declaration, in AWS's order and with AWS's messages.

Requests have passed their shape. These rules compare key schemas, attribute definitions, indexes
and streams, and build the parts of a `TableSchema`. `throughput_rules` has those of throughput.
No rule needs a stored table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn, TypeGuard

from tablewright import limits
from tablewright.engine.tables.table_schema import (
    IndexKind,
    IndexSchema,
    KeyAttribute,
    KeySchema,
    Throughput,
)
from tablewright.errors import ValidationError

Definitions = dict[str, str]

TABLE_CLASSES: Final = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")


def invalid(detail: str) -> NoReturn:
    """Raise ValidationError with the prefix of most of these messages."""
    raise ValidationError(f"One or more parameter values were invalid: {detail}")


def invalid_request(detail: str) -> NoReturn:
    """Raise ValidationError with the prefix of messages about backups and restores."""
    raise ValidationError(f"Invalid Request: {detail}")


def definitions_of(request: Mapping[str, Any]) -> Definitions:
    """The declared attributes, name to type, in the request's order."""
    declared = request.get("AttributeDefinitions") or []
    return {entry["AttributeName"]: entry["AttributeType"] for entry in declared}


def require_defined_once(request: Mapping[str, Any]) -> None:
    """Reject duplicate attribute definitions, even with the same type."""
    name = _first_repeated([entry["AttributeName"] for entry in request["AttributeDefinitions"]])
    if name is not None:
        raise ValidationError(f"Attribute Name is duplicated: {name}")


def _first_repeated(names: Iterable[str]) -> str | None:
    earlier: set[str] = set()
    for name in names:
        if name in earlier:
            return name
        earlier.add(name)
    return None


def key_attributes(definitions: Definitions) -> tuple[KeyAttribute, ...]:
    return tuple(KeyAttribute(name, type_) for name, type_ in definitions.items())


def table_key(elements: Sequence[Mapping[str, str]], definitions: Definitions) -> KeySchema:
    """The key of a table."""
    # DynamoDB: definitions are counted, so one definition for two elements is not enough; pinned by
    # test_create_table.py::test_both_key_attributes_must_differ.
    if len(definitions) < len(elements):
        raise ValidationError("Invalid KeySchema: Some index key attribute have no definition")
    require_key_defined(elements, definitions)
    return _key(elements, definitions)


def require_key_defined(elements: Sequence[Mapping[str, str]], definitions: Definitions) -> None:
    """Raise ValidationError if an attribute of a key has no definition."""
    names = [element["AttributeName"] for element in elements]
    if any(name not in definitions for name in names):
        invalid(
            "Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(_as_set(names))}], "
            f"AttributeDefinitions: [{', '.join(_as_set(definitions, len(definitions)))}]"
        )


def _key(elements: Sequence[Mapping[str, str]], definitions: Definitions) -> KeySchema:
    names = [element["AttributeName"] for element in elements]
    # DynamoDB: names are checked before kinds; pinned by
    # test_create_table.py::test_names_are_compared_before_kinds.
    if len(set(names)) < len(names):
        raise ValidationError(
            "Both the Hash Key and the Range Key element in the KeySchema have the same name"
        )
    _require_hash_first(elements)
    if len(elements) > 1 and elements[1]["KeyType"] != "RANGE":
        raise ValidationError(
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
        )
    partition, *sort = (KeyAttribute(name, definitions[name]) for name in names)
    return KeySchema((partition,), tuple(sort))


def _require_hash_first(elements: Sequence[Mapping[str, str]]) -> None:
    if elements[0]["KeyType"] != "HASH":
        raise ValidationError(
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
        )


def _has_several_of_a_kind(elements: Sequence[Mapping[str, str]]) -> bool:
    kinds = [element["KeyType"] for element in elements]
    return len(set(kinds)) < len(kinds)


def _multiple_key(elements: Sequence[Mapping[str, str]], definitions: Definitions) -> KeySchema:
    """The key of a global index with several partition or sort key attributes."""
    kinds = [element["KeyType"] for element in elements]
    names = [element["AttributeName"] for element in elements]
    if len(set(names)) < len(names):
        raise ValidationError("The KeySchema contains multiple key attributes with the same name")
    _require_hash_first(elements)
    for kind in ("HASH", "RANGE"):
        if kinds.count(kind) > limits.GLOBAL_KEY_ATTRIBUTES_MAX:
            invalid(f"The KeySchema exceeds the maximum allowed number of {kind} key attributes")
    if kinds != sorted(kinds):
        invalid("All HASH key attributes must precede RANGE key attributes in the KeySchema")
    parts = [KeyAttribute(name, definitions[name]) for name in names]
    hashes = kinds.count("HASH")
    return KeySchema(tuple(parts[:hashes]), tuple(parts[hashes:]))


def index_schema(
    declared: Mapping[str, Any], kind: IndexKind, number: int, definitions: Definitions
) -> IndexSchema:
    """The schema of a declared index; raises ValidationError."""
    elements = declared["KeySchema"]
    require_key_defined(elements, definitions)
    is_multiple = kind == "GLOBAL" and _has_several_of_a_kind(elements)
    key = _multiple_key(elements, definitions) if is_multiple else _key(elements, definitions)
    projection = declared["Projection"]
    require_projection(projection)
    options = {
        name: declared[name]
        for name in ("OnDemandThroughput", "WarmThroughput")
        if declared.get(name)
    }
    return IndexSchema(
        name=declared["IndexName"],
        kind=kind,
        number=number,
        key=key,
        projection=projection["ProjectionType"],
        non_key_attributes=tuple(projection.get("NonKeyAttributes") or ()),
        throughput=Throughput.of(declared),
        options=options,
    )


def require_projection(projection: Mapping[str, Any]) -> None:
    """Raise ValidationError unless type and attributes agree."""
    kind = projection.get("ProjectionType")
    names = projection.get("NonKeyAttributes")
    if kind is None:
        invalid("Unknown ProjectionType: null")
    if kind == "INCLUDE" and names is None:
        invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
    if kind != "INCLUDE" and names is not None:
        invalid(f"ProjectionType is {kind}, but NonKeyAttributes is specified")
    if (name := _first_repeated(names or ())) is not None:
        invalid(f"Duplicate element in NonKeyAttributes: {name}")


def require_local(index: IndexSchema, table: KeySchema) -> None:
    """Raise ValidationError unless a local index has the table's partition key and a sort key."""
    if not index.key.sort:
        invalid(f"Index KeySchema does not have a range key for index: {index.name}")
    own, tables = index.key.partition[0].name, table.partition[0].name
    if own != tables:
        invalid(
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: "
            f"{index.name}. index hash key: {own}, table hash key: {tables}"
        )


def require_distinct(indexes: Iterable[IndexSchema]) -> None:
    """Raise ValidationError if two indexes share a name."""
    name = _first_repeated(index.name for index in indexes)
    if name is not None:
        invalid(f"Duplicate index name: {name}")


def require_index_counts(indexes: Sequence[IndexSchema]) -> None:
    """Raise ValidationError if there are too many indexes or projected attributes."""
    local = sum(not index.is_global for index in indexes)
    if local > limits.LOCAL_INDEXES_MAX:
        invalid(
            f"Number of LocalSecondaryIndexes exceeds per-table limit of {limits.LOCAL_INDEXES_MAX}"
        )
    if len(indexes) - local > limits.GLOBAL_INDEXES_MAX:
        invalid(
            f"GlobalSecondaryIndex count exceeds the per-table limit of {limits.GLOBAL_INDEXES_MAX}"
        )
    # The same attribute in two indexes counts twice.
    if sum(len(index.non_key_attributes) for index in indexes) > limits.PROJECTED_ATTRIBUTES_MAX:
        invalid(
            "Number of NonKeyAttributes across all indexes exceeds the per-table limit of "
            f"{limits.PROJECTED_ATTRIBUTES_MAX}"
        )


def require_all_used(
    definitions: Definitions, key: KeySchema, indexes: Sequence[Mapping[str, Any]]
) -> None:
    """Raise ValidationError if a defined attribute is not in any key."""
    used = dict.fromkeys(key.names)
    for index in indexes:
        used.update(dict.fromkeys(element["AttributeName"] for element in index["KeySchema"]))
    if len(definitions) == len(used):
        return
    if not indexes:
        invalid(
            "Number of attributes in KeySchema does not exactly match number of attributes "
            "defined in AttributeDefinitions"
        )
    invalid(
        "Some AttributeDefinitions are not used. "
        f"AttributeDefinitions: [{', '.join(_as_set(definitions, len(definitions)))}], "
        f"keys used: [{', '.join(_as_set(used))}]"
    )


def _as_set(names: Iterable[str], capacity: int = 12) -> list[str]:
    """Names in the iteration order of a Java HashSet of this capacity."""
    distinct = list(dict.fromkeys(names))
    buckets = 1
    while buckets < capacity:
        buckets *= 2
    while 4 * len(distinct) > 3 * buckets:
        buckets *= 2
    return sorted(distinct, key=lambda name: _spread(name) % buckets)


def _spread(name: str) -> int:
    """The spread hash of a string in a Java HashSet."""
    units = name.encode("utf-16-be", "surrogatepass")
    value = 0
    for at in range(0, len(units), 2):
        value = (31 * value + int.from_bytes(units[at : at + 2], "big")) & 0xFFFFFFFF
    return value ^ (value >> 16)


def require_stream_of_new_table(specification: Mapping[str, Any] | None) -> None:
    """Raise ValidationError unless exactly an enabled stream has a view type."""
    if specification is None:
        return
    has_view = specification.get("StreamViewType") is not None
    if specification["StreamEnabled"] and not has_view:
        invalid("Table is being created with a stream enabled, UpdateViewType is required")
    if not specification["StreamEnabled"] and has_view:
        invalid(
            "Table is being created with a stream disabled, UpdateViewType should not be specified"
        )


def require_stream_change(specification: Mapping[str, Any] | None) -> None:
    """As `require_stream_of_new_table`, with UpdateTable's messages."""
    if specification is None:
        return
    has_view = specification.get("StreamViewType") is not None
    if specification["StreamEnabled"] and not has_view:
        invalid("If stream is being enabled then UpdateViewType is required")
    if not specification["StreamEnabled"] and has_view:
        invalid("If stream is being disabled, then UpdateViewType must not be specified")


def require_table_class(name: str | None) -> None:
    """Raise ValidationError for an unknown table class."""
    if name is not None and name not in TABLE_CLASSES:
        raise ValidationError(
            "Invalid table-class parameter provided. Please try again with a valid table-class "
            f"value: [{', '.join(TABLE_CLASSES)}]."
        )


def is_encrypted(specification: Mapping[str, Any] | None) -> TypeGuard[Mapping[str, Any]]:
    """Whether a table is encrypted with a KMS key instead of the default key."""
    if specification is None:
        return False
    enabled = specification.get("Enabled")
    return bool(specification.get("SSEType")) if enabled is None else enabled


def require_encryption(specification: Mapping[str, Any] | None) -> None:
    """Raise ValidationError unless the members of an encryption agree."""
    if specification is None:
        return
    kind, has_key = specification.get("SSEType"), specification.get("KMSMasterKeyId") is not None
    if specification.get("Enabled") is False:
        if kind is not None:
            invalid("SSEType can not be specified if Enabled is false")
        if has_key:
            invalid("KMSMasterKeyId can not be specified if Enabled is false")
    if kind == "AES256":
        invalid("SSEType AES256 is not supported")
    if has_key and kind is None:
        invalid("SSEType KMS is required if KMSMasterKeyId is specified")


def used_definitions(
    definitions: Definitions, key: KeySchema, indexes: Iterable[IndexSchema]
) -> tuple[KeyAttribute, ...]:
    """The definitions of attributes that are part of a key."""
    used = set(key.names)
    for index in indexes:
        used.update(index.key.names)
    return tuple(KeyAttribute(name, type_) for name, type_ in definitions.items() if name in used)
