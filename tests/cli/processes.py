"""The command line in processes of its own, and a DynamoDB server that it starts."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3

TABLE = {
    "TableName": "Journal",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "who", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "byWho",
            "KeySchema": [{"AttributeName": "who", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from tablewright.cli import main; main()", *arguments]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), check=False, capture_output=True, text=True, timeout=60
    )


@contextmanager
def serving(*options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server on a free port; its URL is read from the line that says it is ready."""
    process = subprocess.Popen(
        command("dynamodb", "--port", "0", *options), stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        url = re.search(r"http://\S+", process.stderr.readline())
        assert url is not None
        yield url[0], process
    finally:
        process.kill()
        process.communicate()


def boto(url: str) -> Any:
    return boto3.client(
        "dynamodb",
        "us-east-1",
        endpoint_url=url,
        aws_access_key_id="any",
        aws_secret_access_key="any",
    )
