"""boto3's low-level DynamoDB client for an engine in the same process.

Methods take DynamoDB's parameters by name and return DynamoDB's response, with binary values as
bytes, times as datetimes, and ``ResponseMetadata``. Errors are botocore's ``ClientError``, and
``ParamValidationError`` for unknown or missing parameters and wrong types.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Self

from tablewright.client.client_errors import Exceptions, client_failure, exceptions
from tablewright.client.paginators import PAGINGS, Paginator
from tablewright.client.parameter_validation import require_valid
from tablewright.client.value_conversion import from_json, to_json
from tablewright.client.waiters import WAITERS, Waiter
from tablewright.engine.database import Database
from tablewright.errors import ServiceError

Answer = dict[str, Any]

STREAMS_METHODS: Final = {
    "describe_stream": "DescribeStream",
    "get_records": "GetRecords",
    "get_shard_iterator": "GetShardIterator",
    "list_streams": "ListStreams",
}
METHODS: Final = {
    "batch_execute_statement": "BatchExecuteStatement",
    "batch_get_item": "BatchGetItem",
    "batch_write_item": "BatchWriteItem",
    "create_backup": "CreateBackup",
    "create_table": "CreateTable",
    "delete_backup": "DeleteBackup",
    "delete_item": "DeleteItem",
    "delete_table": "DeleteTable",
    "describe_backup": "DescribeBackup",
    "describe_continuous_backups": "DescribeContinuousBackups",
    "describe_endpoints": "DescribeEndpoints",
    "describe_limits": "DescribeLimits",
    "describe_table": "DescribeTable",
    "describe_time_to_live": "DescribeTimeToLive",
    "execute_statement": "ExecuteStatement",
    "execute_transaction": "ExecuteTransaction",
    "get_item": "GetItem",
    "list_backups": "ListBackups",
    "list_tables": "ListTables",
    "list_tags_of_resource": "ListTagsOfResource",
    "put_item": "PutItem",
    "query": "Query",
    "restore_table_from_backup": "RestoreTableFromBackup",
    "restore_table_to_point_in_time": "RestoreTableToPointInTime",
    "scan": "Scan",
    "tag_resource": "TagResource",
    "transact_get_items": "TransactGetItems",
    "transact_write_items": "TransactWriteItems",
    "untag_resource": "UntagResource",
    "update_continuous_backups": "UpdateContinuousBackups",
    "update_item": "UpdateItem",
    "update_table": "UpdateTable",
    "update_time_to_live": "UpdateTimeToLive",
}


@dataclass(frozen=True, slots=True)
class Meta:
    """``client.meta``."""

    endpoint_url: str
    region_name: str = "us-east-1"
    method_to_api_mapping: dict[str, str] = field(default_factory=lambda: dict(METHODS))


class StreamsClient:
    """boto3's client of DynamoDB Streams, of the same database; see `Client.streams`."""

    def __init__(self, call: Callable[[str, dict[str, Any]], Answer]) -> None:
        self._call = call

    def describe_stream(self, **parameters: Any) -> Answer:
        return self._call("DescribeStream", parameters)

    def get_records(self, **parameters: Any) -> Answer:
        return self._call("GetRecords", parameters)

    def get_shard_iterator(self, **parameters: Any) -> Answer:
        return self._call("GetShardIterator", parameters)

    def list_streams(self, **parameters: Any) -> Answer:
        return self._call("ListStreams", parameters)


