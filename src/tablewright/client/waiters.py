"""Waiters as in boto3: poll until a table exists or does not exist."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from tablewright.client.client_errors import exceptions, waiter_error

DELAY_SECONDS: Final = 1.0  # boto3 has 20; here a table changes in milliseconds.
ATTEMPTS_MAX: Final = 25

# The condition of each waiter on the table's status, which is None without a table.
WAITERS: Final[dict[str, tuple[str, Callable[[str | None], bool]]]] = {
    "table_exists": ("TableExists", lambda status: status == "ACTIVE"),
    "table_not_exists": ("TableNotExists", lambda status: status is None),
}


class Waiter:
    """The result of ``get_waiter``."""

    def __init__(
        self,
        name: str,
        describe: Callable[..., dict[str, Any]],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name, self._is_reached = WAITERS[name]
        self._describe = describe
        self._sleep = sleep

    def wait(self, *, WaiterConfig: dict[str, Any] | None = None, **parameters: Any) -> None:
        """Return when the condition holds; raises botocore's WaiterError on timeout."""
        config = WaiterConfig or {}
        attempts = int(config.get("MaxAttempts", ATTEMPTS_MAX))
        answer: dict[str, Any] = {}
        for attempt in range(attempts):
            if attempt:
                self._sleep(float(config.get("Delay", DELAY_SECONDS)))
            try:
                answer = self._describe(**parameters)
                status = answer["Table"]["TableStatus"]
            except exceptions().ResourceNotFoundException as error:
                answer, status = error.response, None  # type: ignore[attr-defined]
            if self._is_reached(status):
                return
        raise waiter_error()(self.name, "Max attempts exceeded", answer)
