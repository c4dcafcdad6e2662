"""Helpers for raw sockets, and an engine that echoes."""

from __future__ import annotations

import json
import socket
from typing import Any

from tablewright.engine.database import Database
from tablewright.errors import UnknownOperation, ValidationError
from tablewright.wire.lifecycle import ThreadedServer


class Echo(Database):
    """Echoes every request, or fails as the request says."""

    needs_call = True  # Nothing is queued for its writer.

    def call_json(self, operation: str, request: Any) -> bytes:
        if operation == "Refuse":
            raise ValidationError(request.get("message", "refused"))
        if operation == "Fail":
            raise ZeroDivisionError
        if operation != "Echo":
            raise UnknownOperation
        return json.dumps(request).encode()


def engine() -> Database:
    return Echo.open()


def connect(running: ThreadedServer) -> socket.socket:
    host, port = running.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=10)


def post(body: bytes = b"{}", operation: str = "Echo", *more: str) -> bytes:
    head = [
        "POST / HTTP/1.1",
        "Host: localhost",
        "content-type: application/x-amz-json-1.0",
        f"x-amz-target: DynamoDB_20120810.{operation}",
        f"Content-Length: {len(body)}",
        *more,
    ]
    return "\r\n".join([*head, "", ""]).encode() + body


class Response:
    def __init__(self, stream: Any) -> None:
        status = stream.readline()
        assert status, "the connection was closed without an answer"
        self.status = int(status.split()[1])
        self.headers: dict[str, str] = {}
        while field := stream.readline().strip():
            name, _, value = field.decode().partition(": ")
            self.headers[name.lower()] = value
        self.body = stream.read(int(self.headers["content-length"]))


def ask(line: socket.socket, request: bytes, answers: int = 1) -> Any:
    line.sendall(request)
    with line.makefile("rb") as stream:
        responses = [Response(stream) for _ in range(answers)]
    return responses[0] if answers == 1 else responses


def is_closed(line: socket.socket) -> bool:
    """Wait for the server to close the connection; return whether it does."""
    try:
        return line.recv(1) == b""
    except ConnectionResetError:
        return True
