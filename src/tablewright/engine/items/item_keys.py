"""Validates keys in requests and items: complete, of the right type and size."""

from __future__ import annotations

import base64

from tablewright import limits
from tablewright.engine.tables.catalog import Index, ItemKey, Table
from tablewright.engine.tables.table_schema import KeyAttribute
from tablewright.errors import ValidationError
from tablewright.values.attributes import Item, Value
from tablewright.values.sizes import value_size

MISMATCH = "The provided key element does not match the schema"
_INVALID = "One or more parameter values were invalid: "
_NOT_VALID = "One or more parameter values are not valid. "
# DynamoDB: there is no space before 2048.
PARTITION_TOO_LONG = (
    f"{_INVALID}Size of hashkey has exceeded the maximum size limit of"
    f"{limits.PARTITION_KEY_BYTES_MAX} bytes"
)
SORT_TOO_LONG = (
    f"{_INVALID}Aggregated size of all range keys has exceeded the size limit of "
    f"{limits.SORT_KEY_BYTES_MAX} bytes"
)
_UPDATE_TOO_LONG = (
    "The update expression attempted to update the secondary index key beyond allowed size limits"
)
_EMPTY = {
    "S": "The AttributeValue for a key attribute cannot contain an empty string value.",
    "B": "The AttributeValue for a key attribute cannot contain an empty binary value.",
}

EMPTY_KEY = {type_: _NOT_VALID + sentence for type_, sentence in _EMPTY.items()}


class EmptyKeyValue(ValidationError):
    """A key of the table or of an index is empty.

    DynamoDB: it rejects a transaction as a whole instead of cancelling it; pinned by
    test_transact_write_items.py::test_an_empty_key_refuses_the_whole.
    """


class InvalidKey(ValidationError):
    """A key does not match its table, or is too long.

    DynamoDB: it cancels a transaction, as the reason of its action; pinned by
    test_transact_write_items.py::test_a_key_that_does_not_fit_cancels_the_transaction.
    """


class KeySchemaMismatch(InvalidKey):
    """A key has a missing or extra attribute, or one of another type."""


class IndexKeyTypeMismatch(ValidationError):
    """An update changes the type of an index key.

    DynamoDB: as a cancellation reason it has the message of a put; pinned by
    test_transact_write_items.py::test_an_index_key_of_the_wrong_type_cancels_all.
    """

    def __init__(self, message_of_put: str) -> None:
        super().__init__(
            "The update expression attempted to update the secondary index key to unsupported type"
        )
        self.message_of_put = message_of_put


def key_from_request(table: Table, key: Item) -> ItemKey:
    """The key in a request's `Key`; raises ValidationError if it does not match the table."""
    plain = _plain_key(table, key)
    if plain is not None and len(key) == table.key_length:
        return plain
    if len(key) != len(table.key_names):
        raise KeySchemaMismatch(MISMATCH)
    for attribute in table.key.attributes:
        if attribute.type not in key.get(attribute.name, ()):
            raise KeySchemaMismatch(MISMATCH)
    return _checked_key(table, key)


def key_from_item(table: Table, item: Item) -> ItemKey:
    """The key of an item to put; raises ValidationError if it does not match the table."""
    plain = _plain_key(table, item)
    if plain is not None:
        return plain
    for attribute in table.key.attributes:
        value = item.get(attribute.name)
        if value is None:
            raise KeySchemaMismatch(f"{_INVALID}Missing the key {attribute.name} in the item")
        if attribute.type not in value:
            raise KeySchemaMismatch(
                f"{_INVALID}Type mismatch for key {attribute.name} "
                f"expected: {attribute.type} actual: {next(iter(value))}"
            )
    return _checked_key(table, item)


def _plain_key(table: Table, item: Item) -> ItemKey | None:
    """Fast path: the key if it has short strings; None means that it needs full validation."""
    try:
        key = table.key_of(item)
    except KeyError:
        return None
    hash_, range_ = key
    # A key of this length (with its checksum) is neither empty nor too long.
    if not 4 < len(hash_) <= limits.SORT_KEY_BYTES_MAX:
        return None
    if table.sort is not None and not 0 < len(range_) <= limits.SORT_KEY_BYTES_MAX:
        return None
    return key


