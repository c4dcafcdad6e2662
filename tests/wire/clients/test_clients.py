"""One scenario, run by popular clients against a server that verifies signatures.

Each client creates and fills a table, reads an item, pages through a query, makes an update that
succeeds and one that fails, a transaction that succeeds and one that is cancelled, and deletes an
item and the table. All clients must observe the same. Clients that are not Python packages of this
project are downloaded once; if that fails, their test is skipped with the reason.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError

from tablewright.engine.database import Database
from tablewright.wire.admission import Access
from tablewright.wire.lifecycle import ThreadedServer
from tablewright.wire.signatures import Verifier

from . import tools

HERE = Path(__file__).parent
ACCESS_KEY, SECRET, REGION = "AKIDEXAMPLE", "secret/+key", "us-east-1"
SEEN: dict[str, Any] = {
    "got": [3, 5000, [0, 255]],
    "pages": [5, 5, 2],
    "updated": 4,
    "refused": "ConditionalCheckFailedException",
    "reasons": ["None", "ConditionalCheckFailed"],
    "left": None,
    "tables": [],
}


@pytest.fixture
def url(database: Database) -> Iterator[str]:
    verifier = Verifier({ACCESS_KEY: SECRET}, region=REGION, clock=time.time)
    with ThreadedServer(database, access=Access(verifier=verifier)) as server:
        yield server.url


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Credentials for the clients, without the developer's configuration."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return own | {
        "HOME": str(tmp_path),
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": "127.0.0.1",
    }


def fetched(find: Callable[[], Path]) -> Path:
    try:
        return find()
    except tools.Missing as reason:
        pytest.skip(f"the client cannot be had: {reason}")


def run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=120, env=environment
    )


def story(command: list[str], environment: dict[str, str]) -> Any:
    done = run(command, environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_the_sdk_for_javascript(url: str, environment: dict[str, str]) -> None:
    home = fetched(tools.js_home)
    assert story(["node", str(HERE / "story.mjs"), url, str(home)], environment) == SEEN


@pytest.mark.slow
def test_aioboto3(url: str, environment: dict[str, str]) -> None:
    python = fetched(tools.aioboto3_python)
    assert story([str(python), str(HERE / "story_aioboto3.py"), url], environment) == SEEN


def item(n: int) -> dict[str, Any]:
    return {"pk": "a", "sk": f"{n:03}", "n": n, "text": "x" * 5000, "bytes": b"\x00\xff"}


TABLE: dict[str, Any] = {
    "TableName": "Story",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


def test_the_resource_of_boto3(url: str) -> None:
    resource = boto3.resource(
        "dynamodb",
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=SECRET,
    )
    client = resource.meta.client
    seen: dict[str, Any] = {}
    table = resource.create_table(**TABLE)
    table.wait_until_exists()
    with table.batch_writer() as batch:
        for n in range(12):
            batch.put_item(Item=item(n))
    got = table.get_item(Key={"pk": "a", "sk": "003"})["Item"]
    seen["got"] = [int(got["n"]), len(got["text"]), list(bytes(got["bytes"]))]
    pages = client.get_paginator("query").paginate(
        TableName="Story",
        KeyConditionExpression=Key("pk").eq("a"),
        PaginationConfig={"PageSize": 5},
    )
    seen["pages"] = [page["Count"] for page in pages]

    def update() -> Any:
        return table.update_item(
            Key={"pk": "a", "sk": "003"},
            UpdateExpression="ADD n :one",
            ConditionExpression=Attr("n").eq(3),
            ExpressionAttributeValues={":one": 1},
            ReturnValues="UPDATED_NEW",
        )

    seen["updated"] = int(update()["Attributes"]["n"])
    with pytest.raises(ClientError) as refused:
        update()
    seen["refused"] = refused.value.response["Error"]["Code"]

    def put(sk: str, **more: str) -> Any:
        return {"Put": {"TableName": "Story", "Item": {"pk": "a", "sk": sk}, **more}}

    client.transact_write_items(TransactItems=[put("100"), put("101")])
    again = put("101", ConditionExpression="attribute_not_exists(pk)")
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(TransactItems=[put("102"), again])
    seen["reasons"] = [each["Code"] for each in cancelled.value.response["CancellationReasons"]]
    table.delete_item(Key={"pk": "a", "sk": "100"})
    seen["left"] = table.get_item(Key={"pk": "a", "sk": "100"}).get("Item")
    table.delete()
    seen["tables"] = client.list_tables()["TableNames"]
    client.close()
    assert seen == SEEN


def test_pynamodb(url: str) -> None:
    from pynamodb.attributes import BinaryAttribute, NumberAttribute, UnicodeAttribute
    from pynamodb.exceptions import TransactWriteError, UpdateError
    from pynamodb.models import Model
    from pynamodb.transactions import TransactWrite

    class Row(Model):
        class Meta:
            table_name = "Story"
            host = url
            region = REGION
            billing_mode = "PAY_PER_REQUEST"
            aws_access_key_id = ACCESS_KEY
            aws_secret_access_key = SECRET

        pk = UnicodeAttribute(hash_key=True)
        sk = UnicodeAttribute(range_key=True)
        n = NumberAttribute(null=True)
        text = UnicodeAttribute(null=True)
        bytes = BinaryAttribute(null=True, legacy_encoding=False)

    seen: dict[str, Any] = {}
    Row.create_table(wait=True)
    with Row.batch_write() as batch:
        for n in range(12):
            batch.save(Row(**item(n)))
    got = Row.get("a", "003")
    seen["got"] = [got.n, len(got.text), list(got.bytes)]
    pages, start = [], None
    while True:
        page = Row.query("a", limit=5, page_size=5, last_evaluated_key=start)
        pages.append(len(list(page)))
        start = page.last_evaluated_key
        if start is None:
            break
    seen["pages"] = pages
    got.update(actions=[Row.n.add(1)], condition=Row.n == 3)
    seen["updated"] = got.n
    with pytest.raises(UpdateError) as refused:
        got.update(actions=[Row.n.add(1)], condition=Row.n == 3)
    seen["refused"] = refused.value.cause_response_code
    connection = Row._get_connection().connection
    with TransactWrite(connection=connection) as write:
        write.save(Row("a", "100"))
        write.save(Row("a", "101"))
    write = TransactWrite(connection=connection)
    write.save(Row("a", "102"))
    write.save(Row("a", "101"), condition=Row.pk.does_not_exist())
    with pytest.raises(TransactWriteError) as cancelled:
        write._commit()
    reasons = [reason and reason.code for reason in cancelled.value.cancellation_reasons]
    seen["reasons"] = [reason or "None" for reason in reasons]
    Row("a", "100").delete()
    seen["left"] = next(iter(Row.query("a", Row.sk == "100")), None)
    Row.delete_table()
    seen["tables"] = connection.list_tables()["TableNames"]
    assert seen == SEEN


class Aws:
    """The program aws: ``aws("get-item", table_name="Story", …)`` is what it prints, as JSON."""

    def __init__(self, program: Path, url: str, environment: dict[str, str], folder: Path) -> None:
        self._start = [str(program), "dynamodb", "--endpoint-url", url, "--output", "json"]
        self._environment = environment
        self._folder = folder

    def __call__(self, operation: str, **options: Any) -> Any:
        done = run([*self._start, operation, *self._words(options)], self._environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout or "null")

    def refusal(self, operation: str, **options: Any) -> str:
        done = run([*self._start, operation, *self._words(options)], self._environment)
        assert done.returncode
        return done.stderr

    def _words(self, options: dict[str, Any]) -> Iterator[str]:
        for name, value in options.items():
            yield f"--{name.replace('_', '-')}"
            if isinstance(value, str):
                yield value
            else:
                file = self._folder / f"{name}.json"
                file.write_text(json.dumps(value), "utf-8")
                yield f"file://{file}"


@pytest.mark.slow
def test_the_command_line_of_aws(url: str, environment: dict[str, str], tmp_path: Path) -> None:
    aws = Aws(fetched(tools.aws_command), url, environment, tmp_path)

    def key(sk: str) -> Any:
        return {"pk": {"S": "a"}, "sk": {"S": sk}}

    def put(sk: str, **more: str) -> Any:
        return {"Put": {"TableName": "Story", "Item": key(sk), **more}}

    seen: dict[str, Any] = {}
    aws("create-table", cli_input_json=TABLE)
    filling = {"text": {"S": "x" * 5000}, "bytes": {"B": "ab"}}
    rows = [key(f"{n:03}") | {"n": {"N": str(n)}} | filling for n in range(12)]
    aws("batch-write-item", request_items={"Story": [{"PutRequest": {"Item": r}} for r in rows]})
    got = aws("get-item", table_name="Story", key=key("003"))["Item"]
    assert b64decode(got["bytes"]["B"]) == b"ab"  # This version takes bytes only as text.
    seen["got"] = [int(got["n"]["N"]), len(got["text"]["S"]), *SEEN["got"][2:]]
    query: dict[str, Any] = {
        "table_name": "Story",
        "key_condition_expression": "pk = :pk",
        "expression_attribute_values": {":pk": {"S": "a"}},
        "projection_expression": "sk",
        "max_items": "5",
    }
    pages = [aws("query", **query)]
    while "NextToken" in pages[-1]:
        pages.append(aws("query", starting_token=pages[-1]["NextToken"], **query))
    seen["pages"] = [len(page["Items"]) for page in pages]
    update: dict[str, Any] = {
        "table_name": "Story",
        "key": key("003"),
        "update_expression": "ADD n :one",
        "condition_expression": "n = :three",
        "expression_attribute_values": {":one": {"N": "1"}, ":three": {"N": "3"}},
        "return_values": "UPDATED_NEW",
    }
    seen["updated"] = int(aws("update-item", **update)["Attributes"]["n"]["N"])
    seen["refused"] = aws.refusal("update-item", **update).partition("(")[2].partition(")")[0]
    aws("transact-write-items", transact_items=[put("100"), put("101")])
    again = put("101", ConditionExpression="attribute_not_exists(pk)")
    cancelled = aws.refusal("transact-write-items", transact_items=[put("102"), again])
    assert "TransactionCanceledException" in cancelled
    seen["reasons"] = cancelled.partition("reasons [")[2].partition("]")[0].split(", ")
    aws("delete-item", table_name="Story", key=key("100"))
    seen["left"] = aws("get-item", table_name="Story", key=key("100"))
    aws("delete-table", table_name="Story")
    seen["tables"] = aws("list-tables")["TableNames"]
    assert seen == SEEN
