"""Snippets say exactly the request: they are run, or read back, and compared."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import Any

import boto3
import pytest

from tablewright import create
from tablewright.explain.explainer import explain
from tablewright.explain.snippets import as_boto3, as_cli, as_json
from tablewright.plan.operation import Call
from tablewright.systems.roll_model import design as journal
from tests.plan import library

NASTY = 'it\'s "$HOME" `x` \\ \n é 🚀 !'
CALLS = [
    Call("GetItem", {"TableName": "T", "Key": {"PK": {"S": NASTY}, "B": {"B": "AAE="}}}),
    Call("PutItem", {"TableName": "T", "Item": {"PK": {"S": "a"}, "s": {"BS": ["AAE=", "/w=="]}}}),
    Call("Query", {"TableName": "T", "Limit": 1, "ScanIndexForward": False}),
    *explain(create(library.Book(id="1", title=NASTY, tags=["x", "y"]))).calls,
    *explain(journal.P.list_own_entries).calls,
]


def asked(call: Call) -> dict[str, Any]:
    return {name: value for name, value in call.request.items() if name != "ClientRequestToken"}


class Recorder:
    """Stands in for boto3's client: keeps what it is called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda **request: self.calls.append((name, request))


def with_base64(value: Any) -> Any:
    from base64 import b64encode

    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, dict):
        return {name: with_base64(member) for name, member in value.items()}
    return [with_base64(member) for member in value] if isinstance(value, list) else value


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.operation)
def test_a_boto3_script_makes_the_request(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder()
    monkeypatch.setattr(boto3, "client", lambda *_, **__: recorder)
    exec(as_boto3([call], "eu-west-1"), {})
    [(method, request)] = recorder.calls
    assert method.replace("_", "") == call.operation.lower()
    assert with_base64(request) == asked(call)


def test_boto3_gets_bytes_where_json_has_base64(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder()
    monkeypatch.setattr(boto3, "client", lambda *_, **__: recorder)
    exec(as_boto3(CALLS[:2], "eu-west-1"), {})
    assert recorder.calls[0][1]["Key"]["B"] == {"B": b"\x00\x01"}
    assert recorder.calls[1][1]["Item"]["s"] == {"BS": [b"\x00\x01", b"\xff"]}


def test_boto3_itself_accepts_the_script(boto: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {**library.T.create_request(), "TableName": "snippets"}
    boto.create_table(**table)
    try:
        call = explain(create(library.Visit(user_id="u"))).calls[0]
        call = Call(call.operation, {**call.request, "TableName": "snippets"})
        monkeypatch.setattr(boto3, "client", lambda *_, **__: boto)
        names: dict[str, Any] = {}
        exec(as_boto3([call], "us-east-1"), names)
        assert names["reply"]["ResponseMetadata"]["HTTPStatusCode"] == 200
    finally:
        boto.delete_table(TableName="snippets")


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.operation)
def test_a_shell_passes_the_request_on_unchanged(call: Call) -> None:
    command = as_cli([call], "eu-west-1")
    shell = f"aws() {{ printf '%s\\0' \"$@\"; }}\n{command}"
    shown = subprocess.run(["sh", "-c", shell], check=True, capture_output=True)
    words = shown.stdout.decode().split("\0")[:-1]
    assert words == shlex.split(command)[1:]
    assert words[:1] == ["dynamodb"]
    assert words[1].replace("-", "") == call.operation.lower()
    assert words[words.index("--region") + 1] == "eu-west-1"
    assert json.loads(words[-1]) == asked(call)


def test_json_is_one_request_or_a_list_of_them() -> None:
    assert json.loads(as_json(CALLS[:1]))["operation"] == "GetItem"
    assert [one["operation"] for one in json.loads(as_json(CALLS[:2]))] == ["GetItem", "PutItem"]
