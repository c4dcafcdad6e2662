"""The API, one file an operation: its shape, its rules, and what it does."""

from __future__ import annotations

from tablewright.engine.operation import Operation
from tablewright.engine.operations import (
    batch_execute_statement,
    batch_get_item,
    batch_write_item,
    create_table,
    delete_item,
    delete_table,
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
    list_streams,
    list_tables,
    put_item,
    query,
    scan,
    transact_get_items,
    transact_write_items,
    update_item,
    update_table,
    update_time_to_live,
)

OPERATIONS: dict[str, Operation] = {
    module.OPERATION.name: module.OPERATION
    for module in (
        batch_execute_statement,
        batch_get_item,
        batch_write_item,
        create_table,
        delete_item,
        delete_table,
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
        list_streams,
        list_tables,
        put_item,
        query,
        scan,
        transact_get_items,
        transact_write_items,
        update_item,
        update_table,
        update_time_to_live,
    )
}
