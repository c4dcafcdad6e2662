"""The API, one file an operation: its shape, its rules, and what it does."""

from __future__ import annotations

from tablewright.engine.operation import Operation
from tablewright.engine.operations import (
    batch_execute_statement,
    batch_get_item,
    batch_write_item,
    create_backup,
    create_table,
    delete_backup,
    delete_item,
    delete_table,
    describe_backup,
    describe_continuous_backups,
    describe_endpoints,
    describe_limits,
    describe_stream,
    describe_table,
    describe_time_to_live,
    execute_statement,
    execute_transaction,
    get_item,
    get_records,
    get_shard_iterator,
    list_backups,
    list_streams,
    list_tables,
    list_tags_of_resource,
    put_item,
    query,
    restore_table_from_backup,
    restore_table_to_point_in_time,
    scan,
    tag_resource,
    transact_get_items,
    transact_write_items,
    untag_resource,
    update_continuous_backups,
    update_item,
    update_table,
    update_time_to_live,
)
from tablewright.errors import UnknownOperation

OPERATIONS: dict[str, Operation] = {
    module.OPERATION.name: module.OPERATION
    for module in (
        batch_execute_statement,
        batch_get_item,
        batch_write_item,
        create_backup,
        create_table,
        delete_backup,
        delete_item,
        delete_table,
        describe_backup,
        describe_continuous_backups,
        describe_endpoints,
        describe_limits,
        describe_stream,
        describe_table,
        describe_time_to_live,
        execute_statement,
        execute_transaction,
        get_item,
        get_records,
        get_shard_iterator,
        list_backups,
        list_streams,
        list_tables,
        list_tags_of_resource,
        put_item,
        query,
        restore_table_from_backup,
        restore_table_to_point_in_time,
        scan,
        tag_resource,
        transact_get_items,
        transact_write_items,
        untag_resource,
        update_continuous_backups,
        update_item,
        update_table,
        update_time_to_live,
    )
}


def find_operation(name: str) -> Operation:
    """The operation of this name; raises UnknownOperation."""
    operation = OPERATIONS.get(name)
    if operation is None:
        raise UnknownOperation
    return operation
