"""Connections to running servers that notice when a server is gone."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from .visitors import Reply, Unanswered, Visitor

__all__ = ["Connection", "Refused", "all_at_once", "connect", "visit_until"]

Json = dict[str, Any]
WIRE_HEAD = {
    "Content-Type": "application/x-amz-json-1.0",
    "Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=0",
}


class Refused(Exception):
    """An answer of the wire endpoint that is an error."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Connection:
    """A connection that is opened again when it breaks, to wherever the server is then."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._open: http.client.HTTPConnection | None = None

    def request(self, method: str, path: str, body: bytes | None, headers: Json) -> Reply:
        """An answer; raises Unanswered if none comes."""
        if (
            self._open is None
            or f"{self._open.host}:{self._open.port}" != urlsplit(self.url).netloc
        ):
            self.close()
            self._open = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=30)
        try:
            self._open.request(method, path, body, headers)
            with self._open.getresponse() as answer:
                data = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Unanswered(str(error)) from error
        is_json = "json" in (answer.getheader("Content-Type") or "")
        decoded = json.loads(data) if data and is_json else None
        return Reply(answer.status, decoded, answer.getheader("ETag"))

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def send(self, method: str, path: str, body: Json | None, headers: Json) -> Reply:
        """A call of a system."""
        if body is None:
            return self.request(method, path, None, headers)
        content = {"Content-Type": "application/json"}
        return self.request(method, path, json.dumps(body).encode(), content | headers)

    def call(self, operation: str, request: Json) -> Json:
        """A call of the wire endpoint; raises Refused or Unanswered."""
        head = WIRE_HEAD | {"X-Amz-Target": f"DynamoDB_20120810.{operation}"}
        reply = self.request("POST", "/", json.dumps(request).encode(), head)
        if reply.status >= 500:
            raise Unanswered(str(reply))
        if reply.status != 200:
            raise Refused(reply.body["__type"].rpartition("#")[2])
        body: Json = reply.body
        return body


def connect(url: str, count: int) -> list[Connection]:
    return [Connection(url) for _ in range(count)]


def visit_until(visitor: Visitor, is_over: Callable[[], bool]) -> None:
    """Let somebody use a system until it is over; what has no answer is not counted."""
    while not is_over():
        try:
            visitor.visit()
        except Unanswered:
            continue


def all_at_once(works: Sequence[Callable[[], object]]) -> list[threading.Thread]:
    """Start them all, each in a thread."""
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    return threads
