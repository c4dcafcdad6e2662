"""DynamoDB's limits, each with its unit and where AWS documents it.

Pages cited are of the Amazon DynamoDB Developer Guide ("Quotas": Service, account, and table
quotas; "Constraints": Constraints in Amazon DynamoDB) and of the API Reference ("API_…").
"""

from __future__ import annotations

from typing import Final

KB: Final = 1024
MB: Final = 1024 * KB

# Names.
TABLE_NAME_CHARS_MIN: Final = 3  # Constraints, "Table names".
TABLE_NAME_CHARS_MAX: Final = 255
ATTRIBUTE_NAME_BYTES_MAX: Final = 65_535  # Constraints, "Attribute names": at most 64 KB long.
KEY_ATTRIBUTE_NAME_CHARS_MAX: Final = 255  # API_KeySchemaElement.

# Values.
PARTITION_KEY_BYTES_MAX: Final = 2048  # Constraints, "Partition key length".
SORT_KEY_BYTES_MAX: Final = 1024  # Constraints, "Sort key length".
ITEM_BYTES_MAX: Final = 400 * KB  # Constraints, "Item size"; names count.
NESTING_DEPTH_MAX: Final = 32  # Constraints, "Nested attribute depth".
NUMBER_DIGITS_MAX: Final = 38  # Constraints, "Numbers".
NUMBER_EXPONENT_MAX: Final = 125  # 9.99…E+125 is the largest magnitude.
NUMBER_EXPONENT_MIN: Final = -130  # 1E-130 is the smallest magnitude.

# Expressions.
EXPRESSION_BYTES_MAX: Final = 4 * KB  # Constraints, "Lengths": an expression string.
# Our own limit: half a million values, each with a quoted type and a quoted content.
REQUEST_QUOTES_MAX: Final = 2_000_000
# Our own limit: four expressions of 4 KB hold no more placeholders of three bytes.
PLACEHOLDERS_MAX: Final = 6_000
PLACEHOLDER_BYTES_MAX: Final = 255  # Constraints, "Lengths": a substitution variable.
OPERATORS_MAX: Final = 300  # Constraints, "Operators and operands".
IN_OPERANDS_MAX: Final = 100  # Constraints, "IN".
LIST_INDEX_MAX: Final = 2**31 - 1  # Not documented; DynamoDB Local 3.3.1 refuses larger ones.

# Requests and pages.
PAGE_BYTES_MAX: Final = MB  # API_Query, API_Scan: 1 MB before any filter.
BATCH_GET_KEYS_MAX: Final = 100  # API_BatchGetItem.
BATCH_GET_BYTES_MAX: Final = 16 * MB  # API_BatchGetItem.
BATCH_WRITE_REQUESTS_MAX: Final = 25  # API_BatchWriteItem.
TRANSACT_ACTIONS_MAX: Final = 100  # API_TransactWriteItems, raised from 25 in 2022.
TRANSACT_BYTES_MAX: Final = 4 * MB  # API_TransactWriteItems.
TOKEN_CHARS_MAX: Final = 36  # API_TransactWriteItems, ClientRequestToken.
TOKEN_SECONDS: Final = 600  # API_TransactWriteItems: a token is valid for 10 minutes.
SEGMENTS_MAX: Final = 1_000_000  # API_Scan, TotalSegments.
LIST_TABLES_MAX: Final = 100  # API_ListTables.
REQUEST_BODY_BYTES_MAX: Final = 16 * MB  # The service closes larger requests.

# Tables.
GLOBAL_INDEXES_MAX: Final = 20  # Quotas, "Global secondary indexes".
GLOBAL_KEY_ATTRIBUTES_MAX: Final = 4  # Of each kind. GSI, "Multi-attribute keys".
LOCAL_INDEXES_MAX: Final = 5  # Constraints, "Local secondary indexes".
PROJECTED_ATTRIBUTES_MAX: Final = 100  # Quotas, "Projected attributes per table".
PROJECTED_ATTRIBUTES_PER_INDEX_MAX: Final = 20  # API_Projection, NonKeyAttributes.
TAGS_MAX: Final = 50

# Capacity.
ACCOUNT_UNITS_MAX: Final = 80_000  # Quotas, us-east-1: read and write units of all tables.
TABLE_UNITS_MAX: Final = 40_000  # Quotas: read and write units of one table.
READ_UNIT_BYTES: Final = 4 * KB  # "Read and write request units".
WRITE_UNIT_BYTES: Final = KB

# Time to live.
EXPIRY_AGE_SECONDS_MAX: Final = (
    5 * 365 * 24 * 3600
)  # "How it works: TTL": older stamps are ignored.

# Streams.
STREAM_SECONDS: Final = 24 * 3600  # Streams, "data retention limit".
ITERATOR_SECONDS: Final = 15 * 60  # API_streams_GetShardIterator.
STREAM_PAGE_RECORDS_MAX: Final = 1000  # API_streams_GetRecords, Limit.
STREAM_PAGE_BYTES_MAX: Final = 1 * MB  # API_streams_GetRecords.
STREAMS_LISTED_MAX: Final = 100  # API_streams_ListStreams and DescribeStream, Limit.
