"""A load generator: so many connections, for so many seconds, one request after the other on each.

wrk when it is installed; else a small one in Python, which itself tops out near 20,000 requests/s.
Either way ``{n}`` in a body is replaced by a running number below ``count``.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request
from dataclasses import dataclass
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


class Refused(Exception):
    """An endpoint answered a request with an error."""


@dataclass(frozen=True)
class Measured:
    per_second: float
    p99_ms: float


def call(url: str, operation: str, request: dict[str, Any]) -> Any:
    """One request, for setting the stage."""
    sent = urllib.request.Request(
        url,
        json.dumps(request).encode(),
        HEADERS | {"X-Amz-Target": f"DynamoDB_20120810.{operation}"},
    )
    with urllib.request.urlopen(sent, timeout=60) as answer:
        return json.loads(answer.read() or b"{}")


def measure(
    url: str, operation: str, body: str, *, connections: int, seconds: float, count: int
) -> Measured:
    """How fast an endpoint answers; raises Refused."""
    if shutil.which("wrk"):
        return _measure_with_wrk(url, operation, body, connections, seconds, count)
    return asyncio.run(_measure_here(url, operation, body, connections, seconds, count))


def _measure_with_wrk(
    url: str, operation: str, body: str, connections: int, seconds: float, count: int
) -> Measured:
    before, *after = body.split("{n}")
    joined = " .. key .. ".join(json.dumps(part) for part in (before, *after))
    headers = HEADERS | {"X-Amz-Target": f"DynamoDB_20120810.{operation}"}
    lines = [f'wrk.headers["{name}"] = {json.dumps(value)}' for name, value in headers.items()]
    script = "\n".join(
        [
            *lines,
            "local n = 0",
            "function request()",
            f"  n = (n + 1) % {count}",
            "  local key = string.format('%06d', n)",
            f'  return wrk.format("POST", "/", nil, {joined})',
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
        raise Refused(operation)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", shown)
    slow = re.search(r"99%\s+([\d.]+)(us|ms|s|m)\b", shown)
    assert rate is not None, shown
    assert slow is not None, shown
    unit = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60000.0}[slow[2]]
    return Measured(float(rate[1]), float(slow[1]) * unit)


async def _measure_here(
    url: str, operation: str, body: str, connections: int, seconds: float, count: int
) -> Measured:
    host, port = url.removeprefix("http://").split(":")
    headers = HEADERS | {"X-Amz-Target": f"DynamoDB_20120810.{operation}", "Host": host}
    fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    latencies: list[float] = []
    end = time.perf_counter() + seconds

    async def client(number: int) -> None:
        reader, writer = await asyncio.open_connection(host, int(port))
        while (started := time.perf_counter()) < end:
            number = (number + connections) % count
            sent = body.replace("{n}", f"{number:06d}")
            writer.write(
                f"POST / HTTP/1.1\r\n{fields}Content-Length: {len(sent)}\r\n\r\n{sent}".encode()
            )
            answer = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: *(\d+)", answer, re.IGNORECASE)
            assert length is not None
            await reader.readexactly(int(length[1]))
            if b" 200 " not in answer[:20]:
                raise Refused(operation)
            latencies.append(time.perf_counter() - started)
        writer.close()

    await asyncio.gather(*(client(number) for number in range(connections)))
    latencies.sort()
    return Measured(len(latencies) / seconds, latencies[len(latencies) * 99 // 100] * 1000)
