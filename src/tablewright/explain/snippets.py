"""Formats requests as DynamoDB's JSON, as a boto3 script, and as an AWS CLI command.

All three are exactly the same request. The AWS CLI gets it as ``--cli-input-json``, because some of
its options change paging or parse values differently.
"""

from __future__ import annotations

import json
import re
import shlex
from base64 import b64decode
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tablewright.plan.operation import Call

__all__ = ["as_boto3", "as_cli", "as_json"]

_WIDTH: Final = 88
_WORD: Final = re.compile(r"(?<!^)(?=[A-Z])")


def as_json(calls: Iterable[Call]) -> str:
    """The requests as JSON: an operation and its request, or a list of them."""
    requests = [{"operation": call.operation, "request": call.request} for call in calls]
    return json.dumps(requests[0] if len(requests) == 1 else requests, indent=2, ensure_ascii=False)


def as_boto3(calls: Iterable[Call], region: str) -> str:
    """A script that makes the requests with boto3's client."""
    lines = ["import boto3", "", f'client = boto3.client("dynamodb", region_name="{region}")']
    for call in calls:
        method = _WORD.sub("_", call.operation).lower()
        lines.append(f"reply = client.{method}(")
        lines += [
            f"    {name}={_literal(_with_bytes(value), 1)},"
            for name, value in _request(call).items()
        ]
        lines.append(")")
    return "\n".join(lines)


def as_cli(calls: Iterable[Call], region: str) -> str:
    """The requests as commands of the AWS CLI, quoted for a POSIX shell."""
    return "\n".join(_command(call, region) for call in calls)


def _command(call: Call, region: str) -> str:
    words = ["aws", "dynamodb", _WORD.sub("-", call.operation).lower(), "--region", region]
    if call.operation == "Query":
        words.append("--no-paginate")  # Without this the CLI reads all pages.
    request = json.dumps(_request(call), ensure_ascii=False)
    return shlex.join([*words, "--cli-input-json", request])


def _request(call: Call) -> dict[str, Any]:
    """The request without its idempotency token, which boto3 and the CLI generate."""
    return {name: value for name, value in call.request.items() if name != "ClientRequestToken"}


def _with_bytes(value: Any) -> Any:
    """The value for boto3, with bytes instead of base64."""
    if isinstance(value, list):
        return [_with_bytes(member) for member in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        [(kind, content)] = value.items()
        # An attribute that is named "B" contains a dict, not a string.
        if kind == "B" and isinstance(content, str):
            return {"B": b64decode(content)}
        if kind == "BS" and isinstance(content, list):
            return {"BS": [b64decode(member) for member in content]}
    return {name: _with_bytes(member) for name, member in value.items()}


def _literal(value: Any, depth: int) -> str:
    """A value as Python, on one line if it fits."""
    line = _on_one_line(value)
    if len(line) + 4 * depth < _WIDTH or not isinstance(value, dict | list) or not value:
        return line
    indent, outer = "    " * (depth + 1), "    " * depth
    if isinstance(value, dict):
        rows = [f"{_text(k)}: {_literal(member, depth + 1)}" for k, member in value.items()]
    else:
        rows = [_literal(member, depth + 1) for member in value]
    body = "".join(f"{indent}{row},\n" for row in rows)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{body}{outer}{closing}"


def _on_one_line(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        rows = [f"{_text(name)}: {_on_one_line(member)}" for name, member in value.items()]
        return "{" + ", ".join(rows) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_on_one_line(member) for member in value) + "]"
    return repr(value)


def _text(value: str) -> str:
    # JSON escapes are valid in Python.
    return json.dumps(value, ensure_ascii=False)
