"""``tablewright dynamodb``: who may call the server that it starts, and how it words refusals."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

MEMORY = ("--store", "sqlite://:memory:")
PUBLIC = ("--host", "0.0.0.0")
REFUSALS = {"InvalidSignatureException", "UnrecognizedClientException"}


def command(*options: str) -> list[str]:
    program = "from tablewright.cli import main; main()"
    return [sys.executable, "-c", program, "dynamodb", "--port", "0", *MEMORY, *options]


def environment(**more: str) -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith("TABLEWRIGHT_")} | more


def refused(*options: str) -> str:
    """The error message for wrong options."""
    done = subprocess.run(
        command(*options),
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


@contextmanager
def serving(*options: str, **more: str) -> Iterator[str]:
    """A server on a free port: its URL, as seen from this machine."""
    process = subprocess.Popen(
        command(*options), stderr=subprocess.PIPE, text=True, env=environment(**more)
    )
    try:
        assert process.stderr is not None
        announced = re.search(r"http://\S+", process.stderr.readline())
        assert announced is not None
        yield announced[0].replace("0.0.0.0", "127.0.0.1")
    finally:
        process.kill()
        process.communicate()


def list_tables(url: str, key: str, secret: str) -> Any:
    client = boto3.client(
        "dynamodb",
        "us-east-1",
        endpoint_url=url,
        aws_access_key_id=key,
        aws_secret_access_key=secret,
    )
    try:
        return client.list_tables()["TableNames"]
    finally:
        client.close()


def words(url: str, operation: str, **request: Any) -> str:
    """How a request is refused."""
    sent = urllib.request.Request(
        url,
        json.dumps({"TableName": "abc", **request}).encode(),
        {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        },
    )
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(sent, timeout=30)
    with caught.value as answer:
        return str(json.load(answer)["message"])


def is_served(url: str, key: str, secret: str) -> bool:
    try:
        return bool(list_tables(url, key, secret) == [])
    except ClientError as error:
        if error.response["Error"]["Code"] not in REFUSALS:
            raise
        return False


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "db.example"])
def test_beyond_this_machine_credentials_are_required(host: str) -> None:
    message = refused("--host", host)
    assert host in message
    assert "--credentials" in message


def test_any_keys_will_do_without_credentials() -> None:
    with serving() as url:
        assert is_served(url, "any", "thing")


def test_with_credentials_only_their_holders_are_served() -> None:
    options = ("--credentials", "AKIDONE:one", "--credentials", "AKIDTWO:two/+=:x")
    with serving(*PUBLIC, *options) as url:
        assert is_served(url, "AKIDONE", "one")
        assert is_served(url, "AKIDTWO", "two/+=:x")
        assert not is_served(url, "AKIDONE", "two")
        assert not is_served(url, "AKIDTHREE", "three")


def test_credentials_may_be_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("# Who may call.\n\nAKIDONE:one\n  AKIDTWO:two  \n")
    with serving(*PUBLIC, "--credentials", f"@{file}", "--credentials", "AKIDTHREE:three") as url:
        assert is_served(url, "AKIDONE", "one")
        assert is_served(url, "AKIDTWO", "two")
        assert is_served(url, "AKIDTHREE", "three")
        assert not is_served(url, "AKIDFOUR", "four")


@pytest.mark.parametrize("separator", [" ", ",", "\n"])
def test_credentials_may_be_in_the_environment(separator: str) -> None:
    pairs = f"AKIDONE:one{separator}AKIDTWO:two"
    with serving(*PUBLIC, TABLEWRIGHT_CREDENTIALS=pairs) as url:
        assert is_served(url, "AKIDONE", "one")
        assert is_served(url, "AKIDTWO", "two")
        assert not is_served(url, "AKIDONE", "two")


@pytest.mark.parametrize("given", ["hidden", ":hidden", "hidden:", "a/hidden:b", "hidden b"])
def test_credentials_that_are_no_pair_are_a_usage_error_that_prints_no_secret(given: str) -> None:
    message = refused("--credentials", given)
    assert "KEY:SECRET" in message
    assert "hidden" not in message


def test_a_file_without_credentials_is_a_usage_error(tmp_path: Path) -> None:
    assert "cannot read" in refused("--credentials", f"@{tmp_path / 'none'}")
    empty, wrong = tmp_path / "empty", tmp_path / "wrong"
    empty.write_text("# Nobody yet.\n")
    assert "without credentials" in refused("--credentials", f"@{empty}")
    wrong.write_text("AKIDONE:one\nhidden\n")
    message = refused("--credentials", f"@{wrong}")
    assert "line 2" in message
    assert "hidden" not in message


def post(url: str, **headers: str) -> int:
    sent = urllib.request.Request(
        url,
        b"{}",
        {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": "DynamoDB_20120810.ListTables",
            **headers,
        },
    )
    try:
        with urllib.request.urlopen(sent, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_pages_may_call_that_are_allowed_or_of_this_machine() -> None:
    options = ("--allow-origin", "https://app.example", "--allow-origin", "https://b.example:8443")
    with serving(*options) as url:
        assert post(url) == 200
        assert post(url, Origin="http://localhost:3000") == 200
        assert post(url, Origin="https://app.example") == 200
        assert post(url, Origin="https://b.example:8443") == 200
        assert post(url, Origin="https://evil.example") == 403
        assert post(url, Host="evil.example") == 403


def test_all_pages_may_call_if_so_wished() -> None:
    with serving("--allow-origin", "*") as url:
        assert post(url, Origin="https://evil.example") == 200


def test_an_origin_that_is_none_is_a_usage_error() -> None:
    assert "app.example/path" in refused("--allow-origin", "https://app.example/path")


def test_the_words_of_refusals_are_a_choice() -> None:
    message = "The parameter cannot be converted to a numeric value"
    nothing = {"pk": {"N": ""}}
    with serving() as url:
        assert words(url, "GetItem", Key=nothing) == message
        assert words(url, "PutItem", Item=nothing) == message
    with serving("--wording", "current") as url:
        assert words(url, "GetItem", Key=nothing) == f"{message}: "
        assert words(url, "PutItem", Item=nothing) == f"1 validation error detected: {message}: "
    assert "--wording" in refused("--wording", "modern")