def _checked_key(table: Table, item: Item) -> ItemKey:
    for attribute in table.key.attributes:
        scalar = item[attribute.name][attribute.type]
        if not scalar and attribute.type != "N":
            raise EmptyKeyValue(f"{EMPTY_KEY[attribute.type]} Key: {attribute.name}")
    key = table.key_of(item)
    hash_, range_ = key
    # The stored hash has four bytes of checksum before the key.
    if len(hash_) > limits.PARTITION_KEY_BYTES_MAX and table.partition.type != "N":
        _require_length(table.partition, item, limits.PARTITION_KEY_BYTES_MAX, PARTITION_TOO_LONG)
    if table.sort is not None and len(range_) > limits.SORT_KEY_BYTES_MAX:
        raise InvalidKey(SORT_TOO_LONG)
    return key


def _require_length(attribute: KeyAttribute, item: Item, most: int, message: str) -> None:
    if _length(attribute, item[attribute.name]) > most:
        raise InvalidKey(message)


def _length(attribute: KeyAttribute, value: Value) -> int:
    scalar = value[attribute.type]
    if attribute.type == "S":
        return len(scalar.encode())
    return len(base64.b64decode(scalar)) if attribute.type == "B" else 0


def index_key_problem(
    index: Index, item: Item, old: Item, *, is_update: bool
) -> ValidationError | None:
    """The error for an item's values of this index's key, or None."""
    for attributes, most, too_long in (
        (index.key.partition, limits.PARTITION_KEY_BYTES_MAX, PARTITION_TOO_LONG),
        (index.key.sort, limits.SORT_KEY_BYTES_MAX, SORT_TOO_LONG),
    ):
        for attribute in attributes:
            value = item.get(attribute.name)
            if value is None or value == old.get(attribute.name):
                continue
            if attribute.type not in value:
                message = (
                    f"{_INVALID}Type mismatch for Index Key {attribute.name} "
                    f"Expected: {attribute.type} Actual: {next(iter(value))} "
                    f"IndexName: {index.name}"
                )
                return IndexKeyTypeMismatch(message) if is_update else ValidationError(message)
            scalar = value[attribute.type]
            if not scalar and attribute.type != "N":
                return EmptyKeyValue(_empty(index, attribute, is_update))
            # A character has at most four bytes, so short values need not be measured.
            if len(scalar) * 4 > most and _length(attribute, value) > most:
                return ValidationError(_UPDATE_TOO_LONG if is_update else too_long)
    return _aggregate_problem(index, item, old) if index.key.is_multiple else None


def _aggregate_problem(index: Index, item: Item, old: Item) -> ValidationError | None:
    """The error if the attributes of an index's key are too long together, or None."""
    for kind, attributes, most in (
        ("HASH", index.key.partition, limits.PARTITION_KEY_BYTES_MAX),
        ("RANGE", index.key.sort, limits.SORT_KEY_BYTES_MAX),
    ):
        names = [attribute.name for attribute in attributes]
        if any(name not in item for name in names):
            continue  # The item is not in the index.
        if all(item[name] == old.get(name) for name in names):
            continue
        size = sum(value_size(item[name]) for name in names)
        if len(names) > 1 and size > most:
            return ValidationError(
                f"Aggregate size for {kind} key attributes {', '.join(names)} of index "
                f"{index.name} has exceeded limit {most} bytes, with actual size {size} bytes"
            )
    return None


def _empty(index: Index, attribute: KeyAttribute, is_update: bool) -> str:
    if is_update:
        return (
            f"{_NOT_VALID}The update expression attempted to update a secondary index key to a "
            f"value that is not supported. {_EMPTY[attribute.type]}"
        )
    return (
        f"{_NOT_VALID}A value specified for a secondary index key is not supported. "
        f"{_EMPTY[attribute.type]} IndexName: {index.name}, IndexKey: {attribute.name}"
    )


def require_index_keys(
    table: Table, item: Item, *, old: Item | None = None, is_update: bool = False
) -> None:
    """Raise ValidationError if an item's value cannot be a key of one of its indexes.

    Values that an update does not change pass: they are older than the index.
    """
    problems: dict[str, ValidationError] = {}
    for index in table.indexes:
        problem = index_key_problem(index, item, old or {}, is_update=is_update)
        if problem is not None:
            problems[index.name] = problem
    if problems:
        # DynamoDB: of several indexes the message names the first by name; pinned by
        # test_put_item.py::test_of_several_indexes_the_first_by_name_is_reported.
        raise problems[min(problems)]