class Client:
    """The client; closing it closes the database. Safe to use from any number of threads."""

    def __init__(self, database: Database, *, url: str = "") -> None:
        self.database = database
        self.meta = Meta(url)

    @property
    def exceptions(self) -> Exceptions:
        """The classes of errors, as ``client.exceptions.ConditionalCheckFailedException``."""
        return exceptions()

    @property
    def streams(self) -> StreamsClient:
        """The client of this database's streams, a separate client in boto3."""
        return StreamsClient(self._call)

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def can_paginate(self, operation_name: str) -> bool:
        return operation_name in PAGINGS

    def get_paginator(self, operation_name: str) -> Paginator:
        """A paginator for query, scan or list_tables; raises ValueError for others."""
        if operation_name not in PAGINGS:
            raise ValueError(f"Operation cannot be paginated: {operation_name}")
        return Paginator(getattr(self, operation_name), PAGINGS[operation_name])

    @property
    def waiter_names(self) -> list[str]:
        return list(WAITERS)

    def get_waiter(self, waiter_name: str) -> Waiter:
        """The waiter table_exists or table_not_exists; raises ValueError for others."""
        if waiter_name not in WAITERS:
            raise ValueError(f"Waiter does not exist: {waiter_name}")
        return Waiter(waiter_name, self.describe_table)

    def _call(self, operation: str, request: dict[str, Any]) -> Answer:
        json_request = to_json(request)
        require_valid(operation, request, json_request)
        metadata: dict[str, Any] = {
            "RequestId": str(uuid.uuid4()),
            "HTTPStatusCode": 200,
            "HTTPHeaders": {},
            "RetryAttempts": 0,
        }
        try:
            answer = self.database.call(operation, json_request)
        except ServiceError as error:
            raise client_failure(error, operation, metadata) from None
        converted: Answer = from_json(answer)
        converted["ResponseMetadata"] = metadata
        return converted

    # Items.

    def batch_get_item(self, **parameters: Any) -> Answer:
        return self._call("BatchGetItem", parameters)

    def batch_write_item(self, **parameters: Any) -> Answer:
        return self._call("BatchWriteItem", parameters)

    def delete_item(self, **parameters: Any) -> Answer:
        return self._call("DeleteItem", parameters)

    def get_item(self, **parameters: Any) -> Answer:
        return self._call("GetItem", parameters)

    def put_item(self, **parameters: Any) -> Answer:
        return self._call("PutItem", parameters)

    def query(self, **parameters: Any) -> Answer:
        return self._call("Query", parameters)

    def scan(self, **parameters: Any) -> Answer:
        return self._call("Scan", parameters)

    def transact_get_items(self, **parameters: Any) -> Answer:
        return self._call("TransactGetItems", parameters)

    def transact_write_items(self, **parameters: Any) -> Answer:
        return self._call("TransactWriteItems", parameters)

    def update_item(self, **parameters: Any) -> Answer:
        return self._call("UpdateItem", parameters)

    # Statements.

    def batch_execute_statement(self, **parameters: Any) -> Answer:
        return self._call("BatchExecuteStatement", parameters)

    def execute_statement(self, **parameters: Any) -> Answer:
        return self._call("ExecuteStatement", parameters)

    def execute_transaction(self, **parameters: Any) -> Answer:
        return self._call("ExecuteTransaction", parameters)

    # Tables.

    def create_table(self, **parameters: Any) -> Answer:
        return self._call("CreateTable", parameters)

    def delete_table(self, **parameters: Any) -> Answer:
        return self._call("DeleteTable", parameters)

    def describe_table(self, **parameters: Any) -> Answer:
        return self._call("DescribeTable", parameters)

    def list_tables(self, **parameters: Any) -> Answer:
        return self._call("ListTables", parameters)

    def update_table(self, **parameters: Any) -> Answer:
        return self._call("UpdateTable", parameters)

    def describe_time_to_live(self, **parameters: Any) -> Answer:
        return self._call("DescribeTimeToLive", parameters)

    def update_time_to_live(self, **parameters: Any) -> Answer:
        return self._call("UpdateTimeToLive", parameters)

    # Tags and backups.

    def create_backup(self, **parameters: Any) -> Answer:
        return self._call("CreateBackup", parameters)

    def delete_backup(self, **parameters: Any) -> Answer:
        return self._call("DeleteBackup", parameters)

    def describe_backup(self, **parameters: Any) -> Answer:
        return self._call("DescribeBackup", parameters)

    def describe_continuous_backups(self, **parameters: Any) -> Answer:
        return self._call("DescribeContinuousBackups", parameters)

    def list_backups(self, **parameters: Any) -> Answer:
        return self._call("ListBackups", parameters)

    def list_tags_of_resource(self, **parameters: Any) -> Answer:
        return self._call("ListTagsOfResource", parameters)

    def restore_table_from_backup(self, **parameters: Any) -> Answer:
        return self._call("RestoreTableFromBackup", parameters)

    def restore_table_to_point_in_time(self, **parameters: Any) -> Answer:
        return self._call("RestoreTableToPointInTime", parameters)

    def tag_resource(self, **parameters: Any) -> Answer:
        return self._call("TagResource", parameters)

    def untag_resource(self, **parameters: Any) -> Answer:
        return self._call("UntagResource", parameters)

    def update_continuous_backups(self, **parameters: Any) -> Answer:
        return self._call("UpdateContinuousBackups", parameters)

    # The account.

    def describe_endpoints(self, **parameters: Any) -> Answer:
        return self._call("DescribeEndpoints", parameters)

    def describe_limits(self, **parameters: Any) -> Answer:
        return self._call("DescribeLimits", parameters)
