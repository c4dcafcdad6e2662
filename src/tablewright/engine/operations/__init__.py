"""The API, one file per operation: its shape, its rules and its command.

Each file is loaded on first use: most processes use only a few operations.
"""

from __future__ import annotations

import importlib
from typing import Final

from tablewright.engine.requests.api_operation import Operation
from tablewright.errors import UnknownOperation

NAMES: Final = (
    "BatchExecuteStatement",
    "BatchGetItem",
    "BatchWriteItem",
    "CreateBackup",
    "CreateTable",
    "DeleteBackup",
    "DeleteItem",
    "DeleteTable",
    "DescribeBackup",
    "DescribeContinuousBackups",
    "DescribeEndpoints",
    "DescribeLimits",
    "DescribeStream",
    "DescribeTable",
    "DescribeTimeToLive",
    "ExecuteStatement",
    "ExecuteTransaction",
    "GetItem",
    "GetRecords",
    "GetShardIterator",
    "ListBackups",
    "ListStreams",
    "ListTables",
    "ListTagsOfResource",
    "PutItem",
    "Query",
    "RestoreTableFromBackup",
    "RestoreTableToPointInTime",
    "Scan",
    "TagResource",
    "TransactGetItems",
    "TransactWriteItems",
    "UntagResource",
    "UpdateContinuousBackups",
    "UpdateItem",
    "UpdateTable",
    "UpdateTimeToLive",
)

_loaded: dict[str, Operation] = {}


def find_operation(name: str) -> Operation:
    """The operation of this name; raises UnknownOperation."""
    operation = _loaded.get(name)
    if operation is None:
        if name not in NAMES:
            raise UnknownOperation
        operation = _loaded[name] = _load(name)
    return operation


def _load(name: str) -> Operation:
    """Load the operation from its file: put_item.py for PutItem."""
    file = "".join(f"_{c.lower()}" if c.isupper() else c for c in name).removeprefix("_")
    operation: Operation = importlib.import_module(f"{__name__}.{file}").OPERATION
    return operation
