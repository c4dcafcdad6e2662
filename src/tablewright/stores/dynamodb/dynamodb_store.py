"""The blocking store on DynamoDB or an endpoint with its API."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tablewright.plan.operation import Context
from tablewright.stores.dynamodb.aws_session import Access
from tablewright.stores.dynamodb.http_connections import Connections, host_header
from tablewright.stores.dynamodb.replies import Reply, encode
from tablewright.stores.dynamodb.request_signing import Signer
from tablewright.stores.dynamodb.retry_policy import Retrying, exchange
from tablewright.stores.runner import drive
from tablewright.stores.store import Store

__all__ = ["DynamoDBStore"]

TIMEOUT_SECONDS = 10.0


class DynamoDBStore(Store):
    """Signs, sends and retries requests; see `retry_policy` and `repeatable_requests`."""

    def __init__(
        self,
        access: Access,
        *,
        context: Context | None = None,
        retrying: Retrying | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        sleep: Callable[[float], object] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Signatures use the real time, not the context's clock, because AWS checks it."""
        super().__init__(context, sleep)
        self._access = access
        self._retrying = retrying or Retrying()
        self._monotonic = monotonic
        self._signer = Signer(host_header(access.url), access.region)
        self._connections = Connections(
            access.url, timeout_seconds=timeout_seconds, ca_file=access.ca_file
        )

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        steps = exchange(operation, request, self._retrying, self._monotonic, self.context.random)
        return drive(steps, self._post, self.sleep)

    def _post(self, operation: str, request: dict[str, Any]) -> Reply:
        body = encode(request)
        headers = self._signer.headers(operation, body, self._access.keys(), time.time())
        return self._connections.post(headers, body)

    def close(self) -> None:
        self._connections.close()
