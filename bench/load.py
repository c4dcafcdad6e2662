"""A load generator: so many connections, for so many seconds, one request after the other on each.

wrk when it is installed; else a small one in Python, which itself tops out near 20,000 requests/s.
Either way ``{n}`` in a path or a body is replaced by a running number below ``count``, and ``{m}``
in a body by one that does not come again: a put of what is there already is no write.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Peers insist on something that looks like a signature; none of them verifies it.
HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": (
        "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host;x-amz-date;x-amz-target, Signature=0"
    ),
}


STATISTICS = Path("/proc/stat")  # Of Linux.


class Refused(Exception):
    """An endpoint answered a request with an error."""


@dataclass(frozen=True)
class Measured:
    per_second: float
    p99_ms: float


@dataclass(frozen=True)
class Shot:
    """One request, sent over and over."""

    method: str
    path: str
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    tokens: tuple[str, ...] = ()  # Bearer tokens of several people, who take turns.


def dynamodb(operation: str, body: str) -> Shot:
    return Shot("POST", "/", body, HEADERS | {"X-Amz-Target": f"DynamoDB_20120810.{operation}"})


def call(url: str, operation: str, request: dict[str, Any]) -> Any:
    """One request of DynamoDB's, for setting the stage."""
    return send(url, dynamodb(operation, json.dumps(request)))


def send(url: str, shot: Shot) -> Any:
    """What an endpoint answers; raises Refused."""
    body = shot.body.encode() if shot.body else None
    sent = urllib.request.Request(url + shot.path, body, shot.headers, method=shot.method)
    try:
        with urllib.request.urlopen(sent, timeout=60) as answer:
            return json.loads(answer.read() or b"{}")
    except urllib.error.HTTPError as error:
        with error:
            raise Refused(f"{shot.method} {shot.path}: {error.read().decode()}") from None


def settle(seconds_max: float = 10.0) -> None:
    """Wait until the machine is idle, where it tells.

    After a turn Java goes on compiling and moto on answering: the next would have a core less.
    """
    if not STATISTICS.exists():
        return
    end = time.monotonic() + seconds_max
    idle, begun = _idle_seconds(), time.monotonic()
    while begun < end:
        time.sleep(0.1)
        later, now = _idle_seconds(), time.monotonic()
        if later - idle > 0.85 * (now - begun) * (os.cpu_count() or 1):
            return
        idle, begun = later, now


def _idle_seconds() -> float:
    """For how long all processors together have been idle, or waiting for a disk."""
    ticks = STATISTICS.read_text("utf-8").split(maxsplit=6)[4:6]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def measure(url: str, shot: Shot, *, connections: int, seconds: float, count: int) -> Measured:
    """How fast an endpoint answers; raises Refused."""
    if shutil.which("wrk"):
        return _measure_with_wrk(url, shot, connections, seconds, count)
    return asyncio.run(_measure_here(url, shot, connections, seconds, count))


def _lua(text: str) -> str:
    """A text in which numbers stand for ``{n}`` and ``{m}``, as an expression of Lua."""
    parts = re.split(r"\{([nm])\}", text)  # Every other one is a name.
    return " .. ".join(name if at % 2 else json.dumps(name) for at, name in enumerate(parts))


def filled(text: str, n: int, m: int) -> str:
    """The text as Lua makes it."""
    return text.replace("{n}", f"{n:06d}").replace("{m}", f"{m:09d}")


def _measure_with_wrk(
    url: str, shot: Shot, connections: int, seconds: float, count: int
) -> Measured:
    lines = [f'wrk.headers["{name}"] = {json.dumps(value)}' for name, value in shot.headers.items()]
    script = "\n".join(
        [
            *lines,
            f"local tokens = {{{', '.join(map(json.dumps, shot.tokens))}}}",
            "local sent = 0",
            "function request()",
            "  sent = sent + 1",
            f"  local n = string.format('%06d', sent % {count})",
            "  local m = string.format('%09d', sent)",
            "  local token = #tokens > 0 and tokens[sent % #tokens + 1]",
            '  if token then wrk.headers["Authorization"] = "Bearer " .. token end',
            f'  return wrk.format("{shot.method}", {_lua(shot.path)}, nil, {_lua(shot.body)})',
            "end",
        ]
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "load.lua"
        path.write_text(script, "utf-8")
        threads = ["-t1", f"-c{connections}", f"-d{seconds:g}s", "--latency"]
        command = ["wrk", *threads, "-s", str(path), url]
        shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in shown:
        raise Refused(f"{shot.method} {shot.path}")
    rate = re.search(r"Requests/sec:\s+([\d.]+)", shown)
    slow = re.search(r"99%\s+([\d.]+)(us|ms|s|m)\b", shown)
    assert rate is not None, shown
    assert slow is not None, shown
    unit = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60000.0}[slow[2]]
    return Measured(float(rate[1]), float(slow[1]) * unit)


async def _measure_here(
    url: str, shot: Shot, connections: int, seconds: float, count: int
) -> Measured:
    host, port = url.removeprefix("http://").split(":")
    headers = shot.headers | {"Host": host}
    fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    latencies: list[float] = []
    end = time.perf_counter() + seconds

    async def client(number: int) -> None:
        reader, writer = await asyncio.open_connection(host, int(port))
        while (started := time.perf_counter()) < end:
            number += connections
            line = filled(f"{shot.method} {shot.path} HTTP/1.1", number % count, number)
            sent = filled(shot.body, number % count, number)
            length = f"Content-Length: {len(sent.encode())}"
            if shot.tokens:
                token = shot.tokens[number % len(shot.tokens)]
                length += f"\r\nAuthorization: Bearer {token}"
            writer.write(f"{line}\r\n{fields}{length}\r\n\r\n{sent}".encode())
            answer = await reader.readuntil(b"\r\n\r\n")
            told = re.search(rb"content-length: *(\d+)", answer, re.IGNORECASE)
            await reader.readexactly(int(told[1]) if told else 0)
            if answer.split(b" ", 2)[1][:1] != b"2":
                raise Refused(f"{shot.method} {shot.path}")
            latencies.append(time.perf_counter() - started)
        writer.close()

    await asyncio.gather(*(client(number) for number in range(connections)))
    latencies.sort()
    return Measured(len(latencies) / seconds, latencies[len(latencies) * 99 // 100] * 1000)
