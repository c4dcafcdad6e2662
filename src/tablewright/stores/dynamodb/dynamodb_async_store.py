"""The async store on DynamoDB or an endpoint with its API."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable
from typing import Any

from tablewright.errors import StoreUnavailable
from tablewright.plan.operation import Context
from tablewright.stores.async_store import AsyncStore
from tablewright.stores.dynamodb.aws_session import Access
from tablewright.stores.dynamodb.dynamodb_store import TIMEOUT_SECONDS
from tablewright.stores.dynamodb.http_connections import host_header
from tablewright.stores.dynamodb.replies import Reply, Unanswered, encode
from tablewright.stores.dynamodb.request_signing import Signer
from tablewright.stores.dynamodb.retry_policy import Retrying, exchange
from tablewright.stores.runner import drive_async

try:
    import aiohttp
except ImportError as missing:
    raise StoreUnavailable("DynamoDB needs aiohttp: install tablewright[aws]") from missing

__all__ = ["AsyncDynamoDBStore"]

CONNECTIONS_MAX = 100


class AsyncDynamoDBStore(AsyncStore):
    """Signs, sends and retries requests; see `retry_policy` and `repeatable_requests`."""

    def __init__(
        self,
        access: Access,
        *,
        context: Context | None = None,
        retrying: Retrying | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create it on the loop that uses it. Signatures use the real time, which AWS checks."""
        super().__init__(context, sleep)
        self._access = access
        self._retrying = retrying or Retrying()
        self._monotonic = monotonic
        self._signer = Signer(host_header(access.url), access.region)
        self._url = access.url.rstrip("/") + "/"
        tls: ssl.SSLContext | bool = True
        if access.url.startswith("https:"):
            tls = ssl.create_default_context(cafile=access.ca_file)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=CONNECTIONS_MAX, ssl=tls),
            timeout=aiohttp.ClientTimeout(
                total=None, sock_connect=timeout_seconds, sock_read=timeout_seconds
            ),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=("Accept", "Accept-Encoding", "User-Agent"),
        )

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        steps = exchange(operation, request, self._retrying, self._monotonic, self.context.random)
        return await drive_async(steps, self._post, self.sleep)

    async def _post(self, operation: str, request: dict[str, Any]) -> Reply:
        body = encode(request)
        if self._access.must_renew:
            await asyncio.to_thread(self._access.keys)
        headers = self._signer.headers(operation, body, self._access.keys(), time.time())
        try:
            async with self._session.post(
                self._url, data=body, headers=headers, allow_redirects=False
            ) as response:
                content = await response.read()
                return Reply(response.status, response.headers.get("x-amz-crc32"), content)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise Unanswered(f"cannot connect to {self._url} ({error})", was_sent=False) from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            reason = str(error) or type(error).__name__
            raise Unanswered(f"no reply ({reason})", was_sent=True) from error

    async def close(self) -> None:
        await self._session.close()
