"""How often a person may do what."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, Literal

from tablewright import ref
from tablewright.systems.hold_that_thought.design import P, RateLimit
from tablewright.web.services.rate_limits import Rate, Window
from tablewright.web.services.services import Services

__all__ = ["RATES", "Limited", "WriteRates"]

Limited = Literal[
    "createComment",
    "sendMessage",
    "toggleReaction",
    "upload",
    "updateProfile",
    "photoUpload",
    "other",
]
RATES: Final[Mapping[Limited, Rate]] = {
    "createComment": Rate(20, 60),
    "sendMessage": Rate(30, 60),
    "toggleReaction": Rate(60, 60),
    "upload": Rate(10, 300),
    "updateProfile": Rate(10, 60),
    "photoUpload": Rate(5, 300),
    "other": Rate(100, 60),
}


class WriteRates:
    """Counts what people do in the table, so that all servers count together."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def count(self, user_id: str, action: Limited) -> None:
        """Count one more, also one too many: that is a 429. A store that fails lets it pass."""

        def first(count: int, window_start: int, ends_at: int) -> RateLimit:
            return RateLimit(
                user_id=user_id,
                action=action,
                count=count,
                window_start=window_start,
                expires_at=datetime.fromtimestamp(ends_at, UTC),
            )

        window = Window(
            self._services.store,
            self._services.clock,
            RATES[action],
            place=ref(RateLimit, user_id=user_id, action=action),
            find=lambda: P.check_rate(user_id, action),
            make_row=first,
        )
        await window.count_if_possible()
